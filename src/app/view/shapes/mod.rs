//! Vertices of everything that is drawn: ropes, cloths, colliders, the floor, marks.

pub mod cloth;
pub mod extent;
pub mod ground;
pub mod lane_picture;
pub mod marks;
pub mod obstacle;
pub mod rope;
pub mod scale_bar;
pub mod shadow;
pub mod shape;
pub mod torn;
pub mod tube;
pub mod vertices;
