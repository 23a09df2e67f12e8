//! Scene files with explicit defaults: every value that a dial may change is written in the file.

use super::super::edit::first_free;
use super::super::real_materials;
use super::super::typed::file::{ForceFile, SceneFile};
use super::super::typed::located::Located;
use super::super::typed::material_file::{ClothMaterialFile, Material, RopeMaterialFile};
use super::super::typed::particles::Particles;
use super::friction;
use glam::DVec3;
use ropelab_core::force::{FaceWind, Force, Gravity, Wind};

impl SceneFile {
    /// Returns the same scene with explicit defaults. Every rope, net and cloth has a listed
    /// material, the forces include gravity and wind, and every body that can touch obstacles or
    /// balls has a surface.
    pub(crate) fn spelled_out(&self) -> Self {
        let mut file = self.clone();
        let Self { materials, ropes, nets, cloths, forces, .. } = &mut file;
        for rope in ropes.iter_mut() {
            let mut spelled = (**rope).clone();
            list_material(materials, &mut spelled.material, "rope", default_rope_material);
            rope.replace(spelled);
        }
        for net in nets {
            list_material(materials, &mut net.material, "rope", default_rope_material);
        }
        for cloth in cloths.iter_mut() {
            list_material(materials, &mut cloth.material, "cloth", |name| {
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
        let is_wind =
            |force: &ForceFile| matches!(&*force.law, Force::Wind(_) | Force::FaceWind(_));
        if !forces.iter().any(is_wind) {
            let law = Located::new(idle_wind(!cloths.is_empty()));
            forces.push(ForceFile { law, on: Located::new(Particles::All) });
        }
        friction::add_default_surfaces(&mut file);
        file
    }

    /// Removes the idle wind that [`Self::spelled_out`] adds, if its values are unchanged.
    pub(crate) fn drop_idle_wind(&mut self) {
        let last = self.forces.last();
        if last.is_some_and(|force| [true, false].map(idle_wind).contains(&*force.law)) {
            self.forces.pop();
        }
    }
}

/// Returns an idle wind, which has no effect. It acts on the faces of cloths or on particles.
fn idle_wind(on_faces: bool) -> Force {
    if on_faces {
        let still = FaceWind { velocity: DVec3::ZERO, air_density: 0.0, ..FaceWind::default() };
        Force::FaceWind(still)
    } else {
        Force::Wind(Wind { velocity: DVec3::ZERO, drag: 0.0, ..Wind::default() })
    }
}

fn default_rope_material(name: Located<String>) -> Material {
    Material::Rope(RopeMaterialFile { name, ..RopeMaterialFile::default() })
}

/// Adds the material of a body to the list if it is missing. A real material keeps its name. A body
/// without a material gets the default material, under an unused name that begins with `usual`.
fn list_material(
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
        let is_free = |name: &str| materials.iter().all(|it| it.name().as_str() != name);
        let name = Located::new(first_free(usual, is_free));
        materials.push(default(name.clone()));
        name
    });
    *of = Some(name);
}
