//! Parameters of links: the constraint solver, damping and tearing.

use crate::analysis::best_omega;
use crate::app::panel::fields::{
    Entry, FieldHelp, choice_ui, explanation_ui, list_ui, row_ui, scaled_ui, scientific_ui, si_ui,
    slider_ui, switched_ui,
};
use crate::app::widgets::pressed;
use crate::constraint::{ConstraintSolver, Parameter, ParameterValue, Root, SweepOrder};
use crate::quantity::on_screen::si_field;
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, MOST_STIFFNESS_DAMPING, Tear};
use egui_macroquad::egui::Ui;
use std::mem::discriminant;
use std::ops::RangeInclusive;

const STIFFNESS_DAMPING: FieldHelp = FieldHelp {
    label: "damping β",
    unit: "s",
    text: "Adds a damping of β times its stiffness to every link. Watch the fastest vibrations \
        die out first, and the stable step of explicit schemes shrink if β is large.",
    source: "Rayleigh 1877, The Theory of Sound: C = βK; relaxation and SHAKE ignore damping",
};
/// Stiffness damping β (damping of a link divided by its stiffness) in seconds, just after the user
/// has switched it on.
const FIRST_STIFFNESS_DAMPING: f64 = 1e-4;
const LONGEST_LINK: FieldHelp = FieldHelp {
    label: "soft beyond",
    unit: "rest lengths",
    text: "Length of a link above which its lane counts as soft, or as exploded if the integrator \
        created the energy. Lower it to be warned of smaller stretches.",
    source: "",
};
const LARGEST_RESIDUAL: FieldHelp = FieldHelp {
    label: "residual",
    unit: "of a link's length",
    text: "Error that the sweeps of XPBD or VBD may leave. A step with a larger error counts as \
        not converged: its links are softer than their material.",
    source: "Macklin, Müller and Chentanez 2016, XPBD",
};
const JACOBI_DAMPING: FieldHelp = FieldHelp {
    label: "Jacobi factor",
    unit: "fraction",
    text: "Fraction of every correction that is applied. Below 1, errors that change sign in \
        every sweep die out.",
    source: "",
};
const TEAR: FieldHelp = FieldHelp {
    label: "tears",
    unit: "",
    text: "Load at which a link tears by itself, as if it were cut. Among neighbouring overloaded \
        links only the one with the largest load tears: watch how a crack grows.",
    source: "Terzopoulos and Fleischer 1988",
};
const TEAR_STRAIN: FieldHelp = FieldHelp {
    label: "tears above",
    unit: "% of the length",
    text: "Strain at which a link tears: pull, and watch where the crack begins.",
    source: "",
};
const TEAR_FORCE: FieldHelp = FieldHelp {
    label: "tears above",
    unit: "N",
    text: "Tension at which a link tears. If a solver constrains the link, its tension is the \
        force that keeps it at its length. Hang more weight on the rope and watch which link \
        tears first.",
    source: "",
};

/// Initial value, name and meaning of each criterion for tearing.
const TEARS: [(Tear, &str, &str); 4] = [
    (
        Tear::AsMaterial,
        "as the material",
        "Each link tears at the strain or the tension that its \
        material sets.",
    ),
    (Tear::Never, "never", "No link tears."),
    (Tear::AboveStrain(0.25), "above a strain", "Every link tears at the same strain."),
    (Tear::AboveForce(20.0), "above a force", "Every link tears at the same tension."),
];

pub fn stiffness_damping_ui(ui: &mut Ui, beta: &mut f64) {
    let mut chosen = (*beta > 0.0).then_some(*beta);
    let range = 0.0..=MOST_STIFFNESS_DAMPING;
    optional_ui(ui, &STIFFNESS_DAMPING, &mut chosen, FIRST_STIFFNESS_DAMPING, range, "s");
    *beta = chosen.unwrap_or(0.0);
}

pub fn longest_link_ui(ui: &mut Ui, longest_link: &mut f64) {
    row_ui(ui, &LONGEST_LINK, |ui| si_ui(ui, longest_link, 1.001..=1e6, "×"));
}

pub fn largest_residual_ui(ui: &mut Ui, largest_residual: &mut f64) {
    row_ui(ui, &LARGEST_RESIDUAL, |ui| si_ui(ui, largest_residual, 1e-12..=1.0, "×"));
}

pub fn tear_ui(ui: &mut Ui, tear: &mut Tear) {
    row_ui(ui, &TEAR, |ui| {
        let entry = |(value, title, text)| Entry::listed(value, title, title, text, "");
        let title = tear_title(tear);
        list_ui(ui, "tear", title, title, tear, || TEARS.map(entry).into())
    });
    match tear {
        Tear::AsMaterial | Tear::Never => {}
        Tear::AboveStrain(strain) => {
            row_ui(ui, &TEAR_STRAIN, |ui| scaled_ui(ui, strain, 1e-3..=1e4, 100.0, "%"));
        }
        Tear::AboveForce(force) => {
            row_ui(ui, &TEAR_FORCE, |ui| si_ui(ui, force, 1e-6..=1e12, "N"));
        }
    }
}

