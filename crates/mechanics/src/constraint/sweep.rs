//! Sweep orders, and the plain loop over the links. The solvers provide the correction of a single
//! link.

use super::kernels::FastPaths;
use super::scalar_fallback::ScalarFallback;
use crate::mesh::{Link, Links};
use crate::numerics::magnitude::format_six_digits;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Order in which a sweep corrects the links.
///
/// The first three orders are Gauss–Seidel: each link sees the corrections of earlier links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum SweepOrder {
    /// A rope is swept from its first end to its last.
    ///
    /// On a straight rope of N links pinned at one end, a sweep from the pin multiplies the slowest
    /// error by cos²(π/(2N)), a Jacobi sweep by cos(π/(2N)).
    #[default]
    EndToEnd,
    /// Every second sweep is reversed.
    BackAndForth,
    /// Links of one colour share no particle. On a rope: red-black.
    Coloured,
    /// All corrections start from the same positions, which keeps mirror symmetry.
    ///
    /// Each link takes the fraction min(1, 2/n) of its correction, where n is the larger number of
    /// links at its two ends. Then no error grows on any mesh, because a column of J W Jᵀ divided
    /// by its diagonal sums to at most n (Gershgorin). A rope is not slowed down, because n is 2.
    Jacobi {
        /// Factor in (0, 1] on every correction; below 1 it damps errors that change sign in every
        /// sweep.
        damping: f64,
    },
}

impl SweepOrder {
    /// All orders; Jacobi is undamped.
    pub const ALL: [Self; 4] =
        [Self::EndToEnd, Self::BackAndForth, Self::Coloured, Self::Jacobi { damping: 1.0 }];

    /// Checks the damping factor of Jacobi sweeps.
    pub(super) fn check(&self) -> Result<(), String> {
        match *self {
            Self::Jacobi { damping } if !(damping > 0.0 && damping <= 1.0) => Err(format!(
                "damping of a Jacobi sweep is {}, must be above 0, at most 1",
                format_six_digits(damping)
            )),
            _ => Ok(()),
        }
    }
}

/// Current ends of a link, the input of a solver's correction.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// Position of `link.a` in metres.
    pub a: DVec3,
    /// Position of `link.b` in metres.
    pub b: DVec3,
    /// w_a + w_b in 1/kg, positive.
    pub w: f64,
    /// Fraction of the correction to take: 1 unless Jacobi sweeps or over-relaxation change it.
    pub fraction: f64,
}

impl Ends {
    /// Returns the length l and the direction n from a to b. `None` if the ends coincide or are not
    /// finite.
    ///
    /// d = b − a, l = √((d_x² + d_y²) + d_z²), n = d · (1/l).
    pub fn length_and_direction(&self) -> Option<(f64, DVec3)> {
        let d = self.b - self.a;
        let l = d.length();
        let reciprocal = 1.0 / l;
        (l > 0.0 && reciprocal.is_finite() && reciprocal > 0.0).then(|| (l, d * reciprocal))
    }
}

/// Links, with the data for sweeps in each order. The data of an order are built on first use.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Network {
    pub links: Links,
    pub particles: usize,
    end_to_end: Option<ScalarFallback>,
    back_and_forth: Option<ScalarFallback>,
    coloured: Option<ScalarFallback>,
    jacobi: Option<Jacobi>,
}

#[derive(Clone, Debug, PartialEq)]
struct Jacobi {
    /// Number of links at each particle.
    degrees: Vec<u32>,
    /// Sum of the corrections of each particle in metres.
    corrections: Vec<DVec3>,
}

impl Network {
    pub fn new(links: Links, particles: usize) -> Self {
        Self {
            links,
            particles,
            end_to_end: None,
            back_and_forth: None,
            coloured: None,
            jacobi: None,
        }
    }

    /// Cuts link `i`. Returns the link as it was before.
    pub fn cut(&mut self, i: usize) -> Link {
        let link = self.links.at(i);
        self.links.cut(i);
        if let Some(jacobi) = &mut self.jacobi {
            jacobi.cut(&link);
        }
        link
    }

    /// Builds the data of an order, and the kernels that exist only for this order.
    pub fn prepare(&mut self, order: SweepOrder, paths: &mut FastPaths) {
        let Self { links, particles, end_to_end, back_and_forth, coloured, jacobi } = self;
        let mut scalar_fallback = || ScalarFallback::collect(order, links, *particles, paths);
        match order {
            SweepOrder::EndToEnd if end_to_end.is_none() => *end_to_end = Some(scalar_fallback()),
            SweepOrder::BackAndForth if back_and_forth.is_none() => {
                *back_and_forth = Some(scalar_fallback());
            }
            SweepOrder::Coloured if coloured.is_none() => *coloured = Some(scalar_fallback()),
            SweepOrder::Jacobi { .. } if jacobi.is_none() => {
                *jacobi = Some(Jacobi::new(links, *particles));
            }
            _ => {}
        }
    }

    /// True if the plain loop sweeps some links in this order. [`Self::prepare`] must have built
    /// the data of the order.
    pub fn has_scalar_links(&self, order: SweepOrder) -> bool {
        let scalar_fallback = match order {
            SweepOrder::EndToEnd => &self.end_to_end,
            SweepOrder::BackAndForth => &self.back_and_forth,
            SweepOrder::Coloured => &self.coloured,
            SweepOrder::Jacobi { .. } => return true,
        };
        scalar_fallback.as_ref().is_none_or(|scalar_fallback| !scalar_fallback.is_empty())
    }

