//! Simulations of one scene side by side, with a common time and common commands.

use super::display::Display;
use super::event::Event;
use super::inputs::HandMoment;
use super::lane::{Lane, LaneBudget, ReadClock};
use super::lane_frame::LaneFrame;
use super::lane_name::{free_name, name_copy, rename_after_change};
use super::step_cost::StepCost;
use crate::scene::Scene;
use crate::simulation::settings::{Command, MOST_LANES};
use crate::simulation::timing::frame_source::FrameSource;
use crate::simulation::timing::stepper::WATCHDOG_SECONDS;
use crate::simulation::{Interrupt, Simulation};
use glam::DVec3;
use rayon::prelude::*;
use std::sync::Arc;

/// Largest number of digests per lane. Each digest covers a group of particles.
pub(super) const MOST_DIGESTS: usize = 1024;
/// Longest computing time of a step that is computed only for drawing, in seconds.
const LONGEST_PICTURE: f64 = 0.01;

/// Limit of the computing time for a frame, and the clocks that measure it.
#[derive(Clone, Copy)]
pub struct FrameBudget<'a> {
    /// Computing time in seconds after which no lane begins another slice (group of steps). Every
    /// lane computes at least one slice.
    pub seconds: f64,
    /// Clock that measures the cost of steps and ends the frame in time. It is read a few times per
    /// frame. A constant clock (`&|| 0.0`) disables budgets and watchdog.
    pub clock: ReadClock<'a>,
    /// Clock that measures the duration of sampling, e.g. one that returns the processor time of
    /// the reading thread.
    pub sample_clock: ReadClock<'a>,
}

/// Lanes of a scene, and their common time.
#[derive(Clone, Debug)]
pub struct Session {
    pub(super) scene: Arc<Scene>,
    pub(super) lanes: Vec<Lane>,
    pub(super) speed: f64,
    pub(super) paused: bool,
    /// Wall-clock time × speed since the start, in seconds.
    pub(super) time: f64,
    /// True if every lane keeps an energy account. This includes lanes that are added later.
    pub(super) keeps_energy_accounts: bool,
}

impl Session {
    /// Creates a session with the lanes that the scene lists.
    pub fn new(scene: Arc<Scene>) -> Self {
        let mut session = Self {
            scene: scene.clone(),
            lanes: Vec::new(),
            speed: 1.0,
            paused: false,
            time: 0.0,
            keeps_energy_accounts: false,
        };
        for (index, setup) in scene.lanes.iter().take(MOST_LANES).enumerate() {
            session
                .add_lane(setup.name.clone(), Simulation::new(scene.parts.clone(), setup.settings));
            session.set_frame_source(index, setup.frames.clone());
        }
        session
    }

    /// Returns the scene of all lanes.
    pub fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// Returns the lanes, first to last.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// Writes the positions for drawing a lane now (see [`Simulation::picture`]), and returns the
    /// time in seconds to which they belong. If a step of the lane takes long, the newest state is
    /// drawn, and no step is computed for drawing.
    pub fn picture(&mut self, lane: usize, out: &mut Vec<DVec3>) -> f64 {
        let Some(Lane { simulation, step_cost, .. }) = self.lanes.get_mut(lane) else {
            return 0.0;
        };
        if step_cost.estimate().is_some_and(|seconds| seconds < LONGEST_PICTURE) {
            simulation.picture(out)
        } else {
            out.clone_from(&simulation.state().x);
            simulation.state().t
        }
    }