fn tear_title(tear: &Tear) -> &'static str {
    let is_it = |(kind, ..): &&(Tear, _, _)| discriminant(kind) == discriminant(tear);
    TEARS.iter().find(is_it).map_or("", |(_, title, _)| title)
}

/// Draws the parameters of the solver and its limit. `root` is true if relaxation without a square
/// root is available.
pub fn solver_parameters_ui(
    ui: &mut Ui,
    links: LinkMode,
    solver: &mut ConstraintSolver,
    simulation: &Simulation,
    root: bool,
) {
    if links == LinkMode::Constraints && !solver.is_none() {
        explanation_ui(ui, solver.info().verdict);
        if let Some(limit) = simulation.solver_limit() {
            explanation_ui(ui, &limit);
        }
        parameters_ui(ui, solver, simulation, root);
    }
}

/// Draws the row of the over-relaxation factor ω. A button sets the best ω for the lane's current
/// state.
fn omega_ui(ui: &mut Ui, help: &FieldHelp, omega: &mut f64, simulation: &Simulation) {
    row_ui(ui, help, |ui| {
        let mut field = si_ui(ui, omega, 0.01..=1.99, "");
        let tip = "Sets the ω that converges fastest for the present state of the links: from \
            theory for a rope, otherwise from the residuals of sixty sweeps";
        if pressed(ui.button("best"), "best over-relaxation", tip)
            && let Some(found) = best_omega(simulation)
        {
            *omega = (found * 1e3).round() / 1e3;
            field.mark_changed();
        }
        field
    });
}

fn parameters_ui(
    ui: &mut Ui,
    solver: &mut ConstraintSolver,
    simulation: &Simulation,
    shows_root: bool,
) {
    for Parameter { label, unit, text, source, value } in solver.parameters() {
        let help = &FieldHelp { label, unit, text, source };
        match value {
            ParameterValue::Number(number, range) => {
                row_ui(ui, help, |ui| si_ui(ui, number, range, unit));
            }
            ParameterValue::Fraction(fraction, range) => {
                row_ui(ui, help, |ui| slider_ui(ui, fraction, range));
            }
            ParameterValue::Tolerance(tolerance, range) => {
                row_ui(ui, help, |ui| scientific_ui(ui, tolerance, range));
            }
            ParameterValue::Count(count, range) => {
                row_ui(ui, help, |ui| {
                    let mut number = f64::from(*count);
                    let range = f64::from(*range.start())..=f64::from(*range.end());
                    let field = si_ui(ui, &mut number, range, unit);
                    *count = if field.changed() { number.round() as u32 } else { *count };
                    field
                });
            }
            ParameterValue::Optional(number, first, range) => {
                optional_ui(ui, help, number, first, range, unit);
            }
            ParameterValue::Switch(on, caption) => {
                row_ui(ui, help, |ui| ui.checkbox(on, caption));
            }
            ParameterValue::Order(order) => order_ui(ui, help, order),
            ParameterValue::Omega(omega) => omega_ui(ui, help, omega, simulation),
            ParameterValue::Root(root) if shows_root => {
                let roots = [(Root::Exact, "exact"), (Root::RootFree, "root-free")];
                row_ui(ui, help, |ui| choice_ui(ui, root, &roots));
            }
            ParameterValue::Root(_) => {}
        }
    }
}

fn order_ui(ui: &mut Ui, help: &FieldHelp, order: &mut SweepOrder) {
    row_ui(ui, help, |ui| {
        let entry = |value: SweepOrder| {
            let title = order_title(&value);
            Entry::listed(value, title, title, help.text, help.source)
        };
        let title = order_title(order);
        let entries = || SweepOrder::ALL.map(entry).into();
        list_ui(ui, "sweep order", title, title, order, entries)
    });
    if let SweepOrder::Jacobi { damping } = order {
        row_ui(ui, &JACOBI_DAMPING, |ui| slider_ui(ui, damping, 0.01..=1.0));
    }
}

fn order_title(order: &SweepOrder) -> &'static str {
    match order {
        SweepOrder::EndToEnd => "end to end",
        SweepOrder::BackAndForth => "back and forth",
        SweepOrder::Coloured => "coloured (red-black)",
        SweepOrder::Jacobi { .. } => "Jacobi",
    }
}

/// Draws a switch and a field. While the switch is on, the field's value replaces the value of each
/// link.
fn optional_ui(
    ui: &mut Ui,
    help: &FieldHelp,
    value: &mut Option<f64>,
    first: f64,
    range: RangeInclusive<f64>,
    unit: &'static str,
) {
    let (mut on, mut number) = (value.is_some(), value.unwrap_or(first));
    let format = |number| si_field(number, unit);
    switched_ui(ui, help, &mut on, &mut number, format, |ui, number| {
        si_ui(ui, number, range, unit)
    });
    *value = on.then_some(number);
}
