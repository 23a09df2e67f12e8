//! Cause of an explosion, and the sentences that explain it.

use super::explain_job::ExplainJob;
use super::growing_mode::GrowingMode;
use super::lane_run::LaneRun;
use super::question::ExplainQuestion;
use super::trial::{Candidate, survives};
use crate::analysis::in_words::{
    factor, kilograms_in_words, limit_in_words, moment_in_words, number_in_words, percent_to,
    quantity_in_words, seconds_in_words, share_of,
};
use crate::analysis::job::Cancelled;
use crate::analysis::runs::run_energy::Ending;
use crate::contact::{BallPath, ContactMethod, InitialOverlaps, Swept};
use crate::force::Force;
use crate::integrate::Method;
use crate::measure::Verdict;
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use serde::Serialize;
use std::sync::Arc;

/// Strain of a link, as a fraction of its rest length, above which the explanation of a stable lane
/// mentions it. A lane is one simulation of the scene with its own settings.
const NOTABLE_STRETCH: f64 = 0.01;
/// Residual, as a fraction of a link's length, above which a constraint solver has too few sweeps.
const LARGE_RESIDUAL: f64 = 0.02;
/// Largest ratio of the measured growth of a mode to its predicted growth at which the mode counts
/// as the cause.
const MOST_GROWTH_RATIO: f64 = 2.0;
/// Explanations mention a growth per step (minus 1) or a limit of ωh (angular frequency × substep)
/// only if it is at least this large.
const LEAST_SHOWN: f64 = 5e-4;
/// Smallest ωh (angular frequency × substep) of the growing vibration at which turning links count
/// as the cause. Below this value, the chord of a link that turns within a step is barely shorter
/// than its arc.
const LEAST_TURNING: f64 = 2.0;
/// Contact springs or damping count as the cause if the lane, without them, survives for this
/// simulated time in seconds after the time of the explosion.
const SURVIVAL_SECONDS: f64 = 1.0;

/// Cause of a lane's explosion or growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The step is longer than the integrator's limit for the fastest mode.
    StepTooLong,
    /// The step is too long, because each step is as long as the frame.
    FrameTooLong,
    /// The step would be stable without damping and drag. Their forces overshoot within a step.
    DampingTooStrong,
    /// The springs of penalty contact are too stiff for the step.
    ContactTooStiff,
    /// Balls move to their impacts on straight paths, although a force bends their paths.
    StraightPaths,
    /// The integrator amplifies every undamped vibration at every step, even the shortest.
    NeverStable,
    /// The integrator is stable for springs that keep their direction, but adds energy if links
    /// turn.
    TurningLinks,
    /// The constraint solver adds energy with this integrator.
    Misfit,
    /// The constraint solver has too few sweeps.
    SweepsTooFew,
    /// The implicit solve did not converge.
    SolveFailed,
    /// A link is far too long at the start.
    WrongStart,
    /// Bodies overlap at the start, and contact moves them apart.
    InitialOverlap,
    /// Integrator, solver or contact add energy in every step. Damping removes this energy, so no
    /// vibration grows.
    DampedGain,
    /// The whole step amplifies perturbations, and no other cause explains it.
    Grows,
    /// The lane did not explode, and no vibration grows.
    Holds,
}

