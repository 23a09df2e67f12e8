//! Scene file under construction.

use crate::typed::file::SceneFile;

/// Scene file under construction. It relates old and new indices in the same way as
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
    /// Number of particles in the scene file, without balls that the user has thrown since.
    pub count: usize,
}
