//! Reactions: accelerations by constraints and contacts, and the velocities that include them.
//!
//! Two velocities of a particle are distinguished:
//! - The *integrator velocity* v, from which the integrator continues after a projection:
//!   v' = v + a h + D/h, where D = x' − x_free is the displacement by the projection. It lacks the
//!   effect of the next reaction: a mass at rest on a rigid link has v = −½ g h under Verlet.
//! - The *motion velocity* V, which is drawn, measured and passed to force laws such as drag.
//!
//! The reaction r = D/h² is the acceleration that constraints gave a particle. The omitted fraction
//! s is the fraction of a constant acceleration a that the integrator omits from the displacement
//! of a step:
//! ```text
//! x' = x + v h + (1 − s) a h² + D,     v' = v + a h + D/h
//! at rest: D = −a h², v' = v, hence v = s a h = −s h r
//! ```
//! At rest V must be 0, so V = v' + s h r. For s = ½, V is the central difference of the positions
//! up to O(h²).
//!
//! Springs and bends that act in addition to constraints are evaluated on the free motion, so a
//! varies along it. The reaction r is then chosen so that v' + s h r = (x' − x)/h + s (v' − v). If
//! a is constant, this r equals D/h². For a particle at rest it makes V = 0.

use crate::integrate::Integrator;
use crate::model::Model;
use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::numerics::block_matrix::BlockMatrix;
use ropelab_mechanics::numerics::state::{State, StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::{ScratchColumns, System};
use std::cell::RefCell;

/// Acceleration of the probe in m/s², a power of 2. It is too small to change the norms and error
/// estimates that integrators compute over all particles.
const PROBE: f64 = 1.0 / (1_u64 << 40) as f64;

/// Buffers for free motion in which force laws are evaluated at the motion velocities V.
#[derive(Clone, Debug, Default)]
pub(super) struct InMotionScratch {
    /// Masses of all particles, then of the probe, in kilograms.
    masses: Vec<f64>,
    /// Motion velocities V in m/s, for force laws.
    v: Vec<DVec3>,
}

/// A model whose force laws are evaluated at the motion velocities V at every stage of an
/// integrator. Its springs are evaluated on the free motion, and the next reaction responds to
/// them.
///
/// The last particle is a probe: it has a constant acceleration and no other forces. Its velocity
/// at a stage shows which fraction of a constant acceleration, such as the reaction of the last
/// substep, the integrator has turned into velocity by then.
struct InMotion<'a> {
    model: &'a Model,
    /// Reactions r of the last substep in m/s², one per particle.
    reaction: &'a [DVec3],
    masses: &'a [f64],
    v: RefCell<&'a mut Vec<DVec3>>,
}

/// Takes a step of free motion in which force laws are evaluated at the motion velocities V = v +
/// `kick` · r. r is the reaction, and `kick` is s h in seconds. During the step the columns of both
/// states also contain the probe.
pub(super) fn move_freely(
    model: &Model,
    reaction: &[DVec3],
    kick: f64,
    scratch: &mut InMotionScratch,
    start: &mut State,
    end: &mut State,
    step: impl FnOnce(&dyn System, StateRef, StateMut),
) {
    let InMotionScratch { masses, v } = scratch;
    masses.clear();
    masses.extend_from_slice(model.masses());
    masses.push(1.0);
    start.x.push(DVec3::ZERO);
    start.v.push(DVec3::X * (kick * PROBE));
    end.resize(start.len());
    let system = InMotion { model, reaction, masses, v: RefCell::new(v) };
    step(&system, start.view(), end.view_mut());
    for state in [start, end] {
        state.resize(reaction.len());
    }
}

impl InMotion<'_> {
    /// Calls `f` with the motion velocities V at a stage, for force laws.
    fn with_motion_velocities<R>(&self, v: &[DVec3], f: impl FnOnce(&[DVec3]) -> R) -> R {
        let mut motion_v = self.v.borrow_mut();
        let fraction = v[self.reaction.len()].x / PROBE;
        motion_v.clear();
        motion_v.extend(v.iter().zip(self.reaction).map(|(v, r)| *v + fraction * *r));
        f(&motion_v)
    }
}

