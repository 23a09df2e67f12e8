//! The same sweeps, faster, for bodies whose shape allows it. docs/speed.md explains the paths.
//!
//! The plain loop in `sweep.rs` says what a sweep is; a path here moves every particle to the
//! same place, bit by bit, or leaves the body to the plain loop.

/// Runs `$walk!(rule)` with the rule that a [`Formula`] names: one copy of the code for each.
macro_rules! formula_rules {
    ($formula:expr, $walk:ident) => {
        match $formula {
            Formula::Exact { stiffness, one_sided: false } => {
                $walk!(super::rule::Exact::<false> { stiffness })
            }
            Formula::Exact { stiffness, one_sided: true } => {
                $walk!(super::rule::Exact::<true> { stiffness })
            }
            Formula::RootFree { stiffness, one_sided: false } => {
                $walk!(super::rule::RootFree::<false> { stiffness })
            }
            Formula::RootFree { stiffness, one_sided: true } => {
                $walk!(super::rule::RootFree::<true> { stiffness })
            }
        }
    };
}

mod chain;
mod grid;
mod net;
mod rule;

use super::body::{Body, Shape};
use super::{Link, SweepOrder};
use crate::simd::Isa;
use chain::Chain;
use glam::DVec3;
use grid::Grid;
use net::Net;

/// Which formula a path computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Formula {
    /// Relaxation with the exact distance.
    Exact { stiffness: f64, one_sided: bool },
    /// Relaxation with Jakobsen's form.
    RootFree { stiffness: f64, one_sided: bool },
}

impl Formula {
    /// The same formula for links of which some, or none, resist stretch only.
    fn one_sided(self, one_sided: bool) -> Self {
        match self {
            Self::Exact { stiffness, .. } => Self::Exact { stiffness, one_sided },
            Self::RootFree { stiffness, .. } => Self::RootFree { stiffness, one_sided },
        }
    }
}

/// The fast paths of the bodies that have one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paths {
    isa: Isa,
    chains: Vec<Chain>,
    grids: Vec<Grid>,
    nets: Vec<Net>,
}

impl Paths {
    pub fn new(bodies: &[Body], colours: &[Vec<u32>], links: &[Link], isa: Isa) -> Self {
        let mut paths = Self { isa, chains: Vec::new(), grids: Vec::new(), nets: Vec::new() };
        if isa == Isa::Scalar {
            return paths;
        }
        for body in bodies {
            match body.shape {
                Shape::Chain => paths.chains.push(Chain::new(body, links, isa)),
                Shape::Grid { columns } => {
                    paths.grids.push(Grid::new(body, columns, links, isa));
                }
                Shape::Net => {}
            }
            if !matches!(body.shape, Shape::Grid { .. }) && Net::can_take(body, links) {
                paths.nets.push(Net::new(body, colours, links, isa));
            }
        }
        paths
    }

    /// The instruction set that the paths are compiled for.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Whether [`Self::sweep`] takes a body in this order.
    pub fn takes(&self, order: SweepOrder, body: &Body, links: &[Link]) -> bool {
        self.isa != Isa::Scalar
            && match order {
                SweepOrder::EndToEnd => body.shape == Shape::Chain,
                SweepOrder::Coloured => {
                    matches!(body.shape, Shape::Grid { .. }) || Net::can_take(body, links)
                }
                SweepOrder::BackAndForth | SweepOrder::Jacobi { .. } => false,
            }
    }

    /// All sweeps of one projection over the bodies that [`Self::takes`] says.
    pub fn sweep(
        &mut self,
        order: SweepOrder,
        iterations: u32,
        formula: Formula,
        w: &[f64],
        x: &mut [DVec3],
    ) {
        let iterations = iterations as usize;
        match order {
            SweepOrder::EndToEnd => {
                self.chains.iter_mut().for_each(|chain| chain.sweep(iterations, formula, w, x));
            }
            SweepOrder::Coloured => {
                self.grids.iter_mut().for_each(|grid| grid.sweep(iterations, formula, w, x));
                self.nets.iter_mut().for_each(|net| net.sweep(iterations, formula, w, x));
            }
            SweepOrder::BackAndForth | SweepOrder::Jacobi { .. } => {}
        }
    }
}
