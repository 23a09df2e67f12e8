//! Random scenes: small scenes of the library, and generated scenes with ropes, cloths, balls,
//! rings, colliders and wind.

use crate::numerics::random::Random;
use crate::scene::{Scene, library};
use std::f64::consts::TAU;

/// Largest number of particles in a scene that is taken from the library.
const MOST_PARTICLES: usize = 250;

pub(super) struct ChosenScene {
    pub file: String,
    pub text: String,
    /// Number of particles in each of two linked closed ropes, which are the first particles of the
    /// scene. `None` if the scene has no linked rings.
    pub rings: Option<usize>,
}

pub(super) fn random_scene(random: &mut Random) -> ChosenScene {
    match random.below(10) {
        0..3 => from_library(random),
        3 => linked_rings(random),
        _ => made_up(random),
    }
}

fn from_library(random: &mut Random) -> ChosenScene {
    loop {
        let entry = random.pick(&library::list());
        let text = entry.text();
        let is_small = |scene: Scene| {
            scene.parts.mesh.positions.len() <= MOST_PARTICLES && !scene.lanes.is_empty()
        };
        if Scene::parse(text, entry.name).is_ok_and(is_small) {
            let rings = (entry.name == "linked-rings").then_some(20);
            return ChosenScene { file: entry.name.to_owned(), text: text.to_owned(), rings };
        }
    }
}

/// Returns a scene of two linked rings: the second passes through the middle of the first.
fn linked_rings(random: &mut Random) -> ChosenScene {
    let count = 8 + random.below(12);
    let radius = random.between(0.1, 0.5);
    let (rigid, friction) = (random.chance(0.6), random.between(0.0, 1.0));
    let (mut particles, mut links) = (String::new(), String::new());
    for ring in 0..2 {
        for i in 0..count {
            let (sine, cosine) = (TAU * i as f64 / count as f64).sin_cos();
            let [a, b] = [sine, cosine].map(|part| radius * part);
            let at = if ring == 0 {
                format!("({a}, {}, 0)", 1.0 + b)
            } else {
                format!("(0, {}, {b})", 1.0 - radius + a)
            };
            let (first, second) = (ring * count + i, ring * count + (i + 1) % count);
            particles += &format!("(at: {at}, mass: 0.01), ");
            let hold = if rigid { "rigid: true" } else { "stiffness: 500, damping: 0.05" };
            links += &format!("(a: Particle({first}), b: Particle({second}), {hold}), ");
        }
    }
    let ring = |first: usize| {
        let mut numbers: Vec<String> = (first..first + count).map(|i| i.to_string()).collect();
        numbers.push(first.to_string());
        format!("(particles: [{}], radius: {})", numbers.join(", "), radius * 0.06)
    };
    let text = format!(
        "(version: 1, name: \"rings\", particles: [{particles}], links: [{links}],
          drawn_ropes: [{}, {}], surfaces: [(of: All, itself: true, surface: (friction: {friction}))],
          pins: [(of: Particle(0))],
          forces: [(law: Gravity()), (law: LinearDrag(coefficient: 0.2))],
          settings: (integrator: SymplecticEuler, constraints: Xpbd(iterations: 2), substeps: 8,
              dt: 0.008333333333333333))",
        ring(0),
        ring(count),
    );
    ChosenScene { file: "rings.ron".to_owned(), text, rings: Some(count) }
}

