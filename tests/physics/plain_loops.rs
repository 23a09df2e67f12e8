//! Loops that `--code` prints move bodies as the laboratory does. `UPDATE=1` writes the Rust loops,
//! which are compiled here.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use glam::{DVec3, dvec3};
use ropelab::constraint::{ConstraintSolver, Direct, Relaxation, Root, SoftStep, Xpbd};
use ropelab::export::code::{Language, plain_loop};
use ropelab::integrate::{Method, PositionVerlet, VerletStart};
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::{LinkMode, Settings};
use ropelab::simulation::timing::stepper::Guard;

/// A rope of ten links that falls from the horizontal.
const ROPE: &str = r#"(
    version: 1,
    name: "rope",
    materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 100, damping: DAMPING)],
    ropes: [(name: "rope", from: (0, 0, 0), to: (1, 0, 0), segments: 10, material: "cord")],
    pins: [(of: Start("rope"))],
    forces: [(law: Gravity())],
)"#;

const GRAVITY: DVec3 = dvec3(0.0, -9.81, 0.0);
const STEPS: usize = 300;

macro_rules! generated {
    ($($name:ident: $file:literal),+ $(,)?) => {
        $(#[allow(clippy::needless_range_loop, clippy::unnecessary_cast, dead_code, missing_docs)]
        mod $name {
            include!(concat!("../golden/loops/", $file));

            impl From<ropelab::mesh::Link> for Link {
                fn from(link: ropelab::mesh::Link) -> Self {
                    let (a, b) = (link.a as usize, link.b as usize);
                    Self { a, b, rest: link.rest, stiffness: link.stiffness, damping: link.damping }
                }
            }
        })+
    };
}

generated! {
    explicit_euler: "explicit-euler.rs",
    symplectic_euler: "symplectic-euler.rs",
    velocity_verlet: "velocity-verlet.rs",
    position_verlet: "position-verlet.rs",
    proper_verlet: "proper-verlet.rs",
    rk4: "rk4.rs",
    damped: "damped.rs",
    midpoint: "midpoint.rs",
    heun: "heun.rs",
    leapfrog: "leapfrog.rs",
    beeman: "beeman.rs",
    relaxation: "relaxation.rs",
    verlet_relaxation: "verlet-relaxation.rs",
    root_free: "root-free.rs",
    xpbd: "xpbd.rs",
    direct: "direct.rs",
    soft_step: "soft-step.rs",
    soft_links: "soft-links.rs",
    tethers: "tethers.rs",
    tethered_springs: "tethered-springs.rs",
}

fn springs(integrator: Method) -> Settings {
    Settings { integrator, substeps: 2, ..Settings::default() }
}

fn projected(integrator: Method, constraints: ConstraintSolver) -> Settings {
    let links = LinkMode::Constraints;
    Settings { integrator, links, constraints, dt: 1.0 / 120.0, substeps: 4, ..Settings::default() }
}

fn verlet() -> Method {
    Method::PositionVerlet(PositionVerlet { start: VerletStart::Article, single: false })
}

/// Greatest distance in metres between the laboratory and a loop, which gets positions, velocities
/// or old positions, inverse masses, and the scene.
fn apart(
    settings: Settings,
    damping: f64,
    file: &str,
    run: impl Fn(&mut [DVec3], &mut [DVec3], &[f64], &Scene),
) -> f64 {
    let code = plain_loop(&settings, Language::Rust).unwrap();
    let path = format!("{}/tests/golden/loops/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE").is_some() {
        // If UPDATE is set, the new code is only written. The loops compiled into this test are
        // still the old ones, so a comparison would be wrong.
        std::fs::write(&path, &code).unwrap();
        return 0.0;
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), code, "{file}: UPDATE=1 writes it again");
    let text = ROPE.replace("DAMPING", &format!("{damping:?}"));
    let scene = Scene::parse(&text, "rope").unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::new(scene.parts.clone(), settings);
    let mut x = simulation.state().x.clone();
    let by_positions = matches!(settings.integrator, Method::PositionVerlet(_));
    let mut v = if by_positions { x.clone() } else { vec![DVec3::ZERO; x.len()] };
    let w = simulation.model().inverse_masses().to_vec();
    run(&mut x, &mut v, &w, &scene);
    (0..STEPS).for_each(|_| simulation.step(settings.dt));
    let pairs = x.iter().zip(&simulation.state().x);
    pairs.map(|(mine, its)| mine.distance(*its)).fold(0.0, f64::max)
}

macro_rules! apart {
    ($module:ident, $file:literal, $settings:expr, $damping:expr) => {{
        let distance = apart($settings, $damping, $file, |x, v, w, scene| {
            let links = scene.parts.mesh.links.iter();
            let links: Vec<$module::Link> = links.map(Into::into).collect();
            for _ in 0..STEPS {
                $module::step(x, v, w, &links, GRAVITY);
            }
        });
        assert!(distance < 1e-9, "{}: {distance:e} m apart", $file);
    }};
}

#[test]
fn loops_over_springs_move_as_the_laboratory_does() {
    apart!(explicit_euler, "explicit-euler.rs", springs(Method::ExplicitEuler), 0.3);
    apart!(symplectic_euler, "symplectic-euler.rs", springs(Method::SymplecticEuler), 0.3);
    apart!(velocity_verlet, "velocity-verlet.rs", springs(Method::VelocityVerlet), 0.0);
    apart!(rk4, "rk4.rs", springs(Method::Rk4), 0.3);
    apart!(midpoint, "midpoint.rs", springs(Method::Midpoint), 0.3);
    apart!(heun, "heun.rs", springs(Method::Heun), 0.3);
    apart!(leapfrog, "leapfrog.rs", springs(Method::Leapfrog), 0.3);
    let damped = Settings { stiffness_damping: 1e-4, ..springs(Method::SymplecticEuler) };
    apart!(damped, "damped.rs", damped, 0.3);
}

