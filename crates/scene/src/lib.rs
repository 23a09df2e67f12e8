//! Scenes of ropelab: reading, checking, editing and writing of scene files.
//!
//! [`SceneFile`] is a scene file with the fields that its author wrote; [`Scene`] is the checked
//! scene with its mesh. Code that receives a [`Scene`] need not validate it again. A lane is one of
//! several simulations of the same scene that run side by side, each with its own settings.

mod argument;
mod changed_setting;
mod check;
pub mod dials;
pub mod edit;
mod error;
mod geometry;
pub mod library;
pub mod real_materials;
pub mod text;
pub mod typed;
pub mod vary;
mod write;

pub use argument::{STANDARD_INPUT, SceneArgument};
pub use changed_setting::settings_with;
pub use error::SceneError;
pub use library::SceneEntry;
pub use typed::group::Group;
pub use write::{all_settings_to_ron, settings_from_ron, settings_to_ron};

use contact::{InitialCrossings, InitialOverlaps};
use glam::DVec3;
use model::{Parts, PinJumps};
use quantity::magnitude::{format_six_digits, is_moderate, is_moderate_positive};
use ron::error::Position;
use ron::extensions::Extensions;
use ropelab_core::{
    constraint, contact, force, integrate, mesh, model, names, numerics, quantity, simulation,
};
use serde::{Deserialize, Serialize};
use simulation::settings::Settings;
use simulation::timing::frame_source::FrameSource;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use text::brackets::Bracketed;
use text::read::ReadError;
use typed::annotation::Annotations;
use typed::file::SceneFile;

/// Checked scene: indices are in range, numbers are finite, masses and lengths are positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Name for lists and titles.
    pub name: String,
    /// Caption: what to look at and what it shows.
    pub look_for: String,
    /// Group in the gallery, by the subject that the scene teaches.
    pub group: Group,
    /// Parts (mesh, pins, forces, contact) from which the simulations of all lanes are built.
    pub parts: Arc<Parts>,
    /// Camera at the start of the scene.
    pub camera: CameraSetup,
    /// Height of the drawn floor in metres.
    pub floor: f64,
    /// Texts and marks that the window draws over the scene.
    pub annotations: Annotations,
    /// Lanes, at least one.
    pub lanes: Vec<LaneSetup>,
    /// File from which the scene was made, with all settings and the camera written out.
    pub file: Arc<SceneFile>,
}

/// Lane of a scene: its name, its settings and the source of its frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneSetup {
    /// Name for the header of the lane.
    pub name: String,
    /// Settings of the lane.
    pub settings: Settings,
    /// Source of the lane's frames.
    #[serde(default, skip_serializing_if = "FrameSource::is_measured")]
    pub frames: FrameSource,
}

