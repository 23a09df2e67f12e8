//! How to step: the integrator, what is published of it, and its parameters.

use super::fields::{Entry, Lesson, explanation_ui, list_ui, row_ui};
use crate::app::laboratory::FAVOURITES;
use crate::app::theme;
use crate::integrate::{Info, Method};
use egui_macroquad::egui::{RichText, Ui};

const INTEGRATOR: Lesson = Lesson {
    label: "integrator",
    unit: "",
    text: "How positions and velocities are carried over one step. Beside its name: the order \
           (halve dt and the error falls by 2 to that power) and the largest ωh that is stable, \
           where ω is the fastest vibration of the scene and h the step.",
    source: "Hairer, Lubich and Wanner 2006, Geometric Numerical Integration",
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

fn parameters_ui(_ui: &mut Ui, integrator: &mut Method) {
    match integrator {
        Method::ExplicitEuler | Method::VelocityVerlet => {}
    }
}
