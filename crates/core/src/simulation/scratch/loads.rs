//! Search for links that tear.

use crate::measure::Tensions;

/// Buffers of the search for overloaded links.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct Loads {
    pub tensions: Tensions,
    pub overloaded: Vec<LinkLoad>,
    /// Ends of the overloaded links.
    ends: Vec<LoadedEnd>,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::simulation) struct LinkLoad {
    pub link: u32,
    /// Load as a fraction of the link's strength.
    pub load: f64,
    pub ends: [u32; 2],
}

/// An end of an overloaded link.
#[derive(Clone, Copy, Debug)]
struct LoadedEnd {
    particle: u32,
    /// Load as a fraction of the link's strength.
    load: f64,
    link: u32,
}

impl Loads {
    /// Chooses the links whose load is the largest at both of their ends. Among equal loads, the
    /// link with the lowest index tears.
    pub fn choose_torn_links(&mut self, torn: &mut Vec<u32>) {
        let Self { overloaded, ends, .. } = self;
        ends.clear();
        ends.extend(overloaded.iter().flat_map(|of| {
            of.ends.map(|particle| LoadedEnd { particle, load: of.load, link: of.link })
        }));
        ends.sort_unstable_by(|one, other| {
            let by_load = other.load.total_cmp(&one.load);
            one.particle.cmp(&other.particle).then(by_load).then(one.link.cmp(&other.link))
        });
        ends.dedup_by_key(|end| end.particle);
        let is_first = |particle: &u32, link: u32| {
            let found = ends.binary_search_by_key(particle, |end| end.particle);
            found.is_ok_and(|k| ends[k].link == link)
        };
        let first = |load: &&LinkLoad| load.ends.iter().all(|end| is_first(end, load.link));
        torn.extend(overloaded.iter().filter(first).map(|load| load.link));
    }
}
