//! Opening of scene files: the text is read, the scene is checked, and errors are located in the
//! text.

use super::error::{SceneError, translate_ron_error};
use super::library;
use super::ron_options::ron_options;
use super::scene::Scene;
use super::text::brackets::Bracketed;
use super::text::read::ReadError;
use super::text::{nesting, read};
use super::typed::file::SceneFile;
use super::typed::located;
use super::typed::particles::Particles;
use ron::error::Position;
use ropelab_core::contact::{InitialCrossings, InitialOverlaps};
use ropelab_core::model::PinJumps;
use serde::Deserialize;
use std::io::Read;
use std::path::PathBuf;

/// Greatest length of a scene file, in bytes.
pub const LONGEST_FILE: u64 = 256 << 20;

impl Scene {
    /// Opens the file with this name. If it does not exist, opens the library scene with this name.
    pub fn open(argument: &str) -> Result<Self, SceneError> {
        let (file, text) = Self::find_text(argument)?;
        Self::parse(&text, &file)
    }

    /// Finds the file or library scene that [`Scene::open`] opens. Returns its name for messages,
    /// and its text.
    pub(super) fn find_text(argument: &str) -> Result<(String, String), SceneError> {
        let path = std::path::Path::new(argument);
        let is_path = path.exists() || path.extension().is_some() || path.components().count() > 1;
        match library::find(argument) {
            _ if path.is_file() => Self::read_text(path),
            Ok(entry) => Ok((entry.path_in_library(), entry.text().to_owned())),
            Err(_) if is_path => Self::read_text(path),
            Err(unknown) => Err(unknown.into()),
        }
    }

    /// Returns up to three warnings: bodies overlap at the start, links pass through triangles, or
    /// pins jump in the first step. Each warning states the number of pairs or pins, and one
    /// example.
    pub fn warnings(&self) -> Vec<String> {
        let (geometry, mesh) = (&self.parts.contact, &self.parts.mesh);
        let methods: Vec<_> = self.lanes.iter().map(|lane| lane.settings.contact).collect();
        let overlaps = InitialOverlaps::find(geometry, mesh, &methods).map(|it| it.to_string());
        let crossings = InitialCrossings::find(geometry, mesh).map(|it| it.to_string());
        let jumps = PinJumps::find(&self.parts.pins).map(|it| it.to_string());
        [overlaps, crossings, jumps].into_iter().flatten().collect()
    }

    /// Returns the particles of a selection. The selection is written as in a scene file: `All`,
    /// `Body("rope")`, `Any([End("rope"), Particle(3)])`.
    pub fn select(&self, selection: &str) -> Result<Vec<u32>, String> {
        let bracketed = Bracketed::new(selection);
        let which = ron_options()
            .from_str::<located::Located<Particles>>(&bracketed.text)
            .map_err(|error| translate_ron_error(&bracketed.text, &error).1)?;
        self.file.select(&which).map_err(|fault| fault.message)
    }

    /// Reads and checks a scene file.
    pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self, SceneError> {
        Self::load_with_text(path).map(|(scene, ..)| scene)
    }

    /// Reads and checks a scene file like [`Scene::load`]. Also returns its text, in which mesh
    /// files are replaced by their contents, and the paths of these files.
    pub fn load_with_text(
        path: impl AsRef<std::path::Path>,
    ) -> Result<(Self, String, Vec<PathBuf>), SceneError> {
        let (name, text) = Self::read_text(path.as_ref())?;
        let (scene, meshes) = Self::parse_with_meshes(&text, &name)?;
        let text = if scene.file.has_meshes() { scene.to_ron() } else { text };
        Ok((scene, text, meshes))
    }

    /// Returns the name of a scene file for messages, and its text.
    pub(super) fn read_text(path: &std::path::Path) -> Result<(String, String), SceneError> {
        let name = path.display().to_string();
        let text = decode_text(read::regular_file(path, LONGEST_FILE), &name)?;
        Ok((name, text))
    }

