//! Scenes: [`SceneFile`](file::SceneFile) is what was typed, [`Scene`] is what it means. Nothing
//! after this module validates again.

mod check;
mod error;
pub mod file;
mod hang;
pub mod library;
pub mod located;
pub mod number;
mod write;

pub use error::SceneError;
pub use library::SceneEntry;

use crate::force::Force;
use crate::mesh::Mesh;
use crate::path::Path;
use crate::settings::Settings;
use glam::DVec3;
use ron::error::Position;
use ron::extensions::Extensions;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;

/// A checked scene: indices in range, numbers finite, masses and lengths positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Name for lists and titles.
    pub name: String,
    /// What a person should look for.
    pub look_for: String,
    /// Particles, links, faces and what is drawn as rope or cloth.
    pub mesh: Mesh,
    /// Initial velocities in m/s, one a particle; empty when everything starts at rest.
    pub velocities: Vec<DVec3>,
    /// Pinned particles and their ways.
    pub pins: Vec<Pin>,
    /// Laws and their targets.
    pub forces: Vec<TargetedForce>,
    /// How the scene is looked at.
    pub camera: CameraSetup,
    /// Height of the floor in metres, for the eye.
    pub floor: f64,
    /// At least one lane.
    pub lanes: Vec<LaneSetup>,
}

/// A particle that follows a path instead of forces.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Its index.
    pub particle: u32,
    /// Its way, relative to its start.
    pub path: Path,
}

/// A pair of the force registry.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetedForce {
    /// The law.
    pub law: Force,
    /// Particles that it acts on, ascending.
    pub targets: Vec<u32>,
}

/// A lane as the scene lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneSetup {
    /// Name for its header.
    pub name: String,
    /// Its settings.
    pub settings: Settings,
}

/// How the scene is looked at when it is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum CameraSetup {
    /// From the front, orthographic; the mouse drags in the plane of the picture.
    Side {
        /// Point in the middle of the picture, in metres.
        centre: DVec3,
        /// Height of the picture in metres; it is for a picture of 16 : 10, narrower ones show more.
        height: f64,
    },
    /// In perspective around a point.
    Orbit {
        /// Point in the middle of the picture, in metres.
        centre: DVec3,
        /// Distance of the eye in metres; the picture is 0.44 of it high.
        distance: f64,
        /// Angle around the vertical in degrees; 0 looks along −z.
        yaw: f64,
        /// Angle above the horizon in degrees.
        pitch: f64,
    },
}

/// Longest scene file that is read, in bytes.
pub const LONGEST_FILE: u64 = 256 << 20;

impl Scene {
    /// The scene of a file if there is one of that name, else of the library.
    pub fn open(argument: &str) -> Result<Self, SceneError> {
        let path = std::path::Path::new(argument);
        let is_path = path.exists() || path.extension().is_some() || path.components().count() > 1;
        match library::find(argument) {
            _ if path.is_file() => Self::load(path),
            Ok(entry) => entry.load(),
            Err(_) if is_path => Self::load(path),
            Err(unknown) => Err(unknown.into()),
        }
    }

    /// Initial velocity of a particle in m/s.
    pub fn velocity(&self, particle: usize) -> DVec3 {
        self.velocities.get(particle).copied().unwrap_or(DVec3::ZERO)
    }

    /// Reads and checks a scene file.
    pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let fail = |problem: String| SceneError::File { file: name.clone(), problem };
        let cannot = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                fail("there is no such file, expected a scene file (.ron)".into())
            }
            _ => fail(format!("cannot be read: {error}")),
        };
        if path.is_dir() {
            return Err(fail("this is a folder, expected a scene file (.ron)".into()));
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(cannot)?;
        let length = file.metadata().map_err(cannot)?.len();
        if length <= LONGEST_FILE {
            file.take(LONGEST_FILE + 1).read_to_end(&mut bytes).map_err(cannot)?;
        }
        if length.max(bytes.len() as u64) > LONGEST_FILE {
            let most = LONGEST_FILE >> 20;
            return Err(fail(format!("the file is longer than {most} MiB, expected at most that")));
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(fail("the file is empty, expected a scene in RON".into()));
        }
        match std::str::from_utf8(&bytes) {
            Ok(text) => Self::parse(text, &name),
            Err(error) => Err(not_text(&name, &bytes, error.valid_up_to())),
        }
    }

    /// Checks a scene that is typed as RON. `file` is for messages.
    pub fn parse(text: &str, file: &str) -> Result<Self, SceneError> {
        let options = options();
        let read = located::read::<file::SceneFile>(&options, text, None)
            .map_err(|error| SceneError::from_ron(file, text, &error))?;
        read.check().map_err(|fault| {
            let message = fault.message.clone();
            let again = located::read::<file::SceneFile>(&options, text, Some(fault));
            let place = again.err().map_or(Position { line: 1, col: 1 }, |error| error.span.end);
            SceneError::at(file, place, message)
        })
    }
}

impl CameraSetup {
    /// Says what is wrong, if anything.
    pub fn check(&self) -> Result<(), String> {
        match *self {
            Self::Side { centre, height } => {
                if centre.is_finite() && height.is_finite() && height > 0.0 {
                    Ok(())
                } else {
                    Err(format!(
                        "camera: found centre {centre} and height {height}, expected finite \
                         numbers and a height above 0"
                    ))
                }
            }
            Self::Orbit { centre, distance, yaw, pitch } => {
                let finite = centre.is_finite() && distance.is_finite() && yaw.is_finite();
                if finite && distance > 0.0 && (-90.0..=90.0).contains(&pitch) {
                    Ok(())
                } else {
                    Err(format!(
                        "camera: found centre {centre}, distance {distance}, yaw {yaw} and pitch \
                         {pitch}, expected finite numbers, a distance above 0 and a pitch from \
                         -90 to 90"
                    ))
                }
            }
        }
    }
}

/// RON without ceremony: `dt: 0.001` instead of `dt: Some(0.001)`, `Wind(drag: 3)` instead of
/// `Wind((drag: 3))`.
fn options() -> ron::Options {
    ron::Options::default().with_default_extension(extensions())
}

fn extensions() -> Extensions {
    Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES
}

fn not_text(file: &str, bytes: &[u8], good: usize) -> SceneError {
    let before = &bytes[..good];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let column = 1 + String::from_utf8_lossy(&before[line_start..]).chars().count();
    let problem = format!("found the byte 0x{:02X}, expected text in UTF-8", bytes[good]);
    SceneError::at(file, Position { line, col: column }, problem)
}
