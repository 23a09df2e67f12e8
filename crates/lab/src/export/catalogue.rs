//! Catalogue of integrators, solvers, contact methods, forces, materials and scenes, as rows for
//! `ropelab list` and for `docs/catalogue.md`.

use crate::constraint::ConstraintSolver;
use crate::contact::ContactMethod;
use crate::contact::shape::{SHAPES, ShapeInfo};
use crate::force::{Bending, Force, ForceLaw, Grab, Springs};
use crate::integrate::{Info, Method};
use crate::names::CatalogueEntry;
use crate::names::table::Table;
use crate::quantity::in_words::without_zeros;
use crate::quantity::magnitude::format_six_digits;
use crate::scene::real_materials::{self, RealMaterial};
use crate::scene::typed::material_file::Material;
use crate::scene::{SceneEntry, library};
use crate::simulation::timing::stepper::Stepping;
use glam::DVec3;
use itertools::Itertools;
use serde::{Serialize, Serializer};
use strum::{EnumIter, IntoEnumIterator, IntoStaticStr};

/// Kind of catalogue entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum CatalogueKind {
    /// Integrators.
    Integrators,
    /// Constraint solvers.
    Constraints,
    /// Contact methods.
    Contacts,
    /// Shapes of colliders.
    Colliders,
    /// Stepping schemes.
    Stepping,
    /// Force laws.
    Forces,
    /// Materials of ropes and cloths.
    Materials,
    /// Scenes of the library.
    Scenes,
}

impl CatalogueKind {
    /// Returns all kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Returns the name on the command line: `integrators`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Collects the entries of this kind.
    pub fn rows(self) -> CatalogueRows {
        use CatalogueRows::{Colliders, Forces, Integrators, Materials, Methods, Scenes};
        match self {
            Self::Integrators => Integrators(Method::all().map(|it| it.info()).collect()),
            Self::Constraints => Methods(ConstraintSolver::all().map(|it| it.info()).collect()),
            Self::Contacts => Methods(ContactMethod::all().map(|it| it.info()).collect()),
            Self::Colliders => Colliders(SHAPES.to_vec()),
            Self::Stepping => Methods(Stepping::all().map(|it| it.info()).collect()),
            Self::Forces => Forces(forces()),
            Self::Materials => Materials(materials()),
            Self::Scenes => Scenes(scenes()),
        }
    }
}

/// Material to which scenes refer by its name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MaterialRow {
    /// Name of the material in a scene file.
    pub name: &'static str,
    /// Name of the entry in menus.
    pub title: &'static str,
    /// Properties with their units, as text.
    pub numbers: String,
    /// Publication or data sheet from which the properties come.
    pub source: &'static str,
}

/// Force law.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForceRow {
    /// Name of the force in lists.
    pub name: &'static str,
    /// Name of the entry in menus.
    pub title: &'static str,
    /// True if the force has a potential energy. A force without one may add energy to the scene or
    /// remove it.
    pub potential: bool,
}

/// Scene of the library.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SceneRow {
    /// Name of the scene on the command line.
    pub name: &'static str,
    /// Name of the file in the folder `scenes/`.
    pub file: &'static str,
    /// Title of the scene.
    pub title: String,
    /// Motion or reading to watch in the scene.
    pub look_for: String,
}

/// Entries of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CatalogueRows {
    /// Published properties of every integrator.
    Integrators(Vec<Info>),
    /// Every constraint solver, contact method or stepping scheme.
    Methods(Vec<CatalogueEntry>),
    /// Every collider shape.
    Colliders(Vec<ShapeInfo>),
    /// Every force law: first the forces that a scene can list, then the forces that are always
    /// present (springs, bending and the mouse drag).
    Forces(Vec<ForceRow>),
    /// Every material to which scenes refer by its name.
    Materials(Vec<MaterialRow>),
    /// Every scene of the library.
    Scenes(Vec<SceneRow>),
}

/// Entries of several kinds, serialised as one object with a key for each kind.
#[derive(Clone, Copy, Debug)]
pub struct Catalogue<'a>(pub &'a [CatalogueKind]);

impl Serialize for Catalogue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|kind| (kind.name(), kind.rows())))
    }
}

fn forces() -> Vec<ForceRow> {
    let row = |law: &dyn ForceLaw| ForceRow {
        name: law.name(),
        title: law.title(),
        potential: law.has_potential(),
    };
    let hand = Grab {
        particle: 0,
        position: DVec3::ZERO,
        t: 0.0,
        velocity: DVec3::ZERO,
        stiffness: 1.0,
        damping: 1.0,
    };
    let always: [&dyn ForceLaw; 3] = [&Springs::default(), &Bending::default(), &hand];
    Force::all().map(|force| row(force.law())).chain(always.into_iter().map(row)).collect()
}

