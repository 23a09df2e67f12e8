//! Bodies of a scene by their numbers and by their places in the lists of its file.

use super::Scene;
use crate::scene::typed::file::SceneFile;

/// Names of the lists, in the order in which bodies are made.
const LISTS: [&str; 5] = ["particles", "balls", "nets", "cloths", "ropes"];

fn lengths(file: &SceneFile) -> [usize; 5] {
    let SceneFile { particles, balls, nets, cloths, ropes, .. } = file;
    [particles.len(), balls.len(), nets.len(), cloths.len(), ropes.len()]
}

impl Scene {
    /// Returns the particles of each body; the ends of a rope are those that it is tied to.
    pub(crate) fn particles_of_bodies(&self) -> Vec<Vec<u32>> {
        self.file.particles_of_bodies().unwrap_or_default()
    }

    /// Returns the number of the body at a place in a list of the file.
    pub(crate) fn body_at(&self, list: &str, place: usize) -> Option<usize> {
        let which = LISTS.iter().position(|name| *name == list)?;
        Some(lengths(&self.file)[..which].iter().sum::<usize>() + place)
    }

    /// Returns the list of a body of this number, and its place there.
    pub(crate) fn list_of_body(&self, mut body: usize) -> Option<(&'static str, usize)> {
        for (name, length) in LISTS.into_iter().zip(lengths(&self.file)) {
            if body < length {
                return Some((name, body));
            }
            body -= length;
        }
        None
    }

    /// Returns the names of all materials, with those that are not described in the file.
    pub(crate) fn all_materials(&self) -> Vec<String> {
        let file = self.file.spelled_out();
        file.materials.iter().map(|material| String::clone(material.name())).collect()
    }
}
