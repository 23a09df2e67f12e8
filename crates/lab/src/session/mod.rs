//! Lanes of one scene that are fed the same frame time and the same commands.

mod display;
mod history;
mod inputs;
mod lane_name;
mod moments;
mod preset;
pub mod recording;
mod scene_change;
mod snapshot;
mod step_cost;
mod watched;

pub use display::Display;
pub use history::{Back, History, Mark, MarkKind};
pub use inputs::{Inputs, InputsAgain};
pub use lane_name::short_solver_name;
pub use moments::Place;
pub use preset::Preset;
pub use snapshot::SessionSnapshot;
pub use step_cost::StepCost;

use crate::scene::Scene;
use crate::simulation::settings::{Command, MOST_LANES};
use crate::simulation::timing::frame_source::FrameSource;
use crate::simulation::timing::stepper::{Frame, WATCHDOG_SECONDS};
use crate::simulation::{Interrupt, Simulation};
use glam::DVec3;
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
    /// Inputs since its last start.
    pub inputs: Inputs,
    /// Source of its frames.
    pub display: Display,
    /// Cost of a step in the latest frames.
    pub step_cost: StepCost,
    /// Measured seconds that the sample of the last frame took: energy, stretch. One thread takes
    /// it.
    pub record_cost: f64,
}

/// Seconds of computing that a step may take which is taken for a picture alone.
const LONGEST_PICTURE: f64 = 0.01;

/// Returns seconds since some moment.
pub type ReadClock<'a> = &'a (dyn Fn() -> f64 + Sync);

/// Time that a frame may compute, and its clock.
#[derive(Clone, Copy)]
pub struct FrameBudget<'a> {
    /// Seconds of computing after which no lane begins another slice of steps, but for the first.
    pub seconds: f64,
    /// Is read a few times a frame, to learn what steps cost and when to stop. A clock that stands
    /// still (`|| 0.0`) makes budgets and watchdog rest.
    pub clock: ReadClock<'a>,
    /// Times samples, such as one that counts the processor time of the thread that reads it.
    pub sample_clock: ReadClock<'a>,
}

/// The lanes, and the time that they share.
#[derive(Clone, Debug)]
pub struct Session {
    scene: Arc<Scene>,
    lanes: Vec<Lane>,
    speed: f64,
    paused: bool,
    /// Wall-clock time × speed since the start, in seconds.
    time: f64,
}

/// One thing that happened, in order: what a recording consists of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A command was given. Most events are frames, which are not to take the room of settings.
    Command(Box<Command>),
    /// A frame went by.
    Frame {
        /// Measured length of the frame in seconds.
        seconds: f64,
        /// Plan and steps of each lane.
        lanes: Vec<LaneFrame>,
    },
}

/// Numbers that one lane was told of a frame, and the steps that it took: with both, the frame can
/// be repeated whatever a step costs then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneFrame {
    /// Seconds of computing a step that time budget and watchdog were to reckon with; 0 = unknown.
    pub step_cost: f64,
    /// Steps that were taken, in all of its own frames together if it had any.
    pub steps: u32,
    /// The frames of the lane's own display, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Vec<OwnFrame>>,
}

/// One frame of a lane's own display.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnFrame {
    /// Its length in seconds.
    pub seconds: f64,
    /// Cost of a step as in [`LaneFrame`].
    pub step_cost: f64,
    /// Steps that were taken.
    pub steps: u32,
}

impl Session {
    /// A session with the lanes that the scene lists.
    pub fn new(scene: Arc<Scene>) -> Self {
        let mut session =
            Self { scene: scene.clone(), lanes: Vec::new(), speed: 1.0, paused: false, time: 0.0 };
        for (index, setup) in scene.lanes.iter().take(MOST_LANES).enumerate() {
            session
                .add_lane(setup.name.clone(), Simulation::new(scene.parts.clone(), setup.settings));
            session.show_on(index, setup.frames.clone());
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

    /// Writes the positions of a lane that are to be drawn now, see [`Simulation::picture`]. Where a
    /// step takes long, none is taken for a picture: the newest state is drawn. Answers with the time
    /// in seconds that the positions are of.
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

    /// Makes work on this session give up when the interrupt is set; the state of the lanes then
    /// means nothing.
    pub fn heed(&mut self, interrupt: &Interrupt) {
        self.each(|simulation| simulation.heed(interrupt.clone()));
    }

    /// Hashes of the states of all lanes.
    pub fn hashes(&self) -> Vec<u64> {
        self.lanes.iter().map(|lane| lane.simulation.hash()).collect()
    }

    /// Digests of the particles of all lanes, 4 hexadecimal digits for each group of them.
    pub fn digests(&self) -> Vec<String> {
        let lane = |lane: &Lane| {
            let digests = lane.simulation.digests(recording::MOST_DIGESTS);
            digests.iter().map(|digest| format!("{digest:04x}")).collect()
        };
        self.lanes.iter().map(lane).collect()
    }

    /// Wall-clock time × speed that the session has lived through, in seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Renames a lane; names change nothing in a simulation.
    pub fn rename(&mut self, lane: usize, name: String) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.name = name;
        }
    }

