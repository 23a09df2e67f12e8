//! Random sessions that are watched by invariants: a seed gives a scene, settings and what happens,
//! and everything that does must keep the promises of the laboratory.
//!
//! ```text
//! seed ─► Case (scene, lanes, acts) ─► check_case: Session + History + recording, beside a straight run
//!                                           │ Failure
//!                                           ▼
//!                                      reduce: acts and lanes are left out while it still fails
//! ```

mod choices;
mod invariants;
pub mod random;
mod reduce;
mod rig;
mod scenes;

pub use invariants::Invariant;
pub use reduce::reduce;
pub use rig::{Extra, Passed, check_case, check_case_with};

use crate::scene::{LaneSetup, Scene, SceneError};
use crate::session::Session;
use crate::simulation::settings::Command;
use choices::Subject;
use random::Random;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// Steps of a link or particle, weighed by sweeps, that a case may take: half a second in an
/// unoptimised build.
const WORK: f64 = 1.5e6;
/// Fewest and most acts.
const ACTS: [f64; 2] = [12.0, 120.0];

/// Something that happens to a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A frame passes.
    Frame {
        /// Its length in seconds.
        seconds: f64,
        /// The watchdog ended it after so many steps.
        steps: Option<u32>,
    },
    /// A command is given.
    Command(Box<Command>),
    /// The session goes to a moment, as a share of what is kept. What happens next goes on from there.
    Seek(f64),
    /// The session goes back by so many steps, one at a time.
    StepBack(usize),
    /// A cut, a pin, a throw or an edit of the scene is undone; which, as a share of all.
    Undo(f64),
    /// Repeats the edit that was undone last.
    Redo,
    /// The branch takes the place of what came after its fork.
    TakeUpBranch,
    /// The recording is read and played, and the session goes on from its end.
    Reload,
    /// The scene is saved, as it is typed and as it is now, and read back.
    Save,
}

/// A session: what it starts from and what happens to it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The seed that it was made from.
    pub seed: u64,
    /// Name of the scene's file.
    pub file: String,
    /// The scene as it is typed.
    pub text: String,
    /// Lanes at the start.
    pub lanes: Vec<LaneSetup>,
    /// Acts, in order.
    pub acts: Vec<Act>,
    /// Memory of the history, in snapshots of the start.
    keyframes: usize,
    /// Whether books of energy are kept.
    keeps_books: bool,
    /// Particles of each of two linked rings, the first ones of the scene.
    rings: Option<usize>,
}

/// A broken invariant.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Invariant that was broken.
    pub invariant: Invariant,
    /// Acts up to and with the one after which it was found broken.
    pub acts: usize,
    /// Fault that was found.
    pub finding: String,
}

impl Display for Failure {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        write!(out, "{}: {} (after {} events)", self.invariant, self.finding, self.acts)
    }
}

impl Case {
    /// The case of a seed.
    pub fn of(seed: u64) -> Self {
        let mut random = Random::new(seed);
        loop {
            let chosen = scenes::random_scene(&mut random);
            let Ok(scene) = Scene::parse(&chosen.text, &chosen.file) else { continue };
            let subject = Subject { scene: &scene, keeps_links: chosen.rings.is_some() };
            let lanes: Vec<_> =
                (1..=1 + random.below(3)).map(|number| subject.lane(&mut random, number)).collect();
            let count = (WORK / work_of_frame(&scene, &lanes)).clamp(ACTS[0], ACTS[1]) as usize;
            let acts = (0..count).map(|_| subject.act(&mut random)).collect();
            let (keyframes, keeps_books) = (3 + random.below(20), random.chance(0.5));
            let scenes::Chosen { file, text, rings } = chosen;
            return Self { seed, file, text, lanes, acts, keyframes, keeps_books, rings };
        }
    }

    /// The scene with the lanes of the start.
    fn scene(&self) -> Result<Arc<Scene>, SceneError> {
        let mut scene = Scene::parse(&self.text, &self.file)?;
        scene.lanes.clone_from(&self.lanes);
        Ok(Arc::new(scene))
    }

    /// A session at the start.
    fn session(scene: &Arc<Scene>) -> Session {
        Session::new(scene.clone())
    }
}

/// Work of a frame in all lanes, in links and particles, weighed by sweeps.
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

/// Text about a case that fails: its scene, its lanes and what happens.
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
