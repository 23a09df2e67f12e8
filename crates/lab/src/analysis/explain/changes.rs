//! Changes that may help against a cause or a symptom. Each series lists variants of one change,
//! from weak to strong, e.g. 4, 16 and 64 times the sweeps. They are tried in this order until one
//! of them cures the lane (one simulation of the scene with its own settings).

use super::cause::{Cause, on_parabolas};
use super::enough_damping::{USED_FRACTION, damping_against};
use super::explanation::Explanation;
use super::growing_mode::GrowingMode;
use super::question::{ExplainQuestion, FRAME};
use super::scene_change::{NewNumber, Scaled, SceneChange};
use super::step_lengths::lost_time;
use super::symptoms::{Symptom, SymptomKind, in_fixed_steps};
use super::trial::Candidate;
use crate::analysis::in_words::{count_in_words, seconds_in_words, step_in_words};
use crate::analysis::vibration::step_matrix::is_linear;
use crate::constraint::Defect;
use crate::contact::{ContactMethod, Penalty};
use crate::integrate::Method;
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::{Guard, Guards, SHORTEST_DT, Stepping};
use std::ops::RangeInclusive;

/// Numbers of substeps that are tried against soft links, in this order.
const SUBSTEP_COUNTS: [u32; 5] = [10, 25, 50, 100, 200];
/// Factors by which the number of sweeps is multiplied, tried in this order.
const SWEEP_FACTORS: [u32; 3] = [4, 16, 64];
/// Factors by which the damping is multiplied, tried in this order.
const DAMPING_FACTORS: [f64; 4] = [0.5, 0.2, 0.1, 0.03];
/// Factors by which the mass of materials is multiplied if links stretch under their load, tried in
/// this order.
const MASS_FACTORS: [f64; 3] = [10.0, 100.0, 1000.0];
/// Largest factor by which a remedy for a known vibration multiplies the substeps. Explicit Euler
/// on a weakly damped spring of 20 rad/s needs steps of 2 µs: a remedy at a thousand times the cost
/// is useless, and its trial took ten seconds.
const MOST_STEPS_FOR_ONE: f64 = 200.0;
/// Smallest factor by which a softer or heavier material may multiply the frequency. A factor of
/// 0.1 requires a material 100 times as soft or as heavy. A greater change would make a different
/// scene.
const LEAST_FREQUENCY_FACTOR: f64 = 0.1;
/// Range of typical frame times of games, in seconds. A step in this range is divided into substeps
/// instead of being shortened.
const GAME_FRAMES: RangeInclusive<f64> = 1.0 / 130.0..=1.0 / 20.0;
/// Name of the stepping scheme that loses no time and does not stutter.
const FIXED_STEPS: &str = "fixed steps, interpolated";

/// Change of a lane's settings or of values in its scene.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Description of the change.
    pub words: String,
    /// Values of the scene file that the change replaces.
    pub numbers: Vec<NewNumber>,
    pub candidate: Candidate,
}

/// Series of changes, in the order of increasing strength.
pub(super) type ChangeSeries = Vec<Change>;

