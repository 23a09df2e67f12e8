//! Drawing of a map: its cells, the theoretical limit, and the values of the selected lane.

use super::Map;
use super::axis_picker::present_value;
use crate::analysis::in_words::percent_to;
use crate::analysis::map::{Axis, Cell, MapPlan, Quantity, ShownQuantity};
use crate::app::charts::axes_ui;
use crate::app::input::actions::{Action, RequestActions};
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::export::cell_colours::{cell_colour, legend_entries};
use crate::export::chart::{ChartAxis, clip_polyline};
use crate::export::map_charts::chart_axis;
use crate::quantity::on_screen::{format_number, si_tight};
use crate::simulation::settings::Command;
use egui_macroquad::egui::{self, Color32, ColorImage, TextureHandle, TextureOptions, Ui};
use egui_plot::{HLine, Line, LineStyle, MarkerShape, PlotImage, PlotPoint, PlotUi, Points, VLine};

const THEORY_NAME: &str = "theoretical limit for small vibrations";
const LIMIT_NAME: &str = "longest stable step of the lane";
const BELOW: f32 = 74.0;
#[derive(Default)]
pub struct CellChart {
    texture: Option<TextureHandle>,
    /// True if cells have changed since the texture was created.
    pub is_stale: bool,
}

impl CellChart {
    pub fn cell_chart_ui(
        &mut self,
        ui: &mut Ui,
        map: &Map,
        laboratory: &Laboratory,
        longest: Option<f64>,
    ) {
        self.update_texture(ui, map);
        let Some(texture) = &self.texture else { return };
        let (x, y) = (&map.plan.x, &map.plan.y);
        let axes = [x, y].map(chart_axis);
        let [[left, right], [low, high]] = axes.each_ref().map(ChartAxis::ends);
        let height = (ui.available_height() - BELOW).max(180.0);
        let plot = axes_ui(ui, "map", &axes[0], &axes[1], height)
            .show_grid(false)
            .allow_zoom(false)
            .allow_boxed_zoom(false)
            .allow_double_click_reset(false)
            // The margin has room for the outer halves of the first and the last label.
            .set_margin_fraction(egui::vec2(0.05, 0.03))
            .show_x(false)
            .show_y(false);
        let theory = theory_lines(map);
        let limit = longest.and_then(|longest| limit_mark(&map.plan, laboratory, longest));
        let color = theme::lane_color(laboratory.selected().color);
        let drawn = DrawnMarks { theory: !theory.is_empty(), limit: limit.map(|_| color) };
        let response = plot.show(ui, |plot| {
            let centre = PlotPoint::new(0.5 * (left + right), 0.5 * (low + high));
            let size = [(right - left) as f32, (high - low) as f32];
            plot.image(PlotImage::new(texture, centre, size));
            for piece in theory {
                let line = Line::new(piece).name(THEORY_NAME).color(Color32::BLACK).width(1.6);
                plot.line(line.style(LineStyle::Dashed { length: 7.0 }));
            }
            draw_lane(plot, map, laboratory);
            if let Some(mark) = limit {
                let mark = Points::new(vec![mark]).name(LIMIT_NAME).shape(MarkerShape::Diamond);
                plot.points(mark.radius(6.0).color(color));
            }
            plot.pointer_coordinate()
        });
        legend_ui(ui, map, drawn);
        let Some(pointer) = response.inner.filter(|_| response.response.hovered()) else { return };
        let (Some(column), Some(row)) = (cell_of(x, pointer.x), cell_of(y, pointer.y)) else {
            return;
        };
        if response.response.clicked() {
            apply_cell(ui, map, [x.value(column), y.value(row)], laboratory);
        }
        let description = match map.cell(column as usize, row as usize) {
            None => "not computed yet".to_owned(),
            Some(cell) => cell_text(map.plan.shown, cell),
        };
        let place = |axis: &Axis, cell| {
            let (value, unit) = (axis.value(cell), axis.quantity.unit());
            let value =
                if unit.is_empty() { format_number(value, unit) } else { si_tight(value, unit) };
            format!("{} {value}", axis.quantity)
        };
        let text = format!("{}, {}\n{description}", place(x, column), place(y, row));
        // The cell's values are shown immediately; egui's own tooltip appears only when the mouse
        // rests.
        let id = response.response.id.with("cell");
        egui::show_tooltip_at_pointer(ui.ctx(), ui.layer_id(), id, |ui| ui.label(text));
    }

