//! Heights of the bars, and width below which a window counts as narrow, in points.

pub const TOP_BAR: f32 = 38.0;
pub const STATUS_BAR: f32 = 24.0;
/// Width of the window in points below which the plots replace the panel.
pub const NARROW: f32 = 1100.0;
