//! Ropes and cloths against themselves and each other: which features may touch in a substep.
//!
//! What is near follows from the state alone, whenever the list of pairs was made.

use super::pair::{FeaturePair, Separation, Ways};
use super::touchable::Touchable;
use crate::contact::resolve::position_level::Contact;
use crate::contact::search::crowd::Crowded;
use crate::contact::search::margins::Margins;
use crate::contact::search::near_list::{ListedPair, NearList, part_size};
use crate::contact::{Geometry, SelfContact};
use crate::mesh::Mesh;
use glam::DVec3;
use rayon::prelude::*;

/// Listed pairs that one thread looks at, at least.
const PAIRS_A_THREAD: usize = 500;

/// A particle that is this many margins from where it moves freely was cut back, rounding aside.
const FURTHER: f64 = 1.0 + 1e-9;

/// Finds the pairs of ropes and cloths with themselves.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Itself {
    list: NearList,
    margins: Margins,
    /// Positions after free motion, in metres; empty where nothing touches itself.
    free: Vec<DVec3>,
    parts: Vec<NearPairs>,
    /// Pairs on ways that were cut, and what finds them.
    again: Again,
    /// Deepest overlap at the start of the substep, in metres.
    deepest_overlap: f64,
    looked_at: usize,
}

/// Finds pairs on ways that were cut.
#[derive(Clone, Debug, Default)]
struct Again {
    list: NearList,
    /// None: what was cut goes straight on.
    margins: Margins,
    /// Particles of the pairs that are known.
    known: Vec<[u32; 4]>,
    found: NearPairs,
}

/// Pairs that one thread finds.
#[derive(Clone, Debug, Default)]
struct NearPairs {
    pairs: Vec<FeaturePair>,
    contacts: Vec<Contact>,
    /// Deepest overlap at the start of the substep, in metres.
    deepest_overlap: f64,
    looked_at: usize,
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
    ) -> Result<(), Crowded> {
        self.free.clear();
        (self.deepest_overlap, self.looked_at) = (0.0, 0);
        if way == SelfContact::Off || !geometry.skins.touch_themselves() {
            return Ok(());
        }
        let Self { list, margins, free, parts, again: _, deepest_overlap, looked_at } = self;
        let only_points = way == SelfContact::Particles;
        list.choose(only_points, touchable, &geometry.skins, mesh);
        let count = mesh.positions.len();
        let thickest = geometry.skins.thickest();
        margins.update(ways, v, (count, list.edges()), contacts, thickest);
        if !margins.of().iter().all(|margin| margin.is_finite()) {
            return Ok(());
        }
        free.extend(&ways.x[..count]);
        list.update(ways, margins, geometry, mesh)?;
        let listed = list.pairs();
        let size = part_size(listed.len(), PAIRS_A_THREAD);
        let used = listed.len().div_ceil(size);
        parts.resize_with(used.max(parts.len()), NearPairs::default);
        let separation = match way {
            SelfContact::Guarantee => Separation::Planes,
            SelfContact::Swept => Separation::TimesOfImpact,
            SelfContact::Off | SelfContact::Particles | SelfContact::Repulsion => Separation::None,
        };
        let list = &*list;
        let surroundings = NearContext { ways, margins, geometry, separation };
        let look = |(listed, found): (&[ListedPair], &mut NearPairs)| {
            found.pairs.clear();
            found.contacts.clear();
            (found.deepest_overlap, found.looked_at) = (0.0, 0);
            for pair in listed.iter().filter(|pair| !list.is_far(pair)) {
                found.looked_at += 1;
                surroundings.look_at(pair, found);
            }
        };
        match used {
            0 | 1 => listed.chunks(size).zip(&mut parts[..used]).for_each(look),
            _ => listed.par_chunks(size).zip(&mut parts[..used]).for_each(look),
        }
        for found in &parts[..used] {
            pairs.extend_from_slice(&found.pairs);
            contacts.extend_from_slice(&found.contacts);
            *deepest_overlap = deepest_overlap.max(found.deepest_overlap);
            *looked_at += found.looked_at;
        }
        Ok(())
    }

    /// Adds the pairs that may pass through themselves on the ways as they are now: what was cut stays
    /// further behind than it was foreseen, and what followed it may overtake it. Answers whether there are
    /// any. Nothing is looked for while every particle is within its margin.
    pub fn find_overtaking(
        &mut self,
        (geometry, mesh): (&Geometry, &Mesh),
        ways: &Ways,
        pairs: &mut Vec<FeaturePair>,
    ) -> Result<bool, Crowded> {
        let Self { list, margins, free, again, .. } = self;
        let is_cut = |i: &u32| {
            let i = *i as usize;
            ways.x[i].distance(free[i]) > FURTHER * margins.of()[i]
        };
        if free.is_empty() || !list.points().iter().any(is_cut) {
            return Ok(false);
        }
        let Again { list: now, margins, known, found } = again;
        margins.set_to_nothing(mesh.positions.len());
        now.update_as(list, ways, margins, (geometry, mesh))?;
        known.clear();
        known.extend(pairs.iter().filter(|pair| pair.rolls.is_none()).map(|pair| pair.particles));
        known.sort_unstable();
        found.pairs.clear();
        found.contacts.clear();
        let separation = Separation::Planes;
        let context = NearContext { ways, margins, geometry, separation };
        for pair in now.pairs().iter().filter(|pair| known.binary_search(&pair.particles).is_err())
        {
            context.look_at(pair, found);
        }
        pairs.extend_from_slice(&found.pairs);
        Ok(!found.pairs.is_empty())
    }

    /// Number of pairs whose distance was computed in this substep.
    pub fn count(&self) -> usize {
        self.looked_at
    }

    /// The deepest overlap at the start of the substep, in metres.
    pub fn deepest_overlap(&self) -> f64 {
        self.deepest_overlap
    }

    /// Whether anything is kept from touching itself in this substep.
    pub fn is_guarded(&self) -> bool {
        !self.free.is_empty()
    }

    /// The particles of what touches itself, ascending.
    pub fn points(&self) -> &[u32] {
        self.list.points()
    }

    /// Links of what touches itself, sides of triangles among them.
    pub fn links(&self) -> &[[u32; 2]] {
        self.list.edges()
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

/// Data that all pairs of a substep share.
struct NearContext<'a> {
    ways: &'a Ways<'a>,
    margins: &'a Margins,
    geometry: &'a Geometry,
    separation: Separation,
}