/// Loops that use the accelerations of the previous substep. Position Verlet needs them for the
/// velocity at the end of a step: backward differences alone were 0.14 mm apart on damped links.
#[test]
fn loops_that_remember_move_as_the_laboratory_does() {
    macro_rules! remembering {
        ($module:ident, $file:literal, $method:expr) => {{
            let distance = apart(springs($method), 0.3, $file, |x, v, w, scene| {
                let links = scene.parts.mesh.links.iter();
                let links: Vec<$module::Link> = links.map(Into::into).collect();
                let mut before = Vec::new();
                for _ in 0..STEPS {
                    $module::step(x, v, &mut before, w, &links, GRAVITY);
                }
            });
            assert!(distance < 1e-9, "{}: {distance:e} m apart", $file);
        }};
    }
    remembering!(beeman, "beeman.rs", Method::Beeman);
    remembering!(position_verlet, "position-verlet.rs", verlet());
}

/// The loop starts as its comment says: with old = x − v h + ½ a h² and the accelerations a, here
/// those of gravity.
#[test]
fn position_verlet_starts_as_its_comment_says() {
    let settings = springs(Method::PositionVerlet(PositionVerlet::default()));
    let h = settings.dt / f64::from(settings.substeps);
    let distance = apart(settings, 0.3, "proper-verlet.rs", |x, old, w, scene| {
        let links = scene.parts.mesh.links.iter();
        let links: Vec<proper_verlet::Link> = links.map(Into::into).collect();
        let gravity = |w: &f64| if *w > 0.0 { GRAVITY } else { DVec3::ZERO };
        let mut before: Vec<DVec3> = w.iter().map(gravity).collect();
        old.iter_mut().zip(&before).for_each(|(old, a)| *old += *a * (0.5 * h * h));
        for _ in 0..STEPS {
            proper_verlet::step(x, old, &mut before, w, &links, GRAVITY);
        }
    });
    assert!(distance < 1e-9, "{distance:e} m apart");
}

/// Links of 60 Hz, and links of their own stiffness and damping.
#[test]
fn loops_of_soft_step_move_as_the_laboratory_does() {
    macro_rules! soft {
        ($module:ident, $file:literal, $hertz:expr, $damping:expr) => {{
            let soft = SoftStep { iterations: 2, hertz: $hertz, ..SoftStep::default() };
            let settings = projected(Method::SymplecticEuler, ConstraintSolver::SoftStep(soft));
            let distance = apart(settings, $damping, $file, |x, v, w, scene| {
                let links = scene.parts.mesh.links.iter();
                let links: Vec<$module::Link> = links.map(Into::into).collect();
                let mut impulses = Vec::new();
                for _ in 0..STEPS {
                    $module::step(x, v, &mut impulses, w, &links, GRAVITY);
                }
            });
            assert!(distance < 1e-9, "{}: {distance:e} m apart", $file);
        }};
    }
    soft!(soft_step, "soft-step.rs", Some(60.0), 0.0);
    soft!(soft_links, "soft-links.rs", None, 0.3);
}

#[test]
fn loops_over_constraints_move_as_the_laboratory_does() {
    let relaxed = ConstraintSolver::Relaxation(Relaxation { iterations: 5, ..Default::default() });
    let compliant = ConstraintSolver::Xpbd(Xpbd { iterations: 3, ..Default::default() });
    apart!(relaxation, "relaxation.rs", projected(Method::SymplecticEuler, relaxed), 0.0);
    apart!(verlet_relaxation, "verlet-relaxation.rs", projected(verlet(), relaxed), 0.0);
    let root = Root::RootFree;
    let without_root =
        ConstraintSolver::Relaxation(Relaxation { iterations: 5, root, ..Default::default() });
    apart!(root_free, "root-free.rs", projected(Method::SymplecticEuler, without_root), 0.0);
    apart!(xpbd, "xpbd.rs", projected(Method::VelocityVerlet, compliant), 0.0);
    let at_once = ConstraintSolver::Direct(Direct::default());
    apart!(direct, "direct.rs", projected(Method::SymplecticEuler, at_once), 0.0);
}

#[test]
fn loops_with_tethers_move_as_the_laboratory_does() {
    const MULTIPLIER: f64 = 1.01;
    macro_rules! tethered {
        ($module:ident, $file:literal, $settings:expr, $damping:expr) => {{
            let settings = Settings { tethers: Guard::On(MULTIPLIER), ..$settings };
            let distance = apart(settings, $damping, $file, |x, v, w, scene| {
                let links = scene.parts.mesh.links.iter();
                let links: Vec<$module::Link> = links.map(Into::into).collect();
                let mut way = 0.0;
                let mut tethers = Vec::new();
                for link in &links {
                    way += link.rest;
                    let longest = MULTIPLIER * way;
                    tethers.push($module::Tether { particle: link.b, pin: 0, longest });
                }
                for _ in 0..STEPS {
                    $module::step(x, v, w, &links, &tethers, GRAVITY);
                }
            });
            assert!(distance < 1e-9, "{}: {distance:e} m apart", $file);
        }};
    }
    let compliant = ConstraintSolver::Xpbd(Xpbd { iterations: 3, ..Default::default() });
    tethered!(tethers, "tethers.rs", projected(Method::VelocityVerlet, compliant), 0.0);
    tethered!(tethered_springs, "tethered-springs.rs", springs(Method::SymplecticEuler), 0.3);
}
