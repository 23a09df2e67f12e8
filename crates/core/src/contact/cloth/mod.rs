//! Contact of ropes and cloths with themselves and each other, and the guarantee that no feature
//! passes through another.

pub mod feature_pair;
pub mod features;
pub mod impacts;
pub mod initial_crossings;
pub mod rings;
pub mod self_contact;
pub mod self_contact_features;
pub mod touchable;
pub mod truncation;
