//! Tearing of overloaded links.
//!
//! After each step every link that may tear is checked. Overloaded links are cut at the start of
//! the next step, so the energy account counts the cut as an external change. Among overloaded
//! links that share a particle, only the one with the largest load tears. A cloth therefore does
//! not tear all at once: a crack runs from link to link.

use crate::model::{Parts, Strength};
use crate::simulation::running_scene::Simulation;
use crate::simulation::scratch::loads::LinkLoad;
use crate::simulation::settings::Tear;

impl Simulation {
    /// Returns how many links have torn since the start of the scene.
    pub fn torn(&self) -> u64 {
        self.run.torn
    }

    /// Cuts the links that the last step found overloaded.
    pub(in crate::simulation) fn tear(&mut self) {
        if self.run.overloaded.is_empty() {
            return;
        }
        let links = std::mem::take(&mut self.run.overloaded);
        if self.cut_model(&links) {
            self.run.torn += links.len() as u64;
            self.run.work.restart();
            self.renew_bends();
            self.run.request_start_energy();
        }
    }

    /// Finds the overloaded links, which tear at the start of the next step.
    pub(in crate::simulation) fn find_overloaded(&mut self) {
        self.run.overloaded.clear();
        let tear = self.settings.tear;
        if !tear.acts_on(self.parts()) || self.run.failure.is_some() {
            return;
        }
        let mut loads = std::mem::take(&mut self.scratch.loads);
        let parts = self.parts().clone();
        let strengths = Strengths { tear, parts: &parts };
        let forces = strengths.need_forces().then(|| self.pulls(&mut loads.tensions));
        loads.overloaded.clear();
        let x = &self.run.state.x;
        for (range, strength) in strengths.iter() {
            for number in range {
                let link = self.model.topology().links().at(number as usize);
                let length = x[link.a as usize].distance(x[link.b as usize]);
                let strain = (length / link.rest - 1.0) / strength.strain;
                let force = forces.map_or(0.0, |forces| forces[number as usize] / strength.force);
                // The load of a cut link is NaN, which is not above 1.
                let load = strain.max(force);
                if load > 1.0 && !link.is_cut() {
                    loads.overloaded.push(LinkLoad { link: number, load, ends: [link.a, link.b] });
                }
            }
        }
        loads.choose_torn_links(&mut self.run.overloaded);
        self.scratch.loads = loads;
    }
}

impl Tear {
    /// True if some links of this scene may tear.
    pub fn acts_on(&self, parts: &Parts) -> bool {
        match self {
            Self::AsMaterial => !parts.strengths.is_empty(),
            Self::Never => false,
            Self::AboveStrain(_) | Self::AboveForce(_) => !parts.mesh.links.is_empty(),
        }
    }
}

/// Strengths of all links under the `tear` setting.
struct Strengths<'a> {
    tear: Tear,
    parts: &'a Parts,
}

impl Strengths<'_> {
    fn need_forces(&self) -> bool {
        self.iter().any(|(_, strength)| strength.force.is_finite())
    }

    /// Yields ranges of link indices, each with the strength of its links.
    fn iter(&self) -> impl Iterator<Item = (std::ops::Range<u32>, Strength)> {
        let links = self.parts.mesh.links.len() as u32;
        let all = match self.tear {
            Tear::AboveStrain(strain) => Some(Strength { strain, ..Strength::UNBREAKABLE }),
            Tear::AboveForce(force) => Some(Strength { force, ..Strength::UNBREAKABLE }),
            Tear::AsMaterial | Tear::Never => None,
        };
        let own = if all.is_none() { &self.parts.strengths[..] } else { &[] };
        all.map(|strength| (0..links, strength)).into_iter().chain(own.iter().cloned())
    }
}
