//! *Dials*: parameters of a scene that the user can change while the scene runs. Dials exist for
//! gravity, wind, friction, and properties of the materials of ropes, nets and cloths.

mod dial;
mod friction;
mod spelled_out;

pub use dial::{Dial, DialKind};

use super::scene::Scene;
use super::typed::file::{SceneFile, SheetFile};
use super::typed::located::Located;
use super::typed::made_bodies::BodyPlace;
use super::typed::material_file::{ClothMaterialFile, Material, RopeMaterialFile};
use super::typed::particles::Particles;
use super::typed::rope_file::RopeFile;
use super::vary::VariableScene;
use dial::{DialPlace, dial_place};
use glam::DVec3;
use ropelab_core::force::{FaceWind, Force, Gravity, Wind};
use std::sync::Arc;

/// Dials of one material, or of the whole scene.
#[derive(Clone, Debug, PartialEq)]
pub struct DialGroup {
    /// Name of the material; `None` for the dials of the whole scene.
    pub material: Option<String>,
    /// Ropes, nets and cloths of the material.
    pub bodies: Vec<DialBody>,
    /// Dials, in display order.
    pub dials: Vec<Dial>,
}

/// Rope, net or cloth of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct DialBody {
    /// Name of the body. A body without a name is called by its kind and number, e.g. "rope 2".
    pub label: String,
    /// Position in the lists of the scene file.
    pub at: BodyPlace,
}

/// Returns all dials of a scene, with the values of its file.
pub fn dials_of(scene: &Scene) -> Vec<DialGroup> {
    let file = scene.file.spelled_out();
    let root = VariableScene::spelled_out(scene);
    let mut dials = Vec::new();
    let gravity = find_gravity(&file);
    dials.extend(gravity.map(|(path, g)| length_dial(DialKind::Gravity, &path, g, &root)));
    dials.extend(wind_dial(&file, &root));
    dials.extend(friction::shared_friction_dial(&file, &root));
    let mut groups = vec![DialGroup { material: None, bodies: Vec::new(), dials }];
    for (number, material) in file.materials.iter().enumerate() {
        let mut dials = match material {
            Material::Rope(rope) => rope_dials(&file, number, rope, &root),
            Material::Cloth(cloth) => cloth_dials(&file, number, cloth, &root),
        };
        if !dials.is_empty() {
            dials.extend(friction::material_friction_dial(&file, material.name(), &root));
            let name = material.name().as_str();
            let its = file.made_bodies().filter(|body| body.material == Some(name));
            let bodies = its.map(|body| DialBody { label: body.label(), at: body.at }).collect();
            groups.push(DialGroup { material: Some(name.to_owned()), bodies, dials });
        }
    }
    groups
}

/// Returns a scene with the values of `base`, and with the bodies, materials and dials of `now`.
/// `None` unless the two scenes differ only in bodies that got their own material.
pub fn with_bodies_of(base: &Arc<Scene>, now: &Scene) -> Option<Arc<Scene>> {
    if has_same_bodies(&base.file, &now.file) {
        return Some(base.clone());
    }
    let mut file = SceneFile::clone(&base.file);
    let there = now.file.spelled_out();
    for material in there.materials.get(file.spelled_out().materials.len()..)? {
        let name = material.name().as_str();
        let body = there.made_bodies().find(|body| body.material == Some(name))?;
        file = file.with_own_material(body.at).ok()?;
    }
    let is_fit = has_same_bodies(&file, &now.file);
    is_fit.then(|| file.check().ok().map(Arc::new)).flatten()
}

/// True if both scenes list the same ropes, nets, cloths, materials, surfaces, balls and obstacles.
fn has_same_bodies(one: &SceneFile, other: &SceneFile) -> bool {
    let [one, other] = [one.spelled_out(), other.spelled_out()];
    let counts = |file: &SceneFile| [file.balls.len(), file.colliders.len()];
    let materials = |file: &SceneFile| -> Vec<_> {
        file.materials.iter().map(|material| material.name().clone()).collect()
    };
    let surfaces = |file: &SceneFile| -> Vec<_> {
        file.surfaces.iter().map(|surface| surface.of.clone()).collect()
    };
    one.made_bodies().eq(other.made_bodies())
        && counts(&one) == counts(&other)
        && materials(&one) == materials(&other)
        && surfaces(&one) == surfaces(&other)
}

