//! Solver parameters: labels and tooltips for the window's panel, and checks of their ranges.

use super::choice::Root;
use super::sweep::SweepOrder;
use crate::quantity::magnitude::format_six_digits;
use std::ops::RangeInclusive;

/// One parameter of a solver, with its label and tooltip.
#[derive(Debug)]
pub struct Parameter<'a> {
    /// Label of one to three words.
    pub label: &'static str,
    /// Unit such as `s` or `N/m`; empty for a choice between variants.
    pub unit: &'static str,
    /// Tooltip: meaning of the parameter, and an effect to watch.
    pub text: &'static str,
    /// Literature reference; may be empty.
    pub source: &'static str,
    /// Value and range.
    pub value: ParameterValue<'a>,
}

/// Mutable reference to a parameter's value, and its range. The variant selects the control in the
/// panel.
#[derive(Debug)]
pub enum ParameterValue<'a> {
    /// Real number; the range may span many orders of magnitude.
    Number(&'a mut f64, RangeInclusive<f64>),
    /// Fraction above 0 and at most 1.
    Fraction(&'a mut f64, RangeInclusive<f64>),
    /// Tolerance, typed in exponent notation.
    Tolerance(&'a mut f64, RangeInclusive<f64>),
    /// Integer.
    Count(&'a mut u32, RangeInclusive<u32>),
    /// Optional value that replaces each link's own value. The second field is its initial value
    /// when a user switches it on, the third its range.
    Optional(&'a mut Option<f64>, f64, RangeInclusive<f64>),
    /// Switch and its caption.
    Switch(&'a mut bool, &'static str),
    /// Order of the sweeps.
    Order(&'a mut SweepOrder),
    /// Over-relaxation factor. Its best value depends on the links.
    Omega(&'a mut f64),
    /// Formula of a link's error.
    Root(&'a mut Root),
}

pub(super) fn order(value: &mut SweepOrder) -> Parameter<'_> {
    Parameter {
        label: "sweep order",
        unit: "",
        text: "Order in which a sweep corrects the links. End to end carries a correction along \
               the whole rope; coloured links do not wait for each other. Compare stretch and \
               cost.",
        source: "Gauss–Seidel and Jacobi iteration",
        value: ParameterValue::Order(value),
    }
}

pub(super) fn omega(value: &mut f64) -> Parameter<'_> {
    Parameter {
        label: "over-relaxation",
        unit: "",
        text: "Factor ω on every correction: press \"best\" and watch a hanging rope stretch less \
               with the same sweeps. A rope that whips may stretch more.",
        source: "Young 1954, Trans. AMS 76, 92",
        value: ParameterValue::Omega(value),
    }
}

pub(super) fn tolerance(value: &mut f64) -> Parameter<'_> {
    Parameter {
        label: "tolerance",
        unit: "of the length",
        text: "Relative length error up to which a link counts as converged: raise it and watch \
               the cost of a step fall and the stretch grow.",
        source: "Ryckaert, Ciccotti and Berendsen 1977",
        value: ParameterValue::Tolerance(value, 1e-15..=0.1),
    }
}

pub(super) fn check_omega(what: &str, omega: f64) -> Result<(), String> {
    if omega > 0.0 && omega < 2.0 {
        Ok(())
    } else {
        Err(format!("omega of {what} is {}, must be above 0 and below 2", format_six_digits(omega)))
    }
}

/// Checks a tolerance: the permitted error of a length, divided by the rest length.
pub(super) fn check_tolerance(solver: &str, tolerance: f64) -> Result<(), String> {
    if (1e-15..=0.1).contains(&tolerance) {
        Ok(())
    } else {
        Err(format!(
            "tolerance of {solver} is {}, must be from 1e-15 to 0.1",
            format_six_digits(tolerance)
        ))
    }
}

pub(super) fn check_iterations(what: &str, iterations: u32) -> Result<(), String> {
    if (1..=100_000).contains(&iterations) {
        Ok(())
    } else {
        Err(format!("{what} is {iterations}, must be from 1 to 100000"))
    }
}
