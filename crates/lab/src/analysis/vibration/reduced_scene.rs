//! Scene linearised in its current state, x″ = −K x − C x′ (per mass), and projected onto the few
//! displacement vectors that determine the longest stable step.
//!
//! If damping is uneven, stiffness and damping have different eigenvectors. The step matrix of an
//! integrator is therefore measured on the projected K and C as a whole, not mode by mode. K is the
//! positive semidefinite part of the tangent stiffness, without the contribution of the wind. It
//! thus excludes buckling and flutter, which are physical and not numerical instabilities.

use super::fastest_mode::FastestMode;
use crate::analysis::linear::lanczos::{RitzPair, largest_ritz_pairs, orthogonalise};
use crate::analysis::linear::mass_product::{normalise, pseudo_random};
use crate::analysis::linear::matrix::Matrix;
use crate::analysis::linear::symmetric::eigenpairs;
use crate::model::Model;
use crate::numerics::columns::aypx;
use crate::numerics::conjugate_gradients::{ConjugateGradients, DefiniteSystem};
use crate::numerics::state::{State, StateRef};
use crate::numerics::sums::mass_dot;
use crate::numerics::system::System;
use glam::DVec3;
use std::cell::RefCell;

/// Largest number of degrees of freedom of a scene that is used without projection.
const MOST_DEGREES_OF_FREEDOM: usize = 24;
/// Number of Lanczos steps for each operator.
const LANCZOS_STEPS: usize = 20;
/// Number of vectors from each operator (stiffness, damping, and their sums).
const VECTORS_PER_OPERATOR: usize = 4;
/// Smallest component orthogonal to the other vectors that a unit vector needs to be kept.
const LEAST_NEW_PART: f64 = 1e-6;
/// Smallest sum of a vector's stiffness and damping, each divided by its largest diagonal entry,
/// that a vector needs to be kept. A vector with less only drifts, and drift is not growth.
const MOST_DRIFT: f64 = 1e-10;
/// Strength of the filter of `remove_damped_part`. The filter multiplies the most damped motion by
/// 1/(1 + `FILTER`) and leaves undamped motion unchanged.
const FILTER: f64 = 1e4;
/// Maximum number of conjugate-gradient iterations of `remove_damped_part`.
const FILTER_STEPS: u32 = 60;
/// Relative residual at which the iterations of `remove_damped_part` end.
const FILTER_TOLERANCE: f64 = 1e-8;

/// Scene linearised at a state. Displacements and velocities are deviations from that state.
pub(in crate::analysis) struct Tangent<'a> {
    model: &'a Model,
    state: &'a State,
    still: Vec<DVec3>,
    out: RefCell<Vec<DVec3>>,
}

impl<'a> Tangent<'a> {
    pub fn new(model: &'a Model, state: &'a State) -> Self {
        let still = vec![DVec3::ZERO; state.x.len()];
        Self { model, state, out: RefCell::new(still.clone()), still }
    }

    /// Returns the fastest vibration; `None` if nothing vibrates.
    pub fn fastest_mode(&self) -> Option<FastestMode> {
        let mass = self.model.masses();
        let stiffness = |u: &[DVec3], out: &mut [DVec3]| self.stiffness(u, out);
        let damping = |u: &[DVec3], out: &mut [DVec3]| self.damping(u, out);
        FastestMode::of_operators(mass, pseudo_random(mass.len()), stiffness, damping)
    }

    /// Writes K x to `out`, in m/s² for x in metres.
    fn stiffness(&self, x: &[DVec3], out: &mut [DVec3]) {
        self.accelerations(self.state.t, x, &self.still, out);
        out.iter_mut().for_each(|out| *out = -*out);
    }

    /// Subtracts the contribution of the wind from the derivative of the accelerations. Faces
    /// parallel to the wind flutter physically, at the same rate with every integrator and step
    /// length.
    fn subtract_wind(&self, x: &[DVec3], a: &mut [DVec3]) {
        let mut pushed = vec![DVec3::ZERO; x.len()];
        for (law, _, at) in self.model.laws_without_potential(self.state) {
            law.add_jvp(&at, x, &self.still, &mut pushed);
        }
        let inverse_masses = self.model.inverse_masses();
        for ((a, pushed), w) in a.iter_mut().zip(pushed).zip(inverse_masses) {
            *a -= *w * pushed;
        }
    }