/// Finds the cause of an explosion or growth: from theory if it explains the growing vibration,
/// else from runs without contact springs or without damping.
pub(super) fn find_cause(
    job: &ExplainJob,
    lane_run: &LaneRun,
    mode: Option<&GrowingMode>,
) -> Result<Cause, Cancelled> {
    let start = &job.question.start;
    let settings = start.settings();
    let ended = lane_run.ending.is_some();
    if ended && is_caused_by_straight_paths(job, lane_run)? {
        return Ok(Cause::StraightPaths);
    }
    let Some(mode) = mode else { return Ok(Cause::Holds) };
    if ended && lane_run.is_caused_by_start(start) {
        return Ok(Cause::WrongStart);
    }
    if ended && !mode.is_over() && remaining_overlaps(job.question, lane_run).is_some() {
        return Ok(Cause::InitialOverlap);
    }
    if lane_run.hides_gain {
        return Ok(Cause::DampedGain);
    }
    if ended && lane_run.has_contact && is_caused_by_contact(job, lane_run)? {
        return Ok(Cause::ContactTooStiff);
    }
    if mode.is_over_by_damping() || ended && is_caused_by_damping(job, lane_run)? {
        return Ok(Cause::DampingTooStrong);
    }
    Ok(if mode.is_over() && settings.integrator.info().stability_limit == 0.0 {
        Cause::NeverStable
    } else if mode.is_over() && !settings.stepping.uses_dt() {
        Cause::FrameTooLong
    } else if mode.is_over() {
        Cause::StepTooLong
    } else if settings.misfit().is_some() {
        Cause::Misfit
    } else if lane_run.solve_failed {
        Cause::SolveFailed
    } else if !settings.solver().is_none() && lane_run.residual > LARGE_RESIDUAL {
        Cause::SweepsTooFew
    } else if ended
        && settings.solver().is_none()
        && mode.omega_h >= LEAST_TURNING
        && is_stable_for_straight_springs(settings)
    {
        Cause::TurningLinks
    } else if ended
        && mode.growth_measured < 1.0 + LEAST_SHOWN
        && without_damping(start.parts(), settings).is_some()
    {
        Cause::DampedGain
    } else {
        Cause::Grows
    })
}

/// Returns the overlaps at the start of the run, provided that bodies still overlap at its end.
fn remaining_overlaps(question: &ExplainQuestion, lane_run: &LaneRun) -> Option<InitialOverlaps> {
    let overlaps = |lane: &Simulation| {
        let mut mesh = question.start.parts().mesh.clone();
        mesh.positions.clone_from(&lane.state().x);
        let contact = &question.start.parts().contact;
        InitialOverlaps::find(contact, &mesh, &[question.start.settings().contact])
    };
    overlaps(&question.start).filter(|_| overlaps(&lane_run.end).is_some())
}

/// True if the integrator is stable at every step for linear springs.
fn is_stable_for_straight_springs(settings: &Settings) -> bool {
    settings.integrator.info().stability_limit.is_infinite()
        && !matches!(settings.integrator, Method::DormandPrince(_))
}

/// True if penalty contact is the cause: the lane survives with a contact method that uses no
/// springs.
fn is_caused_by_contact(job: &ExplainJob, lane_run: &LaneRun) -> Result<bool, Cancelled> {
    let start = &job.question.start;
    let settings = start.settings();
    if settings.contact.penalty().is_none() {
        return Ok(false);
    }
    let settings = Settings { contact: ContactMethod::default(), ..*settings };
    let candidate = Candidate { parts: start.parts().clone(), settings };
    survives(job, &candidate, lane_run.seconds + SURVIVAL_SECONDS)
}

/// True if the straight paths of balls are the cause: the lane survives if balls move on parabolas.
fn is_caused_by_straight_paths(job: &ExplainJob, lane_run: &LaneRun) -> Result<bool, Cancelled> {
    let start = &job.question.start;
    let Some(settings) = on_parabolas(start.settings()) else { return Ok(false) };
    if start.parts().contact.balls.is_empty() {
        return Ok(false);
    }
    let candidate = Candidate { parts: start.parts().clone(), settings };
    survives(job, &candidate, lane_run.seconds + SURVIVAL_SECONDS)
}

/// Returns the settings with parabolic paths of balls; `None` if the paths are not straight now.
pub(super) fn on_parabolas(settings: &Settings) -> Option<Settings> {
    let ContactMethod::Swept(swept) = settings.contact else { return None };
    let contact = ContactMethod::Swept(Swept { path: BallPath::Parabola, ..swept });
    (swept.path == BallPath::Chord).then_some(Settings { contact, ..*settings })
}

/// True if damping is the cause: the lane survives without damping and drag.
fn is_caused_by_damping(job: &ExplainJob, lane_run: &LaneRun) -> Result<bool, Cancelled> {
    let start = &job.question.start;
    let settings = *start.settings();
    let Some(parts) = without_damping(start.parts(), &settings) else { return Ok(false) };
    let mut settings = Settings { stiffness_damping: 0.0, ..settings };
    settings.constraints.drop_own_damping();
    let candidate = Candidate { parts: Arc::new(parts), settings };
    survives(job, &candidate, lane_run.seconds + SURVIVAL_SECONDS)
}

