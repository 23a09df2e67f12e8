//! Positions of all particles over time: as CSV, as NPY for Python, or as PC2 with an OBJ file for
//! Blender.

mod animated_mesh;
mod npy;

use super::{ExportError, OutputFile, ProtectedFiles};
use crate::model::Parts;
use animated_mesh::{AnimatedMesh, PC2_HEADER};
use glam::DVec3;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// File format for positions, chosen by the extension of the file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PositionsFormat {
    /// CSV: one row per moment.
    Csv,
    /// NPY: an array of moments × particles × 3 numbers.
    Npy,
    /// PC2: vertices of the mesh in the OBJ file of the same name, in single precision.
    Pc2,
}

impl PositionsFormat {
    fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_string_lossy().to_lowercase();
        match &*ending {
            "csv" => Some(Self::Csv),
            "npy" => Some(Self::Npy),
            "pc2" => Some(Self::Pc2),
            _ => None,
        }
    }

    /// Returns the extension of the companion file with the triangles.
    fn triangles_ending(self) -> &'static str {
        match self {
            Self::Csv => "triangles.csv",
            Self::Npy => "triangles.npy",
            Self::Pc2 => "obj",
        }
    }

    /// Returns the extension of the companion file with the times; `None` if the main file contains
    /// the times.
    fn times_ending(self) -> Option<&'static str> {
        (self == Self::Npy).then_some("t.npy")
    }
}

/// File of positions that is being written, with its companion files.
///
/// The companion of `run.csv` is `run.triangles.csv`. The companions of `run.npy` are
/// `run.triangles.npy` and `run.t.npy`, the companion of `run.pc2` is `run.obj`.
pub struct PositionsFile {
    format: PositionsFormat,
    file: OutputFile,
    /// Companion with the triangles. It gets its final name together with the main file.
    triangles: OutputFile,
    /// Second companion of an NPY file, which contains the times, and the times of all moments in
    /// seconds. `None` for other formats.
    times: Option<(OutputFile, Vec<f64>)>,
    mesh: AnimatedMesh,
    /// Positions of balls before they are thrown: NaN, or in PC2 the start of the throw.
    before_throw: Vec<DVec3>,
    moments: u32,
    row: Vec<DVec3>,
}

impl PositionsFile {
    /// True if the path has the extension of a known format.
    pub fn is_known(path: &Path) -> bool {
        PositionsFormat::of(path).is_some()
    }

    /// Returns the paths of all files that are written: the given file and its companions.
    pub fn all_paths(path: &Path) -> Vec<PathBuf> {
        let format = PositionsFormat::of(path).unwrap_or(PositionsFormat::Csv);
        let endings = std::iter::once(format.triangles_ending()).chain(format.times_ending());
        let companions = endings.map(|ending| path.with_extension(ending));
        std::iter::once(path.to_owned()).chain(companions).collect()
    }

    /// Creates the file for a scene, and writes everything that does not change to the companion
    /// files.
    pub fn create(
        path: &Path,
        parts: &Parts,
        protected: ProtectedFiles,
    ) -> Result<Self, ExportError> {
        let format = PositionsFormat::of(path).unwrap_or(PositionsFormat::Csv);
        let mesh = AnimatedMesh::of(parts);
        let is_film = format == PositionsFormat::Pc2;
        let throws = parts.throws.iter();
        let before_throw: Vec<DVec3> =
            throws.map(|t| if is_film { t.throw.at } else { DVec3::NAN }).collect();
        let mut row = parts.mesh.positions.clone();
        row.extend(&before_throw);
        let mut triangles = Vec::new();
        parts.topology().faces().for_each(|face| triangles.push(face));
        // If a scene has no triangles, an empty table replaces the table of an earlier scene.
        let bytes = match format {
            PositionsFormat::Pc2 => mesh.to_obj(&row, &triangles).into_bytes(),
            PositionsFormat::Csv => {
                let line = |[a, b, c]: &[u32; 3]| format!("{a},{b},{c}\n");
                let lines: String = triangles.iter().map(line).collect();
                format!("a,b,c\n{lines}").into_bytes()
            }
            PositionsFormat::Npy => {
                let mut bytes = npy::header("<i4", &[triangles.len() as u64, 3]);
                let corners = triangles.as_flattened().iter();
                bytes.extend(corners.flat_map(|corner| (*corner as i32).to_le_bytes()));
                bytes
            }
        };
        let file = OutputFile::create(path, protected)?;
        let companion = |ending: &str| OutputFile::create(&path.with_extension(ending), protected);
        let mut triangles = companion(format.triangles_ending())?;
        triangles.write_all(&bytes).map_err(|e| triangles.error(e))?;
        let times = format.times_ending().map(companion).transpose()?;
        let times = times.map(|file| (file, Vec::new()));
        let mut this = Self { format, file, triangles, times, mesh, before_throw, moments: 0, row };
        let head = this.head();
        this.write(&head)?;
        Ok(this)
    }