    /// Writes C v to `out`.
    fn damping(&self, v: &[DVec3], out: &mut [DVec3]) {
        self.model.acceleration_jvp(self.state.view(), [&self.still, v], out);
        out.iter_mut().for_each(|out| *out = -*out);
    }

    /// Writes K u / k + C u / c to `out`.
    fn weighted_sum(&self, u: &[DVec3], [k, c]: [f64; 2], out: &mut [DVec3]) {
        let mut damped = self.out.borrow_mut();
        damped.fill(DVec3::ZERO);
        self.damping(u, &mut damped);
        self.stiffness(u, out);
        out.iter_mut().zip(&*damped).for_each(|(out, damped)| *out = *out / k + *damped / c);
    }

    /// Removes the damped part of `u`: u ← (1 + τC)⁻¹ u by conjugate gradients. `c` is the largest
    /// damping rate, and τ = `FILTER` / `c` is large.
    fn remove_damped_part(&self, u: &mut [DVec3], c: f64) {
        let mut residual = u.to_vec();
        let [mut direction, mut product] = [residual.clone(), residual.clone()];
        let columns = [u, &mut residual, &mut direction, &mut product];
        ConjugateGradients::start(DampingFilter { tangent: self, tau: FILTER / c }, columns)
            .reduce(FILTER_TOLERANCE, FILTER_STEPS);
    }
}

/// Matrix 1 + τC.
struct DampingFilter<'a> {
    tangent: &'a Tangent<'a>,
    tau: f64,
}

impl DefiniteSystem for DampingFilter<'_> {
    type Element = DVec3;

    fn multiply(&mut self, direction: &[DVec3], product: &mut [DVec3]) {
        product.fill(DVec3::ZERO);
        self.tangent.damping(direction, product);
        aypx(self.tau, direction, product);
    }

    fn dot(&self, a: &[DVec3], b: &[DVec3]) -> f64 {
        mass_dot(self.tangent.model.masses(), a, b)
    }
}

impl System for Tangent<'_> {
    fn masses(&self) -> &[f64] {
        self.model.masses()
    }

    fn accelerations(&self, _: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.model.acceleration_jvp(self.state.view(), [x, v], a);
        self.subtract_wind(x, a);
    }

    fn acceleration_jvp(&self, at: StateRef, [dx, dv]: [&[DVec3]; 2], out: &mut [DVec3]) {
        self.accelerations(at.t, dx, dv, out);
    }
}

/// Projection of K and C onto vectors that are orthonormal in the inner product Σ m a·b. It acts as
/// a system of particles of 1 kg, one per vector, which move along the first axis.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct ReducedScene {
    vectors: Vec<Vec<DVec3>>,
    stiffness: Matrix,
    damping: Matrix,
    masses: Vec<f64>,
    /// True if the vectors span all degrees of freedom.
    pub is_whole: bool,
}

impl ReducedScene {
    /// Reduces a scene to the vectors with the largest stiffness, the largest damping, and the
    /// largest sums of both. If `undamped` is true, the stiffest of the weakly damped vectors are
    /// added.
    pub fn of(tangent: &Tangent, undamped: bool) -> Self {
        let mass = tangent.model.masses();
        let free: Vec<usize> = (0..mass.len()).filter(|&i| mass[i] > 0.0).collect();
        let is_whole = 3 * free.len() <= MOST_DEGREES_OF_FREEDOM;
        let vectors = if is_whole {
            let unit = |(i, axis): (usize, usize)| {
                let mut vector = vec![DVec3::ZERO; mass.len()];
                vector[i][axis] = 1.0 / mass[i].sqrt();
                vector
            };
            free.iter().flat_map(|&i| (0..3).map(move |axis| (i, axis))).map(unit).collect()
        } else {
            decisive_vectors(tangent, undamped)
        };
        let empty = Matrix::zero(0);
        let (stiffness, damping) = (empty.clone(), empty);
        let mut scene =
            Self { vectors: Vec::new(), stiffness, damping, masses: Vec::new(), is_whole };
        scene.add(tangent, vectors);
        scene
    }

