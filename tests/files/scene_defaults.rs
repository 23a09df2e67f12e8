//! Defaults of the fields of a scene file, for `docs/scene-format.md`.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use ropelab::constraint::ConstraintSolver;
use ropelab::contact::ContactMethod;
use ropelab::force::Force;
use ropelab::integrate::Method;
use ropelab::mesh::{ClothMaterial, RopeMaterial};
use ropelab::scene::typed::contact_file::SurfaceFile;
use ropelab::scene::typed::file::SceneFile;
use ropelab::simulation::settings::Settings;
use ropelab::simulation::timing::stepper::Stepping;
use serde::Serialize;
use std::collections::BTreeMap;

/// Returns the defaults of omitted fields, by type and field.
pub fn defaults() -> BTreeMap<String, BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    let minimal = "(version: 1, name: \"\",
        particles: [(at: (0, 0, 0), ball: (radius: 1))],
        balls: [(at: (0, 0, 0))],
        colliders: [
            (shape: Plane()),
            (shape: Capsule(radius: 1, length: 1)),
            (shape: Cylinder(radius: 1, length: 1)),
        ],
        surfaces: [(of: All)],
        ropes: [(from: (0, 0, 0), to: (1, 0, 0))],
        cloths: [(corner: (0, 0, 0), across: (1, 0, 0), down: (0, 1, 0), cells: (1, 1))],
        links: [(a: All, b: All)],
        pins: [(of: All)],
        drawn_ropes: [(particles: [0, 1])],
        annotations: (trails: [(of: All)]),
    )";
    let file: SceneFile = ron_options().from_str(minimal).unwrap();
    let empty: SceneFile = ron_options().from_str("(version: 1, name: \"\")").unwrap();
    all.insert("ParticleFile".to_owned(), parse_fields(&to_ron(&file.particles[0])));
    all.insert("BallsFile".to_owned(), parse_fields(&to_ron(&file.balls[0])));
    all.insert("BallFile".to_owned(), parse_fields(&to_ron(&file.particles[0].ball)));
    all.insert("SurfaceFile".to_owned(), parse_fields(&to_ron(&SurfaceFile::default())));
    all.insert("ParticleSurfaceFile".to_owned(), parse_fields(&to_ron(&file.surfaces[0])));
    let surfaces = all.get_mut("ParticleSurfaceFile").unwrap();
    surfaces.insert("between".to_owned(), file.surfaces[0].between.to_string());
    all.insert("ColliderFile".to_owned(), parse_fields(&to_ron(&file.colliders[0])));
    all.insert("RopeFile".to_owned(), parse_fields(&to_ron(&file.ropes[0])));
    for end in ["from", "to"] {
        all.get_mut("RopeFile").unwrap().remove(end);
    }
    all.insert("LinkFile".to_owned(), parse_fields(&to_ron(&file.links[0])));
    all.insert("ForceFile".to_owned(), parse_fields(&to_ron(&file.forces[0])));
    all.insert("DrawnRope".to_owned(), parse_fields(&to_ron(&file.drawn_ropes[0])));
    all.insert("TrailFile".to_owned(), parse_fields(&to_ron(&file.annotations.trails[0])));
    all.insert("AnnotationsFile".to_owned(), parse_fields(&to_ron(&empty.annotations)));
    all.insert("SceneFile".to_owned(), parse_fields(&to_ron(&empty)));
    let settings = Settings::default();
    all.insert("SettingsFile".to_owned(), parse_fields(&to_ron(&settings)));
    all.insert("GuardsFile".to_owned(), parse_fields(&to_ron(&settings.guards)));
    for collider in &file.colliders {
        let shape = to_ron(&collider.shape);
        let (name, parameters) = shape.split_once('(').unwrap();
        all.insert(format!("ShapeFile::{name}"), parse_fields(&format!("({parameters}")));
    }
    let laws = Force::all().map(|law| to_ron(&law));
    let methods = Method::all().map(|method| to_ron(&method));
    let solvers = ConstraintSolver::all().map(|solver| to_ron(&solver));
    let schemes = Stepping::all().map(|scheme| to_ron(&scheme));
    let contacts = ContactMethod::all().map(|method| to_ron(&method));
    for text in laws.chain(methods).chain(solvers).chain(schemes).chain(contacts) {
        if let Some((name, rest)) = text.split_once('(') {
            all.insert(name.to_owned(), parse_fields(&format!("({rest}")));
        }
    }
    let RopeMaterial {
        mass_per_metre,
        stiffness,
        damping,
        bend_stiffness,
        flexural_rigidity,
        rigid,
        one_sided,
        radius,
    } = RopeMaterial::default();
    let rope = format!(
        "(mass_per_metre:{mass_per_metre},stiffness:{stiffness},damping:{damping},\
         bend_stiffness:{bend_stiffness},flexural_rigidity:{flexural_rigidity},\
         rigid:{rigid},one_sided:{one_sided},radius:{radius})"
    );
    all.insert("RopeMaterialFile".to_owned(), parse_fields(&rope));
    let ClothMaterial {
        areal_density,
        stretch_stiffness,
        shear_stiffness,
        bend_stiffness,
        flexural_rigidity,
        damping,
        rigid,
        one_sided,
    } = ClothMaterial::default();
    let cloth = format!(
        "(areal_density:{areal_density},stretch_stiffness:{stretch_stiffness},\
         shear_stiffness:{shear_stiffness},bend_stiffness:{bend_stiffness},\
         flexural_rigidity:{flexural_rigidity},damping:{damping},rigid:{rigid},one_sided:{one_sided})"
    );
    all.insert("ClothMaterialFile".to_owned(), parse_fields(&cloth));
    all
}

fn ron_options() -> ron::Options {
    use ron::extensions::Extensions;
    ron::Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES)
}

fn to_ron(value: &impl Serialize) -> String {
    ron_options().to_string(value).unwrap()
}

/// Parses `(a:1,b:(2,3))` into a: 1, b: (2, 3). Fields that are `None` or empty are left out.
fn parse_fields(text: &str) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    let inside = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or("");
    let (mut depth, mut start) = (0, 0);
    for (i, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                if let Some((name, value)) = inside[start..i].split_once(':')
                    && !["None", "[]", "()", "\"\""].contains(&value)
                    && !value.contains(":None")
                {
                    let value = value.replace(',', ", ").replace(':', ": ").replace("r#", "");
                    fields.insert(name.to_owned(), value);
                }
                start = i + 1;
            }
            _ => {}
        }
    }
    fields
}
