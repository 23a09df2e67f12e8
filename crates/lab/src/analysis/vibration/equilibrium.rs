//! Equilibrium of a small scene by Newton's method. A scene that starts in its equilibrium comes to
//! rest quickly.

use super::stiffness_matrix::scaled_stiffness;
use crate::analysis::linear::matrix::Matrix;
use crate::model::{Model, Parts};
use crate::numerics::system::System;
use glam::DVec3;
use std::sync::Arc;

/// Maximum number n of free particles. A Newton step solves a dense system of 3n unknowns.
const MOST_FREE: usize = 64;
/// Maximum number of Newton steps.
const MOST_STEPS: u32 = 200;
/// Largest displacement of the ends of a link relative to each other in one step, as a fraction of
/// the link's rest length. This limit keeps the directions of links, and thus the tangent
/// stiffness, nearly constant within a step.
const MOST_TURN: f64 = 0.5;
/// Shift 1/h² of the first implicit step in s⁻², for h = 0.1 s.
const FIRST_SHIFT: f64 = 100.0;
/// Smallest shift 1/h² in s⁻² of an implicit step.
const LEAST_SHIFT: f64 = 1e-3;
/// Factor by which the shift 1/h² is divided after an untruncated step, and multiplied if the
/// matrix is indefinite.
const SHIFT_RATIO: f64 = 10.0;
/// Largest displacement of a particle in a Newton step at which the equilibrium counts as found, as
/// a fraction of the mean rest length.
const FOUND_STEP: f64 = 1e-11;

/// Returns positions at which forces balance. The scene would come to rest near them. `None` if the
/// search fails, if contact is possible, or if the scene has more than 64 free particles.
///
/// The method is pseudo-transient continuation (Kelley and Keyes 1998, SIAM J. Numer. Anal. 35,
/// 508): steps of implicit Euler from rest with one Newton iteration, (1/h² + M⁻¹K) δ = a, with
/// growing h. Minimising the energy by descent is too slow: along a stiff rope the energy has a
/// narrow, curved valley, which limits descent steps to a millionth of a link.
pub(in crate::analysis) fn find_equilibrium(parts: &Arc<Parts>, length: f64) -> Option<Vec<DVec3>> {
    if !parts.contact.is_empty() {
        return None;
    }
    let model = Model::new(parts.clone(), |_| true);
    let mass = model.masses();
    let free: Vec<usize> = (0..mass.len()).filter(|&i| mass[i] > 0.0).collect();
    if free.len() > MOST_FREE {
        return None;
    }
    let mut x = parts.mesh.positions.clone();
    let (still, mut a) = (vec![DVec3::ZERO; x.len()], vec![DVec3::ZERO; x.len()]);
    let mut step = still.clone();
    let mut shift = FIRST_SHIFT;
    for _ in 0..MOST_STEPS {
        model.accelerations(0.0, &x, &still, &mut a);
        let matrix = scaled_stiffness(&model, &x, &free).shifted(shift);
        if !newton_step(matrix, mass, &free, &a, &mut step) {
            shift *= SHIFT_RATIO;
            continue;
        }
        let longest = step.iter().map(|step| step.length()).fold(0.0, f64::max);
        if longest <= FOUND_STEP * length && shift <= 1.0 {
            return Some(x);
        }
        let fraction = (MOST_TURN / largest_turn(parts, &step)).min(1.0);
        x.iter_mut().zip(&step).for_each(|(x, step)| *x += fraction * *step);
        if !(longest.is_finite() && x.iter().all(|x| x.is_finite())) {
            return None;
        }
        if fraction == 1.0 {
            shift = (shift / SHIFT_RATIO).max(LEAST_SHIFT);
        }
    }
    None
}

/// Solves (1/h² + M⁻¹K) δ = a for δ (`step`). The substitution y = M^½ δ makes the matrix
/// symmetric. Returns false if the matrix is indefinite.
fn newton_step(
    matrix: Matrix,
    mass: &[f64],
    free: &[usize],
    a: &[DVec3],
    step: &mut [DVec3],
) -> bool {
    let scaled = |&i: &usize| (mass[i].sqrt() * a[i]).to_array();
    let mut y: Vec<f64> = free.iter().flat_map(scaled).collect();
    let solved = matrix.solve_definite(&mut y);
    for (y, &i) in y.chunks(3).zip(free) {
        step[i] = DVec3::from_slice(y) / mass[i].sqrt();
    }
    solved
}

/// Returns the largest displacement of a link's ends relative to each other, as a fraction of the
/// link's rest length.
fn largest_turn(parts: &Parts, step: &[DVec3]) -> f64 {
    let of =
        |link: crate::mesh::Link| step[link.a as usize].distance(step[link.b as usize]) / link.rest;
    parts.mesh.links.iter().map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::vibration::come_to_rest::come_to_rest_from;
    use crate::support;

    fn parts(segments: u32, stiffness: f64, more: &str) -> Arc<Parts> {
        let text = format!(
            r#"(version: 1, name: "rope", forces: [(law: Gravity())],
            materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: {stiffness:?}, {more})],
            ropes: [(name: "rope", from: (0, 2, 0), to: (1, 2, 0), segments: {segments}, material: "cord")],
            pins: [(of: Start("rope"))])"#
        );
        support::scene(&text).parts
    }

    /// A rope that starts horizontally ends hanging, for every stiffness.
    #[test]
    fn forces_balance_where_a_rope_comes_to_rest() {
        for (segments, stiffness, more) in [
            (20, 10.0, ""),
            (20, 1e3, ""),
            (20, 1e6, ""),
            (3, 1e2, ""),
            (20, 1e4, "flexural_rigidity: 0.01"),
        ] {
            let parts = parts(segments, stiffness, more);
            let length = parts.mesh.links.mean_rest_length();
            let found = find_equilibrium(&parts, length);
            let at_rest = come_to_rest_from(&parts, length, 1.0).expect("it comes to rest");
            let found = found.expect("it hangs");
            for (found, at_rest) in found.iter().zip(&at_rest) {
                assert!(
                    found.distance(*at_rest) < 1e-8 * length,
                    "equilibrium at {found}, rest at {at_rest}"
                );
            }
        }
    }

    #[test]
    fn what_touches_or_is_large_is_left_to_implicit_euler() {
        let rope = parts(20, 1e3, "");
        assert!(find_equilibrium(&rope, 0.05).is_some());
        let mut among_obstacles = Parts::clone(&rope);
        let cradle = crate::scene::library::find("cradle").unwrap().load().unwrap();
        among_obstacles.contact = cradle.parts.contact.clone();
        assert_eq!(find_equilibrium(&Arc::new(among_obstacles), 0.05), None);
        assert_eq!(find_equilibrium(&parts(100, 1e3, ""), 0.01), None);
    }
}
