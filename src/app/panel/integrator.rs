//! Choice of the integrator, its published properties, and its parameters.

use super::fields::{
    Entry, FieldHelp, choice_ui, explanation_ui, row_ui, scientific_ui, slider_ui,
};
use crate::app::answers::LaneLimit;
use crate::app::laboratory::FAVOURITES;
use crate::constraint::ConstraintSolver;
use crate::integrate::{
    DampingStart, DormandPrince, GeneralizedAlpha, Info, Method, NumericalDamping, PositionVerlet,
    VerletDrag, VerletStart,
};
use egui_macroquad::egui::Ui;

const VERLET_START: FieldHelp = FieldHelp {
    label: "start",
    unit: "",
    text: "Previous position x* in the first step. With x* = x, as in Jakobsen's article, watch a \
        body fall twice as far as it should in the first step.",
    source: "Jakobsen 2001, Advanced Character Physics",
};
const SINGLE: FieldHelp = FieldHelp {
    label: "32 bits",
    unit: "",
    text: "Stores positions as 32-bit floats. With dt = 0.1 ms watch a particle ten metres up not \
        fall at all, because a dt² is smaller than the spacing of such numbers.",
    source: "",
};
const DRAG: FieldHelp = FieldHelp {
    label: "drag",
    unit: "fraction a step",
    text: "Fraction of the velocity that is lost in every step (not in every second): halve dt \
        and watch the same rope swing as if in honey.",
    source: "Jakobsen 2001, Advanced Character Physics: factors 1.99 and 0.99 correspond to 0.01",
};
const DAMPING_START: FieldHelp = FieldHelp {
    label: "first a*",
    unit: "",
    text: "Acceleration that the first step uses as that of a step before. With zero, as in an \
        uninitialised variable, every later velocity is wrong by ½ a(0) dt.",
    source: "article B",
};
const TOLERANCE: FieldHelp = FieldHelp {
    label: "tolerance",
    unit: "relative error",
    text: "Permitted error of the inner steps into which each step is divided. Lower it and watch \
        the cost rise, until the lane is so precise that it can be the reference for the others.",
    source: "Dormand and Prince 1980",
};
const RHO_INF: FieldHelp = FieldHelp {
    label: "ρ∞",
    unit: "fraction kept per step",
    text: "Fraction of an infinitely fast vibration that remains after a step. At 0, watch jitter \
        vanish at once while slow motion barely changes.",
    source: "Chung and Hulbert 1993",
};

pub fn entry_of(method: Method) -> Entry<Method> {
    let info = method.info();
    let key = FAVOURITES.iter().position(|name| *name == info.name);
    let key = key.map_or(String::new(), |k| format!("   [{}]", k + 1));
    let facts = published_facts(&info, &ConstraintSolver::None, None);
    let (title, text) = (format!("{}{key}", info.title), format!("{facts}\n{}", info.verdict));
    Entry::listed(method, info.name, &title, &text, info.reference)
}

/// Returns order, stability limit and kind of an integrator in a few words. With a solver, the
/// limit of ωh is that of the forces that the solver does not replace, with damping.
pub fn published_facts(
    info: &Info,
    solver: &ConstraintSolver,
    limit: Option<&LaneLimit>,
) -> String {
    let mut words = vec![format!("order {}", info.order)];
    if solver.is_none() {
        words.push(stability_text(info.stability_limit));
        words.extend(info.symplectic.then(|| "symplectic".to_owned()));
        words.extend(info.implicit.then(|| "implicit".to_owned()));
    } else {
        words.push(format!("links: {}", solver.short_name()));
        let rest = limit.filter(|limit| limit.is_bound_by_springs());
        words.extend(rest.map(|rest| match rest.limit.omega_h() {
            0.0 => "others unstable".to_owned(),
            z if z.is_infinite() => "others stable".to_owned(),
            z => format!("others to ωh = {z:.2}"),
        }));
    }
    words.join(" · ")
}

