//! Output files and measurements of a run.

use ropelab::analysis::{ExactMotions, RunEvent};
use ropelab::export::positions::{Instants, PositionsFile, add_moments};
use ropelab::export::{CsvColumns, ExportError, OutputFile, contacts};
use ropelab::measure::{Phases, Swing};
use ropelab::quantity::argument::Interval;
use ropelab::scene::Scene;
use ropelab::scene::typed::reading::Measure;
use ropelab::simulation::Simulation;
use serde::Serialize;

pub struct CsvFile {
    pub file: OutputFile,
    pub columns: CsvColumns,
    pub rows: Rows,
    /// Kind of event without a row: steps if the table has one row per frame, otherwise frames.
    pub skipped: RunEvent,
}

/// Choice of the steps or frames that get a row.
pub enum Rows {
    /// Every n-th step or frame; `seen` counts the steps or frames so far.
    EveryNth { n: u64, seen: u64 },
    /// First step or frame at or after each instant.
    At(Instants),
}

impl Rows {
    pub fn of(every: Option<Interval>) -> Self {
        match every {
            None => Self::EveryNth { n: 1, seen: 0 },
            Some(Interval::Steps(n)) => Self::EveryNth { n, seen: 0 },
            Some(Interval::Seconds(seconds)) => Self::At(Instants::every(seconds)),
        }
    }

    fn wants_row(&mut self, t: f64) -> bool {
        match self {
            Self::EveryNth { n, seen } => {
                *seen += 1;
                (*seen - 1).is_multiple_of(*n)
            }
            Self::At(instants) => instants.until(t).last().is_some(),
        }
    }
}

pub struct Outputs {
    pub table: Option<CsvFile>,
    pub positions: Option<(PositionsFile, Instants)>,
    pub contacts: Option<OutputFile>,
    swings: Vec<Swing>,
    phases: Vec<Phases>,
    lane: String,
    exact: Option<ExactMotions>,
    exact_distance: f64,
}

impl Outputs {
    /// Creates the measurements of a scene, without files.
    pub fn of(scene: &Scene, lane: &str, simulation: &Simulation) -> Self {
        let wanted = &scene.annotations;
        Self {
            table: None,
            positions: None,
            contacts: None,
            swings: vec![Swing::default(); wanted.periods.len()],
            phases: wanted.phases.iter().map(|it| Phases::of(it.velocity)).collect(),
            lane: lane.to_owned(),
            exact: ExactMotions::of(simulation.parts(), simulation.settings()),
            exact_distance: 0.0,
        }
    }

    /// Adds the initial state, a step or a frame to the files and measurements.
    pub fn record(
        &mut self,
        scene: &Scene,
        simulation: &Simulation,
        passed: RunEvent,
    ) -> Result<(), ExportError> {
        self.write_row(simulation, passed)?;
        if passed == RunEvent::Frame {
            return Ok(());
        }
        let state = simulation.state();
        if let Some((file, instants)) = &mut self.positions {
            let before = match passed {
                RunEvent::Nothing => state,
                RunEvent::Step | RunEvent::Frame => simulation.previous(),
            };
            add_moments(file, instants, [(before.t, &before.x), (state.t, &state.x)])?;
        }
        if let Some(file) = &mut self.contacts {
            let written = match passed {
                RunEvent::Nothing => contacts::write_header(file),
                RunEvent::Step | RunEvent::Frame => contacts::write_rows(simulation, file),
            };
            written.map_err(|e| file.error(e))?;
        }
        for (swing, (particle, _)) in self.swings.iter_mut().zip(&scene.annotations.periods) {
            swing.observe(state.t, state.x[*particle as usize].x);
        }
        for (phases, wanted) in self.phases.iter_mut().zip(&scene.annotations.phases) {
            phases.observe(state.t, state.v[wanted.of as usize]);
        }
        if let Some(exact) = &self.exact {
            let there = exact.positions(state.t);
            let distances = there.iter().zip(&state.x).map(|(a, b)| a.distance(*b));
            self.exact_distance = distances.fold(self.exact_distance, f64::max);
        }
        Ok(())
    }

