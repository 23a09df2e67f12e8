//! Detection of links that are longer than a limit.

use crate::constraint::Constraints;
use crate::mesh::Links;
use crate::numerics::displacement::DisplacementBounds;
use glam::DVec3;
use std::ops::Range;

/// Detector of links that are longer than a limit. It checks only links that can have become so
/// long: links that were shorter than the limit by some slack at the last check still are, until
/// the particles around them have moved apart by this slack.
#[derive(Clone, Debug, Default)]
pub struct BlowUpDetector {
    /// Sections of all links; empty before the first step.
    sections: Vec<Section>,
}

/// A section of the links.
#[derive(Clone, Debug, Default)]
struct Section {
    /// Particles at the ends of the section's links, and perhaps others.
    particles: Range<usize>,
    /// Lower bound of the length in metres by which each link may still grow; 0 or less = check
    /// again.
    slack: f64,
    /// Bounds of the particles' displacements in the last step.
    bounds: DisplacementBounds,
}

impl BlowUpDetector {
    /// True if a link is longer than `limit` rest lengths. Must be called after every step, with
    /// the displacements of all particles: `bounds` has one entry per run of particles.
    /// `constraints` must hold the same links in every call, some or all of them, and `limit` must
    /// not change.
    pub fn is_overstretched<'a>(
        &mut self,
        limit: f64,
        links: &Links,
        constraints: &mut Constraints,
        x: &[DVec3],
        bounds: impl IntoIterator<Item = &'a (Range<usize>, DisplacementBounds)>,
    ) -> bool {
        if self.sections.is_empty() {
            let section = |particles| Section { particles, ..Section::default() };
            self.sections = match constraints.sections(links.len()) {
                Some(sections) => sections.into_iter().map(section).collect(),
                None => vec![section(0..x.len())],
            };
        }
        for (particles, bounds) in bounds {
            self.around(particles).for_each(|section| section.bounds.merge(bounds));
        }
        let mut least = f64::INFINITY;
        for (number, section) in self.sections.iter_mut().enumerate() {
            let apart = std::mem::take(&mut section.bounds).distance_change();
            section.slack -= apart.unwrap_or(f64::INFINITY);
            if section.slack <= 0.0 {
                section.slack = constraints.slack(number, limit, x).unwrap_or(0.0);
            }
            least = least.min(section.slack);
        }
        least <= 0.0 && self.inspect_all(limit, links, x)
    }

    /// Yields the sections that may have ends of links among some particles.
    fn around(&mut self, particles: &Range<usize>) -> impl Iterator<Item = &mut Section> {
        let Range { start, end } = *particles;
        let first = self.sections.partition_point(|section| section.particles.end <= start);
        self.sections[first..].iter_mut().take_while(move |section| section.particles.start < end)
    }

    fn inspect_all(&mut self, limit: f64, links: &Links, x: &[DVec3]) -> bool {
        let mut slack = f64::INFINITY;
        for link in links.iter() {
            let longest = limit * link.rest;
            let squared = x[link.a as usize].distance_squared(x[link.b as usize]);
            if squared > longest * longest {
                self.sections.iter_mut().for_each(|section| section.slack = 0.0);
                return true;
            }
            // A little less than the true slack, because rounding errors add up. A cut link gives
            // NaN, which `min` ignores.
            slack = slack.min(0.999 * longest - squared.sqrt());
        }
        self.sections.iter_mut().for_each(|section| section.slack = section.slack.max(slack));
        false
    }
}