/// Returns the series of changes against the cause and the symptoms of an explanation. The first
/// series is the most likely to help.
pub(super) fn collect_changes(question: &ExplainQuestion, why: &Explanation) -> Vec<ChangeSeries> {
    let mut changes = ChangeCollector::of(question, why.cause);
    let vibration = why.mode.as_ref().filter(|mode| mode.omega > 0.0);
    match why.cause {
        Cause::StepTooLong | Cause::NeverStable => {
            changes.add_shorter_steps(vibration);
            changes.add_stable_integrators(vibration);
            changes.add_stiffness_damping(vibration);
            changes.add_solvers_against(Defect::UnstableSprings);
            changes.add_slower_materials(vibration);
        }
        Cause::FrameTooLong => {
            changes.add_fixed_steps(vibration);
            changes.add_frame_clamp(vibration);
            changes.add_stable_integrators(vibration);
            changes.add_slower_materials(vibration);
        }
        Cause::DampingTooStrong => {
            changes.add_less_damping();
            changes.add_shorter_steps(vibration);
            changes.add_implicit_euler();
        }
        Cause::Misfit => changes.add_fitting_integrators(),
        Cause::ContactTooStiff => changes.add_softer_contact(),
        Cause::StraightPaths => {
            if let Some(settings) = on_parabolas(&changes.own) {
                changes.add_settings("balls on parabolas (path: Parabola)", settings);
            }
            changes.add_shorter_steps(None);
        }
        Cause::TurningLinks => {
            changes.add_implicit_euler();
            changes.add_shorter_steps(None);
            changes.add_stiffness_damping(vibration);
            changes.add_solvers_against(Defect::TurningSprings);
            changes.add_scaled_numbers(Scaled::Stiffness, &[0.1, 0.01, 0.001]);
        }
        Cause::SweepsTooFew
        | Cause::SolveFailed
        | Cause::DampedGain
        | Cause::InitialOverlap
        | Cause::Grows => {
            changes.add_shorter_steps(None);
            changes.add_more_sweeps();
            changes.add_implicit_euler();
            changes.add_solvers_against(Defect::UnstableConstraints);
        }
        Cause::WrongStart if !changes.own.solver().is_none() => {
            changes.add_solvers_against(Defect::UnstableConstraints);
        }
        Cause::WrongStart | Cause::Holds => {}
    }
    for symptom in &why.symptoms {
        changes.add_changes_against(question, symptom);
    }
    changes.series_list
}

/// Series of changes for one lane.
pub(super) struct ChangeCollector<'a> {
    pub question: &'a ExplainQuestion,
    pub own: Settings,
    series_list: Vec<ChangeSeries>,
}

impl<'a> ChangeCollector<'a> {
    /// Creates empty series for a lane. If the lane's steps are as long as frames, every change
    /// also sets fixed steps, because only these make the lane independent of the display. If a
    /// long frame is the cause of the explosion, fixed steps are a separate change.
    fn of(question: &'a ExplainQuestion, cause: Cause) -> Self {
        let own = *question.start.settings();
        let own = match cause {
            Cause::FrameTooLong => own,
            _ => in_fixed_steps(&own, question.dt),
        };
        Self { question, own, series_list: Vec::new() }
    }

    /// Returns the description of a change; it mentions fixed steps if the change also sets them.
    fn name(&self, words: String, changed: &Settings) -> String {
        let takes_step = !self.question.start.settings().stepping.uses_dt();
        if takes_step && changed.stepping.uses_dt() && !words.starts_with(FIXED_STEPS) {
            format!("{words}, fixed steps")
        } else {
            words
        }
    }

    fn projects(&self) -> bool {
        !self.own.solver().is_none()
    }

    /// Returns a change to `settings`; `None` if the settings are invalid, unchanged or already in
    /// a series.
    pub fn change(&self, words: impl Into<String>, settings: Settings) -> Option<Change> {
        let is_same =
            |change: &Change| change.numbers.is_empty() && change.candidate.settings == settings;
        let is_known = settings == *self.question.start.settings()
            || self.series_list.iter().flatten().any(is_same);
        if is_known || settings.check().is_err() {
            return None;
        }
        let candidate = Candidate { parts: self.question.start.parts().clone(), settings };
        let words = self.name(words.into(), &settings);
        Some(Change { words, numbers: Vec::new(), candidate })
    }

    pub fn add_settings(&mut self, words: impl Into<String>, settings: Settings) {
        self.add_series([self.change(words, settings)]);
    }

    /// Adds a series of the changes that are `Some`, without repetitions. An empty series is not
    /// added.
    pub fn add_series(&mut self, changes: impl IntoIterator<Item = Option<Change>>) {
        let mut series: ChangeSeries = changes.into_iter().flatten().collect();
        series.dedup_by_key(|change| (change.numbers.clone(), change.candidate.settings));
        if !series.is_empty() {
            self.series_list.push(series);
        }
    }

