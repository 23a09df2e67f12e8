//! Stiffness as a frequency in hertz with a damping ratio, relative to the effective mass of the
//! link.
//!
//! A frequency f and a damping ratio ζ mean the stiffness k = m ω² and the damping c = 2 ζ m ω with
//! ω = 2πf. The effective mass is m = 1/(w₁ + w₂), where w₁ and w₂ are the inverse masses of the
//! ends. The same frequency therefore means a softer link between lighter particles.

use super::engine_stiffness::{EngineStiffness, Parameter};
use super::soft_link::{SoftLink, SolverSteps};
use std::f64::consts::TAU;

pub(super) struct FrequencyEngine {
    names: [&'static str; 2],
    /// Largest permitted product of frequency and substep; infinite if the engine has no limit.
    most: f64,
}

/// Relative rounding error of a frequency that is computed from a stiffness.
const ROUNDING: f64 = 1e-9;

pub(super) const BOX2D: FrequencyEngine =
    FrequencyEngine { names: ["hertz", "dampingRatio"], most: 0.25 };
pub(super) const RAPIER: FrequencyEngine =
    FrequencyEngine { names: ["natural_frequency", "damping_ratio"], most: f64::INFINITY };

impl FrequencyEngine {
    /// Returns a clause with the value to which the engine limits a frequency of `hertz`; `None` if
    /// the engine permits the frequency.
    pub(super) fn limit_in_words(&self, hertz: f64, steps: &SolverSteps) -> Option<String> {
        let most = self.most / steps.h();
        (hertz > most * (1.0 + ROUNDING)).then(|| {
            format!(
                "limited to {most:.4} Hz, a quarter of the substeps per second: more substeps \
                 allow a stiffer link"
            )
        })
    }

    /// Returns a clause that names the engine's highest frequency if the frequency equals it: the
    /// user may have typed a higher one. `None` for other frequencies.
    fn highest_in_words(&self, hertz: f64, steps: &SolverSteps) -> Option<String> {
        let most = self.most / steps.h();
        ((hertz / most - 1.0).abs() <= ROUNDING).then(|| {
            format!(
                "the highest frequency at this step, a quarter of the substeps per second: \
                 {most:.4} Hz"
            )
        })
    }

    pub(super) fn write(&self, link: &SoftLink, steps: &SolverSteps) -> EngineStiffness {
        let [hertz, damping_ratio] = [link.omega() / TAU, link.damping_ratio()];
        let most = self.most / steps.h();
        let real = link.with_frequency(TAU * hertz.min(most), damping_ratio);
        let [name, ratio] = self.names;
        let numbers = vec![
            Parameter { name, value: hertz, unit: "Hz" },
            Parameter { name: ratio, value: damping_ratio, unit: "" },
        ];
        let formula = "f = √(k (w₁ + w₂))/2π, ζ = c (w₁ + w₂)/(2 ω)";
        let limit = self.limit_in_words(hertz, steps);
        EngineStiffness {
            effective: if hertz > most { real.stiffness } else { link.stiffness },
            note: limit.or_else(|| self.highest_in_words(hertz, steps)),
            ..EngineStiffness::of(link, formula, numbers)
        }
    }

    pub(super) fn read(
        &self,
        link: &SoftLink,
        steps: &SolverSteps,
        [hertz, damping_ratio]: [f64; 2],
    ) -> SoftLink {
        link.with_frequency(TAU * hertz.min(self.most / steps.h()), damping_ratio)
    }
}

/// Returns MuJoCo's time constant 1/(ζ ω) and damping ratio ζ of a link with the angular frequency
/// ω. Without damping, the time constant would be infinite, so MuJoCo's direct form (−ω², 0) is
/// returned instead. In this form, the stiffness K d of the reference acceleration is ω² d/dmax².
/// The impedance d multiplies this stiffness once more, so the result is ω² if d = dmax.
pub(super) fn write_solref(link: &SoftLink, steps: &SolverSteps) -> EngineStiffness {
    let (omega, ratio) = (link.omega(), link.damping_ratio());
    let shortest = 2.0 * steps.dt;
    let time = 1.0 / (ratio * omega);
    let numbers = if ratio > 0.0 {
        vec![
            Parameter { name: "solref timeconst", value: time, unit: "s" },
            Parameter { name: "solref dampratio", value: ratio, unit: "" },
        ]
    } else {
        let stiffness = -omega * omega;
        vec![
            Parameter { name: "solref −stiffness", value: stiffness, unit: "1/s²" },
            Parameter { name: "solref −damping", value: 0.0, unit: "1/s" },
        ]
    };
    let is_limited = ratio > 0.0 && time < shortest;
    let effective = match is_limited {
        true => link.with_frequency(1.0 / (ratio * shortest), ratio).stiffness,
        false => link.stiffness,
    };
    let limit = is_limited.then(|| format!("MuJoCo raises timeconst to 2 dt = {shortest:.4} s; "));
    let note = "the link vibrates at this frequency, but a static load stretches it only 1 − d = \
                0.1 times as much, with MuJoCo's impedance d = 0.9 (0.95 beyond 1 mm)";
    let note = Some(limit.unwrap_or_default() + note);
    let formula = "timeconst = 1/(ζ ω), dampratio = ζ, ω = √(k (w₁ + w₂))";
    EngineStiffness { effective, note, ..EngineStiffness::of(link, formula, numbers) }
}

pub(super) fn read_solref(
    link: &SoftLink,
    steps: &SolverSteps,
    [time, ratio]: [f64; 2],
) -> SoftLink {
    link.with_frequency(1.0 / (ratio * time.max(2.0 * steps.dt)), ratio)
}

/// Reads MuJoCo's direct form: −ω², with the angular frequency ω, and a damping ratio.
pub(super) fn read_direct_solref(link: &SoftLink, [stiffness, ratio]: [f64; 2]) -> SoftLink {
    link.with_frequency((-stiffness).sqrt(), ratio)
}
