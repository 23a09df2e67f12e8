//! Reference motions: positions at equally spaced instants, and the size of the motion.

use crate::analysis::linear::mass_product::pseudo_random;
use crate::model::Parts;
use glam::DVec3;
use serde::Serialize;

/// Tolerance of a Dormand–Prince reference run in the most precise analyses.
pub(in crate::analysis) const REFERENCE_TOLERANCE: f64 = 1e-12;

/// Smallest displacement at which a particle counts as moving, as a fraction of the largest
/// displacement of all particles.
const MOVING_FRACTION: f64 = 0.01;

/// Smallest displacement at which a scene counts as moving, as a fraction of its size: ten times
/// the tolerance of links in a SHAKE reference run.
const REST_FRACTION: f64 = 1e-8;

/// Kind of reference motion from which errors are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReferenceKind {
    /// Exact motion, in closed form.
    ClosedForm,
    /// Run with Dormand–Prince 5(4) at a tolerance of 1e-12 (1e-9 in maps).
    DormandPrince,
    /// Run with the integrator of the lane (the simulation to be judged) at 1/64 of the shortest
    /// step, used if a constraint solver constrains links.
    SameSchemeFiner,
}

/// Instants at which reference positions are needed, and how precise they must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) struct ReferenceTimes {
    /// Duration of the run, in seconds.
    pub duration: f64,
    /// Number of equally spaced instants; the last instant is the end of the run.
    pub instants: u64,
    /// Number of steps of the finest run that is compared with the reference.
    pub finest: u64,
    /// Tolerance of Dormand–Prince, if this integrator computes the reference.
    pub tolerance: f64,
    /// Maximum work of a run, in force evaluations × particles plus sweeps × links. A run that
    /// needs more ends early.
    pub most_work: f64,
}

/// Reference positions of all particles at equally spaced instants.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct Reference {
    pub truth: ReferenceKind,
    /// Positions at every instant. The list ends early if the reference exploded or reached its
    /// work limit.
    positions: Vec<Vec<DVec3>>,
    /// Number of requested instants.
    pub instants: u64,
    /// True if the constraint solver reached its tolerance in every step.
    converged: bool,
    /// True if the run ended early because it reached `most_work` of its [`ReferenceTimes`].
    spent: bool,
    /// Work of the run, in force evaluations × particles plus sweeps × links.
    pub work: f64,
}

impl Reference {
    /// Returns an exact motion, with its positions at every instant.
    pub fn exact(positions: Vec<Vec<DVec3>>) -> Self {
        let begun = Self::begin(ReferenceKind::ClosedForm, positions.len() as u64);
        Self { positions, ..begun }
    }

    /// Begins a run that will store positions at `instants` instants.
    pub fn begin(truth: ReferenceKind, instants: u64) -> Self {
        let positions = Vec::new();
        Self { truth, positions, instants, converged: true, spent: false, work: 0.0 }
    }

    /// Stores the positions at the next instant.
    pub fn store(&mut self, x: &[DVec3]) {
        self.positions.push(x.to_vec());
    }

    /// Marks that the constraint solver missed its tolerance in a step.
    pub fn note_missed_tolerance(&mut self) {
        self.converged = false;
    }

    /// Marks that the run ends early because it reached its work limit.
    pub fn end_early(&mut self) {
        self.spent = true;
    }

    /// True if the reference did not explode and the constraint solver always reached its
    /// tolerance.
    pub fn is_valid(&self) -> bool {
        self.converged && self.is_complete()
    }

    /// True if the run ended early because it reached `most_work` of its [`ReferenceTimes`].
    pub fn is_spent(&self) -> bool {
        self.spent
    }

    /// True if the reference has positions at every requested instant.
    pub fn is_complete(&self) -> bool {
        self.positions.len() as u64 == self.instants
    }

    /// Returns the positions at the instant with this number, counted from 1. `None` if the
    /// reference ended earlier.
    pub fn positions(&self, instant: u64) -> Option<&[DVec3]> {
        self.positions.get(instant as usize - 1).map(Vec::as_slice)
    }

    /// Returns the size of the motion in metres, see [`motion_size`].
    pub fn motion_size(&self, parts: &Parts) -> f64 {
        motion_size(parts, &self.positions)
    }

    /// Returns the largest distance in metres between a particle and its reference position at the
    /// instant with this number, counted from 1. Infinite if the reference ended earlier.
    pub fn distance(&self, instant: u64, x: &[DVec3]) -> f64 {
        match self.positions(instant) {
            Some(there) => x.iter().zip(there).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max),
            None => f64::INFINITY,
        }
    }
}

/// Returns the size of a scene in metres: the diagonal of the box around its particles at the
/// start. If all particles are in one place, the size is 1 m.
pub fn scene_size(parts: &Parts) -> f64 {
    let size = box_diagonal(parts.mesh.positions.iter().copied());
    if size > 0.0 { size } else { 1.0 }
}

/// Returns the size of the motion in metres, which counts as an error of 1 in `advise`, `choose`,
/// `explain` and maps. It is the largest displacement of a particle from its start in a precise run
/// (a reference run with tiny steps), but at most the diagonal of the box around all moving
/// particles. Particles that barely move, such as a ball far away, do not enlarge this box. If
/// nothing moves beyond [`REST_FRACTION`], it is the size of the scene.
pub(in crate::analysis) fn motion_size(parts: &Parts, precise_run: &[Vec<DVec3>]) -> f64 {
    let start = &parts.mesh.positions;
    let mut displacements = vec![0.0_f64; start.len()];
    for positions in precise_run {
        for (most, (x, from)) in displacements.iter_mut().zip(positions.iter().zip(start)) {
            *most = most.max(x.distance(*from));
        }
    }
    let largest = displacements.iter().copied().fold(0.0, f64::max);
    let scene = scene_size(parts);
    if !(largest > REST_FRACTION * scene && largest.is_finite()) {
        return scene;
    }
    let moving = start.iter().zip(&displacements);
    let moving = moving.filter(|(_, moved)| **moved > MOVING_FRACTION * largest);
    let size = box_diagonal(moving.map(|(x, _)| *x));
    if size > 0.0 { largest.min(size) } else { largest }
}

/// Returns the diagonal of the box around points; 0 for fewer than two points.
fn box_diagonal(points: impl Iterator<Item = DVec3>) -> f64 {
    let ends = points.fold(None, |ends: Option<[DVec3; 2]>, x| {
        Some(ends.map_or([x, x], |[least, most]| [least.min(x), most.max(x)]))
    });
    ends.map_or(0.0, |[least, most]| (most - least).length())
}

/// Returns the scene with a pseudo-random change of every velocity, by at most `speed` metres per
/// second.
pub(in crate::analysis) fn perturbed(parts: &Parts, speed: f64) -> Parts {
    let mut perturbed = parts.clone();
    let n = parts.mesh.positions.len();
    let noise = pseudo_random(n);
    perturbed.velocities =
        (0..n).map(|i| parts.velocity(i) + noise[i] * (speed / 3.0_f64.sqrt())).collect();
    perturbed
}
