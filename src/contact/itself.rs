//! Ropes and cloths against themselves and each other: which features may touch in a substep.
//!
//! What is near follows from the state alone, whenever the list of pairs was made.

use super::margins::Margins;
use super::near_list::{ListedPair, NearList, part_size};
use super::pair::{FeaturePair, Separation, Ways};
use super::position_level::Contact;
use super::touchable::Touchable;
use super::{Geometry, SelfContact};
use crate::mesh::Mesh;
use glam::DVec3;
use rayon::prelude::*;

/// Listed pairs that one thread looks at, at least.
const PAIRS_A_THREAD: usize = 500;

/// Finds the pairs of ropes and cloths with themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Itself {
    list: NearList,
    margins: Margins,
    /// Where free motion takes particles, in metres; none where nothing touches itself.
    free: Vec<DVec3>,
    parts: Vec<NearPairs>,
}

/// What one thread finds.
#[derive(Clone, Debug, Default)]
struct NearPairs {
    pairs: Vec<FeaturePair>,
    contacts: Vec<Contact>,
}

impl Itself {
    /// Adds the pairs that may touch in a substep, and the contacts of those that touch or may do so
    /// while constraints are held.
    pub fn find(
        &mut self,
        way: SelfContact,
        (geometry, mesh): (&Geometry, &Mesh),
        touchable: &Touchable,
        (ways, v): (&Ways, &[DVec3]),
        (pairs, contacts): (&mut Vec<FeaturePair>, &mut Vec<Contact>),
    ) {
        self.free.clear();
        if way == SelfContact::Off || !geometry.skins.touch_themselves() {
            return;
        }
        let Self { list, margins, free, parts } = self;
        let only_points = way == SelfContact::Particles;
        list.choose(only_points, touchable, &geometry.skins, mesh);
        let count = mesh.positions.len();
        let thickest = geometry.skins.thickest();
        margins.update(ways, v, (count, list.edges()), contacts, thickest);
        if !margins.of().iter().all(|margin| margin.is_finite()) {
            return;
        }
        free.extend(&ways.x[..count]);
        list.update(ways, margins, geometry, mesh);
        let listed = list.pairs();
        let size = part_size(listed.len(), PAIRS_A_THREAD);
        let used = listed.len().div_ceil(size);
        parts.resize_with(used.max(parts.len()), NearPairs::default);
        let separation = match way {
            SelfContact::Guarantee => Separation::Planes,
            SelfContact::Swept => Separation::TimesOfImpact,
            SelfContact::Off | SelfContact::Particles | SelfContact::Repulsion => Separation::None,
        };
        let look = |(listed, found): (&[ListedPair], &mut NearPairs)| {
            let near =
                listed.iter().filter_map(|pair| pair.near(ways, margins, geometry, separation));
            found.pairs.clear();
            found.pairs.extend(near);
            found.contacts.clear();
            found.contacts.extend(found.pairs.iter().filter_map(|pair| pair.contact(ways)));
        };
        match used {
            0 | 1 => listed.chunks(size).zip(&mut parts[..used]).for_each(look),
            _ => listed.par_chunks(size).zip(&mut parts[..used]).for_each(look),
        }
        for found in &parts[..used] {
            pairs.extend_from_slice(&found.pairs);
            contacts.extend_from_slice(&found.contacts);
        }
    }

    /// How many pairs are looked at in each substep.
    pub fn count(&self) -> usize {
        self.list.pairs().len()
    }

    /// Holds back what constraints have moved further than its margin, so that nothing meets what
    /// was not looked at. Answers with the number of particles.
    pub fn hold_back(&self, x: &mut [DVec3], v: &mut [DVec3], h: f64) -> u64 {
        if self.free.is_empty() {
            return 0;
        }
        let mut count = 0;
        for &i in self.list.points() {
            let i = i as usize;
            let (moved, most) = (x[i] - self.free[i], self.margins.of()[i]);
            let far = moved.length();
            if far > most {
                let held = self.free[i] + moved * (most / far);
                v[i] += (held - x[i]) / h;
                x[i] = held;
                count += 1;
            }
        }
        count
    }
}

impl ListedPair {
    /// The pair, if its sides may touch in this substep: if they start no further apart than they
    /// may come nearer.
    fn near(
        &self,
        ways: &Ways,
        margins: &Margins,
        geometry: &Geometry,
        separation: Separation,
    ) -> Option<FeaturePair> {
        let Self { features, particles, reach } = *self;
        let (first, count) = features.counts();
        let x = particles.map(|i| ways.start[i as usize]);
        let way = particles.map(|i| ways.x[i as usize] - ways.start[i as usize]);
        let mean = way[..count].iter().sum::<DVec3>() / count as f64;
        let most = |side: std::ops::Range<usize>| {
            let square = way[side.clone()].iter().map(|way| (*way - mean).length_squared());
            let margin = particles[side].iter().map(|i| margins.of()[*i as usize]);
            (square.fold(0.0, f64::max).sqrt(), margin.fold(0.0, f64::max))
        };
        let [(way, margin), (other_way, other_margin)] = [most(0..first), most(first..count)];
        let margin = margin + other_margin;
        let most = reach + way + other_way + margin;
        if gap(&x[..first], &x[first..count]) > most {
            return None;
        }
        let apart = features.nearest(&x).1;
        (apart.length() <= most).then(|| {
            let skin = |side: &[u32]| geometry.skins.over(side);
            let (one, other) = (skin(&particles[..first]), skin(&particles[first..count]));
            FeaturePair {
                features,
                particles,
                reach,
                surface: one.surface.with(&other.surface),
                rolls: None,
                apart,
                margin,
                separation,
            }
        })
    }
}

/// Along the axis in which the boxes round some places are furthest apart, in metres.
fn gap(one: &[DVec3], other: &[DVec3]) -> f64 {
    let least = |x: &[DVec3]| x[1..].iter().fold(x[0], |least, x| least.min(*x));
    let most = |x: &[DVec3]| x[1..].iter().fold(x[0], |most, x| most.max(*x));
    (least(one) - most(other)).max(least(other) - most(one)).max_element()
}
