//! Matrix of 3 × 3 blocks for solves with the geometric stiffness of links, and their buffers.

use crate::constraint::direct::order::MOST_FILL;
use crate::mesh::Link;
use crate::numerics::block_matrix::BlockMatrix;
use crate::numerics::pattern::Pattern;
use glam::DVec3;
use std::sync::Arc;

/// Pattern of the 3 × 3 blocks, and buffers for solves.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Geometric {
    /// Pattern of the matrix. `None` if elimination would cause too much fill-in.
    pub pattern: Option<Arc<Pattern>>,
    /// Index of each link's off-diagonal block in the pattern.
    pub slots: Vec<u32>,
    pub matrix: BlockMatrix,
    /// Residual g of each particle's force balance, in kg·m (force times h²).
    pub unbalanced: Vec<DVec3>,
    pub right: Vec<DVec3>,
    /// Largest w |g| of a particle after the last solve, divided by the shortest rest length. g is
    /// the residual of the particle's equation of motion (see `geometric.rs`), w its inverse
    /// mass.
    pub residual: f64,
}

impl Geometric {
    pub fn new(links: &[Link], particles: usize) -> Self {
        let pairs: Vec<[u32; 2]> = links.iter().map(|link| [link.a, link.b]).collect();
        let pattern = Pattern::new(particles, &pairs, MOST_FILL * particles).map(Arc::new);
        let Some(pattern) = pattern else { return Self::default() };
        // This solve allocates the matrix now, because a simulation step must not allocate.
        let mut matrix = BlockMatrix::default();
        matrix.reset(&pattern, |_| 1.0);
        matrix.solve(std::iter::empty(), &mut []);
        Self {
            slots: pairs.iter().map(|&pair| pattern.slot_of(pair)).collect(),
            pattern: Some(pattern),
            matrix,
            unbalanced: Vec::with_capacity(particles),
            right: Vec::with_capacity(particles),
            residual: 0.0,
        }
    }
}
