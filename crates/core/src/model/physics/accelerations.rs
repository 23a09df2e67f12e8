//! Accelerations of a model for the integrators.

use super::Model;
use super::part::ModelPart;
use glam::DVec3;
use ropelab_mechanics::force::Epilogue;
use ropelab_mechanics::numerics::block_matrix::BlockMatrix;
use ropelab_mechanics::numerics::state::StateRef;
use ropelab_mechanics::numerics::system::{ScratchColumns, System};
use std::ops::Range;

impl Model {
    /// Like [`System::accelerations`], but evaluates force laws and the spring of a mouse drag at
    /// the velocities `law_velocities`.
    pub(crate) fn accelerations_at(&self, at: StateRef, law_velocities: &[DVec3], a: &mut [DVec3]) {
        let now = self.kinematics(at, &(0..at.len()));
        let write = |a: &mut [DVec3], epilogue: &Epilogue| self.springs.write(&now, a, epilogue);
        let laws_at = StateRef { v: law_velocities, ..at };
        let finish = |part: ModelPart, some: Range<usize>, a: &mut [DVec3]| {
            part.complete_forces(laws_at.part(some), a);
        };
        self.evaluate_springs(at.x, a, write, finish);
    }

    /// Computes the directional derivative of [`Self::accelerations_at`] along the changes `d` =
    /// [dx, dv].
    pub(crate) fn jvp_at(
        &self,
        at: StateRef,
        law_velocities: &[DVec3],
        d: [&[DVec3]; 2],
        out: &mut [DVec3],
    ) {
        let now = self.kinematics(at, &(0..at.len()));
        let write = |out: &mut [DVec3], epilogue: &Epilogue| {
            self.springs.write_jvp(&now, d[0], d[1], out, epilogue);
        };
        let laws_at = StateRef { v: law_velocities, ..at };
        self.evaluate_springs(d[0], out, write, |part, some, out| {
            part.complete_forces_jvp(
                laws_at.part(some.clone()),
                d.map(|column| &column[some.clone()]),
                out,
            );
        });
    }

    /// Writes the forces of springs and bends to `out`. Then calls `finish` to add force laws and
    /// divide by mass, range by range if possible. `bent` are the positions that bends read or, for
    /// a derivative, the changes of positions.
    fn evaluate_springs(
        &self,
        bent: &[DVec3],
        out: &mut [DVec3],
        write: impl Fn(&mut [DVec3], &Epilogue),
        finish: impl Fn(ModelPart, Range<usize>, &mut [DVec3]) + Sync,
    ) {
        let finish = |at: Range<usize>, out: &mut [DVec3]| finish(self.part(at.clone()), at, out);
        let bends = self.bends_as_forces();
        if bends.is_none() && self.has_local_laws() {
            write(out, &finish);
        } else {
            write(out, &|_, _| ());
            bends.into_iter().for_each(|bends| bends.add_forces(bent, out));
            finish(0..out.len(), out);
        }
    }
}

impl System for Model {
    fn masses(&self) -> &[f64] {
        &self.masses
    }

    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.accelerations_at(StateRef { t, x, v }, v, a);
    }

    fn acceleration_jvp(&self, at: StateRef, d: [&[DVec3]; 2], out: &mut [DVec3]) {
        self.jvp_at(at, at.v, d, out);
    }

    fn blocks(
        &self,
        at: StateRef,
        factors: [f64; 2],
        scratch: ScratchColumns,
        matrix: &mut BlockMatrix,
    ) -> bool {
        self.blocks_at(at, factors, scratch, matrix)
    }
}
