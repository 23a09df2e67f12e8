//! Self-contact: search for features of ropes and cloths that may be in contact with each other in
//! a substep.
//!
//! The pairs found depend only on the present state, not on the age of the candidate list.

use super::feature_pair::{FeaturePair, Separation};
use crate::contact::bodies::contact_features::ContactFeatures;
use crate::contact::bodies::geometry::Geometry;
use crate::contact::method::SelfContact;
use crate::contact::resolve::position_level::Contact;
use crate::contact::search::crowd::TooManyPairs;
use crate::contact::search::margins::Margins;
use crate::contact::search::near_list::{ListedPair, NearList, part_size};
use crate::contact::substep::{Bodies, SubstepMotion};
use glam::DVec3;
use rayon::prelude::*;

/// Smallest number of listed pairs for which a separate task on another thread is worthwhile.
const PAIRS_A_THREAD: usize = 500;

/// Largest distance of a particle from its position after free motion at which it does not count as
/// truncated, in units of its margin. The excess over 1 allows for rounding.
const TRUNCATED_ABOVE: f64 = 1.0 + 1e-9;

#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct SelfContactSearch {
    list: NearList,
    margins: Margins,
    /// Positions after free motion, in metres; empty without self-contact.
    free: Vec<DVec3>,
    parts: Vec<NearPairs>,
    overtaking: OvertakingSearch,
    /// Deepest overlap at the start of the substep, in metres.
    deepest_overlap: f64,
    pairs_checked: usize,
}

/// Search for pairs that a truncation of displacements has created. A particle that follows a
/// truncated one may overtake it.
#[derive(Clone, Debug, Default)]
struct OvertakingSearch {
    list: NearList,
    /// Margins of zero, because no sweeps follow.
    margins: Margins,
    /// Particles of the pairs that were known before this search, sorted.
    known: Vec<[u32; 4]>,
    found: NearPairs,
}

/// Pairs and contacts that one task has found.
#[derive(Clone, Debug, Default)]
struct NearPairs {
    pairs: Vec<FeaturePair>,
    contacts: Vec<Contact>,
    deepest_overlap: f64,
    pairs_checked: usize,
}

/// Lists that a search extends.
#[derive(Debug)]
pub(in crate::contact) struct PairLists<'a> {
    /// Pairs whose features may pass through each other.
    pub pairs: &'a mut Vec<FeaturePair>,
    /// Contacts of pairs that touch, or that constraints may bring into contact.
    pub contacts: &'a mut Vec<Contact>,
}

impl SelfContactSearch {
    /// Finds the pairs of a substep, and appends them and their contacts to `lists`. `v` contains
    /// the velocities in m/s at the start of the substep.
    pub fn find_pairs(
        &mut self,
        method: SelfContact,
        bodies: &Bodies,
        contact_features: &ContactFeatures,
        motion: &SubstepMotion,
        v: &[DVec3],
        lists: PairLists,
    ) -> Result<(), TooManyPairs> {
        let Bodies { geometry, mesh, .. } = *bodies;
        let PairLists { pairs, contacts } = lists;
        self.free.clear();
        (self.deepest_overlap, self.pairs_checked) = (0.0, 0);
        if method == SelfContact::Off || !geometry.contact_table.has_self_contact() {
            return Ok(());
        }
        let Self { list, margins, free, parts, overtaking: _, deepest_overlap, pairs_checked } =
            self;
        let only_points = method == SelfContact::Particles;
        list.choose(only_points, contact_features, &geometry.contact_table, mesh);
        let count = mesh.positions.len();
        let largest_radius = geometry.contact_table.largest_radius();
        margins.update(motion, v, (count, list.edges()), contacts, largest_radius);
        if !margins.values().iter().all(|margin| margin.is_finite()) {
            return Ok(());
        }
        free.extend(&motion.x[..count]);
        list.update(motion, margins, bodies)?;
        let listed = list.pairs();
        let size = part_size(listed.len(), PAIRS_A_THREAD);
        let used = listed.len().div_ceil(size);
        parts.resize_with(used.max(parts.len()), NearPairs::default);
        let separation = match method {
            SelfContact::Guarantee => Separation::Planes,
            SelfContact::Swept => Separation::TimesOfImpact,
            SelfContact::Off | SelfContact::Particles | SelfContact::Repulsion => Separation::None,
        };
        let list = &*list;
        let context = NearContext { motion, margins, geometry, separation };
        let inspect_part = |(listed, found): (&[ListedPair], &mut NearPairs)| {
            found.pairs.clear();
            found.contacts.clear();
            (found.deepest_overlap, found.pairs_checked) = (0.0, 0);
            for pair in listed.iter().filter(|pair| !list.is_far(pair)) {
                found.pairs_checked += 1;
                context.inspect_pair(pair, found);
            }
        };
        match used {
            0 | 1 => listed.chunks(size).zip(&mut parts[..used]).for_each(inspect_part),
            _ => listed.par_chunks(size).zip(&mut parts[..used]).for_each(inspect_part),
        }
        for found in &parts[..used] {
            pairs.extend_from_slice(&found.pairs);
            contacts.extend_from_slice(&found.contacts);
            *deepest_overlap = deepest_overlap.max(found.deepest_overlap);
            *pairs_checked += found.pairs_checked;
        }
        Ok(())
    }

