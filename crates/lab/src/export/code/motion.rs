//! Free motion in the exported time step, for each integrator. This file contains the statements
//! that all languages share.

use super::no_plain_loop::NoPlainLoop;
use super::templates::LoopTemplates;
use crate::integrate::Method;
use crate::simulation::settings::Settings;
use std::borrow::Cow;

impl LoopTemplates {
    /// Returns a loop that executes the statements for every free particle.
    fn for_each_free(&self, statements: &[&str]) -> Cow<'static, str> {
        let lines = self.free_particles[usize::from(statements.len() == 1)].lines();
        let repeated = lines.flat_map(|line| {
            let times = if line.contains("{statement}") { statements } else { &[""] };
            times.iter().map(|statement| line.replace("{statement}", statement))
        });
        repeated.collect::<Vec<_>>().join("\n").replace("{half}", self.half).into()
    }
}

/// Returns the statements of the free motion with the integrator, in order. They contain no
/// displacement if the solver moves the particles.
pub(super) fn free_motion(
    templates: &LoopTemplates,
    settings: &Settings,
    solver_moves: bool,
) -> Result<Vec<Cow<'static, str>>, NoPlainLoop> {
    const KICK: &str = "v[i] += a[i] * h";
    const HALF_KICK: &str = "v[i] += a[i] * ({half} * h)";
    const DRIFT: &str = "x[i] += v[i] * h";
    let projects = !settings.solver().is_none();
    let LoopTemplates { stages, of_stages: [of_stages, next_of_stages], .. } = *templates;
    let accelerations = templates.accelerations[usize::from(projects)].into();
    let again = templates.again.into();
    let free = |statements: &[&str]| templates.for_each_free(statements);
    Ok(match settings.integrator {
        Method::SymplecticEuler if solver_moves => vec![accelerations, free(&[KICK])],
        other if solver_moves => {
            let [solver, integrator] = [settings.solver().info().title, other.info().title];
            return Err(NoPlainLoop::SolverUnder { solver, integrator });
        }
        Method::ExplicitEuler => vec![accelerations, free(&[DRIFT, KICK])],
        Method::SymplecticEuler => vec![accelerations, free(&[KICK, DRIFT])],
        Method::VelocityVerlet if projects => {
            let drift = "x[i] += v[i] * h + a[i] * ({half} * h * h)";
            vec![accelerations, free(&[drift, KICK])]
        }
        Method::VelocityVerlet => {
            vec![accelerations, free(&[HALF_KICK, DRIFT]), again, free(&[HALF_KICK])]
        }
        Method::PositionVerlet(_) if projects => {
            vec![accelerations, templates.position_verlet.into()]
        }
        Method::PositionVerlet(_) => vec![
            templates.backward.into(),
            accelerations,
            templates.position_verlet.into(),
            templates.keep.into(),
        ],
        // Stages evaluate forces at positions before the projection.
        Method::Rk4 | Method::Midpoint | Method::Heun | Method::Leapfrog | Method::Beeman
            if projects =>
        {
            return Err(NoPlainLoop::Stages(settings.integrator.info().title));
        }
        Method::Rk4 => vec![stages.into(), templates.rk4.into()],
        Method::Midpoint => vec![
            accelerations,
            stages.into(),
            free(&["xs[i] += v[i] * ({half} * h)", "vs[i] += a[i] * ({half} * h)"]),
            of_stages.into(),
            free(&["x[i] += vs[i] * h", KICK]),
        ],
        Method::Heun => vec![
            accelerations,
            stages.into(),
            free(&["xs[i] += v[i] * h", "vs[i] += a[i] * h"]),
            next_of_stages.into(),
            free(&[
                "x[i] += (v[i] + vs[i]) * ({half} * h)",
                "v[i] += (a[i] + next[i]) * ({half} * h)",
            ]),
        ],
        Method::Leapfrog => vec![
            accelerations,
            templates.predicted.into(),
            free(&["predicted[i] += a[i] * h", HALF_KICK, DRIFT]),
            templates.of_predicted.into(),
            free(&[HALF_KICK]),
        ],
        Method::Beeman => vec![accelerations, templates.beeman.into()],
        other => return Err(NoPlainLoop::Integrator(other.info().title)),
    })
}
