//! Every integrator with every solver: exactly the pairs that create energy are reported as
//! misfits.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use crate::support::solvers;
use rayon::prelude::*;
use ropelab::analysis::stability;
use ropelab::integrate::Method;
use ropelab::measure::Verdict;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::{LinkMode, Settings};
use std::convert::Infallible;

/// Two ropes that start horizontally: one of 20 links, and one with shorter links and a load at its
/// end.
const ROPES: [&str; 2] = [
    r#"(version: 1, name: "rope",
        materials: [Rope(name: "cord", mass_per_metre: 0.5, stiffness: 355, damping: 3.8)],
        ropes: [(name: "rope", from: (0, 2, 0), to: (2, 2, 0), segments: 20, material: "cord")],
        pins: [(of: Start("rope"))], forces: [(law: Gravity())])"#,
    r#"(version: 1, name: "rope",
        materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 2000)],
        ropes: [(name: "rope", from: (0, 2, 0), to: (0.7, 2, 0.3), segments: 12, material: "cord")],
        masses: [(of: End("rope"), mass: 0.1)],
        pins: [(of: Start("rope"))], forces: [(law: Gravity())])"#,
];

/// True if the lane explodes or gains energy in six seconds.
fn is_bad(scene: &Scene, settings: Settings) -> bool {
    let mut lane = Simulation::new(scene.parts.clone(), settings);
    lane.start_energy_account();
    while lane.state().t < 6.0 && lane.explosion().is_none() {
        lane.step(settings.dt);
        lane.add_to_energy_account();
    }
    lane.explosion().is_some() || matches!(lane.verdict(), Verdict::GainedEnergy(_))
}

#[test]
fn pairs_that_make_energy_are_named_and_no_others_do() {
    let scenes = ROPES.map(|text| Scene::parse(text, "rope").unwrap());
    let methods: Vec<Method> = Method::all().collect();
    methods.par_iter().for_each(|&integrator| {
        for constraints in solvers() {
            let of = |dt| Settings {
                integrator,
                links: LinkMode::Constraints,
                constraints,
                dt,
                ..Settings::default()
            };
            let runs =
                scenes.iter().flat_map(|scene| [0.0015, 0.004].map(|dt| is_bad(scene, of(dt))));
            let bad: Vec<bool> = runs.collect();
            let pair = (integrator.info().name, constraints.info().name);
            let is_named = of(0.002).misfit().is_some();
            assert_eq!(bad.contains(&true), is_named, "{pair:?}: {bad:?}");
        }
    });
}

#[test]
fn limits_say_so_by_theory_and_by_runs() {
    let scene = Scene::parse(ROPES[0], "rope").unwrap();
    let soft = solvers().find(|solver| solver.info().name == "soft-step").unwrap();
    let limit = |integrator| {
        let links = LinkMode::Constraints;
        let dt = 1.0 / 60.0;
        let settings = Settings {
            integrator,
            links,
            constraints: soft,
            dt,
            substeps: 4,
            ..Settings::default()
        };
        let lane = Simulation::new(scene.parts.clone(), settings);
        let predicted = stability::predict_limit(&lane);
        let Ok(measured) = stability::measure_limit(&lane, &predicted, || Ok::<(), Infallible>(()));
        (predicted, measured)
    };
    let (predicted, measured) = limit(Method::ExplicitEuler);
    assert_eq!((predicted.longest(), measured), (0.0, 0.0));
    assert!(predicted.verdict().starts_with("No step is safe"), "{predicted:?}");
    let (predicted, measured) = limit(Method::SymplecticEuler);
    assert_eq!((predicted.longest(), measured), (f64::INFINITY, f64::INFINITY));
}
