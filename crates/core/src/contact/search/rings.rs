use std::collections::HashMap;

/// Largest number of bits in a pattern. If a pattern is longer, differences are found by binary
/// search.
const MOST_BITS: i64 = 1 << 14;

/// For each particle, the set of particles within two links, including the particle itself.
///
/// A set is stored as a pattern of index differences. Nearly all particles of a cloth or rope have
/// the same pattern, so a large mesh needs few patterns.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Rings {
    patterns: Vec<RingPattern>,
    /// Index in `patterns` for each particle.
    pattern_of: Vec<u32>,
}

#[derive(Clone, Debug)]
struct RingPattern {
    /// Differences j − i for all particles j in the set of particle i, in ascending order.
    differences: Vec<i64>,
    /// Bit k is set if the pattern contains the difference `differences[0] + k`. Empty if this
    /// needs more than `MOST_BITS` bits.
    bits: Vec<u64>,
}

impl RingPattern {
    fn new(differences: Vec<i64>) -> Self {
        let (least, most) = (differences[0], differences[differences.len() - 1]);
        let mut bits = Vec::new();
        if most - least < MOST_BITS {
            bits.resize((most - least) as usize / 64 + 1, 0);
            for difference in &differences {
                let k = (difference - least) as usize;
                bits[k / 64] |= 1u64 << (k % 64);
            }
        }
        Self { differences, bits }
    }

    fn contains(&self, difference: i64) -> bool {
        if self.bits.is_empty() {
            return self.differences.binary_search(&difference).is_ok();
        }
        let k = difference - self.differences[0];
        k >= 0 && self.bits.get(k as usize / 64).is_some_and(|bits| bits >> (k % 64) & 1 == 1)
    }
}

impl Rings {
    /// Finds the set of particles within two of these links, for each of `count` particles.
    pub fn new(count: usize, links: &[[u32; 2]]) -> Self {
        let mut next = vec![Vec::new(); count];
        for &[a, b] in links {
            next[a as usize].push(b);
            next[b as usize].push(a);
        }
        let mut numbers: HashMap<Vec<i64>, u32> = HashMap::new();
        let mut patterns = Vec::new();
        let pattern_of = (0..count).map(|i| {
            let second = next[i].iter().flat_map(|j| &next[*j as usize]);
            let all = next[i].iter().chain(second);
            let mut differences: Vec<i64> = all.map(|j| i64::from(*j) - i as i64).collect();
            differences.push(0);
            differences.sort_unstable();
            differences.dedup();
            *numbers.entry(differences).or_insert_with_key(|differences| {
                patterns.push(RingPattern::new(differences.clone()));
                patterns.len() as u32 - 1
            })
        });
        let pattern_of = pattern_of.collect();
        Self { patterns, pattern_of }
    }

    pub fn are_within_two_links(&self, i: u32, j: u32) -> bool {
        let pattern = &self.patterns[self.pattern_of[i as usize] as usize];
        pattern.contains(i64::from(j) - i64::from(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_hang_together_over_two_links_and_not_over_three() {
        let far = MOST_BITS as u32 * 2;
        let rings = Rings::new(far as usize + 1, &[[0, 1], [1, 2], [2, 3], [3, far]]);
        let near = |i| {
            (0..=3).chain([far]).filter(|j| rings.are_within_two_links(i, *j)).collect::<Vec<_>>()
        };
        assert_eq!(near(0), [0, 1, 2]);
        assert_eq!(near(2), [0, 1, 2, 3, far]);
        assert_eq!(near(far), [2, 3, far]);
    }
}
