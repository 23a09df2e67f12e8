//! Vibrations of a scene about its equilibrium.

use super::come_to_rest::come_to_rest;
use super::stiffness_matrix::scaled_stiffness;
use crate::analysis::linear::symmetric::Tridiagonal;
use crate::model::{Model, Parts};
use crate::numerics::system::System as _;
use crate::numerics::trajectory::Trajectory;
use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Maximum number of free particles of a scene whose vibrations are computed.
const MOST_FREE: usize = 150;

/// Scene at rest, and the matrix of its small vibrations. All links are springs, and moving pins
/// stay at their start.
pub struct Vibrations {
    /// Parts of the scene, without velocities.
    pub parts: Arc<Parts>,
    /// Positions at rest, in metres.
    pub rest: Vec<DVec3>,
    /// Masses in kilograms; 0 = pinned.
    pub masses: Vec<f64>,
    free: Vec<usize>,
    /// Tridiagonal form of M^(−½) K M^(−½). Its lowest eigenvalues are the lowest ω² in rad²/s². If
    /// an ω² is negative, the rest position is unstable.
    pub matrix: Tridiagonal,
}

impl Vibrations {
    /// Computes the vibrations of a scene. `None` if the scene does not come to rest, has no links,
    /// or has more than 150 free particles.
    pub fn of(parts: &Arc<Parts>) -> Option<Self> {
        let mut still = Parts::clone(parts);
        still.velocities = Vec::new();
        still.pins.iter_mut().for_each(|pin| pin.path = Trajectory::Still);
        let n = still.mesh.positions.len();
        if n > MOST_FREE + still.pins.len() || still.mesh.links.is_empty() {
            return None;
        }
        let parts = Arc::new(still);
        let rest = come_to_rest(&parts)?;
        let model = Model::new(parts.clone(), |_| true);
        let masses = model.masses().to_vec();
        let free: Vec<usize> = (0..n).filter(|&i| masses[i] > 0.0).collect();
        let matrix = Tridiagonal::of(scaled_stiffness(&model, &rest, &free));
        Some(Self { parts, rest, masses, free, matrix })
    }

    /// Returns the mode φ with this ω², scaled to φᵀMφ = 1 kg m². If several modes have this
    /// frequency, returns one of them.
    pub fn mode_shape(&self, square: f64) -> Vec<DVec3> {
        let mut mode_shape = vec![DVec3::ZERO; self.rest.len()];
        let scaled = self.matrix.eigenvector(square);
        for (entry, &i) in scaled.chunks(3).zip(&self.free) {
            mode_shape[i] = DVec3::from_slice(entry) / self.masses[i].sqrt();
        }
        mode_shape
    }
}

/// Returns up to `most` frequencies in Hz of small vibrations of a scene about its rest position:
/// the lowest ones, in ascending order. `None` if the scene does not come to rest, has no links, or
/// has more than 150 free particles.
pub fn natural_frequencies(parts: &Arc<Parts>, most: usize) -> Option<Vec<f64>> {
    let squared_frequencies = Vibrations::of(parts)?.matrix.lowest_eigenvalues(most);
    Some(squared_frequencies.into_iter().map(|square| square.max(0.0).sqrt() / TAU).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support;
    use std::f64::consts::PI;

    fn frequencies(text: &str, most: usize) -> Option<Vec<f64>> {
        let scene = support::scene(text);
        natural_frequencies(&scene.parts, most)
    }

    /// The closed forms are ω_n = 2 √(k/m) sin(nπ/(2N)) along a chain of N segments, and 2 √(T/(a
    /// m)) sin(nπ/(2N)) in each of two directions across it (T: tension, a: stretched length of a
    /// segment).
    #[test]
    fn a_stretched_chain_has_the_frequencies_of_the_closed_form() {
        let text = r#"(version: 1, name: "chain",
            materials: [Rope(name: "spring", mass_per_metre: 0.5, stiffness: 40)],
            ropes: [(name: "chain", from: (0, 1, 0), to: (4, 1, 0), length: 3, segments: 12, material: "spring")],
            pins: [(of: Start("chain")), (of: End("chain"))], forces: [])"#;
        // Each segment has the rest length 0.25 m, is stretched to a = 1/3 m, and has k = EA/rest
        // and m = 0.125 kg.
        let (a, k, m): (f64, f64, f64) = (1.0 / 3.0, 40.0 / 0.25, 0.125);
        let tension = k * (a - 0.25);
        let along = |n: i32| 2.0 * (k / m).sqrt() * (f64::from(n) * PI / 24.0).sin() / TAU;
        let across = |n: i32| along(n) * (tension / a / k).sqrt();
        let mut theory: Vec<f64> = (1..12).flat_map(|n| [along(n), across(n), across(n)]).collect();
        theory.sort_by(f64::total_cmp);
        let found = frequencies(text, 100).expect("it rests");
        assert_eq!(found.len(), theory.len());
        for (found, theory) in found.iter().zip(&theory) {
            assert!(
                (found - theory).abs() < 1e-6 * theory,
                "frequency {found} Hz, theory {theory} Hz"
            );
        }
    }

    /// A chain of length L swings under its weight with ω = (j₀/2) √(g/L) (D. Bernoulli 1733), j₀ =
    /// 2.40483.
    #[test]
    fn a_hanging_chain_swings_as_bernoulli_found() {
        let text = r#"(version: 1, name: "hanging",
            materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 1e5)],
            ropes: [(name: "rope", from: (0, 3, 0), to: (0, 1, 0), segments: 80, material: "cord")],
            pins: [(of: Start("rope"))], forces: [(law: Gravity())])"#;
        let lowest = frequencies(text, 1).expect("it rests")[0];
        let theory = 0.5 * 2.404_825_558 * (9.81_f64 / 2.0).sqrt() / TAU;
        assert!(
            (lowest / theory - 1.0).abs() < 2e-3,
            "lowest frequency {lowest} Hz, theory {theory} Hz"
        );
    }

    #[test]
    fn what_falls_has_no_frequencies() {
        let text = r#"(version: 1, name: "falls",
            materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 100)],
            ropes: [(name: "rope", from: (0, 3, 0), to: (0, 1, 0), segments: 4, material: "cord")],
            forces: [(law: Gravity())])"#;
        assert_eq!(frequencies(text, 5), None);
    }
}