fn made_up(random: &mut Random) -> ChosenScene {
    let (mut materials, mut ropes, mut cloths, mut pins) =
        <(String, String, String, String)>::default();
    for number in 0..=random.below(2) {
        let stiffness = random.magnitude(5.0, 5e4);
        let damping = random.magnitude(1e-3, 1.0);
        let bending = if random.chance(0.3) { random.magnitude(1e-5, 1e-2) } else { 0.0 };
        let tear = if random.chance(0.2) { "tear_strain: 0.3, " } else { "" };
        let name = format!("{number}");
        if random.chance(0.6) {
            let from = vector(random, 0.5);
            let (to, segments) = (vector(random, 1.0), 1 + random.below(24));
            materials += &format!(
                "Rope(name: \"{name}\", mass_per_metre: 0.1, stiffness: {stiffness}, {tear}\
                 damping: {damping}, flexural_rigidity: {bending}), "
            );
            ropes += &format!(
                "(name: \"{name}\", from: {from}, to: {to}, segments: {segments}, material: \"{name}\"), "
            );
            pins += &format!("(of: Start(\"{name}\"){}), ", path(random));
        } else {
            let [columns, rows] = [1 + random.below(7), 1 + random.below(7)];
            materials += &format!(
                "Cloth(name: \"{name}\", areal_density: 0.3, stretch_stiffness: {stiffness}, {tear}\
                 damping: {damping}), "
            );
            cloths += &format!(
                "(name: \"{name}\", corner: {}, across: (0.8, {}, 0), down: (0, -0.1, 0.7), \
                 cells: ({columns}, {rows}), material: \"{name}\"), ",
                vector(random, 0.5),
                random.between(-0.3, 0.3),
            );
            pins += &format!("(of: Corner(\"{name}\", TopLeft){}), ", path(random));
        }
    }
    if random.chance(0.2) {
        pins.clear();
    }
    let (balls, colliders, laws) = (balls(random), colliders(random), laws(random));
    let surfaces = surfaces(random);
    let text = format!(
        "(version: 1, name: \"made up\", materials: [{materials}], ropes: [{ropes}], \
         cloths: [{cloths}], balls: [{balls}], colliders: [{colliders}], pins: [{pins}], \
         forces: [{laws}], surfaces: [{surfaces}])"
    );
    ChosenScene { file: "made-up.ron".to_owned(), text, rings: None }
}

fn vector(random: &mut Random, size: f64) -> String {
    let [x, y, z] = random.point(size).to_array();
    format!("({x}, {y}, {z})")
}

fn path(random: &mut Random) -> String {
    if random.chance(0.7) {
        return String::new();
    }
    let (amplitude, frequency) = (vector(random, 0.3), random.between(0.2, 3.0));
    format!(", path: Swing(amplitude: {amplitude}, frequency: {frequency})")
}

fn balls(random: &mut Random) -> String {
    let one = |random: &mut Random| {
        let (at, velocity) = (vector(random, 1.0), vector(random, 4.0));
        let (radius, mass) = (random.between(0.02, 0.15), random.magnitude(0.01, 2.0));
        format!("(at: {at}, velocity: {velocity}, radius: {radius}, mass: {mass}), ")
    };
    (0..random.below(3)).map(|_| one(random)).collect()
}

fn colliders(random: &mut Random) -> String {
    let one = |random: &mut Random| {
        let (a, b) = (random.between(0.1, 0.4), random.between(0.1, 0.8));
        let shape = match random.below(5) {
            0 => return "(shape: Plane(), at: (0, -1, 0)), ".to_owned(),
            1 => format!("Sphere(radius: {a})"),
            2 => format!("Capsule(radius: {a}, length: {b})"),
            3 => format!("Box(size: ({a}, {b}, {a}))"),
            _ => format!("Cylinder(radius: {a}, length: {b})"),
        };
        let (at, friction, path) = (vector(random, 1.0), random.between(0.0, 1.0), path(random));
        format!("(shape: {shape}, at: {at}, surface: (friction: {friction}){path}), ")
    };
    (0..random.below(3)).map(|_| one(random)).collect()
}

fn laws(random: &mut Random) -> String {
    let mut laws = String::new();
    if random.chance(0.9) {
        laws += "(law: Gravity()), ";
    }
    if random.chance(0.5) {
        laws += &format!("(law: LinearDrag(coefficient: {})), ", random.magnitude(0.01, 5.0));
    }
    if random.chance(0.2) {
        laws += &format!("(law: QuadraticDrag(coefficient: {})), ", random.magnitude(0.001, 0.5));
    }
    if random.chance(0.3) {
        laws += &format!("(law: Wind(drag: {})), ", random.magnitude(0.001, 0.1));
    }
    laws
}

fn surfaces(random: &mut Random) -> String {
    if random.chance(0.5) {
        return String::new();
    }
    let (itself, between) = (random.chance(0.5), random.chance(0.5));
    let (radius, friction) = (random.between(0.002, 0.02), random.between(0.0, 1.0));
    format!(
        "(of: All, radius: {radius}, itself: {itself}, between: {between}, surface: (friction: {friction}))"
    )
}