/// Camera at the start of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum CameraSetup {
    /// Orthographic front view.
    Side {
        /// Point in the middle, in metres.
        centre: DVec3,
        /// Height of the picture in metres.
        height: f64,
        /// Width/height of the always visible part, 0.1 to 10; 1.6 by default.
        #[serde(default = "usual_aspect", skip_serializing_if = "is_usual_aspect")]
        aspect: f64,
    },
    /// Perspective view around a point.
    Orbit {
        /// Point in the middle, in metres.
        centre: DVec3,
        /// Distance in metres of the eye from `centre`; the picture is 0.44 times as high.
        distance: f64,
        /// Angle around the vertical in degrees: the eye looks along −z at 0, along −x at 90.
        yaw: f64,
        /// Angle above the horizon in degrees, −90 to 90.
        pitch: f64,
        /// Width/height of the always visible part, 0.1 to 10; 1.6 by default.
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

/// Upper limit of the length of a scene file, in bytes.
pub const LONGEST_FILE: u64 = 256 << 20;

impl Scene {
    /// Opens the file with this name if it exists, otherwise the scene of the library with this
    /// name.
    pub fn open(argument: &str) -> Result<Self, SceneError> {
        let (file, text) = Self::find_text(argument)?;
        Self::parse(&text, &file)
    }

    /// Finds the file or library scene that [`Scene::open`] opens. Returns its name for messages,
    /// and its text.
    fn find_text(argument: &str) -> Result<(String, String), SceneError> {
        let path = std::path::Path::new(argument);
        let is_path = path.exists() || path.extension().is_some() || path.components().count() > 1;
        match library::find(argument) {
            _ if path.is_file() => Self::read_text(path),
            Ok(entry) => Ok((entry.path_in_library(), entry.text().to_owned())),
            Err(_) if is_path => Self::read_text(path),
            Err(unknown) => Err(unknown.into()),
        }
    }

    /// Returns a sentence each if bodies overlap at the start, if links pass through triangles, and
    /// if pins jump in the first step. Each sentence names the number of pairs or pins and one of
    /// them.
    pub fn warnings(&self) -> Vec<String> {
        let (geometry, mesh) = (&self.parts.contact, &self.parts.mesh);
        let methods: Vec<_> = self.lanes.iter().map(|lane| lane.settings.contact).collect();
        let overlaps = InitialOverlaps::find(geometry, mesh, &methods).map(|it| it.to_string());
        let crossings = InitialCrossings::find(geometry, mesh).map(|it| it.to_string());
        let jumps = PinJumps::find(&self.parts.pins).map(|it| it.to_string());
        [overlaps, crossings, jumps].into_iter().flatten().collect()
    }

    /// Returns the particles of a selection written as in a scene file: `All`, `Body("rope")`,
    /// `Any([End("rope"), Particle(3)])`.
    pub fn select(&self, selection: &str) -> Result<Vec<u32>, String> {
        let bracketed = Bracketed::new(selection);
        let which = ron_options()
            .from_str::<typed::located::Located<typed::particles::Particles>>(&bracketed.text)
            .map_err(|error| error::translate_ron_error(&bracketed.text, &error).1)?;
        self.file.select(&which).map_err(|fault| fault.message)
    }

    /// Reads and checks a scene file.
    pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self, SceneError> {
        Self::load_with_text(path).map(|(scene, ..)| scene)
    }

    /// Reads and checks a scene file like [`Scene::load`]. Also returns its text, in which meshes
    /// replace the references to mesh files, and the paths of these files.
    pub fn load_with_text(
        path: impl AsRef<std::path::Path>,
    ) -> Result<(Self, String, Vec<PathBuf>), SceneError> {
        let (name, text) = Self::read_text(path.as_ref())?;
        let (scene, meshes) = Self::parse_with_meshes(&text, &name)?;
        let text = if scene.file.has_meshes() { scene.to_ron() } else { text };
        Ok((scene, text, meshes))
    }

    /// Reads the text of a scene file. Returns its name for messages, and its text.
    fn read_text(path: &std::path::Path) -> Result<(String, String), SceneError> {
        let name = path.display().to_string();
        let text = decode_text(text::read::regular_file(path, LONGEST_FILE), &name)?;
        Ok((name, text))
    }

    /// Reads a scene from a stream to its end, and checks it. `name` is its name in messages.
    pub fn load_from(source: impl Read, name: &str) -> Result<Self, SceneError> {
        Self::parse(&decode_text(text::read::to_end(source, LONGEST_FILE), name)?, name)
    }

    /// Reads and checks the text of a scene file. `file` is its name in messages; mesh files are
    /// relative to its folder.
    pub fn parse(text: &str, file: &str) -> Result<Self, SceneError> {
        Self::parse_with_meshes(text, file).map(|(scene, _)| scene)
    }

    /// Reads and checks the text of a scene file like [`Scene::parse`]. Also returns the paths of
    /// its mesh files.
    pub fn parse_with_meshes(text: &str, file: &str) -> Result<(Self, Vec<PathBuf>), SceneError> {
        let UncheckedScene { read, bracketed, meshes } = read_unchecked(text, file)?;
        let scene = read.check().map_err(|fault| locate_fault(&bracketed, fault, file))?;
        Ok((scene, meshes))
    }
}

/// True if a file is a scene: its name ends with `.ron`, or its text begins like a scene.
pub fn is_scene_file(path: &std::path::Path) -> bool {
    #[derive(Deserialize)]
    #[serde(rename = "Scene")]
    struct Head {
        #[serde(rename = "version")]
        _version: u64,
    }
    let by_name = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ron"));
    let by_text = || {
        let bytes = text::read::regular_file(path, LONGEST_FILE).ok()?;
        ron_options().from_bytes::<Head>(&bytes).ok()
    };
    by_name || by_text().is_some()
}

fn decode_text(bytes: Result<Vec<u8>, ReadError>, file: &str) -> Result<String, SceneError> {
    let fail = |problem: String| SceneError::File { file: file.to_owned(), problem };
    let bytes = bytes.map_err(|error| match error {
        ReadError::Io(_) | ReadError::Irregular => fail(error.to_string()),
        ReadError::Missing | ReadError::Folder => {
            fail(format!("{error}, expected a scene file (.ron)"))
        }
        ReadError::TooLong(_) => fail(format!("{error}, expected at most that")),
    })?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(fail("the file is empty, expected a scene in RON".into()));
    }
    String::from_utf8(bytes)
        .map_err(|error| utf8_error(file, error.as_bytes(), error.utf8_error().valid_up_to()))
}

