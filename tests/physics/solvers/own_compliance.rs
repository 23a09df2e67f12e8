//! XPBD with a compliance and a damping of its own, compared with XPBD on links of a material with
//! the same stiffness and damping: motion, energy account and tensions are the same.

use ropelab::integrate::Method;
use ropelab::measure::Tensions;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

/// A rope of four links that swings, with the energy account of its lane. Its links have the
/// stiffness and the damping of the text `material`.
fn rope(material: &str, solver: &str, integrator: Method) -> Simulation {
    let text = format!(
        "(version: 1, name: \"rope\",
          materials: [Rope(name: \"cord\", mass_per_metre: 1, {material})],
          ropes: [(name: \"rope\", from: (0, 0, 0), to: (1.1, 0, 0), segments: 4,
                   material: \"cord\")],
          pins: [(of: Start(\"rope\"))], forces: [(law: Gravity())],
          settings: (constraints: Xpbd({solver}), dt: 0.002))"
    );
    let scene = Scene::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"));
    let settings = Settings { integrator, ..scene.lanes[0].settings };
    let mut simulation = Simulation::new(scene.parts, settings);
    simulation.start_energy_account();
    simulation
}

/// Each link has 0.275 m of cord, so its stiffness is 1024 N over this length, and its damping
/// 0.5 N·s over this length.
#[test]
fn a_solver_with_its_own_stiffness_has_the_account_and_tensions_of_such_a_material() {
    let [compliance, damping] = [0.275 / 1024.0, 0.5 / 0.275];
    for integrator in Method::all() {
        let own = format!("compliance: {compliance:?}, damping: {damping:?}");
        let mut own = rope("stiffness: 50, damping: 3", &own, integrator);
        let mut same = rope("stiffness: 1024, damping: 0.5", "", integrator);
        let name = integrator.info().name;
        for step in 0..400 {
            let (mut one, mut two) = (Tensions::default(), Tensions::default());
            let tensions = own.pulls(&mut one).iter().zip(same.pulls(&mut two));
            for (one, two) in tensions {
                assert!((one - two).abs() < 1e-6, "{name}, step {step}: {one} N, not {two} N");
            }
            for it in [&mut own, &mut same] {
                it.step(0.002);
                it.add_to_energy_account();
            }
        }
        assert_eq!(own.verdict().to_string(), same.verdict().to_string(), "{name}");
        let [one, two] = [&own, &same].map(|it| it.balance().expect("an account"));
        for (one, two) in [
            (one.start, two.start),
            (one.elastic, two.elastic),
            (one.scheme, two.scheme),
            (one.taken_out["link-damping"], two.taken_out["link-damping"]),
        ] {
            assert!((one - two).abs() < 1e-6, "{name}: {one} J, not {two} J");
        }
    }
}

/// Without damping of its own, the solver takes no energy out, whatever the material says.
#[test]
fn a_solver_without_damping_takes_out_no_heat() {
    let mut lane = rope("stiffness: 1000, damping: 3", "damping: 0", Method::SymplecticEuler);
    (0..400).for_each(|_| {
        lane.step(0.002);
        lane.add_to_energy_account();
    });
    let balance = lane.balance().expect("an account");
    assert!(!balance.taken_out.contains_key("link-damping"), "{balance:?}");
    assert!(balance.scheme < 0.0 && lane.verdict().is_stable(), "{balance:?}");
}
