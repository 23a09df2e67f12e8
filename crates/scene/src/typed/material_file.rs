//! Materials of ropes, nets and cloths, as the author of a scene file writes them.

use super::located::Located;
use super::number::{NonNegative, Positive};
use serde::{Deserialize, Serialize};

/// A material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Material {
    /// For ropes and nets.
    Rope(RopeMaterialFile),
    /// For cloths.
    Cloth(ClothMaterialFile),
}

impl Material {
    /// Returns the name of the material.
    pub fn name(&self) -> &Located<String> {
        match self {
            Self::Rope(rope) => &rope.name,
            Self::Cloth(cloth) => &cloth.name,
        }
    }
}

/// Material for ropes and nets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Rope", deny_unknown_fields)]
pub struct RopeMaterialFile {
    /// Name, for ropes and nets.
    pub name: Located<String>,
    /// Mass in kg/m.
    pub mass_per_metre: Option<Positive>,
    /// Axial stiffness EA in newtons: a link of length l has the stiffness EA/l in N/m.
    pub stiffness: Option<Positive>,
    /// Axial damping in N·s: a link of length l has the damping coefficient damping/l in N·s/m.
    pub damping: Option<NonNegative>,
    /// Axial stiffness EA of extra springs between second neighbours against bending, in newtons.
    pub bend_stiffness: Option<NonNegative>,
    /// Flexural rigidity EI in N·m², independent of the number of segments. Pinning two neighbours
    /// clamps the rope.
    pub flexural_rigidity: Option<NonNegative>,
    /// True if links are inextensible for constraint solvers; springs keep their `stiffness`.
    pub rigid: Option<bool>,
    /// True if links resist stretching only.
    pub one_sided: Option<bool>,
    /// Radius in metres, for drawing and contact.
    pub radius: Option<Positive>,
    /// Strain above which links tear.
    pub tear_strain: Option<Positive>,
    /// Tension above which links tear, in newtons.
    pub tear_force: Option<Positive>,
}

/// Material for cloths.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Cloth", deny_unknown_fields)]
pub struct ClothMaterialFile {
    /// Name, for cloths.
    pub name: Located<String>,
    /// Mass in kg/m².
    pub areal_density: Option<Positive>,
    /// Stiffness k of each link along rows and columns, in N/m. A cloth n cells wide resists a
    /// strain of 1 with k · (1 + 1/n) · (length/width of a cell) newtons per metre of width.
    pub stretch_stiffness: Option<Positive>,
    /// Stiffness of diagonals in N/m.
    pub shear_stiffness: Option<NonNegative>,
    /// Stiffness of extra springs between second neighbours against bending, in N/m; default 0 with
    /// `flexural_rigidity`.
    pub bend_stiffness: Option<NonNegative>,
    /// Flexural rigidity EI per metre of width along the sides of cells, in N·m. Half of it applies
    /// along their diagonals. The value is independent of the number of cells. A cotton shirt has
    /// about 1e-5, canvas 1e-3.
    pub flexural_rigidity: Option<NonNegative>,
    /// Damping of every link in N·s/m.
    pub damping: Option<NonNegative>,
    /// True if structural and shear links are inextensible for constraint solvers.
    pub rigid: Option<bool>,
    /// True if links resist stretching only.
    pub one_sided: Option<bool>,
    /// Strain above which links tear.
    pub tear_strain: Option<Positive>,
    /// Tension above which links tear, in newtons.
    pub tear_force: Option<Positive>,
}
