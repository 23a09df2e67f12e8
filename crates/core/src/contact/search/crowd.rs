//! Limits of the number of pairs that contact processes in one substep.
//!
//! If bodies are much larger than their spacing, or have gathered in one place, every body is near
//! every other, and neither memory nor time would suffice. The simulation then stops with a
//! verdict.

/// Number of pairs that is always permitted. With their contacts they take about 0.5 GiB.
const LEAST_LIMIT: usize = 1_000_000;

/// Number of pairs per body that is permitted if there are many bodies: four times that of a dense
/// heap of links.
const PAIRS_A_BODY: usize = 64;

/// Largest numbers of feature pairs whose distance is computed: in total (about one second of
/// work), and per feature. The larger of both limits applies.
const CHECKED_PAIRS: [usize; 2] = [50_000_000, 1000];

/// Largest number of bodies for which all pairs are searched: 50 million pairs, 0.4 GB.
const MOST_BODIES_IN_ALL_PAIRS: usize = 10_000;

/// Error: more pairs may be in contact in one substep than contact can process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyPairs;

/// Returns how many pairs of `bodies` bodies are permitted.
pub(in crate::contact) fn most_pairs(bodies: usize) -> usize {
    LEAST_LIMIT.max(PAIRS_A_BODY * bodies)
}

/// Appends all pairs of bodies, the smaller index first. Fails if there are too many bodies.
pub(in crate::contact) fn all_pairs(
    bodies: usize,
    pairs: &mut Vec<(u32, u32)>,
) -> Result<(), TooManyPairs> {
    if bodies > MOST_BODIES_IN_ALL_PAIRS {
        return Err(TooManyPairs);
    }
    let n = bodies as u32;
    pairs.extend((0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))));
    Ok(())
}

/// Returns how many distances between `features` features may be computed.
pub(in crate::contact) fn most_checked_pairs(features: usize) -> usize {
    CHECKED_PAIRS[0].max(CHECKED_PAIRS[1] * features)
}
