//! Limit of stable steps: the fastest vibration, the longest stable step of a lane, and sentences
//! that describe both.

use super::trial_run::TrialRun;
use crate::analysis::in_words::{factor, number_in_words, seconds_in_words};
use crate::analysis::vibration::fastest_mode::FastestMode;
use crate::analysis::vibration::step_matrix::is_linear;
use crate::integrate::{GeneralizedAlpha, Method};

/// Largest ωh (angular frequency of the fastest vibration × substep) at which undamped implicit
/// integrators gain no energy on turning links. Measured on falling ropes of ten links.
const TURNING_Z: f64 = 2.0;
/// Largest ωh (angular frequency of the fastest vibration × substep) at which generalized-α with
/// enough damping gains no energy on turning links.
const DAMPED_TURNING_Z: f64 = 6.0;
/// Largest ρ∞ with which generalized-α damps enough for [`DAMPED_TURNING_Z`].
const MOST_DAMPING_RHO: f64 = 0.8;
/// Longest step, as a fraction of the longest stable one, with which penalty contact gains no
/// energy where it begins and ends. In longer steps, the force at the start of the step represents
/// neither contact nor free motion. Measured over one minute on falling ropes and cloths:
/// symplectic Euler at 0.67 of the longest step added 7 times the initial energy; at 0.57, velocity
/// Verlet added 5 times and Yoshida 2.4 times; at 0.48, no integrator added more than 1.1 times.
const CONTACT_STEP_FRACTION: f64 = 0.5;
/// Fraction like [`CONTACT_STEP_FRACTION`] for an integrator that chooses inner steps. Where
/// contact begins, such an integrator takes its shortest inner step, whatever the error. Measured
/// on a falling rope over one minute: with 0.1 it added 0.05 times the initial energy, with 0.2 it
/// added 4.7 times.
const INNER_CONTACT_STEP_FRACTION: f64 = 0.1;

/// Longest stable step of a lane (one simulation of the scene), and what limits it.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Fastest vibration of all springs, bends and contacts in the sample with the smallest limit;
    /// `None` if nothing vibrates.
    pub mode: Option<FastestMode>,
    /// Longest step in seconds with which no small vibration grows: 0 = none, ∞ = any.
    pub dt: f64,
    /// Longest step in seconds that gains no energy where links turn (undamped implicit
    /// integrators) or where penalty contact begins and ends. `None` if neither limits the step.
    pub turning: Option<f64>,
    /// Run of the lane that confirmed or shortened the limit; `None` if none was made.
    pub run: Option<TrialRun>,
    /// True if undamped vibrations have a stable step with this integrator.
    pub holds_undamped: bool,
    /// Seconds in which the fastest-growing motion doubles with the lane's own step; `None` if
    /// nothing grows.
    pub doubling: Option<f64>,
    /// True if the scene has springs or bends, even if they are slack.
    pub has_springs: bool,
    /// True if colliders push with penalty springs. Contact with them shortens the stable step.
    pub colliders_push: bool,
    /// True if a constraint solver holds the links.
    pub links_are_held: bool,
    /// Reason why the solver adds energy with this integrator; `None` if it does not.
    pub misfit: Option<&'static str>,
    /// Simulated time in seconds of the sample with the smallest limit.
    pub at: f64,
    /// Simulated seconds over which the scene was sampled; 0 = only its current state.
    pub sampled_seconds: f64,
    /// Substeps per step.
    pub substeps: u32,
}

impl Limit {
    /// Returns the longest step in seconds that is stable in all respects. The slider, maps and
    /// lists show this value.
    pub fn longest(&self) -> f64 {
        self.shortened().map_or(self.predicted(), |run| run.min(self.predicted()))
    }

    /// Returns the longest stable step in seconds by theory alone.
    pub fn predicted(&self) -> f64 {
        self.turning.map_or(self.dt, |turning| turning.min(self.dt))
    }

    /// Returns the longest step in seconds that a run has confirmed, if it is shorter than the
    /// longest step by theory; else `None`.
    pub fn shortened(&self) -> Option<f64> {
        self.run.and_then(|run| run.dt).filter(|dt| *dt < self.predicted())
    }