    /// Adds the parts of `vectors` that are orthogonal to the vectors of the scene.
    pub fn add(&mut self, tangent: &Tangent, vectors: Vec<Vec<DVec3>>) {
        let mass = tangent.model.masses();
        for mut vector in vectors {
            if normalise(mass, &mut vector).is_none() {
                continue;
            }
            orthogonalise(mass, &self.vectors, &mut vector);
            if mass_dot(mass, &vector, &vector).sqrt() > LEAST_NEW_PART
                && normalise(mass, &mut vector).is_some()
            {
                self.vectors.push(vector);
            }
        }
        self.project(tangent);
        self.drop_drifting();
    }

    fn project(&mut self, tangent: &Tangent) {
        let (mass, m) = (tangent.model.masses(), self.vectors.len());
        let mut image = vec![DVec3::ZERO; mass.len()];
        (self.stiffness, self.damping) = (Matrix::zero(m), Matrix::zero(m));
        for j in 0..m {
            image.fill(DVec3::ZERO);
            tangent.stiffness(&self.vectors[j], &mut image);
            (0..m).for_each(|i| self.stiffness.set(i, j, mass_dot(mass, &self.vectors[i], &image)));
            image.fill(DVec3::ZERO);
            tangent.damping(&self.vectors[j], &mut image);
            (0..m).for_each(|i| self.damping.set(i, j, mass_dot(mass, &self.vectors[i], &image)));
        }
        self.masses = vec![1.0; m];
    }

    /// Removes the vectors with neither stiffness nor damping. The remaining vectors become
    /// orthogonal combinations of the old ones.
    fn drop_drifting(&mut self) {
        let m = self.vectors.len();
        let mut sum = Matrix::zero(m);
        let scales = [&self.stiffness, &self.damping].map(|matrix| {
            let most = (0..m).map(|i| matrix.at(i, i)).fold(0.0, f64::max);
            if most > 0.0 { 1.0 / most } else { 0.0 }
        });
        for i in 0..m {
            for j in 0..m {
                let [k, c] = [&self.stiffness, &self.damping].map(|matrix| matrix.at(i, j));
                let [k_turned, c_turned] =
                    [&self.stiffness, &self.damping].map(|matrix| matrix.at(j, i));
                sum.set(i, j, 0.5 * (scales[0] * (k + k_turned) + scales[1] * (c + c_turned)));
            }
        }
        let kept: Vec<Vec<f64>> = eigenpairs(sum)
            .into_iter()
            .filter(|(value, _)| *value > MOST_DRIFT)
            .map(|(_, vector)| vector)
            .collect();
        let transformed = |matrix: &Matrix| {
            let mut transformed = Matrix::zero(kept.len());
            for (j, right) in kept.iter().enumerate() {
                let row = |i: usize| (0..m).map(|k| matrix.at(i, k) * right[k]).sum::<f64>();
                let image: Vec<f64> = (0..m).map(row).collect();
                for (i, left) in kept.iter().enumerate() {
                    transformed.set(i, j, left.iter().zip(&image).map(|(a, b)| a * b).sum());
                }
            }
            transformed
        };
        (self.stiffness, self.damping) = (transformed(&self.stiffness), transformed(&self.damping));
        let combine = |weights: &Vec<f64>| {
            let mut vector = vec![DVec3::ZERO; self.vectors.first().map_or(0, Vec::len)];
            for (weight, old) in weights.iter().zip(&self.vectors) {
                vector.iter_mut().zip(old).for_each(|(vector, old)| *vector += *weight * *old);
            }
            vector
        };
        self.vectors = kept.iter().map(combine).collect();
        self.masses = vec![1.0; kept.len()];
    }