    /// Writes the positions of all particles at `t` seconds.
    pub fn add_moment(&mut self, t: f64, x: &[DVec3]) -> Result<(), ExportError> {
        self.moments += 1;
        let count = self.row.len();
        let late =
            self.before_throw.len() - (count.saturating_sub(x.len())).min(self.before_throw.len());
        self.row.clear();
        self.row.extend(x.iter().take(count));
        self.row.extend(&self.before_throw[late..]);
        let row = std::mem::take(&mut self.row);
        let bytes: Vec<u8> = match self.format {
            PositionsFormat::Csv => {
                let numbers = row.iter().flat_map(|x| x.to_array());
                let numbers: String = numbers.map(|x| format!(",{:?}", x + 0.0)).collect();
                format!("{t:?}{numbers}\n").into_bytes()
            }
            PositionsFormat::Npy => {
                if let Some((_, times)) = &mut self.times {
                    times.push(t);
                }
                row.iter().flat_map(|x| x.to_array()).flat_map(f64::to_le_bytes).collect()
            }
            PositionsFormat::Pc2 => {
                let vertices = self.mesh.vertices(&row).flat_map(|x| x.to_array());
                vertices.flat_map(|x| (x as f32).to_le_bytes()).collect()
            }
        };
        self.row = row;
        self.write(&bytes)
    }

    /// Completes the files and renames them to their final names.
    pub fn finish(mut self) -> Result<(), ExportError> {
        if self.format != PositionsFormat::Csv {
            let head = self.head();
            self.file.overwrite_start(&head).map_err(|e| self.file.error(e))?;
        }
        if let Some((mut file, times)) = self.times.take() {
            let mut bytes = npy::header("<f8", &[times.len() as u64]);
            bytes.extend(times.into_iter().flat_map(f64::to_le_bytes));
            file.write_all(&bytes).map_err(|e| file.error(e))?;
            file.finish()?;
        }
        self.triangles.finish()?;
        self.file.finish()
    }

