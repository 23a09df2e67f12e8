//! How to step: the integrator, what is published of it, and its parameters.

use super::fields::{
    Entry, FieldHelp, choice_ui, explanation_ui, list_ui, row_ui, scientific_ui, slider_ui,
};
use crate::app::laboratory::FAVOURITES;
use crate::app::theme;
use crate::integrate::{
    DampingStart, DormandPrince, GeneralizedAlpha, Info, Method, NumericalDamping, PositionVerlet,
    VerletDrag, VerletStart,
};
use egui_macroquad::egui::{RichText, Ui};

const INTEGRATOR: FieldHelp = FieldHelp {
    label: "integrator",
    unit: "",
    text: "How positions and velocities are carried over one step. Beside its name: the order \
           (halve dt and the error falls by 2 to that power) and the largest ωh that is stable, \
           where ω is the fastest vibration of the scene and h the step.",
    source: "Hairer, Lubich and Wanner 2006, Geometric Numerical Integration",
};

const VERLET_START: FieldHelp = FieldHelp {
    label: "start",
    unit: "",
    text: "Where the first step finds the previous position. x* = x, as the article has it, \
           starts with half the fall too much; proper is second order from the first step.",
    source: "Jakobsen 2001, Advanced Character Physics",
};
const SINGLE: FieldHelp = FieldHelp {
    label: "32 bits",
    unit: "",
    text: "Keeps positions in f32. With dt = 0.1 ms a particle ten metres up no longer falls: \
           a dt² is smaller than the spacing of the numbers there.",
    source: "",
};
const DRAG: FieldHelp = FieldHelp {
    label: "drag",
    unit: "share a step",
    text: "Share of the velocity lost in every step. Per step, not per second: with another dt \
           it is another drag. The article's 1.99 and 0.99 are 0.01.",
    source: "Jakobsen 2001, Advanced Character Physics",
};
const DAMPING_START: FieldHelp = FieldHelp {
    label: "first a*",
    unit: "",
    text: "The acceleration that the first step remembers. Zero, as an uninitialised variable \
           may be, leaves every velocity off by ½ a(0) dt for good.",
    source: "article B",
};
const TOLERANCE: FieldHelp = FieldHelp {
    label: "tolerance",
    unit: "relative error",
    text: "Permitted error of an inner step. Each step is cut until it is met, so this scheme can \
           serve as the reference for the others.",
    source: "Dormand and Prince 1980",
};
const RHO_INF: FieldHelp = FieldHelp {
    label: "ρ∞",
    unit: "share kept a step",
    text: "What a step leaves of an infinitely fast vibration: 1 keeps all energy, 0 stills it \
           at once. Slow motion is hardly touched.",
    source: "Chung and Hulbert 1993",
};

/// The group of the integrator.
pub fn integrator_ui(ui: &mut Ui, integrator: &mut Method) {
    let info = integrator.info();
    row_ui(ui, &INTEGRATOR, |ui| {
        let entries = Method::all().map(entry_of);
        let is_chosen = |method: &Method| method.info().name == info.name;
        let (response, chosen) = list_ui(ui, "integrator", info.title, entries, is_chosen);
        *integrator = chosen.unwrap_or(*integrator);
        response
    });
    let info = integrator.info();
    ui.label(RichText::new(published(&info)).monospace().color(theme::ACCENT));
    explanation_ui(ui, info.verdict);
    parameters_ui(ui, integrator);
}

fn entry_of(method: Method) -> Entry<Method> {
    let info = method.info();
    let key = FAVOURITES.iter().position(|name| *name == info.name);
    let key = key.map_or(String::new(), |k| format!("   [{}]", k + 1));
    Entry {
        value: method,
        name: info.name.to_owned(),
        title: format!("{}{key}", info.title),
        text: format!("{}\n{}", published(&info), info.verdict),
        source: info.reference.to_owned(),
    }
}

/// Order, stability limit and nature in one line.
fn published(info: &Info) -> String {
    let stable = match info.stability_limit {
        0.0 => "never stable".to_owned(),
        limit if limit.is_infinite() => "always stable".to_owned(),
        limit => format!("ωh ≤ {limit:.2}"),
    };
    let mut words = vec![format!("order {}", info.order), stable];
    if info.symplectic {
        words.push("symplectic".to_owned());
    }
    if info.implicit {
        words.push("implicit".to_owned());
    }
    words.join(" · ")
}

fn parameters_ui(ui: &mut Ui, integrator: &mut Method) {
    match integrator {
        Method::PositionVerlet(PositionVerlet { start, single }) => {
            let starts = [(VerletStart::Proper, "proper"), (VerletStart::Article, "x* = x")];
            row_ui(ui, &VERLET_START, |ui| choice_ui(ui, start, &starts));
            row_ui(ui, &SINGLE, |ui| ui.checkbox(single, ""));
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
    fn every_digit_key_has_an_integrator() {
        assert!((0..FAVOURITES.len()).all(|key| favourite(key).is_some()));
    }
}
