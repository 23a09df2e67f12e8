//! When to step: dt, substeps, the stepping scheme, interpolation and speed.

use super::fields::{
    Entry, FieldHelp, count_ui, explanation_ui, list_ui, number_ui, row_ui, si_ui,
};
use crate::app::answers::{Answers, limit_ui};
use crate::app::laboratory::{Laboratory, SPEEDS};
use crate::simulation::stepper::{FrameSubsteps, LONGEST_DT, SHORTEST_DT, Stepping, SteppingInfo};
use egui_macroquad::egui::{self, Slider, Ui};
use std::ops::RangeInclusive;

const DT: FieldHelp = FieldHelp {
    label: "time step",
    unit: "s",
    text: "Length dt of one step. Type 1 ms, 0.4 ms or 1e-3, or drag. Too long for the stiffest \
           spring and the scheme explodes; too short and the computer cannot keep up.",
    source: "Courant, Friedrichs and Lewy 1928",
};
const RATE: FieldHelp = FieldHelp {
    label: "step rate",
    unit: "Hz",
    text: "Steps a second, 1/dt. Doubling it halves dt and doubles the work.",
    source: "",
};
const SLIDER: FieldHelp = FieldHelp {
    label: "dt slider",
    unit: "s",
    text: "dt on a logarithmic scale from 10 µs to 0.1 s: equal ways are equal ratios.",
    source: "",
};
const SUBSTEPS: FieldHelp = FieldHelp {
    label: "substeps",
    unit: "parts of a step",
    text: "Equal parts into which a step is cut, each integrated and projected. Ten substeps \
           with one iteration beat one step with ten iterations.",
    source: "Macklin et al. 2019, Small Steps in Physics Simulation",
};
const STEPPING: FieldHelp = FieldHelp {
    label: "stepping",
    unit: "",
    text: "How the uneven time of frames becomes steps. An accumulator keeps dt fixed and the \
           remainder for the next frame.",
    source: "Fiedler 2004, Fix Your Timestep!",
};
const FRAME_PARTS: FieldHelp = FieldHelp {
    label: "parts a frame",
    unit: "steps",
    text: "The frame is cut into so many equal steps. They are still as uneven as the display.",
    source: "article B, NumSimulationStepsPerFrame",
};
const INTERPOLATION: FieldHelp = FieldHelp {
    label: "interpolate",
    unit: "",
    text: "Draws the blend of the previous and the current state, so that motion is smooth when \
           frames and steps do not coincide. Costs a delay of one step.",
    source: "Fiedler 2004, Fix Your Timestep!",
};
const SPEED: FieldHelp = FieldHelp {
    label: "speed",
    unit: "× real time",
    text: "How fast simulated time passes, 0.1 % to 1000 %. Slow motion shows how an explosion \
           begins; dt stays as it is.",
    source: "",
};

/// What the slider of dt shows, in seconds.
const SLIDER_RANGE: RangeInclusive<f64> = 1e-5..=0.1;

/// The group of time. Returns a new speed when one was set.
pub fn time_ui(
    ui: &mut Ui,
    dt: &mut f64,
    substeps: &mut u32,
    stepping: &mut Stepping,
    laboratory: &Laboratory,
    answers: &Answers,
) -> Option<f64> {
    ui.add_enabled_ui(stepping.uses_dt(), |ui| {
        let slider = dt_ui(ui, dt);
        limit_ui(ui, &slider, SLIDER_RANGE, answers, laboratory);
    });
    if !stepping.uses_dt() {
        explanation_ui(ui, "The frame decides the step; dt rests.");
    }
    row_ui(ui, &SUBSTEPS, |ui| count_ui(ui, substeps, 1..=1000));
    stepping_ui(ui, stepping);
    speed_ui(ui, laboratory.session().speed())
}

fn dt_ui(ui: &mut Ui, dt: &mut f64) -> egui::Response {
    row_ui(ui, &DT, |ui| si_ui(ui, dt, SHORTEST_DT..=LONGEST_DT, "s"));
    row_ui(ui, &RATE, |ui| {
        let mut rate = 1.0 / *dt;
        let response = si_ui(ui, &mut rate, 1.0 / LONGEST_DT..=1.0 / SHORTEST_DT, "Hz");
        if response.changed() {
            *dt = (1.0 / rate).clamp(SHORTEST_DT, LONGEST_DT);
        }
        response
    });
    ui.spacing_mut().slider_width = ui.available_width();
    // A slider that shows a value outside its range must not move it.
    let mut shown = dt.clamp(*SLIDER_RANGE.start(), *SLIDER_RANGE.end());
    let slider = ui.add(Slider::new(&mut shown, SLIDER_RANGE).logarithmic(true).show_value(false));
    let slider = SLIDER.taught(slider);
    if slider.dragged() || slider.clicked() || (slider.has_focus() && slider.changed()) {
        *dt = two_digits(shown);
    }
    slider
}

/// A dragged number is a round one.
fn two_digits(x: f64) -> f64 {
    let scale = 10f64.powf(1.0 - x.log10().floor());
    (x * scale).round() / scale
}

fn stepping_ui(ui: &mut Ui, stepping: &mut Stepping) {
    row_ui(ui, &STEPPING, |ui| {
        let name = stepping.info().name;
        let entries = Stepping::all().map(|value| {
            let SteppingInfo { name, title, reference, verdict } = value.info();
            Entry::listed(value, name, title, verdict, reference)
        });
        let is_chosen = |other: &Stepping| other.info().name == name;
        let (response, chosen) = list_ui(ui, "stepping", stepping.info().title, entries, is_chosen);
        *stepping = chosen.unwrap_or(*stepping);
        response
    });
    match stepping {
        Stepping::FrameSubsteps(FrameSubsteps { n }) => {
            row_ui(ui, &FRAME_PARTS, |ui| count_ui(ui, n, 1..=1000));
        }
        Stepping::Accumulator | Stepping::Interpolated => interpolation_ui(ui, stepping),
        Stepping::FrameCoupled
        | Stepping::FixedPerFrame
        | Stepping::DiscardRemainder
        | Stepping::RenderTick
        | Stepping::Extrapolated => {}
    }
    explanation_ui(ui, stepping.info().verdict);
}

fn interpolation_ui(ui: &mut Ui, stepping: &mut Stepping) {
    row_ui(ui, &INTERPOLATION, |ui| {
        let mut on = *stepping == Stepping::Interpolated;
        let response = ui.checkbox(&mut on, "");
        if response.changed() {
            *stepping = if on { Stepping::Interpolated } else { Stepping::Accumulator };
        }
        response
    });
}

fn speed_ui(ui: &mut Ui, speed: f64) -> Option<f64> {
    let mut percent = speed * 100.0;
    let range = SPEEDS.start() * 100.0..=SPEEDS.end() * 100.0;
    let pull = percent * 0.01;
    let response = row_ui(ui, &SPEED, |ui| {
        let number = egui::DragValue::new(&mut percent).range(range).speed(pull);
        number_ui(ui, number.max_decimals(1).suffix(" %"))
    });
    response.changed().then_some(percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dragged_steps_are_round() {
        for (x, round) in [(1.234e-3, 1.2e-3), (0.0987, 0.099), (1e-5, 1e-5), (0.1, 0.1)] {
            assert!((two_digits(x) / round - 1.0).abs() < 1e-12, "{x}");
        }
    }
}