    /// Returns the largest stable ωh of a substep, for the fastest vibration; infinite if every
    /// step is stable.
    pub fn omega_h(&self) -> f64 {
        let omega = self.mode.as_ref().map_or(f64::INFINITY, |mode| mode.omega);
        let z = self.dt / f64::from(self.substeps) * omega;
        if z.is_nan() { 0.0 } else { z }
    }

    /// Returns the smaller of two limits of a lane, e.g. those of two samples.
    pub fn smaller(self, other: Self) -> Self {
        let sampled_seconds = self.sampled_seconds.max(other.sampled_seconds);
        let doubling = match (self.doubling, other.doubling) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let run = self.run.or(other.run);
        let smaller = if other.longest() < self.longest() { other } else { self };
        Self { sampled_seconds, doubling, run, ..smaller }
    }

    /// Returns the limit as a sentence.
    pub fn verdict(&self) -> String {
        let validity = self.validity_in_words();
        if let Some(why) = self.misfit {
            return format!("No step is safe: {why}.");
        }
        if let Some((dt, run)) = self.shortened().zip(self.run) {
            return format!(
                "Stable up to {} (ωh = {}) by a run of {}; small vibrations alone allow {}{validity}.",
                seconds_in_words(dt),
                number_in_words(dt * self.omega_h_per_second()),
                seconds_in_words(run.seconds),
                if self.predicted().is_finite() {
                    seconds_in_words(self.predicted())
                } else {
                    "any step".to_owned()
                },
            );
        }
        if self.mode.is_none() && self.dt.is_finite() && self.dt > 0.0 {
            let dt = seconds_in_words(self.dt);
            return if self.links_are_held {
                format!("The constraint solver holds the links; drag allows steps up to {dt}.")
            } else {
                format!("Drag alone limits the step: stable up to {dt}.")
            };
        }
        if self.mode.is_none() && self.dt.is_infinite() {
            if self.links_are_held && !self.has_springs && !self.colliders_push {
                return "No limit: the constraint solver holds all links.".to_owned();
            }
            return match (self.has_springs, self.colliders_push) {
                (true, _) => format!("No limit{validity}: its springs are slack."),
                (false, true) => {
                    format!("No limit{validity}: no spring pushes, and nothing touches a collider.")
                }
                (false, false) => "No limit: no spring pushes.".to_owned(),
            };
        }
        if let Some(turning) = self.turning.filter(|turning| *turning < self.dt) {
            let z = number_in_words(turning * self.omega_h_per_second());
            let turning = seconds_in_words(turning);
            if self.dt.is_finite() {
                return format!(
                    "Stable up to {} while contact lasts; where it begins and ends, up to {turning} \
                     (ωh = {z}){validity}.",
                    seconds_in_words(self.dt)
                );
            }
            return format!(
                "Stable at every step while links only vibrate; where they swing or collide up to \
                 {turning} (ωh = {z}){validity}."
            );
        }
        if self.dt == 0.0 {
            return match self.doubling {
                Some(seconds) => format!(
                    "Unstable at every step{validity}; with the lane's step, it doubles every {}.",
                    seconds_in_words(seconds)
                ),
                None => {
                    format!(
                        "Unstable at every step{validity}; the shorter the step, the slower \
                         vibrations grow."
                    )
                }
            };
        }
        if self.dt.is_infinite() {
            let tried = self.run.and_then(|run| run.tried.map(|dt| (dt, run.seconds)));
            let tried = tried.map_or_else(String::new, |(dt, seconds)| {
                format!(
                    " A run of {} with steps of up to {} gains no energy.",
                    seconds_in_words(seconds),
                    seconds_in_words(dt)
                )
            });
            return format!("Stable at every step while links only vibrate.{tried}");
        }
        let (dt, z) = (seconds_in_words(self.dt), number_in_words(self.omega_h()));
        if self.holds_undamped {
            format!("Stable up to {dt} (ωh = {z}){validity}.")
        } else {
            format!("Stable up to {dt} (ωh = {z}){validity}, but unstable without damping.")
        }
    }

