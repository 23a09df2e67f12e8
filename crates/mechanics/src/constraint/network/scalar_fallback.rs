//! Links that no SIMD kernel supports, swept by the plain loop.

use crate::constraint::kernels::FastPaths;
use crate::constraint::sweep::{Ends, SweepOrder, gauss_seidel};
use crate::mesh::component::Component;
use crate::mesh::{Link, Links, colouring};
use glam::DVec3;
use std::ops::Range;

/// Links that no SIMD kernel supports in one sweep order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ScalarFallback {
    /// Indices of the links, in the order of the sweep.
    links: Vec<u32>,
    /// Particle ranges of the components that contain links without a kernel.
    particles: Vec<Range<u32>>,
}

impl ScalarFallback {
    /// Adds the kernels that exist only for this order, then collects the links that no kernel
    /// supports. The order must not be Jacobi.
    pub fn collect(
        order: SweepOrder,
        links: &Links,
        particles: usize,
        paths: &mut FastPaths,
    ) -> Self {
        if paths.can_sweep_all(order, links) {
            return Self::default();
        }
        let components = Component::all(links, particles);
        let mut chosen: Vec<u32> = if order == SweepOrder::Coloured {
            let colours = colouring::colour_components(&components, links, particles);
            paths.add_coloured(&components, &colours, links);
            colours.concat()
        } else {
            paths.add_ordered(order, &components, links);
            (0..links.len() as u32).collect()
        };
        let mut is_left = vec![true; links.len()];
        let mut particles = Vec::new();
        for component in components {
            if paths.can_sweep(order, &component) {
                component.links.iter().for_each(|&i| is_left[i as usize] = false);
            } else {
                particles.push(component.particles);
            }
        }
        chosen.retain(|&i| is_left[i as usize]);
        chosen.shrink_to_fit();
        Self { links: chosen, particles }
    }

    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    pub fn sweep(
        &self,
        links: &Links,
        order: SweepOrder,
        sweeps: Range<u32>,
        w: &[f64],
        x: &mut [DVec3],
        pull: &mut impl FnMut(usize, &Link, Ends) -> Option<DVec3>,
    ) {
        self.clear_signs_of_zeros(x);
        for number in sweeps {
            let chosen = self.links.iter().map(|&i| (i as usize, links.at(i as usize)));
            if order == SweepOrder::BackAndForth && number % 2 == 1 {
                gauss_seidel(chosen.rev(), w, x, pull);
            } else {
                gauss_seidel(chosen, w, x, pull);
            }
        }
    }

    /// Replaces −0 by +0 in every coordinate, as kernels do when they load particles. Sweeps
    /// produce no further −0, because only −0 − (+0) and −0 + (−0) give −0. Adding a displacement
    /// of 0 then changes no bits, and kernels may mask inactive links instead of branching.
    fn clear_signs_of_zeros(&self, x: &mut [DVec3]) {
        for component in &self.particles {
            for x in &mut x[component.start as usize..component.end as usize] {
                *x += DVec3::ZERO;
            }
        }
    }
}