impl System for InMotion<'_> {
    fn masses(&self) -> &[f64] {
        self.masses
    }

    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        let n = self.reaction.len();
        self.with_motion_velocities(v, |motion_v| {
            self.model.accelerations_at(StateRef { t, x, v }.part(0..n), motion_v, &mut a[..n]);
        });
        a[n] = DVec3::X * PROBE;
    }

    fn acceleration_jvp(&self, at: StateRef, d: [&[DVec3]; 2], out: &mut [DVec3]) {
        let n = self.reaction.len();
        self.with_motion_velocities(at.v, |motion_v| {
            self.model.jvp_at(at.part(0..n), motion_v, d.map(|column| &column[..n]), &mut out[..n]);
        });
        out[n] = DVec3::ZERO;
    }

    /// Writes the blocks of the model. The probe has no row in the matrix, because this row would
    /// contain only the probe's mass.
    fn blocks(
        &self,
        at: StateRef,
        factors: [f64; 2],
        scratch: ScratchColumns,
        matrix: &mut BlockMatrix,
    ) -> bool {
        let n = self.reaction.len();
        let scratch = scratch.map(|column| &mut column[..n]);
        self.with_motion_velocities(at.v, |motion_v| {
            self.model.blocks_at(
                StateRef { v: motion_v, ..at.part(0..n) },
                factors,
                scratch,
                matrix,
            )
        })
    }
}

/// Converts integrator velocities v into motion velocities V = v + s h r, with `kick` = s h. A
/// negative `kick` converts back.
pub(super) fn add_kick(v: &mut [DVec3], kick: f64, reaction: &[DVec3]) {
    for (v, r) in v.iter_mut().zip(reaction) {
        *v += kick * *r;
    }
}

/// Start and result of a substep of `h` seconds.
pub(super) struct SubstepResult<'a> {
    pub start: StateRef<'a>,
    /// Positions x_free after free motion, in metres.
    pub free: &'a [DVec3],
    /// Positions x' after the projection, in metres.
    pub x: &'a [DVec3],
    /// Velocities v' in m/s after the update by the projection.
    pub v: &'a [DVec3],
    pub h: f64,
}

impl SubstepResult<'_> {
    /// Computes the reaction r = D/(c h²) of each particle. If a particle is held against an
    /// acceleration a, a projection removes the displacement c a h²; c is `projected_fraction`.
    pub fn compute_reaction(&self, projected_fraction: f64, reaction: &mut Vec<DVec3>) {
        let rate = 1.0 / self.h;
        reaction.clear();
        let columns = self.x.iter().zip(self.free);
        reaction.extend(columns.map(|(x, free)| (*x - *free) * rate * (rate / projected_fraction)));
    }

    /// Computes the reaction r for which v' + s h r = (x' − x)/h + s (v' − v), for forces that vary
    /// along the free motion.
    pub fn compute_reaction_with_varying_forces(&self, s: f64, reaction: &mut Vec<DVec3>) {
        let Self { start, free, x, v, h } = *self;
        let (rate, per_kick) = (1.0 / h, 1.0 / (s * h));
        reaction.clear();
        let columns = izip!(x, v, free, start.x, start.v);
        reaction.extend(columns.map(|(x, v, free, x_start, v_start)| {
            if x == free {
                return DVec3::ZERO;
            }
            ((*x - *x_start) * rate + s * (*v - *v_start) - *v) * per_kick
        }));
    }
}

/// First step of a simulation, without a reaction of a previous step.
pub(super) struct FirstStep<'a> {
    pub model: &'a Model,
    pub integrator: &'a dyn Integrator,
    /// Fraction s of a constant acceleration that the step omits from its displacement.
    pub omitted_fraction: f64,
    /// True if force laws are evaluated at the motion velocities V.
    pub laws_include_reactions: bool,
    /// Length of the step in seconds.
    pub h: f64,
}

