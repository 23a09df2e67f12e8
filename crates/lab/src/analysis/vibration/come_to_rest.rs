//! Positions at which a scene comes to rest.

use super::equilibrium::equilibrium;
use crate::integrate::Method;
use crate::model::Parts;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use glam::DVec3;
use std::sync::Arc;

/// Steps in seconds by which implicit Euler finds the equilibrium of a scene, and the most steps.
const REST_DTS: [f64; 3] = [1.0, 0.25, 0.05];
const REST_STEPS: u32 = 300;
/// Greatest displacement per step of a scene at rest, over the mean rest length.
const AT_REST: f64 = 1e-10;

/// Most conjugate-gradient iterations × particles before a scene counts as one that does not come
/// to rest: some ten seconds. Springs that are turned over or 10²⁰ times as stiff as others take
/// 10⁶ iterations per step without end.
const MOST_WORK: u64 = 1_000_000_000;

/// Returns the positions at which a scene comes to rest with all links as springs, by implicit
/// Euler, which damps all motion, from the equilibrium if it is found first, else with the longest
/// of three steps that succeeds. `None` for scenes that fall, are blown about or are shaken.
pub(in crate::analysis) fn come_to_rest(parts: &Arc<Parts>) -> Option<Vec<DVec3>> {
    if parts.pins.iter().any(|pin| pin.path != Trajectory::Still) {
        return None;
    }
    let length = parts.mesh.links.mean_rest_length();
    let balanced = equilibrium(parts, length).map(|x| {
        let mut balanced = Parts::clone(parts);
        balanced.mesh.positions = x;
        balanced.velocities = Vec::new();
        Arc::new(balanced)
    });
    let at_rest = balanced.and_then(|balanced| come_to_rest_from(&balanced, length, 1.0));
    at_rest.or_else(|| REST_DTS.into_iter().find_map(|dt| come_to_rest_from(parts, length, dt)))
}

/// Lets a scene come to rest with steps of `dt` seconds.
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
