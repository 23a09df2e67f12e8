//! Step limit: the fastest vibration and the longest stable step of a lane, and sentences about
//! both.

use super::trial_run::TrialRun;
use crate::analysis::in_words::{factor, number_in_words, percent, seconds_in_words};
use crate::analysis::vibration::fastest_mode::FastestMode;
use crate::analysis::vibration::step_matrix::is_linear;
use crate::integrate::{GeneralizedAlpha, Method};

/// Largest ωh (angular frequency of the fastest vibration × substep) at which undamped implicit
/// integrators gain no energy if links turn. Measured on falling ropes of ten links.
const TURNING_Z: f64 = 2.0;
/// Largest ωh (angular frequency of the fastest vibration × substep) at which generalized-α gains
/// no energy if links turn, provided that it damps enough.
const DAMPED_TURNING_Z: f64 = 6.0;
/// Largest ρ∞ at which generalized-α damps enough for [`DAMPED_TURNING_Z`].
const MOST_DAMPING_RHO: f64 = 0.8;
/// Fraction of the longest stable step up to which penalty contact gains no energy where it begins
/// and ends. In a longer step, the force at the start of the step represents neither contact nor
/// free motion. Measured over one minute on falling ropes and cloths: symplectic Euler at 0.67 of
/// the longest step added 7 times the initial energy; at 0.57, velocity Verlet added 5 times and
/// Yoshida 2.4 times; at 0.48, no integrator added more than 1.1 times.
const CONTACT_STEP_FRACTION: f64 = 0.5;
/// Like [`CONTACT_STEP_FRACTION`], but for an integrator that chooses inner steps. When contact
/// begins, such an integrator takes its shortest inner step even if the error is large. Measured on
/// a falling rope over one minute: with 0.1 it added 0.05 times the initial energy, with 0.2 it
/// added 4.7 times.
const INNER_CONTACT_STEP_FRACTION: f64 = 0.1;

/// Fraction of its steps that must fail to converge before a run counts as unconverged.
const LEAST_UNCONVERGED: f64 = 0.05;

/// Longest stable step of a lane (one simulation of the scene with its own settings), and its
/// cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Fastest vibration of all springs, bends and contacts in the sample with the smallest limit;
    /// `None` if nothing vibrates.
    pub mode: Option<FastestMode>,
    /// Longest step in seconds at which no small vibration grows. 0 means no step; ∞ means every
    /// step.
    pub dt: f64,
    /// Longest step in seconds that gains no energy where links turn (undamped implicit
    /// integrators) or where penalty contact begins and ends. `None` if neither limits the step.
    pub turning: Option<f64>,
    /// Run of the lane that confirmed or shortened the limit; `None` without such a run.
    pub run: Option<TrialRun>,
    /// True if this integrator has a stable step for undamped vibrations.
    pub holds_undamped: bool,
    /// Doubling time of the fastest-growing motion at the lane's own step, in seconds; `None` if
    /// nothing grows.
    pub doubling: Option<f64>,
    /// True if the scene has springs or bends, even if they are slack.
    pub has_springs: bool,
    /// True if colliders push with penalty springs. Contact with them shortens the stable step.
    pub colliders_push: bool,
    /// True if a solver constrains the links.
    pub solver_constrains_links: bool,
    /// Reason why the constraint solver together with this integrator creates energy; `None` if it
    /// does not.
    pub misfit: Option<&'static str>,
    /// Simulated time of the sample with the smallest limit, in seconds.
    pub at: f64,
    /// Time of the sample with the smallest limit, in simulated seconds.
    pub sampled_seconds: f64,
    /// Substeps per step.
    pub substeps: u32,
}

impl Limit {
    /// Returns the longest step in seconds that is stable in all respects. The slider, maps and
    /// lists show this value.
    pub fn longest(&self) -> f64 {
        self.shortened().map_or(self.predicted(), |run| run.min(self.predicted()))
    }

    /// Returns the theoretical longest stable step in seconds.
    pub fn predicted(&self) -> f64 {
        self.turning.map_or(self.dt, |turning| turning.min(self.dt))
    }

    /// Returns the longest step in seconds that a run has confirmed. `None` unless it is shorter
    /// than the theoretical longest step.
    pub fn shortened(&self) -> Option<f64> {
        self.run.and_then(|run| run.dt).filter(|dt| *dt < self.predicted())
    }

    /// Returns the shortest step in seconds at which a run gained energy, if no tried limit was
    /// confirmed.
    pub fn gains_down_to(&self) -> Option<f64> {
        self.run.and_then(|run| run.gains_down_to)
    }