    /// Returns the limit as a sentence. If a step of `dt` seconds is longer than the limit, a
    /// sentence with the ratio follows.
    pub fn verdict_on(&self, dt: f64) -> String {
        let (verdict, excess) = (self.verdict(), dt / self.longest());
        if !(excess > 1.0 && excess.is_finite()) {
            return verdict;
        }
        let doubles = self.doubling.map_or_else(String::new, |seconds| {
            format!("; vibrations double every {}", seconds_in_words(seconds))
        });
        format!("{verdict} Yours is {} times that{doubles}.", factor(excess))
    }

    /// Returns ωh of a substep divided by the length of the step in seconds.
    fn omega_h_per_second(&self) -> f64 {
        self.mode.as_ref().map_or(0.0, |mode| mode.omega) / f64::from(self.substeps)
    }

    /// Returns the period for which the limit is valid: ` in the first 5 s`, or ` at present` for
    /// the current state.
    fn validity_in_words(&self) -> String {
        match self.sampled_seconds {
            0.0 => " at present".to_owned(),
            sampled_seconds => format!(" in the first {}", seconds_in_words(sampled_seconds)),
        }
    }
}

/// Returns the largest ωh at which an unconditionally stable integrator gains no energy on turning
/// links or in penalty contact. Halfway through a step, the chord of a link that turns within the
/// step is too short; contact may begin or end within a step. `None` if the integrator has no such
/// limit.
pub(in crate::analysis) fn turning_limit(method: &Method, colliders_push: bool) -> Option<f64> {
    match *method {
        Method::ImplicitMidpoint | Method::Trapezoid => Some(TURNING_Z),
        Method::GeneralizedAlpha(GeneralizedAlpha { rho_inf }) => {
            let damps = rho_inf <= MOST_DAMPING_RHO && !colliders_push;
            Some(if damps { DAMPED_TURNING_Z } else { TURNING_Z })
        }
        _ => None,
    }
}

