//! Scene file under construction.

use crate::typed::file::SceneFile;

/// Scene file under construction, with the relation between old and new indices as in
/// [`EditedScene`](super::EditedScene).
pub(super) struct Draft {
    pub file: SceneFile,
    pub particles: Vec<Option<u32>>,
    pub numbers: Vec<Option<u32>>,
    pub colliders: Vec<Option<u32>>,
    pub lost_ball: Option<usize>,
    pub removed_name: Option<String>,
}

/// Bodies of a scene, in the order of the file's lists.
pub(super) struct Bodies {
    /// Particles of each body. The particles of a rope are in order from end to end.
    pub particles: Vec<Vec<u32>>,
    /// Number of particles of the scene file, excluding balls that the user has thrown since.
    pub count: usize,
}
