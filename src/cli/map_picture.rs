//! Maps as figures.

use ropelab::analysis::map::{Axis, Cell, Quantity, Shown};
use ropelab::export::cells::CellFile;
use ropelab::export::chart::{self, Cells, Chart, Curve, Style, figure};
use ropelab::export::figure::{Figure, INK, Rgb};
use ropelab::export::shade::{key, shade};

/// Panels side by side.
const COLUMNS: usize = 3;

/// One panel an integrator; the theoretical limit as a broken line.
pub fn picture(file: &CellFile) -> Figure {
    let CellFile { scene, plan, .. } = file;
    let axis = |axis: &Axis| chart::PlotAxis {
        label: axis.quantity.label(),
        range: [axis.from, axis.to],
        log: axis.log,
    };
    let charts: Vec<Chart> = (0..plan.integrators.len())
        .map(|panel| {
            let rows = file.rows(panel);
            let colour = |cell: &Cell| -> Rgb { shade(plan.shown, cell) };
            Chart {
                title: plan.integrators[panel].info().title.to_owned(),
                x: axis(&plan.x),
                y: axis(&plan.y),
                cells: Some(Cells {
                    columns: plan.x.cells as usize,
                    colours: rows.iter().rev().flatten().map(colour).collect(),
                }),
                curves: theory(file, panel),
            }
        })
        .collect();
    let note = match plan.shown {
        Shown::Growth => format!("{scene}: growth a step of a small perturbation"),
        Shown::Stretch { duration, most } => {
            format!("{scene}: greatest stretch in {duration} s; holds below {} %", 100.0 * most)
        }
    };
    figure(&charts, COLUMNS, &key(plan.shown), &note)
}

/// Where theory sees the limit, if dt is along the lines.
fn theory(file: &CellFile, panel: usize) -> Vec<Curve> {
    let plan = &file.plan;
    let by_columns = plan.by_columns();
    let (along, across) = if by_columns { (&plan.y, &plan.x) } else { (&plan.x, &plan.y) };
    if along.quantity != Quantity::Dt {
        return Vec::new();
    }
    let lines = file.lines.iter().filter(|line| line.panel == panel);
    let point = |line: &ropelab::analysis::map::Line| {
        let (limit, at) = (line.theory?, across.value(line.number as u32));
        Some(if by_columns { [at, limit] } else { [limit, at] })
    };
    let points: Vec<[f64; 2]> = lines.filter_map(point).collect();
    if points.is_empty() {
        return Vec::new();
    }
    let name = "theory".to_owned();
    vec![Curve { name, points, style: Style::Dashed, colour: INK }]
}
