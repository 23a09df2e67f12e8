//! What may go wrong with a lane: it explodes, it gives way, it does not converge.

use serde::Serialize;
use std::fmt::{Display, Formatter, Result};

/// Why a simulation stopped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum StopCause {
    /// A position or velocity is no number.
    NonFinite,
    /// A link is longer than the limit, and more than half of the kinetic and elastic energy was
    /// made of nothing.
    EnergyGrowth,
}

/// A link that is longer than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LongLink {
    /// Its ends.
    pub ends: [u32; 2],
    /// Its length over its rest length.
    pub length: f64,
}

impl Display for LongLink {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let Self { ends: [a, b], length } = self;
        write!(f, "link {a}–{b} is {length:.1} times its length")
    }
}

/// The end of a lane: when, where, with how much energy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Explosion {
    /// End of the step that failed, in seconds.
    pub t: f64,
    /// Number of that step, counted from 1.
    pub step: u64,
    /// The particle where it shows: of a link the end that is free and faster.
    pub particle: u32,
    /// The longest link, if one was too long.
    pub link: Option<LongLink>,
    /// Total energy of the last good state in joules.
    pub energy: f64,
    /// What was found.
    pub cause: StopCause,
}

impl Display for Explosion {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let Self { t, particle, link, cause, .. } = self;
        write!(f, "exploded at {t:.3} s, particle {particle}: ")?;
        match (cause, link) {
            (StopCause::EnergyGrowth, Some(link)) => write!(f, "energy grew, {link}"),
            (StopCause::EnergyGrowth, None) => write!(f, "energy grew"),
            (StopCause::NonFinite, _) => write!(f, "not finite"),
        }
    }
}

/// A link became longer than the limit without energy from nothing. The lane goes on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GaveWay {
    /// End of the first such step, in seconds.
    pub t: f64,
    /// Number of that step, counted from 1.
    pub step: u64,
    /// The end of the link that is free and faster.
    pub particle: u32,
    /// The longest link.
    pub link: LongLink,
}

impl Display for GaveWay {
    fn fmt(&self, f: &mut Formatter) -> Result {
        write!(f, "gave way at {:.3} s: {}", self.t, self.link)
    }
}

/// Steps whose implicit solve, inner steps or projection missed the tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Unconverged {
    /// How many.
    pub steps: u64,
    /// End of the first one in seconds.
    pub first: Option<f64>,
}

impl Unconverged {
    /// Counts a step that ended at `t` seconds.
    pub fn count(&mut self, t: f64) {
        self.steps += 1;
        self.first.get_or_insert(t);
    }
}

impl Display for Unconverged {
    fn fmt(&self, f: &mut Formatter) -> Result {
        let plural = if self.steps == 1 { "" } else { "s" };
        write!(f, "did not converge in {} step{plural}", self.steps)?;
        self.first.map_or(Ok(()), |t| write!(f, ", first at {t:.3} s"))
    }
}
