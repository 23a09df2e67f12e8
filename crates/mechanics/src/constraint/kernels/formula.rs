//! Correction formulas, and the sweeps that a kernel runs with them.

/// Formula of a kernel's link correction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::constraint) enum Formula {
    /// Relaxation with a square root.
    Exact { stiffness: f64, one_sided: bool },
    /// Relaxation without a square root (Jakobsen).
    RootFree { stiffness: f64, one_sided: bool },
    /// XPBD; `damped` if a link has damping.
    Compliant { one_sided: bool, damped: bool },
}

impl Formula {
    /// Sets `one_sided`, which is true if some links resist stretch only.
    pub fn one_sided(self, one_sided: bool) -> Self {
        match self {
            Self::Exact { stiffness, .. } => Self::Exact { stiffness, one_sided },
            Self::RootFree { stiffness, .. } => Self::RootFree { stiffness, one_sided },
            Self::Compliant { damped, .. } => Self::Compliant { one_sided, damped },
        }
    }
}

/// Sweeps of one projection: their number, their formula, and the inverse masses in 1/kg.
#[derive(Clone, Copy)]
pub(in crate::constraint) struct SweepJob<'a> {
    pub iterations: usize,
    pub formula: Formula,
    pub w: &'a [f64],
}

/// Calls `$run!(rule)` with the rule of a [`Formula`], so that a kernel is compiled for each rule.
macro_rules! formula_rules {
    ($formula:expr, $run:ident) => {{
        use $crate::constraint::kernels::rule::{Compliant, Exact, FullExact, RootFree};
        match $formula {
            Formula::Exact { stiffness: 1.0, one_sided: false } => $run!(FullExact),
            Formula::Exact { stiffness, one_sided } => $run!(Exact { stiffness, one_sided }),
            Formula::RootFree { stiffness, one_sided } => {
                $run!(RootFree { stiffness, one_sided })
            }
            Formula::Compliant { one_sided, damped: false } => {
                $run!(Compliant::<false> { one_sided })
            }
            Formula::Compliant { one_sided, damped: true } => {
                $run!(Compliant::<true> { one_sided })
            }
        }
    }};
}
pub(super) use formula_rules;