fn materials() -> Vec<MaterialRow> {
    let row = |real: &'static RealMaterial| MaterialRow {
        name: real.name(),
        title: &real.title,
        numbers: numbers_in_words(&real.material),
        source: &real.source,
    };
    real_materials::list().iter().map(row).collect()
}

/// Formats the properties of a material, e.g. `0.063 kg/m, EA 9800 N`.
fn numbers_in_words(material: &Material) -> String {
    let value = |number: Option<f64>, before: &str, unit: &str| {
        number.map(|number| format!("{before}{} {unit}", format_six_digits(number)))
    };
    let properties = match material {
        Material::Rope(rope) => [
            value(rope.mass_per_metre.map(f64::from), "", "kg/m"),
            value(rope.stiffness.map(f64::from), "EA ", "N"),
            value(rope.flexural_rigidity.map(f64::from), "EI ", "N·m²"),
            value(rope.tear_force.map(f64::from), "tears at ", "N"),
        ],
        Material::Cloth(cloth) => [
            value(cloth.areal_density.map(f64::from), "", "kg/m²"),
            value(cloth.stretch_stiffness.map(f64::from), "stretch ", "N/m"),
            value(cloth.shear_stiffness.map(f64::from), "shear ", "N/m"),
            value(cloth.flexural_rigidity.map(f64::from), "EI ", "N·m"),
        ],
    };
    properties.into_iter().flatten().join(", ")
}

fn scenes() -> Vec<SceneRow> {
    let row = |SceneEntry { name, file, title, look_for, .. }| SceneRow {
        name,
        file,
        title,
        look_for: look_for.split_whitespace().join(" "),
    };
    library::list().into_iter().map(row).collect()
}

impl CatalogueRows {
    /// Returns the rows as a table of text.
    pub fn to_table(&self) -> Table {
        match self {
            Self::Integrators(rows) => {
                let head = [
                    "Name",
                    "Order",
                    "Forces a step",
                    "Stable ωh",
                    "Symplectic",
                    "Reference",
                    "Verdict",
                ];
                let row = |info: &Info| {
                    [
                        info.name.to_owned(),
                        info.order.to_string(),
                        evaluations(info),
                        stability_limit(info.stability_limit),
                        yes_or_no(info.symplectic).to_owned(),
                        info.reference.to_owned(),
                        info.verdict.to_owned(),
                    ]
                };
                Table::new(head, rows.iter().map(row))
            }
            Self::Methods(rows) => {
                let row = |&CatalogueEntry { name, title, reference, verdict }: &_| {
                    [name, title, reference, verdict].map(str::to_owned)
                };
                Table::new(["Name", "Title", "Reference", "Verdict"], rows.iter().map(row))
            }
            Self::Colliders(rows) => {
                let row = |&ShapeInfo { name, title }: &_| [name, title].map(str::to_owned);
                Table::new(["Name", "Title"], rows.iter().map(row))
            }
            Self::Forces(rows) => {
                let row = |&ForceRow { name, title, potential }: &_| {
                    [name, title, yes_or_no(potential)].map(str::to_owned)
                };
                Table::new(["Name", "Title", "Potential energy"], rows.iter().map(row))
            }
            Self::Materials(rows) => {
                let row = |MaterialRow { name, title, numbers, source }: &_| {
                    [name, title, numbers.as_str(), source].map(str::to_owned)
                };
                Table::new(["Name", "Title", "Numbers", "Reference"], rows.iter().map(row))
            }
            Self::Scenes(rows) => {
                let row = |SceneRow { name, file: _, title, look_for }: &_| {
                    [name, title.as_str(), look_for].map(str::to_owned)
                };
                Table::new(["Name", "Title", "Look for"], rows.iter().map(row))
            }
        }
    }
}

fn yes_or_no(fact: bool) -> &'static str {
    if fact { "yes" } else { "no" }
}

/// Formats the number of force evaluations per step, or per iteration for an implicit integrator.
fn evaluations(info: &Info) -> String {
    if info.implicit {
        format!("{}/iteration", info.evaluations)
    } else {
        info.evaluations.to_string()
    }
}

/// Formats the largest stable ωh: `never` for 0, `always` for ∞.
fn stability_limit(limit: f64) -> String {
    if limit == 0.0 {
        "never".to_owned()
    } else if limit.is_infinite() {
        "always".to_owned()
    } else {
        without_zeros(format!("{limit:.4}"))
    }
}
