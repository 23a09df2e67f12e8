//! Checks of links that are cut from the start.

use super::bodies::CheckedBodies;
use crate::mesh::Links;
use crate::mesh::faces::ascending;
use crate::typed::located::{Fault, Located};
use std::collections::BTreeMap;

impl CheckedBodies {
    /// Returns the indices of the links between pairs of particles, in ascending order. Returns an
    /// error if no link joins a pair.
    pub(super) fn find_cut_links(&self, cuts: &[Located<[u32; 2]>]) -> Result<Vec<u32>, Fault> {
        if cuts.is_empty() {
            return Ok(Vec::new());
        }
        let mut is_found: BTreeMap<[u32; 2], bool> =
            cuts.iter().map(|cut| (ascending(**cut), false)).collect();
        let mut numbers = Vec::new();
        for (number, link) in self.mesh.links.iter().enumerate() {
            if let Some(is_found) = is_found.get_mut(&ascending([link.a, link.b])) {
                *is_found = true;
                numbers.push(number as u32);
            }
        }
        match cuts.iter().find(|cut| !is_found[&ascending(***cut)]) {
            None => Ok(numbers),
            Some(cut) => {
                let [a, b] = **cut;
                Err(cut.fault(format!(
                    "no link joins the particles {a} and {b}, expected the ends of a link{}",
                    neighbours(&self.mesh.links, a)
                )))
            }
        }
    }
}

/// Returns a clause that lists up to five particles to which a particle is linked: `; particle 3
/// has links to 2 and 4`.
fn neighbours(links: &Links, particle: u32) -> String {
    let other = |link: crate::mesh::Link| match particle {
        _ if link.a == particle => Some(link.b),
        _ if link.b == particle => Some(link.a),
        _ => None,
    };
    let others: Vec<String> =
        links.iter().filter_map(other).take(5).map(|other| other.to_string()).collect();
    match &others[..] {
        [] => String::new(),
        [only] => format!("; particle {particle} has a link to {only}"),
        [first @ .., last] => {
            format!("; particle {particle} has links to {} and {last}", first.join(", "))
        }
    }
}