    /// Adds a series of changes. Each of them multiplies the values of one kind in the scene by one
    /// of the factors.
    fn add_scaled_numbers(&mut self, what: Scaled, factors: &[f64]) {
        let Some(scene) = &self.question.scene else { return };
        let parts = self.question.start.parts();
        if !self.question.inputs.is_empty() && matches!(what, Scaled::Segments) {
            return;
        }
        let of = |SceneChange { words, numbers, parts }: SceneChange| Change {
            words: self.name(words, &self.own),
            numbers,
            candidate: Candidate { parts, settings: self.own },
        };
        let changes = factors.iter().map(|factor| what.by(scene, parts, *factor).map(of));
        self.add_series(changes.collect::<Vec<_>>());
    }

    /// Adds a series of shorter steps. The first step is the one that theory calls stable for the
    /// vibration, or half the lane's step if no vibration is known. Each further step is half as
    /// long. A step as long as a game's frame is divided into substeps instead.
    fn add_shorter_steps(&mut self, vibration: Option<&GrowingMode>) {
        let own = in_fixed_steps(&self.own, self.question.dt);
        let h = own.dt / f64::from(own.substeps);
        let enough = vibration.filter(|mode| mode.limit > 0.0 && mode.limit.is_finite());
        let longest =
            enough.map_or(h / 2.0, |mode| (USED_FRACTION * mode.limit / mode.omega).min(h / 1.5));
        if longest * MOST_STEPS_FOR_ONE < h {
            return;
        }
        let parts = [1.0, 0.5, 0.25, 0.125].map(|part| part * longest);
        let in_substeps = GAME_FRAMES.contains(&own.dt) || own.substeps > 1;
        let changes = parts.map(|h| {
            if in_substeps {
                let substeps = (own.dt / h).ceil().min(1000.0) as u32;
                let settings = Settings { substeps, ..own };
                return self.change(step_in_words(own.dt, substeps), settings);
            }
            let dt = round_down(h);
            let words = format!("dt {}", seconds_in_words(dt));
            self.change(words, Settings { dt, ..own }).filter(|_| dt >= SHORTEST_DT)
        });
        self.add_series(changes);
    }

    /// Adds integrators that are stable for the vibration at the lane's step.
    fn add_stable_integrators(&mut self, vibration: Option<&GrowingMode>) {
        let nearest = vibration.and_then(|mode| nearest_stable(&self.own.integrator, mode.omega_h));
        if let Some(integrator) = nearest {
            self.add_settings(integrator.info().title, Settings { integrator, ..self.own });
        }
        self.add_implicit_euler();
    }

    fn add_implicit_euler(&mut self) {
        let integrator = Method::ImplicitEuler;
        self.add_settings("implicit Euler", Settings { integrator, ..self.own });
    }

    /// Adds integrators in which the force of a step moves particles within the same step.
    fn add_fitting_integrators(&mut self) {
        for integrator in [Method::SymplecticEuler, Method::VelocityVerlet, Method::ImplicitEuler] {
            self.add_settings(integrator.info().title, Settings { integrator, ..self.own });
        }
    }

    /// Adds the stiffness damping that stops the growing vibration.
    fn add_stiffness_damping(&mut self, vibration: Option<&GrowingMode>) {
        let Some(mode) = vibration else { return };
        if let Some(stiffness_damping) = damping_against(mode, &self.own) {
            let words = format!("stiffness damping β = {stiffness_damping:e} s");
            self.add_settings(words, Settings { stiffness_damping, ..self.own });
        }
    }

    fn add_less_damping(&mut self) {
        self.add_scaled_numbers(Scaled::Damping, &DAMPING_FACTORS);
        let beta = self.own.stiffness_damping;
        if beta > 0.0 {
            let changes = DAMPING_FACTORS.map(|part| {
                let stiffness_damping = part * beta;
                let words = format!("stiffness damping β = {stiffness_damping:.1e} s");
                self.change(words, Settings { stiffness_damping, ..self.own })
            });
            self.add_series(changes);
        }
    }