    /// Returns the head of the file, which contains the number of moments written so far. Its
    /// length does not depend on this number.
    fn head(&self) -> Vec<u8> {
        match self.format {
            PositionsFormat::Csv => {
                let names = (0..self.row.len()).map(|i| format!(",x{i},y{i},z{i}"));
                format!("t{}\n", names.collect::<String>()).into_bytes()
            }
            PositionsFormat::Npy => {
                npy::header("<f8", &[u64::from(self.moments), self.row.len() as u64, 3])
            }
            PositionsFormat::Pc2 => {
                let mut head = PC2_HEADER.to_vec();
                head.extend(1i32.to_le_bytes());
                head.extend((self.mesh.len() as i32).to_le_bytes());
                // Number of the first frame, and number of frames per set of positions.
                head.extend(0f32.to_le_bytes());
                head.extend(1f32.to_le_bytes());
                head.extend((self.moments as i32).to_le_bytes());
                head
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.file.write_all(bytes).map_err(|e| self.file.error(e))
    }
}

/// Equally spaced instants of a run. An instant may lie between two steps.
#[derive(Clone, Copy, Debug)]
pub struct Instants {
    every: f64,
    next: u64,
}

impl Instants {
    /// Creates instants at the start and then every `seconds`.
    pub fn every(seconds: f64) -> Self {
        Self { every: seconds, next: 0 }
    }

    /// Skips all instants before `t` seconds.
    pub fn skip_before(&mut self, t: f64) {
        self.next = (t / self.every - 1e-9).ceil().max(0.0) as u64;
    }

    /// Returns the instants up to time `t` in seconds that have not been returned yet.
    pub fn until(&mut self, t: f64) -> impl Iterator<Item = f64> {
        let Self { every, next } = self;
        std::iter::from_fn(move || {
            let due = *next as f64 * *every;
            // Because of rounding, the sum of the steps may end slightly before the instant that it
            // should reach.
            let is_due = due <= t + 1e-9 * *every;
            *next += u64::from(is_due);
            is_due.then_some(due)
        })
    }
}

/// Writes the positions at all instants between two states, interpolated linearly. A state is a
/// time in seconds with the positions at this time.
pub fn add_moments(
    file: &mut PositionsFile,
    instants: &mut Instants,
    [before, now]: [(f64, &[DVec3]); 2],
) -> Result<(), ExportError> {
    for due in instants.until(now.0) {
        add_moment_between(file, due, [before, now])?;
    }
    Ok(())
}

/// Writes the positions at `due` seconds, interpolated linearly between two states. A state is a
/// time in seconds with the positions at this time.
pub fn add_moment_between(
    file: &mut PositionsFile,
    due: f64,
    [before, now]: [(f64, &[DVec3]); 2],
) -> Result<(), ExportError> {
    let part = if now.0 > before.0 { (due - before.0) / (now.0 - before.0) } else { 1.0 };
    let part = part.clamp(0.0, 1.0);
    let mut row: Vec<DVec3> = before.1.iter().zip(now.1).map(|(a, b)| a.lerp(*b, part)).collect();
    row.extend(now.1.iter().skip(before.1.len()));
    file.add_moment(due, &row)
}

impl OutputFile {
    /// Replaces the first bytes of the file. Returns an error for a stream, which cannot be
    /// rewound.
    fn overwrite_start(&mut self, bytes: &[u8]) -> io::Result<()> {
        use std::io::{Seek, SeekFrom};
        match &mut self.target {
            super::WriteTarget::Replace(writer) => {
                writer.seek(SeekFrom::Start(0))?;
                writer.write_all(bytes)?;
                writer.seek(SeekFrom::End(0)).map(|_| ())
            }
            super::WriteTarget::Stream(_) => Err(io::Error::other(
                "this format begins with the number of moments, which is unknown for a stream; \
                 expected a file",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::support;

    const NOTHING: ProtectedFiles = ProtectedFiles { inputs: &[], scenes: false };

    fn towel_and_ball() -> Scene {
        let text = r#"(version: 1, name: "x", balls: [(at: (0, 1, 0), radius: 0.1)],
            cloths: [(corner: (0, 0, 0), across: (1, 0, 0), down: (0, 0, 1), cells: (1, 1))],
            ropes: [(from: (3, 0, 0), to: (4, 0, 0), segments: 1)])"#;
        support::scene(text)
    }

    fn written(name: &str) -> (tempfile::TempDir, Vec<u8>) {
        let (folder, scene) = (tempfile::tempdir().unwrap(), towel_and_ball());
        let path = folder.path().join(name);
        let mut file = PositionsFile::create(&path, &scene.parts, NOTHING).unwrap();
        let x = &scene.parts.mesh.positions;
        let later: Vec<DVec3> = x.iter().map(|x| *x + DVec3::Y).collect();
        let mut instants = Instants::every(0.25);
        add_moments(&mut file, &mut instants, [(0.0, x), (0.0, x)]).unwrap();
        add_moments(&mut file, &mut instants, [(0.0, x), (0.5, &later)]).unwrap();
        file.finish().unwrap();
        let bytes = std::fs::read(path).unwrap();
        (folder, bytes)
    }

    #[test]
    fn csv_has_a_row_a_moment_and_triangles_once() {
        let (folder, bytes) = written("run.csv");
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("t,x0,y0,z0,x1"), "{}", lines[0]);
        // The position at 0.25 s is halfway between 1 m at 0 s and 2 m at 0.5 s.
        assert!(lines[2].starts_with("0.25,0.0,1.5,0.0,"), "{}", lines[2]);
        assert_eq!(lines.len(), 4);
        let triangles = std::fs::read_to_string(folder.path().join("run.triangles.csv")).unwrap();
        assert_eq!(triangles.lines().count(), 3, "{triangles}");
    }

    #[test]
    fn npy_says_its_shape() {
        let (folder, bytes) = written("run.npy");
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let head = String::from_utf8_lossy(&bytes[10..128]);
        assert!(head.contains("'shape': (3, 7, 3)") && head.ends_with('\n'), "{head}");
        assert_eq!(bytes.len(), 128 + 3 * 7 * 3 * 8);
        // The ball is the first particle, at y = 1 m at the start.
        assert_eq!(bytes[128 + 8..128 + 16], 1f64.to_le_bytes());
        assert!(folder.path().join("run.t.npy").exists());
        assert!(folder.path().join("run.triangles.npy").exists());
    }

    #[test]
    fn a_film_has_the_vertices_of_its_mesh() {
        let (folder, bytes) = written("run.pc2");
        assert_eq!(&bytes[..12], b"POINTCACHE2\0");
        let number = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let [points, moments] = [16, 28].map(number);
        // Six vertices of the ball, four of the cloth, two of the rope.
        assert_eq!([points, moments], [12, 3]);
        assert_eq!(bytes.len() as i32, 32 + points * moments * 12);
        let obj = std::fs::read_to_string(folder.path().join("run.obj")).unwrap();
        let count = |head: &str| obj.lines().filter(|line| line.starts_with(head)).count();
        assert_eq!([count("v "), count("f "), count("l ")], [12, 8 + 2, 1], "{obj}");
    }
}