/// Returns the scene without drag and without damping of its links; `None` if the scene has
/// neither.
fn without_damping(parts: &Parts, settings: &Settings) -> Option<Parts> {
    let is_drag = |law: &Force| matches!(law, Force::LinearDrag(_) | Force::QuadraticDrag(_));
    let drags = parts.forces.iter().any(|force| is_drag(&force.law));
    let damped = parts.mesh.links.iter().any(|link| link.damping > 0.0);
    if !drags && !damped && settings.stiffness_damping == 0.0 {
        return None;
    }
    let mut free = parts.clone();
    free.forces.retain(|force| !is_drag(&force.law));
    let links = parts.mesh.links.iter().map(|mut link| {
        link.damping = 0.0;
        link
    });
    free.mesh.links = links.collect();
    Some(free)
}

/// Returns a sentence with the event and its cause, and sentences with the measured values.
pub(super) fn cause_in_words(
    cause: Cause,
    question: &ExplainQuestion,
    lane_run: &LaneRun,
    mode: Option<&GrowingMode>,
) -> (String, String) {
    if cause == Cause::StraightPaths {
        let why = "balls move to their impacts on straight paths, although forces bend their \
                   paths; on parabolas, the lane gains no energy";
        let numbers = "A ball that meets the floor early in a step rises faster by up to (1 + e) \
                       g h/2, with the restitution e. Slow balls can gain it at every bounce.";
        return (format!("{}: {why}.", event_in_words(lane_run)), numbers.to_owned());
    }
    let Some(mode) = mode.filter(|_| cause != Cause::Holds) else {
        let headline = match lane_run.end.verdict() {
            _ if lane_run.ending.is_some() => format!("{}.", event_in_words(lane_run)),
            Verdict::Soft(softness) => format!("The lane is {softness}."),
            _ => format!("Stable for {}.", seconds_in_words(lane_run.seconds)),
        };
        return (headline, strain_in_words(question, lane_run));
    };
    let settings = question.start.settings();
    let title = settings.integrator.info().title;
    let why = match cause {
        Cause::StepTooLong => "the step is too long".to_owned(),
        Cause::FrameTooLong => format!(
            "the step is as long as the frame, and a frame of {} is too long",
            seconds_in_words(lane_run.longest_step)
        ),
        Cause::DampingTooStrong => {
            "the damping is too strong for the step; without it, the lane is stable".to_owned()
        }
        Cause::ContactTooStiff => {
            "the springs of penalty contact are too stiff for the step; with contact that finds \
             collisions, the lane is stable"
                .to_owned()
        }
        Cause::NeverStable => format!(
            "{title} amplifies every vibration that is not damped enough, however short the step"
        ),
        Cause::TurningLinks => format!(
            "{title} is stable for springs that keep their direction and adds energy where stiff \
             links turn"
        ),
        Cause::Misfit => format!(
            "{} adds energy with {title}: {}",
            settings.solver().info().title,
            settings.misfit().unwrap_or_default()
        ),
        Cause::SweepsTooFew => "the constraint solver has too few sweeps".to_owned(),
        Cause::SolveFailed => "the implicit solve did not converge".to_owned(),
        Cause::WrongStart => format!(
            "a link is {} times its rest length at the start",
            factor(1.0 + question.start.stretch().max)
        ),
        Cause::InitialOverlap => {
            "bodies overlap at the start, and contact moves them apart".to_owned()
        }
        Cause::DampedGain => {
            "the scheme adds energy in every step, and damping removes it again".to_owned()
        }
        Cause::Grows | Cause::Holds | Cause::StraightPaths => {
            "the step as a whole amplifies a motion".to_owned()
        }
    };
    (
        format!("{}: {why}.", event_in_words(lane_run)),
        numbers_in_words(cause, question, lane_run, mode),
    )
}

