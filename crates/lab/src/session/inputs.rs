//! Inputs of the user to a lane (one simulation of the scene), with their simulated times. They can
//! be repeated in the same scene with other settings and steps.

use crate::simulation::Simulation;
use crate::simulation::settings::Command;
use glam::DVec3;
use std::sync::Arc;

/// Largest number of recorded inputs: ten minutes of dragging at 60 frames per second.
const MOST_INPUTS: usize = 36_000;

#[derive(Clone, Debug, PartialEq)]
struct TimedInput {
    /// Simulated time of the input in seconds.
    t: f64,
    /// Command. A `MoveHand` contains the position of the hand (the mouse drag) at `t`. Between two
    /// of them, the hand moves at constant velocity.
    command: Command,
}

/// Position of a mouse drag at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandMoment {
    /// Simulated time in seconds.
    pub t: f64,
    /// Position in metres.
    pub at: DVec3,
}

impl HandMoment {
    /// Returns the drag position of a simulation at its current time; `None` if no body is held.
    pub fn of(simulation: &Simulation) -> Option<Self> {
        let at = simulation.hand_place()?;
        Some(Self { t: simulation.state().t, at })
    }
}

/// Recorded inputs since the lane's last start. Clones share memory until one of them changes.
#[derive(Clone, Debug, Default)]
pub struct Inputs(Arc<Vec<TimedInput>>);

impl Inputs {
    /// True if there are no inputs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the commands in the order of their times.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.0.iter().map(|input| &input.command)
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.len() * size_of::<TimedInput>()
    }

    /// Records a command at the simulated time `t` of the lane, if the command acts on bodies.
    /// Mouse movements are recorded by [`Self::record_hand`] instead.
    pub(super) fn record(&mut self, t: f64, command: &Command) {
        if command.acts_on_bodies() && !matches!(command, Command::MoveHand(_)) {
            self.push(t, command.clone());
        }
    }

    /// Records the movement of a mouse drag in a frame.
    pub(super) fn record_hand(&mut self, from: HandMoment, to: HandMoment) {
        if from.at != to.at {
            // The mouse was at rest until the beginning of the frame.
            self.push(from.t, Command::MoveHand(from.at));
            self.push(to.t, Command::MoveHand(to.at));
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn push(&mut self, t: f64, command: Command) {
        let input = TimedInput { t, command };
        if self.0.len() < MOST_INPUTS && self.0.last() != Some(&input) {
            Arc::make_mut(&mut self.0).push(input);
        }
    }

    /// Starts a repetition of the inputs from the lane's start.
    pub fn replay(&self) -> InputReplay {
        InputReplay { inputs: self.clone(), next: 0, hand: HandMoment { t: 0.0, at: DVec3::ZERO } }
    }
}

/// Repetition of recorded inputs in a lane, step by step.
#[derive(Clone, Debug)]
pub struct InputReplay {
    inputs: Inputs,
    next: usize,
    /// Drag position at the last repeated input.
    hand: HandMoment,
}

impl InputReplay {
    /// Computes a step of `dt` seconds. Inputs whose time is within the step are applied before it.
    /// A dragged point moves to its position at the end of the step.
    pub fn step(&mut self, simulation: &mut Simulation, dt: f64) {
        let end = simulation.state().t + dt;
        while let Some(TimedInput { t, command }) = self.inputs.0.get(self.next)
            && *t < end
        {
            if let Command::MoveHand(at)
            | Command::Grab { at, .. }
            | Command::GrabCollider { at, .. } = command
            {
                self.hand = HandMoment { t: *t, at: *at };
            }
            // `step_with_hand` moves the dragged point.
            if !matches!(command, Command::MoveHand(_)) {
                simulation.apply_command(command);
            }
            self.next += 1;
        }
        let HandMoment { t: since, at: from } = self.hand;
        let to = match self.inputs.0.get(self.next) {
            Some(TimedInput { t, command: Command::MoveHand(to) }) => {
                from.lerp(*to, ((end - since) / (t - since)).min(1.0))
            }
            _ => from,
        };
        simulation.step_with_hand(dt, to);
    }
}
