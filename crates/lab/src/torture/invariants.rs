//! Invariants: statements that are true in every session.

use crate::session::{Lane, Session};
use glam::DVec3;
use strum::Display;

/// Share by which books may be off.
const BOOKS: f64 = 1e-9;

/// A promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
pub enum Invariant {
    /// Nothing panics.
    #[strum(to_string = "a panic")]
    NoPanic,
    /// Simulated + owed + dropped = wall-clock time × speed.
    #[strum(to_string = "the books of time do not close")]
    BooksOfTime,
    /// The books of energy account for the energy that the lane has.
    #[strum(to_string = "the books of energy do not close")]
    BooksOfEnergy,
    /// A lane with numbers that are not finite has a verdict.
    #[strum(to_string = "a number is not finite and the lane has no verdict")]
    Finite,
    /// Equal bits after seek, undo, redo, branch and reload as in an uninterrupted run.
    #[strum(to_string = "other bits than the straight run")]
    SameBits,
    /// Linked rings stay linked where contact guarantees it.
    #[strum(to_string = "linked rings came apart")]
    Linked,
    /// The history stays within its memory.
    #[strum(to_string = "the history takes too much memory")]
    Memory,
    /// The recording can be read and replays to the same bits.
    #[strum(to_string = "the recording does not replay")]
    Recording,
    /// A saved scene can be read.
    #[strum(to_string = "the saved scene is another one")]
    Saved,
    /// An invariant of the caller.
    #[strum(to_string = "an invariant of the caller")]
    Extra,
}

/// A finding about one lane, counted from 0.
pub(super) type Finding = Result<(), (Invariant, String)>;

/// Invariants of every lane at every moment.
pub(super) fn look_at_lanes(session: &Session, rings: Option<usize>) -> Finding {
    for (number, lane) in (1..).zip(session.lanes()) {
        let told =
            |finding: (Invariant, String)| (finding.0, format!("lane {number}: {}", finding.1));
        finite(lane).map_err(told)?;
        books_of_time(lane).map_err(told)?;
        rings.map_or(Ok(()), |count| linked(lane, count)).map_err(told)?;
    }
    Ok(())
}

fn finite(Lane { simulation, .. }: &Lane) -> Finding {
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

fn books_of_time(Lane { simulation, .. }: &Lane) -> Finding {
    let books = simulation.ledger();
    let error = books.simulated + books.owed + books.dropped - books.wall;
    let size = books.wall.abs() + books.dropped.abs() + 1.0;
    if error.abs() <= BOOKS * size {
        return Ok(());
    }
    Err((Invariant::BooksOfTime, format!("off by {error:e} s: {books:?}")))
}

/// Checks the books of lanes that took a step in the frame before: then nothing has changed since.
pub(super) fn books_of_energy(session: &Session, steps: impl Fn(usize) -> bool) -> Finding {
    for (index, Lane { simulation, .. }) in session.lanes().iter().enumerate() {
        let Some(balance) = simulation.balance() else { continue };
        if simulation.explosion().is_some() || !steps(index) {
            continue;
        }
        let has = simulation.energy().total();
        let booked = balance.kinetic + balance.potential + balance.elastic;
        let flows = balance.put_in.values().sum::<f64>() + balance.scheme
            - balance.taken_out.values().sum::<f64>();
        let largest = balance.put_in.values().chain(balance.taken_out.values());
        let size = largest.fold(balance.start.abs() + has.abs(), |sum, joules| sum + joules.abs());
        // Drag of an explosion overflows before its links are overstretched; such sums mean
        // nothing.
        if !size.is_finite() {
            continue;
        }
        let parts = balance.kinetic.abs() + balance.potential.abs() + balance.elastic.abs();
        let most = BOOKS * (size + parts + balance.scheme.abs() + f64::MIN_POSITIVE);
        let off = [booked - has, balance.start + flows - booked];
        if off.iter().any(|joules| joules.is_nan() || joules.abs() > most) && has.is_finite() {
            let finding = format!("lane {}: off by {off:?} J of {has} J: {balance:?}", index + 1);
            return Err((Invariant::BooksOfEnergy, finding));
        }
    }
    Ok(())
}

fn linked(Lane { simulation, .. }: &Lane, count: usize) -> Finding {
    let (one, other) = simulation.state().x[..2 * count].split_at(count);
    let number = crate::measure::linking_number(one, other);
    // A whole number but for rounding: 4e-6 was missing where a hand had pulled rings out to 8e9 m.
    if (number.abs() - 1.0).abs() < 1e-4 {
        return Ok(());
    }
    let t = simulation.state().t;
    Err((Invariant::Linked, format!("the linking number is {number} at {t} s")))
}
