//! Checks of links that are cut from the start.

use super::bodies::CheckedBodies;
use crate::mesh::Links;
use crate::typed::located::{Fault, Located};
use std::collections::BTreeMap;

impl CheckedBodies {
    /// Returns the ascending indices of the links between these pairs of particles.
    pub(super) fn cuts(&self, cuts: &[Located<[u32; 2]>]) -> Result<Vec<u32>, Fault> {
        if cuts.is_empty() {
            return Ok(Vec::new());
        }
        let mut holds: BTreeMap<[u32; 2], bool> =
            cuts.iter().map(|cut| (sorted(**cut), false)).collect();
        let mut numbers = Vec::new();
        for (number, link) in self.mesh.links.iter().enumerate() {
            if let Some(holds) = holds.get_mut(&sorted([link.a, link.b])) {
                *holds = true;
                numbers.push(number as u32);
            }
        }
        match cuts.iter().find(|cut| !holds[&sorted(***cut)]) {
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

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Returns a clause with the links of a particle, at most five: `; particle 3 has links to 2 and
/// 4`.
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
