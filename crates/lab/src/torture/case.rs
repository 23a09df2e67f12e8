//! Random test case that a seed determines, and its failure.

use super::act::Act;
use super::choices::CommandScene;
use super::invariants::Invariant;
use super::scenes::{ChosenScene, random_scene};
use crate::numerics::random::Random;
use crate::scene::dials::{Dial, dials_of};
use crate::scene::{LaneSetup, Scene, SceneError};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// Largest work of a case: steps × (links + particles), weighted by sweeps. So much work takes half
/// a second in an unoptimised build.
const MOST_WORK: f64 = 1.5e6;
/// Smallest and largest number of acts of a case.
const ACT_COUNTS: [f64; 2] = [12.0, 120.0];

/// Test case: the starting state of a session, and the acts to perform.
#[derive(Clone, Debug)]
pub struct Case {
    /// Seed of the random numbers that determine the case.
    pub seed: u64,
    /// Name of the scene's file.
    pub file: String,
    /// Text of the scene file.
    pub text: String,
    /// Lanes (simulations, side by side) at the start.
    pub lanes: Vec<LaneSetup>,
    /// Acts, in order.
    pub acts: Vec<Act>,
    /// Memory budget of the history, in multiples of the size of a snapshot at the start.
    pub(super) keyframes: usize,
    /// True if the lanes keep energy accounts, which list the energy that is added from outside,
    /// removed, and created by the integrator.
    pub(super) keeps_account: bool,
    /// Number of particles in each of two linked rings, which are the first particles of the scene.
    /// `None` if the scene has no linked rings.
    pub(super) rings: Option<usize>,
}

/// Invariant that a case has violated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{invariant}: {finding} (after {acts} acts)")]
pub struct Failure {
    /// Violated invariant.
    pub invariant: Invariant,
    /// Number of acts that were performed when the violation was found.
    pub acts: usize,
    /// Description of the violation.
    pub finding: String,
}

impl Case {
    /// Creates the case that a seed determines.
    pub fn of(seed: u64) -> Self {
        let mut random = Random::new(seed);
        loop {
            let chosen = random_scene(&mut random);
            let Ok(scene) = Scene::parse(&chosen.text, &chosen.file) else { continue };
            let keeps_links = chosen.rings.is_some();
            let dials = dials(&scene, keeps_links);
            let command_scene = CommandScene { scene: &scene, dials, keeps_links };
            let lanes: Vec<_> = (1..=1 + random.below(3))
                .map(|number| command_scene.random_lane(&mut random, number))
                .collect();
            let count = (MOST_WORK / work_of_frame(&scene, &lanes))
                .clamp(ACT_COUNTS[0], ACT_COUNTS[1]) as usize;
            let acts = (0..count).map(|_| command_scene.random_act(&mut random)).collect();
            let (keyframes, keeps_account) = (3 + random.below(20), random.chance(0.5));
            let ChosenScene { file, text, rings } = chosen;
            return Self { seed, file, text, lanes, acts, keyframes, keeps_account, rings };
        }
    }

    /// Returns the scene with the lanes of the case.
    pub(super) fn scene(&self) -> Result<Arc<Scene>, SceneError> {
        let mut scene = Scene::parse(&self.text, &self.file)?;
        scene.lanes.clone_from(&self.lanes);
        Ok(Arc::new(scene))
    }
}

/// Returns the dials of a scene, i.e. the values that the window can change while it runs. If
/// `keeps_links` is true, dials that change the number of links are left out.
fn dials(scene: &Scene, keeps_links: bool) -> Vec<Dial> {
    let dials = dials_of(scene).into_iter().flat_map(|group| group.dials);
    dials.filter(|dial| !(keeps_links && dial.kind.is_whole())).collect()
}

/// Returns the work of a frame in all lanes, in steps × (links + particles), weighted by sweeps.
fn work_of_frame(scene: &Scene, lanes: &[LaneSetup]) -> f64 {
    let size = (scene.parts.mesh.positions.len() + scene.parts.mesh.links.len()) as f64;
    let of = |LaneSetup { settings, .. }: &LaneSetup| {
        let solves = if settings.integrator.as_integrator().info().implicit { 30.0 } else { 0.0 };
        let sweeps = settings.constraints.iterations().map_or(0.0, f64::from);
        let steps = f64::from(settings.substeps) * (0.02 / settings.dt).max(1.0);
        size * steps * (4.0 + sweeps + solves)
    };
    lanes.iter().map(of).sum()
}

/// Writes a failing case as text: its scene, its lanes and its acts.
impl Display for Case {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        let Self { file, text, lanes, acts, keyframes, keeps_account, .. } = self;
        match crate::scene::library::find(file) {
            Ok(entry) => writeln!(out, "scene {}", entry.name)?,
            Err(_) => writeln!(out, "scene {file}:\n{text}")?,
        }
        writeln!(out, "history of {keyframes} snapshots, energy account kept: {keeps_account}")?;
        for (number, LaneSetup { name, settings, frames }) in (1..).zip(lanes) {
            writeln!(out, "lane {number} \"{name}\", frames {frames:?}")?;
            writeln!(out, "  {}", crate::scene::settings_to_ron(settings).replace('\n', "\n  "))?;
        }
        for (number, act) in (1..).zip(acts) {
            writeln!(out, "act {number}: {act:?}")?;
        }
        Ok(())
    }
}
