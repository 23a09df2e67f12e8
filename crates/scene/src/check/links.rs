//! Checks of single links and bends, whose particles must exist.

use super::bodies::CheckedBodies;
use crate::mesh::{Bend, Link};
use crate::numerics::magnitude::{GREATEST, LEAST, is_moderate_positive, short};
use crate::typed::file::{BendFile, LinkFile};
use crate::typed::located::Fault;

impl CheckedBodies {
    pub(super) fn add_links(&mut self, links: &[LinkFile]) -> Result<(), Fault> {
        for link in links {
            let link = self.check_link(link)?;
            self.mesh.links.push(link);
        }
        Ok(())
    }

    pub(super) fn add_bends(&mut self, bends: &[BendFile]) -> Result<(), Fault> {
        for bend in bends {
            let bend = self.check_bend(bend)?;
            self.mesh.bends.push(bend);
        }
        Ok(())
    }

    fn check_link(&self, link: &LinkFile) -> Result<Link, Fault> {
        let (a, b) = (self.find_particle(&link.a)?, self.find_particle(&link.b)?);
        if a == b {
            return Err(link.b.fault(format!(
                "a link from particle {a} to itself, expected two different particles"
            )));
        }
        let place = |i: u32| self.mesh.positions[i as usize];
        let rest = link.rest.map_or_else(|| place(a).distance(place(b)), f64::from);
        if rest == 0.0 {
            return Err(link.b.fault(format!(
                "particles {a} and {b} are in one place, expected two places or a `rest` length"
            )));
        }
        if !is_moderate_positive(rest) {
            return Err(link.b.fault(format!(
                "this makes a link of length {} m, expected {LEAST:e} to {GREATEST:e}",
                short(rest)
            )));
        }
        Ok(Link {
            a,
            b,
            rest,
            stiffness: link.stiffness.into(),
            damping: link.damping.into(),
            kind: link.kind,
            one_sided: link.one_sided,
            rigid: link.rigid,
        })
    }

    fn check_bend(&self, bend: &BendFile) -> Result<Bend, Fault> {
        let BendFile { a, b, c, rest, flexural_rigidity } = bend;
        let particles = [self.find_particle(a)?, self.find_particle(b)?, self.find_particle(c)?];
        let [i, j, k] = particles;
        for (place, repeats) in [(b, i == j), (c, k == i || k == j)] {
            if repeats {
                return Err(place.fault(format!(
                    "a bend of the particles {i}, {j} and {k}, expected three different particles"
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
                "of the particles {i}, {j} and {k} two neighbours are in one place, expected three \
                 places or `rest` lengths"
            )));
        }
        Ok(Bend { particles, rest, rigidity: (*flexural_rigidity).into() })
    }
}
