//! Energy account of steps that do not resolve a vibration, though their parts resolve it.

use ropelab::scene::Scene;
use ropelab::simulation::Simulation;

/// A vibration of 10 Hz in steps of a tenth of a second: at the ends of all steps the particle has
/// the same phase, so the velocities there do not determine the heat of drag and dampers. Formerly
/// the integrator was said to lose 99.6 % of the energy.
#[test]
fn the_heat_of_a_vibration_is_measured_in_inner_steps_and_substeps() {
    let drag = "(law: LinearDrag(coefficient: 0.5))";
    for (integrator, substeps) in [("DormandPrince()", 1), ("DormandPrince()", 3), ("Rk4", 50)] {
        for (damping, forces, heat) in [(4.0, "", "link-damping"), (0.0, drag, "linear-drag")] {
            let text = format!(
                "(version: 1, name: \"vibration\", forces: [{forces}],
                  particles: [(at: (0, 0, 0)), (at: (1.1, 0, 0))],
                  links: [(a: Particle(0), b: Particle(1), rest: 1, stiffness: 3947.84,
                           damping: {damping})],
                  pins: [(of: Particle(0))],
                  settings: (integrator: {integrator}, dt: 0.1, substeps: {substeps}))"
            );
            let scene = Scene::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"));
            let mut lane = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
            lane.start_energy_account();
            for _ in 0..30 {
                lane.step(0.1);
                lane.add_to_energy_account();
            }
            let balance = lane.balance().expect("an account is kept");
            let lost = balance.start - lane.energy().total();
            let told = format!("{integrator}, {substeps} substeps: {balance:?}");
            assert!(lost > 0.7 * balance.start, "{told}");
            assert!((balance.taken_out[heat] / lost - 1.0).abs() < 1e-3, "{told}");
            assert!(balance.scheme.abs() < 1e-3 * balance.start, "{told}");
        }
    }
}
