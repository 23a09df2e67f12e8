//! Colliders made of triangles: a box of triangles acts like a box, and fast bodies do not pass
//! through.

use glam::DVec3;
use ropelab::numerics::random::Random;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;

/// Wavefront file of a cube of 0.4 m made of quads, centred at (0, 0.2, 0).
const CUBE: &str = "# a cube
v -0.2 0 -0.2
v 0.2 0 -0.2
v -0.2 0.4 -0.2
v 0.2 0.4 -0.2
v -0.2 0 0.2
v 0.2 0 0.2
v -0.2 0.4 0.2
v 0.2 0.4 0.2
f 1 5 7 3
f 2 4 8 6
f 1 2 6 5
f 3 7 8 4
f 1 3 4 2
f 5 6 8 7
";
const MESH: &str = "(shape: Mesh(file: \"cube.obj\"), at: (0, -0.2, 0), surface: (friction: 0.4))";
const BOX: &str = "(shape: Box(size: (0.4, 0.4, 0.4)), surface: (friction: 0.4))";

/// Returns a scene in a folder that contains the cube's file.
fn scene(parts: &str, collider: &str) -> Scene {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::write(home.path().join("cube.obj"), CUBE).expect("the cube is written");
    let text = format!(
        "(version: 1, name: \"x\", {parts}, colliders: [{collider}], settings: (dt: 0.002, \
         integrator: SymplecticEuler, links: Constraints, constraints: Xpbd()))"
    );
    let file = home.path().join("scene.ron");
    std::fs::write(&file, text).expect("the scene is written");
    Scene::load(&file).unwrap_or_else(|error| panic!("{error}"))
}

fn simulation(scene: &Scene) -> Simulation {
    Simulation::new(scene.parts.clone(), scene.lanes[0].settings)
}

const FALLING: [&str; 4] = [
    "balls: [(at: (0.05, 0.4, 0.02), radius: 0.1), (at: (-0.22, 0.5, 0), radius: 0.05)]",
    "particles: [(at: (0.1, 0.3, 0.05))]",
    "ropes: [(from: (-0.5, 0.3, 0.02), to: (0.5, 0.3, 0.02), segments: 3)]",
    "cloths: [(corner: (-0.5, 0.25, -0.5), across: (1, 0.02, 0), down: (0, 0.01, 1), cells: (3, 3), \
      material: \"linen\")], materials: [Cloth(name: \"linen\", rigid: true, one_sided: true)]",
];

#[test]
fn a_box_out_of_triangles_is_touched_as_a_box_is() {
    for parts in FALLING {
        let mut both = [MESH, BOX].map(|collider| simulation(&scene(parts, collider)));
        for step in 0..400 {
            both.iter_mut().for_each(|one| one.step(0.002));
            let [mesh, cuboid] = &both;
            // Rounding decides on which of its corners a flat triangle rests.
            let tolerance = if parts.starts_with("cloths") { 5e-3 } else { 1e-6 };
            for (a, b) in mesh.state().x.iter().zip(&cuboid.state().x) {
                assert!(a.distance(*b) < tolerance, "{parts}, step {step}: {a} {b}");
            }
        }
        // The overlap includes links and triangles, which sweeps keep outside less exactly than
        // particles.
        assert!(both[0].contact().deepest_overlap < 2e-4, "{:?}", both[0].contact());
    }
}

