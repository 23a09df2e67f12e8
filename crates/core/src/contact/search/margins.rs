//! Margin of each particle: the displacement that constraints and contacts may add to its free
//! motion in a substep.

use crate::contact::cloth::pair::Ways;
use crate::contact::resolve::position_level::Contact;
use glam::DVec3;
use itertools::izip;

/// Margin of a particle that nothing pulls at, as a share of the largest radius.
const AT_REST: f64 = 0.1;

/// The most that constraints may move a particle from where it would be freely, as a share of the
/// largest radius: what they would move further in one substep comes there in the next.
const MOST: f64 = 0.6;

/// Over how many links constraints hand on what they do in one substep.
const LINKS: usize = 2;

/// A margin for each particle, in metres. What would be moved further is held back, so that nothing
/// meets what was not looked at.
///
/// Constraints take away what forces gave in the substep, |x − start − v h|, and the motion of
/// particles relative to those that they are linked to; a collider all of a particle's way.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Margins {
    of: Vec<f64>,
    /// Difference between the displacements near each particle, in metres.
    changes: Vec<f64>,
    near: Vec<Neighbourhood>,
    before: Vec<Neighbourhood>,
}

/// Extremes within some links of a particle.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbourhood {
    /// The box of all free ways, in metres.
    least: DVec3,
    most: DVec3,
    /// The most that is taken away from one of them, in metres.
    taken: f64,
}

impl Neighbourhood {
    fn include(&mut self, other: &Self) {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.taken = self.taken.max(other.taken);
    }
}

impl Margins {
    /// Updates the margins of `count` particles with these links, whose velocities at the start are
    /// `v` in m/s and which touch colliders in `contacts`. `thickest` is the largest radius in
    /// metres.
    pub fn update(
        &mut self,
        ways: &Ways,
        v: &[DVec3],
        (count, links): (usize, &[[u32; 2]]),
        contacts: &[Contact],
        thickest: f64,
    ) {
        let Self { of, changes, near, before } = self;
        near.clear();
        near.extend(izip!(ways.x, ways.start, v).take(count).map(|(x, start, v)| {
            let way = *x - *start;
            Neighbourhood { least: way, most: way, taken: way.distance(*v * ways.h) }
        }));
        for _ in 0..LINKS {
            before.clone_from(near);
            for &[a, b] in links {
                near[a as usize].include(&before[b as usize]);
                near[b as usize].include(&before[a as usize]);
            }
        }
        let change = |near: &Neighbourhood| near.taken + near.most.distance(near.least);
        changes.clear();
        changes.extend(near.iter().map(change));
        of.clear();
        let margin = |change: &f64| (change + AT_REST * thickest).min(MOST * thickest);
        of.extend(changes.iter().map(margin));
        for contact in contacts.iter().filter(|contact| contact.collider.is_some()) {
            for &i in contact.particles[..contact.count].iter().filter(|i| (**i as usize) < count) {
                let i = i as usize;
                of[i] = of[i].max(ways.x[i].distance(ways.start[i]) + AT_REST * thickest);
            }
        }
    }

    /// None for any of `count` particles: nothing will move them any further.
    pub fn set_to_nothing(&mut self, count: usize) {
        for column in [&mut self.of, &mut self.changes] {
            column.clear();
            column.resize(count, 0.0);
        }
    }

    /// Difference between the displacements near each particle in a substep, in metres.
    pub fn changes(&self) -> &[f64] {
        &self.changes
    }

    /// One a particle, in metres.
    pub fn of(&self) -> &[f64] {
        &self.of
    }
}