/// Convergence tolerance in m/s: h times the change of the first reaction between two trials. At
/// this speed a mass of 1 kg has 5e-15 J.
const REACTION_TOLERANCE: f64 = 1e-7;
/// Largest number of trial steps. Each trial multiplies the error of the first reaction by (ωh)²/2,
/// where ω is the angular frequency of the springs and bends that act in addition to constraints.
const MOST_TRIALS: u32 = 8;

impl FirstStep<'_> {
    /// Computes the first reaction r = 2D/h². D leads from x + V h + ½ a h² to positions that
    /// satisfy the constraints, and V is the motion velocity. `project` replaces positions by the
    /// displacements that move them onto the constraints.
    ///
    /// Springs and bends that act in addition to constraints are evaluated on the free motion,
    /// which starts with the velocity V − s h r. Trial steps give the resulting acceleration a, and
    /// the difference between the displacement and V h + (1 − s) a h².
    pub fn find_reaction(
        &self,
        state: &mut State,
        reaction: &mut Vec<DVec3>,
        in_motion: &mut InMotionScratch,
        project: &mut dyn FnMut(&[DVec3], &mut [DVec3]),
    ) {
        let Self { model, h, .. } = *self;
        let n = state.len();
        let [mut a, mut beside] = [(); 2].map(|()| vec![DVec3::ZERO; n]);
        model.accelerations(state.t, &state.x, &state.v, &mut a);
        let trials = if model.has_inner_forces() { MOST_TRIALS } else { 0 };
        reaction.resize(n, DVec3::ZERO);
        for trial in 0..=trials {
            let columns = izip!(&state.x, &state.v, &a);
            let mut displacement: Vec<_> =
                columns.map(|(x, v, a)| *x + *v * h + *a * (0.5 * h * h)).collect();
            project(&state.x, &mut displacement);
            let mut change = 0.0_f64;
            for (r, displacement, beside) in izip!(&mut *reaction, displacement, &beside) {
                let is_held = displacement != DVec3::ZERO;
                let new =
                    displacement * (2.0 / (h * h)) + if is_held { *beside } else { DVec3::ZERO };
                change = change.max((new - *r).abs().max_element());
                *r = new;
            }
            if trial == trials || change * h < REACTION_TOLERANCE {
                return;
            }
            self.try_step(state, reaction, in_motion, [&mut a, &mut beside]);
        }
    }

    /// Takes a trial step of free motion. Writes the mean acceleration of each particle to `a`.
    /// Writes to `beside` the acceleration that explains how far the displacement differs from that
    /// at constant acceleration, divided by s.
    fn try_step(
        &self,
        state: &mut State,
        reaction: &[DVec3],
        in_motion: &mut InMotionScratch,
        [a, beside]: [&mut [DVec3]; 2],
    ) {
        let Self { model, integrator, omitted_fraction: s, laws_include_reactions, h } = *self;
        let motion_v = state.v.clone();
        add_kick(&mut state.v, -s * h, reaction);
        let (mut end, mut work) = (State::default(), Workspace::default());
        end.resize(state.len());
        let mut step = |system: &dyn System, now: StateRef, next: StateMut| {
            integrator.step(system, now, next, h, &mut work)
        };
        if laws_include_reactions {
            move_freely(model, reaction, s * h, in_motion, state, &mut end, step);
        } else {
            step(model, state.view(), end.view_mut());
        }
        let columns = izip!(a, beside, &state.x, &state.v, &end.x, &end.v);
        for (a, beside, x, v, x_end, v_end) in columns {
            *a = (*v_end - *v) / h;
            if s != 0.0 {
                *beside = ((*x_end - *x) / h + s * (*v_end - *v) - *v_end) / (s * h);
            }
        }
        state.v = motion_v;
    }
}