/// Returns sentences about the strain of the links of a stable lane, and about the solver limits
/// that contribute to the strain.
fn strain_in_words(question: &ExplainQuestion, lane_run: &LaneRun) -> String {
    let mut text = String::new();
    if lane_run.stretch > NOTABLE_STRETCH {
        text +=
            &format!("Links are up to {} longer than at rest.", percent_to(lane_run.stretch, 1));
    }
    let limit = question.start.solver_limit();
    let limit = limit.map(|limit| format!("The solver has a limit: {limit}."));
    let tethers = lane_run.end.tethers_in_words().map(|tethers| format!("Tethers {tethers}."));
    for sentence in [limit, tethers].into_iter().flatten() {
        let separator = if text.is_empty() { "" } else { " " };
        text += &format!("{separator}{sentence}");
    }
    text
}

/// Returns the clause with the time of the explosion, or of the first energy gain.
fn event_in_words(lane_run: &LaneRun) -> String {
    match lane_run.ending {
        Some(Ending::Exploded(explosion)) => {
            format!("Exploded at {}", moment_in_words(explosion.t))
        }
        Some(Ending::GainedEnergy { t, times }) if times.is_infinite() => {
            format!("Gained energy after {} where there was no motion", moment_in_words(t))
        }
        Some(Ending::GainedEnergy { t, times }) => {
            format!(
                "Gained {} times the greatest kinetic + elastic energy of its motion after {}",
                factor(times),
                moment_in_words(t)
            )
        }
        None => "The lane has not exploded yet, but its motion grows".to_owned(),
    }
}

fn numbers_in_words(
    cause: Cause,
    question: &ExplainQuestion,
    lane_run: &LaneRun,
    mode: &GrowingMode,
) -> String {
    let title = question.start.settings().integrator.info().title;
    let GrowingMode { omega, omega_h, damping_ratio, limit, limit_undamped, particle, .. } = mode;
    let what = match question.start.parts().mesh.links.is_empty() {
        true => "contacts vibrate",
        false if question.start.settings().contact.penalty().is_some() => {
            "links and contacts vibrate"
        }
        false => "links vibrate",
    };
    let vibration = format!(
        "Around particle {particle} {what} with ω = {}, so ωh = {}",
        quantity_in_words(*omega, "rad/s"),
        number_in_words(*omega_h)
    );
    let grew = growth_in_words(mode).map(|grew| format!("; {grew}")).unwrap_or_default();
    let text = match cause {
        Cause::StepTooLong | Cause::FrameTooLong => {
            format!(
                "{vibration}; small vibrations are stable with {title} {}{grew}.",
                stable_range_in_words(*limit)
            )
        }
        Cause::NeverStable if *limit < LEAST_SHOWN => {
            format!("{vibration}; there is no damping to absorb it{grew}.")
        }
        Cause::NeverStable => {
            let limit = number_in_words(*limit);
            format!("{vibration}; their damping suffices only up to ωh = {limit}{grew}.")
        }
        Cause::DampingTooStrong if mode.is_over_by_damping() => format!(
            "{vibration} with a damping ratio of {}: {title} is stable {} with that damping, and {} \
             without it{grew}.",
            factor(*damping_ratio),
            stable_range_in_words(*limit),
            stable_range_in_words(*limit_undamped)
        ),
        Cause::ContactTooStiff => contact_vibration_in_words(question).unwrap_or_default(),
        Cause::SweepsTooFew => {
            let error = share_of(&percent_to(lane_run.residual, 1), "of", "a link's length");
            format!("The solver leaves an error of {error}{grew}.")
        }
        Cause::TurningLinks => format!(
            "The solve converged in every step, but ωh = {}: above 2 or so, the chord of a link \
             that turns within a step is too short, so the scheme pushes its ends apart.",
            number_in_words(*omega_h)
        ),
        Cause::DampedGain => {
            "No vibration grows: the gain shows only in the energy account, which includes the \
             energy that damping removed."
                .to_owned()
        }
        Cause::WrongStart => String::new(),
        Cause::InitialOverlap => remaining_overlaps(question, lane_run)
            .map(|overlaps| format!("{overlaps}."))
            .unwrap_or_default(),
        Cause::Misfit
        | Cause::DampingTooStrong
        | Cause::SolveFailed
        | Cause::Grows
        | Cause::StraightPaths
        | Cause::Holds => {
            format!("The motion around particle {particle} grows{grew}.")
        }
    };
    let explodes = matches!(lane_run.ending, Some(Ending::Exploded(_)));
    if explodes && mode.t > 0.0 && !text.is_empty() {
        text + &format!(" The growth was too small to be seen until {}.", seconds_in_words(mode.t))
    } else {
        text
    }
}