    /// Appends the pairs that may pass through each other on the truncated displacements, because a
    /// particle overtakes a truncated one. Returns true if there are such pairs. Searches only if a
    /// particle has moved beyond its margin.
    pub fn find_overtaking(
        &mut self,
        bodies: &Bodies,
        motion: &SubstepMotion,
        pairs: &mut Vec<FeaturePair>,
    ) -> Result<bool, TooManyPairs> {
        let Bodies { geometry, mesh, .. } = *bodies;
        let Self { list, margins, free, overtaking, .. } = self;
        let is_truncated = |i: &u32| {
            let i = *i as usize;
            motion.x[i].distance(free[i]) > TRUNCATED_ABOVE * margins.values()[i]
        };
        if free.is_empty() || !list.points().iter().any(is_truncated) {
            return Ok(false);
        }
        let OvertakingSearch { list: now, margins, known, found } = overtaking;
        margins.set_to_zero(mesh.positions.len());
        now.build_for_one_substep(list, motion, margins, bodies)?;
        known.clear();
        known.extend(
            pairs.iter().filter(|pair| pair.rolling_ball.is_none()).map(|pair| pair.particles),
        );
        known.sort_unstable();
        found.pairs.clear();
        found.contacts.clear();
        let separation = Separation::Planes;
        let context = NearContext { motion, margins, geometry, separation };
        for pair in now.pairs().iter().filter(|pair| known.binary_search(&pair.particles).is_err())
        {
            context.inspect_pair(pair, found);
        }
        pairs.extend_from_slice(&found.pairs);
        Ok(!found.pairs.is_empty())
    }

    /// Returns a copy with the counts of the last substep, but without the lists of its search.
    pub fn without_lists(&self) -> Self {
        let Self { deepest_overlap, pairs_checked, .. } = *self;
        Self { deepest_overlap, pairs_checked, ..Self::default() }
    }

    /// Returns the number of pairs whose distance was computed in this substep.
    pub fn count(&self) -> usize {
        self.pairs_checked
    }

    pub fn deepest_overlap(&self) -> f64 {
        self.deepest_overlap
    }

    pub fn is_active(&self) -> bool {
        !self.free.is_empty()
    }

    /// Returns the particles of features with self-contact, in ascending order.
    pub fn points(&self) -> &[u32] {
        self.list.points()
    }

    /// Returns the links with self-contact, including edges of triangles.
    pub fn links(&self) -> &[[u32; 2]] {
        self.list.edges()
    }

    /// Moves particles back to their margins if constraints have moved them further, because the
    /// search covers no pairs beyond the margins. Returns how many particles it moved back.
    pub fn return_to_margins(&self, x: &mut [DVec3], v: &mut [DVec3], h: f64) -> u64 {
        if self.free.is_empty() {
            return 0;
        }
        let mut count = 0;
        for &i in self.list.points() {
            let i = i as usize;
            let (moved, most) = (x[i] - self.free[i], self.margins.values()[i]);
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

/// Inputs that are the same for all pairs of a substep.
struct NearContext<'a> {
    motion: &'a SubstepMotion<'a>,
    margins: &'a Margins,
    geometry: &'a Geometry,
    separation: Separation,
}

impl NearContext<'_> {
    /// Appends the contact of a pair that may be in contact in this substep. Appends the pair
    /// itself if its features may pass through each other.
    fn inspect_pair(&self, listed: &ListedPair, found: &mut NearPairs) {
        let Self { motion, margins, geometry, separation } = *self;
        let ListedPair { features, particles, reach, sides, key, .. } = *listed;
        let (first, count) = features.counts();
        let [from, to] = [motion.start, motion.x].map(|x| particles.map(|i| x[i as usize]));
        let margin =
            |side: &[u32]| side.iter().map(|i| margins.values()[*i as usize]).fold(0.0, f64::max);
        let margins = [margin(&particles[..first]), margin(&particles[first..count])];
        let margin = margins[0] + margins[1];
        let within = reach + margin;
        let apart = match features.first_contact(&from, &to, within) {
            None => return,
            Some((0.0, _, apart)) => apart,
            Some(_) => features.nearest(&from).1,
        };
        found.deepest_overlap = found.deepest_overlap.max(reach - apart.length());
        let properties = |side: &[u32]| geometry.contact_table.of_feature(side);
        let (one, other) = (properties(&particles[..first]), properties(&particles[first..count]));
        let pair = FeaturePair {
            features,
            particles,
            reach,
            surface: one.surface.with(&other.surface),
            rolling_ball: None,
            apart,
            margin,
            separation,
        };
        let is_missed = |contact: &Contact| !sides || pair.crosses(&from, &contact.weights);
        if let Some(contact) = pair.contact(motion).filter(is_missed) {
            found.contacts.push(Contact { key: Contact::key_of_pair(key), ..contact });
        }
        if separation != Separation::None && !pair.stays_apart([&from, &to], margins) {
            found.pairs.push(pair);
        }
    }
}