impl NearContext<'_> {
    /// Adds the contact of a pair that may touch in this substep, and the pair if it may pass through
    /// itself.
    fn look_at(&self, listed: &ListedPair, found: &mut NearPairs) {
        let Self { ways, margins, geometry, separation } = *self;
        let ListedPair { features, particles, reach, sides, key, .. } = *listed;
        let (first, count) = features.counts();
        let [from, to] = [ways.start, ways.x].map(|x| particles.map(|i| x[i as usize]));
        let margin =
            |side: &[u32]| side.iter().map(|i| margins.of()[*i as usize]).fold(0.0, f64::max);
        let margins = [margin(&particles[..first]), margin(&particles[first..count])];
        let margin = margins[0] + margins[1];
        let within = reach + margin;
        let apart = match features.first_touch(&from, &to, within) {
            None => return,
            Some((0.0, _, apart)) => apart,
            Some(_) => features.nearest(&from).1,
        };
        found.deepest_overlap = found.deepest_overlap.max(reach - apart.length());
        let skin = |side: &[u32]| geometry.skins.over(side);
        let (one, other) = (skin(&particles[..first]), skin(&particles[first..count]));
        let pair = FeaturePair {
            features,
            particles,
            reach,
            surface: one.surface.with(&other.surface),
            rolls: None,
            apart,
            margin,
            separation,
        };
        let is_missed = |contact: &Contact| !sides || pair.crosses(&from, &contact.shares);
        if let Some(contact) = pair.contact(ways).filter(is_missed) {
            found.contacts.push(Contact { key: Contact::key_of_pair(key), ..contact });
        }
        if separation != Separation::None && !pair.stays_apart([&from, &to], margins) {
            found.pairs.push(pair);
        }
    }
}
