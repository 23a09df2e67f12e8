//! Frequencies at which a scene vibrates about its rest.

use super::matrix::Matrix;
use super::settle::settle;
use crate::model::{Model, Parts};
use crate::numerics::system::System;
use crate::numerics::trajectory::Trajectory;
use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Free particles of a scene whose frequencies are looked for.
const MOST_FREE: usize = 150;
/// Halvings of an interval around a frequency: 1e-12 of the greatest one.
const HALVINGS: u32 = 60;

/// The lowest frequencies in Hz, ascending, at most `most`, of small vibrations about where the
/// scene comes to rest with all links as springs and moving pins where they start. `None` where
/// it does not come to rest or is too large.
///
/// ω² are the eigenvalues of M^(−½) K M^(−½), K by columns from the tangent stiffness.
pub fn natural_frequencies(parts: &Arc<Parts>, most: usize) -> Option<Vec<f64>> {
    let mut still = Parts::clone(parts);
    still.velocities = Vec::new();
    still.pins.iter_mut().for_each(|pin| pin.path = Trajectory::Still);
    let n = still.mesh.positions.len();
    if n > MOST_FREE + still.pins.len() || still.mesh.links.len() == 0 {
        return None;
    }
    let still = Arc::new(still);
    let x = settle(&still)?;
    let model = Model::new(still, |_| true);
    let free: Vec<usize> = (0..n).filter(|&i| model.masses()[i] > 0.0).collect();
    let frequency = |square: f64| square.max(0.0).sqrt() / TAU;
    let squares = lowest_eigenvalues(stiffness(&model, &x, &free), most);
    Some(squares.into_iter().map(frequency).collect())
}

/// M^(−½) K M^(−½) of the free particles.
fn stiffness(model: &Model, x: &[DVec3], free: &[usize]) -> Matrix {
    let mass = model.masses();
    let zero = vec![DVec3::ZERO; x.len()];
    let (mut unit, mut pull) = (zero.clone(), zero.clone());
    let mut matrix = Matrix::zero(3 * free.len());
    for (column, &j) in free.iter().enumerate() {
        for axis in 0..3 {
            unit[j][axis] = 1.0;
            pull.fill(DVec3::ZERO);
            model.acceleration_jvp(0.0, x, &zero, &unit, &zero, &mut pull);
            unit[j][axis] = 0.0;
            for (row, &i) in free.iter().enumerate() {
                let scale = -(mass[i] / mass[j]).sqrt();
                for (k, pull) in pull[i].to_array().into_iter().enumerate() {
                    matrix.set(3 * row + k, 3 * column + axis, scale * pull);
                }
            }
        }
    }
    matrix
}