impl CameraSetup {
    /// Returns a view from the front, with a picture of 16 : 10 that is `height` metres high.
    pub fn side(centre: DVec3, height: f64) -> Self {
        Self::Side { centre, height, aspect: USUAL_ASPECT }
    }

    /// Returns the aspect ratio (width / height) of the part of the picture that must be visible.
    pub fn aspect(&self) -> f64 {
        match *self {
            Self::Side { aspect, .. } | Self::Orbit { aspect, .. } => aspect,
        }
    }

    /// Checks the ranges of all fields. Returns a message about the first one out of range.
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

/// Returns a message about a field of the camera that is out of range.
fn check_field(is_good: bool, found: &str, expected: &str) -> Result<(), String> {
    if is_good { Ok(()) } else { Err(format!("camera: found {found}, expected {expected}")) }
}

/// Scene file that has been read but not checked.
struct UncheckedScene<'a> {
    read: SceneFile,
    /// Text that the RON reader was given, for the positions of later errors.
    bracketed: Bracketed<'a>,
    /// Paths of the mesh files.
    meshes: Vec<PathBuf>,
}

/// Reads a scene file and its mesh files, without checking the scene.
fn read_unchecked<'a>(text: &'a str, file: &str) -> Result<UncheckedScene<'a>, SceneError> {
    // Some editors write a byte order mark at the start of a file.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text::nesting::check(text)
        .map_err(|(position, problem)| SceneError::at(file, position, problem))?;
    let bracketed = Bracketed::new(text);
    let mut read: SceneFile =
        typed::located::read(&ron_options(), &bracketed.text, None).map_err(|error| {
            let (place, problem) = error::translate_ron_error(&bracketed.text, &error);
            SceneError::at(file, bracketed.typed(place), problem)
        })?;
    let folder = std::path::Path::new(file).parent().unwrap_or(std::path::Path::new(""));
    let meshes = read.fetch_meshes(folder);
    let meshes = meshes.map_err(|fault| locate_fault(&bracketed, fault, file))?;
    Ok(UncheckedScene { read, bracketed, meshes })
}

/// Returns the error for a fault, with line and column of the faulty value.
fn locate_fault(bracketed: &Bracketed, fault: typed::located::Fault, file: &str) -> SceneError {
    let message = fault.message.clone();
    let again = typed::located::read::<SceneFile>(&ron_options(), &bracketed.text, Some(fault));
    let place = again.err().map_or(Position { line: 1, col: 1 }, |error| error.span.end);
    SceneError::at(file, bracketed.typed(place), message)
}

fn is_moderate_point(point: DVec3) -> bool {
    point.to_array().into_iter().all(is_moderate)
}

/// Formats a point: `(0, 1.5, 0)`.
fn format_point(point: DVec3) -> String {
    format!("({})", point.to_array().map(format_six_digits).join(", "))
}

/// Returns options for concise RON: `dt: 0.001` instead of `dt: Some(0.001)`, `Wind(drag: 3)`
/// instead of `Wind((drag: 3))`.
fn ron_options() -> ron::Options {
    ron::Options::default().with_default_extension(ron_extensions())
}

fn ron_extensions() -> Extensions {
    Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES
}

fn utf8_error(file: &str, bytes: &[u8], good: usize) -> SceneError {
    let before = &bytes[..good];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let column = 1 + String::from_utf8_lossy(&before[line_start..]).chars().count();
    let problem = format!("found the byte 0x{:02X}, expected text in UTF-8", bytes[good]);
    SceneError::at(file, Position { line, col: column }, problem)
}
