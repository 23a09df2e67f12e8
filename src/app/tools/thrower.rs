//! The thrower: B throws balls from the camera to the place under the mouse.

use crate::app::scene_view::stage::Stage;
use crate::app::view::{Camera, ViewKind, Viewport};
use crate::model::Throw;
use glam::{DVec3, Vec2};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Seconds from ball to ball while B is held.
const SECONDS_BETWEEN: f64 = 1.0 / 16.0;
/// A ball starts at this fraction of the distance from the eye to its target: at the eye it would
/// fill the picture.
const AHEAD: f64 = 0.25;
/// Longest fall, in seconds, that a throw compensates.
const LONGEST_FALL: f64 = 1.0;

/// Speeds of balls in m/s.
pub const SPEEDS: RangeInclusive<f64> = 0.5..=500.0;
/// Masses of balls in kilograms.
pub const MASSES: RangeInclusive<f64> = 1e-6..=1e6;
/// Radii of balls in metres.
pub const RADII: RangeInclusive<f64> = 1e-4..=10.0;

/// The ball that is thrown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ThrowSettings {
    /// Distance to its target over the time of flight, in m/s.
    pub speed: f64,
    /// Mass in kilograms.
    pub mass: f64,
    /// Radius in metres.
    pub radius: f64,
}

impl Default for ThrowSettings {
    /// A tennis ball is 58 g and 33 mm; this is one that can be seen.
    fn default() -> Self {
        Self { speed: 15.0, mass: 0.2, radius: 0.05 }
    }
}

impl ThrowSettings {
    /// Numbers that a person may have typed, brought into range.
    pub fn within_reason(self) -> Self {
        let or = |x: f64, default: f64| if x.is_finite() { x } else { default };
        let usual = Self::default();
        Self {
            speed: or(self.speed, usual.speed).clamp(*SPEEDS.start(), *SPEEDS.end()),
            mass: or(self.mass, usual.mass).clamp(*MASSES.start(), *MASSES.end()),
            radius: or(self.radius, usual.radius).clamp(*RADII.start(), *RADII.end()),
        }
    }

    /// Throw towards the body at a pixel of a viewport; a point gives its distance. Seen from the
    /// side it comes from the left edge of the picture, or from the right edge if the target is
    /// nearer to the left one, and stays in the plane of the picture. It starts a little higher
    /// than straight, so that gravity takes it to the target:
    ///
    /// v = d/T − g T/2,  T = |d|/speed.
    pub fn aimed(
        &self,
        camera: &Camera,
        viewport: &Viewport,
        (cursor, through): (Vec2, DVec3),
        g: DVec3,
    ) -> Throw {
        let target = camera.world_from_screen(cursor, through, viewport);
        let at = match camera.kind() {
            ViewKind::Orbit => camera.eye().lerp(target, AHEAD),
            ViewKind::Side => {
                let left = viewport.rect.x;
                let is_left = cursor.x < left + 0.5 * viewport.rect.w;
                let edge = if is_left { left + viewport.rect.w } else { left };
                camera.world_from_screen(Vec2::new(edge, cursor.y), through, viewport)
            }
        };
        let way = target - at;
        let seconds = way.length() / self.speed;
        let velocity = way / seconds.max(1e-9) - g * (0.5 * seconds.min(LONGEST_FALL));
        Throw { at, velocity, mass: self.mass, radius: self.radius }
    }
}

/// Timer of a stream of balls: the time at which the next one is due, in seconds.
#[derive(Debug, Default)]
pub struct Thrower {
    due: Option<f64>,
}

impl Thrower {
    /// True if a ball is thrown in this frame, at `now` seconds; the argument tells whether the key
    /// is down.
    pub fn throws(&mut self, held: bool, now: f64) -> bool {
        if !held {
            self.due = None;
            return false;
        }
        let throws = self.due.is_none_or(|due| now >= due);
        if throws {
            self.due = Some(now + SECONDS_BETWEEN);
        }
        throws
    }
}

/// Viewport and pixel to aim at: those of the mouse, or the middle of the first viewport while the
/// mouse is elsewhere.
pub fn target(stage: &Stage, cursor: Option<Vec2>) -> Option<(usize, Vec2)> {
    let under = cursor.and_then(|cursor| Some((stage.cell_at(cursor)?, cursor)));
    under.or_else(|| {
        let rect = stage.cells.first()?.viewport.rect;
        Some((0, Vec2::new(rect.x + 0.5 * rect.w, rect.y + 0.5 * rect.h)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::Fit;
    use crate::scene::CameraSetup;
    use macroquad::math::Rect;

    /// Position of a thrown ball after `seconds` of free fall.
    fn after(throw: &Throw, seconds: f64, g: DVec3) -> DVec3 {
        throw.at + throw.velocity * seconds + g * (0.5 * seconds * seconds)
    }

    #[test]
    fn a_ball_comes_to_what_the_mouse_points_at() {
        let viewport = Viewport::new(Rect::new(300.0, 40.0, 900.0, 700.0), 1.0);
        let (cursor, g) = (Vec2::new(500.0, 300.0), DVec3::new(0.0, -9.81, 0.0));
        let centre = DVec3::new(1.0, 2.0, 0.5);
        for setup in [
            CameraSetup::side(centre, 3.0),
            CameraSetup::Orbit { centre, distance: 6.0, yaw: 30.0, pitch: 20.0, aspect: 1.6 },
        ] {
            let camera = Camera::from_setup(&setup, Fit::default());
            let target = camera.world_from_screen(cursor, centre, &viewport);
            let ball = ThrowSettings::default();
            let throw = ball.aimed(&camera, &viewport, (cursor, centre), g);
            let seconds = throw.at.distance(target) / ball.speed;
            assert!(after(&throw, seconds, g).distance(target) < 1e-9, "{setup:?}");
            assert!(throw.at.distance(target) > 1.0, "{setup:?} throws from {}", throw.at);
            throw.check().unwrap_or_else(|problem| panic!("{problem}"));
        }
    }

    #[test]
    fn a_held_key_throws_sixteen_balls_a_second_and_a_tap_one() {
        let mut thrower = Thrower::default();
        let count = (0..100).filter(|k| thrower.throws(true, f64::from(*k) * 0.01)).count();
        assert!((14..=16).contains(&count), "{count}");
        assert!(!thrower.throws(false, 1.001));
        assert!(thrower.throws(true, 1.002));
    }
}
