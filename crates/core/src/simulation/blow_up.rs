//! Detection of links that are longer than a limit.

use glam::DVec3;
use ropelab_mechanics::constraint::Constraints;
use ropelab_mechanics::mesh::Links;
use ropelab_mechanics::numerics::displacement::DisplacementBounds;
use std::ops::Range;

/// Detector of links that are longer than a limit, called after every step. It measures a link only
/// if the link may have reached the limit: a link shorter than the limit by some reserve cannot
/// reach it before the particles of its section have moved apart by this reserve.
#[derive(Clone, Debug, Default)]
pub struct BlowUpDetector {
    /// All links, divided into sections; empty before the first step.
    sections: Vec<Section>,
}

/// A part of all links, with the range of the particles at their ends.
#[derive(Clone, Debug, Default)]
struct Section {
    /// Range that contains all particles at the ends of the section's links.
    particles: Range<usize>,
    /// Reserve in metres: each link of the section may grow by this length without exceeding the
    /// limit. At 0 or less, the section must be measured again.
    slack: f64,
    /// Bounds of the displacements of the section's particles in the last step.
    bounds: DisplacementBounds,
}

impl BlowUpDetector {
    /// True if a link is longer than `limit` rest lengths. Must be called after every step.
    /// `bounds` gives the displacements of all particles in the step, one entry per range of
    /// particles. `constraints` are some or all of `links`. They must be the same in every call,
    /// and so must `limit`.
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
            self.sections_among(particles).for_each(|section| section.bounds.merge(bounds));
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

    /// Yields the sections whose particle range overlaps `particles`.
    fn sections_among(&mut self, particles: &Range<usize>) -> impl Iterator<Item = &mut Section> {
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
            // The factor 0.999 covers rounding errors that add up over steps. A cut link gives NaN,
            // which `min` ignores.
            slack = slack.min(0.999 * longest - squared.sqrt());
        }
        self.sections.iter_mut().for_each(|section| section.slack = section.slack.max(slack));
        false
    }
}
