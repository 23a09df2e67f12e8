//! Checks of links that a scene lists one by one: their particles must exist and differ.

use super::bodies::CheckedBodies;
use crate::typed::file::LinkFile;
use crate::typed::located::Fault;
use ropelab_core::mesh::Link;
use ropelab_core::quantity::magnitude::{GREATEST, LEAST, format_six_digits, is_moderate_positive};

impl CheckedBodies {
    pub(super) fn add_links(&mut self, links: &[LinkFile]) -> Result<(), Fault> {
        for link in links {
            let link = self.check_link(link)?;
            self.mesh.links.push(link);
        }
        Ok(())
    }

    fn check_link(&self, link: &LinkFile) -> Result<Link, Fault> {
        let (a, b) = (self.find_particle(&link.a)?, self.find_particle(&link.b)?);
        if a == b {
            return Err(link.b.fault(format!(
                "found a link from particle {a} to itself, expected two different particles"
            )));
        }
        let place = |i: u32| self.mesh.positions[i as usize];
        let rest = link.rest.map_or_else(|| place(a).distance(place(b)), f64::from);
        if rest == 0.0 {
            return Err(link.b.fault(format!(
                "particles {a} and {b} are at the same position, expected two positions or a \
                 `rest` length"
            )));
        }
        if !is_moderate_positive(rest) {
            return Err(link.b.fault(format!(
                "this makes a link of length {} m, expected {LEAST:e} to {GREATEST:e}",
                format_six_digits(rest)
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
}