/// Returns the facts from [`published_facts`] as sentences.
pub fn published_sentences(
    info: &Info,
    solver: &ConstraintSolver,
    limit: Option<&LaneLimit>,
) -> String {
    let Info { order, symplectic, implicit, .. } = info;
    let mut kinds = vec![if *implicit { "implicit" } else { "explicit" }];
    kinds.extend(symplectic.then_some("symplectic"));
    let mut text = format!("Of order {order}, {}.", kinds.join(", "));
    if solver.is_none() {
        text += &format!(" On an undamped vibration: {}.", stability_text(info.stability_limit));
    } else {
        text += &format!(" {} constrains the links, so they do not vibrate.", solver.short_name());
        if let Some(rest) = limit.filter(|limit| limit.is_bound_by_springs()) {
            text += &format!(" The remaining forces: {}.", stability_text(rest.limit.omega_h()));
        }
    }
    text
}

fn stability_text(limit: f64) -> String {
    match limit {
        0.0 => "unstable undamped".to_owned(),
        limit if limit.is_infinite() => "always stable".to_owned(),
        limit => format!("stable to ωh = {limit:.2}"),
    }
}

/// Draws the verdict on the integrator and its parameters. If `shows_single` is true, also draws
/// the choice of 32-bit positions.
pub fn integrator_ui(ui: &mut Ui, integrator: &mut Method, shows_single: bool) {
    explanation_ui(ui, integrator.info().verdict);
    match integrator {
        Method::PositionVerlet(PositionVerlet { start, single }) => {
            let starts = [(VerletStart::Proper, "proper"), (VerletStart::Article, "x* = x")];
            row_ui(ui, &VERLET_START, |ui| choice_ui(ui, start, &starts));
            if shows_single {
                row_ui(ui, &SINGLE, |ui| ui.checkbox(single, ""));
            }
        }
        Method::VerletDrag(VerletDrag { drag }) => {
            row_ui(ui, &DRAG, |ui| slider_ui(ui, drag, 0.0..=0.99));
        }
        Method::NumericalDamping(NumericalDamping { start }) => {
            let starts = [(DampingStart::Proper, "a(0)"), (DampingStart::Article, "zero")];
            row_ui(ui, &DAMPING_START, |ui| choice_ui(ui, start, &starts));
        }
        Method::DormandPrince(DormandPrince { tolerance }) => {
            row_ui(ui, &TOLERANCE, |ui| scientific_ui(ui, tolerance, 1e-15..=0.1));
        }
        Method::GeneralizedAlpha(GeneralizedAlpha { rho_inf }) => {
            row_ui(ui, &RHO_INF, |ui| slider_ui(ui, rho_inf, 0.0..=1.0));
        }
        Method::ExplicitEuler
        | Method::SymplecticEuler
        | Method::SymplecticEulerPositionFirst
        | Method::TimeCorrectedVerlet
        | Method::VelocityVerlet
        | Method::Leapfrog
        | Method::Beeman
        | Method::AdamsBashforth2
        | Method::Midpoint
        | Method::Heun
        | Method::Rk3
        | Method::Rk4
        | Method::Yoshida4
        | Method::ImplicitEuler
        | Method::ImplicitMidpoint
        | Method::Trapezoid
        | Method::Bdf2 => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::laboratory::favourite;

    #[test]
    fn the_published_line_knows_the_solver() {
        let xpbd = ConstraintSolver::Xpbd(crate::constraint::Xpbd::default());
        for method in [Method::ExplicitEuler, Method::VelocityVerlet] {
            let line = published_facts(&method.info(), &xpbd, None);
            assert!(!line.contains("stable") && !line.contains("ωh"), "{line}");
            assert!(line.contains("links: XPBD"), "{line}");
        }
        let springs =
            published_facts(&Method::VelocityVerlet.info(), &ConstraintSolver::None, None);
        assert_eq!(springs, "order 2 · stable to ωh = 2.00 · symplectic");
    }

    #[test]
    fn every_digit_key_has_an_integrator() {
        assert!((0..FAVOURITES.len()).all(|key| favourite(key).is_some()));
    }
}
