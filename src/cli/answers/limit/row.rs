//! Row of the table of `ropelab limit`: the longest stable step with one integrator.

use ropelab::analysis::stability::{GrowthUnder, Limit};
use ropelab::quantity::four_digits;
use serde::Serialize;

/// Largest ratio of the measured to the longest step at which the two count as equal.
const MEASURED_BEYOND: f64 = 1.02;

/// Limit of one integrator.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    /// Name of the integrator.
    pub integrator: &'static str,
    /// Predicted longest stable step in seconds. 0 = no step is stable; null = every step is
    /// stable, or there is no prediction.
    pub predicted_dt: Option<f64>,
    /// Measured longest stable step in seconds. 0 = no step is stable; null = all tried steps are
    /// stable, or no step was measured.
    pub measured_dt: Option<f64>,
    /// Doubling time in seconds of a small perturbation at the lane's step. For a moving lane, the
    /// time in which it gains as much energy as its motion has. Measured if no step is stable.
    pub measured_doubling: Option<f64>,
    /// Largest stable product ωh of the fastest vibration; null = every ωh is stable.
    pub omega_h: Option<f64>,
    /// Longest stable step in seconds for swinging links and contact with colliders, if it differs
    /// from `predicted_dt`.
    pub swinging_dt: Option<f64>,
    /// Longest step in seconds that was stable in a run, if it is shorter than the predicted step.
    pub run_dt: Option<f64>,
    /// Simulated time in seconds of the run that confirmed the limit.
    pub run_seconds: f64,
    /// Longest step in seconds that was tried in a run, if theory allows any step.
    pub tried_dt: Option<f64>,
    /// True if a run gained energy although a run with a longer step did not.
    pub is_mixed: bool,
    /// Shortest step in seconds whose run gained energy, if no tried limit was confirmed.
    pub gains_down_to: Option<f64>,
    /// Fraction of the steps of the last run that did not converge, if it exceeds 0.05.
    pub unconverged: Option<f64>,
    /// Doubling time of the fastest-growing vibration at the lane's step, in seconds.
    pub doubling: Option<f64>,
    /// Doubling time in seconds under frames of different lengths.
    pub frames_doubling: Option<f64>,
    /// Growth under frames of different lengths; `None` if it is unknown.
    #[serde(skip)]
    pub under_frames: Option<GrowthUnder>,
    /// Reason why solver and integrator together gain energy at every step; `None` if they do not.
    #[serde(skip)]
    pub misfit: Option<&'static str>,
    /// True if a vibration grows at every step in theory, so a run with ωh = 0.5 measures the
    /// growth.
    #[serde(skip)]
    pub is_never_stable: bool,
    /// True if some step is stable without damping.
    pub holds_undamped: bool,
    /// Time in seconds of the state whose limit is the shortest.
    pub decided_at: f64,
    /// The limit as a sentence.
    pub verdict: String,
}

impl Row {
    pub fn of(integrator: &'static str, limit: &Limit, measured_dt: Option<f64>) -> Self {
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        Self {
            integrator,
            misfit: limit.misfit,
            predicted_dt: finite(limit.dt),
            measured_dt: measured_dt.and_then(finite),
            measured_doubling: None,
            omega_h: finite(limit.omega_h()),
            swinging_dt: limit.turning.filter(|turning| *turning < limit.dt),
            run_dt: limit.shortened(),
            run_seconds: limit.run.map_or(0.0, |run| run.seconds),
            tried_dt: limit.run.and_then(|run| run.tried),
            is_mixed: limit.run.is_some_and(|run| run.is_mixed),
            gains_down_to: limit.gains_down_to(),
            unconverged: limit.unconverged(),
            doubling: limit.doubling,
            frames_doubling: None,
            under_frames: None,
            is_never_stable: limit.mode.is_some() && limit.dt == 0.0,
            holds_undamped: limit.holds_undamped,
            decided_at: limit.at,
            verdict: limit.verdict(),
        }
    }

    /// True if no step would be stable without the scene's damping.
    pub fn needs_damping(&self) -> bool {
        let vibrates = self.omega_h.is_some();
        vibrates && !self.holds_undamped && self.predicted_dt.is_some_and(|dt| dt > 0.0)
    }

    /// True if contact needs shorter steps when it begins and ends than while it lasts.
    pub fn is_shorter_at_impacts(&self) -> bool {
        self.swinging_dt.is_some() && self.predicted_dt.is_some()
    }

    /// Returns the longest step that is stable in every motion; `None` if every step is.
    pub fn longest(&self) -> Option<f64> {
        self.run_dt.or(self.swinging_dt).or(self.predicted_dt)
    }

    /// True if theory allows any step and a run with a long step gained no energy.
    pub fn is_any_by_run(&self) -> bool {
        self.longest().is_none() && self.tried_dt.is_some() && self.gains_down_to.is_none()
    }

    /// True if runs were stable with longer steps than theory and the confirming runs allow.
    pub fn is_measured_beyond(&self) -> bool {
        self.measured_dt
            .zip(self.longest())
            .is_some_and(|(dt, longest)| longest > 0.0 && dt > MEASURED_BEYOND * longest)
    }

    /// Returns the measured step as text.
    pub fn measured_text(&self) -> String {
        match (self.measured_dt, self.measured_doubling) {
            (_, Some(seconds)) => {
                format!("none: doubles in {}", four_digits::format_seconds(seconds))
            }
            (None, None) if self.predicted_dt == Some(0.0) => "no growth seen".to_owned(),
            (Some(0.0), None) if self.is_never_stable => "none: grows at ωh = 0.5".to_owned(),
            (dt, None) => format_step(dt) + if self.is_measured_beyond() { " ≈" } else { "" },
        }
    }

    /// Returns the longest step as text. `is_unpredicted` is true if the solver constrains the
    /// links.
    pub fn longest_text(&self, is_unpredicted: bool) -> String {
        let inexact = if self.unconverged.is_some() { " ◊" } else { "" };
        self.step_text(is_unpredicted) + inexact
    }

    fn step_text(&self, is_unpredicted: bool) -> String {
        match self.swinging_dt {
            _ if self.misfit.is_some() => "none".to_owned(),
            _ if self.gains_down_to.is_some() => "none found †".to_owned(),
            _ if self.run_dt.is_some() => format!("{} ¶", format_step(self.run_dt)),
            // A limit that is due to drag alone says nothing about links. It appears only if a run
            // confirmed it.
            None if is_unpredicted && self.run_seconds == 0.0 => "–".to_owned(),
            Some(dt) if self.is_shorter_at_impacts() => {
                format!("{} §", four_digits::format_seconds(dt))
            }
            Some(dt) => format!("{} ‡", four_digits::format_seconds(dt)),
            None => format_step(self.predicted_dt) + if self.needs_damping() { " *" } else { "" },
        }
    }
}

fn format_step(dt: Option<f64>) -> String {
    match dt {
        None => "any".to_owned(),
        Some(0.0) => "none".to_owned(),
        Some(dt) => four_digits::format_seconds(dt),
    }
}
