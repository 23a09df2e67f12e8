//! Sums over many links, several at a time.
//!
//! The order of summation does not depend on the machine: there are eight sums, the k-th of every
//! eighth link from the k-th one on.

use crate::mesh::{Link, LinkKind};
use crate::numerics::simd::{Isa, Kernel, Vector};
use glam::DVec3;
use std::marker::PhantomData;

/// Sums that are added up at the end, however many of them a vector holds.
const SUMS: usize = 8;
/// Links that are fetched before any is computed with: what was just written number by number is
/// slow to read as a vector.
const FETCHED: usize = 64;

/// Takes the place of a link where there is none, or none any more.
const AT_REST: Link = Link {
    a: 0,
    b: 0,
    rest: 1.0,
    stiffness: 1.0,
    damping: 0.0,
    kind: LinkKind::Structural,
    one_sided: false,
    rigid: true,
};

/// Something of a link that is added up, 0 at rest: from its length in metres and K numbers.
pub trait Quantity<const K: usize>: Copy {
    /// What the quantity needs of a link besides its ends.
    fn numbers(link: &Link) -> [f64; K];
    /// The quantity of links of these lengths, in metres, a link an element.
    fn of<V: Vector>(length: V, numbers: [V; K]) -> V;
}

/// Length over rest length − 1.
#[derive(Clone, Copy)]
pub struct RelativeStretch;

impl Quantity<1> for RelativeStretch {
    #[inline(always)]
    fn numbers(link: &Link) -> [f64; 1] {
        [link.rest]
    }

    #[inline(always)]
    fn of<V: Vector>(length: V, [rest]: [V; 1]) -> V {
        length / rest - V::splat(1.0)
    }
}

/// ½k (l − L)² in joules. A one-sided link that is slack stores none.
#[derive(Clone, Copy)]
pub struct ElasticEnergy;

impl Quantity<3> for ElasticEnergy {
    #[inline(always)]
    fn numbers(link: &Link) -> [f64; 3] {
        let least_strain = if link.one_sided { 0.0 } else { f64::NEG_INFINITY };
        [link.rest, link.stiffness, least_strain]
    }

    #[inline(always)]
    fn of<V: Vector>(length: V, [rest, stiffness, least_strain]: [V; 3]) -> V {
        let strain = length - rest;
        let strain = least_strain.greater(strain);
        V::splat(0.5) * stiffness * strain * strain
    }
}

/// Of all links.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Total {
    /// Sum over the links.
    pub sum: f64,
    /// The greatest of the quantities, or 0.
    pub greatest: f64,
}

/// Adds up a quantity over `count` links at positions `x`. `link` must be `#[inline(always)]`.
pub fn total<Q: Quantity<K>, const K: usize>(
    quantity: Q,
    count: usize,
    link: impl Fn(usize) -> Link,
    x: &[DVec3],
) -> Total {
    total_on(Isa::best(), quantity, count, link, x)
}

fn total_on<Q: Quantity<K>, const K: usize>(
    isa: Isa,
    _: Q,
    count: usize,
    link: impl Fn(usize) -> Link,
    x: &[DVec3],
) -> Total {
    isa.run(Sum::<Q, _, K> { quantity: PhantomData, count, link, x })
}

struct Sum<'a, Q, L, const K: usize> {
    quantity: PhantomData<Q>,
    count: usize,
    link: L,
    x: &'a [DVec3],
}

/// Squared lengths and K numbers of some links.
struct Fetched<const K: usize> {
    squared: [f64; FETCHED],
    numbers: [[f64; FETCHED]; K],
}

impl<const K: usize> Fetched<K> {
    #[inline(always)]
    fn at_rest<Q: Quantity<K>>() -> Self {
        let numbers = Q::numbers(&AT_REST).map(|number| [number; FETCHED]);
        Self { squared: [AT_REST.rest * AT_REST.rest; FETCHED], numbers }
    }

    #[inline(always)]
    fn fetch<Q: Quantity<K>>(&mut self, k: usize, link: Link, x: &[DVec3]) {
        let squared = x[link.a as usize].distance_squared(x[link.b as usize]);
        let (squared, link) =
            if link.is_cut() { (AT_REST.rest * AT_REST.rest, AT_REST) } else { (squared, link) };
        self.squared[k] = squared;
        let numbers = Q::numbers(&link);
        for (column, number) in self.numbers.iter_mut().zip(&numbers) {
            column[k] = *number;
        }
    }

