//! Block matrix of an implicit step, for ropes, trees and other systems with little fill-in.

use super::Model;
use super::couplings::{BlockSlots, Couplings};
use crate::model::parts::TargetedForce;
use glam::{DMat3, DVec3};
use itertools::izip;
use ropelab_mechanics::mesh::LinkKind;
use ropelab_mechanics::numerics::block_matrix::BlockMatrix;
use ropelab_mechanics::numerics::pattern::Pattern;
use ropelab_mechanics::numerics::state::StateRef;
use ropelab_mechanics::numerics::system::ScratchColumns;
use std::sync::Arc;

/// Largest number of blocks below the diagonal after elimination, per particle. A rope and a tree
/// have 1, a rope with bends and a ring 2. Beyond 4, conjugate gradients are as fast.
const MOST_FILL: usize = 4;

impl BlockSlots {
    fn new(model: &Model) -> Option<Self> {
        let count = model.masses.len();
        // A net or a cloth has more than 1.25 structural links per particle.
        let structural = |kind: LinkKind| kind == LinkKind::Structural;
        let links = model.topology.links().iter().filter(|link| structural(link.kind)).count();
        if links > count + count / 4 {
            return None;
        }
        let sides = |[i, j, k]: [u32; 3]| [[i, j], [j, k], [i, k]];
        let bends = || model.bends_as_forces().into_iter().flat_map(|bends| bends.bends().iter());
        let of_bends = bends().flat_map(|bend| sides(bend.particles));
        let pairs: Vec<[u32; 2]> = model.springs.ends().chain(of_bends).collect();
        if pairs.iter().any(|[a, b]| a == b) {
            return None;
        }
        let pattern = Pattern::new(count, &pairs, MOST_FILL * count)?;
        Some(Self {
            springs: model.springs.ends().map(|ends| pattern.slot_of(ends)).collect(),
            bends: bends()
                .map(|bend| sides(bend.particles).map(|pair| pattern.slot_of(pair)))
                .collect(),
            pattern: Arc::new(pattern),
        })
    }
}

impl Model {
    /// Clears the cached positions of blocks, because springs, bends or particles have changed.
    pub(super) fn forget_couplings(&mut self) {
        self.couplings = Couplings::default();
    }

    /// Like [`crate::numerics::system::System::blocks`]. Evaluates force laws and the spring of a
    /// mouse drag at the velocities of `at`.
    pub(crate) fn blocks_at(
        &self,
        at: StateRef,
        factors: [f64; 2],
        scratch: ScratchColumns,
        matrix: &mut BlockMatrix,
    ) -> bool {
        let mut forces = self.parts.forces.iter();
        if !forces.all(|force| force.law.law().is_local()) {
            return false;
        }
        let Some(slots) = self.couplings.0.get_or_init(|| BlockSlots::new(self).map(Arc::new))
        else {
            return false;
        };
        // The diagonal of a pinned particle is 1, so that the particle does not move.
        matrix.reset(&slots.pattern, |i| match self.masses[i] {
            m if m > 0.0 => m,
            _ => 1.0,
        });
        self.add_springs(slots, at.x, factors, matrix);
        self.add_bends(slots, factors[0], matrix);
        if self.has_drag_only() {
            let [out, ..] = scratch;
            self.add_drag(factors[1], out, matrix);
        } else {
            self.add_laws(at, factors, scratch, matrix);
        }
        true
    }

    fn add_springs(
        &self,
        slots: &BlockSlots,
        x: &[DVec3],
        factors: [f64; 2],
        matrix: &mut BlockMatrix,
    ) {
        self.springs.for_each_block(x, factors, |i, ends, block| {
            let is_free = ends.map(|end| self.masses[end] > 0.0);
            if is_free == [true; 2] {
                matrix.couple(slots.springs[i], block);
            }
            for (end, _) in ends.into_iter().zip(is_free).filter(|(_, is_free)| *is_free) {
                matrix.add_diagonal(end, block);
            }
        });
    }

    /// Adds the blocks cx EI/l g gᵀ of each bend. EI/l is its stiffness, and g are the weights of
    /// its particles.
    fn add_bends(&self, slots: &BlockSlots, cx: f64, matrix: &mut BlockMatrix) {
        let Some(bends) = self.bends_as_forces() else { return };
        for (bend, slots) in bends.bends().iter().zip(&slots.bends) {
            let [g_i, g_k] = bend.weights();
            let g = [g_i, -(g_i + g_k), g_k];
            let particles = bend.particles.map(|i| i as usize);
            let is_free = particles.map(|i| self.masses[i] > 0.0);
            let all = |one: usize, other: usize| cx * bend.stiffness() * g[one] * g[other];
            for (side, [one, other]) in [[0, 1], [1, 2], [0, 2]].into_iter().enumerate() {
                if is_free[one] && is_free[other] {
                    let opposite = DMat3::from_diagonal(DVec3::splat(-all(one, other)));
                    matrix.couple(slots[side], &opposite);
                }
            }
            for i in (0..3).filter(|&i| is_free[i]) {
                matrix.add_scalar(particles[i], all(i, i));
            }
        }
    }

    /// True if only gravity, linear drag, springs and bends act.
    fn has_drag_only(&self) -> bool {
        let mut forces = self.parts.forces.iter();
        self.grab.is_none()
            && self.blow.is_none()
            && self.penalty.is_none()
            && forces.all(|force| force.law.law().uniform_acceleration().is_some())
    }

    /// Adds −cv ∂f/∂v of linear drag, whose blocks are multiples of the unit matrix. Gives the same
    /// values as [`Self::add_laws`] if no other law depends on velocity.
    fn add_drag(&self, cv: f64, out: &mut [DVec3], matrix: &mut BlockMatrix) {
        let drag =
            |force: &TargetedForce| force.law.law().uniform_acceleration().map_or(0.0, |a| a.drag);
        let mut forces = self.parts.forces.iter().filter(|force| drag(force) != 0.0).peekable();
        if forces.peek().is_none() {
            return;
        }
        out.fill(DVec3::ZERO);
        for force in forces {
            self.targets(force).iter().for_each(|i| out[i].x -= drag(force) * self.masses[i] * cv);
        }
        for (i, (out, m, w)) in izip!(&*out, &self.masses, &self.inverse_masses).enumerate() {
            if *w > 0.0 {
                matrix.add_scalar(i, out.x * w * -m);
            }
        }
    }

    /// Adds the diagonal blocks of laws that act on each particle separately. Each column of a
    /// block is a derivative along one coordinate axis.
    fn add_laws(
        &self,
        at: StateRef,
        [cx, cv]: [f64; 2],
        [dx, dv, out]: ScratchColumns,
        matrix: &mut BlockMatrix,
    ) {
        for axis in 0..3 {
            dx.fill(DVec3::AXES[axis] * cx);
            dv.fill(DVec3::AXES[axis] * cv);
            out.fill(DVec3::ZERO);
            self.part(0..at.len()).complete_forces_jvp(at, [dx, dv], out);
            for (i, (out, m)) in izip!(&*out, &self.masses).enumerate() {
                // Elimination reads a symmetric block, so each derivative is added half as a
                // column, half as a row.
                let half = *out * (-0.5 * m);
                let mut block = DMat3::ZERO;
                *block.col_mut(axis) = half;
                matrix.add_diagonal(i, &(block + block.transpose()));
            }
        }
    }
}
