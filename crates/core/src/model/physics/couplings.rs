//! Positions of the blocks of springs and bends in the matrix of an implicit step.

use ropelab_mechanics::numerics::pattern::Pattern;
use std::sync::{Arc, OnceLock};

/// Cached positions of the blocks of springs and bends, found when an integrator first needs them.
/// The inner `None` means that elimination would fill too many blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Couplings(pub OnceLock<Option<Arc<BlockSlots>>>);

/// Indices in the matrix of the blocks below the diagonal, for each spring and bend.
#[derive(Debug)]
pub(super) struct BlockSlots {
    pub pattern: Arc<Pattern>,
    /// Block of each spring, as an index in the matrix.
    pub springs: Vec<u32>,
    /// Blocks of each bend, as indices in the matrix: particles 1 and 2, particles 2 and 3,
    /// particles 1 and 3.
    pub bends: Vec<[u32; 3]>,
}
