//! Where to look: which bodies may come near each other within a substep, and how far anything may move.

pub mod broad_phase;
pub mod clearance;
pub mod crowd;
pub mod feature_tree;
pub mod margins;
pub mod near_list;