    /// Makes the sweeps numbered `sweeps` over all links that no kernel sweeps. `pull` receives a
    /// link's index, the link and its ends, and returns the vector p that moves the ends: x_a +=
    /// w_a p, x_b −= w_b p. Links between two pinned particles are skipped.
    pub fn sweep(
        &mut self,
        order: SweepOrder,
        sweeps: Range<u32>,
        w: &[f64],
        x: &mut [DVec3],
        mut pull: impl FnMut(usize, &Link, Ends) -> Option<DVec3>,
    ) {
        const READY: &str = "the order was prepared";
        let Self { links, end_to_end, back_and_forth, coloured, jacobi, .. } = self;
        let scalar_fallback = match order {
            SweepOrder::EndToEnd => end_to_end,
            SweepOrder::BackAndForth => back_and_forth,
            SweepOrder::Coloured => coloured,
            SweepOrder::Jacobi { damping } => {
                let jacobi = jacobi.as_mut().expect(READY);
                return sweeps.for_each(|_| jacobi.sweep(links, damping, w, x, &mut pull));
            }
        };
        scalar_fallback.as_ref().expect(READY).sweep(links, (order, sweeps), w, x, &mut pull);
    }

    /// Makes one sweep over all links in the order of the list, see [`Self::sweep`].
    pub fn sweep_in_list_order(
        &self,
        w: &[f64],
        x: &mut [DVec3],
        pull: &mut impl FnMut(usize, &Link, Ends) -> Option<DVec3>,
    ) {
        gauss_seidel(self.links.iter().enumerate(), w, x, pull);
    }

    /// Returns the largest `error(i, link, ends)` of all links that are not cut and have at least
    /// one free end. Infinite if an error is NaN.
    pub fn largest_error(
        &self,
        w: &[f64],
        x: &[DVec3],
        error: impl Fn(usize, &Link, Ends) -> f64,
    ) -> f64 {
        let mut worst = 0.0_f64;
        for (i, link) in self.links.iter().enumerate().filter(|(_, link)| !link.is_cut()) {
            let (a, b) = (link.a as usize, link.b as usize);
            let ends = Ends { a: x[a], b: x[b], w: w[a] + w[b], fraction: 1.0 };
            if ends.w > 0.0 {
                let error = error(i, &link, ends);
                worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
            }
        }
        worst
    }

    /// Returns the largest |l − L|/L of all links, or (l − L)/L for one-sided links.
    pub fn residual(&self, w: &[f64], x: &[DVec3]) -> f64 {
        self.largest_error(w, x, |_, link, ends| {
            let stretch = (ends.a.distance(ends.b) - link.rest) / link.rest;
            if link.one_sided { stretch } else { stretch.abs() }
        })
    }
}

impl Jacobi {
    fn new(links: &Links, particles: usize) -> Self {
        let mut degrees = vec![0_u32; particles];
        for link in links.iter().filter(|link| !link.is_cut()) {
            degrees[link.a as usize] += 1;
            degrees[link.b as usize] += 1;
        }
        Self { degrees, corrections: vec![DVec3::ZERO; particles] }
    }

    fn cut(&mut self, link: &Link) {
        self.degrees[link.a as usize] -= 1;
        self.degrees[link.b as usize] -= 1;
    }

    /// Returns the fraction min(1, 2/n) of its correction that a link between particles `a` and `b`
    /// takes, where n is the larger number of links at the two particles.
    fn fraction(&self, a: usize, b: usize) -> f64 {
        (2.0 / f64::from(self.degrees[a].max(self.degrees[b]))).min(1.0)
    }

    fn sweep(
        &mut self,
        links: &Links,
        damping: f64,
        w: &[f64],
        x: &mut [DVec3],
        pull: &mut impl FnMut(usize, &Link, Ends) -> Option<DVec3>,
    ) {
        self.corrections.fill(DVec3::ZERO);
        for (i, link) in links.iter().enumerate() {
            let (a, b) = (link.a as usize, link.b as usize);
            let fraction = damping * self.fraction(a, b);
            let ends = Ends { a: x[a], b: x[b], w: w[a] + w[b], fraction };
            if ends.w > 0.0
                && let Some(p) = pull(i, &link, ends)
            {
                self.corrections[a] += w[a] * p;
                self.corrections[b] -= w[b] * p;
            }
        }
        for (x, correction) in x.iter_mut().zip(&self.corrections) {
            *x += *correction;
        }
    }
}

/// Corrects links one after the other; each correction starts from the positions that the
/// corrections before it have moved.
pub(super) fn gauss_seidel(
    links: impl Iterator<Item = (usize, Link)>,
    w: &[f64],
    x: &mut [DVec3],
    pull: &mut impl FnMut(usize, &Link, Ends) -> Option<DVec3>,
) {
    for (i, link) in links {
        let (a, b) = (link.a as usize, link.b as usize);
        let ends = Ends { a: x[a], b: x[b], w: w[a] + w[b], fraction: 1.0 };
        if ends.w > 0.0
            && let Some(p) = pull(i, &link, ends)
        {
            x[a] += w[a] * p;
            x[b] -= w[b] * p;
        }
    }
}