    /// Recreates the texture if cells have changed.
    fn update_texture(&mut self, ui: &Ui, map: &Map) {
        if !std::mem::take(&mut self.is_stale) && self.texture.is_some() {
            return;
        }
        let [columns, rows] = [&map.plan.x, &map.plan.y].map(|axis| axis.cells as usize);
        let colour = |i: usize| match map.cell(i % columns, rows - 1 - i / columns) {
            Some(cell) => {
                let [r, g, b] = cell_colour(map.plan.shown, &cell);
                Color32::from_rgb(r, g, b)
            }
            None => theme::panel(),
        };
        let pixels = (0..columns * rows).map(colour).collect();
        let image = ColorImage { size: [columns, rows], pixels };
        match &mut self.texture {
            Some(texture) => texture.set(image, TextureOptions::NEAREST),
            None => {
                let texture = ui.ctx().load_texture("map", image, TextureOptions::NEAREST);
                self.texture = Some(texture);
            }
        }
    }
}

fn cell_of(axis: &Axis, place: f64) -> Option<u32> {
    let cells = f64::from(axis.cells);
    let cell = chart_axis(axis).fraction(place) * cells;
    (0.0..cells).contains(&cell).then_some(cell as u32)
}

/// Returns the visible pieces of the theoretical limit, in coordinates of egui's plot.
fn theory_lines(map: &Map) -> Vec<Vec<[f64; 2]>> {
    let [x, y] = [&map.plan.x, &map.plan.y].map(chart_axis);
    let ([left, right], [low, high]) = (x.ends(), y.ends());
    let points = map.plan.theory(map.lines.iter().flatten());
    let points: Vec<[f64; 2]> =
        points.iter().map(|[a, b]| [x.coordinate(*a), y.coordinate(*b)]).collect();
    clip_polyline(&points, [left, low, right - left, high - low])
}

fn draw_lane(plot: &mut PlotUi, map: &Map, laboratory: &Laboratory) {
    let (x, y) = (&map.plan.x, &map.plan.y);
    let here = |axis: &Axis| {
        let now = present_value(&axis.quantity, laboratory)?;
        (axis.from..=axis.to).contains(&now).then(|| chart_axis(axis).coordinate(now))
    };
    let (across, up) = (here(x), here(y));
    let edge = Color32::from_black_alpha(190);
    if let Some(across) = across {
        plot.vline(VLine::new(across).name("this lane").color(edge).width(1.0));
    }
    if let Some(up) = up {
        plot.hline(HLine::new(up).name("this lane").color(edge).width(1.0));
    }
    if let (Some(across), Some(up)) = (across, up) {
        let colour = theme::lane_color(laboratory.selected().color);
        for (radius, colour) in [(6.0, edge), (4.0, colour)] {
            let point = Points::new(vec![[across, up]]).name("this lane");
            plot.points(point.radius(radius).color(colour));
        }
    }
}

/// Returns the point with the lane's own values, except that its dt is the longest stable step.
/// Returns `None` if the point is outside the map or no axis of the map is dt.
fn limit_mark(plan: &MapPlan, laboratory: &Laboratory, longest: f64) -> Option<[f64; 2]> {
    let place = |axis: &Axis| {
        let is_step = axis.quantity == Quantity::Dt;
        let value = if is_step { longest } else { present_value(&axis.quantity, laboratory)? };
        (axis.from..=axis.to).contains(&value).then(|| chart_axis(axis).coordinate(value))
    };
    Some([place(&plan.x)?, place(&plan.y)?]).filter(|_| plan.varies_dt())
}

#[derive(Clone, Copy)]
struct DrawnMarks {
    /// True if part of the theoretical limit is inside the axes.
    theory: bool,
    /// Colour of the longest stable step; `None` if it is outside the axes.
    limit: Option<Color32>,
}