/// The lowest eigenvalues of a symmetric matrix, ascending: reflected to tridiagonal form
/// (Householder; Golub and Van Loan, Matrix Computations, §8.3.1), then found by counting the
/// negative pivots of T − λ (Sturm; §8.4.1).
fn lowest_eigenvalues(matrix: Matrix, most: usize) -> Vec<f64> {
    let n = matrix.size();
    let (diagonal, beside) = tridiagonal(matrix);
    let reach = |i: usize| {
        let before = if i > 0 { beside[i - 1].abs() } else { 0.0 };
        before + beside.get(i).map_or(0.0, |b| b.abs())
    };
    let least = (0..n).map(|i| diagonal[i] - reach(i)).fold(f64::INFINITY, f64::min);
    let greatest = (0..n).map(|i| diagonal[i] + reach(i)).fold(f64::NEG_INFINITY, f64::max);
    if !(least.is_finite() && greatest.is_finite()) {
        return Vec::new();
    }
    let below = |lambda: f64| {
        let (mut count, mut pivot) = (0, 1.0);
        for i in 0..n {
            let b = if i > 0 { beside[i - 1] } else { 0.0 };
            pivot = diagonal[i] - lambda - b * b / pivot;
            if pivot == 0.0 {
                pivot = f64::MIN_POSITIVE;
            }
            count += usize::from(pivot < 0.0);
        }
        count
    };
    let eigenvalue = |k: usize| {
        let (mut low, mut high) = (least, greatest);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if below(middle) > k { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    };
    (0..n.min(most)).map(eigenvalue).collect()
}

/// Diagonal and the entries beside it.
fn tridiagonal(mut a: Matrix) -> (Vec<f64>, Vec<f64>) {
    let n = a.size();
    for k in 0..n.saturating_sub(2) {
        let mut v: Vec<f64> = (k + 1..n).map(|i| a.at(i, k)).collect();
        let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v[0] += if v[0] >= 0.0 { length } else { -length };
        let square: f64 = v.iter().map(|v| v * v).sum();
        if square == 0.0 {
            continue;
        }
        // A ← (1 − 2vvᵀ/v²) A (1 − 2vvᵀ/v²) over the rest; p = A v · 2/v², w = p − v (pᵀv)/v².
        let row = |i: usize| (0..v.len()).map(|j| a.at(k + 1 + i, k + 1 + j) * v[j]).sum::<f64>();
        let p: Vec<f64> = (0..v.len()).map(|i| 2.0 / square * row(i)).collect();
        let along = p.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>() / square;
        let w: Vec<f64> = p.iter().zip(&v).map(|(p, v)| p - along * v).collect();
        for i in 0..v.len() {
            for j in 0..v.len() {
                let (row, column) = (k + 1 + i, k + 1 + j);
                a.set(row, column, a.at(row, column) - v[i] * w[j] - w[i] * v[j]);
            }
        }
        let first = if a.at(k + 1, k) >= 0.0 { -length } else { length };
        a.set(k + 1, k, first);
        a.set(k, k + 1, first);
    }
    let diagonal = (0..n).map(|i| a.at(i, i)).collect();
    let beside = (1..n).map(|i| a.at(i, i - 1)).collect();
    (diagonal, beside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use std::f64::consts::PI;

    fn frequencies(text: &str, most: usize) -> Option<Vec<f64>> {
        let scene = Scene::parse(text, "test").unwrap_or_else(|e| panic!("{e}"));
        natural_frequencies(&scene.parts, most)
    }

    /// ω_n = 2 √(k/m) sin(nπ/2N) along the chain and 2 √(T/(a m)) sin(nπ/2N) across it, twice.
    #[test]
    fn a_stretched_chain_has_the_frequencies_of_the_closed_form() {
        let text = r#"(version: 1, name: "chain",
            materials: [Rope(name: "spring", mass_per_metre: 0.5, stiffness: 40)],
            ropes: [(name: "chain", from: (0, 1, 0), to: (4, 1, 0), length: 3, segments: 12, material: "spring")],
            pins: [(of: Start("chain")), (of: End("chain"))], forces: [])"#;
        // A segment: rest 0.25 m, stretched to a = 1/3 m, k = EA/rest, m = 0.125 kg.
        let (a, k, m) = (1.0 / 3.0, 40.0 / 0.25, 0.125);
        let tension = k * (a - 0.25);
        let along = |n: i32| 2.0 * (k / m as f64).sqrt() * (f64::from(n) * PI / 24.0).sin() / TAU;
        let across = |n: i32| along(n) * (tension / a / k).sqrt();
        let mut theory: Vec<f64> = (1..12).flat_map(|n| [along(n), across(n), across(n)]).collect();
        theory.sort_by(f64::total_cmp);
        let found = frequencies(text, 100).expect("it rests");
        assert_eq!(found.len(), theory.len());
        for (found, theory) in found.iter().zip(&theory) {
            assert!((found - theory).abs() < 1e-6 * theory, "{found} {theory}");
        }
    }

    /// Small swings of a heavy chain: ω = (j₀/2) √(g/L) (D. Bernoulli 1733), j₀ = 2.40483.
    #[test]
    fn a_hanging_chain_swings_as_bernoulli_found() {
        let text = r#"(version: 1, name: "hanging",
            materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 1e5)],
            ropes: [(name: "rope", from: (0, 3, 0), to: (0, 1, 0), segments: 80, material: "cord")],
            pins: [(of: Start("rope"))], forces: [(law: Gravity())])"#;
        let lowest = frequencies(text, 1).expect("it rests")[0];
        let theory = 0.5 * 2.404_825_558 * (9.81_f64 / 2.0).sqrt() / TAU;
        assert!((lowest / theory - 1.0).abs() < 2e-3, "{lowest} {theory}");
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
