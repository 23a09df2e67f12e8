//! Controls of one axis of a map: the quantity that varies, and its range.

use crate::analysis::advise::in_longest_frame;
use crate::analysis::map::{Axis, AxisError, Quantity};
use crate::app::laboratory::Laboratory;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::pick_ui;
use crate::quantity::magnitude::rounded;
use crate::quantity::on_screen::format_number;
use crate::quantity::reading::read_quantity;
use crate::scene::vary::VariableScene;
use crate::session::Display;
use egui_macroquad::egui::{self, DragValue, Ui};
use std::mem::discriminant;

/// Selectable quantities with their labels. The last one needs a path to a value in the scene file,
/// e.g. `materials[0].stiffness`.
const QUANTITIES: [(Quantity, &str); 8] = [
    (Quantity::Dt, "dt"),
    (Quantity::Stiffness, "stiffness"),
    (Quantity::Damping, "damping"),
    (Quantity::MassRatio, "mass ratio"),
    (Quantity::Iterations, "sweeps"),
    (Quantity::Substeps, "substeps"),
    (Quantity::Segments, "segments"),
    (Quantity::Path(String::new()), "value in the file"),
];
/// Initial range of a value that is 0 or missing in the scene file.
const RANGE_OF_UNKNOWN: [f64; 2] = [0.1, 10.0];
/// Factors that give the ends of the initial range from the scene's own value: the first for
/// stiffness and damping, the second for other values of the scene file.
const RANGE_FACTORS: [f64; 2] = [1000.0, 10.0];

pub struct AxisPicker {
    quantity: Quantity,
    range: [f64; 2],
}

impl AxisPicker {
    pub fn new(quantity: Quantity, laboratory: &Laboratory) -> Self {
        let range = usual_range(&quantity, laboratory);
        Self { quantity, range }
    }

    pub fn axis(&self, cells: u32) -> Result<Axis, AxisError> {
        let quantity = match &self.quantity {
            Quantity::Path(path) => Quantity::from_name(path)?,
            other => other.clone(),
        };
        Axis::new(quantity, self.range, cells)
    }

    pub fn is_in_file(&self) -> bool {
        matches!(self.quantity, Quantity::Segments | Quantity::Path(_))
    }

    /// Draws a row: the quantity, its path in the scene file if it has one, and both ends of its
    /// range.
    pub fn picker_ui(
        &mut self,
        ui: &mut Ui,
        name: &str,
        laboratory: &Laboratory,
        file: Option<&VariableScene>,
    ) {
        ui.label(name);
        ui.horizontal(|ui| {
            self.quantity_ui(ui, name, laboratory);
            if let Quantity::Path(path) = &mut self.quantity {
                let field = egui::TextEdit::singleline(path).desired_width(150.0);
                let field = ui.add(field.hint_text("materials[0].stiffness"));
                let field = field.marked(format_args!("{name}: path"));
                if field.lost_focus()
                    && let Some(Ok(Some(now))) = file.map(|file| file.number(path))
                {
                    self.range = range_around(now, RANGE_FACTORS[1]);
                }
            }
            let unit = self.quantity.unit();
            let [from, to] = &mut self.range;
            number_ui(ui, from, unit).marked(format_args!("{name}: from"));
            ui.label("to");
            number_ui(ui, to, unit).marked(format_args!("{name}: to"));
        });
        ui.end_row();
    }

    fn quantity_ui(&mut self, ui: &mut Ui, name: &str, laboratory: &Laboratory) {
        let is_it = |it: &(Quantity, &str)| discriminant(&it.0) == discriminant(&self.quantity);
        let now = QUANTITIES.iter().position(is_it).unwrap_or(0);
        let mut chosen = now;
        let names = QUANTITIES.into_iter().map(|(_, title)| title.to_owned());
        let choices = names.enumerate().map(|(index, title)| (index, title, ""));
        pick_ui(ui, name, 132.0, &mut chosen, choices);
        if chosen != now {
            *self = Self::new(QUANTITIES[chosen].0.clone(), laboratory);
        }
    }
}

/// Draws a number field with a unit. A drag changes the number in proportion to its size.
fn number_ui(ui: &mut Ui, value: &mut f64, unit: &'static str) -> egui::Response {
    let speed = 0.01 * value.abs().max(1e-6);
    let number = DragValue::new(value).speed(speed);
    let number = number.custom_formatter(move |n, _| format_number(n, unit));
    ui.add(number.custom_parser(move |text| read_quantity(text, unit)))
}

/// Returns the current value of a quantity in the scene or the selected lane; `None` if the
/// quantity has no single value. If frames determine the step, dt is the longest step.
pub fn present_value(quantity: &Quantity, laboratory: &Laboratory) -> Option<f64> {
    let links = &laboratory.session().scene().parts.mesh.links;
    let lane = laboratory.selected();
    let settings = lane.simulation.settings();
    match quantity {
        Quantity::Dt if !settings.stepping.uses_dt() => {
            let frames = Display::frame_times(lane.display.source(), settings, 1.0);
            (!frames.is_empty()).then(|| in_longest_frame(*settings, &frames).dt)
        }
        Quantity::Dt => Some(settings.dt),
        Quantity::Stiffness => links.iter().map(|link| link.stiffness).reduce(f64::max),
        Quantity::Damping => links.iter().map(|link| link.damping).reduce(f64::max),
        Quantity::Iterations => settings.solver().iterations().map(f64::from),
        Quantity::Substeps => Some(f64::from(settings.substeps)),
        Quantity::MassRatio | Quantity::Segments | Quantity::Path(_) => None,
    }
}

fn usual_range(quantity: &Quantity, laboratory: &Laboratory) -> [f64; 2] {
    match quantity {
        Quantity::Dt => [1e-4, 1e-1],
        Quantity::Stiffness | Quantity::Damping => {
            let now = present_value(quantity, laboratory).filter(|now| *now > 0.0);
            range_around(now.unwrap_or(1.0), RANGE_FACTORS[0])
        }
        Quantity::MassRatio => [1.0, 1000.0],
        Quantity::Iterations => [1.0, 200.0],
        Quantity::Substeps => [1.0, 100.0],
        Quantity::Segments => [2.0, 64.0],
        Quantity::Path(_) => RANGE_OF_UNKNOWN,
    }
}

fn range_around(value: f64, factor: f64) -> [f64; 2] {
    // Two digits are enough for the ends of a range.
    let round = |end: f64| rounded(end, 2);
    match value {
        0.0 => RANGE_OF_UNKNOWN,
        value if value < 0.0 => [value * factor, value / factor].map(round),
        value => [value / factor, value * factor].map(round),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_around_a_number_is_in_order() {
        for value in [-3.0, 0.0, 0.2, 1e6] {
            let [from, to] = range_around(value, 10.0);
            assert!(
                from < to && (value == 0.0 || (from..=to).contains(&value)),
                "range around {value}"
            );
        }
    }
}
