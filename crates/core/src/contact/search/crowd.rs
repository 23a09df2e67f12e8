//! The most pairs of bodies that contact looks at in one substep.
//!
//! Where bodies are much larger than their spacing, or have come together in one place, each meets
//! every other one, and neither memory nor time would suffice. The lane then ends with a verdict.

/// Pairs that contact always looks at: with contacts, some 0.5 GiB.
const ALWAYS: usize = 1_000_000;

/// Pairs a body, of many bodies: four times those of a dense heap of links.
const A_BODY: usize = 64;

/// Pairs of features that are near enough to be looked at: always, a second's worth, and a feature.
const LOOKED_AT: [usize; 2] = [50_000_000, 1000];

/// Most bodies of which every one looks at every other: 50 million pairs, 0.4 GB.
const MOST_BODIES_IN_ALL_PAIRS: usize = 10_000;

/// More pairs meet in one substep than contact looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowded;

/// Most pairs among so many bodies.
pub(in crate::contact) fn most_pairs(bodies: usize) -> usize {
    ALWAYS.max(A_BODY * bodies)
}

/// Adds all pairs of so many bodies, the smaller number first.
pub(in crate::contact) fn all_pairs(
    bodies: usize,
    pairs: &mut Vec<(u32, u32)>,
) -> Result<(), Crowded> {
    if bodies > MOST_BODIES_IN_ALL_PAIRS {
        return Err(Crowded);
    }
    let n = bodies as u32;
    pairs.extend((0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))));
    Ok(())
}

/// Most pairs among so many features whose distance is computed.
pub(in crate::contact) fn most_looked_at(features: usize) -> usize {
    LOOKED_AT[0].max(LOOKED_AT[1] * features)
}
