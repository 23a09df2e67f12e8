//! Verdicts on a simulation (stable, gained energy, soft, exploded), and the count of steps that
//! did not converge.

use glam::DVec3;
use ropelab_mechanics::numerics::displacement::FURTHEST;
use ropelab_mechanics::quantity::in_words::{
    joules_in_words, moment_in_words, number_in_words, percent_to,
};
use serde::Serialize;
use std::fmt::{Display, Formatter, Result};

/// Verdict on a simulation. Commands, studies, map and panel use the same criteria. If several
/// criteria are met, the order is: exploded, gained energy, soft.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// No other verdict applies.
    Stable,
    /// Integrator and solver made more energy than [`MOST_MADE`] allows. The simulation continues.
    GainedEnergy(EnergyGain),
    /// Links or bends are overstretched although no energy was gained. The simulation continues.
    Soft(Softness),
    /// The state is not finite, energy grew while a link was overlong, or contact found too many
    /// pairs. The simulation has stopped.
    Exploded(Explosion),
}

impl Verdict {
    /// True if no other verdict applies.
    pub fn is_stable(self) -> bool {
        self == Self::Stable
    }

    /// Returns the name in machine-readable output: `stable`, `gained-energy`, `soft` or
    /// `exploded`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::GainedEnergy(_) => "gained-energy",
            Self::Soft(_) => "soft",
            Self::Exploded(_) => "exploded",
        }
    }

    /// Returns the simulated time in seconds from which the verdict applies; `None` if stable.
    pub fn since(self) -> Option<f64> {
        match self {
            Self::Stable => None,
            Self::GainedEnergy(gain) => Some(gain.t),
            Self::Soft(softness) => Some(softness.since()),
            Self::Exploded(explosion) => Some(explosion.t),
        }
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter) -> Result {
        match self {
            Self::Stable => write!(f, "stable"),
            Self::GainedEnergy(gain) => gain.fmt(f),
            Self::Soft(softness) => softness.fmt(f),
            Self::Exploded(explosion) => explosion.fmt(f),
        }
    }
}

/// Largest energy that integrator and solver may make, as a multiple of the largest kinetic +
/// elastic energy in the energy account. Measured: stable combinations make at most 0.5 of this
/// energy with springs and 1.0 with a constraint solver; unstable ones make 2.4 and more.
pub const MOST_MADE: f64 = 2.0;

/// Reference energy for gains, as messages call it.
const OWN_ENERGY: &str = "the greatest kinetic + elastic energy of the motion";

/// Energy made by integrator and solver beyond the permitted gain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EnergyGain {
    /// End of the first step whose gain was too large, in seconds.
    pub t: f64,
    /// Largest energy that integrator and solver have made, in joules.
    pub joules: f64,
    /// `joules` divided by the largest kinetic + elastic energy in the energy account. If motion
    /// that began later has reduced this ratio, the field keeps the largest ratio so far.
    pub fraction: f64,
}

impl Display for EnergyGain {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let Self { t, joules, fraction } = self;
        write!(f, "gained energy after {}: the scheme made ", moment_in_words(*t))?;
        match *fraction {
            times if times.is_infinite() => {
                write!(f, "{} where there was no motion", joules_in_words(*joules))
            }
            times if times < 1e4 => write!(f, "{times:.1} times {OWN_ENERGY}"),
            times => write!(f, "{times:.1e} times {OWN_ENERGY}"),
        }
    }
}

/// Reason why a simulation stops.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum StopCause {
    /// A position or velocity is not finite, or larger than 1e60 m or m/s.
    NonFinite,
    /// Contact found too many pairs in one substep: over a million, and over 64 per body.
    Crowded,
    /// A link is longer than the limit, and the energy gained from nothing is more than half of the
    /// kinetic and elastic energy.
    EnergyGrowth,
}

/// A link that is longer than the limit `longest_link`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LongLink {
    /// Particles at both ends of the link.
    pub ends: [u32; 2],
    /// Length as a multiple of the rest length.
    pub length: f64,
}

impl Display for LongLink {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let Self { ends: [a, b], length } = self;
        write!(f, "link {a}–{b} is {} times its length", number_in_words(*length))
    }
}

/// Explosion of a simulation: its time, place and cause, and the energy before it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Explosion {
    /// End of the step that failed, in seconds.
    pub t: f64,
    /// Number of this step, counted from 1.
    pub step: u64,
    /// Particle with the non-finite state, or the faster end of the longest link.
    pub particle: u32,
    /// Longest link, if it was longer than the limit.
    pub link: Option<LongLink>,
    /// Total energy of the last good state in joules.
    pub energy: f64,
    /// Criterion of the explosion.
    pub cause: StopCause,
}

impl Display for Explosion {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let Self { t, particle, link, cause, .. } = self;
        let t = moment_in_words(*t);
        let exploded = format!("exploded at {t}, particle {particle}:");
        match (cause, link) {
            (StopCause::EnergyGrowth, Some(link)) => write!(f, "{exploded} energy grew, {link}"),
            (StopCause::EnergyGrowth, None) => write!(f, "{exploded} energy grew"),
            (StopCause::NonFinite, _) => write!(f, "{exploded} not finite"),
            (StopCause::Crowded, _) => {
                write!(f, "stopped at {t}: more pairs touch than contact can process")
            }
        }
    }
}

