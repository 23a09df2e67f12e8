//! Stability maps: two quantities of a scene vary along the axes, and every cell shows the result
//! of a simulation run.

mod axis;
mod cell;
mod error_run;
mod mapped_scene;
mod runner;
mod shown_quantity;

pub use axis::{Axis, AxisError, MOST_CELLS, Quantity};
pub use mapped_scene::{MappedScene, MappedSceneError};
pub use shown_quantity::{Cell, ShownQuantity};

use super::job::{Cancelled, Work};
use crate::integrate::Method;
use crate::simulation::settings::Settings;
use error_run::ReferenceRun;
use rayon::prelude::*;
use runner::CellRunner;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Distance between the cells that the search for boundaries computes first.
const BOUNDARY_STRIDE: usize = 32;

/// Plan of a map: its axes, its integrators and the quantity that cells show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapPlan {
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Integrators. The map has one panel for each.
    pub integrators: Vec<Method>,
    /// Quantity that a cell shows.
    pub shown: ShownQuantity,
    /// True to compute only the cells at boundaries. If two computed cells have equal results, the
    /// cells between them get the same result without a computation.
    pub boundary: bool,
}

/// Row or column of a panel, with the theoretical longest stable step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MapLine {
    /// Index of the integrator in the plan.
    pub panel: usize,
    /// Index of the row, or of the column if the plan is computed column by column.
    pub number: usize,
    /// Cells of a row from left to right, or of a column from bottom to top.
    pub cells: Vec<Cell>,
    /// Longest step in seconds at which small vibrations do not grow in theory. 0 means no step; ∞
    /// means every step. `None` if dt does not vary along the row or column, or if theory does not
    /// apply.
    pub theory: Option<f64>,
    /// Largest uncertainty of the reference runs of the cells, as a fraction of the size of the
    /// motion. `None` if it is negligible, if cells do not show errors, or if the map was read from
    /// a file.
    pub uncertainty: Option<f64>,
}

/// Part of a map: the rows (or columns) whose index modulo `count` is `index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapPart {
    /// Index of the part, from 0.
    pub index: usize,
    /// Number of parts.
    pub count: usize,
}

impl MapPart {
    /// The whole map.
    pub const WHOLE: Self = Self { index: 0, count: 1 };
}

impl MapPlan {
    /// True if cells are computed column by column. If a setting varies along a row or column, all
    /// its cells use the same simulated scene.
    pub fn by_columns(&self) -> bool {
        self.y.quantity.is_setting() && !self.x.quantity.is_setting()
    }

    /// True if the step varies along an axis.
    pub fn varies_dt(&self) -> bool {
        [&self.x, &self.y].iter().any(|axis| axis.quantity == Quantity::Dt)
    }

    /// Returns the axis along a row or column, and the axis across it.
    fn along_and_across(&self) -> (&Axis, &Axis) {
        if self.by_columns() { (&self.y, &self.x) } else { (&self.x, &self.y) }
    }

    /// Returns the number of rows (or columns) of all panels.
    pub fn lines(&self) -> usize {
        self.integrators.len() * self.along_and_across().1.cells as usize
    }

