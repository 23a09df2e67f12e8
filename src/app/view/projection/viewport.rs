//! Viewport: a part of the window, and the part of it that is free for the scene.

use glam::{DVec2, Vec2};
use macroquad::math::Rect;

/// Default aspect ratio (width/height) of a scene.
pub const SETUP_ASPECT: f64 = 1.6;

/// Part of the window in physical pixels; y points downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Viewport {
    pub rect: Rect,
    /// Physical pixels per user-interface point (the DPI scale).
    pub scale: f32,
}

/// Part of a viewport that is free for the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Width of the viewport divided by its height.
    pub aspect: f64,
    /// Fraction of the viewport's height covered by chips at the top.
    pub covered: f64,
    /// Fraction of the viewport's height covered by readings at the bottom. The sum of both
    /// fractions is below 1.
    pub below: f64,
}

impl Default for Fit {
    fn default() -> Self {
        Self { aspect: SETUP_ASPECT, covered: 0.0, below: 0.0 }
    }
}

impl Fit {
    /// Returns the height of the viewport divided by that of a rectangle fitted into its free part.
    /// `picture` is the rectangle's width divided by its height. In a narrow viewport, the width of
    /// the rectangle determines the result.
    pub fn scale(&self, picture: f64) -> f64 {
        let free = 1.0 - self.covered - self.below;
        (picture * free / self.aspect.max(0.1)).max(1.0) / free
    }
}

impl Viewport {
    /// Creates a viewport from a rectangle in physical pixels. Rounds it to whole pixels, at least
    /// one pixel wide and high.
    pub fn new(rect: Rect, scale: f32) -> Viewport {
        let (left, top) = (rect.x.round(), rect.y.round());
        let (right, bottom) = ((rect.x + rect.w).round(), (rect.y + rect.h).round());
        let size = |from: f32, to: f32| (to - from).max(1.0);
        Viewport { rect: Rect::new(left, top, size(left, right), size(top, bottom)), scale }
    }

    pub fn contains(&self, pixel: Vec2) -> bool {
        self.rect.contains(pixel)
    }

    pub fn nearest(&self, pixel: Vec2) -> Vec2 {
        let Rect { x, y, w, h } = self.rect;
        pixel.clamp(Vec2::new(x, y), Vec2::new(x + w, y + h))
    }

    pub fn aspect(&self) -> f64 {
        f64::from(self.rect.w / self.rect.h)
    }

    /// Converts a pixel to coordinates relative to the centre of the viewport, with y upwards. The
    /// upper and the lower edge are at y = ±1.
    pub fn unit_from_pixel(&self, pixel: Vec2) -> DVec2 {
        let half = 0.5 * self.rect.h;
        let x = pixel.x - (self.rect.x + 0.5 * self.rect.w);
        let y = (self.rect.y + half) - pixel.y;
        DVec2::new(f64::from(x / half), f64::from(y / half))
    }

    pub fn pixel_from_unit(&self, unit: DVec2) -> Vec2 {
        let half = f64::from(0.5 * self.rect.h);
        let x = f64::from(self.rect.x + 0.5 * self.rect.w) + unit.x * half;
        let y = f64::from(self.rect.y) + half - unit.y * half;
        DVec2::new(x, y).as_vec2()
    }
}