    /// Returns the largest stable ωh of a substep, for the fastest vibration; infinite if every
    /// step is stable.
    pub fn omega_h(&self) -> f64 {
        let omega = self.mode.as_ref().map_or(f64::INFINITY, |mode| mode.omega);
        let z = self.dt / f64::from(self.substeps) * omega;
        if z.is_nan() { 0.0 } else { z }
    }

    /// Returns the smaller of two limits of a lane, e.g. those of two samples.
    pub fn smaller(self, other: Self) -> Self {
        let sampled_seconds = self.sampled_seconds.max(other.sampled_seconds);
        let doubling = match (self.doubling, other.doubling) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let run = self.run.or(other.run);
        let smaller = if other.longest() < self.longest() { other } else { self };
        Self { sampled_seconds, doubling, run, ..smaller }
    }

    fn predicted_in_words(&self) -> String {
        match self.predicted() {
            dt if dt.is_finite() => seconds_in_words(dt),
            _ => "any step".to_owned(),
        }
    }

    /// Returns the limit as a sentence.
    pub fn verdict(&self) -> String {
        if let Some(why) = self.misfit {
            return format!("No step is safe: {why}.");
        }
        let of_runs = self.verdict_of_runs();
        let verdict = of_runs.unwrap_or_else(|| match self.mode {
            None if self.dt > 0.0 => self.verdict_without_vibration(),
            _ => self.verdict_of_theory(),
        });
        verdict + &self.unconverged_in_words()
    }

    /// Returns the fraction of unconverged steps in the last run, if it is large.
    pub fn unconverged(&self) -> Option<f64> {
        self.run.map(|run| run.unconverged).filter(|fraction| *fraction > LEAST_UNCONVERGED)
    }

    /// Returns a sentence about steps that did not converge; empty if nearly all did.
    fn unconverged_in_words(&self) -> String {
        self.unconverged().map_or_else(String::new, |fraction| {
            format!(" In its run, {} of the steps did not converge.", percent(fraction))
        })
    }

    /// Returns the sentence about a limit that runs have shortened or failed to find. `None` if
    /// runs confirmed the theoretical limit, or if there were no runs.
    fn verdict_of_runs(&self) -> Option<String> {
        let vibrations = self.mode.as_ref().map_or_else(String::new, |_| {
            let predicted = self.predicted_in_words();
            format!("; small vibrations alone allow {predicted}{}", self.validity_in_words())
        });
        if let Some(shortest) = self.gains_down_to() {
            return Some(format!(
                "No stable step found: runs gained energy with steps down to {}{vibrations}.",
                seconds_in_words(shortest)
            ));
        }
        let (dt, run) = self.shortened().zip(self.run)?;
        let mixed = " The limit is not sharp: some longer steps gain energy, others do not.";
        let between = " Steps between the tried ones may gain energy, too.";
        let z = self.mode.as_ref().map_or_else(String::new, |_| {
            format!(" (ωh = {})", number_in_words(dt * self.omega_h_per_second()))
        });
        Some(format!(
            "Stable up to {}{z} by a run of {}{vibrations}.{}{}",
            seconds_in_words(dt),
            seconds_in_words(run.seconds),
            if run.is_mixed { mixed } else { "" },
            if run.tried_down_to.is_some() { between } else { "" },
        ))
    }

    /// Returns the sentence about a lane in which nothing vibrates.
    fn verdict_without_vibration(&self) -> String {
        let validity = self.validity_in_words();
        if self.dt.is_finite() {
            let dt = seconds_in_words(self.dt);
            return if self.solver_constrains_links {
                format!("The constraint solver constrains the links; drag allows steps up to {dt}.")
            } else {
                format!("Drag alone limits the step: stable up to {dt}.")
            };
        }
        if self.solver_constrains_links && !self.has_springs && !self.colliders_push {
            let tried = self.tried_in_words();
            return format!("No limit: the constraint solver constrains all links.{tried}");
        }
        let limitless = match (self.has_springs, self.colliders_push) {
            (true, _) => format!("No limit{validity}: all springs are slack."),
            (false, true) => {
                format!(
                    "No limit{validity}: the lane has no springs, and nothing touches a collider."
                )
            }
            (false, false) => "No limit: the lane has no springs.".to_owned(),
        };
        limitless + &self.tried_in_words()
    }

