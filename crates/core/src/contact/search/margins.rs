//! Margins: bounds in metres of the displacements by which constraints and contacts change the free
//! motion of a substep.

use crate::contact::resolve::position_level::Contact;
use crate::contact::substep::SubstepMotion;
use glam::DVec3;
use itertools::izip;

/// Margin of a particle without load, as a fraction of the largest radius.
const LEAST_MARGIN: f64 = 0.1;

/// Largest margin, as a fraction of the largest radius. If constraints would move a particle
/// further in one substep, the remaining motion follows in the next substep.
const LARGEST_MARGIN: f64 = 0.6;

/// Number of links across which the sweeps of one substep propagate a correction.
const PROPAGATION_LINKS: usize = 2;

/// Margin of each particle, in metres. Motion beyond the margin is truncated, because the contact
/// search covers no pairs beyond the margins.
///
/// Constraints may undo the displacement that forces have added in the substep, |x − start − v h|,
/// and may undo the motion of a particle relative to its linked neighbours. A collider may undo the
/// whole displacement of a particle.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Margins {
    of: Vec<f64>,
    /// For each particle, upper bound in metres of the differences between the displacements of the
    /// particles near it, including displacements by forces.
    changes: Vec<f64>,
    near: Vec<Neighbourhood>,
    before: Vec<Neighbourhood>,
}

/// Range of the displacements of a particle and of the particles within `PROPAGATION_LINKS` links.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbourhood {
    /// Lower bound of all free displacements, in metres.
    least: DVec3,
    most: DVec3,
    /// Largest displacement by forces in metres. Constraints may undo it.
    added_by_forces: f64,
}

impl Neighbourhood {
    fn include(&mut self, other: &Self) {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.added_by_forces = self.added_by_forces.max(other.added_by_forces);
    }
}

impl Margins {
    /// Computes the margins of `count` particles with these links. `v` are velocities at the start
    /// in m/s, `contacts` includes the contacts with colliders, and `largest_radius` is in metres.
    pub fn update(
        &mut self,
        motion: &SubstepMotion,
        v: &[DVec3],
        (count, links): (usize, &[[u32; 2]]),
        contacts: &[Contact],
        largest_radius: f64,
    ) {
        let Self { of, changes, near, before } = self;
        near.clear();
        near.extend(izip!(motion.x, motion.start, v).take(count).map(|(x, start, v)| {
            let displacement = *x - *start;
            Neighbourhood {
                least: displacement,
                most: displacement,
                added_by_forces: displacement.distance(*v * motion.h),
            }
        }));
        for _ in 0..PROPAGATION_LINKS {
            before.clone_from(near);
            for &[a, b] in links {
                near[a as usize].include(&before[b as usize]);
                near[b as usize].include(&before[a as usize]);
            }
        }
        let change = |near: &Neighbourhood| near.added_by_forces + near.most.distance(near.least);
        changes.clear();
        changes.extend(near.iter().map(change));
        of.clear();
        let margin = |change: &f64| {
            (change + LEAST_MARGIN * largest_radius).min(LARGEST_MARGIN * largest_radius)
        };
        of.extend(changes.iter().map(margin));
        for contact in contacts.iter().filter(|contact| contact.collider.is_some()) {
            for &i in contact.particles[..contact.count].iter().filter(|i| (**i as usize) < count) {
                let i = i as usize;
                of[i] = of[i]
                    .max(motion.x[i].distance(motion.start[i]) + LEAST_MARGIN * largest_radius);
            }
        }
    }

    /// Sets the margins of `count` particles to zero, for a search that no sweeps follow.
    pub fn set_to_zero(&mut self, count: usize) {
        for column in [&mut self.of, &mut self.changes] {
            column.clear();
            column.resize(count, 0.0);
        }
    }

    /// Returns the bounds in metres of the differences between displacements near each particle.
    pub fn changes(&self) -> &[f64] {
        &self.changes
    }

    /// Returns the margins in metres, one per particle.
    pub fn values(&self) -> &[f64] {
        &self.of
    }
}