    fn write_row(&mut self, simulation: &Simulation, passed: RunEvent) -> Result<(), ExportError> {
        let Some(CsvFile { file, columns, rows, skipped }) = &mut self.table else {
            return Ok(());
        };
        if passed == RunEvent::Nothing {
            columns.write_header(simulation, file).map_err(|e| file.error(e))?;
        }
        if passed == RunEvent::Step {
            columns.finish_late_row(simulation, file).map_err(|e| file.error(e))?;
        }
        if passed != *skipped && rows.wants_row(simulation.state().t) {
            columns.write_row(simulation, file).map_err(|e| file.error(e))?;
        }
        Ok(())
    }

    /// Completes all files and returns the measurements. Until then the files have temporary names.
    /// `peak_stretch` is the largest strain of any link in the run.
    pub fn finish(
        self,
        scene: &Scene,
        simulation: &Simulation,
        peak_stretch: f64,
    ) -> Result<Measurements, ExportError> {
        if let Some(CsvFile { mut file, mut columns, .. }) = self.table {
            columns.finish(&mut file).map_err(|e| file.error(e))?;
            file.finish()?;
            columns.warning().iter().for_each(|warning| eprintln!("{warning}"));
        }
        if let Some((file, _)) = self.positions {
            file.finish()?;
        }
        self.contacts.map_or(Ok(()), OutputFile::finish)?;
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let readings =
            scene.annotations.readings.iter().filter(|reading| reading.is_shown_in(&self.lane));
        let readings = readings.map(|reading| {
            let [measured, formula] = reading.values(simulation);
            // Lanes record their peak only in the window, so the peak comes from the run here.
            let measured = match reading.measure {
                Measure::PeakStretch => measured.max(100.0 * peak_stretch),
                _ => measured,
            };
            let [measured, formula] = [measured, formula].map(finite);
            let (name, unit) = (reading.name.clone(), reading.unit.clone());
            ReadingReport { name, measured, unit, formula: reading.formula.clone(), value: formula }
        });
        let names = scene.annotations.periods.iter().map(|(_, name)| name.clone());
        let periods = names
            .zip(&self.swings)
            .map(|(name, swing)| PeriodReport { name, seconds: swing.period() });
        let phases = scene.annotations.phases.iter().zip(&self.phases);
        let phases = phases.flat_map(|(wanted, phases)| {
            let timed = wanted.words.iter().cloned().zip(phases.means());
            timed.map(|(name, seconds)| PeriodReport { name, seconds })
        });
        Ok(Measurements {
            readings: readings.collect(),
            periods: periods.chain(phases).collect(),
            exact_distance: self.exact.map(|_| self.exact_distance),
        })
    }
}

/// Measurements of a run that the scene defines.
#[derive(Debug, Default, Serialize)]
pub struct Measurements {
    /// Readings of the scene.
    pub readings: Vec<ReadingReport>,
    /// Last whole periods, and mean durations of phases.
    pub periods: Vec<PeriodReport>,
    /// Greatest distance of a particle from the exact motion in metres, if known.
    pub exact_distance: Option<f64>,
}

/// Measured value and prediction of a formula. A value that is not a number is null.
#[derive(Debug, Serialize)]
pub struct ReadingReport {
    /// Name in the scene file.
    pub name: String,
    /// Measured value.
    pub measured: Option<f64>,
    /// Unit of both values.
    pub unit: String,
    /// Formula as text.
    pub formula: String,
    /// Predicted value.
    pub value: Option<f64>,
}

/// Period of an oscillation, or mean duration of a phase.
#[derive(Debug, Serialize)]
pub struct PeriodReport {
    /// Name in the scene file.
    pub name: String,
    /// Period or duration in seconds.
    pub seconds: Option<f64>,
}