#[test]
fn fast_balls_and_particles_do_not_pass_a_mesh() {
    let mut random = Random::new(5);
    let mut bodies = [String::new(), String::new()];
    let (mut count, mut starts) = (0, Vec::new());
    while count < 100 {
        let aim = random.point(0.15);
        let way = random.point(1.0).normalize_or(DVec3::Y);
        let (at, v) = (aim - way, way * random.between(20.0, 220.0));
        let place = format!("at: ({}, {}, {})", at.x, at.y, at.z);
        let velocity = format!("velocity: ({}, {}, {})", v.x, v.y, v.z);
        bodies[0] += &format!("({place}, {velocity}), ");
        bodies[1] += &format!("({place}, {velocity}, radius: 0.01, layer: \"shot\"), ");
        starts.push((at, v));
        count += 1;
    }
    let parts = format!(
        "particles: [{}], balls: [{}], forces: [], no_contact: [(\"shot\", \"shot\")]",
        bodies[0], bodies[1]
    );
    let scene = scene(&parts, MESH);
    let mut shot = simulation(&scene);
    let shape = scene.parts.contact.colliders[0].shape.clone();
    for _ in 0..100 {
        let before = shot.state().x.clone();
        shot.step(0.002);
        for (i, (from, to)) in before.iter().zip(&shot.state().x).enumerate() {
            let radius = if i < 100 { 0.0 } else { 0.01 };
            let gap = shape.distance(*to).0 - radius;
            assert!(gap > -1e-9, "{i}: {gap} m inside");
            // No particle passes through the body within one step.
            let middle = 0.5 * (*from + *to);
            let passed = from.dot(*to) < 0.0 && shape.distance(middle).0 < -0.1;
            assert!(!passed, "{i}: from {from} to {to}");
        }
    }
}

#[test]
fn an_exported_scene_has_its_mesh_in_it() {
    let scene = scene(FALLING[1], MESH);
    let text = scene.to_ron();
    assert!(!text.contains("cube.obj"), "{text}");
    let again =
        Scene::parse(&text, "elsewhere/scene.ron").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.parts, scene.parts);
}

#[test]
fn what_is_recorded_needs_no_file() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("scene.ron");
    std::fs::write(home.path().join("cube.obj"), CUBE).expect("the cube is written");
    let text = format!("(version: 1, name: \"x\", {}, colliders: [{MESH}])", FALLING[1]);
    std::fs::write(&file, text).expect("the scene is written");
    let loaded = Scene::load_with_text(&file);
    let (scene, text, meshes) = loaded.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(meshes, [home.path().join("cube.obj")]);
    drop(home);
    let again = Scene::parse(&text, "scene.ron").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.parts, scene.parts);
}

#[test]
fn a_mesh_that_is_none_is_refused_where_it_is_named() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("scene.ron").display().to_string();
    let refused = |shape: &str| {
        let text = format!(
            "(version: 1, name: \"x\", particles: [(at: (0, 9, 0))],\n colliders: [(shape: {shape})])"
        );
        Scene::parse(&text, &file).expect_err("refused").to_string().replace(&file, "scene.ron")
    };
    let obj = |text: &str| {
        std::fs::write(home.path().join("x.obj"), text).expect("a file");
        refused("Mesh(file: \"x.obj\")")
    };
    let missing = refused("Mesh(file: \"y.obj\")");
    assert!(missing.starts_with("scene.ron:2:"), "{missing}");
    assert!(missing.ends_with("y.obj: there is no such file"), "{missing}");
    assert!(refused("Mesh(file: \".\")").ends_with("this is a folder"));
    assert!(obj("").contains("x.obj: found no points, expected a Wavefront OBJ file"));
    assert!(
        obj("v 0 0 x")
            .ends_with("x.obj: line 1: found \"x\", expected a finite number of at most 1e15")
    );
    let open = obj(&CUBE.replace("f 5 6 8 7\n", ""));
    assert!(open.contains("expected one in each: a closed surface"), "{open}");
    let dented = obj(&CUBE.replace("v 0.2 0.4 0.2", "v 0.1 0.3 0.1"));
    assert!(dented.ends_with("make one collider of each convex part"), "{dented}");
    let flat = obj(&CUBE.replace("v 0.2 0.4 0.2", "v -0.2 0.4 0.2"));
    assert!(flat.contains("has no area"), "{flat}");
    assert!(refused("Mesh()").ends_with("found 0 points, expected 4 to 2000"));
    let both = refused("Mesh(file: \"x.obj\", points: [(0, 0, 0)])");
    assert!(
        both.ends_with("found both a `file` and points or triangles, expected one of them"),
        "{both}"
    );
    // A file that is too large for the memory is not read.
    std::fs::write(home.path().join("x.obj"), vec![b'#'; (16 << 20) + 1]).expect("a file");
    let huge = refused("Mesh(file: \"x.obj\")");
    assert!(huge.ends_with("the file is longer than 16 MiB"), "{huge}");
}
