//! Values of lanes over time: energy, stretch, and distance from the first lane.

use crate::cli::error::Error;
use crate::cli::progress::Progress;
use glam::DVec3;
use rayon::prelude::*;
use ropelab::analysis::{self, Outcome, PlannedRun, RunEvent};
use ropelab::export::OutputFile;
use ropelab::export::positions::Instants;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use std::convert::Infallible;
use std::io::Write;
use std::sync::Arc;

/// Maximum number of stored positions of the first lane: 1.2 GB.
const MOST_POSITIONS: f64 = 5e7;

/// Values of one lane at equidistant instants, until the lane explodes or ends.
#[derive(Debug, Default)]
pub struct LaneSeries {
    /// Total energy in joules, largest strain, and largest distance of a particle from its position
    /// in the first lane in metres, for each instant.
    rows: Vec<[f64; 3]>,
    /// Positions of all particles in metres at each instant. Stored only for the first lane,
    /// because the others are compared with it.
    places: Vec<Vec<DVec3>>,
}

impl LaneSeries {
    /// Returns the greatest distance from the first lane in metres; `None` if no instant was
    /// recorded.
    pub fn greatest_distance(&self) -> Option<f64> {
        self.rows.iter().map(|row| row[2]).reduce(f64::max)
    }
}

/// Runs the first lane, then the others in parallel. The others are compared with the first lane
/// every `every` seconds.
pub fn run_lanes(
    scene: &Arc<Scene>,
    runs: &[PlannedRun],
    every: f64,
    clock: &(dyn Fn() -> f64 + Sync),
    progress: &Progress,
) -> Result<Vec<(Outcome, LaneSeries)>, Error> {
    let particles = scene.parts.mesh.positions.len() as f64;
    let places = particles * runs.first().map_or(0.0, |run| run.plan.duration / every);
    if places > MOST_POSITIONS {
        return Err(Error::Settings(format!(
            "--every needs {places:.1e} stored positions, expected at most {MOST_POSITIONS:.0e}: \
             use a longer interval or a shorter duration"
        )));
    }
    let run = |PlannedRun { settings, plan }: &PlannedRun, first: Option<&LaneSeries>| {
        let mut simulation = Simulation::new(scene.parts.clone(), *settings);
        simulation.start_energy_account();
        let (mut series, mut instants) = (LaneSeries::default(), Instants::every(every));
        let outcome = analysis::run(&mut simulation, plan, clock, |simulation, passed| {
            if passed != RunEvent::Frame {
                progress.count_step();
                series.record(simulation, passed, &mut instants, first);
            }
            Ok::<(), Infallible>(())
        });
        let Ok(outcome) = outcome;
        (outcome, series)
    };
    let Some((first, others)) = runs.split_first() else { return Ok(Vec::new()) };
    let first = run(first, None);
    let others: Vec<_> = others.par_iter().map(|lane| run(lane, Some(&first.1))).collect();
    Ok(std::iter::once(first).chain(others).collect())
}

impl LaneSeries {
    fn record(
        &mut self,
        simulation: &Simulation,
        passed: RunEvent,
        instants: &mut Instants,
        first: Option<&Self>,
    ) {
        let now = simulation.state();
        let before = if passed == RunEvent::Nothing { now } else { simulation.previous() };
        for due in instants.until(now.t) {
            let part = if now.t > before.t { (due - before.t) / (now.t - before.t) } else { 1.0 };
            let part = part.clamp(0.0, 1.0);
            let places = before.x.iter().zip(&now.x).map(|(a, b)| a.lerp(*b, part));
            let places: Vec<DVec3> = places.collect();
            let distance = match first {
                None => 0.0,
                Some(first) => match first.places.get(self.rows.len()) {
                    None => f64::NAN,
                    Some(there) => {
                        let both = there.iter().zip(&places);
                        both.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
                    }
                },
            };
            self.rows.push([simulation.energy().total(), simulation.stretch().max, distance]);
            if first.is_none() {
                self.places.push(places);
            }
        }
    }
}

/// Writes a table of all lanes with a row per instant: `t`, then `total`, `stretch_max` and
/// `distance` of each lane with its number from 1. Values after the end of a lane are NaN.
pub fn write_table(file: OutputFile, every: f64, lanes: &[&LaneSeries]) -> Result<(), Error> {
    let mut file = file;
    let names = (1..=lanes.len()).map(|n| format!(",total{n},stretch_max{n},distance{n}"));
    let mut text = format!("t{}\n", names.collect::<String>());
    let rows = lanes.iter().map(|lane| lane.rows.len()).max().unwrap_or(0);
    for row in 0..rows {
        text += &format!("{:?}", row as f64 * every);
        for lane in lanes {
            let values = lane.rows.get(row).copied().unwrap_or([f64::NAN; 3]);
            text.extend(values.map(|value| format!(",{:?}", value + 0.0)));
        }
        text += "\n";
    }
    file.write_all(text.as_bytes()).map_err(|e| file.error(e))?;
    Ok(file.finish()?)
}
