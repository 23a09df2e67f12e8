//! Search for links that tear.

use crate::measure::Tensions;

/// Buffers of the search for overloaded links.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct Loads {
    pub tensions: Tensions,
    pub overloaded: Vec<LinkLoad>,
    /// Ends of the overloaded links: particle, load as a fraction of the strength, number of the
    /// link.
    at: Vec<(u32, f64, u32)>,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::simulation) struct LinkLoad {
    pub link: u32,
    /// Load as a fraction of the link's strength.
    pub load: f64,
    pub ends: [u32; 2],
}

impl Loads {
    /// Chooses the links whose load is the largest at both of their ends. Among equal loads, the
    /// link with the lowest number tears.
    pub fn choose_torn_links(&mut self, torn: &mut Vec<u32>) {
        let Self { overloaded, at, .. } = self;
        at.clear();
        at.extend(overloaded.iter().flat_map(|of| of.ends.map(|end| (end, of.load, of.link))));
        at.sort_unstable_by(|one, other| {
            let by_load = other.1.total_cmp(&one.1);
            one.0.cmp(&other.0).then(by_load).then(one.2.cmp(&other.2))
        });
        at.dedup_by_key(|(particle, ..)| *particle);
        let is_first = |end: &u32, link: u32| {
            at.binary_search_by_key(end, |(particle, ..)| *particle).is_ok_and(|k| at[k].2 == link)
        };
        let first = |load: &&LinkLoad| load.ends.iter().all(|end| is_first(end, load.link));
        torn.extend(overloaded.iter().filter(first).map(|load| load.link));
    }
}
