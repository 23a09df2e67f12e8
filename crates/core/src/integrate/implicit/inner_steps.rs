//! Division of an implicit integrator's step into shorter inner steps if its solve does not
//! converge.

use ropelab_mechanics::numerics::state::{SolveReport, StateMut, StateRef, Workspace};

/// Largest number of equal parts of a step; a power of two.
const MOST_PARTS: u32 = 64;

/// Largest number of linear iterations in all attempts at one step. Beyond it, one inner step
/// covers the remaining time, whether or not its solve converges. The limit allows about eleven
/// solves that each run for their maximum number of iterations. A whipping chain of 20 particles
/// whose solves fail needs a tenth of the limit. Before the limit existed, a cloth with a drag of
/// 1e11 kg/s needed ten times as many iterations in every step.
const MOST_LINEAR_ITERATIONS: u32 = 100_000;

/// One attempt at an inner step. Arguments: start, end, length in seconds, workspace, and a flag
/// that accepts an unconverged result. The attempt always writes the end state. It writes the
/// integrator's history only if the solve converged or the flag is true.
pub(super) type Attempt<'a> =
    &'a dyn Fn(StateRef, StateMut, f64, &mut Workspace, bool) -> SolveReport;

/// Takes a step of `dt` seconds in parts. A part whose solve does not converge is halved, down to
/// dt/64. If the shortest part fails, or [`MOST_LINEAR_ITERATIONS`] iterations are spent, one inner
/// step covers the remaining time with the last value of its solve, and the report says that the
/// step failed. This bounds the computing time of an exploding system.
pub(super) fn step_in_parts(
    at: StateRef,
    to: StateMut,
    dt: f64,
    work: &mut Workspace,
    attempt: Attempt,
) {
    let mut inner = work.take_inner_state(at.len());
    let part = dt / f64::from(MOST_PARTS);
    let mut report = SolveReport::default();
    // Numbers of shortest parts (dt/64): finished so far, and covered by the next attempt.
    let (mut done, mut length) = (0, MOST_PARTS);
    let mut accepts_failure = false;
    while done < MOST_PARTS {
        let from = if done == 0 { at } else { inner.view() };
        let h = if length == MOST_PARTS { dt } else { f64::from(length) * part };
        let end = StateMut { x: &mut *to.x, v: &mut *to.v };
        let solve = attempt(from, end, h, work, accepts_failure);
        report.newton += solve.newton;
        report.linear += solve.linear;
        report.residual = solve.residual;
        if !solve.failed || accepts_failure {
            report.parts += 1;
            report.failed |= solve.failed;
            done += length;
            inner.t = at.t + f64::from(done) * part;
            inner.x.copy_from_slice(to.x);
            inner.v.copy_from_slice(to.v);
            if done < MOST_PARTS {
                work.path.record(inner.view());
            }
            if done % (2 * length) == 0 {
                length = (2 * length).min(MOST_PARTS - done);
            }
        } else if length > 1 && solve.residual.is_finite() && report.linear < MOST_LINEAR_ITERATIONS
        {
            length /= 2;
        } else {
            (accepts_failure, length) = (true, MOST_PARTS - done);
        }
    }
    work.give_back_inner_state(inner);
    work.solve = report;
}
