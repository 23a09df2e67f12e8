//! Search for bodies that may come near each other within a substep, and bounds of their motion.

pub mod broad_phase;
pub mod clearance;
pub mod crowd;
pub mod feature_tree;
pub mod margins;
pub mod near_list;
pub mod rings;
pub mod self_contact_features;