    /// Passes an interrupt to all lanes. When it is set, the computation stops, and the states of
    /// the lanes are undefined.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.for_each_simulation(|simulation| simulation.set_interrupt(interrupt.clone()));
    }

    /// Returns the hashes of the states of all lanes.
    pub fn hashes(&self) -> Vec<u64> {
        self.lanes.iter().map(|lane| lane.simulation.hash()).collect()
    }

    /// Returns digests of the particles of all lanes: 4 hexadecimal digits for each group of
    /// particles.
    pub fn digests(&self) -> Vec<String> {
        let lane = |lane: &Lane| {
            let digests = lane.simulation.digests(MOST_DIGESTS);
            digests.iter().map(|digest| format!("{digest:04x}")).collect()
        };
        self.lanes.iter().map(lane).collect()
    }

    /// Returns the wall-clock time × speed since the start, in seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Renames a lane. Names do not affect simulations.
    pub fn rename(&mut self, lane: usize, name: String) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.name = name;
        }
    }

    /// True if the session is paused.
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// Returns the speed of simulated time; 1 = real time.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Advances every lane by `seconds` of wall-clock time, in parallel, and returns the event.
    /// After [`WATCHDOG_SECONDS`] on `clock`, at most one more slice of steps is computed. Lanes
    /// share no data, so the result does not depend on the number of threads.
    pub fn advance(&mut self, seconds: f64, clock: ReadClock) -> Event {
        let sample_clock = clock;
        self.advance_within(seconds, FrameBudget { seconds: WATCHDOG_SECONDS, clock, sample_clock })
    }

    /// Advances every lane like [`Session::advance`], within a budget.
    pub fn advance_within(&mut self, seconds: f64, budget: FrameBudget) -> Event {
        let mut lanes = vec![LaneFrame::default(); self.lanes.len()];
        if !self.paused {
            let speed = self.speed;
            self.time += seconds * speed;
            let lanes_a_thread = lanes.len().div_ceil(rayon::current_num_threads());
            let budget = LaneBudget {
                lane_seconds: budget.seconds / lanes_a_thread.max(1) as f64,
                end: (budget.clock)() + budget.seconds,
                clock: budget.clock,
                sample_clock: budget.sample_clock,
            };
            self.lanes.par_iter_mut().zip(&mut lanes).for_each(|(lane, done)| {
                *done = lane.advance_displays(seconds, speed, budget);
            });
        }
        Event::Frame { seconds, lanes }
    }

    /// Repeats a recorded event. The same events from the same start give the same bits, whatever
    /// the computing time.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Command(command) => self.command(Command::clone(command)),
            Event::Frame { .. } if self.paused => {}
            Event::Frame { seconds, lanes } => {
                let speed = self.speed;
                self.time += seconds * speed;
                self.lanes.par_iter_mut().zip(lanes).for_each(|(lane, done)| {
                    lane.repeat_recorded(*seconds, speed, done);
                    lane.display.follow_record(*seconds, done.own.as_deref());
                });
            }
        }
    }

    /// Repeats an event like [`Session::apply`], but after an earlier event was undone or changed.
    /// Every lane plans its steps again, and leaves out as many of them as the recorded run did. The
    /// lanes with indices in `absent` have no record of the frame. They use the frames of their own
    /// displays. Returns the event with the steps that were actually taken.
    pub fn apply_replanned(&mut self, event: &Event, absent: &[usize]) -> Event {
        let Event::Frame { seconds, lanes } = event else {
            self.apply(event);
            return event.clone();
        };
        if self.paused {
            return event.clone();
        }
        let (seconds, speed) = (*seconds, self.speed);
        self.time += seconds * speed;
        let mut lanes = lanes.clone();
        self.lanes.par_iter_mut().zip(&mut lanes).enumerate().for_each(|(place, (lane, done))| {
            if absent.contains(&place) && !lane.display.is_real() {
                done.own = Some(Vec::new());
                lane.advance_unrecorded(seconds, speed, done);
            } else {
                lane.repeat_replanned(seconds, speed, done);
                lane.display.follow_record(seconds, done.own.as_deref());
            }
        });
        Event::Frame { seconds, lanes }
    }

    /// Carries out a command. Indices of missing lanes, particles, colliders or links are ignored,
    /// so a recording of another scene does no harm.
    pub fn command(&mut self, command: Command) {
        for Lane { simulation, inputs, .. } in &mut self.lanes {
            inputs.record(simulation.state().t, &command);
            simulation.apply_command(&command);
        }
        match command {
            Command::Grab { .. }
            | Command::GrabCollider { .. }
            | Command::MoveHand(_)
            | Command::Release
            | Command::TogglePin(_)
            | Command::Blow(_)
            | Command::Throw(_)
            | Command::Cut(_) => {}
            Command::Reset => {
                self.for_each_simulation(Simulation::reset);
                self.reset_time();
            }
            Command::ChangeScene(numbers) => self.change_scene(&numbers),
            Command::EditScene(edit) => self.edit_scene(&edit),
            Command::Pause(paused) => self.paused = paused,
            Command::SingleStep => {
                for lane in &mut self.lanes {
                    let hand = HandMoment::of(&lane.simulation);
                    lane.simulation.single_step();
                    lane.record_hand(hand);
                }
            }
            Command::Speed(speed) => self.speed = speed.clamp(1e-3, 10.0),
            Command::Configure { lane: place, settings } => {
                if let Some(lane) = self.lanes.get_mut(place) {
                    let old = *lane.simulation.settings();
                    lane.name = rename_after_change(&lane.name, &old, &settings);
                    lane.simulation.configure(settings);
                    lane.step_cost = StepCost::default();
                    self.make_name_unique(place);
                }
            }
            Command::NameLane { lane, name } => {
                if let Some(lane) = self.lanes.get_mut(lane) {
                    lane.first_name.clone_from(&name);
                }
                self.rename(lane, name);
            }
            Command::AddLane { name, settings } => {
                let mut simulation = Simulation::new(self.scene.parts.clone(), settings);
                if let Some(lane) = self.lanes.first() {
                    simulation.copy_thrown_balls(&lane.simulation);
                }
                let is_taken = |name: &str| self.lanes.iter().any(|lane| lane.name == name);
                self.add_lane(free_name(name, is_taken), simulation);
            }
            Command::DuplicateLane(lane) => {
                let is_taken = |name: &str| self.lanes.iter().any(|lane| lane.name == name);
                if let Some(Lane { name, simulation, inputs, display, .. }) =
                    self.lanes.get(lane).cloned()
                    && self.add_lane(name_copy(&name, is_taken), simulation)
                    && let Some(copy) = self.lanes.last_mut()
                {
                    copy.inputs = inputs;
                    copy.display = Display::new(display.source().clone());
                }
            }
            Command::RemoveLane(lane) => {
                if self.lanes.len() > 1 && lane < self.lanes.len() {
                    self.lanes.remove(lane);
                }
            }
        }
    }

    pub(super) fn reset_time(&mut self) {
        self.time = 0.0;
        for lane in &mut self.lanes {
            lane.inputs.clear();
            lane.display.restart();
        }
    }

    pub(super) fn for_each_simulation(&mut self, act: impl Fn(&mut Simulation)) {
        for lane in &mut self.lanes {
            act(&mut lane.simulation);
        }
    }

    /// Sets the source of a lane's frames. Recordings contain the frames, but not the source. A
    /// history needs a keyframe after this change (see [`super::History::keep_moment`]).
    pub fn set_frame_source(&mut self, lane: usize, source: FrameSource) {
        self.set_display(lane, Display::new(source));
    }

    /// Sets the display of a lane, including the time since the display's last frame.
    pub fn set_display(&mut self, lane: usize, display: Display) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.display = display;
        }
    }

    /// Completes the name that a user has given to a lane. If it is empty, the title of the
    /// integrator replaces it. If another lane has the same name, a number is appended.
    pub fn complete_name(&mut self, lane: usize) {
        let Some(named) = self.lanes.get_mut(lane) else { return };
        if named.name.trim().is_empty() {
            named.name = named.simulation.settings().integrator.info().title.to_owned();
        }
        self.make_name_unique(lane);
    }

    /// Adds a number to the name of a lane if another lane has the same name.
    fn make_name_unique(&mut self, place: usize) {
        let name = std::mem::take(&mut self.lanes[place].name);
        let is_taken = |name: &str| self.lanes.iter().any(|lane| lane.name == name);
        self.lanes[place].name = free_name(name, is_taken);
    }

    /// Adds a lane. Returns false if the session already has as many lanes as permitted.
    fn add_lane(&mut self, name: String, simulation: Simulation) -> bool {
        let taken = |color: &usize| !self.lanes.iter().any(|lane| lane.color == *color);
        let color = (0..MOST_LANES).find(taken);
        self.lanes.extend(color.map(|color| Lane::new(name, color, simulation)));
        self.keep_energy_accounts(self.keeps_energy_accounts);
        color.is_some()
    }
}