    /// Returns the sentence about a limit that follows from the fastest vibration.
    fn verdict_of_theory(&self) -> String {
        let validity = self.validity_in_words();
        if let Some(turning) = self.turning.filter(|turning| *turning < self.dt) {
            let z = number_in_words(turning * self.omega_h_per_second());
            let turning = seconds_in_words(turning);
            if self.dt.is_finite() {
                return format!(
                    "Stable up to {} while contact lasts; where it begins and ends, up to {turning} \
                     (ωh = {z}){validity}.",
                    seconds_in_words(self.dt)
                );
            }
            return format!(
                "Stable at every step while links only vibrate; where they swing or collide, only \
                 up to {turning} (ωh = {z}){validity}."
            );
        }
        if self.dt == 0.0 {
            let growth = self.doubling.map_or_else(
                || "the shorter the step, the slower vibrations grow".to_owned(),
                |seconds| {
                    format!(
                        "at the lane's step, the vibration doubles every {}",
                        seconds_in_words(seconds)
                    )
                },
            );
            return format!("Unstable at every step{validity}; {growth}.");
        }
        if self.dt.is_infinite() {
            return format!(
                "Stable at every step while links only vibrate.{}",
                self.tried_in_words()
            );
        }
        let (dt, z) = (seconds_in_words(self.dt), number_in_words(self.omega_h()));
        let undamped = if self.holds_undamped { "" } else { ", but unstable without damping" };
        format!("Stable up to {dt} (ωh = {z}){validity}{undamped}.")
    }

    /// Returns a sentence about the steps of the runs if theory sets no limit; otherwise an empty
    /// string.
    fn tried_in_words(&self) -> String {
        let all = self.run.and_then(|run| Some([run.seconds, run.tried_down_to?, run.tried?]));
        if let Some([seconds, shortest, longest]) = all.map(|all| all.map(seconds_in_words)) {
            return format!(
                " Runs of {seconds} with steps from {shortest} to {longest} gain no energy."
            );
        }
        let tried = self.run.and_then(|run| run.tried.map(|dt| [run.seconds, dt]));
        tried.map(|tried| tried.map(seconds_in_words)).map_or_else(String::new, |[seconds, dt]| {
            format!(" A run of {seconds} with steps of up to {dt} gains no energy.")
        })
    }

    /// Returns the limit as a sentence. If a step of `dt` seconds exceeds the limit, a second
    /// sentence gives the ratio.
    pub fn verdict_on(&self, dt: f64) -> String {
        let (verdict, excess) = (self.verdict(), dt / self.longest());
        if !(excess > 1.0 && excess.is_finite()) {
            return verdict;
        }
        let doubles = self.doubling.map_or_else(String::new, |seconds| {
            format!("; vibrations double every {}", seconds_in_words(seconds))
        });
        format!("{verdict} Your step is {} times that{doubles}.", factor(excess))
    }

    /// Returns ωh of a substep divided by the length of the step in seconds.
    fn omega_h_per_second(&self) -> f64 {
        self.mode.as_ref().map_or(0.0, |mode| mode.omega) / f64::from(self.substeps)
    }

    /// Returns the period in which the limit holds: ` in the first 5 s`, or ` at present` for the
    /// current state.
    fn validity_in_words(&self) -> String {
        match self.sampled_seconds {
            0.0 => " at present".to_owned(),
            sampled_seconds => format!(" in the first {}", seconds_in_words(sampled_seconds)),
        }
    }
}

/// Returns the largest ωh at which an unconditionally stable integrator gains no energy if links
/// turn or penalty contact acts. Such gains have two causes: halfway through a step, the chord of a
/// link that turns within the step is too short; and contact may begin or end within a step. `None`
/// if the integrator has no such limit.
pub(in crate::analysis) fn turning_limit(method: &Method, colliders_push: bool) -> Option<f64> {
    match *method {
        Method::ImplicitMidpoint | Method::Trapezoid => Some(TURNING_Z),
        Method::GeneralizedAlpha(GeneralizedAlpha { rho_inf }) => {
            let damps = rho_inf <= MOST_DAMPING_RHO && !colliders_push;
            Some(if damps { DAMPED_TURNING_Z } else { TURNING_Z })
        }
        _ => None,
    }
}

/// Returns the largest fraction of the longest stable step at which penalty contact begins and ends
/// without adding energy.
pub(in crate::analysis) fn contact_step_fraction(method: &Method) -> f64 {
    if is_linear(method) { CONTACT_STEP_FRACTION } else { INNER_CONTACT_STEP_FRACTION }
}

#[cfg(test)]
mod tests;
