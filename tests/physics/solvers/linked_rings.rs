//! Linked rings that a hand pulls apart stay linked under contact with a guarantee.

use crate::contact::simulation;
use glam::DVec3;
use ropelab::constraint::ConstraintSolver;
use ropelab::integrate::Method;
use ropelab::measure::linking_number;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::{GrabMode, LinkMode, Settings};
use std::f64::consts::TAU;
use std::fmt::Write;

/// Particles of each ring.
const COUNT: usize = 12;
/// Radius of the rings in metres.
const RADIUS: f64 = 0.25;

/// Two rings, the second through the middle of the first, which hangs on a pin.
fn rings() -> Simulation {
    let (mut particles, mut links) = (String::new(), String::new());
    for ring in 0..2 {
        for i in 0..COUNT {
            let (sine, cosine) = (TAU * i as f64 / COUNT as f64).sin_cos();
            let [a, b] = [sine, cosine].map(|part| RADIUS * part);
            let at = match ring {
                0 => format!("({a}, {}, 0)", 1.0 + b),
                _ => format!("(0, {}, {b})", 1.0 - RADIUS + a),
            };
            let [one, other] = [i, (i + 1) % COUNT].map(|i| ring * COUNT + i);
            write!(particles, "(at: {at}, mass: 0.01), ").expect("text");
            write!(
                links,
                "(a: Particle({one}), b: Particle({other}), stiffness: 500, damping: 0.05), "
            )
            .expect("text");
        }
    }
    let ring = |first: usize| {
        let mut numbers: Vec<String> = (first..first + COUNT).map(|i| i.to_string()).collect();
        numbers.push(first.to_string());
        format!("(particles: [{}], radius: 0.015)", numbers.join(", "))
    };
    let parts = format!(
        "particles: [{particles}], links: [{links}], drawn_ropes: [{}, {}],
         surfaces: [(of: All, itself: true, surface: (friction: 0.4))],
         pins: [(of: Particle(0))],
         forces: [(law: Gravity()), (law: LinearDrag(coefficient: 0.2))]",
        ring(0),
        ring(COUNT)
    );
    simulation(&parts, "")
}

/// Linking number of the two rings: 1 if they are linked, 0 if they are not.
fn links_between(lane: &Simulation) -> f64 {
    let (one, other) = lane.state().x.split_at(COUNT);
    linking_number(one, other).abs()
}

/// Moves the hand down, sideways and up with a particle of the second ring, faster and further than
/// the rings can follow. Returns an error if the rings come apart.
fn tear_at(lane: &mut Simulation, mode: GrabMode, seconds: f64) -> Result<(), String> {
    let dt = lane.settings().dt;
    lane.grab(COUNT as u32 + 9, mode, lane.state().x[COUNT + 9]);
    for step in 0..(seconds / dt) as u64 {
        let turn = (step as f64 * dt / 0.05) as u64;
        let [x, y, z] = [7, 5, 3].map(|prime| (turn * prime * prime % 11) as f64 / 5.0 - 1.0);
        lane.step_with_hand(dt, DVec3::new(x, y, z));
        if lane.explosion().is_some() {
            return Ok(());
        }
        let number = links_between(lane);
        // The linking number is an integer up to rounding. The rounding error is 4e-6 where the
        // hand has pulled the rings out to 8e9 m.
        if (number - 1.0).abs() > 1e-4 {
            let x = &lane.state().x;
            let far = x.iter().map(|x| x.length()).fold(0.0, f64::max);
            return Err(format!("{number:.6} links after {:.4} s, {far:.3e} m", lane.state().t));
        }
    }
    Ok(())
}

#[test]
fn a_hand_does_not_tear_linked_rings_apart() {
    let start = rings();
    let mut torn = Vec::new();
    for (i, integrator) in Method::all().enumerate() {
        for (k, constraints) in ConstraintSolver::all().enumerate() {
            let is_none = constraints.is_none();
            let links = if is_none { LinkMode::Springs } else { LinkMode::Constraints };
            // The hand pulls by a spring for half of the combinations of integrator and solver, and
            // by a hard grip for the other half.
            let modes = [GrabMode::Spring, GrabMode::Hard];
            for (mode, (dt, substeps)) in
                [(modes[(i + k) % 2], (1.0 / 60.0, 4)), (GrabMode::Spring, (0.002, 1))]
            {
                let settings =
                    Settings { integrator, constraints, links, dt, substeps, ..*start.settings() };
                let mut lane = Simulation::new(start.parts().clone(), settings);
                if let Err(what) = tear_at(&mut lane, mode, 0.6) {
                    let (integrator, solver) = (integrator.info().name, constraints.info().name);
                    torn.push(format!("{integrator}, {solver}, {mode:?}, {dt} s: {what}"));
                }
            }
        }
    }
    assert!(torn.is_empty(), "{} torn:\n{}", torn.len(), torn.join("\n"));
}
