//! Search for the rest positions of a scene.

use super::equilibrium::find_equilibrium;
use crate::integrate::Method;
use crate::model::{Model, Parts};
use crate::numerics::state::State;
use crate::numerics::system::System;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use glam::DVec3;
use std::sync::Arc;

/// Step lengths of implicit Euler in seconds, tried in this order.
const REST_DTS: [f64; 3] = [1.0, 0.25, 0.05];
/// Maximum number of implicit Euler steps per search.
const REST_STEPS: u32 = 300;
/// Largest displacement of a particle per step at which a scene counts as resting, as a fraction of
/// the mean rest length of the links.
const AT_REST: f64 = 1e-10;

/// Maximum work of a search, in conjugate-gradient iterations × particles (about ten seconds). If a
/// scene needs more, it is assumed not to come to rest. Examples are inverted springs, and springs
/// 10²⁰ times as stiff as others: they need 10⁶ iterations per step without converging.
const MOST_WORK: u64 = 1_000_000_000;

/// Returns the positions at which a scene comes to rest, with all links as springs. Implicit Euler,
/// which damps all motion, searches for them. It starts from the equilibrium if Newton's method
/// finds one, otherwise from the scene's start. Of three steps, the longest one that succeeds is
/// used. `None` for scenes that fall, or that move forever because of wind or moving colliders. For
/// scenes with moving pins or gusty wind, `None` is returned at once, because a search would fail
/// only after 10 s.
pub(in crate::analysis) fn come_to_rest(parts: &Arc<Parts>) -> Option<Vec<DVec3>> {
    if parts.pins.iter().any(|pin| pin.path != Trajectory::Still) || is_blown_by_gusts(parts) {
        return None;
    }
    let length = parts.mesh.links.mean_rest_length();
    let balanced = find_equilibrium(parts, length).map(|x| {
        let mut balanced = Parts::clone(parts);
        balanced.mesh.positions = x;
        balanced.velocities = Vec::new();
        Arc::new(balanced)
    });
    let at_rest = balanced.and_then(|balanced| come_to_rest_from(&balanced, length, 1.0));
    at_rest.or_else(|| REST_DTS.into_iter().find_map(|dt| come_to_rest_from(parts, length, dt)))
}

/// True if a force that varies with time acts on a free particle at the start.
fn is_blown_by_gusts(parts: &Arc<Parts>) -> bool {
    let model = Model::new(parts.clone(), |_| true);
    let x = parts.mesh.positions.clone();
    let still = State { t: 0.0, v: vec![DVec3::ZERO; x.len()], x };
    let mut f = vec![DVec3::ZERO; still.x.len()];
    let gusty = model.laws_without_potential(&still).filter(|(law, ..)| law.varies());
    gusty.for_each(|(law, _, at)| law.add(&at, &mut f));
    f.iter().zip(model.masses()).any(|(f, &mass)| mass > 0.0 && *f != DVec3::ZERO)
}

/// Returns the positions at which implicit Euler with steps of `dt` seconds comes to rest; `None`
/// if it explodes or needs too many steps.
pub(in crate::analysis) fn come_to_rest_from(
    parts: &Arc<Parts>,
    length: f64,
    dt: f64,
) -> Option<Vec<DVec3>> {
    let settings = Settings {
        integrator: Method::ImplicitEuler,
        links: LinkMode::Springs,
        dt,
        ..Settings::default()
    };
    let mut simulation = Simulation::new(parts.clone(), settings);
    let mut before = parts.mesh.positions.clone();
    let mut work = 0;
    for _ in 0..REST_STEPS {
        simulation.step(dt);
        work += u64::from(simulation.solve().linear) * before.len() as u64;
        if work > MOST_WORK {
            return None;
        }
        let x = &simulation.state().x;
        let moved = x.iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        if simulation.explosion().is_some() {
            return None;
        }
        if moved <= AT_REST * length {
            return Some(x.clone());
        }
        before.clone_from(x);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support;

    fn parts(body: &str, gust: &str) -> Arc<Parts> {
        let text = format!(
            r#"(version: 1, name: "body", forces: [(law: Gravity()), (law: FaceWind(velocity: (1, 0, 5), gust: {gust}))],
            materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 100, damping: 0.2),
                        Cloth(name: "silk", areal_density: 0.1, stretch_stiffness: 50,
                              shear_stiffness: 10)],
            {body})"#
        );
        support::scene(&text).parts
    }

    #[test]
    fn only_what_gusts_push_never_comes_to_rest() {
        let cloth = r#"cloths: [(name: "it", corner: (0, 2, 0), across: (1, 0, 0),
            down: (0, -1, 0), cells: (4, 4), material: "silk")], pins: [(of: Edge("it", Top))]"#;
        let rope = r#"ropes: [(name: "it", from: (0, 2, 0), to: (1, 2, 0), segments: 4,
            material: "cord")], pins: [(of: Start("it"))]"#;
        let noise = "Noise(seed: 1, amplitude: 0.3, correlation_time: 1)";
        for (body, gust, blown) in [
            (cloth, noise, true),
            (cloth, "Sine(amplitude: 0.3, frequency: 2)", true),
            (cloth, "Sine(amplitude: 0, frequency: 2)", false),
            (cloth, "Constant", false),
            (rope, noise, false),
        ] {
            assert_eq!(is_blown_by_gusts(&parts(body, gust)), blown, "body {body}, gusts {gust}");
        }
        assert!(come_to_rest(&parts(rope, noise)).is_some(), "wind on faces leaves ropes alone");
    }
}
