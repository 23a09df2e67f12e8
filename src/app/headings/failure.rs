//! Text about a failed lane: its verdict, and its settings when it failed.

use crate::analysis::{EnoughSweeps, VISIBLE_ERROR};
use crate::app::answers::SolverError;
use crate::app::answers::settings_difference::settings_at_failure;
use crate::measure::Verdict;
use crate::quantity::in_words::{moment_in_words, percent_to, share_of};
use crate::quantity::on_screen::si_tight;
use crate::session::Lane;
use crate::simulation::settings::Settings;

pub(super) struct FailureText {
    /// Short texts, longest first, for narrow viewports and for viewports with many lanes.
    pub briefs: Vec<String>,
    /// Sentence about the cause and the failed link or particle.
    pub whole: String,
}

/// Returns the text about a lane that exploded, gained energy, is too soft, or has an unconverged
/// solver; `None` for other lanes. If the user has changed the settings since an explosion, the
/// text names the settings at the explosion.
pub(super) fn failure_text(lane: &Lane, solver_error: Option<SolverError>) -> Option<FailureText> {
    let simulation = &lane.simulation;
    if let Some(explosion) = simulation.explosion() {
        let energy = si_tight(explosion.energy, "J");
        let under = settings_at_failure(simulation)
            .map_or(String::new(), |settings_at_failure| format!(" under {settings_at_failure}"));
        let t = moment_in_words(explosion.t);
        let brief = format!("exploded at {t}{under}");
        let briefs = vec![brief, format!("exploded {t}"), "exploded".to_owned()];
        return Some(FailureText { briefs, whole: format!("{explosion}{under}, {energy}") });
    }
    match simulation.verdict() {
        Verdict::GainedEnergy(gain) => {
            let briefs = briefs_since("gains energy", gain.t);
            return Some(FailureText { briefs, whole: gain.to_string() });
        }
        Verdict::Soft(softness) => {
            let remedy = match solver_error {
                Some(SolverError::Length(_, Some(enough))) => enough_sweeps_text(enough),
                _ => simulation.settings().solver().remedy().to_owned(),
            };
            let briefs = briefs_since("soft", softness.since());
            return Some(FailureText { briefs, whole: format!("{softness}; {remedy}") });
        }
        Verdict::Stable | Verdict::Exploded(_) => {}
    }
    solver_error.map(solver_error_text)
}

/// Returns short texts about a failure that began at time `t` in seconds.
fn briefs_since(failure: &str, t: f64) -> Vec<String> {
    vec![format!("{failure} after {}", moment_in_words(t)), failure.to_owned()]
}

fn solver_error_text(solver_error: SolverError) -> FailureText {
    match solver_error {
        SolverError::Length(fraction, enough) => FailureText {
            briefs: vec!["too soft".to_owned()],
            whole: format!(
                "softer than its material by {}: {}",
                share_of(&percent_to(fraction, 1), "of", "a length"),
                enough.map_or("more sweeps or substeps help".to_owned(), enough_sweeps_text)
            ),
        },
        SolverError::Solve => FailureText {
            briefs: vec!["does not converge".to_owned()],
            whole: "the implicit solve misses its tolerance: a shorter dt helps".to_owned(),
        },
    }
}

fn enough_sweeps_text(enough: EnoughSweeps) -> String {
    let substeps = format!("{} times the substeps", enough.substeps);
    let less = format!("leave less than {} %", 100.0 * VISIBLE_ERROR);
    match enough.sweeps {
        Some(sweeps) => format!("{sweeps} times the sweeps or {substeps} {less}"),
        None => format!("{substeps} {less}"),
    }
}

/// Returns a clause about the current settings if they differ from those at the failure.
pub(super) fn changed_settings_clause(then: &Settings, now: &Settings) -> String {
    let title = now.integrator.info().title;
    if then.integrator.info().title != title {
        format!(" with {title}")
    } else if then != now {
        " with these settings".to_owned()
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::answers::settings_difference::settings_difference;
    use crate::app::answers::softness::Softness;
    use crate::app::laboratory::session_of;
    use crate::integrate::Method;

    #[test]
    fn a_verdict_names_what_has_changed_since() {
        let then = Settings { integrator: Method::ExplicitEuler, dt: 0.01, ..Settings::default() };
        assert_eq!(settings_difference(&then, &then), None);
        let other = Settings { integrator: Method::SymplecticEuler, ..then };
        assert_eq!(settings_difference(&then, &other).as_deref(), Some("explicit Euler"));
        let finer = Settings { substeps: 4, ..then };
        assert_eq!(settings_difference(&then, &finer).as_deref(), Some("a step of 10.0 ms"));
        let offers = [then, other, finer].map(|now| changed_settings_clause(&then, &now));
        assert_eq!(offers, ["", " with symplectic Euler", " with these settings"]);
    }

    #[test]
    fn what_sweeps_leave_is_said_with_how_many_more_are_enough() {
        let words = |enough| solver_error_text(SolverError::Length(0.1, enough)).whole;
        let left = "softer than its material by 10.0 % of a length: ";
        let both = EnoughSweeps { sweeps: Some(3), substeps: 4 };
        let said = "3 times the sweeps or 4 times the substeps leave less than 1.5 %";
        assert_eq!(words(Some(both)), format!("{left}{said}"));
        let substeps = EnoughSweeps { sweeps: None, ..both };
        assert_eq!(
            words(Some(substeps)),
            format!("{left}4 times the substeps leave less than 1.5 %")
        );
        assert_eq!(words(None), format!("{left}more sweeps or substeps help"));
    }

    /// Loads a rope with too few sweeps and waits for the sentence about the solver.
    #[test]
    fn a_rope_that_sweeps_leave_too_soft_gets_the_sentence() {
        let text = "(version: 1, name: \"rope\",
            materials: [Rope(name: \"m\", mass_per_metre: 1, stiffness: 2000, damping: 0)],
            ropes: [(name: \"r\", from: (0, 0, 0), to: (0, -1, 0), segments: 20, material: \"m\")],
            masses: [(of: End(\"r\"), mass: 2)], pins: [(of: Start(\"r\"))],
            forces: [(law: Gravity()), (law: LinearDrag(coefficient: 3))],
            settings: (integrator: SymplecticEuler, constraints: Xpbd(iterations: 10),
                       dt: 0.016666666666666666, contact: Off))";
        let mut session = session_of(text);
        let mut softness = Softness::default();
        for _ in 0..240 {
            session.advance(1.0 / 60.0, &|| 0.0);
            softness.observe(&session.lanes()[0].simulation);
        }
        let said = failure_text(&session.lanes()[0], softness.lasting_error()).expect("a failure");
        assert!(said.briefs[0].starts_with("soft after "), "{:?}", said.briefs);
        let begins = said.whole.contains(" longer than its material says under the same pull; ");
        let ends = said.whole.ends_with(" times the substeps leave less than 1.5 %");
        assert!(begins && ends && said.whole.contains(" times the sweeps or "), "{}", said.whole);
    }
}
