//! Growth factor per step of a lane (one simulation of the scene with its own settings). It is
//! computed from the linearised map of the whole step, constraint solver included.
//!
//! Φ maps a state (positions, velocities, memory of the integrator) to the state some steps later.
//! Its derivative along u is computed as (Φ(y + δu) − Φ(y))/δ, so integrator, solver and contact
//! need not provide derivatives.

use super::energy_run::gains_energy;
use crate::analysis::linear::mass_product::{longest_displacement, pseudo_random};
use crate::analysis::linear::matrix::Matrix;
use crate::numerics::sums::mass_dot;
use crate::numerics::system::System;
use crate::simulation::{Simulation, Snapshot};
use glam::DVec3;

/// Number of steps per application of the map in [`Growth::of`]. With one step, Krylov vectors
/// report growth even below the stability limit, because the map is highly non-normal. With four
/// steps, their result is right on both sides of the limit.
const STEPS_PER_VECTOR: u32 = 4;
/// Number of Krylov vectors of the Arnoldi iteration.
const ARNOLDI_STEPS: usize = 20;
/// Growth factor per step above which a lane counts as growing. Its excess over 1 is larger than
/// the error of the method.
pub const LEAST_GROWTH_PER_STEP: f64 = 1.002;
/// Number of steps for which a perturbation is followed.
const CHECKED_STEPS: u32 = 400;
/// Largest number of rounds of [`grows_from`]. Each round takes ten times as many steps as the
/// round before, with a tenth of its threshold.
const MOST_ROUNDS: u32 = 3;
/// Fraction of the threshold below which growth is excluded. Between this fraction and the
/// threshold, another round is needed. For comparison: explicit Euler on a chain with the damping
/// ratio ξ = 0.07 grows by 5e-5 per step if the step is 0.5 % too long.
const LEAST_OPEN_FRACTION: f64 = 1.0 / 40.0;
/// Number of steps for measuring the growth of one mode. If more steps were taken, faster modes
/// would outgrow it.
const STEPS_OF_A_MODE: u32 = 8;
/// Length in steps of each of the two windows whose largest sizes are compared. A window is longer
/// than a beat between modes.
const WINDOW: u32 = 40;
/// Duration of the run that must confirm growth, in simulated seconds.
const CONFIRMED_SECONDS: f64 = 3.0;
/// Total growth factor at which a perturbation counts as having grown, whatever happens later.
const CERTAIN_GROWTH: f64 = 1e6;
/// Size of a perturbation, as a fraction of the mean rest length of a link.
const PERTURBATION: f64 = 1e-6;
/// Number of steps after which every integrator has filled its memory of earlier steps.
const WARM_UP: u32 = 3;

/// Columns of a state: positions, velocities, and the memory of the integrator.
type StateColumns = Vec<Vec<DVec3>>;

/// Map Φ of some steps, linearised at the current state of a simulation.
#[derive(Clone, Debug)]
pub struct StepMap {
    simulation: Simulation,
    start: Snapshot,
    image: StateColumns,
    dt: f64,
    steps: u32,
    /// Weight of each column in the length of a perturbation, in metres per unit of the column.
    weights: Vec<f64>,
    /// Largest displacement of a particle by a perturbation, in metres.
    delta: f64,
}

impl StepMap {
    /// Creates the map of the given number of steps of `dt` seconds, without the mouse drag. The
    /// map begins a few steps after the current state, because the integrator must fill its memory
    /// first. `None` if the simulation explodes in these steps.
    pub fn new(simulation: &Simulation, dt: f64, steps: u32) -> Option<Self> {
        let mut simulation = simulation.clone();
        simulation.release();
        take_steps(&mut simulation, WARM_UP, dt)?;
        Self::of_next(simulation, dt, steps)
    }

    /// Creates the map of the next steps of a simulation whose last steps were of `dt` seconds.
    /// `None` if the simulation explodes.
    pub fn of_next(mut simulation: Simulation, dt: f64, steps: u32) -> Option<Self> {
        simulation.release();
        let start = simulation.snapshot();
        take_steps(&mut simulation, steps, dt)?;
        let image = simulation.snapshot().columns().map(<[DVec3]>::to_vec).collect();
        let delta = PERTURBATION * simulation.model().topology().links().mean_rest_length();
        let mut map = Self { simulation, start, image, dt, steps, weights: Vec::new(), delta };
        map.set_weights()?;
        Some(map)
    }

