//! Checks of the links that are cut when the scene starts.

use super::bodies::CheckedBodies;
use crate::typed::file::CutFile;
use crate::typed::located::{Fault, Located};
use ropelab_core::mesh::Links;
use ropelab_core::mesh::faces::ascending;
use std::collections::BTreeSet;

impl CheckedBodies {
    /// Returns the indices of the cut links, in ascending order. Returns an error if a cut refers
    /// to a link that does not exist.
    pub(super) fn find_cut_links(&self, cuts: &[Located<CutFile>]) -> Result<Vec<u32>, Fault> {
        let links = &self.mesh.links;
        let pairs = links.between(cuts.iter().map(|cut| [cut.0, cut.1]));
        let mut cut_links = BTreeSet::new();
        for cut in cuts {
            let CutFile(a, b, number) = **cut;
            let between = &pairs[&ascending([a, b])];
            match number.map(|number| between.get(number as usize)) {
                _ if between.is_empty() => {
                    return Err(cut.fault(format!(
                        "no link joins the particles {a} and {b}, expected the ends of a link{}",
                        neighbours(links, a)
                    )));
                }
                None => cut_links.extend(between),
                Some(Some(link)) => {
                    cut_links.insert(*link);
                }
                Some(None) => {
                    let number = number.unwrap_or_default();
                    let expected = match between.len() - 1 {
                        0 => "0, as there is only one".to_owned(),
                        last => format!("0 to {last}"),
                    };
                    return Err(cut.fault(format!(
                        "found link {number} between the particles {a} and {b}, expected {expected}"
                    )));
                }
            }
        }
        Ok(cut_links.into_iter().collect())
    }
}

/// Returns a clause that names up to five neighbours of a particle: `; particle 3 has links to 2
/// and 4`.
fn neighbours(links: &Links, particle: u32) -> String {
    let other = |link: ropelab_core::mesh::Link| match particle {
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