    /// True if no vector has stiffness or damping.
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Returns the fastest rate in 1/s: the larger of the largest ω and the largest damping rate.
    pub fn fastest_rate(&self) -> f64 {
        let greatest = |matrix: &Matrix| {
            let most = (0..matrix.size()).map(|i| matrix.at(i, i)).fold(0.0, f64::max);
            eigenpairs(matrix.clone()).first().map_or(most, |(value, _)| *value)
        };
        greatest(&self.stiffness).max(0.0).sqrt().max(greatest(&self.damping))
    }

    /// Returns the angular frequency in rad/s and the damping ratio of the stiffest vector,
    /// ignoring its coupling to other vectors. `None` if no vector has stiffness.
    pub fn fastest_vibration(&self) -> Option<(f64, f64)> {
        let (square, vector) = eigenpairs(self.stiffness.clone()).into_iter().next()?;
        let omega = Some(square).filter(|square| *square > 0.0)?.sqrt();
        let m = vector.len();
        let row = |i: usize| (0..m).map(|j| self.damping.at(i, j) * vector[j]).sum::<f64>();
        let damping = (0..m).map(|i| vector[i] * row(i)).sum::<f64>();
        Some((omega, (damping / (2.0 * omega)).max(0.0)))
    }
}

impl System for ReducedScene {
    fn masses(&self) -> &[f64] {
        &self.masses
    }

    fn accelerations(&self, _: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        let m = self.masses.len();
        for (i, a) in a.iter_mut().enumerate() {
            let push = |j: usize| self.stiffness.at(i, j) * x[j].x + self.damping.at(i, j) * v[j].x;
            *a = DVec3::new(-(0..m).map(push).sum::<f64>(), 0.0, 0.0);
        }
    }

    fn acceleration_jvp(&self, at: StateRef, [dx, dv]: [&[DVec3]; 2], out: &mut [DVec3]) {
        self.accelerations(at.t, dx, dv, out);
    }
}

fn decisive_vectors(tangent: &Tangent, undamped: bool) -> Vec<Vec<DVec3>> {
    let mass = tangent.model.masses();
    let start = || pseudo_random(mass.len());
    let pairs = |apply: &dyn Fn(&[DVec3], &mut [DVec3])| {
        largest_ritz_pairs(mass, start(), LANCZOS_STEPS, VECTORS_PER_OPERATOR, apply)
    };
    let greatest = |pairs: &[RitzPair]| pairs.first().map_or(0.0, |pair| pair.value.max(0.0));
    let stiff = pairs(&|u, out| tangent.stiffness(u, out));
    let damped = pairs(&|u, out| tangent.damping(u, out));
    let (k, c) = (greatest(&stiff), greatest(&damped));
    let mut all = vec![stiff, damped];
    if k > 0.0 && c > 0.0 {
        // With k and c the largest eigenvalues of K and C: C + K/c finds modes in which damping
        // dominates, K + C √k finds all others.
        all.push(pairs(&|u, out| tangent.weighted_sum(u, [c * c, c], out)));
        all.push(pairs(&|u, out| tangent.weighted_sum(u, [k, k.sqrt()], out)));
        if undamped {
            all.push(undamped_pairs(tangent, c));
        }
    }
    all.into_iter().flatten().map(|pair| pair.vector).collect()
}

/// Returns the stiffest of the weakly damped vectors: the eigenvectors with the largest eigenvalues
/// of P K P, where P removes damped motion.
fn undamped_pairs(tangent: &Tangent, c: f64) -> Vec<RitzPair> {
    let mass = tangent.model.masses();
    let mut start = pseudo_random(mass.len());
    start.iter_mut().zip(mass).filter(|(_, m)| **m == 0.0).for_each(|(u, _)| *u = DVec3::ZERO);
    tangent.remove_damped_part(&mut start, c);
    let mut filtered = start.clone();
    let apply = |u: &[DVec3], out: &mut [DVec3]| {
        filtered.copy_from_slice(u);
        tangent.remove_damped_part(&mut filtered, c);
        tangent.stiffness(&filtered, out);
        tangent.remove_damped_part(out, c);
    };
    largest_ritz_pairs(mass, start, LANCZOS_STEPS, VECTORS_PER_OPERATOR, apply)
}