/// Returns a growth factor as text: `1.0 %`, `42 %`, or `a factor of 2.5` above about 2.
fn percent_a_step(factor: f64) -> String {
    let percent = 100.0 * (factor - 1.0);
    match percent.abs() {
        size if size < 9.95 => format!("{percent:.1} %"),
        size if size < 99.5 => format!("{percent:.0} %"),
        _ => format!("a factor of {}", number_in_words(factor)),
    }
}

/// Returns the largest stable ωh (angular frequency × substep) as text: `up to ωh = 2`.
fn stable_range_in_words(limit: f64) -> String {
    match limit.is_finite() {
        true => format!("up to ωh = {}", limit_in_words(limit)),
        false => "at every ωh".to_owned(),
    }
}

/// Returns the clause with the measured growth of the mode and, if it agrees, the theoretical
/// growth. `None` without visible growth.
fn growth_in_words(mode: &GrowingMode) -> Option<String> {
    let GrowingMode { growth_measured, growth_theory, omega, .. } = mode;
    let [measured, by_theory] = [growth_measured, growth_theory].map(|growth| growth - 1.0);
    if measured.is_nan() || measured < LEAST_SHOWN {
        return None;
    }
    let ratio = measured / by_theory;
    let holds =
        measured.is_infinite() || (1.0 / MOST_GROWTH_RATIO..=MOST_GROWTH_RATIO).contains(&ratio);
    let theory = if *omega > 0.0 && by_theory >= LEAST_SHOWN && holds {
        format!(" (theory {})", percent_a_step(*growth_theory))
    } else {
        String::new()
    };
    Some(match growth_measured.is_finite() {
        true => format!("it grew by {} per step{theory}", percent_a_step(*growth_measured)),
        false => format!("it explodes at once{theory}"),
    })
}

/// Returns a sentence about the vibration of the lightest particle on its contact spring, with the
/// angular frequency ω = √(k/m) for the contact stiffness k and the mass m.
fn contact_vibration_in_words(question: &ExplainQuestion) -> Option<String> {
    let settings = question.start.settings();
    let penalty = settings.contact.penalty()?;
    let inverse = question.start.model().inverse_masses().iter().copied().fold(0.0, f64::max);
    let omega = (penalty.stiffness * inverse).sqrt();
    let h = settings.dt / f64::from(settings.substeps);
    Some(format!(
        "A particle of {} on a contact spring of {} vibrates with ω = {}, so ωh = {}.",
        kilograms_in_words(1.0 / inverse),
        quantity_in_words(penalty.stiffness, "N/m"),
        quantity_in_words(omega, "rad/s"),
        number_in_words(omega * h)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(growth_measured: f64, growth_theory: f64) -> Option<String> {
        growth_in_words(&GrowingMode {
            omega: 100.0,
            omega_h: 0.1,
            damping_ratio: 0.0,
            limit: 0.0,
            limit_undamped: 0.0,
            growth_measured,
            growth_theory,
            particle: 1,
            t: 0.0,
            displacements: Vec::new(),
        })
    }

    #[test]
    fn growth_is_said_where_it_is_seen_and_theory_where_it_holds() {
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(grown(1.01, 1.008), said("it grew by 1.0 % per step (theory 0.8 %)"));
        assert_eq!(grown(1.048, 1.0), said("it grew by 4.8 % per step"));
        assert_eq!(grown(1.048, 1.001), said("it grew by 4.8 % per step"));
        assert_eq!(grown(0.9999, 1.5), None);
        assert_eq!(grown(1.0001, 1.0), None);
        let at_once = said("it explodes at once (theory a factor of 3)");
        assert_eq!(grown(f64::INFINITY, 3.0), at_once);
    }

    #[test]
    fn a_limit_says_of_what() {
        assert_eq!(stable_range_in_words(2.0), "up to ωh = 2");
        assert_eq!(stable_range_in_words(f64::INFINITY), "at every ωh");
    }
}