    /// Adds series with a softer material, a heavier material, and fewer segments. If the vibration
    /// is known, theory gives the factors that make it stable.
    fn add_slower_materials(&mut self, vibration: Option<&GrowingMode>) {
        let Some(mode) = vibration.filter(|mode| mode.limit > 0.0 && mode.limit.is_finite()) else {
            return;
        };
        let slower = USED_FRACTION * mode.limit / mode.omega_h;
        if !(LEAST_FREQUENCY_FACTOR..1.0).contains(&slower) {
            return;
        }
        self.add_scaled_numbers(Scaled::Stiffness, &[slower * slower, slower * slower / 4.0]);
        self.add_scaled_numbers(Scaled::Mass, &[1.0 / (slower * slower)]);
        self.add_scaled_numbers(Scaled::Segments, &[slower, slower / 2.0]);
    }

    /// Adds fixed steps, which do not depend on frames.
    fn add_fixed_steps(&mut self, vibration: Option<&GrowingMode>) {
        let longest = self.question.frames.iter().copied().fold(self.question.dt, f64::max);
        let enough = vibration.filter(|mode| mode.limit > 0.0 && mode.limit.is_finite());
        let h = enough.map_or(longest / 2.0, |mode| USED_FRACTION * mode.limit / mode.omega);
        let changes = [1.0, 2.0, 4.0, 8.0].map(|times| {
            // A whole number of steps per 60 Hz frame leaves no remainder.
            let substeps = (times * FRAME / h).ceil().clamp(1.0, 1000.0) as u32;
            let stepping = Stepping::Interpolated;
            let settings = Settings { dt: FRAME, substeps, stepping, ..self.own };
            let words = format!("{FIXED_STEPS}: {}", step_in_words(FRAME, substeps));
            self.change(words, settings)
        });
        self.add_series(changes);
    }

    /// Adds a series of upper limits on the frame time: first the longest stable step of the
    /// vibration, then half of it. Frames above the limit lose simulated time.
    fn add_frame_clamp(&mut self, vibration: Option<&GrowingMode>) {
        let Some(mode) = vibration.filter(|mode| mode.limit > 0.0 && mode.limit.is_finite()) else {
            return;
        };
        let most = USED_FRACTION * mode.limit / mode.omega * f64::from(self.own.substeps);
        let changes = [1.0, 0.5].map(|part| {
            let clamp = round_down(part * most);
            let guards = Guards { frame_clamp: Guard::On(clamp), ..self.own.guards };
            let words = format!("frames clamped to {}", seconds_in_words(clamp));
            self.change(words, Settings { guards, ..self.own })
        });
        self.add_series(changes);
    }

    /// Adds contact without springs, contact with softer springs, and shorter steps.
    fn add_softer_contact(&mut self) {
        let Some(penalty) = self.own.contact.penalty() else { return };
        let contact = ContactMethod::default();
        self.add_settings(
            "contact that finds collisions (Swept)",
            Settings { contact, ..self.own },
        );
        let changes = [0.3, 0.1, 0.03, 0.01].map(|part: f64| {
            let stiffness = part * penalty.stiffness;
            let damping = part.sqrt() * penalty.damping;
            let words = format!("contact stiffness {stiffness:.0} N/m");
            let contact = ContactMethod::Penalty(Penalty { stiffness, damping, ..penalty });
            self.change(words, Settings { contact, ..self.own })
        });
        self.add_series(changes);
        self.add_shorter_steps(None);
    }

    fn add_more_sweeps(&mut self) {
        let Some(sweeps) = self.own.solver().iterations() else { return };
        let changes = SWEEP_FACTORS.map(|times| {
            let sweeps = sweeps.saturating_mul(times);
            let mut more = self.own;
            more.constraints.set_iterations(sweeps);
            self.change(count_in_words(sweeps, "sweep"), more)
        });
        self.add_series(changes);
    }

    fn add_more_substeps(&mut self) {
        let own = in_fixed_steps(&self.own, self.question.dt);
        let changes = SUBSTEP_COUNTS.map(|substeps| {
            let words = step_in_words(own.dt, substeps);
            let change = self.change(words, Settings { substeps, ..own });
            change.filter(|_| substeps > own.substeps)
        });
        self.add_series(changes);
    }

