//! Stability maps: two quantities of a scene, and in every cell the real core.

mod axis;
mod cell;
mod subject;

pub use axis::{Axis, AxisError, MOST_CELLS, Quantity};
pub use subject::{Subject, SubjectError};

use super::job::{Cancelled, Work};
use crate::integrate::Method;
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use cell::{GROWS, Perturbed, STEPS, stretch};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Cells between two that a search for boundaries looks at first.
const STRIDE: usize = 32;

/// What a cell shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shown {
    /// Factor a step by which a small perturbation of the equilibrium grows; holds below 1.007.
    Growth,
    /// Greatest stretch of a link over its rest length, in a run of so many seconds from the start
    /// of the scene; holds below the given stretch.
    Stretch {
        /// Seconds of the run.
        duration: f64,
        /// Greatest stretch that still holds.
        most: f64,
    },
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapPlan {
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// One panel each.
    pub integrators: Vec<Method>,
    /// What a cell shows.
    pub shown: Shown,
    /// Look only for the boundaries: cells between two that agree are taken to agree with them.
    pub boundary: bool,
}

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// What the plan shows; NaN where it was not computed.
    pub value: f64,
    /// Whether it is stable, or stretches no further than it may.
    pub holds: bool,
}

/// The cells of one line of a panel, and where theory sees its limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Number of the integrator in the plan.
    pub panel: usize,
    /// Number of the row; of the column where the plan goes by columns.
    pub number: usize,
    /// Along the row from the left, along the column from below.
    pub cells: Vec<Cell>,
    /// The longest step in seconds that theory lets hold, where dt varies along the line: 0 = none,
    /// ∞ = all.
    pub theory: Option<f64>,
}

impl MapPlan {
    /// Whether cells are computed column by column, so that what is simulated stays the same along
    /// a line as far as possible.
    pub fn by_columns(&self) -> bool {
        self.y.quantity.is_setting() && !self.x.quantity.is_setting()
    }

    /// Cells of a line, and lines of a panel.
    fn along_and_across(&self) -> (&Axis, &Axis) {
        if self.by_columns() { (&self.y, &self.x) } else { (&self.x, &self.y) }
    }

    /// Lines of all panels.
    pub fn lines(&self) -> usize {
        self.integrators.len() * self.along_and_across().1.cells as usize
    }

    /// Tries the corners, which show most mistakes before hours of work.
    pub fn check(&self, subject: &Subject) -> Result<(), SubjectError> {
        for x in [0, self.x.cells - 1] {
            for y in [0, self.y.cells - 1] {
                subject.with(&[
                    (&self.x.quantity, self.x.value(x)),
                    (&self.y.quantity, self.y.value(y)),
                ])?;
            }
        }
        Ok(())
    }

    /// Computes lines of all panels: those whose number leaves `part.0` when divided by `part.1`;
    /// (0, 1) is all. Lines are sent as they are done, in an order that covers the map coarsely
    /// first, and returned in the order of panels and numbers.
    pub fn compute(
        &self,
        subject: &Subject,
        part: (usize, usize),
        work: &Work<Line>,
    ) -> Result<Vec<Line>, Cancelled> {
        let across = self.along_and_across().1.cells as usize;
        let mut numbers: Vec<usize> =
            (0..self.lines()).filter(|line| line % part.1 == part.0).collect();
        // Reversed bits: 0, 1/2, 1/4, 3/4, 1/8, … of the way.
        numbers.sort_by_key(|line| ((line % across) as u32).reverse_bits());
        work.expect((numbers.len() * self.along_and_across().0.cells as usize) as u64);
        let line = |&number: &usize| {
            let line = self.line(subject, number / across, number % across, work)?;
            work.send(line.clone());
            Ok(line)
        };
        let mut lines = numbers.par_iter().map(line).collect::<Result<Vec<Line>, _>>()?;
        lines.sort_by_key(|line| (line.panel, line.number));
        Ok(lines)
    }

    fn line(
        &self,
        subject: &Subject,
        panel: usize,
        number: usize,
        work: &Work<Line>,
    ) -> Result<Line, Cancelled> {
        let (along, across) = self.along_and_across();
        let subject = Subject {
            settings: Settings { integrator: self.integrators[panel], ..subject.settings },
            ..subject.clone()
        };
        let value = across.value(number as u32);
        let made = |cell: usize| {
            let there = (&along.quantity, along.value(cell as u32));
            subject.with(&[(&across.quantity, value), there]).ok()
        };
        let same = along.quantity.is_setting();
        let mut kept: Option<CellRunner> = None;
        let mut look = |cell: usize| {
            // A cell that the scene refuses, such as a dt below 1 µs, is not computed.
            let Some((parts, settings)) = made(cell) else {
                return Cell { value: f64::NAN, holds: false };
            };
            if !same {
                kept = None;
            }
            kept.get_or_insert_with(|| CellRunner::new(self.shown, &parts, settings)).look(settings)
        };
        let count = along.cells as usize;
        let cells = if self.boundary {
            boundaries(count, &mut look, work)?
        } else {
            let cell = |cell: usize| {
                let found = look(cell);
                work.done(1).map(|()| found)
            };
            (0..count).map(cell).collect::<Result<_, _>>()?
        };
        let theory = match (&mut kept, &along.quantity) {
            (Some(runner), Quantity::Dt) => runner.limit(),
            _ => None,
        };
        Ok(Line { panel, number, cells, theory })
    }
}

/// What computes the cells of a line, as long as the same thing is simulated.
enum CellRunner {
    Growth(Box<Perturbed>),
    Stretch { simulation: Box<Simulation>, duration: f64, most: f64 },
}

impl CellRunner {
    fn new(shown: Shown, parts: &Arc<Parts>, settings: Settings) -> Self {
        match shown {
            Shown::Growth => Self::Growth(Box::new(Perturbed::new(parts, settings))),
            Shown::Stretch { duration, most } => {
                let simulation = Box::new(Simulation::new(parts.clone(), settings));
                Self::Stretch { simulation, duration, most }
            }
        }
    }

    /// The longest step that theory lets hold, where growth is shown.
    fn limit(&mut self) -> Option<f64> {
        match self {
            Self::Growth(perturbed) => Some(perturbed.limit()),
            Self::Stretch { .. } => None,
        }
    }

    fn look(&mut self, settings: Settings) -> Cell {
        match self {
            Self::Growth(perturbed) => {
                let value = perturbed.growth(settings);
                Cell { value, holds: value <= GROWS }
            }
            Self::Stretch { simulation, duration, most } => {
                let value = stretch(simulation, settings, *duration);
                Cell { value, holds: value <= *most }
            }
        }
    }
}

/// Cells of a line of which only some are computed: every 32nd, and between two that differ all
/// that halving needs to find where.
fn boundaries(
    count: usize,
    look: &mut impl FnMut(usize) -> Cell,
    work: &Work<Line>,
) -> Result<Vec<Cell>, Cancelled> {
    let mut known: Vec<Option<Cell>> = vec![None; count];
    let mut ends: Vec<usize> = (0..count).step_by(STRIDE).collect();
    if ends.last() != Some(&(count - 1)) {
        ends.push(count - 1);
    }
    for &cell in &ends {
        known[cell] = Some(look(cell));
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
            let found = look(middle);
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

/// Steps after which the growth of a cell is known at the latest.
pub const GROWTH_STEPS: usize = STEPS;
