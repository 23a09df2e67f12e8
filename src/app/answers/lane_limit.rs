//! Longest stable step of a lane, as a sentence and as a coloured band.

use crate::analysis::stability::Limit;
use crate::measure::Verdict;
use crate::quantity::in_words::moment_in_words;
use crate::quantity::on_screen::si_tight;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use egui_macroquad::egui::Color32;

/// Colour of steps below half the longest stable step.
pub const SAFE: Color32 = Color32::from_rgb(0x4c, 0xaf, 0x6e);
/// Colour of steps from half the longest stable step to the longest stable step.
pub const NEAR: Color32 = Color32::from_rgb(0xd9, 0xa4, 0x41);
/// Colour of steps above the longest stable step.
pub const OVER: Color32 = Color32::from_rgb(0xd9, 0x53, 0x4f);

#[derive(Clone, Debug)]
pub struct LaneLimit {
    pub settings: Settings,
    /// The smaller of two limits: the smallest one during the first seconds of the scene, and the
    /// one in the lane's current state.
    pub limit: Limit,
    /// Growth factor of a small perturbation per whole step, projection included. `None` for a lane
    /// without a constraint solver, or if no trial run has gained energy.
    pub growth: Option<f64>,
}

/// Sentence about the limit of a lane.
pub struct LimitSentence {
    pub text: String,
    pub is_warning: bool,
}

impl LaneLimit {
    /// Returns dt divided by the longest stable step. Above 1, the lane is about to gain energy.
    fn excess(&self) -> f64 {
        self.settings.dt / self.limit.longest()
    }

    /// True if forces act like springs, whose vibration limits the step.
    pub fn is_bound_by_springs(&self) -> bool {
        self.limit.mode.is_some()
    }

    /// Returns the limit for `settings`; `None` if they differ from the limit's settings in
    /// anything but dt. The longest stable step does not depend on dt. The growth factor does, so
    /// it is removed if dt differs.
    pub fn at_step_of(self, settings: &Settings) -> Option<Self> {
        let same = Settings { dt: settings.dt, ..self.settings } == *settings;
        let Self { settings: own, mut limit, mut growth } = self;
        if own.dt != settings.dt {
            (limit.doubling, growth) = (None, None);
        }
        same.then_some(Self { settings: *settings, limit, growth })
    }

    pub fn longest_step(&self) -> String {
        match self.limit.longest() {
            0.0 => "none".to_owned(),
            dt if dt.is_infinite() => "any".to_owned(),
            dt => si_tight(dt, "s"),
        }
    }

    pub fn sentence(&self) -> LimitSentence {
        let over = self.uses_dt() && self.excess() > 1.0;
        if let (Some(growth), false) = (self.growth, over) {
            let text = format!(
                "A whole step, solver included, multiplies a small push by {growth:.2}, and a \
                trial run gains energy."
            );
            return LimitSentence { text, is_warning: true };
        }
        let dt = if self.uses_dt() { self.settings.dt } else { 0.0 };
        LimitSentence { text: self.limit.verdict_on(dt), is_warning: over }
    }

    pub fn uses_dt(&self) -> bool {
        self.settings.stepping.uses_dt()
    }

    /// Returns a sentence about a failure of the lane with these settings if the limit does not
    /// explain the failure; `None` without such a failure.
    pub fn unexplained_failure(&self, simulation: &Simulation) -> Option<String> {
        let is_own = simulation.failed_under().is_none_or(|then| *then == self.settings);
        // The limit applies to dt only, so it says nothing about steps whose length the frames
        // determine.
        if !is_own || !self.uses_dt() || self.sentence().is_warning {
            return None;
        }
        let failure = match simulation.verdict() {
            Verdict::Exploded(explosion) => format!("exploded at {}", moment_in_words(explosion.t)),
            Verdict::GainedEnergy(gain) => {
                format!("gains energy after {}", moment_in_words(gain.t))
            }
            Verdict::Soft(_) | Verdict::Stable => return None,
        };
        Some(format!("This lane {failure}, although its step exceeds no known limit."))
    }

    /// Returns the coloured band under the slider: the largest dt of each colour, in seconds.
    pub fn band(&self) -> [(f64, Color32); 3] {
        let longest = self.limit.longest();
        match self.growth {
            // The growth of the whole step is known only at the current dt.
            Some(_) if self.settings.dt <= longest => {
                [(0.0, SAFE), (self.settings.dt, NEAR), (f64::INFINITY, OVER)]
            }
            _ => [(0.5 * longest, SAFE), (longest, NEAR), (f64::INFINITY, OVER)],
        }
    }
}