    /// Adds the changes that may help against one symptom.
    fn add_changes_against(&mut self, question: &ExplainQuestion, symptom: &Symptom) {
        let stepping = Stepping::Interpolated;
        match symptom.kind {
            SymptomKind::Rubbery | SymptomKind::Soft if self.projects() => {
                self.add_more_substeps();
                self.add_more_sweeps();
                self.add_solvers_against(Defect::SoftConstraints);
                self.add_length_limits();
                self.add_scaled_numbers(Scaled::Mass, &MASS_FACTORS);
                self.add_scaled_numbers(Scaled::Segments, &[0.5, 0.25]);
            }
            SymptomKind::Rubbery | SymptomKind::Soft => {
                self.add_scaled_numbers(Scaled::Stiffness, &[4.0, 20.0]);
                self.add_solvers_against(Defect::SoftSprings);
                self.add_length_limits();
            }
            SymptomKind::TurningFar => self.add_more_substeps(),
            SymptomKind::Jittering => {
                self.add_settings(FIXED_STEPS, Settings { stepping, ..self.own })
            }
            SymptomKind::TiedToRate => {
                self.add_settings(FIXED_STEPS, Settings { stepping, ..self.own });
            }
            SymptomKind::SlowMotion => self.add_lossless_stepping(question),
            SymptomKind::Expensive => self.add_half_work(),
            SymptomKind::Unconverged => {
                self.add_solvers_against(Defect::UnconvergedSweeps);
                self.add_more_sweeps();
                self.add_more_substeps();
            }
            SymptomKind::Restless => {
                self.add_more_substeps();
                self.add_more_sweeps();
            }
            SymptomKind::LosingSwing | SymptomKind::GainingSwing => self.add_energy_conserving(),
        }
    }

    fn add_energy_conserving(&mut self) {
        if !self.projects() || !self.own.integrator.info().symplectic {
            let integrator = Method::VelocityVerlet;
            self.add_settings("velocity Verlet", Settings { integrator, ..self.own });
        }
        if self.projects() {
            self.add_solvers_against(Defect::ChangedEnergy);
        }
        self.add_more_substeps();
        self.add_more_sweeps();
    }

    /// Adds the first change of the stepping scheme or its guards (limits on frame time and on
    /// steps per frame) that loses no simulated time.
    fn add_lossless_stepping(&mut self, question: &ExplainQuestion) {
        let (stepping, guards) = (Stepping::Interpolated, Guards::default());
        let own = self.own;
        let tries = [
            (FIXED_STEPS, Settings { stepping, ..own }),
            ("default limits on frame times and steps", Settings { guards, ..own }),
            (
                "fixed steps, interpolated, and default limits on frame times",
                Settings { stepping, guards, ..own },
            ),
        ];
        let keeps = |(_, settings): &(&str, Settings)| lost_time(question, settings).is_none();
        if let Some((words, settings)) = tries.into_iter().find(keeps) {
            self.add_settings(words, settings);
        }
    }

    /// Adds changes that halve the computing time: a step twice as long, and half as many substeps.
    fn add_half_work(&mut self) {
        let own = self.own;
        if own.stepping.uses_dt() {
            let dt = 2.0 * own.dt;
            self.add_settings(format!("dt {}", seconds_in_words(dt)), Settings { dt, ..own });
        }
        let substeps = own.substeps.div_ceil(2);
        self.add_settings(step_in_words(own.dt, substeps), Settings { substeps, ..own });
    }
}

/// Returns the integrator with the fewest force evaluations that is stable without damping at `z`
/// (angular frequency of a vibration × substep). Explicit integrators come before implicit ones.
fn nearest_stable(own: &Method, z: f64) -> Option<Method> {
    let is_stable = |method: &Method| {
        let info = method.info();
        is_linear(method)
            && info.name != own.info().name
            && info.stability_limit * USED_FRACTION > z
    };
    let cost = |method: &Method| (method.info().implicit, method.info().evaluations);
    Method::all().filter(is_stable).min_by_key(cost)
}

/// Rounds a step down to two significant digits, as a person would type it.
fn round_down(seconds: f64) -> f64 {
    let mut unit = 1.0;
    while unit * 10.0 > seconds && unit > SHORTEST_DT {
        unit /= 10.0;
    }
    // The quotient of two whole numbers is the same `f64` as the parsed decimal number.
    (seconds / unit).floor() / (1.0 / unit).round()
}
