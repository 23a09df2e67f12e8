//! Lanes as they appear on the screen.

use super::pictures::Pictures;
use super::stage::Stage;
use crate::app::laboratory::Laboratory;
use crate::app::view::Camera;

/// The lanes with their projection onto the screen.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    pub laboratory: &'a Laboratory,
    pub stage: &'a Stage,
    pub pictures: &'a Pictures,
    pub camera: &'a Camera,
}
