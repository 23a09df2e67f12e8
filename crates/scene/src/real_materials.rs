//! Properties of real ropes and cloths, which a scene can use by name, e.g. `climbing-rope`.

use super::ron_options::ron_options;
use super::typed::material_file::Material;
use serde::Deserialize;
use std::sync::LazyLock;

/// Real rope or cloth.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RealMaterial {
    /// Title that lists show.
    pub title: String,
    /// Sources of the values. The text also says which values were chosen without a source.
    pub source: String,
    /// Properties in the form of a scene file.
    pub material: Material,
}

impl RealMaterial {
    /// Returns the name that scene files use, e.g. `climbing-rope`.
    pub fn name(&self) -> &str {
        self.material.name()
    }
}

/// Returns all real materials.
pub fn list() -> &'static [RealMaterial] {
    static LIST: LazyLock<Vec<RealMaterial>> = LazyLock::new(|| {
        let read = ron_options().from_str(include_str!("../../../assets/materials.ron"));
        read.unwrap_or_else(|e| unreachable!("a test reads the list: {e}"))
    });
    &LIST
}

pub(super) fn find(name: &str) -> Option<&'static Material> {
    let found = list().iter().find(|real| real.name() == name);
    found.map(|real| &real.material)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    #[test]
    fn a_scene_takes_each_of_them_by_its_name() {
        for real in list() {
            let name = real.name();
            let body = match real.material {
                Material::Rope(_) => {
                    "ropes: [(from: (0, 0, 0), to: (1, 0, 0), material: \"NAME\")]"
                }
                Material::Cloth(_) => {
                    "cloths: [(corner: (0, 0, 0), across: (1, 0, 0), down: (0, 0, 1), cells: (4, 4),
                               material: \"NAME\")]"
                }
            };
            let text = format!("(version: 1, name: \"x\", {})", body.replace("NAME", name));
            let scene = Scene::parse(&text, name).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(Scene::parse(&scene.to_ron(), name), Ok(scene));
        }
        assert_eq!(list().iter().map(RealMaterial::name).count(), 10);
    }

    #[test]
    fn a_wire_has_the_stiffness_of_its_section() {
        let Some(Material::Rope(wire)) = find("steel-wire-1mm") else { panic!("it is there") };
        let (e, r) = (200e9, 0.5e-3f64);
        let numbers = [wire.stiffness, wire.mass_per_metre].map(|n| n.map_or(0.0, f64::from));
        let section = std::f64::consts::PI * r * r;
        assert!((numbers[0] / (e * section) - 1.0).abs() < 0.01, "{numbers:?}");
        assert!((numbers[1] / (7850.0 * section) - 1.0).abs() < 0.01, "{numbers:?}");
        let rigidity = wire.flexural_rigidity.map_or(0.0, f64::from);
        assert!((rigidity / (e * section * r * r / 4.0) - 1.0).abs() < 0.01, "{rigidity}");
    }
}
