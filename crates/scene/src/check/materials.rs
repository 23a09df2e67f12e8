//! Materials of ropes and cloths. They are found by name, and fields that the file omits get
//! defaults.

use crate::error::unknown_name;
use crate::real_materials::{self, RealMaterial};
use crate::typed::located::{Fault, Located};
use crate::typed::material_file::{ClothMaterialFile, Material, RopeMaterialFile};
use ropelab_core::mesh::{ClothMaterial, RopeMaterial};
use ropelab_core::model::Strength;
use std::collections::BTreeMap;

/// Materials of a scene by name. A scene can also use real materials without listing them.
pub(super) struct Materials<'a>(BTreeMap<&'a str, &'a Material>);

impl<'a> Materials<'a> {
    pub(super) fn read(materials: &'a [Material]) -> Result<Self, Fault> {
        let mut named = BTreeMap::new();
        for material in materials {
            let name = material.name();
            if named.insert(name.as_str(), material).is_some() {
                return Err(name.fault(format!(
                    "found a second material named \"{}\", expected a new name",
                    **name
                )));
            }
        }
        Ok(Self(named))
    }

    pub(super) fn rope(&self, name: &Option<Located<String>>) -> Result<RopeMaterial, Fault> {
        let Some(name) = name else { return Ok(RopeMaterial::default()) };
        match self.find(name)? {
            Material::Rope(material) => Ok(material.with_defaults()),
            Material::Cloth(_) => Err(name
                .fault(format!("\"{}\" is a material for cloths, expected one for ropes", **name))),
        }
    }

    pub(super) fn cloth(&self, name: &Option<Located<String>>) -> Result<ClothMaterial, Fault> {
        let Some(name) = name else { return Ok(ClothMaterial::default()) };
        match self.find(name)? {
            Material::Cloth(material) => Ok(material.with_defaults()),
            Material::Rope(_) => Err(name
                .fault(format!("\"{}\" is a material for ropes, expected one for cloths", **name))),
        }
    }

    /// Returns the strength of links of this material; `None` = unbreakable.
    pub(super) fn strength(&self, name: &Option<Located<String>>) -> Option<Strength> {
        let material = self.find(name.as_ref()?).ok()?;
        let (strain, force) = match material {
            Material::Rope(rope) => (rope.tear_strain, rope.tear_force),
            Material::Cloth(cloth) => (cloth.tear_strain, cloth.tear_force),
        };
        let unbreakable = Strength::UNBREAKABLE;
        let strength = Strength {
            strain: strain.map_or(unbreakable.strain, f64::from),
            force: force.map_or(unbreakable.force, f64::from),
        };
        (strength != unbreakable).then_some(strength)
    }

    fn find(&self, name: &Located<String>) -> Result<&Material, Fault> {
        let Self(named) = self;
        let found = named.get(name.as_str()).copied().or_else(|| real_materials::find(name));
        let real = real_materials::list().iter().map(RealMaterial::name);
        let known = named.keys().copied().chain(real);
        found.ok_or_else(|| name.fault(unknown_name("material", name, known)))
    }
}

impl RopeMaterialFile {
    pub(crate) fn with_defaults(&self) -> RopeMaterial {
        let Self {
            name: _,
            mass_per_metre,
            stiffness,
            damping,
            bend_stiffness,
            flexural_rigidity,
            rigid,
            one_sided,
            radius,
            tear_strain: _,
            tear_force: _,
        } = self;
        let default = RopeMaterial::default();
        RopeMaterial {
            mass_per_metre: mass_per_metre.map_or(default.mass_per_metre, f64::from),
            stiffness: stiffness.map_or(default.stiffness, f64::from),
            damping: damping.map_or(default.damping, f64::from),
            bend_stiffness: bend_stiffness.map_or(default.bend_stiffness, f64::from),
            flexural_rigidity: flexural_rigidity.map_or(default.flexural_rigidity, f64::from),
            rigid: rigid.unwrap_or(default.rigid),
            one_sided: one_sided.unwrap_or(default.one_sided),
            radius: radius.map_or(default.radius, f64::from),
        }
    }
}

impl ClothMaterialFile {
    pub(crate) fn with_defaults(&self) -> ClothMaterial {
        let Self {
            name: _,
            areal_density,
            stretch_stiffness,
            shear_stiffness,
            bend_stiffness,
            flexural_rigidity,
            damping,
            rigid,
            one_sided,
            tear_strain: _,
            tear_force: _,
        } = self;
        let default = ClothMaterial::default();
        let default_bend_stiffness =
            if flexural_rigidity.is_some() { 0.0 } else { default.bend_stiffness };
        ClothMaterial {
            areal_density: areal_density.map_or(default.areal_density, f64::from),
            stretch_stiffness: stretch_stiffness.map_or(default.stretch_stiffness, f64::from),
            shear_stiffness: shear_stiffness.map_or(default.shear_stiffness, f64::from),
            bend_stiffness: bend_stiffness.map_or(default_bend_stiffness, f64::from),
            flexural_rigidity: flexural_rigidity.map_or(default.flexural_rigidity, f64::from),
            damping: damping.map_or(default.damping, f64::from),
            rigid: rigid.unwrap_or(default.rigid),
            one_sided: one_sided.unwrap_or(default.one_sided),
        }
    }
}