    /// Gives a lane frames from this source from now on. Recordings have the frames, not their
    /// source.
    pub fn show_on(&mut self, lane: usize, source: FrameSource) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.display = Display::new(source);
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

    /// Lets `seconds` of wall-clock time pass in every lane, in parallel, and returns the event that
    /// this was. It computes for [`WATCHDOG_SECONDS`] on `clock`, and a slice of steps more. Lanes
    /// share nothing, so the result does not depend on the number of threads.
    pub fn advance(&mut self, seconds: f64, clock: ReadClock) -> Event {
        let sample_clock = clock;
        self.advance_within(seconds, FrameBudget { seconds: WATCHDOG_SECONDS, clock, sample_clock })
    }

    /// Advances as [`Session::advance`] does, within another budget.
    pub fn advance_within(&mut self, seconds: f64, budget: FrameBudget) -> Event {
        let mut lanes = vec![LaneFrame::default(); self.lanes.len()];
        if !self.paused {
            let speed = self.speed;
            self.time += seconds * speed;
            let lanes_a_thread = lanes.len().div_ceil(rayon::current_num_threads());
            let budget = LaneBudget {
                share: budget.seconds / lanes_a_thread.max(1) as f64,
                end: (budget.clock)() + budget.seconds,
                clock: budget.clock,
                sample_clock: budget.sample_clock,
            };
            self.lanes.par_iter_mut().zip(&mut lanes).for_each(|(lane, done)| {
                *done = lane.pass(seconds, speed, budget);
            });
        }
        Event::Frame { seconds, lanes }
    }

    /// Lets one recorded event happen again: the same events from the same start give the same
    /// bits, whatever the steps cost this time.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Command(command) => self.command(Command::clone(command)),
            Event::Frame { .. } if self.paused => {}
            Event::Frame { seconds, lanes } => {
                let speed = self.speed;
                self.time += seconds * speed;
                self.lanes.par_iter_mut().zip(lanes).for_each(|(lane, done)| {
                    lane.repeat(*seconds, speed, done);
                });
            }
        }
    }

    /// Applies an event as [`Session::apply`] does, after something before it has not happened or
    /// has happened in another way: every lane takes all the steps that it plans. Returns what has
    /// happened now.
    pub fn apply_anew(&mut self, event: &Event) -> Event {
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
        self.lanes.par_iter_mut().zip(&mut lanes).for_each(|(lane, done)| {
            lane.repeat_anew(seconds, speed, done);
        });
        Event::Frame { seconds, lanes }
    }

    /// Carries out a command. Lane numbers, particles, colliders and links that do not exist are
    /// ignored, so that a recording made with another scene does no harm.
    pub fn command(&mut self, command: Command) {
        for Lane { simulation, inputs, .. } in &mut self.lanes {
            inputs.note(simulation.state().t, &command);
            simulation.undergo(&command);
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
                self.each(Simulation::reset);
                self.begin_anew();
            }
            Command::ChangeScene(numbers) => self.change_scene(&numbers),
            Command::EditScene(edit) => self.edit_scene(&edit),
            Command::Pause(paused) => self.paused = paused,
            Command::SingleStep => {
                for lane in &mut self.lanes {
                    let hand = lane.hand();
                    lane.simulation.single_step();
                    lane.note_hand(hand);
                }
            }
            Command::Speed(speed) => self.speed = speed.clamp(1e-3, 10.0),
            Command::Configure { lane, settings } => {
                if let Some(lane) = self.lanes.get_mut(lane) {
                    let old = *lane.simulation.settings();
                    lane.name = lane_name::after_change(&lane.name, &old, &settings);
                    lane.simulation.configure(settings);
                    lane.step_cost = StepCost::default();
                }
            }
            Command::AddLane { name, settings } => {
                let mut simulation = Simulation::new(self.scene.parts.clone(), settings);
                if let Some(lane) = self.lanes.first() {
                    simulation.throw_as(&lane.simulation);
                }
                let _ = self.add_lane(name, simulation);
            }
            Command::DuplicateLane(lane) => {
                if let Some(Lane { name, simulation, inputs, display, .. }) =
                    self.lanes.get(lane).cloned()
                    && self.add_lane(self.name_of_copy(&name), simulation)
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

    /// The time of the session and what is known of the lanes begin again.
    fn begin_anew(&mut self) {
        self.time = 0.0;
        for lane in &mut self.lanes {
            lane.inputs.clear();
            lane.display.restart();
        }
    }

    fn each(&mut self, act: impl Fn(&mut Simulation)) {
        for lane in &mut self.lanes {
            act(&mut lane.simulation);
        }
    }

    fn name_of_copy(&self, name: &str) -> String {
        lane_name::copy_of(name, |name| self.lanes.iter().any(|lane| lane.name == name))
    }

    /// False if there is no room for another lane.
    fn add_lane(&mut self, name: String, simulation: Simulation) -> bool {
        let taken = |color: &usize| !self.lanes.iter().any(|lane| lane.color == *color);
        let color = (0..MOST_LANES).find(taken);
        self.lanes.extend(color.map(|color| Lane::new(name, color, simulation)));
        color.is_some()
    }
}

/// Part of a frame that a lane may take.
#[derive(Clone, Copy)]
struct LaneBudget<'a> {
    /// Seconds of computing, so that all lanes of a thread fit into the frame.
    share: f64,
    /// End of the frame on the clock.
    end: f64,
    clock: ReadClock<'a>,
    sample_clock: ReadClock<'a>,
}