fn find_gravity(file: &SceneFile) -> Option<(String, DVec3)> {
    file.forces.iter().enumerate().find_map(|(i, force)| match (&*force.law, &*force.on) {
        (Force::Gravity(Gravity { g }), Particles::All) => Some((format!("forces[{i}].law.g"), *g)),
        _ => None,
    })
}

fn wind_dial(file: &SceneFile, root: &VariableScene) -> Option<Dial> {
    let winds = file.forces.iter().enumerate().filter_map(|(i, force)| match &*force.law {
        Force::Wind(wind) => Some((i, wind.velocity, switch_of_idle_wind(&force.law))),
        Force::FaceWind(wind) => Some((i, wind.velocity, switch_of_idle_wind(&force.law))),
        _ => None,
    });
    let mut dials = winds.map(|(i, u, switch)| {
        let mut dial = length_dial(DialKind::Wind, &format!("forces[{i}].law.velocity"), u, root);
        dial.places.extend(switch.map(|(field, on)| {
            let path = format!("forces[{i}].law.{field}");
            DialPlace { is_switch: true, ..dial_place(path, on, root) }
        }));
        dial
    });
    let mut first = dials.next()?;
    for other in dials {
        // One dial changes all winds, and the ratios of their speeds stay the same.
        let ratio = if first.own > 0.0 { other.own / first.own } else { 1.0 };
        let scaled =
            other.places.into_iter().map(|it| DialPlace { factor: it.factor * ratio, ..it });
        first.places.extend(scaled);
    }
    Some(first)
}

/// Returns the field that switches on an idle wind, and the value of this field when the wind
/// blows. A wind is idle if its velocity is 0 and its drag or air density is 0. `None` for other
/// forces.
fn switch_of_idle_wind(law: &Force) -> Option<(&'static str, f64)> {
    match law {
        Force::Wind(Wind { velocity, drag, .. }) if *velocity == DVec3::ZERO && *drag == 0.0 => {
            Some(("drag", Wind::default().drag))
        }
        Force::FaceWind(FaceWind { velocity, air_density, .. })
            if *velocity == DVec3::ZERO && *air_density == 0.0 =>
        {
            Some(("air_density", FaceWind::default().air_density))
        }
        _ => None,
    }
}

/// Returns a dial for the length of a vector. The vector keeps its direction.
fn length_dial(kind: DialKind, path: &str, vector: DVec3, root: &VariableScene) -> Dial {
    let usual = if kind == DialKind::Gravity { DVec3::NEG_Y } else { DVec3::X };
    let direction = vector.try_normalize().unwrap_or(usual).to_array();
    let own = vector.length();
    let axes = direction.into_iter().enumerate();
    let places = axes.map(|(axis, factor)| dial_place(format!("{path}[{axis}]"), factor, root));
    Dial { kind, own, range: [0.0, (2.0 * own).max(30.0)], places: places.collect() }
}

fn rope_dials(
    file: &SceneFile,
    number: usize,
    material: &RopeMaterialFile,
    root: &VariableScene,
) -> Vec<Dial> {
    let is_its = |rope: &Located<RopeFile>| is_named(&rope.material, &material.name);
    let ropes = file.ropes.iter().enumerate().filter(|(_, rope)| is_its(rope));
    let ropes: Vec<_> = ropes.map(|(i, rope)| (i, u32::from(*rope.segments))).collect();
    let nets = sheets_of(&file.nets, &material.name);
    if ropes.is_empty() && nets.is_empty() {
        return Vec::new();
    }
    let now = material.with_defaults();
    let dial = |kind, field: &str, own, usual| material_dial(kind, number, field, own, usual, root);
    let mut dials = vec![
        dial(DialKind::AxialStiffness, "stiffness", now.stiffness, [1.0, 1e6]),
        dial(DialKind::MassPerMetre, "mass_per_metre", now.mass_per_metre, [1e-3, 10.0]),
        dial(DialKind::AxialDamping, "damping", now.damping, [1e-3, 10.0]),
        dial(DialKind::RopeRigidity, "flexural_rigidity", now.flexural_rigidity, [1e-5, 1.0]),
    ];
    // If the scene's stiffness against bending is 0, ropes have no springs between second
    // neighbours, so a dial would change nothing.
    if now.bend_stiffness > 0.0 {
        let bend = now.bend_stiffness;
        dials.push(dial(DialKind::RopeBendStiffness, "bend_stiffness", bend, [1.0, 1e6]));
    }
    let first = ropes.first().map(|(_, segments)| *segments);
    if let Some(segments) = first.filter(|first| ropes.iter().all(|(_, it)| it == first)) {
        let places =
            ropes.iter().map(|(i, _)| dial_place(format!("ropes[{i}].segments"), 1.0, root));
        let range = [1.0, f64::from(segments.saturating_mul(4).max(40))];
        let (kind, own) = (DialKind::Segments, f64::from(segments));
        dials.push(Dial { kind, own, range, places: places.collect() });
    }
    dials.extend(cells_dial("nets", &nets, root));
    dials
}

