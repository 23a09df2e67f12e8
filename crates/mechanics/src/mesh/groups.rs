//! Groups of joined particles: union–find with path halving (Tarjan and van Leeuwen 1984, J. ACM
//! 31, 245).
//!
//! `groups` contains an entry for each particle: the particle itself, or another particle of its
//! group. At first each particle is its own group.

/// Returns the particle that identifies the group of a particle.
pub fn group_of(groups: &mut [u32], mut i: u32) -> u32 {
    while groups[i as usize] != i {
        let next = groups[groups[i as usize] as usize];
        groups[i as usize] = next;
        i = next;
    }
    i
}

/// Joins the groups of two particles. Returns false if both were in the same group already.
pub fn join_groups(groups: &mut [u32], [a, b]: [u32; 2]) -> bool {
    let [a, b] = [a, b].map(|end| group_of(groups, end));
    groups[a.max(b) as usize] = a.min(b);
    a != b
}
