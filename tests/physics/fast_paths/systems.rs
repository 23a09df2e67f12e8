//! Random chains, sheets, grids and nets with irregularities.

use glam::{DVec3, dvec3};
use proptest::prelude::*;
use ropelab::mesh::Link;
use ropelab::numerics::random::Random;

/// Random links, masses and positions. Some particles are pinned, some coincide, some have −0 in
/// a coordinate, and some links are missing.
#[derive(Clone, Debug)]
pub(super) struct System {
    pub(super) links: Vec<Link>,
    pub(super) w: Vec<f64>,
    pub(super) start: Vec<DVec3>,
    pub(super) x: Vec<DVec3>,
}

/// Random changes to the links of a regular mesh: one-sided links, missing links, and links with
/// their ends swapped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flaws {
    pub(super) one_sided: bool,
    pub(super) missing: bool,
    pub(super) swapped: bool,
}

pub(super) fn system(
    pairs: &[(usize, usize)],
    particles: usize,
    seed: u64,
    flaws: Flaws,
) -> System {
    let mut random = Random::new(seed);
    let mut links = Vec::new();
    for &(a, b) in pairs {
        if flaws.missing && random.below(10) == 0 {
            continue;
        }
        let (a, b) = if flaws.swapped && random.below(2) == 0 { (b, a) } else { (a, b) };
        links.push(Link {
            a: a as u32,
            b: b as u32,
            rest: 0.05 + 0.1 * random.fraction(),
            stiffness: 1e3 * (1.0 + random.fraction()),
            damping: random.fraction(),
            one_sided: flaws.one_sided && random.below(3) == 0,
            rigid: random.below(4) == 0,
            ..Link::UNIT
        });
    }
    let mut x = Vec::new();
    let mut w = Vec::new();
    for i in 0..particles {
        let place = dvec3(random.fraction(), random.fraction(), random.fraction()) * 0.3;
        x.push(match random.below(12) {
            0 if i > 0 => x[i - 1],
            1 => dvec3(-0.0, place.y, -0.0),
            _ => place + dvec3(0.1 * i as f64, 0.0, 0.0),
        });
        w.push(if random.below(8) == 0 { 0.0 } else { 0.5 + random.fraction() });
    }
    let start =
        x.iter().map(|x| *x + 0.01 * dvec3(random.fraction(), random.fraction(), -1.0)).collect();
    System { links, w, start, x }
}

pub(super) fn chain(particles: usize) -> Vec<(usize, usize)> {
    (1..particles).map(|i| (i - 1, i)).collect()
}

/// Kinds of links of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stencil {
    Threads,
    Grid,
    Plate,
    BendingThreads,
    Bending,
}

pub(super) const STENCILS: [Stencil; 5] =
    [Stencil::Threads, Stencil::Grid, Stencil::Plate, Stencil::BendingThreads, Stencil::Bending];

/// Order in which links are listed: cell by cell as in a cloth, or otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) enum Listing {
    Cloth,
    ShortOnesFirst,
    Backwards,
    TwoSwapped,
}

impl Listing {
    pub(super) fn apply(self, pairs: &mut [(usize, usize)]) {
        match self {
            Self::Cloth => {}
            Self::ShortOnesFirst => pairs.sort_by_key(|(a, b)| b - a),
            Self::Backwards => pairs.reverse(),
            Self::TwoSwapped => {
                if let [.., a, b, _, _] = pairs {
                    std::mem::swap(a, b);
                }
            }
        }
    }
}

/// Links of a cloth whose last row may lack some particles, and the number of particles.
pub(super) fn sheet() -> impl Strategy<Value = (Vec<(usize, usize)>, usize)> {
    let size = prop_oneof![(2_usize..40, 1_usize..24), (70_usize..110, 1_usize..8)];
    let listing = prop_oneof![
        4 => Just(Listing::Cloth),
        1 => Just(Listing::ShortOnesFirst),
        1 => Just(Listing::Backwards),
        1 => Just(Listing::TwoSwapped),
    ];
    (size, stencil(), listing, prop_oneof![Just(0), 0_usize..40]).prop_map(
        |((columns, rows), stencil, listing, missing)| {
            let particles = (columns * rows).saturating_sub(missing.min(columns - 1)).max(2);
            let mut pairs = grid(columns, rows, stencil);
            pairs.retain(|(a, b)| *a < particles && *b < particles);
            listing.apply(&mut pairs);
            (pairs, particles)
        },
    )
}

pub(super) fn grid(columns: usize, rows: usize, stencil: Stencil) -> Vec<(usize, usize)> {
    let at = |column, row| row * columns + column;
    let diagonals = matches!(stencil, Stencil::Grid | Stencil::Plate);
    let bends = matches!(stencil, Stencil::Plate | Stencil::BendingThreads | Stencil::Bending);
    let mut pairs = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let neighbours = stencil != Stencil::Bending;
            let (right, down) = (neighbours && column + 1 < columns, neighbours && row + 1 < rows);
            if right {
                pairs.push((at(column, row), at(column + 1, row)));
            }
            if down {
                pairs.push((at(column, row), at(column, row + 1)));
            }
            if right && down && diagonals {
                pairs.push((at(column, row), at(column + 1, row + 1)));
                pairs.push((at(column + 1, row), at(column, row + 1)));
            }
            if bends && column + 2 < columns {
                pairs.push((at(column, row), at(column + 2, row)));
            }
            if bends && row + 2 < rows {
                pairs.push((at(column, row), at(column, row + 2)));
            }
        }
    }
    pairs
}

pub(super) fn stencil() -> impl Strategy<Value = Stencil> {
    proptest::sample::select(&STENCILS[..])
}

/// Links between random particles, without any regular shape. No link joins a particle to itself,
/// because scenes refuse such links.
pub(super) fn tangle(particles: usize, links: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut random = Random::new(seed);
    let pair = |_| {
        let first = random.below(particles);
        (first, (first + 1 + random.below(particles - 1)) % particles)
    };
    (0..links).map(pair).collect()
}

pub(super) fn flaws() -> impl Strategy<Value = Flaws> {
    let flaws = |(one_sided, missing, swapped)| Flaws { one_sided, missing, swapped };
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(flaws)
}

pub(super) fn stiffness() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), 0.1..1.0]
}
