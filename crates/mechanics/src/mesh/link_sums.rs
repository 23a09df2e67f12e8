//! Sums over links. A SIMD loop was no faster: reading the links one by one takes longer than their
//! square roots (cloth of 500 × 500: 4.0 ns per link with SIMD, 4.2 ns without).

use super::link::Link;
use glam::DVec3;

/// Number of independent partial sums. Partial sum k adds links k, k + 8, k + 16 …, so that the
/// processor can overlap the additions.
const SUMS: usize = 8;

/// Returns the strain of a link, l/L − 1, at the length l = `length`.
#[inline(always)]
pub fn strain(link: &Link, length: f64) -> f64 {
    length / link.rest - 1.0
}

/// Returns the elastic energy ½k (l − L)² in joules of a link at the length l = `length`; 0 for a
/// slack one-sided link.
#[inline(always)]
pub fn elastic_energy(link: &Link, length: f64) -> f64 {
    let excess = length - link.rest;
    if link.one_sided && excess < 0.0 { 0.0 } else { 0.5 * link.stiffness * excess * excess }
}

/// Sum, maximum and minimum of a quantity over all links that are not cut.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkSum {
    /// Sum of the quantity.
    pub sum: f64,
    /// Largest value of the quantity, or 0 if no value is positive.
    pub greatest: f64,
    /// Smallest value of the quantity, or 0 if no value is negative.
    pub least: f64,
}

/// Sums `quantity(link, length)` over all links that are not cut. `length` is the link's length in
/// metres at the positions `x`.
pub fn sum_over_links(
    links: impl Iterator<Item = Link>,
    x: &[DVec3],
    quantity: impl Fn(&Link, f64) -> f64,
) -> LinkSum {
    let mut sums = [0.0; SUMS];
    let (mut greatest, mut least) = (0.0, 0.0);
    for (i, link) in links.enumerate().filter(|(_, link)| !link.is_cut()) {
        let of_link = quantity(&link, x[link.a as usize].distance(x[link.b as usize]));
        sums[i % SUMS] += of_link;
        greatest = if of_link > greatest { of_link } else { greatest };
        least = if of_link < least { of_link } else { least };
    }
    LinkSum { sum: sums.iter().sum(), greatest, least }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slack_and_cut_links_store_nothing() {
        let spring = Link { stiffness: 100.0, rigid: false, ..Link::UNIT };
        let link = |rest, one_sided| Link { rest, one_sided, ..spring };
        let links = [link(1.5, false), link(2.5, false), link(2.5, true), link(f64::NAN, false)];
        let x = [DVec3::ZERO, DVec3::new(0.0, 2.0, 0.0)];
        let energy = sum_over_links(links.into_iter(), &x, elastic_energy);
        assert_eq!(energy, LinkSum { sum: 25.0, greatest: 12.5, least: 0.0 });
        let stretch = sum_over_links(links.into_iter(), &x, strain);
        assert_eq!([stretch.greatest, stretch.least], [2.0 / 1.5 - 1.0, 2.0 / 2.5 - 1.0]);
        assert_eq!(stretch.sum, (2.0 / 1.5 - 1.0) + (2.0 / 2.5 - 1.0) + (2.0 / 2.5 - 1.0));
    }
}
