//! Orders of the link corrections in a sweep.

use crate::quantity::magnitude::format_six_digits;
use serde::{Deserialize, Serialize};

/// Order of the link corrections in a sweep.
///
/// The first three orders are Gauss–Seidel: each correction starts from the positions after the
/// corrections before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum SweepOrder {
    /// From the first end of a rope to the other.
    ///
    /// On a straight rope of N links pinned at one end, a sweep from the pin multiplies the slowest
    /// error by cos²(π/(2N)), a Jacobi sweep by cos(π/(2N)).
    #[default]
    EndToEnd,
    /// End to end, with every second sweep reversed.
    BackAndForth,
    /// Colour by colour; links of one colour share no particle. On a rope: red-black.
    Coloured,
    /// All corrections start from the same positions, which preserves mirror symmetry.
    ///
    /// Each link applies only the fraction min(1, 2/n) of its correction, where n is the larger
    /// number of links at its two ends. Then no error grows on any mesh, because a column of J W Jᵀ
    /// divided by its diagonal sums to at most n (Gershgorin). In a rope the fraction is 1, because
    /// n is 2.
    Jacobi {
        /// Number in (0, 1] by which every correction is multiplied. Below 1 it damps errors that
        /// change sign in every sweep.
        damping: f64,
    },
}

impl SweepOrder {
    /// All orders; Jacobi is undamped.
    pub const ALL: [Self; 4] =
        [Self::EndToEnd, Self::BackAndForth, Self::Coloured, Self::Jacobi { damping: 1.0 }];

    pub(in crate::constraint) fn check(&self) -> Result<(), String> {
        match *self {
            Self::Jacobi { damping } if !(damping > 0.0 && damping <= 1.0) => Err(format!(
                "damping of a Jacobi sweep is {}, must be above 0, at most 1",
                format_six_digits(damping)
            )),
            _ => Ok(()),
        }
    }
}
