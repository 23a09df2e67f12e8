//! Links with the data for sweeps in each order.

mod jacobi;
mod scalar_fallback;

use super::kernels::FastPaths;
use super::sweep::{Ends, SweepOrder, gauss_seidel};
use crate::mesh::{Link, Links};
use glam::DVec3;
use jacobi::Jacobi;
use scalar_fallback::ScalarFallback;
use std::ops::Range;

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

    /// Runs the sweeps with the numbers in `sweeps` over all links that no kernel supports. `pull`
    /// receives a link's index, the link and its ends, and returns the vector p that moves the
    /// ends: x_a += w_a p, x_b −= w_b p. Links between two pinned particles are skipped.
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
        scalar_fallback.as_ref().expect(READY).sweep(links, order, sweeps, w, x, &mut pull);
    }

    /// Runs one sweep over all links in the order of the list, see [`Self::sweep`].
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
