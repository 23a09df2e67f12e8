//! How much further than its free motion constraints and contacts may move a particle in a substep.

use super::pair::Ways;
use super::position_level::Contact;
use glam::DVec3;
use itertools::izip;

/// Of a particle that nothing pulls at, as a share of the largest radius.
const AT_REST: f64 = 0.25;

/// The most that links take from a particle, as a multiple of the largest radius: what moves another
/// way by more than its thickness in one substep is slowed down.
const MOST: f64 = 2.0;

/// Over how many links constraints hand on what they do in one substep.
const LINKS: usize = 2;

/// A margin for each particle, in metres. What would be moved further is held back, so that nothing
/// meets what was not looked at.
///
/// Constraints take away what forces gave in the substep, |x − start − v h|, and the motion of
/// particles relative to those that they are linked to; a collider all of a particle's way.
#[derive(Clone, Debug, Default)]
pub(super) struct Margins {
    of: Vec<f64>,
    near: Vec<Neighbourhood>,
    before: Vec<Neighbourhood>,
    mean_change: f64,
}

/// What happens within some links of a particle.
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
    /// Of `count` particles with these links, whose velocities at the start are `v` in m/s and which
    /// touch colliders in `contacts`. `thickest` is the largest radius in metres.
    pub fn update(
        &mut self,
        ways: &Ways,
        v: &[DVec3],
        (count, links): (usize, &[[u32; 2]]),
        contacts: &[Contact],
        thickest: f64,
    ) {
        let Self { of, near, before, mean_change } = self;
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
        *mean_change = near.iter().map(change).sum::<f64>() / count as f64;
        of.clear();
        let margin =
            |near: &Neighbourhood| (change(near) + AT_REST * thickest).min(MOST * thickest);
        of.extend(near.iter().map(margin));
        for contact in contacts.iter().filter(|contact| contact.collider.is_some()) {
            for &i in contact.particles[..contact.count].iter().filter(|i| (**i as usize) < count) {
                let i = i as usize;
                of[i] = of[i].max(ways.x[i].distance(ways.start[i]) + AT_REST * thickest);
            }
        }
    }

    /// How much constraints may change a way, in metres, as a mean over all particles.
    pub fn mean_change(&self) -> f64 {
        self.mean_change
    }

    /// One a particle, in metres.
    pub fn of(&self) -> &[f64] {
        &self.of
    }
}
