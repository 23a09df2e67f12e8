//! Materials of ropes, nets and cloths, as they are typed.

use super::located::Located;
use super::number::{NonNegative, Positive};
use serde::{Deserialize, Serialize};

/// A material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Material {
    /// A material for ropes and nets.
    Rope(RopeMaterialFile),
    /// A material for cloths.
    Cloth(ClothMaterialFile),
}

impl Material {
    /// Returns the name by which ropes, nets and cloths refer to the material.
    pub fn name(&self) -> &Located<String> {
        match self {
            Self::Rope(rope) => &rope.name,
            Self::Cloth(cloth) => &cloth.name,
        }
    }
}

/// A material for ropes and nets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Rope", deny_unknown_fields)]
pub struct RopeMaterialFile {
    /// Name for ropes and nets to refer to.
    pub name: Located<String>,
    /// Mass per metre in kg/m.
    #[serde(default)]
    pub mass_per_metre: Option<Positive>,
    /// Axial stiffness EA in newtons: the force per unit strain. A link of length l has EA/l N/m.
    #[serde(default)]
    pub stiffness: Option<Positive>,
    /// Axial damping in N·s: a link of length l has damping/l N·s/m.
    #[serde(default)]
    pub damping: Option<NonNegative>,
    /// Bending stiffness, as an axial stiffness in newtons between second neighbours; 0 = none.
    #[serde(default)]
    pub bend_stiffness: Option<NonNegative>,
    /// Flexural rigidity EI in N·m², independent of the number of segments; 0 = none. Two pinned
    /// neighbours clamp the rope.
    #[serde(default)]
    pub flexural_rigidity: Option<NonNegative>,
    /// Inextensible links for constraint solvers; springs keep `stiffness`.
    #[serde(default)]
    pub rigid: Option<bool>,
    /// Links resist stretch only.
    #[serde(default)]
    pub one_sided: Option<bool>,
    /// Radius in metres, for drawing and for contact of ropes and nets.
    #[serde(default)]
    pub radius: Option<Positive>,
    /// Strain above which a link tears, 0.2 = at 1.2 of its length. Without it, links do not tear.
    #[serde(default)]
    pub tear_strain: Option<Positive>,
    /// Tension in newtons above which a link tears.
    #[serde(default)]
    pub tear_force: Option<Positive>,
}

/// A material for cloths.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Cloth", deny_unknown_fields)]
pub struct ClothMaterialFile {
    /// Name for cloths to refer to.
    pub name: Located<String>,
    /// Mass per area in kg/m².
    #[serde(default)]
    pub areal_density: Option<Positive>,
    /// Stiffness of the links along rows and columns in N/m.
    #[serde(default)]
    pub stretch_stiffness: Option<Positive>,
    /// Stiffness of both diagonals of a cell in N/m; 0 = none.
    #[serde(default)]
    pub shear_stiffness: Option<NonNegative>,
    /// Stiffness between second neighbours along rows and columns in N/m; 0 = none, which is the
    /// default beside a `flexural_rigidity`.
    #[serde(default)]
    pub bend_stiffness: Option<NonNegative>,
    /// Flexural rigidity in N·m (EI per metre of width) along rows and columns, independent of the
    /// number of cells; 0 = none. A cotton shirt has some 1e-5, canvas 1e-3. Two pinned neighbours
    /// clamp the cloth.
    #[serde(default)]
    pub flexural_rigidity: Option<NonNegative>,
    /// Damping of every link in N·s/m.
    #[serde(default)]
    pub damping: Option<NonNegative>,
    /// Inextensible structural and shear links for constraint solvers.
    #[serde(default)]
    pub rigid: Option<bool>,
    /// Links resist stretch only.
    #[serde(default)]
    pub one_sided: Option<bool>,
    /// Strain above which a link tears, 0.2 = at 1.2 of its length. Without it, links do not tear.
    #[serde(default)]
    pub tear_strain: Option<Positive>,
    /// Tension in newtons above which a link tears.
    #[serde(default)]
    pub tear_force: Option<Positive>,
}
