//! Conversion of frame time into a number of steps, without side effects.
//!
//! Every stepping scheme accounts for all time: simulated + owed + dropped = wall-clock time ×
//! speed.

use ropelab_mechanics::names::{CatalogueEntry, UnknownName, same_name};
use ropelab_mechanics::quantity::magnitude::format_six_digits;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// Shortest permitted step in seconds. A frame of 0.25 s then has 250 000 steps.
pub const SHORTEST_DT: f64 = 1e-6;
/// Longest permitted step in seconds.
pub const LONGEST_DT: f64 = 1.0;
/// Longest computing time of one frame in seconds. The watchdog enforces this limit, so the window
/// responds even in the spiral of death.
pub const WATCHDOG_SECONDS: f64 = 0.25;

/// Scheme that turns frame time into steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum Stepping {
    /// One step as long as the frame.
    FrameCoupled,
    /// One step of dt per frame, however long the frame is.
    FixedPerFrame,
    /// Whole steps of dt; the remainder is discarded.
    DiscardRemainder,
    /// n equal steps per frame.
    FrameSubsteps(FrameSubsteps),
    /// Steps of dt; the remainder waits for the next frame. The newest state is drawn.
    Accumulator,
    /// Like `Accumulator`, but a blend of the previous and the newest state is drawn.
    Interpolated,
    /// Like `Accumulator`, but a copy is stepped by the remainder, drawn and then discarded.
    RenderTick,
    /// Like `Accumulator`, but x + v · remainder is drawn.
    Extrapolated,
}

/// Parameters of [`Stepping::FrameSubsteps`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrameSubsteps {
    /// Steps per frame, 1 to 1000.
    pub n: u32,
}

impl Default for FrameSubsteps {
    fn default() -> Self {
        Self { n: 2 }
    }
}

impl Stepping {
    /// Yields every stepping scheme with default parameters.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Returns the stepping scheme called `name` with its default parameters. Case and separators
    /// do not matter.
    pub fn from_name(name: &str) -> Result<Self, UnknownName> {
        Self::all().find(|stepping| same_name(stepping.info().name, name)).ok_or_else(|| {
            UnknownName::new("stepping", name, Self::all().map(|stepping| stepping.info().name))
        })
    }

    /// Returns names, source and verdict, for lists and tooltips.
    pub fn info(&self) -> CatalogueEntry {
        let (name, title, reference, verdict) = match self {
            Self::FrameCoupled => (
                "frame-coupled",
                "frame-coupled (variable dt)",
                "article A, first loop",
                "dt is the frame time: stable on one display, exploding on another",
            ),
            Self::FixedPerFrame => (
                "fixed-per-frame",
                "one fixed step a frame",
                "article C, simplest loop",
                "one step of dt a frame: runs faster on a faster display",
            ),
            Self::DiscardRemainder => (
                "discard-remainder",
                "fixed steps, remainder thrown away",
                "article C, second loop",
                "whole steps of dt: loses up to dt every frame, so time runs slow",
            ),
            Self::FrameSubsteps(_) => (
                "frame-substeps",
                "n substeps of the frame",
                "article B, NumSimulationStepsPerFrame",
                "smaller steps than the frame, but still as uneven as the display",
            ),
            Self::Accumulator => (
                "accumulator",
                "accumulator",
                "Fiedler 2004, Fix Your Timestep; articles A and C",
                "fixed steps at real-time speed; draws up to dt late, which shows as jitter",
            ),
            Self::Interpolated => (
                "interpolated",
                "accumulator with interpolation",
                "Fiedler 2004, Fix Your Timestep; article A",
                "fixed steps drawn smoothly, always one dt late: the sensible default",
            ),
            Self::RenderTick => (
                "render-tick",
                "accumulator with render tick",
                "a copy of the state is advanced by the remainder",
                "smooth and without delay, at the cost of one more step a frame",
            ),
            Self::Extrapolated => (
                "extrapolated",
                "accumulator with extrapolation",
                "x + v · remainder",
                "no delay and no extra work, but overshoots where the velocity changes",
            ),
        };
        CatalogueEntry { name, title, reference, verdict }
    }

    /// True if the scheme uses `dt`. `FrameCoupled` and `FrameSubsteps` derive the step from the
    /// length of the frame.
    pub fn uses_dt(&self) -> bool {
        !matches!(self, Self::FrameCoupled | Self::FrameSubsteps(_))
    }

    /// Checks the ranges of the parameters.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::FrameSubsteps(FrameSubsteps { n }) if !(1..=1000).contains(n) => {
                Err(format!("n is {n}; expected 1 to 1000 substeps a frame"))
            }
            _ => Ok(()),
        }
    }
}

/// A limit that can be switched off without losing its value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Guard<T> {
    /// Limit that is switched on.
    On(T),
    /// Limit that is switched off, with the value that applies once it is switched on.
    Off(T),
}