/// Overstretch: a link became longer than the limit although no energy was gained. The simulation
/// continues.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Overstretch {
    /// End of the first step with such a link, in seconds.
    pub t: f64,
    /// Number of this step, counted from 1.
    pub step: u64,
    /// Faster free end of the link.
    pub particle: u32,
    /// Longest link after this step.
    pub link: LongLink,
}

impl Display for Overstretch {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, "soft after {}: {}", moment_in_words(self.t), self.link)
    }
}

/// Energy that a solver's sweeps have left in constraints: links and bends are further from their
/// rest shape than the solver's force in them explains. This energy does not increase that force.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LeftBySweeps {
    /// End of the first step that left too much energy, in seconds.
    pub t: f64,
    /// Largest unexplained energy left in constraints, in joules.
    pub joules: f64,
    /// `joules` divided by the largest kinetic + elastic energy in the energy account.
    pub fraction: f64,
}

impl Display for LeftBySweeps {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let Self { t, fraction, .. } = self;
        let t = moment_in_words(*t);
        write!(f, "soft after {t}: sweeps that do not converge leave energy in links and bends, ")?;
        write!(
            f,
            "{} times the greatest kinetic + elastic energy of the motion",
            number_in_words(*fraction)
        )
    }
}

/// A link that the solver leaves too long: longer than its stiffness allows at its tension or, if
/// the link is rigid, longer than its rest length. The cause is the solver's own stiffness, or
/// sweeps that do not converge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TooCompliant {
    /// Simulated time in seconds at which links had been too long for 0.5 s in total.
    pub t: f64,
    /// Link with the largest excess length at time `t`.
    pub link: LongLink,
    /// Excess length as a fraction of the rest length.
    pub share: f64,
}

impl Display for TooCompliant {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let Self { t, link: LongLink { ends: [a, b], .. }, share } = self;
        let (t, share) = (moment_in_words(*t), percent_to(*share, 1));
        write!(f, "soft after {t}: link {a}–{b} is {share} longer than its material ")?;
        write!(f, "says under the same pull")
    }
}

/// Kinds of softness of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Softness {
    /// A link is longer than the limit `longest_link`.
    LongLink(Overstretch),
    /// A link is longer than its stiffness allows, because of the solver's own stiffness or
    /// unconverged sweeps.
    TooCompliant(TooCompliant),
    /// Sweeps leave too much energy in links or bends, even if no link is overlong. Detected only
    /// while an energy account is kept.
    LeftBySweeps(LeftBySweeps),
}

impl Softness {
    /// Returns the simulated time in seconds from which the simulation counts as soft.
    pub fn since(self) -> f64 {
        match self {
            Self::LongLink(overstretch) => overstretch.t,
            Self::TooCompliant(compliant) => compliant.t,
            Self::LeftBySweeps(left) => left.t,
        }
    }

    /// Returns the overlong link, or `None` if the criterion was energy.
    pub fn link(self) -> Option<LongLink> {
        match self {
            Self::LongLink(overstretch) => Some(overstretch.link),
            Self::TooCompliant(compliant) => Some(compliant.link),
            Self::LeftBySweeps(_) => None,
        }
    }
}

impl Display for Softness {
    fn fmt(&self, f: &mut Formatter) -> Result {
        match self {
            Self::LongLink(overstretch) => overstretch.fmt(f),
            Self::TooCompliant(compliant) => compliant.fmt(f),
            Self::LeftBySweeps(left) => left.fmt(f),
        }
    }
}

/// Number of steps whose implicit solve, inner steps or projection missed the tolerance. The
/// residual of XPBD is checked only in every 16th step. If it is too large, all 16 steps count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Unconverged {
    /// Number of steps that did not converge.
    pub steps: u64,
    /// End of the first unconverged step in seconds; `None` if all steps converged.
    pub first: Option<f64>,
}

impl Unconverged {
    /// Adds `steps` unconverged steps, the last of which ended at `t` seconds.
    pub fn count(&mut self, t: f64, steps: u64) {
        self.steps += steps;
        if steps > 0 {
            self.first.get_or_insert(t);
        }
    }
}

impl Display for Unconverged {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let plural = if self.steps == 1 { "" } else { "s" };
        write!(f, "did not converge in {} step{plural}", self.steps)?;
        self.first.map_or(Ok(()), |t| write!(f, ", first at {}", moment_in_words(t)))
    }
}

/// Finds the first particle with a position or velocity that is not finite, or beyond [`FURTHEST`].
pub fn first_non_finite(x: &[DVec3], v: &[DVec3]) -> Option<u32> {
    let is_near = |p: &DVec3| p.is_finite() && p.abs().max_element() <= FURTHEST;
    x.iter().zip(v).position(|(x, v)| !(is_near(x) && is_near(v))).map(|i| i as u32)
}
