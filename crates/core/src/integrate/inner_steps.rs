//! Steps of the implicit integrators, divided into shorter ones if a solve does not converge.

use crate::numerics::state::{Next, Now, SolveReport, Workspace};

/// Upper limit of the equal parts into which a step is divided; a power of two.
const MOST_PARTS: u32 = 64;

/// Upper limit of linear iterations in all attempts at a step, after which the rest of the step is
/// accepted unconverged: eleven solves at their own limit. A whipping chain of 20 particles that
/// fails takes a tenth of it; a cloth with a drag of 1e11 kg/s took ten times as much in every
/// step.
const MOST_LINEAR: u32 = 100_000;

/// Attempt at a step of some seconds. It always writes `next`. It writes the history only if its
/// solve converged or the last argument is true, which accepts an unconverged result.
pub(super) type Attempt<'a> = &'a dyn Fn(Now, Next, f64, &mut Workspace, bool) -> SolveReport;

/// Takes a step of `dt` seconds. If the solve does not converge, halves the step, and halves again.
/// If even the shortest part does not converge, or [`MOST_LINEAR`] iterations are spent, takes the
/// rest of the step at once with the best value found, and the report says that the step failed.
/// The time for an exploding system thus stays bounded.
pub(super) fn step_in_parts(now: Now, next: Next, dt: f64, work: &mut Workspace, attempt: Attempt) {
    let mut inner = work.take_inner_state(now.len());
    let part = dt / f64::from(MOST_PARTS);
    let mut report = SolveReport::default();
    // Both in parts: the number done, and the number that the next attempt covers.
    let (mut done, mut length) = (0, MOST_PARTS);
    let mut at_any_price = false;
    while done < MOST_PARTS {
        let from = if done == 0 { now } else { inner.as_now() };
        let h = if length == MOST_PARTS { dt } else { f64::from(length) * part };
        let to = Next { x: &mut *next.x, v: &mut *next.v };
        let solve = attempt(from, to, h, work, at_any_price);
        report.newton += solve.newton;
        report.linear += solve.linear;
        report.residual = solve.residual;
        if !solve.failed || at_any_price {
            report.parts += 1;
            report.failed |= solve.failed;
            done += length;
            inner.t = now.t + f64::from(done) * part;
            inner.x.copy_from_slice(next.x);
            inner.v.copy_from_slice(next.v);
            if done % (2 * length) == 0 {
                length = (2 * length).min(MOST_PARTS - done);
            }
        } else if length > 1 && solve.residual.is_finite() && report.linear < MOST_LINEAR {
            length /= 2;
        } else {
            (at_any_price, length) = (true, MOST_PARTS - done);
        }
    }
    work.give_back_inner_state(inner);
    work.solve = report;
}
