//! The longest step before a scene explodes: predicted from its fastest vibration, and measured.

use super::growth::{StepMap, grows_from};
use super::matrix::Matrix;
use super::step_matrix::stability_limit;
use crate::model::Model;
use crate::numerics::state::State;
use crate::numerics::system::System;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use crate::simulation::stepper::{LONGEST_DT, SHORTEST_DT};
use glam::DVec3;

/// Lanczos steps: a chain of 1000 and a cloth of 30 × 30 have ω to 0.1 % by then, a cloth of
/// 100 × 100 to 0.2 %.
const LANCZOS_STEPS: usize = 20;
/// Relative accuracy of a measured limit.
const ACCURACY: f64 = 1e-3;
/// Its search begins so much below and above the predicted one.
const FIRST_RATIO: f64 = 1.01;
/// A scheme for which no limit is predicted is tried at this ωh.
const MOST_Z: f64 = 100.0;
/// A scheme that is never stable is tried at this ωh: Heun, which grows slowest, gains 0.8 % a step.
const SEEN_Z: f64 = 0.5;

/// The fastest vibration of a scene as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct FastestMode {
    /// Its angular frequency in rad/s.
    pub omega: f64,
    /// A cautious upper value: √(ω² + residual). The residual bounds the distance to some
    /// eigenvalue, which need not be the greatest.
    pub omega_cautious: f64,
    /// Its damping ratio ξ = φᵀCφ / (2ω φᵀMφ).
    pub damping_ratio: f64,
    /// Its shape φ, a displacement a particle, with φᵀMφ = 1 kg m².
    pub shape: Vec<DVec3>,
}

impl FastestMode {
    /// Finds it by Lanczos steps on M⁻¹K in the inner product of M, where K is the tangent
    /// stiffness at `state` (the positive semidefinite part of it, as implicit solvers see it),
    /// with full reorthogonalisation, from `start` or a fixed pseudo-random vector. `None` where
    /// nothing vibrates: there are no springs, or all particles are pinned.
    pub fn of(model: &Model, state: &State, start: Option<&[DVec3]>) -> Option<Self> {
        let mass = model.masses();
        let n = mass.len();
        let mut u = match start {
            Some(start) if start.len() == n => start.to_vec(),
            _ => pseudo_random(n),
        };
        u.iter_mut().zip(mass).filter(|(_, m)| **m == 0.0).for_each(|(u, _)| *u = DVec3::ZERO);
        normalise(mass, &mut u)?;
        let (mut basis, mut alpha, mut beta) = (vec![u], Vec::new(), Vec::new());
        let zero = vec![DVec3::ZERO; n];
        let mut residual = 0.0;
        for k in 0..LANCZOS_STEPS {
            let mut w = zero.clone();
            model.acceleration_jvp(state.t, &state.x, &state.v, &basis[k], &zero, &mut w);
            w.iter_mut().for_each(|w| *w = -*w);
            alpha.push(dot(mass, &basis[k], &w));
            // Twice is enough (Parlett 1980, The Symmetric Eigenvalue Problem, section 6.9).
            for _ in 0..2 {
                for q in &basis {
                    let along = dot(mass, q, &w);
                    w.iter_mut().zip(q).for_each(|(w, q)| *w -= along * *q);
                }
            }
            residual = dot(mass, &w, &w).sqrt();
            let scale = alpha.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
            if residual <= 1e-12 * scale || k + 1 == LANCZOS_STEPS {
                break;
            }
            beta.push(residual);
            normalise(mass, &mut w)?;
            basis.push(w);
        }
        let (square, ritz) = greatest_eigenpair(&alpha, &beta);
        if !(square.is_finite() && square > 0.0) {
            return None;
        }
        let mut shape = zero.clone();
        for (q, s) in basis.iter().zip(&ritz) {
            shape.iter_mut().zip(q).for_each(|(shape, q)| *shape += *s * *q);
        }
        normalise(mass, &mut shape)?;
        let omega = square.sqrt();
        let mut damped = zero.clone();
        model.acceleration_jvp(state.t, &state.x, &state.v, &zero, &shape, &mut damped);
        Some(Self {
            omega,
            omega_cautious: (square + residual * ritz.last().map_or(0.0, |s| s.abs())).sqrt(),
            damping_ratio: (-dot(mass, &shape, &damped) / (2.0 * omega)).max(0.0),
            shape,
        })
    }

