//! Stiffness damping in the settings gives the same motion as the same damping in the material.

use crate::support::{lane, run_steps};
use ropelab::integrate::Method;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

/// A rope of eight links of 0.1 m with k = 500 N/m that falls from the horizontal.
fn rope(damping: f64) -> Scene {
    let text = format!(
        r#"(version: 1, name: "rope", forces: [(law: Gravity())],
        materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 50, damping: {damping:?})],
        ropes: [(name: "rope", from: (0, 0, 0), to: (0.8, 0, 0), segments: 8, material: "cord")],
        pins: [(of: Start("rope"))])"#
    );
    Scene::parse(&text, "rope").unwrap_or_else(|e| panic!("{e}"))
}

const BETA: f64 = 1.0 / 1024.0;

fn damped(settings: Settings) -> Settings {
    Settings { stiffness_damping: BETA, ..settings }
}

#[test]
fn a_lane_with_damping_moves_as_one_whose_links_are_typed_with_it() {
    let links = rope(0.25).parts.mesh.links.clone();
    let (own, stiffness) = (links.at(0).damping, links.at(0).stiffness);
    // Damping coefficient of the material that gives the links this damping: material damping
    // divided by a link's length, as for the stiffness.
    let typed = rope(0.25 * (own + BETA * stiffness) / own);
    let xpbd = ropelab::constraint::ConstraintSolver::Xpbd(Default::default());
    let held = ropelab::simulation::settings::LinkMode::Constraints;
    let base = Settings::default();
    for settings in [
        base,
        Settings { integrator: Method::Rk4, ..base },
        Settings { integrator: Method::ImplicitEuler, ..base },
        Settings { links: held, constraints: xpbd, ..base },
    ] {
        let mut by_lane = lane(&rope(0.25), damped(settings));
        let mut by_links = lane(&typed, settings);
        let mut without = lane(&rope(0.25), settings);
        for simulation in [&mut by_lane, &mut by_links, &mut without] {
            run_steps(simulation, 300);
        }
        let apart = |other: &Simulation| {
            let pairs = by_lane.state().x.iter().zip(&other.state().x);
            pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
        };
        // The damping in the material differs by rounding errors.
        assert!(apart(&by_links) < 1e-9, "{settings:?}: distance {:e} m", apart(&by_links));
        assert!(apart(&without) > 1e-5, "{settings:?}: distance {:e} m", apart(&without));
    }
}

#[test]
fn damping_that_is_switched_on_keeps_cuts_and_is_restored() {
    let scene = rope(0.0);
    let mut simulation = lane(&scene, Settings::default());
    run_steps(&mut simulation, 50);
    simulation.cut(&[5]);
    let before = simulation.snapshot();
    simulation.configure(damped(*simulation.settings()));
    run_steps(&mut simulation, 50);
    let (after, hash) = (simulation.snapshot(), simulation.hash());
    let damping = |simulation: &Simulation| simulation.model().topology().links().at(0).damping;
    assert_eq!(damping(&simulation), BETA * scene.parts.mesh.links.at(0).stiffness);
    assert!(simulation.model().topology().links().at(5).is_cut());
    simulation.restore(&before);
    assert_eq!(damping(&simulation), 0.0);
    simulation.configure(damped(*simulation.settings()));
    run_steps(&mut simulation, 50);
    assert_eq!(simulation.hash(), hash);
    let mut other = Simulation::new(scene.parts.clone(), Settings::default());
    other.restore(&after);
    run_steps(&mut other, 50);
    run_steps(&mut simulation, 50);
    assert_eq!(other.hash(), simulation.hash());
}

#[test]
fn a_scene_file_sets_it_and_says_what_it_cannot_mean() {
    let text = |settings: &str| {
        format!("(version: 1, name: \"x\", particles: [(at: (0, 1, 0))], settings: {settings})")
    };
    let scene = Scene::parse(&text("(stiffness_damping: 0.002)"), "x");
    let settings = scene.unwrap_or_else(|e| panic!("{e}")).lanes[0].settings;
    assert_eq!(settings.stiffness_damping, 0.002);
    for bad in ["-1", "11", "NaN"] {
        let error = Scene::parse(&text(&format!("(stiffness_damping: {bad})")), "x").unwrap_err();
        let says = format!("stiffness_damping is {bad}; expected 0 to 10 seconds");
        assert!(error.to_string().contains(&says), "{error}");
    }
}
