//! Wind on the triangles of cloths.

pub(super) mod face_law;
pub(super) mod face_rows;
pub(super) mod face_wind;