fn cloth_dials(
    file: &SceneFile,
    number: usize,
    material: &ClothMaterialFile,
    root: &VariableScene,
) -> Vec<Dial> {
    let cloths = sheets_of(&file.cloths, &material.name);
    if cloths.is_empty() {
        return Vec::new();
    }
    let now = material.with_defaults();
    let dial = |kind, field: &str, own, usual| material_dial(kind, number, field, own, usual, root);
    let mut dials = vec![
        dial(DialKind::StretchStiffness, "stretch_stiffness", now.stretch_stiffness, [1.0, 1e6]),
        dial(DialKind::ArealDensity, "areal_density", now.areal_density, [1e-2, 10.0]),
        dial(DialKind::LinkDamping, "damping", now.damping, [1e-3, 10.0]),
        dial(DialKind::ClothRigidity, "flexural_rigidity", now.flexural_rigidity, [1e-6, 1e-1]),
    ];
    if now.shear_stiffness > 0.0 {
        let shear = now.shear_stiffness;
        dials.insert(1, dial(DialKind::ShearStiffness, "shear_stiffness", shear, [1.0, 1e6]));
    }
    if now.bend_stiffness > 0.0 {
        let bend = now.bend_stiffness;
        dials.push(dial(DialKind::ClothBendStiffness, "bend_stiffness", bend, [1.0, 1e6]));
    }
    dials.extend(cells_dial("cloths", &cloths, root));
    dials
}

fn is_named(material: &Option<Located<String>>, name: &str) -> bool {
    material.as_ref().is_some_and(|it| it.as_str() == name)
}

fn sheets_of<'a>(sheets: &'a [SheetFile], material: &str) -> Vec<(usize, &'a SheetFile)> {
    sheets.iter().enumerate().filter(|(_, it)| is_named(&it.material, material)).collect()
}

/// Returns a dial for the cells of a net or cloth; `None` unless exactly one net or cloth has the
/// material.
fn cells_dial(list: &str, sheets: &[(usize, &SheetFile)], root: &VariableScene) -> Option<Dial> {
    let [(i, sheet)] = sheets else { return None };
    let (across, down) = *sheet.cells;
    let (across, down) = (f64::from(u32::from(across)), f64::from(u32::from(down)));
    let places = [(0, 1.0), (1, down / across)]
        .map(|(side, factor)| dial_place(format!("{list}[{i}].cells[{side}]"), factor, root));
    let range = [1.0, (3.0 * across).max(20.0)];
    Some(Dial { kind: DialKind::Cells, own: across, range, places: places.into() })
}

/// Returns a dial for a parameter of a material. Its range is a hundredth to a hundred times the
/// value in the file, or `usual` if this value is 0.
fn material_dial(
    kind: DialKind,
    number: usize,
    field: &str,
    own: f64,
    usual: [f64; 2],
    root: &VariableScene,
) -> Dial {
    let range = if own > 0.0 { [own * 1e-2, own * 1e2] } else { usual };
    let places = vec![dial_place(format!("materials[{number}].{field}"), 1.0, root)];
    Dial { kind, own, range, places }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(scene: &Scene) -> Dial {
        let dials = dials_of(scene).into_iter().flat_map(|group| group.dials);
        dials.into_iter().find(|dial| dial.kind == DialKind::Segments).expect("segments")
    }

    #[test]
    fn a_rope_keeps_the_node_that_a_pin_names() {
        let scene = |pin: &str| {
            let text = format!(
                "(version: 1, name: \"x\", ropes: [(name: \"r\", from: (0, 0, 0), to: (1, 0, 0), \
                 segments: 20)], pins: [(of: {pin})])"
            );
            Scene::parse(&text, "x").unwrap_or_else(|e| panic!("{e}"))
        };
        let least = |pin: &str| {
            let scene = scene(pin);
            segments(&scene).least_valid_value(&VariableScene::spelled_out(&scene))
        };
        assert_eq!(least("End(\"r\")"), 1.0);
        assert_eq!(least("Node(\"r\", 7)"), 7.0);
        assert_eq!(least("Node(\"r\", 20)"), 20.0);
    }
}
