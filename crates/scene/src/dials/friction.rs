//! Dials for friction: a factor for balls and obstacles, and a coefficient for each material.

use super::super::typed::contact_file::{ParticleSurfaceFile, SurfaceFile};
use super::super::typed::file::SceneFile;
use super::super::typed::located::Located;
use super::super::typed::material_file::Material;
use super::super::typed::particles::Particles;
use super::super::vary::VariableScene;
use super::dial::{Dial, DialKind, DialPlace, dial_place};

/// Upper end of the usual range of friction coefficients. Rubber on dry concrete has about 1.
const USUAL_LIMIT: f64 = 1.5;

/// Returns a dial that scales all friction coefficients of obstacles and balls, and of surfaces
/// that several materials share. `None` if all these coefficients are 0.
pub(super) fn shared_friction_dial(file: &SceneFile, root: &VariableScene) -> Option<Dial> {
    let is_shared = |number: &usize| material_of(file, &file.surfaces[*number].of).is_none();
    let shared = (0..file.surfaces.len()).filter(is_shared).map(|i| surface_path("surfaces", i));
    let colliders = (0..file.colliders.len()).map(|i| surface_path("colliders", i));
    let balls = (0..file.balls.len()).map(|i| surface_path("balls", i));
    let surfaces = shared.chain(colliders).chain(balls);
    let places: Vec<_> = surfaces.flat_map(|path| coefficient_places(&path, root)).collect();
    let has_friction = places.iter().any(|place| place.factor > 0.0);
    has_friction.then_some(Dial { kind: DialKind::Friction, own: 1.0, range: [0.0, 3.0], places })
}

/// Returns a dial for the friction coefficients of all bodies of a material. If the coefficients
/// differ, they keep their ratios to the first one. `None` if the material has no surface.
pub(super) fn material_friction_dial(
    file: &SceneFile,
    name: &str,
    root: &VariableScene,
) -> Option<Dial> {
    let is_its = |number: &usize| {
        material_of(file, &file.surfaces[*number].of).is_some_and(|material| material == name)
    };
    let its = (0..file.surfaces.len()).filter(is_its).map(|i| surface_path("surfaces", i));
    let its: Vec<_> = its.flat_map(|path| coefficient_places(&path, root)).collect();
    let own = its.first()?.factor;
    // Constant ratios keep the static coefficient above the kinetic one.
    let places: Vec<_> = if own > 0.0 {
        its.into_iter().map(|it| DialPlace { factor: it.factor / own, ..it }).collect()
    } else {
        let is_zero = its.iter().all(|place| place.factor == 0.0);
        is_zero.then(|| its.into_iter().map(|it| DialPlace { factor: 1.0, ..it }).collect())?
    };
    let range = [0.0, USUAL_LIMIT.max(3.0 * own)];
    Some(Dial { kind: DialKind::SurfaceFriction, own, range, places })
}

fn surface_path(list: &str, number: usize) -> String {
    format!("{list}[{number}].surface")
}

/// Returns the places of the kinetic and the static coefficient of a surface. The factor of each
/// place is the coefficient in the scene file.
fn coefficient_places(surface: &str, root: &VariableScene) -> Vec<DialPlace> {
    let paths = ["friction", "static_friction"].map(|field| format!("{surface}.{field}"));
    let coefficients = paths.into_iter().filter_map(|it| Some((root.number(&it).ok()??, it)));
    coefficients.map(|(factor, path)| dial_place(path, factor, root)).collect()
}

/// Returns the material of the bodies in a selection; `None` unless they all have the same one.
fn material_of<'a>(file: &'a SceneFile, of: &Particles) -> Option<&'a str> {
    let mut materials = Vec::new();
    collect_materials(file, of, &mut materials);
    let first = materials.first().copied().flatten()?;
    materials.iter().all(|it| *it == Some(first)).then_some(first)
}

/// Appends the material of each body in a selection; `None` for bodies without a material.
fn collect_materials<'a>(file: &'a SceneFile, of: &Particles, into: &mut Vec<Option<&'a str>>) {
    match of {
        Particles::All => {
            into.extend(file.made_bodies().map(|body| body.material));
            into.extend(file.particles.iter().map(|_| None));
        }
        Particles::Any(list) => list.iter().for_each(|of| collect_materials(file, of, into)),
        one => {
            let mut named =
                file.made_bodies().filter(|it| it.name.is_some() && it.name == one.body());
            into.push(named.next().and_then(|it| it.material));
        }
    }
}

/// Adds the default surface for each material whose bodies have no surface, so that their friction
/// gets a dial. The physics does not change. No surfaces are added to a scene without balls and
/// obstacles, because nothing can rub. None are added to a scene with tied ropes either, because
/// the shared particle would get the surface of the other body.
pub(super) fn add_default_surfaces(file: &mut SceneFile) {
    let is_tied = file.ropes.iter().any(|it| it.tie_from.is_some() || it.tie_to.is_some());
    if is_tied || file.balls.is_empty() && file.colliders.is_empty() {
        return;
    }
    let mut covered = Vec::new();
    for surface in &file.surfaces {
        collect_materials(file, &surface.of, &mut covered);
    }
    let materials = file.materials.iter().map(Material::name);
    let free = materials.filter(|name| !covered.contains(&Some(name.as_str())));
    let selections = free.filter_map(|name| select_bodies(file, name));
    let surfaces = selections.map(|of| ParticleSurfaceFile {
        of: Located::new(of),
        radius: None,
        between: true,
        itself: false,
        surface: Located::new(SurfaceFile::default()),
    });
    let surfaces: Vec<_> = surfaces.collect();
    file.surfaces.extend(surfaces);
}

/// Returns a selection of all bodies of a material; `None` if one of them has no name.
fn select_bodies(file: &SceneFile, material: &str) -> Option<Particles> {
    let its = file.made_bodies().filter(|it| it.material == Some(material));
    let names: Option<Vec<_>> = its.map(|it| Some(Particles::Body(it.name?.to_owned()))).collect();
    names.filter(|names| !names.is_empty()).map(|mut names| match names.len() {
        1 => names.remove(0),
        _ => Particles::Any(names),
    })
}