impl<T: Copy> Guard<T> {
    /// Returns the value if the limit is switched on.
    pub fn limit(self) -> Option<T> {
        match self {
            Self::On(value) => Some(value),
            Self::Off(_) => None,
        }
    }

    /// Returns the value, switched on or off.
    pub fn value(self) -> T {
        match self {
            Self::On(value) | Self::Off(value) => value,
        }
    }
}

/// Limits that keep a long frame from causing too many steps. They can be combined. Time that a
/// limit removes counts as dropped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Guards {
    /// Longest frame in seconds. With article A's 0.01 s, a 60 Hz display runs at 0.6 × real time.
    pub frame_clamp: Guard<f64>,
    /// Longest time in seconds that the steps of one frame may simulate. This time consists of the
    /// time owed by earlier frames and the length of the frame.
    pub accumulator_cap: Guard<f64>,
    /// Largest number of steps per frame.
    pub most_steps: Guard<u32>,
    /// Longest computing time per frame in seconds, estimated from the measured cost of a step.
    pub time_budget: Guard<f64>,
}

impl Default for Guards {
    fn default() -> Self {
        Self {
            frame_clamp: Guard::On(0.25),
            accumulator_cap: Guard::Off(0.2),
            most_steps: Guard::Off(100),
            time_budget: Guard::Off(0.012),
        }
    }
}

impl Guards {
    /// Returns limits that are all switched off, so that the spiral of death can happen.
    pub fn none() -> Self {
        let Self { frame_clamp, accumulator_cap, most_steps, time_budget } = Self::default();
        Self {
            frame_clamp: Guard::Off(frame_clamp.value()),
            accumulator_cap: Guard::Off(accumulator_cap.value()),
            most_steps: Guard::Off(most_steps.value()),
            time_budget: Guard::Off(time_budget.value()),
        }
    }

    /// Checks the ranges of all values.
    pub fn check(&self) -> Result<(), String> {
        let Self { frame_clamp, accumulator_cap, most_steps, time_budget } = *self;
        for (name, value) in [
            ("frame_clamp", frame_clamp.value()),
            ("accumulator_cap", accumulator_cap.value()),
            ("time_budget", time_budget.value()),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(format!(
                    "{name} is {}; expected a positive number of seconds",
                    format_six_digits(value)
                ));
            }
        }
        if most_steps.value() == 0 {
            return Err("most_steps is 0; expected at least 1 step a frame".into());
        }
        Ok(())
    }
}

/// Inputs of one frame: measured times, and the speed of simulated time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Frame {
    /// Measured wall-clock time since the last frame, in seconds.
    pub seconds: f64,
    /// Speed of simulated time; 1 = real time.
    pub speed: f64,
    /// Measured computing time of one step in seconds. If it is unknown, the value is 0, and time
    /// budget and watchdog have no effect.
    pub step_cost: f64,
}

impl Frame {
    /// Creates a frame of this length in seconds, at real-time speed and with unknown step cost.
    pub fn of(seconds: f64) -> Self {
        Self { seconds, speed: 1.0, step_cost: 0.0 }
    }
}

/// State to draw after the steps of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Blend {
    /// The newest state.
    #[default]
    Current,
    /// previous + blend · (current − previous), blend in [0, 1).
    Between(f64),
    /// Newest state extrapolated by this time in seconds: x + v · time.
    Ahead(f64),
    /// Copy of the newest state, stepped by this time in seconds.
    Tick(f64),
}

/// Plan of one frame: the steps to take, and the state to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plan {
    /// Steps to take.
    pub steps: u32,
    /// Length of each step in seconds.
    pub dt: f64,
    /// State to draw.
    pub blend: Blend,
    /// Simulated time dropped in this frame, in seconds; negative = gained.
    pub dropped: f64,
    /// True if computing a step takes longer than the time that it simulates, the due steps exceed
    /// the watchdog's time, and no limit drops the rest. Every frame then owes more than the
    /// previous one (spiral of death).
    pub spiral: bool,
}

impl Plan {
    /// True if computing a step takes longer than the time that it simulates.
    pub(crate) fn falls_behind(&self, Frame { step_cost, speed, .. }: Frame) -> bool {
        step_cost * speed > self.dt
    }
}

/// Account of a simulation's time, in seconds of simulated time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeAccount {
    /// Wall-clock time × speed of all frames so far.
    pub wall: f64,
    /// Time that steps have simulated.
    pub simulated: f64,
    /// Time that the steps of later frames still have to cover.
    pub owed: f64,
    /// Time that limits or the stepping scheme have dropped; negative = gained.
    pub dropped: f64,
}

/// Planner that turns frames into steps. It accounts for all time: simulated, owed and dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stepper {
    time_account: TimeAccount,
}

impl Stepper {
    /// Returns the account of time.
    pub fn time_account(&self) -> TimeAccount {
        self.time_account
    }

