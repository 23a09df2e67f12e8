//! Frames: plan the steps of a frame, take them in slices, and record a sample.

use crate::simulation::running_scene::Simulation;
use crate::simulation::timing::frame_under_way::FrameUnderWay;
use crate::simulation::timing::stepper::{Frame, Plan};
use glam::DVec3;

impl Simulation {
    /// Advances by one frame: plans the steps, takes them and records a sample. Returns the plan.
    pub fn advance(&mut self, frame: Frame) -> Plan {
        self.advance_watched(frame, &mut |_| {})
    }

    /// Like [`Simulation::advance`], but calls `watch` after every step that does not explode.
    pub fn advance_watched(&mut self, frame: Frame, watch: &mut dyn FnMut(&Self)) -> Plan {
        let mut left = self.begin_frame(frame).steps;
        while left > 0 {
            left = self.advance_slice(1);
            if self.run.failure.is_none() {
                watch(self);
            }
        }
        self.end_frame()
    }

    /// Returns the plan that a frame would get, without taking steps.
    pub fn predict_plan(&self, frame: Frame) -> Plan {
        let Self { settings, run, .. } = self;
        let mut stepper = run.stepper;
        stepper.plan(settings.stepping, &settings.guards, settings.dt, frame)
    }

    /// Begins a frame: plans the steps that [`Simulation::advance_slice`] will take. An exploded
    /// simulation gets a plan without steps.
    pub fn begin_frame(&mut self, frame: Frame) -> Plan {
        if self.run.failure.is_some() {
            return Plan::default();
        }
        let Self { settings, run, .. } = self;
        let plan = run.stepper.plan(settings.stepping, &settings.guards, settings.dt, frame);
        let hand_from = run.hand.map_or(DVec3::ZERO, |hand| hand.at);
        if let Some(hand) = &mut run.hand
            && plan.steps > 0
        {
            hand.velocity = (hand.goal - hand.at) / (f64::from(plan.steps) * plan.dt);
        }
        run.plan = plan;
        let falls_behind = plan.falls_behind(frame);
        let seconds = frame.seconds;
        run.frame = Some(FrameUnderWay { seconds, taken: 0, falls_behind, hand_from });
        plan
    }

    /// Takes at most `most` of the frame's remaining steps and returns how many are then left. The
    /// division into slices does not change the result.
    pub fn advance_slice(&mut self, most: u32) -> u32 {
        let Plan { steps, dt, .. } = self.run.plan;
        for _ in 0..most {
            let is_left = |frame: &&mut FrameUnderWay| frame.taken < steps;
            let Some(frame) = self.run.frame.as_mut().filter(is_left) else {
                return 0;
            };
            frame.taken += 1;
            let fraction = f64::from(frame.taken) / f64::from(steps);
            let from = frame.hand_from;
            if let Some(hand) = &mut self.run.hand {
                hand.at = from.lerp(hand.goal, fraction);
            }
            self.step(dt);
            if self.run.failure.is_some() || self.interrupt.is_set() {
                return 0;
            }
            self.add_to_energy_account();
            self.record_motion();
        }
        self.run.frame.map_or(0, |frame| steps - frame.taken)
    }

    /// Returns the number of steps taken so far in the present frame.
    pub fn steps_taken_in_frame(&self) -> u32 {
        self.run.frame.map_or(0, |frame| frame.taken)
    }

    /// Ends a frame and records a sample. The time of steps that were not taken is owed to the next
    /// frame. Returns the plan, limited to the steps that were taken.
    pub fn end_frame(&mut self) -> Plan {
        let Some(FrameUnderWay { seconds, taken, falls_behind, .. }) = self.run.frame.take() else {
            return Plan::default();
        };
        let left = self.run.plan.steps - taken;
        if left > 0 {
            self.run.plan = self.run.stepper.return_steps(self.run.plan, left);
            self.run.plan.spiral = falls_behind && self.run.failure.is_none();
        }
        let (energy, stretch) = self.sample_if_due();
        self.record_sample(seconds, energy, stretch);
        self.run.plan
    }

    /// Takes one step without a frame, for the single-step key.
    pub fn single_step(&mut self) {
        if self.run.failure.is_none() {
            let dt = self.settings.dt;
            self.run.stepper.single_step(dt);
            let goal = self.run.hand.map_or(DVec3::ZERO, |hand| hand.goal);
            self.step_with_hand(dt, goal);
            if self.run.failure.is_none() {
                self.add_to_energy_account();
                self.record_motion();
            }
            self.run.plan = Plan { steps: 1, dt, ..Plan::default() };
            self.record_sample(0.0, self.energy(), self.stretch());
        }
    }
}
