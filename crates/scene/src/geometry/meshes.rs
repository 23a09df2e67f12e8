//! Mesh files of colliders. Their contents become part of the scene, so that exports and recordings
//! need no other file.

use super::obj::{LONGEST, Triangles};
use crate::text::read;
use crate::typed::contact_file::ShapeFile;
use crate::typed::file::SceneFile;
use crate::typed::located::Fault;
use crate::typed::number::Point;
use std::path::{Path, PathBuf};

impl SceneFile {
    pub(crate) fn has_meshes(&self) -> bool {
        self.colliders.iter().any(|collider| matches!(&*collider.shape, ShapeFile::Mesh { .. }))
    }

    /// Replaces the mesh files of colliders by their points and triangles, and returns their paths.
    /// File names are relative to `folder`.
    pub(crate) fn fetch_meshes(&mut self, folder: &Path) -> Result<Vec<PathBuf>, Fault> {
        let mut paths = Vec::new();
        for collider in &mut self.colliders {
            let shape = &mut collider.shape;
            let ShapeFile::Mesh { file: Some(file), points, triangles } = &**shape else {
                continue;
            };
            if !(points.is_empty() && triangles.is_empty()) {
                let problem = "found both a `file` and points or triangles, expected one of them";
                return Err(shape.fault(problem));
            }
            let path = folder.join(file);
            let mesh = shape.blame(fetched(&path).map_err(|e| format!("{file}: {e}")))?;
            shape.replace(mesh);
            paths.push(path);
        }
        Ok(paths)
    }
}

fn fetched(path: &Path) -> Result<ShapeFile, String> {
    let bytes = read::regular_file(path, LONGEST).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "found bytes that are not UTF-8")?;
    let Triangles { points, triangles } = Triangles::parse(&text)?;
    let points = points.into_iter().map(Point::checked).collect();
    Ok(ShapeFile::Mesh { file: None, points, triangles })
}
