//! Generated scenes of ten kinds that are typical of games and films. Sizes, masses and stiffnesses
//! are drawn from a seed.

/// Pseudo-random numbers that are the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| {
            dice.between(0.0, 1.0);
        });
        dice
    }

    /// Returns a number between two bounds. If the bounds differ by more than a factor of 5, the
    /// logarithm of the number is distributed evenly.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        // xorshift64 (Marsaglia 2003).
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let share = (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        if low > 0.0 && high > 5.0 * low {
            low * (high / low).powf(share)
        } else {
            low + (high - low) * share
        }
    }

    pub fn whole(&mut self, low: u32, high: u32) -> u32 {
        self.between(f64::from(low), f64::from(high) + 0.999) as u32
    }
}

/// Name of a kind of scene, and the function that draws the bodies of such a scene.
pub type Kind = (&'static str, fn(&mut Dice) -> String);

pub const KINDS: [Kind; 10] = [
    ("grapple", grapple),
    ("cape", cape),
    ("bridge", bridge),
    ("trampoline", trampoline),
    ("jelly", jelly),
    ("hair", hair),
    ("mixture", mixture),
    ("towel", towel),
    ("penalty", penalty),
    ("spikes", vine),
];

/// A person swings on a rope that was shot at a ceiling.
fn grapple(dice: &mut Dice) -> String {
    let (segments, stiffness) = (dice.whole(5, 16), dice.between(2e3, 3e4));
    let (mass, speed) = (dice.between(20.0, 90.0), dice.between(1.0, 6.0));
    let damping = dice.between(2.0, 20.0);
    format!(
        "materials: [Rope(name: \"line\", mass_per_metre: 0.8, stiffness: {stiffness},
                          damping: {damping})],
         ropes: [(name: \"line\", from: (0, 8, 0), to: (3, 3, 0), segments: {segments},
                  material: \"line\")],
         masses: [(of: End(\"line\"), mass: {mass})],
         velocities: [(of: End(\"line\"), velocity: ({speed}, 0, 1))],
         pins: [(of: Start(\"line\"))]"
    )
}

/// A cape on shoulders that sway, in a gust.
fn cape(dice: &mut Dice) -> String {
    let (cells, stiffness) = (dice.whole(4, 8), dice.between(50.0, 600.0));
    let (wind, sway) = (dice.between(0.5, 6.0), dice.between(0.3, 1.5));
    let swing = format!("path: Swing(amplitude: (0.1, 0.03, 0), frequency: {sway})");
    format!(
        "materials: [Cloth(name: \"wool\", areal_density: 0.4, stretch_stiffness: {stiffness},
                           shear_stiffness: 30, bend_stiffness: 1, damping: 0.2)],
         cloths: [(name: \"cape\", corner: (-0.3, 1.5, 0), across: (0.6, 0, 0), down: (0, -1, -0.1),
                   cells: ({cells}, {cells}), material: \"wool\")],
         pins: [(of: Corner(\"cape\", TopLeft), {swing}), (of: Corner(\"cape\", TopRight), {swing})],
         forces: [(law: Gravity()), (law: LinearDrag(coefficient: 0.3)),
                  (law: FaceWind(velocity: (0.5, 0, {wind})), on: All)]"
    )
}

/// Planks on a rope between two posts.
fn bridge(dice: &mut Dice) -> String {
    let (segments, stiffness) = (dice.whole(8, 20), dice.between(1e3, 2e4));
    let (plank, walker) = (dice.between(0.5, 5.0), dice.between(10.0, 80.0));
    let node = segments / 3;
    format!(
        "materials: [Rope(name: \"hemp\", mass_per_metre: {plank}, stiffness: {stiffness},
                          damping: 3)],
         ropes: [(name: \"b\", from: (-3, 2, 0), to: (3, 2.2, 0), length: 6.4, segments: {segments},
                  material: \"hemp\")],
         masses: [(of: Node(\"b\", {node}), mass: {walker})],
         pins: [(of: Start(\"b\")), (of: End(\"b\"))]"
    )
}

/// A heavy person on a rubber sheet.
fn trampoline(dice: &mut Dice) -> String {
    let (cells, stiffness) = (dice.whole(4, 8), dice.between(30.0, 400.0));
    let (mass, speed) = (dice.between(0.3, 4.0), dice.between(0.0, 3.0));
    let middle = cells / 2;
    format!(
        "materials: [Cloth(name: \"rubber\", areal_density: 0.5, stretch_stiffness: {stiffness},
                           shear_stiffness: 10, bend_stiffness: 0, damping: 0.05)],
         cloths: [(name: \"sheet\", corner: (0, 1, 0), across: (1, 0, 0), down: (0, 0, 1),
                   cells: ({cells}, {cells}), material: \"rubber\")],
         masses: [(of: Knot(\"sheet\", {middle}, {middle}), mass: {mass})],
         velocities: [(of: Knot(\"sheet\", {middle}, {middle}), velocity: (0, -{speed}, 0))],
         pins: [(of: Edge(\"sheet\", Top)), (of: Edge(\"sheet\", Bottom))]"
    )
}

/// A block of particles with springs along edges and diagonals, held by one corner.
fn jelly(dice: &mut Dice) -> String {
    let (n, stiffness) = (3_i32, dice.between(50.0, 800.0));
    let damping = dice.between(0.02, 0.3);
    let number = |x: i32, y: i32, z: i32| (x * n + y) * n + z;
    let (mut particles, mut links) = (String::new(), String::new());
    for (x, y, z) in (0..n).flat_map(|x| (0..n).flat_map(move |y| (0..n).map(move |z| (x, y, z)))) {
        let at = [x, y, z].map(|k| 0.15 * f64::from(k));
        particles += &format!("(at: ({}, {}, {}), mass: 0.05), ", at[0], 1.0 + at[1], at[2]);
        for (dx, dy, dz) in
            [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)]
        {
            if [x + dx, y + dy, z + dz].iter().all(|k| *k < n) {
                let (a, b) = (number(x, y, z), number(x + dx, y + dy, z + dz));
                links += &format!(
                    "(a: Particle({a}), b: Particle({b}), stiffness: {stiffness}, damping: {damping}), "
                );
            }
        }
    }
    let corner = number(n - 1, n - 1, n - 1);
    format!("particles: [{particles}], links: [{links}], pins: [(of: Particle({corner}))]")
}

/// A strand that stands out of a scalp.
fn hair(dice: &mut Dice) -> String {
    let (segments, stiffness) = (dice.whole(6, 14), dice.between(5.0, 60.0));
    let (bend, drag) = (dice.between(5e-6, 8e-5), dice.between(0.2, 2.0));
    format!(
        "materials: [Rope(name: \"hair\", mass_per_metre: 0.002, stiffness: {stiffness},
                          damping: 0.0004, flexural_rigidity: {bend}, radius: 0.001)],
         ropes: [(name: \"h\", from: (0, 1.7, 0), to: (0.2, 1.66, 0), segments: {segments},
                  material: \"hair\")],
         pins: [(of: Node(\"h\", 0)), (of: Node(\"h\", 1))],
         forces: [(law: Gravity()), (law: LinearDrag(coefficient: {drag}))]"
    )
}

/// A rope whose light and heavy particles alternate, with mass ratios up to 1000 : 1.
fn mixture(dice: &mut Dice) -> String {
    let (segments, ratio) = (dice.whole(6, 12), dice.between(100.0, 1000.0));
    let stiffness = dice.between(200.0, 5e3);
    let heavy = (1..segments).step_by(3);
    let masses: Vec<_> =
        heavy.map(|node| format!("(of: Node(\"m\", {node}), mass: {})", 0.01 * ratio)).collect();
    format!(
        "materials: [Rope(name: \"cord\", mass_per_metre: 0.05, stiffness: {stiffness}, damping: 0.5)],
         ropes: [(name: \"m\", from: (0, 3, 0), to: (1.5, 2, 0.2), segments: {segments},
                  material: \"cord\")],
         masses: [{}], pins: [(of: Start(\"m\"))]",
        masses.join(", ")
    )
}

/// A towel that falls onto a floor, in folds.
fn towel(dice: &mut Dice) -> String {
    let (cells, stiffness) = (dice.whole(3, 5), dice.between(50.0, 400.0));
    let (tilt, height) = (dice.between(0.1, 0.4), dice.between(0.2, 0.8));
    format!(
        "materials: [Cloth(name: \"terry\", areal_density: 0.4, stretch_stiffness: {stiffness},
                           shear_stiffness: 20, bend_stiffness: 1, damping: 0.1)],
         cloths: [(name: \"towel\", corner: (-0.2, {height}, -0.2), across: (0.4, {tilt}, 0),
                   down: (0, 0.05, 0.4), cells: ({cells}, {cells}), material: \"terry\")],
         surfaces: [(of: All, radius: 0.004, itself: true)],
         colliders: [(shape: Plane(), surface: (friction: 0.4))]"
    )
}

/// A rope that falls onto a floor with penalty contact, i.e. contact by springs.
fn penalty(dice: &mut Dice) -> String {
    let (segments, stiffness) = (dice.whole(8, 20), dice.between(30.0, 300.0));
    let (one, other) = (dice.between(0.3, 1.0), dice.between(0.3, 1.5));
    format!(
        "materials: [Rope(name: \"rope\", mass_per_metre: 0.1, stiffness: {stiffness}, damping: 0.02)],
         ropes: [(name: \"rope\", from: (-1, {one}, 0), to: (1, {other}, 0), segments: {segments},
                  material: \"rope\")],
         colliders: [(shape: Plane(), surface: (friction: 0.5))]"
    )
}

/// A vine in a lane whose step is the frame; some frames are long.
fn vine(dice: &mut Dice) -> String {
    let (segments, stiffness) = (dice.whole(4, 10), dice.between(50.0, 2e3));
    format!(
        "materials: [Rope(name: \"vine\", mass_per_metre: 1, stiffness: {stiffness}, damping: 0.5)],
         ropes: [(name: \"vine\", from: (0, 2, 0), to: (0.6, 1.2, 0), segments: {segments},
                  material: \"vine\")],
         pins: [(of: Start(\"vine\"))]"
    )
}