    /// Sets the weights: 1 for positions, dt for velocities. The units of an integrator's memory
    /// are unknown, so its columns get weights that make a displacement change them as much as the
    /// positions.
    fn set_weights(&mut self) -> Option<()> {
        self.weights = vec![1.0; self.image.len()];
        self.weights[1] = self.dt;
        let mut probe = self.displacement(&pseudo_random(self.image[0].len()));
        let left = self.apply(&mut probe)?;
        let size = |column: &[DVec3]| column.iter().map(|p| p.length_squared()).sum::<f64>().sqrt();
        let displaced = size(&left[0]);
        for (weight, column) in self.weights.iter_mut().zip(&left).skip(2) {
            let size = size(column);
            *weight = if size > 0.0 && displaced > 0.0 { displaced / size } else { 1.0 };
        }
        Some(())
    }

    /// Returns a perturbation that displaces free particles by `displacements` and changes nothing
    /// else.
    fn displacement(&self, displacements: &[DVec3]) -> StateColumns {
        let mut columns = vec![vec![DVec3::ZERO; displacements.len()]; self.image.len()];
        let free = self.simulation.model().inverse_masses().iter().map(|w| *w > 0.0);
        for ((to, from), free) in columns[0].iter_mut().zip(displacements).zip(free) {
            *to = if free { *from } else { DVec3::ZERO };
        }
        columns
    }

    /// Scales `u` to length 1 and applies the derivative of the map to it. `None` if a step
    /// explodes, or if `u` has no finite positive length.
    fn apply(&mut self, u: &mut StateColumns) -> Option<StateColumns> {
        let length = self.length(u);
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        u.iter_mut().flatten().for_each(|u| *u /= length);
        // Every single particle must stay in the linear range, so the longest displacement
        // determines the scale.
        let longest = u
            .iter()
            .zip(&self.weights)
            .flat_map(|(column, weight)| column.iter().map(move |p| weight * p.length()))
            .fold(0.0, f64::max);
        let delta = self.delta / longest;
        let mut start = self.start.clone();
        for (column, u) in start.columns_mut().zip(&*u) {
            column.iter_mut().zip(u).for_each(|(y, u)| *y += delta * *u);
        }
        self.simulation.restore(&start);
        take_steps(&mut self.simulation, self.steps, self.dt)?;
        let end = self.simulation.snapshot();
        let differences = end.columns().zip(&self.image).map(|(column, image)| {
            column.iter().zip(image).map(|(y, image)| (*y - *image) / delta).collect()
        });
        Some(differences.collect())
    }

    fn dot(&self, a: &StateColumns, b: &StateColumns) -> f64 {
        let columns = a.iter().zip(b).zip(&self.weights);
        let along = |((a, b), weight): ((&Vec<DVec3>, &Vec<DVec3>), &f64)| {
            weight * weight * a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>()
        };
        columns.map(along).sum()
    }

    fn length(&self, u: &StateColumns) -> f64 {
        self.dot(u, u).sqrt()
    }

    /// Returns √(xᵀKx + vᵀMv) of a perturbation, where K is the tangent stiffness of the springs.
    fn energy_norm(&self, u: &StateColumns) -> f64 {
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let [x, v, ..] = &u[..] else { return 0.0 };
        let (still, mut push) = (vec![DVec3::ZERO; x.len()], vec![DVec3::ZERO; x.len()]);
        model.acceleration_jvp(state.view(), [x, &still], &mut push);
        let mass = model.masses();
        (mass_dot(mass, v, v) - mass_dot(mass, x, &push)).max(0.0).sqrt()
    }
}

/// Takes steps of `dt` seconds; returns `None` if the simulation explodes.
fn take_steps(simulation: &mut Simulation, steps: u32, dt: f64) -> Option<()> {
    for _ in 0..steps {
        simulation.step(dt);
        if simulation.explosion().is_some() {
            return None;
        }
    }
    Some(())
}