    /// The particle that moves most.
    pub fn particle(&self) -> u32 {
        greatest(&self.shape)
    }
}

/// The limit of one lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The fastest vibration of what pushes as springs; `None` where nothing vibrates.
    pub mode: Option<FastestMode>,
    /// Greatest stable ωh of the scheme at the damping ratio of the mode, of one substep.
    pub z: f64,
    /// Whether the scheme has a stable step for vibrations that nothing damps.
    pub holds_undamped: bool,
    /// Whether colliders push like springs, which shortens the step when something touches them.
    pub colliders_push: bool,
    /// The longest step that holds in seconds: 0 = none, ∞ = any.
    pub dt: f64,
}

impl Limit {
    /// The limit of settings on a scene whose fastest vibration is known.
    pub fn of(mode: Option<FastestMode>, settings: &Settings) -> Self {
        let xi = mode.as_ref().map_or(0.0, |mode| mode.damping_ratio);
        let z = stability_limit(&settings.integrator, xi);
        let longest = |mode: &FastestMode| f64::from(settings.substeps) * z / mode.omega;
        let dt = mode.as_ref().map_or(f64::INFINITY, longest);
        let holds_undamped = stability_limit(&settings.integrator, 0.0) > 0.0;
        let colliders_push = settings.contact.penalty().is_some();
        Self { mode, z, holds_undamped, colliders_push, dt }
    }

    /// What it says of a step, in words.
    pub fn verdict(&self) -> String {
        match &self.mode {
            None if self.colliders_push => {
                "nothing pushes as a spring, nothing touches: no limit before it does".to_owned()
            }
            None => "nothing pushes as a spring: no limit".to_owned(),
            Some(_) if self.dt == 0.0 => "grows with every step, however short".to_owned(),
            Some(_) if self.dt.is_infinite() => "holds with every step".to_owned(),
            Some(_) => {
                let (dt, z) = (three_digits(self.dt * 1e3), three_digits(self.z));
                let grows = if self.holds_undamped {
                    ""
                } else {
                    "grows at any step where nothing damps, and "
                };
                format!("{grows}explodes above {dt} ms (ωh = {z})")
            }
        }
    }
}

/// Three significant digits.
fn three_digits(value: f64) -> String {
    if !(1e-3..1e4).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    let decimals = (2 - value.abs().log10().floor() as i32).max(0) as usize;
    format!("{value:.decimals$}")
}

/// The predicted limit of a simulation as it stands. Links that the constraint solver holds do not
/// vibrate and are left out: see [`super::growth`] for the whole step.
pub fn predict(simulation: &Simulation) -> Limit {
    predict_from(simulation, None)
}

/// As [`predict`], with a start for the search such as the shape that was found some frames ago.
pub fn predict_from(simulation: &Simulation, start: Option<&[DVec3]>) -> Limit {
    let mode = FastestMode::of(simulation.model(), simulation.state(), start);
    Limit::of(mode, simulation.settings())
}

