//! Checks of bends that a scene lists one by one: their particles must exist and differ.

use super::bodies::CheckedBodies;
use crate::typed::file::BendFile;
use crate::typed::located::Fault;
use ropelab_core::mesh::Bend;

impl CheckedBodies {
    pub(super) fn add_bends(&mut self, bends: &[BendFile]) -> Result<(), Fault> {
        for bend in bends {
            let bend = self.check_bend(bend)?;
            self.mesh.bends.push(bend);
        }
        Ok(())
    }

    fn check_bend(&self, bend: &BendFile) -> Result<Bend, Fault> {
        let BendFile { a, b, c, rest, flexural_rigidity } = bend;
        let particles = [self.find_particle(a)?, self.find_particle(b)?, self.find_particle(c)?];
        let [i, j, k] = particles;
        for (place, repeats) in [(b, i == j), (c, k == i || k == j)] {
            if repeats {
                return Err(place.fault(format!(
                    "found a bend of the particles {i}, {j} and {k}, expected three different \
                     particles"
                )));
            }
        }
        let place = |i: u32| self.mesh.positions[i as usize];
        let rest = rest.map_or_else(
            || [place(i).distance(place(j)), place(j).distance(place(k))],
            |(before, after)| [before.into(), after.into()],
        );
        if rest.contains(&0.0) {
            return Err(b.fault(format!(
                "two neighbours of the particles {i}, {j} and {k} are at the same position, \
                 expected three positions or `rest` lengths"
            )));
        }
        Ok(Bend { particles, rest, rigidity: (*flexural_rigidity).into() })
    }
}