    /// Plans the steps of one frame. `dt` is the fixed step in seconds.
    pub fn plan(&mut self, stepping: Stepping, guards: &Guards, dt: f64, frame: Frame) -> Plan {
        let seconds = if frame.seconds > 0.0 { frame.seconds } else { 0.0 };
        self.time_account.wall += seconds * frame.speed;
        let clamped = guards.frame_clamp.limit().map_or(seconds, |most| seconds.min(most));
        let span = clamped * frame.speed;
        let mut plan = Plan { dropped: (seconds - clamped) * frame.speed, ..Plan::default() };
        match stepping {
            Stepping::FrameCoupled => self.divide_frame(&mut plan, span, 1),
            Stepping::FrameSubsteps(FrameSubsteps { n }) => self.divide_frame(&mut plan, span, n),
            Stepping::FixedPerFrame => {
                plan.steps = u32::from(span > 0.0);
                plan.dt = dt;
                let span = span + std::mem::take(&mut self.time_account.owed);
                plan.dropped += span - f64::from(plan.steps) * dt;
            }
            Stepping::DiscardRemainder => {
                self.take_steps(&mut plan, guards, dt, span, frame);
                plan.dropped += std::mem::take(&mut self.time_account.owed);
            }
            Stepping::Accumulator
            | Stepping::Interpolated
            | Stepping::RenderTick
            | Stepping::Extrapolated => {
                self.take_steps(&mut plan, guards, dt, span, frame);
                let owed = self.time_account.owed;
                plan.blend = match stepping {
                    Stepping::Interpolated => Blend::Between((owed / dt).min(1.0)),
                    Stepping::RenderTick => Blend::Tick(owed.min(dt)),
                    Stepping::Extrapolated => Blend::Ahead(owed.min(dt)),
                    _ => Blend::Current,
                };
            }
        }
        self.time_account.simulated += f64::from(plan.steps) * plan.dt;
        self.time_account.dropped += plan.dropped;
        plan
    }

    /// Takes back the last `steps` steps of a plan, which the simulation did not take. Their time
    /// is added to the time owed to the next frame. Returns the shortened plan.
    pub(crate) fn return_steps(&mut self, plan: Plan, steps: u32) -> Plan {
        let seconds = f64::from(steps) * plan.dt;
        self.time_account.simulated -= seconds;
        self.time_account.owed += seconds;
        Plan { steps: plan.steps - steps, blend: Blend::Current, ..plan }
    }

    /// Adds one step without a frame (single-step key) to the time account. The step's length
    /// counts as simulated time and as wall-clock time.
    pub fn single_step(&mut self, dt: f64) {
        self.time_account.wall += dt;
        self.time_account.simulated += dt;
    }

    /// Divides the frame into `n` equal steps. If an accumulator scheme was used before, the frame
    /// also includes the time that it still owes.
    fn divide_frame(&mut self, plan: &mut Plan, span: f64, n: u32) {
        let span = span + std::mem::take(&mut self.time_account.owed);
        if span > 0.0 {
            plan.steps = n;
            plan.dt = span / f64::from(n);
        }
    }

    /// Plans fixed steps from the owed time (`time_account.owed`) plus the frame of `span` seconds.
    fn take_steps(&mut self, plan: &mut Plan, guards: &Guards, dt: f64, span: f64, frame: Frame) {
        let cost = frame.step_cost;
        let owed = &mut self.time_account.owed;
        *owed += span;
        if let Some(cap) = guards.accumulator_cap.limit() {
            plan.dropped += (*owed - cap).max(0.0);
            *owed = owed.min(cap);
        }
        let (due, rest) = whole_steps(*owed, dt);
        let affordable = |seconds: f64| {
            if cost > 0.0 {
                (seconds / cost).clamp(1.0, f64::from(u32::MAX)) as u32
            } else {
                u32::MAX
            }
        };
        let budget = guards.time_budget.limit().map_or(u32::MAX, affordable);
        let allowed = budget.min(guards.most_steps.limit().unwrap_or(u32::MAX));
        let granted = due.min(allowed);
        plan.dropped += f64::from(due - granted) * dt;
        plan.steps = granted.min(affordable(WATCHDOG_SECONDS));
        plan.dt = dt;
        plan.spiral = plan.steps < granted && plan.falls_behind(frame);
        *owed = rest + f64::from(granted - plan.steps) * dt;
    }
}

/// Divides the owed time into whole steps and a rest. However the quotient is rounded, 0 ≤ rest <
/// dt.
fn whole_steps(owed: f64, dt: f64) -> (u32, f64) {
    let mut steps = (owed / dt).floor().clamp(0.0, f64::from(u32::MAX));
    let mut rest = owed - steps * dt;
    if rest < 0.0 && steps > 0.0 {
        steps -= 1.0;
        rest = owed - steps * dt;
    }
    if rest >= dt && steps < f64::from(u32::MAX) {
        steps += 1.0;
        rest = (owed - steps * dt).max(0.0);
    }
    (steps as u32, rest)
}
