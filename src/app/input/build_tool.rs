//! Tools that add bodies to the scene, delete bodies or measure.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildTool {
    Rope,
    Cloth,
    Ball,
    Tie,
    Delete,
    Ruler,
}

/// Texts about a tool.
pub struct ToolDescription {
    pub name: &'static str,
    pub key: &'static str,
    pub instructions: &'static str,
}

impl BuildTool {
    /// Tools in the order of the menu.
    pub const ALL: [Self; 6] =
        [Self::Rope, Self::Cloth, Self::Ball, Self::Tie, Self::Delete, Self::Ruler];

    pub fn description(self) -> ToolDescription {
        let (name, key, instructions) = match self {
            Self::Rope => (
                "Rope",
                "N",
                "Click where the rope begins and where it ends, or drag. An end at a particle is tied \
                 to it, one in the air is pinned.",
            ),
            Self::Cloth => {
                ("Cloth", "M", "Drag a rectangle. The cloth hangs from its two upper corners.")
            }
            Self::Ball => (
                "Ball",
                "Shift+B",
                "Click where the ball begins to fall. It is as heavy and large as thrown balls are.",
            ),
            Self::Tie => (
                "Tie",
                "T",
                "Click two particles or a ball: they cannot move further apart than now, or than now \
                 in the lane where they are furthest apart.",
            ),
            Self::Delete => (
                "Delete",
                "Delete key",
                "Click a rope, net, cloth, ball or obstacle to delete it as a whole.",
            ),
            Self::Ruler => (
                "Ruler",
                "L",
                "Click at both ends, or drag. An end at a particle moves with it. The ruler shows \
                 distance, angle and change in every lane.",
            ),
        };
        ToolDescription { name, key, instructions }
    }
}