/// Measures the longest step that holds, by bisection: each step is tried with the whole core
/// (scheme, solver, substeps) on the simulation as it stands, from a perturbation of the fastest
/// mode by 1e-6 of a link. `check` is asked before each try. 0 = none holds, ∞ = none that was
/// tried failed. Of a scheme whose step is not linear a perturbation says nothing.
pub fn measure<E>(
    simulation: &Simulation,
    limit: &Limit,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<f64, E> {
    let Some(mode) = &limit.mode else { return Ok(f64::INFINITY) };
    let substeps = f64::from(simulation.settings().substeps);
    let mut holds = |dt: f64| -> Result<bool, E> {
        check()?;
        Ok(StepMap::new(simulation, dt, 1)
            .is_some_and(|mut map| !grows_from(&mut map, &mode.shape)))
    };
    if limit.dt == 0.0 {
        // Near 0 it grows too slowly to be seen in a few hundred steps.
        let seen = holds(SEEN_Z * substeps / mode.omega)?;
        return Ok(if seen { f64::INFINITY } else { 0.0 });
    }
    let most = MOST_Z * substeps / mode.omega;
    if limit.dt.is_infinite() && holds(most.min(LONGEST_DT))? {
        return Ok(f64::INFINITY);
    }
    let expected = limit.dt.min(most).min(LONGEST_DT);
    let (mut stable, mut unstable) = (expected / FIRST_RATIO, expected * FIRST_RATIO);
    let mut ratio = FIRST_RATIO * FIRST_RATIO;
    while !holds(stable)? {
        ratio *= ratio;
        (stable, unstable) = (stable / ratio, stable);
        if stable < SHORTEST_DT {
            return Ok(0.0);
        }
    }
    while holds(unstable)? {
        ratio *= ratio;
        (stable, unstable) = (unstable, unstable * ratio);
        if stable > LONGEST_DT {
            return Ok(f64::INFINITY);
        }
    }
    while unstable / stable > 1.0 + ACCURACY {
        let middle = (stable + unstable) / 2.0;
        if holds(middle)? {
            stable = middle;
        } else {
            unstable = middle;
        }
    }
    Ok((stable + unstable) / 2.0)
}

/// Σ m a·b.
pub(super) fn dot(mass: &[f64], a: &[DVec3], b: &[DVec3]) -> f64 {
    mass.iter().zip(a).zip(b).map(|((m, a), b)| m * a.dot(*b)).sum()
}

/// Scales to length 1 in the inner product of the masses; `None` without a length.
fn normalise(mass: &[f64], u: &mut [DVec3]) -> Option<()> {
    let length = dot(mass, u, u).sqrt();
    (length > 0.0 && length.is_finite()).then(|| u.iter_mut().for_each(|u| *u /= length))
}

/// The particle with the longest vector.
pub(super) fn greatest(shape: &[DVec3]) -> u32 {
    let length = |i: &usize| shape[*i].length_squared();
    (0..shape.len()).max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or(0) as u32
}

/// Greatest eigenvalue of a symmetric tridiagonal matrix with its eigenvector of length 1.
fn greatest_eigenpair(diagonal: &[f64], beside: &[f64]) -> (f64, Vec<f64>) {
    let n = diagonal.len();
    let mut matrix = Matrix::zero(n);
    for (i, a) in diagonal.iter().enumerate() {
        matrix.set(i, i, *a);
    }
    for (i, b) in beside.iter().enumerate().take(n.saturating_sub(1)) {
        matrix.set(i, i + 1, *b);
        matrix.set(i + 1, i, *b);
    }
    // Shifted so that no eigenvalue is negative, the greatest one dominates.
    let (_, vector) = matrix.clone().shifted(matrix.row_norm()).dominant();
    let image = |i: usize| (0..n).map(|j| matrix.at(i, j) * vector[j]).sum::<f64>();
    ((0..n).map(|i| vector[i] * image(i)).sum(), vector)
}

/// Vectors with components from −1 to 1, always the same ones: a start that is symmetric, as a
/// scene may be, could be free of the fastest mode.
pub(super) fn pseudo_random(n: usize) -> Vec<DVec3> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        // xorshift64 (Marsaglia 2003, J. Stat. Softw. 8, 14).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..n).map(|_| DVec3::new(next(), next(), next())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::step_matrix::is_linear;
    use crate::integrate::{GeneralizedAlpha, Method};
    use crate::scene::Scene;
    use std::convert::Infallible;
    use std::f64::consts::PI;

    const SPRING: &str = r#"(version: 1, name: "spring", forces: [],
        particles: [(name: "hook", at: (0, 2, 0)), (name: "bob", at: (0, 1, 0), mass: 0.5)],
        links: [(a: Body("hook"), b: Body("bob"), stiffness: 2000)], pins: [(of: Body("hook"))])"#;

    fn chain(damping: f64) -> String {
        format!(
            r#"(version: 1, name: "chain", forces: [],
            materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 500, damping: {damping})],
            ropes: [(name: "rope", from: (0, 0, 0), to: (3, 0, 0), segments: 100, material: "cord")],
            pins: [(of: Start("rope"))])"#
        )
    }

    const CLOTH: &str = r#"(version: 1, name: "cloth", forces: [],
        materials: [Cloth(name: "linen", bend_stiffness: 0, damping: 0)],
        cloths: [(name: "cloth", corner: (0, 2, 0), across: (1, 0, 0), down: (0, -1, 0),
                  cells: (29, 29), material: "linen")],
        pins: [(of: Edge("cloth", Top))])"#;

    /// Two masses of 1 : 100 between which a spring is all there is.
    const UNEQUAL: &str = r#"(version: 1, name: "unequal", forces: [],
        particles: [(name: "light", at: (0, 2, 0), mass: 0.01), (name: "heavy", at: (0, 1, 0))],
        links: [(a: Body("light"), b: Body("heavy"), stiffness: 300)])"#;

    fn lane(scene: &str, integrator: Method) -> Simulation {
        let scene = Scene::parse(scene, "test").unwrap();
        let settings = Settings { integrator, ..Settings::default() };
        Simulation::new(scene.parts.clone(), settings)
    }

    fn mode(scene: &str) -> FastestMode {
        let simulation = lane(scene, Method::VelocityVerlet);
        FastestMode::of(simulation.model(), simulation.state(), None).unwrap()
    }

    /// ω of the top mode of a chain of n equal links, one end held, the last mass being `tip` of the
    /// others: fixed–free with tip ½ is 2√(k/m) sin((2n − 1)π/(4n)).
    fn chain_omega(k: f64, m: f64, n: f64) -> f64 {
        2.0 * (k / m).sqrt() * ((2.0 * n - 1.0) * PI / (4.0 * n)).sin()
    }

    #[test]
    fn the_fastest_mode_has_the_frequency_of_its_closed_form() {
        assert!((mode(SPRING).omega - 4000f64.sqrt()).abs() < 1e-9);
        assert!((mode(UNEQUAL).omega - (300.0 * (100.0 + 1.0f64)).sqrt()).abs() < 1e-9);
        // 0.03 m a link: EA/l, and the mass of a link, half of it at the free end.
        let expected = chain_omega(500.0 / 0.03, 0.2 * 0.03, 100.0);
        let found = mode(&chain(0.0));
        assert!((found.omega / expected - 1.0).abs() < 2e-3, "{} not {expected}", found.omega);
        assert!(found.omega <= expected * (1.0 + 1e-12), "a Ritz value stays below");
        assert!((0.999..1.01).contains(&(found.omega_cautious / expected)), "{found:?}");
    }

    #[test]
    fn the_damping_ratio_is_that_of_the_fastest_mode() {
        // C = (c/k) K, so ξ = cω/(2k).
        let found = mode(&chain(0.02));
        let expected = 0.02 / 500.0 * found.omega / 2.0;
        assert!((found.damping_ratio / expected - 1.0).abs() < 1e-6, "{}", found.damping_ratio);
    }

    #[test]
    fn stiffness_damping_of_a_lane_is_seen_and_shortens_the_limit() {
        let mut simulation = lane(SPRING, Method::SymplecticEuler);
        let (omega, undamped) = (4000f64.sqrt(), predict(&simulation).dt);
        let stiffness_damping = 2.0 * 0.3 / omega;
        simulation.configure(Settings { stiffness_damping, ..*simulation.settings() });
        let limit = predict(&simulation);
        let xi = limit.mode.as_ref().unwrap().damping_ratio;
        assert!((xi - 0.3).abs() < 1e-9, "{xi}");
        assert!(limit.dt < 0.9 * undamped, "{} not below {undamped}", limit.dt);
        let Ok(measured) = measure(&simulation, &limit, || Ok::<(), Infallible>(()));
        assert!((measured / limit.dt - 1.0).abs() < 0.01, "{measured}, not {}", limit.dt);
    }

    #[test]
    fn a_scene_without_springs_has_no_limit() {
        let scene = r#"(version: 1, name: "ball", particles: [(name: "ball", at: (0, 2, 0))])"#;
        let limit = predict(&lane(scene, Method::SymplecticEuler));
        assert_eq!((limit.mode, limit.dt), (None, f64::INFINITY));
    }

    #[test]
    fn substeps_lengthen_the_limit_of_the_step() {
        let mut simulation = lane(SPRING, Method::VelocityVerlet);
        assert!((predict(&simulation).dt - 2.0 / 4000f64.sqrt()).abs() < 1e-6);
        simulation.configure(Settings { substeps: 5, ..*simulation.settings() });
        assert!((predict(&simulation).dt - 10.0 / 4000f64.sqrt()).abs() < 1e-6);
    }

    fn measured(scene: &str, integrator: Method) -> (f64, f64) {
        let simulation = lane(scene, integrator);
        let limit = predict(&simulation);
        let Ok(measured) = measure(&simulation, &limit, || Ok::<(), Infallible>(()));
        (limit.dt, measured)
    }

    fn assert_within_a_percent(scene: &str, methods: impl Iterator<Item = Method>) {
        let mut seen = 0;
        for method in methods.filter(is_linear) {
            let (predicted, measured) = measured(scene, method);
            if predicted > 0.0 && predicted.is_finite() {
                seen += 1;
                let ratio = measured / predicted;
                assert!((ratio - 1.0).abs() < 0.01, "{method:?}: {measured}, not {predicted}");
            }
        }
        assert!(seen > 0, "no method had a limit");
    }

    #[test]
    fn predicted_and_measured_limits_agree_on_one_spring() {
        assert_within_a_percent(SPRING, Method::all());
    }

    #[test]
    fn predicted_and_measured_limits_agree_on_unequal_masses() {
        assert_within_a_percent(UNEQUAL, Method::all());
    }

    #[test]
    fn predicted_and_measured_limits_agree_on_a_chain_of_100() {
        assert_within_a_percent(&chain(0.0), Method::all());
    }

    /// Sideways this chain is slack and drifts, which is no growth.
    #[test]
    fn predicted_and_measured_limits_agree_on_a_damped_chain() {
        assert_within_a_percent(&chain(0.02), Method::all());
    }

    #[test]
    fn predicted_and_measured_limits_agree_on_a_cloth_with_shear() {
        let few = ["symplectic-euler", "velocity-verlet", "rk4", "numerical-damping"];
        assert_within_a_percent(CLOTH, few.iter().map(|name| Method::from_name(name).unwrap()));
    }

    #[test]
    fn a_limit_that_only_damping_gives_is_told_as_such() {
        let of = |scene: &str, integrator| predict(&lane(scene, integrator)).verdict();
        let explicit = of(&chain(0.02), Method::ExplicitEuler);
        assert!(explicit.starts_with("grows at any step where nothing damps, and explodes above"));
        let symplectic = of(&chain(0.02), Method::SymplecticEuler);
        assert!(symplectic.starts_with("explodes above"), "{symplectic}");
    }

    #[test]
    fn schemes_without_a_limit_are_measured_to_have_none() {
        let alpha = Method::GeneralizedAlpha(GeneralizedAlpha::default());
        for method in [Method::ImplicitEuler, Method::Trapezoid, alpha] {
            assert_eq!(measured(SPRING, method), (f64::INFINITY, f64::INFINITY), "{method:?}");
        }
        for method in [Method::ExplicitEuler, Method::Heun, Method::AdamsBashforth2] {
            assert_eq!(measured(SPRING, method), (0.0, 0.0), "{method:?}");
        }
    }
}
