//! Random sessions that are tested by invariants: a seed determines a scene, settings and acts, and
//! all of them must keep the promises of the laboratory.
//!
//! ```text
//! seed ─► Case (scene, lanes, acts) ─► check_case: Session + History + recording + straight run
//!                                           │ Failure
//!                                           ▼
//!                                      reduce: acts and lanes are left out while it still fails
//! ```

mod choices;
mod invariants;
mod reduce;
mod rig;
mod scenes;
mod undo;

pub use invariants::Invariant;
pub use reduce::reduce;
pub use rig::{Extra, Passed, check_case, check_case_until, check_case_with};

use crate::numerics::random::Random;
use crate::preset::Preset;
use crate::scene::dials::{Dial, dials_of};
use crate::scene::{LaneSetup, Scene, SceneError};
use crate::session::Session;
use crate::simulation::settings::Command;
use choices::Subject;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// Most work of a case, in steps of a link or particle, weighted by sweeps: half a second in an
/// unoptimised build.
const WORK: f64 = 1.5e6;
/// Fewest and most acts of a case.
const ACTS: [f64; 2] = [12.0, 120.0];

/// Act: something that happens to a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A frame passes.
    Frame {
        /// Length of the frame in seconds.
        seconds: f64,
        /// Number of steps after which the watchdog ended the frame, if it did.
        steps: Option<u32>,
    },
    /// A command is given.
    Command(Box<Command>),
    /// The session travels to a moment, given as a fraction of the kept history. Later acts
    /// continue from there.
    Seek(f64),
    /// The session steps back by this many steps, one at a time.
    StepBack(usize),
    /// Replaces all lanes by those of a comparison, built from the settings of this lane.
    Compare(Preset, usize),
    /// An act of the hand, a change of settings, of the scene or of the lanes is removed from the
    /// past; the number selects it, as a fraction of all of them.
    Undo(f64),
    /// Restores the edit that was removed last.
    Redo,
    /// The branch replaces the events after its fork.
    TakeUpBranch,
    /// The recording is read and played, and the session continues from its end.
    Reload,
    /// The scene is saved, as typed and in its present state, and read again.
    Save,
}

/// Session to test: its starting state and its acts.
#[derive(Clone, Debug)]
pub struct Case {
    /// Seed from which the case was made.
    pub seed: u64,
    /// Name of the scene's file.
    pub file: String,
    /// Scene as it is typed.
    pub text: String,
    /// Lanes at the start.
    pub lanes: Vec<LaneSetup>,
    /// Acts, in order.
    pub acts: Vec<Act>,
    /// Memory of the history, in multiples of a snapshot of the start.
    keyframes: usize,
    /// True if books of energy are kept.
    keeps_books: bool,
    /// Number of particles of each of two linked rings, the first ones of the scene.
    rings: Option<usize>,
}

/// Invariant that a case has broken.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The broken invariant.
    pub invariant: Invariant,
    /// Number of acts up to and including the one after which it was found broken.
    pub acts: usize,
    /// Description of the fault.
    pub finding: String,
}

impl Display for Failure {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        write!(out, "{}: {} (after {} events)", self.invariant, self.finding, self.acts)
    }
}

impl Case {
    /// Returns the case of a seed.
    pub fn of(seed: u64) -> Self {
        let mut random = Random::new(seed);
        loop {
            let chosen = scenes::random_scene(&mut random);
            let Ok(scene) = Scene::parse(&chosen.text, &chosen.file) else { continue };
            let keeps_links = chosen.rings.is_some();
            let dials = dials(&scene, keeps_links);
            let subject = Subject { scene: &scene, dials, keeps_links };
            let lanes: Vec<_> =
                (1..=1 + random.below(3)).map(|number| subject.lane(&mut random, number)).collect();
            let count = (WORK / work_of_frame(&scene, &lanes)).clamp(ACTS[0], ACTS[1]) as usize;
            let acts = (0..count).map(|_| subject.act(&mut random)).collect();
            let (keyframes, keeps_books) = (3 + random.below(20), random.chance(0.5));
            let scenes::Chosen { file, text, rings } = chosen;
            return Self { seed, file, text, lanes, acts, keyframes, keeps_books, rings };
        }
    }

    /// Returns the scene with the lanes of the start.
    fn scene(&self) -> Result<Arc<Scene>, SceneError> {
        let mut scene = Scene::parse(&self.text, &self.file)?;
        scene.lanes.clone_from(&self.lanes);
        Ok(Arc::new(scene))
    }

    /// Returns a session at the start.
    fn session(scene: &Arc<Scene>) -> Session {
        Session::new(scene.clone())
    }
}

/// Returns the dials of a scene; where linked rings are counted, their numbers of links stay.
fn dials(scene: &Scene, keeps_links: bool) -> Vec<Dial> {
    let dials = dials_of(scene).into_iter().flat_map(|group| group.dials);
    dials.filter(|dial| !(keeps_links && dial.kind.is_whole())).collect()
}

/// Returns the work of a frame in all lanes, in links and particles, weighted by sweeps.
fn work_of_frame(scene: &Scene, lanes: &[LaneSetup]) -> f64 {
    let size = (scene.parts.mesh.positions.len() + scene.parts.mesh.links.len()) as f64;
    let of = |LaneSetup { settings, .. }: &LaneSetup| {
        let solves = if settings.integrator.scheme().info().implicit { 30.0 } else { 0.0 };
        let sweeps = settings.constraints.iterations().map_or(0.0, f64::from);
        let steps = f64::from(settings.substeps) * (0.02 / settings.dt).max(1.0);
        size * steps * (4.0 + sweeps + solves)
    };
    lanes.iter().map(of).sum()
}

/// Describes a failing case: its scene, its lanes and its acts.
impl Display for Case {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        let Self { file, text, lanes, acts, keyframes, keeps_books, .. } = self;
        match crate::scene::library::find(file) {
            Ok(entry) => writeln!(out, "scene {}", entry.name)?,
            Err(_) => writeln!(out, "scene {file}:\n{text}")?,
        }
        writeln!(out, "history of {keyframes} snapshots, books of energy kept: {keeps_books}")?;
        for (number, LaneSetup { name, settings, frames }) in (1..).zip(lanes) {
            writeln!(out, "lane {number} \"{name}\", frames {frames:?}")?;
            writeln!(out, "  {}", crate::scene::settings_to_ron(settings).replace('\n', "\n  "))?;
        }
        for (number, act) in (1..).zip(acts) {
            writeln!(out, "event {number}: {act:?}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
