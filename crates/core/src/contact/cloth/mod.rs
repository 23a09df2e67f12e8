//! Ropes and cloths against themselves and each other, and the guarantee that nothing passes
//! through.

pub mod cut;
pub mod features;
pub mod impacts;
pub mod initial_crossings;
pub mod itself;
pub mod pair;
pub mod rings;
pub mod touchable;
