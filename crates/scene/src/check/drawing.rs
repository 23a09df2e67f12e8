//! Checks of faces, ropes and cloths that a scene lists by particle indices.

use super::bodies::CheckedBodies;
use crate::typed::file::{DrawnCloth, SceneFile};
use crate::typed::located::Fault;
use ropelab_core::mesh::{Chain, Grid};

impl CheckedBodies {
    pub(super) fn add_drawing(&mut self, file: &SceneFile) -> Result<(), Fault> {
        for face in &file.faces {
            face.blame(self.check_exist(&**face))?;
            self.mesh.faces.push(**face);
        }
        for rope in &file.drawn_ropes {
            rope.particles.blame(self.check_exist(&rope.particles))?;
            if rope.particles.len() < 2 {
                return Err(rope.particles.fault("found a rope of fewer than 2 particles"));
            }
            let particles = rope.particles.to_vec();
            self.mesh.ropes.push(Chain { particles, radius: rope.radius.into() });
        }
        for cloth in &file.drawn_cloths {
            let DrawnCloth { first, columns, rows } = **cloth;
            let end = u64::from(first) + u64::from(columns) * u64::from(rows);
            if columns < 2 || rows < 2 || end > self.mesh.positions.len() as u64 {
                return Err(cloth.fault(format!(
                    "found {columns} × {rows} particles from number {first}, expected at least \
                     2 × 2 and none beyond {}",
                    self.mesh.positions.len() - 1
                )));
            }
            self.mesh.cloths.push(Grid { first, columns, rows });
        }
        Ok(())
    }
}
