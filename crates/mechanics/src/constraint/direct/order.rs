//! Elimination order of links, and spanning trees for nets with too much fill-in.

use super::elimination::Elimination;
use crate::mesh::Link;
use crate::mesh::groups::join_groups;

/// Largest number of off-diagonal elements of L per link. A rope has 1, a net of 20 × 20 about 12,
/// a cloth of 30 × 30 with shear links 40.
pub(super) const MOST_FILL: usize = 16;

/// Coupling of two links that share a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coupling {
    /// Index of the off-diagonal matrix element, see [`Elimination::slot_of`].
    pub slot: u32,
    pub rows: [u32; 2],
    pub particle: u32,
    /// −1 if the particle is the first end of one link and the second end of the other, otherwise
    /// +1.
    pub sign: f64,
}

/// Returns the elimination of these links, and the couplings between them. `None` if elimination
/// would cause too much fill-in.
pub(super) fn plan_elimination(
    rows: &[u32],
    links: &[Link],
    particles: usize,
) -> Option<(Elimination, Vec<Coupling>)> {
    let most = MOST_FILL * rows.len();
    // Links at each particle, with the sign −1 if the particle is the first end of the link, +1 if
    // it is the second end.
    let mut at: Vec<Vec<(u32, f64)>> = vec![Vec::new(); particles];
    for (row, &number) in (0..).zip(rows) {
        let Link { a, b, .. } = links[number as usize];
        at[a as usize].push((row, -1.0));
        at[b as usize].push((row, 1.0));
    }
    let shared: usize = at.iter().map(|links| links.len() * links.len()).sum();
    if shared > 4 * most + 64 {
        return None;
    }
    let mut pairs = Vec::new();
    for (particle, links) in (0..).zip(&at) {
        for (i, &(one, sign)) in links.iter().enumerate() {
            for &(other, other_sign) in &links[i + 1..] {
                pairs.push(([one, other], particle, sign * other_sign));
            }
        }
    }
    let row_pairs: Vec<[u32; 2]> = pairs.iter().map(|(rows, ..)| *rows).collect();
    let elimination = Elimination::new(rows.len(), &row_pairs, most)?;
    let coupling =
        |(rows, particle, sign)| Coupling { slot: elimination.slot_of(rows), rows, particle, sign };
    let couplings = pairs.into_iter().map(coupling).collect();
    Some((elimination, couplings))
}

/// Returns two lists of links, both in ascending order: those of a spanning tree of each connected
/// component, and the others.
pub(super) fn spanning_tree(links: &[Link], particles: usize) -> (Vec<u32>, Vec<u32>) {
    let mut groups: Vec<u32> = (0..particles as u32).collect();
    (0..links.len() as u32).partition(|&number| {
        let Link { a, b, .. } = links[number as usize];
        join_groups(&mut groups, [a, b])
    })
}