    /// The quantity of as many links as a vector has elements.
    #[inline(always)]
    fn quantity<Q: Quantity<K>, V: Vector>(&self, first: usize) -> V {
        let mut numbers = [V::splat(0.0); K];
        for (numbers, column) in numbers.iter_mut().zip(&self.numbers) {
            *numbers = V::load(&column[first..]);
        }
        Q::of(V::load(&self.squared[first..]).sqrt(), numbers)
    }
}

impl<Q: Quantity<K>, L: Fn(usize) -> Link, const K: usize> Kernel for Sum<'_, Q, L, K> {
    type Output = Total;

    #[inline(always)]
    fn run<V: Vector>(self) -> Total {
        let Self { count, link, x, .. } = self;
        // As many as a vector of two elements needs.
        let mut sums = [V::splat(0.0); SUMS / 2];
        let mut greatest = V::splat(0.0);
        let mut fetched = Fetched::at_rest::<Q>();
        for turn in 0..count.div_ceil(FETCHED) {
            let first = turn * FETCHED;
            let links = FETCHED.min(count - first);
            if links < FETCHED {
                fetched = Fetched::at_rest::<Q>();
            }
            for k in 0..links {
                fetched.fetch::<Q>(k, link(first + k), x);
            }
            for vector in 0..FETCHED / V::ELEMENTS {
                let quantity = fetched.quantity::<Q, V>(vector * V::ELEMENTS);
                let sum = &mut sums[vector % (SUMS / V::ELEMENTS)];
                *sum = *sum + quantity;
                greatest = quantity.greater(greatest);
            }
        }
        let sums = &sums[..SUMS / V::ELEMENTS];
        Total {
            sum: sums.iter().flat_map(V::as_slice).sum(),
            greatest: greatest.as_slice().iter().copied().fold(0.0, f64::max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Links;

    /// A crumpled ribbon of links of all kinds.
    fn ribbon(count: usize) -> (Links, Vec<DVec3>) {
        let noise = |i: usize| (i as f64 * 12.9898).sin();
        let place = |i: usize| DVec3::new(i as f64, 0.4 * noise(i), 0.3 * noise(7 * i));
        let link = |i: usize| Link {
            a: (i + i % 3) as u32,
            b: i as u32 + 3,
            rest: if i % 11 == 3 { f64::NAN } else { 1.7 + noise(i) },
            stiffness: 100.0 + 50.0 * noise(3 * i),
            one_sided: i.is_multiple_of(5),
            ..AT_REST
        };
        ((0..count).map(link).collect(), (0..count + 3).map(place).collect())
    }

    fn length(link: &Link, x: &[DVec3]) -> f64 {
        x[link.a as usize].distance(x[link.b as usize])
    }

    fn stretch(link: &Link, x: &[DVec3]) -> f64 {
        length(link, x) / link.rest - 1.0
    }

    fn energy(link: &Link, x: &[DVec3]) -> f64 {
        let strain = length(link, x) - link.rest;
        let slack = link.one_sided && strain < 0.0;
        if slack { 0.0 } else { 0.5 * link.stiffness * strain * strain }
    }

    fn agrees<Q: Quantity<K>, const K: usize>(quantity: Q, plain: fn(&Link, &[DVec3]) -> f64) {
        for count in [0, 1, 7, 8, 63, 64, 65, 1000, 100_000] {
            let (links, x) = ribbon(count);
            let whole = links.iter().filter(|link| !link.is_cut());
            let plainly: Vec<f64> = whole.map(|link| plain(&link, &x)).collect();
            let sum: f64 = plainly.iter().sum();
            let found = total(quantity, count, |i| links.at(i), &x);
            assert!((found.sum - sum).abs() <= 1e-12 * sum.abs(), "{count}: {found:?} {sum}");
            assert_eq!(found.greatest, plainly.into_iter().fold(0.0, f64::max), "{count}");
            for isa in Isa::with_kernels() {
                let other = total_on(isa, quantity, count, |i| links.at(i), &x);
                assert_eq!(other, found, "{count}, {}", isa.name());
            }
        }
    }

    #[test]
    fn stretch_is_that_of_the_plain_formula() {
        agrees(RelativeStretch, stretch);
    }

    #[test]
    fn elastic_energy_is_that_of_the_plain_formula() {
        agrees(ElasticEnergy, energy);
    }
}
