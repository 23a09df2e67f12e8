//! Thrower: the key B throws balls towards the point under the mouse.

use crate::app::scene_view::stage::Stage;
use crate::app::view::{Camera, ViewKind, Viewport};
use crate::model::Throw;
use glam::{DVec3, Vec2};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Time in seconds between two balls while the key is held.
const SECONDS_BETWEEN: f64 = 1.0 / 16.0;
/// Start of a ball in the orbit view, as a fraction of the line from the eye to the target. A ball
/// starting at the eye would fill the view.
const AHEAD: f64 = 0.25;
/// Longest flight in seconds for which throwing upwards fully compensates the fall.
const LONGEST_FALL: f64 = 1.0;

pub const SPEEDS: RangeInclusive<f64> = 0.5..=500.0;
pub const MASSES: RangeInclusive<f64> = 1e-6..=1e6;
pub const RADII: RangeInclusive<f64> = 1e-4..=10.0;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ThrowSettings {
    /// Distance to the target divided by the flight time, in m/s.
    pub speed: f64,
    pub mass: f64,
    pub radius: f64,
}

impl Default for ThrowSettings {
    /// Returns a ball that is larger than a tennis ball (58 g, 33 mm radius), so that it is clearly
    /// visible.
    fn default() -> Self {
        Self { speed: 15.0, mass: 0.2, radius: 0.05 }
    }
}

impl ThrowSettings {
    /// Limits the values to their ranges, because the user may have edited the preferences file.
    pub fn limited(self) -> Self {
        let or = |x: f64, default: f64| if x.is_finite() { x } else { default };
        let usual = Self::default();
        Self {
            speed: or(self.speed, usual.speed).clamp(*SPEEDS.start(), *SPEEDS.end()),
            mass: or(self.mass, usual.mass).clamp(*MASSES.start(), *MASSES.end()),
            radius: or(self.radius, usual.radius).clamp(*RADII.start(), *RADII.end()),
        }
    }

    /// Returns a throw towards the point under `cursor` at the depth of `through`. In the side
    /// view, the ball comes from the left or right edge of the view, whichever is farther from the
    /// target, and stays in a plane parallel to the screen. The initial velocity points above the
    /// target, so that the ball falls to it under gravity g. The target is at displacement d:
    ///
    /// v = d/T − g T/2,  T = |d|/speed.
    pub fn throw_at(
        &self,
        camera: &Camera,
        viewport: &Viewport,
        cursor: Vec2,
        through: DVec3,
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
        let displacement = target - at;
        let seconds = displacement.length() / self.speed;
        let velocity = displacement / seconds.max(1e-9) - g * (0.5 * seconds.min(LONGEST_FALL));
        Throw { at, velocity, mass: self.mass, radius: self.radius }
    }
}

/// Timer for balls that are thrown while a key is held. `due` is the time in seconds at which the
/// next ball is thrown.
#[derive(Debug, Default)]
pub struct Thrower {
    due: Option<f64>,
}

impl Thrower {
    /// Returns true if a ball is due at `now` seconds. `held` is true while the key is down.
    pub fn is_due(&mut self, held: bool, now: f64) -> bool {
        if !held {
            self.due = None;
            return false;
        }
        let is_due = self.due.is_none_or(|due| now >= due);
        if is_due {
            self.due = Some(now + SECONDS_BETWEEN);
        }
        is_due
    }
}

/// Returns the viewport and the pixel at which balls are aimed: those under the mouse or, if the
/// mouse is not over the scene, the middle of the first viewport.
pub fn aim_point(stage: &Stage, cursor: Option<Vec2>) -> Option<(usize, Vec2)> {
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
            let throw = ball.throw_at(&camera, &viewport, cursor, centre, g);
            let seconds = throw.at.distance(target) / ball.speed;
            assert!(after(&throw, seconds, g).distance(target) < 1e-9, "{setup:?}");
            assert!(throw.at.distance(target) > 1.0, "{setup:?} throws from {}", throw.at);
            throw.check().unwrap_or_else(|problem| panic!("{problem}"));
        }
    }

    #[test]
    fn a_held_key_throws_sixteen_balls_a_second_and_a_tap_one() {
        let mut thrower = Thrower::default();
        let count = (0..100).filter(|k| thrower.is_due(true, f64::from(*k) * 0.01)).count();
        assert!((14..=16).contains(&count), "{count} balls in a second");
        assert!(!thrower.is_due(false, 1.001));
        assert!(thrower.is_due(true, 1.002));
    }
}
