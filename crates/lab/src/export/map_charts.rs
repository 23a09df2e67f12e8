//! Drawing of a stability map.

use super::cell_colours::{cell_colour, legend_entries};
use super::cells::CellFile;
use super::chart::{Cells, Chart, ChartAxis, Curve, DASHED, arrange_charts};
use super::drawing::{Drawing, INK, Rgb};
use crate::analysis::map::{Axis, Cell, ShownQuantity};
use crate::quantity::magnitude::format_six_digits;

/// Largest number of panels side by side.
const COLUMNS: usize = 3;

/// Draws one panel per integrator. A dashed line shows the theoretical longest stable step. The
/// curves of `marks` are in front.
pub fn draw_map(file: &CellFile, marks: &[Curve]) -> Drawing {
    let CellFile { scene, plan, .. } = file;
    let charts: Vec<Chart> = (0..plan.integrators.len())
        .map(|panel| {
            let rows = file.rows(panel);
            let colour = |cell: &Cell| -> Rgb { cell_colour(plan.shown, cell) };
            Chart {
                title: plan.integrators[panel].info().title.to_owned(),
                x: chart_axis(&plan.x),
                y: chart_axis(&plan.y),
                cells: Some(Cells {
                    columns: plan.x.cells as usize,
                    colours: rows.iter().rev().flatten().map(colour).collect(),
                }),
                curves: theory(file, panel).into_iter().chain(marks.iter().cloned()).collect(),
            }
        })
        .collect();
    let note = format!("{scene}: {}", shown_in_words(plan.shown));
    arrange_charts(&charts, COLUMNS, &legend_entries(plan.shown), &note)
}

/// Returns the axis of a chart of the map.
pub fn chart_axis(axis: &Axis) -> ChartAxis {
    let Axis { quantity, from, to, log, .. } = axis;
    ChartAxis { label: quantity.label(), unit: quantity.unit(), range: [*from, *to], log: *log }
}

fn shown_in_words(shown: ShownQuantity) -> String {
    match shown {
        ShownQuantity::Growth => "growth per step of a small perturbation".to_owned(),
        ShownQuantity::Stretch { duration, most } => {
            format!(
                "greatest stretch in {duration} s; good below {} %",
                format_six_digits(100.0 * most)
            )
        }
        ShownQuantity::Error { duration, most } => format!(
            "greatest error over the size of the motion in {duration} s; good below {} %",
            format_six_digits(100.0 * most)
        ),
    }
}

/// Returns the theoretical longest stable step as a dashed curve; `None` if theory gives no value
/// for this panel.
fn theory(file: &CellFile, panel: usize) -> Option<Curve<'static>> {
    let points = file.plan.theory(file.lines.iter().filter(|line| line.panel == panel));
    let curve = |points| Curve::new("small vibrations, in theory", points, DASHED, INK);
    (!points.is_empty()).then(|| curve(points))
}