    /// Reads a stream to its end, and checks the scene in it. `name` is the name of the stream in
    /// messages.
    pub fn load_from(source: impl Read, name: &str) -> Result<Self, SceneError> {
        Self::parse(&decode_text(read::to_end(source, LONGEST_FILE), name)?, name)
    }

    /// Reads and checks the text of a scene file. `file` is the name of the file in messages. Paths
    /// of mesh files are relative to the folder of `file`.
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

/// True if the name of a file ends with `.ron`, or if its text begins like a scene.
pub fn is_scene_file(path: &std::path::Path) -> bool {
    #[derive(Deserialize)]
    #[serde(rename = "Scene")]
    struct Head {
        #[serde(rename = "version")]
        _version: u64,
    }
    let by_name = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ron"));
    let by_text = || {
        let bytes = read::regular_file(path, LONGEST_FILE).ok()?;
        ron_options().from_bytes::<Head>(&bytes).ok()
    };
    by_name || by_text().is_some()
}

pub(super) fn decode_text(
    bytes: Result<Vec<u8>, ReadError>,
    file: &str,
) -> Result<String, SceneError> {
    let fail = |problem: String| SceneError::File { file: file.to_owned(), problem };
    let bytes = bytes.map_err(|error| match error {
        ReadError::Io(_) | ReadError::Irregular => fail(error.to_string()),
        ReadError::Missing | ReadError::Folder => {
            fail(format!("{error}, expected a scene file (.ron)"))
        }
        ReadError::TooLong(_) => fail(format!("{error}, the limit for scene files")),
    })?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(fail("the file is empty, expected a scene in RON".into()));
    }
    String::from_utf8(bytes)
        .map_err(|error| utf8_error(file, error.as_bytes(), error.utf8_error().valid_up_to()))
}

pub(super) struct UncheckedScene<'a> {
    pub read: SceneFile,
    /// Text as the RON reader has read it, from which the positions of later errors are found.
    pub bracketed: Bracketed<'a>,
    /// Paths of the mesh files.
    pub meshes: Vec<PathBuf>,
}

/// Reads a scene file and its mesh files, without checking the scene.
pub(super) fn read_unchecked<'a>(
    text: &'a str,
    file: &str,
) -> Result<UncheckedScene<'a>, SceneError> {
    // Some editors write a byte order mark at the start of a file.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    nesting::check(text).map_err(|(position, problem)| SceneError::at(file, position, problem))?;
    let bracketed = Bracketed::new(text);
    let mut read: SceneFile =
        located::read(&ron_options(), &bracketed.text, None).map_err(|error| {
            let (place, problem) = translate_ron_error(&bracketed.text, &error);
            SceneError::at(file, bracketed.typed(place), problem)
        })?;
    let folder = std::path::Path::new(file).parent().unwrap_or(std::path::Path::new(""));
    let meshes = read.fetch_meshes(folder);
    let meshes = meshes.map_err(|fault| locate_fault(&bracketed, fault, file))?;
    Ok(UncheckedScene { read, bracketed, meshes })
}

/// Returns the error for a fault, with the line and column of the faulty value.
fn locate_fault(bracketed: &Bracketed, fault: located::Fault, file: &str) -> SceneError {
    let message = fault.message.clone();
    let again = located::read::<SceneFile>(&ron_options(), &bracketed.text, Some(fault));
    let place = again.err().map_or(Position { line: 1, col: 1 }, |error| error.span.end);
    SceneError::at(file, bracketed.typed(place), message)
}

fn utf8_error(file: &str, bytes: &[u8], good: usize) -> SceneError {
    let before = &bytes[..good];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let column = 1 + String::from_utf8_lossy(&before[line_start..]).chars().count();
    let problem = format!("found the byte 0x{:02X}, expected text in UTF-8", bytes[good]);
    SceneError::at(file, Position { line, col: column }, problem)
}
