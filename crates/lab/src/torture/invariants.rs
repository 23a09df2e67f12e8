//! Invariants: conditions that every session must fulfil.

use crate::session::{Lane, Session};
use glam::DVec3;
use strum::Display;

/// Relative tolerance of sums in the time account and in the energy account.
const ACCOUNT_TOLERANCE: f64 = 1e-9;

/// Invariant that a case may violate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
pub enum Invariant {
    /// No code panics.
    #[strum(to_string = "a panic")]
    NoPanic,
    /// The time account is complete: simulated + owed + dropped = wall-clock time × speed.
    #[strum(to_string = "the time account does not add up")]
    TimeAccount,
    /// The entries of the energy account sum to the energy of the lane.
    #[strum(to_string = "the energy account does not add up")]
    EnergyAccount,
    /// A lane whose values are not finite counts as exploded.
    #[strum(to_string = "a number is not finite and the lane has no verdict")]
    Finite,
    /// After a return to an earlier moment, an undo, a redo, a switch of branches or a reload, the
    /// bits equal those of an uninterrupted run.
    #[strum(to_string = "the bits differ from those of an uninterrupted run")]
    SameBits,
    /// Linked rings stay linked if contact guarantees it.
    #[strum(to_string = "linked rings came apart")]
    Linked,
    /// The history stays within its memory budget.
    #[strum(to_string = "the history takes too much memory")]
    Memory,
    /// The recording can be read, and its replay has the same bits.
    #[strum(to_string = "the recording does not replay")]
    Recording,
    /// A saved scene can be read, and equals the original.
    #[strum(to_string = "the saved scene differs from the original")]
    Saved,
    /// Additional invariant, defined by the caller.
    #[strum(to_string = "an invariant of the caller")]
    Extra,
}

/// Result of a check: `Ok`, or the violated invariant with a description.
pub(super) type CheckResult = Result<(), (Invariant, String)>;

pub(super) fn check_lanes(session: &Session, rings: Option<usize>) -> CheckResult {
    for (number, lane) in (1..).zip(session.lanes()) {
        let with_lane_number =
            |finding: (Invariant, String)| (finding.0, format!("lane {number}: {}", finding.1));
        check_finite(lane).map_err(with_lane_number)?;
        check_time_account(lane).map_err(with_lane_number)?;
        rings.map_or(Ok(()), |count| check_linked(lane, count)).map_err(with_lane_number)?;
    }
    Ok(())
}

fn check_finite(Lane { simulation, .. }: &Lane) -> CheckResult {
    let state = simulation.state();
    let is_broken = |(x, v): (&DVec3, &DVec3)| !(x.is_finite() && v.is_finite());
    match state.x.iter().zip(&state.v).position(is_broken) {
        Some(particle) if simulation.explosion().is_none() => {
            let (x, v) = (state.x[particle], state.v[particle]);
            Err((Invariant::Finite, format!("particle {particle} is at {x} with {v}")))
        }
        _ => Ok(()),
    }
}

fn check_time_account(Lane { simulation, .. }: &Lane) -> CheckResult {
    let account = simulation.time_account();
    let error = account.simulated + account.owed + account.dropped - account.wall;
    let size = account.wall.abs() + account.dropped.abs() + 1.0;
    if error.abs() <= ACCOUNT_TOLERANCE * size {
        return Ok(());
    }
    Err((Invariant::TimeAccount, format!("off by {error:e} s: {account:?}")))
}

/// Checks the energy accounts of the lanes that took a step in the last frame. `steps` returns true
/// for the index of such a lane. The states of other lanes may have changed since the last entry in
/// their accounts.
pub(super) fn check_energy_accounts(
    session: &Session,
    steps: impl Fn(usize) -> bool,
) -> CheckResult {
    for (index, Lane { simulation, .. }) in session.lanes().iter().enumerate() {
        let Some(balance) = simulation.balance() else { continue };
        if simulation.explosion().is_some() || !steps(index) {
            continue;
        }
        let has = simulation.energy().total();
        let recorded = balance.kinetic + balance.potential + balance.elastic;
        let flows = balance.put_in.values().sum::<f64>() + balance.scheme
            - balance.taken_out.values().sum::<f64>();
        let largest = balance.put_in.values().chain(balance.taken_out.values());
        let size = largest.fold(balance.start.abs() + has.abs(), |sum, joules| sum + joules.abs());
        // In an explosion, drag overflows before links are overstretched. Infinite sums and NaN
        // then prove nothing.
        if !size.is_finite() {
            continue;
        }
        let parts = balance.kinetic.abs() + balance.potential.abs() + balance.elastic.abs();
        let most = ACCOUNT_TOLERANCE * (size + parts + balance.scheme.abs() + f64::MIN_POSITIVE);
        let off = [recorded - has, balance.start + flows - recorded];
        if off.iter().any(|joules| joules.is_nan() || joules.abs() > most) && has.is_finite() {
            let finding = format!("lane {}: off by {off:?} J of {has} J: {balance:?}", index + 1);
            return Err((Invariant::EnergyAccount, finding));
        }
    }
    Ok(())
}

fn check_linked(Lane { simulation, .. }: &Lane, count: usize) -> CheckResult {
    let (one, other) = simulation.state().x[..2 * count].split_at(count);
    let number = crate::measure::linking_number(one, other);
    // The linking number is a whole number except for rounding. The error was 4e-6 when a mouse
    // drag had pulled rings out to 8e9 m.
    if (number.abs() - 1.0).abs() < 1e-4 {
        return Ok(());
    }
    let t = simulation.state().t;
    Err((Invariant::Linked, format!("the linking number is {number} at {t} s")))
}