/// True if this displacement grows in repeated applications of the map. Growth is measured by the
/// energy xᵀKx + vᵀMv, because a slack chain that drifts sideways moves far without gaining energy.
/// Near the limit, slow growth is hard to distinguish from the rotation of a mode, so up to 44,000
/// further steps are taken if 400 steps are inconclusive.
pub fn grows_from(map: &mut StepMap, displacements: &[DVec3]) -> bool {
    let mut u = map.displacement(displacements);
    let (mut steps, mut threshold) = (CHECKED_STEPS, LEAST_GROWTH_PER_STEP - 1.0);
    for _ in 0..MOST_ROUNDS {
        let growth;
        (growth, u) = apply_repeatedly(map, u, steps, StepMap::energy_norm);
        if growth > 1.0 + threshold {
            return true;
        }
        if growth < 1.0 + LEAST_OPEN_FRACTION * threshold {
            return false;
        }
        (steps, threshold) = (10 * steps, threshold / 10.0);
    }
    false
}

/// Returns the number of steps in which the size of this displacement (the square root of its
/// energy) doubles, counted from the step with the smallest size. `None` if the size does not
/// double within `most` steps. `check` is called after every step.
pub(super) fn steps_of_doubling<E>(
    map: &mut StepMap,
    displacements: &[DVec3],
    most: u64,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<Option<u64>, E> {
    let mut u = map.displacement(displacements);
    let (mut log_size, mut least, mut steps_of_least) = (0.0_f64, 0.0_f64, 0);
    let mut steps = 0;
    while steps < most {
        check()?;
        steps += u64::from(map.steps);
        let Some(image) = map.apply(&mut u) else { return Ok(Some(steps - steps_of_least)) };
        let (before, after) = (map.energy_norm(&u), map.energy_norm(&image));
        if before == 0.0 || after == 0.0 {
            return Ok(None);
        }
        u = image;
        log_size += (after / before).ln();
        if log_size < least {
            (least, steps_of_least) = (log_size, steps);
        }
        if log_size - least >= std::f64::consts::LN_2 {
            return Ok(Some(steps - steps_of_least));
        }
    }
    Ok(None)
}

/// Returns the growth factor per step of a mode with this displacement and angular frequency,
/// measured over 8 steps.
pub fn growth_of_mode(map: &mut StepMap, displacements: &[DVec3], omega: f64) -> f64 {
    // The energy of a mode is proportional to |x|² + |v/ω|².
    map.weights[1] = 1.0 / omega;
    let u = map.displacement(displacements);
    apply_repeatedly(map, u, STEPS_OF_A_MODE, StepMap::length).0
}

/// Applies the map to a perturbation again and again: `steps` times, or until the perturbation has
/// grown a million-fold. Returns the growth factor per step in the second half, and the final
/// perturbation. The factor is infinite if a step explodes.
fn apply_repeatedly(
    map: &mut StepMap,
    mut u: StateColumns,
    steps: u32,
    size: impl Fn(&StepMap, &StateColumns) -> f64,
) -> (f64, StateColumns) {
    let (mut log_size, mut log_sizes) = (0.0_f64, Vec::new());
    for _ in 0..steps / map.steps {
        let Some(image) = map.apply(&mut u) else { return (f64::INFINITY, u) };
        let (before, after) = (size(map, &u), size(map, &image));
        if before == 0.0 || after == 0.0 {
            return (0.0, u);
        }
        u = image;
        log_size += (after / before).ln();
        log_sizes.push(log_size);
        if !log_size.is_finite() || log_size > CERTAIN_GROWTH.ln() {
            break;
        }
    }
    let (half, end) = (log_sizes.len() / 2, log_sizes.len());
    // Beats between modes make the size of the perturbation oscillate. The growth is therefore
    // measured between the largest sizes in two windows, each longer than a beat.
    let window = ((WINDOW / map.steps) as usize).clamp(1, half.max(1));
    let greatest = |end: usize| {
        let sizes = &log_sizes[end.saturating_sub(window)..end.max(1)];
        sizes.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    };
    let steps = f64::from(map.steps) * (end - half).max(1) as f64;
    let grown = if half > 0 { greatest(end) - greatest(half) } else { log_size };
    ((grown / steps).exp(), u)
}

/// Returns the growth of a lane in its current state, provided that a run of three seconds from
/// this state gains energy. Otherwise returns `None`. Without the run, stable scenes would also
/// seem to grow, because contact and projection amplify small perturbations for a moment. `check`
/// is called after every step of the run.
pub fn confirmed_growth<E>(
    simulation: &Simulation,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<Option<Growth>, E> {
    let growth = Growth::of(simulation);
    let confirmed = growth.grows() && gains_energy(simulation, CONFIRMED_SECONDS, &mut check)?;
    Ok(confirmed.then_some(growth))
}

/// Growth of a lane in its current state.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// Growth factor per step of the fastest-growing perturbation; infinite if a step explodes.
    pub per_step: f64,
    /// Displacement of each particle in the fastest-growing perturbation, scaled so that the
    /// longest has length 1.
    pub displacements: Vec<DVec3>,
    /// Index of the particle with the longest displacement.
    pub particle: u32,
}

impl Growth {
    /// True if the growth exceeds the error of the method.
    pub fn grows(&self) -> bool {
        self.per_step > LEAST_GROWTH_PER_STEP
    }

    /// Returns the growth of a simulation with its own step. The growth is the largest Ritz value
    /// of 20 Arnoldi steps with the map of four steps, from a fixed pseudo-random start. This takes
    /// 90 steps in total. A Ritz value of a highly non-normal map may exceed 1 although nothing
    /// grows, so 400 more steps check the apparent growth.
    pub fn of(simulation: &Simulation) -> Self {
        Self::with_step(simulation, simulation.settings().dt)
    }

    /// Returns the growth like [`Growth::of`], but with another step.
    pub fn with_step(simulation: &Simulation, dt: f64) -> Self {
        Self::of_map(StepMap::new(simulation, dt, STEPS_PER_VECTOR), simulation.state().len())
    }

    /// Returns the growth in the very next step of a simulation whose last steps were of `dt`
    /// seconds. A motion that grows many-fold per step leaves the linear range after a few steps,
    /// so only one step is used.
    pub fn of_next_step(simulation: &Simulation, dt: f64) -> Self {
        let map = StepMap::of_next(simulation.clone(), dt, 1);
        Self::of_map(map, simulation.state().len())
    }

    fn of_map(map: Option<StepMap>, particles: usize) -> Self {
        let displacements = vec![DVec3::ZERO; particles];
        let exploded = || Self { per_step: f64::INFINITY, displacements, particle: 0 };
        let Some(mut map) = map else { return exploded() };
        let Some((radius, mut columns)) = arnoldi(&mut map, ARNOLDI_STEPS) else {
            return exploded();
        };
        let mut per_step = radius.powf(1.0 / f64::from(map.steps));
        if per_step > LEAST_GROWTH_PER_STEP {
            (per_step, columns) =
                apply_repeatedly(&mut map, columns, CHECKED_STEPS, StepMap::length);
        }
        let mut displacements = columns.into_iter().next().unwrap_or_default();
        let particle = longest_displacement(&displacements);
        let longest = displacements.get(particle as usize).map_or(0.0, |p| p.length());
        if longest > 0.0 {
            displacements.iter_mut().for_each(|p| *p /= longest);
        }
        Self { per_step, displacements, particle }
    }
}

/// Returns the largest modulus of a Ritz value, and its Ritz vector. `None` if a step explodes.
fn arnoldi(map: &mut StepMap, steps: usize) -> Option<(f64, StateColumns)> {
    let n = map.image[0].len();
    let mut first = map.displacement(&pseudo_random(n));
    let velocities = map.displacement(&pseudo_random(n + 1)[1..]);
    let dt = map.dt;
    first[1] = velocities[0].iter().map(|v| *v / dt).collect();
    let (mut basis, mut entries): (Vec<StateColumns>, Vec<Vec<f64>>) = (vec![first], Vec::new());
    for k in 0..steps {
        let mut u = basis[k].clone();
        if map.length(&u) == 0.0 {
            return Some((0.0, u)); // no particle can move
        }
        let mut w = map.apply(&mut u)?;
        basis[k] = u;
        let size = map.length(&w);
        let mut column = vec![0.0; k + 1];
        for _ in 0..2 {
            for (q, h) in basis.iter().zip(&mut column) {
                let along = map.dot(q, &w);
                *h += along;
                for (w, q) in w.iter_mut().flatten().zip(q.iter().flatten()) {
                    *w -= along * *q;
                }
            }
        }
        let rest = map.length(&w);
        column.push(rest);
        entries.push(column);
        // A remainder below the rounding error of the difference quotient contains no new
        // direction.
        if rest <= 1e-8 * size.max(1e-300) {
            break;
        }
        basis.push(w);
    }
    let mut hessenberg = Matrix::zero(entries.len());
    for (k, column) in entries.iter().enumerate() {
        for (i, h) in column.iter().enumerate().take(entries.len()) {
            hessenberg.set(i, k, *h);
        }
    }
    let (radius, ritz) = hessenberg.dominant();
    let mut vector = vec![vec![DVec3::ZERO; n]; map.image.len()];
    for (q, s) in basis.iter().zip(&ritz) {
        for (to, q) in vector.iter_mut().flatten().zip(q.iter().flatten()) {
            *to += *s * *q;
        }
    }
    Some((radius, vector))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::vibration::fastest_mode::FastestMode;
    use crate::integrate::Method;
    use crate::simulation::settings::Settings;
    use crate::support;

    /// Creates a hanging chain of 30 links at rest: every link carries the weight below it.
    fn hanging_chain() -> Simulation {
        let (k, m, g, rest) = (2000.0, 0.02, 9.81, 0.05);
        let mut y = 2.0;
        let mut particles = format!("(name: \"hook\", at: (0, {y}, 0)),");
        let mut links = String::new();
        for i in 1..=30 {
            y -= rest + m * g * f64::from(31 - i) / k;
            particles += &format!("(at: (0, {y:?}, 0), mass: {m}),");
            links += &format!(
                "(a: Particle({}), b: Particle({i}), rest: {rest}, stiffness: {k}),",
                i - 1
            );
        }
        let text = format!(
            "(version: 1, name: \"chain\", particles: [{particles}], links: [{links}],
              pins: [(of: Body(\"hook\"))])"
        );
        let scene = support::scene(&text);
        let integrator = Method::SymplecticEuler;
        Simulation::new(scene.parts.clone(), Settings { integrator, ..Settings::default() })
    }

    /// Returns ω of the fastest mode of n = 30 equal masses m on springs of stiffness k below a
    /// hook, 2√(k/m) sin((2n − 1)π/(2(2n + 1))).
    fn omega() -> f64 {
        2.0 * (2000.0f64 / 0.02).sqrt() * (59.0 * std::f64::consts::PI / 122.0).sin()
    }

    #[test]
    fn growth_of_a_hanging_chain_is_right_on_both_sides_of_its_limit() {
        let simulation = hanging_chain();
        let growth = |part: f64| Growth::with_step(&simulation, part * 2.0 / omega()).per_step;
        for below in [0.5, 0.9, 0.999] {
            assert!(
                growth(below) < LEAST_GROWTH_PER_STEP,
                "{below} of the limit: {}",
                growth(below)
            );
        }
        // Published growth factor of symplectic Euler per step of z = ωh > 2: c + √(c² − 1) with c
        // = z²/2 − 1.
        for (above, published) in [(1.001, 1.09356), (1.01, 1.32658), (1.05, 1.87733)] {
            let found = growth(above);
            assert!((found / published - 1.0).abs() < 1e-3, "{above}: {found}, not {published}");
        }
    }

    #[test]
    fn what_grows_is_the_fastest_mode() {
        let simulation = hanging_chain();
        let mode = FastestMode::of(simulation.model(), simulation.state(), None).unwrap();
        assert!(
            (mode.omega / omega() - 1.0).abs() < 3e-3,
            "frequency over theory: {}",
            mode.omega / omega()
        );
        let found = Growth::with_step(&simulation, 1.001 * 2.0 / omega());
        let along = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        let cosine =
            |a: &[DVec3], b: &[DVec3]| along(a, b).abs() / (along(a, a) * along(b, b)).sqrt();
        // In the fastest mode of 30 equal masses below a hook, particle i moves by sin(59 π i/61).
        let exact = |i: usize| DVec3::Y * (59.0 * std::f64::consts::PI * i as f64 / 61.0).sin();
        let exact: Vec<DVec3> = (0..=30).map(exact).collect();
        let cosines = [cosine(&found.displacements, &exact), cosine(&mode.displacements, &exact)];
        assert!(cosines[0] > 0.999, "cosines to the exact mode {cosines:?}");
        // Twenty Lanczos steps leave a component of the neighbouring mode in the result, because
        // that mode is only 0.5 % slower.
        assert!(cosines[1] > 0.94, "cosines to the exact mode {cosines:?}");
    }
}
