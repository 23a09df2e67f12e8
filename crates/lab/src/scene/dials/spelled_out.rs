//! Scene files with explicit defaults, so that every number that a dial may change stands there.

use super::super::real_materials;
use super::super::typed::file::{ForceFile, SceneFile};
use super::super::typed::located::Located;
use super::super::typed::material_file::{ClothMaterialFile, Material, RopeMaterialFile};
use super::super::typed::particles::Particles;
use super::friction;
use crate::force::{Force, Gravity};
use glam::DVec3;

impl SceneFile {
    /// Returns the same scene with explicit defaults: every material that a rope, net or cloth uses
    /// is described, gravity is among the forces, and what touches obstacles or balls has a
    /// surface.
    pub(in crate::scene) fn spelled_out(&self) -> Self {
        let mut file = self.clone();
        let Self { materials, ropes, nets, cloths, forces, .. } = &mut file;
        for rope in ropes.iter_mut() {
            let mut spelled = (**rope).clone();
            describe(materials, &mut spelled.material, "rope", rope_of_default);
            rope.replace(spelled);
        }
        for net in nets {
            describe(materials, &mut net.material, "rope", rope_of_default);
        }
        for cloth in cloths {
            describe(materials, &mut cloth.material, "cloth", |name| {
                Material::Cloth(ClothMaterialFile { name, ..ClothMaterialFile::default() })
            });
        }
        let is_gravity = |force: &ForceFile| {
            matches!((&*force.law, &*force.on), (Force::Gravity(_), Particles::All))
        };
        if !forces.iter().any(is_gravity) {
            let law = Located::new(Force::Gravity(Gravity { g: DVec3::ZERO }));
            forces.push(ForceFile { law, on: Located::new(Particles::All) });
        }
        friction::add_surfaces(&mut file);
        file
    }
}

fn rope_of_default(name: Located<String>) -> Material {
    Material::Rope(RopeMaterialFile { name, ..RopeMaterialFile::default() })
}

/// Adds the material of a body to the list if it is missing: a real material under its own name, or
/// the default under a free name.
fn describe(
    materials: &mut Vec<Material>,
    of: &mut Option<Located<String>>,
    usual: &str,
    default: impl Fn(Located<String>) -> Material,
) {
    if let Some(name) = of {
        if !materials.iter().any(|it| **it.name() == **name) {
            materials.extend(real_materials::find(name).cloned());
        }
        return;
    }
    let is_default = |it: &&Material| **it == default(it.name().clone());
    let known = materials.iter().find(is_default).map(|it| it.name().clone());
    let name = known.unwrap_or_else(|| {
        let is_free = |name: &String| !materials.iter().any(|it| **it.name() == *name);
        let mut names =
            (1..).map(|n| if n == 1 { usual.to_owned() } else { format!("{usual} {n}") });
        let name = Located::new(names.find(is_free).unwrap_or_default());
        materials.push(default(name.clone()));
        name
    });
    *of = Some(name);
}