/// Returns the largest fraction of the longest stable step with which penalty contact may begin and
/// end without adding energy.
pub(in crate::analysis) fn contact_step_fraction(method: &Method) -> f64 {
    if is_linear(method) { CONTACT_STEP_FRACTION } else { INNER_CONTACT_STEP_FRACTION }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::stability::{measure_limit, predict_limit};
    use crate::scene::Scene;
    use crate::simulation::Simulation;
    use crate::simulation::settings::Settings;
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

    /// Scene of two masses (1 : 100) with only a spring between them.
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

    /// Returns ω of the fastest mode of a chain of n equal links of stiffness k with one fixed end,
    /// whose masses are m, but the last one m/2: 2√(k/m) sin((2n − 1)π/(4n)).
    fn chain_omega(k: f64, m: f64, n: f64) -> f64 {
        2.0 * (k / m).sqrt() * ((2.0 * n - 1.0) * PI / (4.0 * n)).sin()
    }

    #[test]
    fn the_fastest_mode_has_the_frequency_of_its_closed_form() {
        assert!((mode(SPRING).omega - 4000f64.sqrt()).abs() < 1e-9);
        assert!((mode(UNEQUAL).omega - (300.0 * (100.0 + 1.0f64)).sqrt()).abs() < 1e-9);
        // A link of 0.03 m has k = EA/l. Half of its mass acts on each end.
        let expected = chain_omega(500.0 / 0.03, 0.2 * 0.03, 100.0);
        let found = mode(&chain(0.0));
        assert!((found.omega / expected - 1.0).abs() < 2e-3, "{} not {expected}", found.omega);
        assert!(found.omega <= expected * (1.0 + 1e-12), "a Ritz value stays below");
        assert!((0.999..1.01).contains(&(found.omega_cautious / expected)), "{found:?}");
    }

    #[test]
    fn the_damping_ratio_is_that_of_the_fastest_mode() {
        // Each link has stiffness k and damping c, so C = (c/k) K, and the damping ratio of a mode
        // is ξ = cω/(2k).
        let found = mode(&chain(0.02));
        let expected = 0.02 / 500.0 * found.omega / 2.0;
        assert!((found.damping_ratio / expected - 1.0).abs() < 1e-6, "{}", found.damping_ratio);
    }

    #[test]
    fn stiffness_damping_of_a_lane_is_seen_and_shortens_the_limit() {
        let mut simulation = lane(SPRING, Method::SymplecticEuler);
        let (omega, undamped) = (4000f64.sqrt(), predict_limit(&simulation).dt);
        let stiffness_damping = 2.0 * 0.3 / omega;
        simulation.configure(Settings { stiffness_damping, ..*simulation.settings() });
        let limit = predict_limit(&simulation);
        let xi = limit.mode.as_ref().unwrap().damping_ratio;
        assert!((xi - 0.3).abs() < 1e-9, "{xi}");
        assert!(limit.dt < 0.9 * undamped, "{} not below {undamped}", limit.dt);
        let Ok(measured) = measure_limit(&simulation, &limit, || Ok::<(), Infallible>(()));
        assert!((measured / limit.dt - 1.0).abs() < 0.01, "{measured}, not {}", limit.dt);
    }

    #[test]
    fn a_scene_without_springs_has_no_limit() {
        let scene = r#"(version: 1, name: "ball", particles: [(name: "ball", at: (0, 2, 0))])"#;
        let limit = predict_limit(&lane(scene, Method::SymplecticEuler));
        assert_eq!((limit.mode, limit.dt), (None, f64::INFINITY));
    }

    /// Creates a flag that flutters in a wind parallel to its faces.
    fn flag(settings: &str) -> Simulation {
        let text = format!(
            r#"(version: 1, name: "flag",
            materials: [Cloth(name: "linen", bend_stiffness: 0, damping: 0)],
            cloths: [(name: "flag", corner: (0, 2, 0), across: (1, 0, 0), down: (0, -1, 0),
                      cells: (6, 6), material: "linen")],
            pins: [(of: Edge("flag", Left))],
            forces: [(law: Gravity()), (law: FaceWind(velocity: (9, 0, 3)), on: All)],
            settings: ({settings}, substeps: 10, dt: 0.01))"#
        );
        let scene = Scene::parse(&text, "test").unwrap_or_else(|e| panic!("{e}"));
        Simulation::new(scene.parts.clone(), scene.lanes[0].settings)
    }

    /// Flutter is physical: it grows at the same rate with every integrator and step.
    #[test]
    fn flutter_in_the_wind_sets_no_limit() {
        for method in [Method::SymplecticEuler, Method::VelocityVerlet, Method::Rk4] {
            let mut free = flag("integrator: VelocityVerlet");
            free.configure(Settings { integrator: method, ..*free.settings() });
            let limit = predict_limit(&free);
            let omega = limit.mode.as_ref().expect("links vibrate").omega;
            let z = limit.dt / f64::from(limit.substeps) * omega;
            assert!(z > 0.9 * method.info().stability_limit, "{method:?}: ωh = {z}");
        }
    }

    #[test]
    fn wind_sets_no_limit_where_a_solver_holds_the_links() {
        let mut held = flag("constraints: Xpbd(iterations: 1)");
        (0..100).for_each(|_| held.step(0.01));
        let limit = predict_limit(&held);
        assert!(limit.mode.is_none() && limit.longest() > 0.1, "{limit:?}");
        assert!(limit.verdict().contains("constraint solver holds"), "{}", limit.verdict());
    }

    #[test]
    fn substeps_lengthen_the_limit_of_the_step() {
        let mut simulation = lane(SPRING, Method::VelocityVerlet);
        assert!((predict_limit(&simulation).dt - 2.0 / 4000f64.sqrt()).abs() < 1e-6);
        simulation.configure(Settings { substeps: 5, ..*simulation.settings() });
        assert!((predict_limit(&simulation).dt - 10.0 / 4000f64.sqrt()).abs() < 1e-6);
    }

    fn measured(scene: &str, integrator: Method) -> (f64, f64) {
        let simulation = lane(scene, integrator);
        let limit = predict_limit(&simulation);
        let Ok(measured) = measure_limit(&simulation, &limit, || Ok::<(), Infallible>(()));
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

    /// The links of this chain are not under tension, so nothing resists sideways displacements and
    /// the chain drifts. Drift is not growth.
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
        let of = |scene: &str, integrator| predict_limit(&lane(scene, integrator)).verdict();
        let explicit = of(&chain(0.02), Method::ExplicitEuler);
        let told = "but unstable without damping";
        assert!(explicit.starts_with("Stable up to ") && explicit.contains(told), "{explicit}");
        let symplectic = of(&chain(0.02), Method::SymplecticEuler);
        assert!(
            symplectic.starts_with("Stable up to ") && !symplectic.contains(told),
            "{symplectic}"
        );
    }

    /// Weak drag alone would allow steps of half an hour, which cannot be set.
    #[test]
    fn drag_limits_no_step_beyond_the_longest_that_can_be_set() {
        let verdict = |drag: f64| {
            let text = format!(
                "(version: 1, name: \"held\", materials: [Rope(name: \"m\", rigid: true)], \
                 ropes: [(name: \"r\", from: (0, 1, 0), to: (1, 1, 0), material: \"m\")], \
                 pins: [(of: Start(\"r\"))], forces: [(law: LinearDrag(coefficient: {drag}))], \
                 settings: (integrator: SymplecticEuler, constraints: Xpbd()))"
            );
            let scene = Scene::parse(&text, "test").unwrap_or_else(|e| panic!("{e}"));
            predict_limit(&Simulation::new(scene.parts.clone(), scene.lanes[0].settings)).verdict()
        };
        assert_eq!(verdict(1e-3), "No limit: the constraint solver holds all links.");
        assert!(verdict(40.0).ends_with("drag allows steps up to 50 ms."), "{}", verdict(40.0));
    }

    /// Chain of stretched, damped links, whose sideways motion is undamped. ω of its fastest
    /// transverse mode is 2 √(T/(a m)) sin(nπ/(2N)) with N segments of length a, tension T, masses
    /// m and n = N − 1, and explicit Euler makes it grow by √(1 + ω²h²) per step.
    #[test]
    fn explicit_euler_is_never_stable_where_sideways_nothing_damps() {
        let text = r#"(version: 1, name: "string", forces: [],
            materials: [Rope(name: "cord", mass_per_metre: 0.5, stiffness: 40, damping: 0.5)],
            ropes: [(name: "rope", from: (0, 1, 0), to: (4, 1, 0), length: 3, segments: 12, material: "cord")],
            pins: [(of: Start("rope")), (of: End("rope"))])"#;
        let (a, k, m): (f64, f64, f64) = (1.0 / 3.0, 40.0 / 0.25, 0.125);
        let tension = k * (a - 0.25);
        let omega = 2.0 * (tension / (a * m)).sqrt() * (11.0 * PI / 24.0).sin();
        let simulation = lane(text, Method::ExplicitEuler);
        let limit = predict_limit(&simulation);
        assert_eq!(limit.dt, 0.0, "{limit:?}");
        let h = simulation.settings().dt;
        let expected = 2f64.ln() * h / (0.5 * (1.0 + (omega * h).powi(2)).ln());
        let found = limit.doubling.expect("it grows");
        assert!((found / expected - 1.0).abs() < 0.01, "{found} s, not {expected}");
        let verdict = limit.verdict();
        assert!(verdict.starts_with("Unstable at every step"), "{verdict}");
        assert!(verdict.contains("it doubles every"), "{verdict}");
    }

    #[test]
    fn schemes_without_a_limit_are_measured_to_have_none() {
        let alpha = Method::GeneralizedAlpha(GeneralizedAlpha::default());
        for method in [Method::ImplicitEuler, Method::Trapezoid, alpha] {
            assert_eq!(measured(SPRING, method), (f64::INFINITY, f64::INFINITY), "{method:?}");
        }
        let trapezoid = predict_limit(&lane(SPRING, Method::Trapezoid));
        let where_links_turn = 2.0 / 4000f64.sqrt();
        assert!((trapezoid.longest() / where_links_turn - 1.0).abs() < 1e-6, "{trapezoid:?}");
        let implicit = predict_limit(&lane(SPRING, Method::ImplicitEuler));
        assert_eq!(implicit.longest(), f64::INFINITY);
        for method in [Method::ExplicitEuler, Method::Heun, Method::AdamsBashforth2] {
            assert_eq!(measured(SPRING, method), (0.0, 0.0), "{method:?}");
        }
    }
}