    /// Returns the theoretical longest stable step as points (x, y) of the map. Returns no points
    /// if dt does not vary along rows or columns. A coordinate is infinite if every step is stable
    /// in theory.
    pub fn theory<'a>(&self, lines: impl Iterator<Item = &'a MapLine>) -> Vec<[f64; 2]> {
        let (along, across) = self.along_and_across();
        if along.quantity != Quantity::Dt {
            return Vec::new();
        }
        let point = |line: &MapLine| {
            let (limit, at) = (line.theory?, across.value(line.number as u32));
            Some(if self.by_columns() { [at, limit] } else { [limit, at] })
        };
        lines.filter_map(point).collect()
    }

    /// Checks the plan by setting up the four corner cells. This finds most mistakes before hours
    /// of computing.
    pub fn check(&self, mapped_scene: &MappedScene) -> Result<(), MappedSceneError> {
        if self.x.quantity == self.y.quantity {
            let (quantity, problem) =
                (self.x.quantity.to_string(), "it is on both axes".to_owned());
            return Err(MappedSceneError::Nothing { quantity, problem });
        }
        for x in [0, self.x.cells - 1] {
            for y in [0, self.y.cells - 1] {
                mapped_scene.with(&[
                    (&self.x.quantity, self.x.value(x)),
                    (&self.y.quantity, self.y.value(y)),
                ])?;
            }
        }
        Ok(())
    }

    /// Computes the rows (or columns) of all panels that belong to one part. Each row is sent
    /// through `work` as soon as it is computed, in an order that first covers the map coarsely.
    /// Returns the rows sorted by panel and index.
    pub fn compute(
        &self,
        mapped_scene: &MappedScene,
        part: MapPart,
        work: &Work<MapLine>,
    ) -> Result<Vec<MapLine>, Cancelled> {
        let across = self.along_and_across().1.cells as usize;
        let mut numbers: Vec<usize> =
            (0..self.lines()).filter(|line| line % part.count == part.index).collect();
        // Rows are computed in the order of the reversed bits of their indices: 0, 1/2, 1/4, 3/4,
        // 1/8, … of the range. The first rows therefore spread over the whole map.
        numbers.sort_by_key(|line| ((line % across) as u32).reverse_bits());
        work.expect((numbers.len() * self.along_and_across().0.cells as usize) as u64);
        let reference_run = self.common_reference(mapped_scene, work)?;
        let line = |&number: &usize| {
            let (panel, number, reference) =
                (number / across, number % across, reference_run.as_ref());
            let line = self.compute_line(mapped_scene, panel, number, reference, work)?;
            work.send(line.clone());
            Ok(line)
        };
        let mut lines = numbers.par_iter().map(line).collect::<Result<Vec<MapLine>, _>>()?;
        lines.sort_by_key(|line| (line.panel, line.number));
        Ok(lines)
    }

    /// Computes the reference run that all cells share. `None` if cells simulate different scenes
    /// or do not show errors.
    fn common_reference(
        &self,
        mapped_scene: &MappedScene,
        work: &Work<MapLine>,
    ) -> Result<Option<Arc<ReferenceRun>>, Cancelled> {
        let same = self.x.quantity.is_setting() && self.y.quantity.is_setting();
        match self.shown {
            ShownQuantity::Error { duration, most } if same => {
                let MappedScene { parts, settings, .. } = mapped_scene;
                ReferenceRun::of(parts, settings, duration, most, &|| work.check()).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn compute_line(
        &self,
        mapped_scene: &MappedScene,
        panel: usize,
        number: usize,
        reference_run: Option<&Arc<ReferenceRun>>,
        work: &Work<MapLine>,
    ) -> Result<MapLine, Cancelled> {
        let (along, across) = self.along_and_across();
        let mapped_scene = MappedScene {
            settings: Settings { integrator: self.integrators[panel], ..mapped_scene.settings },
            ..mapped_scene.clone()
        };
        let value = across.value(number as u32);
        let set_up = |cell: usize| {
            let there = (&along.quantity, along.value(cell as u32));
            mapped_scene.with(&[(&across.quantity, value), there]).ok()
        };
        let same = along.quantity.is_setting();
        let mut runner: Option<CellRunner> = None;
        let mut uncertainty: Option<f64> = None;
        let check = || work.check();
        let mut compute_cell = |cell: usize| {
            // If the scene refuses the settings, e.g. a dt below 1 µs, the cell is not computed.
            let Some((parts, settings)) = set_up(cell) else {
                return Ok(Cell { value: f64::NAN, holds: false });
            };
            let current = match runner.take().filter(|_| same) {
                Some(runner) => runner,
                None => CellRunner::new(self.shown, &parts, settings, reference_run, &check)?,
            };
            if let Some(more) = current.uncertainty() {
                uncertainty = Some(uncertainty.map_or(more, |most| most.max(more)));
            }
            runner.insert(current).compute_cell(settings, &check)
        };
        let count = along.cells as usize;
        let cells = if self.boundary {
            compute_boundaries(count, &mut compute_cell, work)?
        } else {
            let cell = |cell: usize| {
                let found = compute_cell(cell)?;
                work.done(1).map(|()| found)
            };
            (0..count).map(cell).collect::<Result<_, _>>()?
        };
        let theory = match (&mut runner, &along.quantity) {
            (Some(runner), Quantity::Dt) => {
                set_up(0).and_then(|(_, settings)| runner.limit(settings))
            }
            _ => None,
        };
        Ok(MapLine { panel, number, cells, theory, uncertainty })
    }
}

/// Computes every 32nd cell of a row or column. Between two computed cells with different results,
/// bisection finds the boundary.
fn compute_boundaries(
    count: usize,
    compute_cell: &mut impl FnMut(usize) -> Result<Cell, Cancelled>,
    work: &Work<MapLine>,
) -> Result<Vec<Cell>, Cancelled> {
    let mut known: Vec<Option<Cell>> = vec![None; count];
    let mut ends: Vec<usize> = (0..count).step_by(BOUNDARY_STRIDE).collect();
    if ends.last() != Some(&(count - 1)) {
        ends.push(count - 1);
    }
    for &cell in &ends {
        known[cell] = Some(compute_cell(cell)?);
        work.check()?;
    }
    for pair in ends.windows(2) {
        let (mut low, mut high) = (pair[0], pair[1]);
        let holds = |known: &[Option<Cell>], cell: usize| known[cell].is_some_and(|c| c.holds);
        if holds(&known, low) == holds(&known, high) {
            continue;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let found = compute_cell(middle)?;
            work.check()?;
            known[middle] = Some(found);
            if found.holds == holds(&known, low) { low = middle } else { high = middle }
        }
    }
    work.done(count as u64)?;
    let mut holds = known[0].is_some_and(|cell| cell.holds);
    let fill = |cell: Option<Cell>| {
        holds = cell.map_or(holds, |cell| cell.holds);
        cell.unwrap_or(Cell { value: f64::NAN, holds })
    };
    Ok(known.into_iter().map(fill).collect())
}
