//! Controls of a map: both axes, the quantity that colours the cells, and the number of cells.

use super::axis_picker::AxisPicker;
use crate::analysis::map::{AxisError, MapPlan, Quantity, ShownQuantity};
use crate::app::laboratory::Laboratory;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::pick_ui;
use crate::scene::vary::VariableScene;
use crate::simulation::settings::Settings;
use egui_macroquad::egui::{self, DragValue, Ui};

/// Selectable numbers of cells along each axis.
const SIZES: [u32; 4] = [32, 64, 128, 256];
/// Quantities that can colour the cells: largest stretch and error, measured in runs of 1 s.
const STRETCH: ShownQuantity = ShownQuantity::Stretch { duration: 1.0, most: 0.1 };
const ERROR: ShownQuantity = ShownQuantity::Error { duration: 1.0, most: 0.01 };

pub struct MapChoices {
    x: AxisPicker,
    y: AxisPicker,
    /// Quantity that colours the cells. `None` means growth for a lane without a solver, and
    /// stretch for a lane with a solver.
    shown: Option<ShownQuantity>,
    cells: u32,
    /// Values in the scene's file; `None` until one of them is chosen for an axis.
    pub file: Option<VariableScene>,
}

impl MapChoices {
    pub fn new(laboratory: &Laboratory) -> Self {
        let has_links = !laboratory.session().scene().parts.mesh.links.is_empty();
        let up = if has_links { Quantity::Stiffness } else { Quantity::Substeps };
        let [x, y] = [Quantity::Dt, up].map(|quantity| AxisPicker::new(quantity, laboratory));
        Self { x, y, shown: None, cells: 64, file: None }
    }

    pub fn plan(&self, settings: &Settings) -> Result<MapPlan, AxisError> {
        Ok(MapPlan {
            x: self.x.axis(self.cells)?,
            y: self.y.axis(self.cells)?,
            integrators: vec![settings.integrator],
            shown: self.shown(settings),
            boundary: false,
        })
    }

    fn shown(&self, settings: &Settings) -> ShownQuantity {
        let usual = if settings.solver().is_none() { ShownQuantity::Growth } else { STRETCH };
        self.shown.unwrap_or(usual)
    }

    pub fn choices_ui(&mut self, ui: &mut Ui, laboratory: &Laboratory, settings: &Settings) {
        egui::Grid::new("choices").num_columns(2).show(ui, |ui| {
            self.x.picker_ui(ui, "x axis", laboratory, self.file.as_ref());
            self.y.picker_ui(ui, "y axis", laboratory, self.file.as_ref());
            ui.label("colour");
            ui.horizontal(|ui| {
                self.shown_ui(ui, settings);
                self.cells_ui(ui);
            });
        });
        if self.file.is_none() && (self.x.is_in_file() || self.y.is_in_file()) {
            self.file = Some(VariableScene::of(laboratory.session().scene()));
        }
    }

    fn cells_ui(&mut self, ui: &mut Ui) {
        let sizes = SIZES.map(|size| (size, format!("{size} × {size}"), ""));
        pick_ui(ui, "cells", 84.0, &mut self.cells, sizes)
            .on_hover_text("Number of cells. Twice as many per side take four times as long");
    }

    fn shown_ui(&mut self, ui: &mut Ui, settings: &Settings) {
        let now = self.shown(settings);
        for (choice, name) in
            [(ShownQuantity::Growth, "growth"), (STRETCH, "stretch"), (ERROR, "error")]
        {
            let same = std::mem::discriminant(&choice) == std::mem::discriminant(&now);
            let button = ui.selectable_label(same, name).marked(format_args!("map: {name}"));
            if button.clicked() && !same {
                self.shown = Some(choice);
            }
        }
        let mut shown = self.shown(settings);
        let (ShownQuantity::Stretch { duration, most } | ShownQuantity::Error { duration, most }) =
            &mut shown
        else {
            return;
        };
        let drag = DragValue::new(duration).range(0.05..=60.0).speed(0.02).suffix(" s");
        let longer = ui.add(drag.max_decimals(2)).on_hover_text(
            "Simulated time of the run in \
            each cell",
        );
        let mut percent = 100.0 * *most;
        let speed = 0.01 * percent;
        let drag = DragValue::new(&mut percent).range(1e-4..=1e4).speed(speed);
        let more = ui.add(drag.suffix(" %").max_decimals(4));
        let more = more.on_hover_text(
            "Largest value that still counts as good; cells up to it \
            are blue",
        );
        if more.changed() {
            *most = percent / 100.0;
        }
        if longer.changed() || more.changed() {
            self.shown = Some(shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_begins_with_axes_that_the_scene_has() {
        let text = |links: &str| {
            format!(
                "(version: 1, name: \"x\", particles: [(at: (0, 2, 0)), (at: (0, 1, 0))], {links}
                 forces: [(law: Gravity())])"
            )
        };
        let link = "links: [(a: Particle(0), b: Particle(1), stiffness: 100)],";
        for (links, quantity) in [("", Quantity::Substeps), (link, Quantity::Stiffness)] {
            let laboratory = Laboratory::of_text(&text(links));
            let choices = MapChoices::new(&laboratory);
            let settings = *laboratory.selected().simulation.settings();
            let plan = choices.plan(&settings).expect("two axes");
            assert_eq!(plan.y.quantity, quantity);
        }
    }
}