impl Lane {
    fn new(name: String, color: usize, simulation: Simulation) -> Self {
        Self {
            name,
            color,
            simulation,
            inputs: Inputs::default(),
            display: Display::default(),
            step_cost: StepCost::default(),
            record_cost: 0.0,
        }
    }

    /// The lane's time and where its hand is.
    fn hand(&self) -> Option<(f64, DVec3)> {
        Some((self.simulation.state().t, self.simulation.hand_place()?))
    }

    /// Notes where the hand went since it was there.
    fn note_hand(&mut self, before: Option<(f64, DVec3)>) {
        if let (Some(before), Some(now)) = (before, self.hand()) {
            self.inputs.note_hand(before, now);
        }
    }

    /// Lets time pass: a frame, or those of the lane's own display that are due.
    fn pass(&mut self, seconds: f64, speed: f64, budget: LaneBudget) -> LaneFrame {
        if self.display.is_real() {
            let OwnFrame { step_cost, steps, .. } = self.advance(seconds, speed, budget);
            return LaneFrame { step_cost, steps, own: None };
        }
        let mut own = Vec::new();
        self.display.wait(seconds);
        while let Some(seconds) = self.display.due() {
            let done = self.advance(seconds, speed, budget);
            self.display.took(done.steps);
            own.push(done);
        }
        let steps = own.iter().map(|frame| frame.steps).sum();
        LaneFrame { step_cost: self.step_cost.seconds(), steps, own: Some(own) }
    }

    /// A frame in slices, between which the clock is read.
    fn advance(&mut self, seconds: f64, speed: f64, budget: LaneBudget) -> OwnFrame {
        let hand = self.hand();
        let Self { simulation, step_cost, record_cost, display, .. } = self;
        let LaneBudget { share, end, clock, sample_clock } = budget;
        let told = display.step_cost().unwrap_or(step_cost.seconds());
        let planned = simulation.begin_frame(Frame { seconds, speed, step_cost: told }).steps;
        let (mut left, mut taken) = (planned, 0);
        let began = clock();
        let mut now = began;
        while left > 0 && (taken == 0 || (now - began < share && now < end)) {
            left = simulation.advance_slice(step_cost.slice(planned, taken));
            let before = std::mem::replace(&mut now, clock());
            let total = simulation.steps_of_frame();
            step_cost.note(total - std::mem::replace(&mut taken, total), now - before);
        }
        let sampling = sample_clock();
        simulation.end_frame();
        *record_cost = sample_clock() - sampling;
        self.note_hand(hand);
        OwnFrame { seconds, step_cost: told, steps: taken }
    }

    /// The frame of a recording with all the steps that are planned now.
    fn repeat_anew(&mut self, seconds: f64, speed: f64, done: &mut LaneFrame) {
        let mut pass = |frame: &mut OwnFrame| {
            let OwnFrame { seconds, step_cost, .. } = *frame;
            let hand = self.hand();
            self.simulation.begin_frame(Frame { seconds, speed, step_cost });
            self.simulation.advance_slice(u32::MAX);
            frame.steps = self.simulation.steps_of_frame();
            self.simulation.end_frame();
            self.note_hand(hand);
        };
        let LaneFrame { step_cost, steps, own } = done;
        match own {
            Some(own) => {
                own.iter_mut().for_each(&mut pass);
                *steps = own.iter().map(|frame| frame.steps).sum();
            }
            None => {
                let mut whole = OwnFrame { seconds, step_cost: *step_cost, steps: 0 };
                pass(&mut whole);
                *steps = whole.steps;
            }
        }
    }

    /// The frame of a recording.
    fn repeat(
        &mut self,
        seconds: f64,
        speed: f64,
        LaneFrame { step_cost, steps, own }: &LaneFrame,
    ) {
        let shared = OwnFrame { seconds, step_cost: *step_cost, steps: *steps };
        let frames = own.as_deref().unwrap_or(std::slice::from_ref(&shared));
        for &OwnFrame { seconds, step_cost, steps } in frames {
            let hand = self.hand();
            self.simulation.begin_frame(Frame { seconds, speed, step_cost });
            self.simulation.advance_slice(steps);
            self.simulation.end_frame();
            self.note_hand(hand);
        }
    }
}