fn legend_ui(ui: &mut Ui, map: &Map, drawn: DrawnMarks) {
    ui.horizontal_wrapped(|ui| {
        for (name, [r, g, b]) in legend_entries(map.plan.shown) {
            let (place, _) = ui.allocate_exact_size(egui::vec2(14.0, 10.0), egui::Sense::hover());
            ui.painter().rect_filled(place, 2.0, Color32::from_rgb(r, g, b));
            ui.label(name);
        }
        if drawn.theory {
            ui.label(format!("– –  {THEORY_NAME}"));
        }
        if let Some(color) = drawn.limit {
            // The diamond is drawn as a shape, because the font has none.
            let (place, _) = ui.allocate_exact_size(egui::vec2(14.0, 12.0), egui::Sense::hover());
            let (across, up) = (egui::vec2(5.0, 0.0), egui::vec2(0.0, 5.0));
            let corners = [across, up, -across, -up].map(|corner| place.center() + corner);
            let stroke = egui::Stroke::NONE;
            ui.painter().add(egui::Shape::convex_polygon(corners.to_vec(), color, stroke));
            ui.label(LIMIT_NAME);
        }
    });
}

/// Gives the selected lane the settings of a cell and restarts the scene.
fn apply_cell(ui: &Ui, map: &Map, values: [f64; 2], laboratory: &Laboratory) {
    let before = *laboratory.selected().simulation.settings();
    let mut settings = before;
    for (axis, value) in [&map.plan.x, &map.plan.y].into_iter().zip(values) {
        match axis.quantity {
            Quantity::Dt if before.stepping.uses_dt() => settings.dt = value,
            Quantity::Substeps => settings.substeps = value as u32,
            Quantity::Iterations => settings.constraints.set_iterations(value as u32),
            _ => {}
        }
    }
    if settings != before && settings.check().is_ok() {
        let lane = laboratory.selected_index();
        ui.request(Action::SendCommand(Command::Configure { lane, settings }));
        ui.request(Action::Reset);
    }
}

fn cell_text(shown: ShownQuantity, cell: Cell) -> String {
    let Cell { value, holds } = cell;
    match shown {
        _ if value.is_nan() => "not computed".to_owned(),
        _ if value == f64::INFINITY => "explodes".to_owned(),
        ShownQuantity::Growth if holds => {
            format!("stable: a small push changes by a factor of {value:.4} per step")
        }
        ShownQuantity::Growth => {
            format!("unstable: a small push grows by {} per step", percent_to(value - 1.0, 2))
        }
        ShownQuantity::Stretch { .. } => format!("largest stretch {}", percent_to(value, 2)),
        ShownQuantity::Error { .. } => format!("error {}", percent_to(value, 3)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(quantity: Quantity, [from, to]: [f64; 2]) -> Axis {
        Axis { quantity, from, to, cells: 8, log: true }
    }

    /// The mark is at the longest stable step instead of the lane's own step of 3 ms, whichever
    /// axis is dt. A map without dt, or whose range excludes the longest step, has no mark.
    #[test]
    fn the_mark_of_the_limit_stands_at_the_longest_step() {
        let laboratory = Laboratory::of_text(
            "(version: 1, name: \"rope\", \
              ropes: [(name: \"rope\", from: (0, 0, 0), to: (1, 0, 0), segments: 6)], \
              settings: (dt: 0.003, substeps: 10))",
        );
        let dt = || axis(Quantity::Dt, [1e-4, 1e-1]);
        let substeps = || axis(Quantity::Substeps, [1.0, 100.0]);
        let mark = |x: Axis, y: Axis, longest: f64| {
            let shown = ShownQuantity::Growth;
            let plan = MapPlan { x, y, integrators: Vec::new(), shown, boundary: false };
            limit_mark(&plan, &laboratory, longest)
        };
        assert_eq!(mark(dt(), substeps(), 0.01), Some([-2.0, 1.0]));
        assert_eq!(mark(substeps(), dt(), 0.01), Some([1.0, -2.0]));
        assert_eq!(mark(dt(), substeps(), 0.2), None);
        assert_eq!(mark(axis(Quantity::Stiffness, [1e-9, 1e9]), substeps(), 0.01), None);
    }
}
