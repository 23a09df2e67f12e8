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
                "Click where the rope begins and where it ends, or drag. An end on a particle is \
                tied to the particle; an end in the air is pinned.",
            ),
            Self::Cloth => {
                ("Cloth", "M", "Drag a rectangle. The cloth hangs from its two upper corners.")
            }
            Self::Ball => (
                "Ball",
                "Shift+B",
                "Click where the ball starts to fall. It has the mass and the radius of thrown \
                balls.",
            ),
            Self::Tie => (
                "Tie",
                "T",
                "Click two particles or balls. The tie limits their distance to the present one, \
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
                "Click at both ends, or drag. An end on a particle moves with it. The ruler shows \
                the distance, its angle and its change in every lane.",
            ),
        };
        ToolDescription { name, key, instructions }
    }
}
