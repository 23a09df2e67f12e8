//! Lanes of one scene that are fed the same frame time and the same commands.

use crate::scene::Scene;
use crate::settings::{Command, MOST_LANES};
use crate::simulation::Simulation;
use crate::stepper::Frame;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One contestant.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Name for its header.
    pub name: String,
    /// Index into the palette; lanes keep theirs when others are removed.
    pub color: usize,
    /// The scene under this lane's settings.
    pub simulation: Simulation,
    /// Smoothed measured seconds of computing one step; 0 = unknown.
    pub step_cost: f64,
    /// Measured seconds that the sample of the last frame took: energy, stretch. One thread takes
    /// it.
    pub record_cost: f64,
}

/// Returns seconds since some moment.
pub type Clock<'a> = &'a (dyn Fn() -> f64 + Sync);

/// The lanes, and the time that they share.
#[derive(Clone, Debug)]
pub struct Session {
    scene: Arc<Scene>,
    lanes: Vec<Lane>,
    speed: f64,
    paused: bool,
}

/// One thing that happened, in order: what a recording consists of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A command was given.
    Command(Command),
    /// A frame went by, with the step cost in seconds that each lane was told.
    Frame {
        /// Measured length of the frame in seconds.
        seconds: f64,
        /// Step cost of each lane in seconds.
        costs: Vec<f64>,
    },
}

impl Session {
    /// A session with the lanes that the scene lists.
    pub fn new(scene: Arc<Scene>) -> Self {
        let mut session =
            Self { scene: scene.clone(), lanes: Vec::new(), speed: 1.0, paused: false };
        for setup in scene.lanes.iter().take(MOST_LANES) {
            session.add_lane(setup.name.clone(), Simulation::new(scene.clone(), setup.settings));
        }
        session
    }

    /// The scene of all lanes.
    pub fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// The lanes, first to last.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The lanes for drawing, which may look ahead of the newest state.
    pub fn lanes_mut(&mut self) -> &mut [Lane] {
        &mut self.lanes
    }

    /// Renames a lane; names change nothing in a simulation.
    pub fn rename(&mut self, lane: usize, name: String) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.name = name;
        }
    }

    /// Whether time stands still.
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// Speed of simulated time; 1 = real time.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Lets `seconds` of wall-clock time pass in every lane, in parallel. `clock` returns seconds
    /// and is read around each lane's work to learn what its steps cost; a clock that stands
    /// still (`|| 0.0`) makes budgets and watchdog rest. Lanes share nothing, so the result does
    /// not depend on the number of threads.
    pub fn advance(&mut self, seconds: f64, clock: Clock) {
        self.advance_timed(seconds, clock, clock);
    }

    /// As [`Session::advance`], with another clock for samples, such as one that counts the
    /// processor time of the thread that reads it.
    pub fn advance_timed(&mut self, seconds: f64, clock: Clock, sample_clock: Clock) {
        if self.paused {
            return;
        }
        let speed = self.speed;
        self.lanes.par_iter_mut().for_each(|lane| {
            let frame = Frame { seconds, speed, step_cost: lane.step_cost };
            let started = clock();
            let (mut stepped, mut sampling) = (started, sample_clock());
            let plan = lane.simulation.advance_watched(frame, &mut |_| {
                (stepped, sampling) = (clock(), sample_clock());
            });
            lane.record_cost = sample_clock() - sampling;
            if plan.steps > 0 {
                let cost = (stepped - started) / f64::from(plan.steps);
                // Smoothed over some ten frames: one preempted frame must not cut the next.
                lane.step_cost +=
                    (cost - lane.step_cost) * if lane.step_cost > 0.0 { 0.1 } else { 1.0 };
            }
        });
    }

    /// Lets one recorded event happen again: the same events from the same start give the same
    /// bits, whatever the steps cost this time.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Command(command) => self.command(command.clone()),
            Event::Frame { seconds, costs } => {
                for (lane, cost) in self.lanes.iter_mut().zip(costs) {
                    lane.step_cost = *cost;
                }
                self.advance(*seconds, &|| 0.0);
            }
        }
    }

    /// The event that [`Session::advance`] is about to be: ask before advancing, to record it.
    pub fn frame_event(&self, seconds: f64) -> Event {
        Event::Frame { seconds, costs: self.lanes.iter().map(|lane| lane.step_cost).collect() }
    }

    /// Carries out a command. Lane numbers, particles and links that do not exist are ignored, so that
    /// a recording made with another scene does no harm.
    pub fn command(&mut self, command: Command) {
        let particles = self.scene.mesh.positions.len() as u32;
        match command {
            Command::Grab { particle, mode, at } if particle < particles => {
                self.each(|simulation| simulation.grab(particle, mode, at));
            }
            Command::MoveHand(to) => self.each(|simulation| simulation.move_hand(to)),
            Command::Release => self.each(Simulation::release),
            Command::TogglePin(particle) if particle < particles => {
                self.each(|simulation| simulation.toggle_pin(particle));
            }
            Command::Grab { .. } | Command::TogglePin(_) => {}
            Command::Cut(links) => self.each(|simulation| simulation.cut(&links)),
            Command::Reset => self.each(Simulation::reset),
            Command::Pause(paused) => self.paused = paused,
            Command::SingleStep => self.each(Simulation::single_step),
            Command::Speed(speed) => self.speed = speed.clamp(1e-3, 10.0),
            Command::Configure { lane, settings } => {
                if let Some(lane) = self.lanes.get_mut(lane) {
                    lane.simulation.configure(settings);
                    lane.step_cost = 0.0;
                }
            }
            Command::AddLane { name, settings } => {
                self.add_lane(name, Simulation::new(self.scene.clone(), settings));
            }
            Command::DuplicateLane(lane) => {
                if let Some(lane) = self.lanes.get(lane).cloned() {
                    self.add_lane(format!("{} copy", lane.name), lane.simulation);
                }
            }
            Command::RemoveLane(lane) => {
                if self.lanes.len() > 1 && lane < self.lanes.len() {
                    self.lanes.remove(lane);
                }
            }
        }
    }

    fn each(&mut self, act: impl Fn(&mut Simulation)) {
        for lane in &mut self.lanes {
            act(&mut lane.simulation);
        }
    }

    fn add_lane(&mut self, name: String, simulation: Simulation) {
        let taken = |color: &usize| !self.lanes.iter().any(|lane| lane.color == *color);
        if let Some(color) = (0..MOST_LANES).find(taken) {
            self.lanes.push(Lane { name, color, simulation, step_cost: 0.0, record_cost: 0.0 });
        }
    }
}
