//! Camera at the start of a scene.

use glam::DVec3;
use ropelab_core::quantity::magnitude::{format_six_digits, is_moderate, is_moderate_positive};
use serde::{Deserialize, Serialize};

/// Camera at the start of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum CameraSetup {
    /// Orthographic front view.
    Side {
        /// Point at the centre of the view, in metres.
        centre: DVec3,
        /// Height of the view in metres.
        height: f64,
        /// Width/height of the part that is always visible, 0.1 to 10; 1.6 by default.
        #[serde(default = "usual_aspect", skip_serializing_if = "is_usual_aspect")]
        aspect: f64,
    },
    /// Perspective view around a point.
    Orbit {
        /// Point at the centre of the view, in metres.
        centre: DVec3,
        /// Distance of the eye from `centre` in metres. The height of the view is 0.44 times this
        /// distance.
        distance: f64,
        /// Angle around the vertical in degrees: the eye looks along −z at 0, along −x at 90.
        yaw: f64,
        /// Angle above the horizon in degrees, −90 to 90.
        pitch: f64,
        /// Width/height of the part that is always visible, 0.1 to 10; 1.6 by default.
        #[serde(default = "usual_aspect", skip_serializing_if = "is_usual_aspect")]
        aspect: f64,
    },
}

/// Default aspect ratio, 16 : 10.
const USUAL_ASPECT: f64 = 1.6;

fn usual_aspect() -> f64 {
    USUAL_ASPECT
}

fn is_usual_aspect(aspect: &f64) -> bool {
    *aspect == USUAL_ASPECT
}

impl CameraSetup {
    /// Returns a front view of aspect ratio 16 : 10, `height` metres high.
    pub fn side(centre: DVec3, height: f64) -> Self {
        Self::Side { centre, height, aspect: USUAL_ASPECT }
    }

    /// Returns the aspect ratio (width / height) of the part of the view that must be visible.
    pub fn aspect(&self) -> f64 {
        match *self {
            Self::Side { aspect, .. } | Self::Orbit { aspect, .. } => aspect,
        }
    }

    /// Checks the ranges of all fields. Returns a message about the first field that is out of
    /// range.
    pub fn check(&self) -> Result<(), String> {
        let aspect = self.aspect();
        let positive = |name: &str, length: f64| {
            let found = format!("{name} {}", format_six_digits(length));
            check_field(is_moderate_positive(length), &found, "a number above 0, at most 1e15")
        };
        let finite = |is_good: bool, found: String| {
            check_field(is_good, &found, "finite numbers from -1e15 to 1e15")
        };
        let found_aspect = format!("aspect {}", format_six_digits(aspect));
        check_field((0.1..=10.0).contains(&aspect), &found_aspect, "0.1 to 10")?;
        let (Self::Side { centre, .. } | Self::Orbit { centre, .. }) = *self;
        finite(is_moderate_point(centre), format!("centre {}", format_point(centre)))?;
        match *self {
            Self::Side { height, .. } => positive("height", height),
            Self::Orbit { distance, yaw, pitch, .. } => {
                positive("distance", distance)?;
                finite(is_moderate(yaw), format!("yaw {}", format_six_digits(yaw)))?;
                let found = format!("pitch {}", format_six_digits(pitch));
                check_field((-90.0..=90.0).contains(&pitch), &found, "-90 to 90")
            }
        }
    }
}

fn check_field(is_good: bool, found: &str, expected: &str) -> Result<(), String> {
    if is_good { Ok(()) } else { Err(format!("camera: found {found}, expected {expected}")) }
}

fn is_moderate_point(point: DVec3) -> bool {
    point.to_array().into_iter().all(is_moderate)
}

/// Formats a point: `(0, 1.5, 0)`.
fn format_point(point: DVec3) -> String {
    format!("({})", point.to_array().map(format_six_digits).join(", "))
}
