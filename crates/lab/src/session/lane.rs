//! Lane: one simulation of a session, and the computation of its frames.

use super::display::Display;
use super::inputs::{HandMoment, Inputs};
use super::lane_frame::{LaneFrame, OwnFrame};
use super::step_cost::StepCost;
use crate::simulation::Simulation;
use crate::simulation::timing::stepper::Frame;

/// One simulation of a session, with its name, colour and inputs.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Name, shown in the header of the lane.
    pub name: String,
    /// Name of the lane when it was added or replaced. The readings of a scene refer to this name,
    /// which does not follow the settings.
    pub first_name: String,
    /// Index into the colour palette. It does not change when other lanes are removed.
    pub color: usize,
    /// Simulation of the scene with this lane's settings.
    pub simulation: Simulation,
    /// Inputs since the lane's last start.
    pub inputs: Inputs,
    /// Display that determines the lane's frame times.
    pub display: Display,
    /// Recent computing time per step.
    pub step_cost: StepCost,
    /// Measured time for sampling energy and strain after the last frame, in seconds.
    pub record_cost: f64,
}

/// Clock that returns the time in seconds since a fixed moment.
pub type ReadClock<'a> = &'a (dyn Fn() -> f64 + Sync);

/// Limit of the computing time for one lane in a frame.
#[derive(Clone, Copy)]
pub(super) struct LaneBudget<'a> {
    /// Computing time in seconds that each lane may use so that all lanes of a thread fit in the
    /// frame.
    pub lane_seconds: f64,
    /// Clock reading in seconds at which the frame must end.
    pub end: f64,
    /// Clock that measures the cost of steps.
    pub clock: ReadClock<'a>,
    /// Clock that measures the duration of sampling.
    pub sample_clock: ReadClock<'a>,
}

impl Lane {
    pub(super) fn new(name: String, color: usize, simulation: Simulation) -> Self {
        Self {
            first_name: name.clone(),
            name,
            color,
            simulation,
            inputs: Inputs::default(),
            display: Display::default(),
            step_cost: StepCost::default(),
            record_cost: 0.0,
        }
    }

    /// Records the movement of a mouse drag since `before`.
    pub(super) fn record_hand(&mut self, before: Option<HandMoment>) {
        if let (Some(before), Some(now)) = (before, HandMoment::of(&self.simulation)) {
            self.inputs.record_hand(before, now);
        }
    }

    /// Computes one frame of the real display, or the due frames of the lane's own display.
    pub(super) fn advance_displays(
        &mut self,
        seconds: f64,
        speed: f64,
        budget: LaneBudget,
    ) -> LaneFrame {
        if self.display.is_real() {
            let OwnFrame { step_cost, steps, left_out, .. } =
                self.advance_frame(seconds, speed, budget);
            return LaneFrame { step_cost, steps, left_out, own: None };
        }
        let mut own = Vec::new();
        self.display.add_time(seconds);
        while let Some(seconds) = self.display.start_due_frame() {
            let done = self.advance_frame(seconds, speed, budget);
            self.display.finish_frame(done.steps);
            own.push(done);
        }
        let steps = own.iter().map(|frame| frame.steps).sum();
        LaneFrame { step_cost: self.step_cost.seconds(), steps, left_out: 0, own: Some(own) }
    }

    /// Computes one frame in slices, i.e. groups of steps. The clock is read between slices.
    fn advance_frame(&mut self, seconds: f64, speed: f64, budget: LaneBudget) -> OwnFrame {
        let hand = HandMoment::of(&self.simulation);
        let Self { simulation, step_cost, record_cost, display, .. } = self;
        let LaneBudget { lane_seconds, end, clock, sample_clock } = budget;
        let assumed_cost = display.step_cost().unwrap_or(step_cost.seconds());
        let planned =
            simulation.begin_frame(Frame { seconds, speed, step_cost: assumed_cost }).steps;
        let (mut left, mut taken) = (planned, 0);
        let began = clock();
        let mut now = began;
        while left > 0 && (taken == 0 || (now - began < lane_seconds && now < end)) {
            left = simulation.advance_slice(step_cost.slice(planned, taken));
            let before = std::mem::replace(&mut now, clock());
            let total = simulation.steps_taken_in_frame();
            step_cost.add(total - std::mem::replace(&mut taken, total), now - before);
        }
        let sampling = sample_clock();
        simulation.end_frame();
        *record_cost = sample_clock() - sampling;
        self.record_hand(hand);
        OwnFrame { seconds, step_cost: assumed_cost, steps: taken, left_out: left }
    }

    /// Computes the due frames of the lane's own display, for a lane whose record of the frame is
    /// missing. Adds these frames to the record `done`.
    pub(super) fn advance_unrecorded(&mut self, seconds: f64, speed: f64, done: &mut LaneFrame) {
        self.display.add_time(seconds);
        while let Some(seconds) = self.display.start_due_frame() {
            let step_cost = self.display.step_cost().unwrap_or(0.0);
            let own = vec![OwnFrame { seconds, step_cost, steps: 0, left_out: 0 }];
            let mut frame = LaneFrame { own: Some(own), ..LaneFrame::default() };
            self.repeat_replanned(seconds, speed, &mut frame);
            self.display.finish_frame(frame.steps);
            done.steps += frame.steps;
            done.own.get_or_insert_default().extend(frame.own.unwrap_or_default());
        }
    }

    /// Repeats a recorded frame: plans its steps again, but leaves out as many steps as the record
    /// did. Writes the new numbers of steps to the record.
    pub(super) fn repeat_replanned(&mut self, seconds: f64, speed: f64, done: &mut LaneFrame) {
        let mut whole =
            OwnFrame { seconds, step_cost: done.step_cost, steps: 0, left_out: done.left_out };
        let frames = done.own.as_deref_mut().unwrap_or(std::slice::from_mut(&mut whole));
        done.steps = 0;
        for OwnFrame { seconds, step_cost, steps, left_out } in frames {
            let (seconds, step_cost, hand) =
                (*seconds, *step_cost, HandMoment::of(&self.simulation));
            let planned = self.simulation.begin_frame(Frame { seconds, speed, step_cost }).steps;
            self.simulation.advance_slice(planned.saturating_sub(*left_out));
            *steps = self.simulation.steps_taken_in_frame();
            done.steps += *steps;
            self.simulation.end_frame();
            self.record_hand(hand);
        }
    }

    /// Repeats a recorded frame with exactly the recorded numbers of steps.
    pub(super) fn repeat_recorded(
        &mut self,
        seconds: f64,
        speed: f64,
        LaneFrame { step_cost, steps, left_out, own }: &LaneFrame,
    ) {
        let (step_cost, steps, left_out) = (*step_cost, *steps, *left_out);
        let shared = OwnFrame { seconds, step_cost, steps, left_out };
        let frames = own.as_deref().unwrap_or(std::slice::from_ref(&shared));
        for &OwnFrame { seconds, step_cost, steps, .. } in frames {
            let hand = HandMoment::of(&self.simulation);
            self.simulation.begin_frame(Frame { seconds, speed, step_cost });
            self.simulation.advance_slice(steps);
            self.simulation.end_frame();
            self.record_hand(hand);
        }
    }
}
