//! Parameters of solvers, as a panel shows them.

use super::{Root, SweepOrder};
use std::ops::RangeInclusive;

/// One parameter of a solver with its explanation.
#[derive(Debug)]
pub struct Parameter<'a> {
    /// Label of one to three words.
    pub label: &'static str,
    /// Unit such as `s` or `N/m`; empty for a choice.
    pub unit: &'static str,
    /// Tooltip: the meaning, and an effect to watch.
    pub text: &'static str,
    /// Reference to read more; may be empty.
    pub source: &'static str,
    /// The value.
    pub value: ParameterValue<'a>,
}

/// Value of a parameter with its range, to be changed in place. The variant selects the control in
/// the panel.
#[derive(Debug)]
pub enum ParameterValue<'a> {
    /// A number of any size.
    Number(&'a mut f64, RangeInclusive<f64>),
    /// A fraction, from almost 0 to 1.
    Fraction(&'a mut f64, RangeInclusive<f64>),
    /// A small number, typed as a power of ten.
    Tolerance(&'a mut f64, RangeInclusive<f64>),
    /// A whole number.
    Count(&'a mut u32, RangeInclusive<u32>),
    /// Optional number in place of each link's own, the number to begin with, and the range.
    Optional(&'a mut Option<f64>, f64, RangeInclusive<f64>),
    /// A switch with its caption.
    Switch(&'a mut bool, &'static str),
    /// Order of sweeps.
    Order(&'a mut SweepOrder),
    /// Over-relaxation factor. Its best value depends on the links of the lane.
    Omega(&'a mut f64),
    /// Form of the square root.
    Root(&'a mut Root),
}

/// Returns the row of the order of sweeps.
pub(super) fn order(value: &mut SweepOrder) -> Parameter<'_> {
    Parameter {
        label: "sweep order",
        unit: "",
        text: "Order in which a sweep visits the links: end to end carries a correction along \
               the whole rope, coloured links do not wait for each other, so compare stretch and \
               cost.",
        source: "Gauss–Seidel and Jacobi iteration",
        value: ParameterValue::Order(value),
    }
}

/// Returns the row of the over-relaxation factor.
pub(super) fn omega(value: &mut f64) -> Parameter<'_> {
    Parameter {
        label: "over-relaxation",
        unit: "",
        text: "Factor ω on every correction: press best and watch a hanging rope stretch less \
               with the same sweeps, though one that whips may be worse off.",
        source: "Young 1954, Trans. AMS 76, 92",
        value: ParameterValue::Omega(value),
    }
}

/// Returns the row of the tolerance of lengths.
pub(super) fn tolerance(value: &mut f64) -> Parameter<'_> {
    Parameter {
        label: "tolerance",
        unit: "of the length",
        text: "Error of a link's length up to which it counts as converged: raise it and watch \
               the cost of a step fall and the stretch grow.",
        source: "Ryckaert, Ciccotti and Berendsen 1977",
        value: ParameterValue::Tolerance(value, 1e-15..=0.1),
    }
}
