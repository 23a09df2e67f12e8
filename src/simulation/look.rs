//! What is seen of one lane: energy, stretch, explosion, and the record of them.

use super::Simulation;
use crate::constraint::Projection;
use crate::diagnostics::{
    Cause, Energy, Explosion, Record, Sample, Stretch, first_non_finite, stretch,
};
use crate::state::State;
use crate::stepper::Blend;

/// Links that a frame's sample may look at, on average: in a cloth of 500 × 500 one frame in eight
/// looks at the energy and one in eight at the stretch, for some 2 ns a link each on the thread
/// that steps.
const LINKS_A_SAMPLE: usize = 125_000;

impl Simulation {
    pub(super) fn find_explosion(&mut self) {
        let Self { model, state, scratch, stretch_watch, constraints, .. } = self;
        let (links, State { x, v, .. }) = (model.fabric().links(), &*state);
        let moves = || scratch.strips.iter().flat_map(|strip| &strip.moves);
        let are_finite = moves().all(|(_, moves)| moves.are_finite());
        let broken = if are_finite { None } else { first_non_finite(x, v) };
        let broken = broken.map(|particle| (Cause::NonFinite, particle));
        // A hand may pull a rope as far as it likes: that is not the scheme's fault.
        let overstretched = stretch_watch.first_overstretched(links, constraints, x, moves());
        let pulled = self.hand.is_some() || !self.stretch_armed;
        self.stretch_armed = !(pulled && overstretched.is_some());
        let found = broken
            .or(overstretched.filter(|_| !pulled).map(|particle| (Cause::Overstretched, particle)));
        if let Some((cause, particle)) = found {
            let (t, step) = (self.state.t, self.clock.steps);
            self.state.copy_from(&self.previous);
            let energy = self.energy().total();
            self.explosion = Some(Explosion { t, step, particle, energy, cause });
        }
    }

    /// Energy and stretch of the newest state, or in a large scene of a few frames ago. They take
    /// turns, so that no frame pays for both.
    pub(super) fn look_if_due(&self) -> (Energy, Stretch) {
        let Some(last) = self.record.last() else { return (self.energy(), self.stretch()) };
        let every = self.model.fabric().links().len().div_ceil(LINKS_A_SAMPLE).max(1) as u64;
        let turn = self.record.taken() % every;
        let energy = if turn == 0 { self.energy() } else { last.energy };
        let stretch = if turn == every / 2 { self.stretch() } else { last.stretch };
        (energy, stretch)
    }

    pub(super) fn note(&mut self, frame: f64, energy: Energy, stretch: Stretch) {
        self.drift.observe(&energy);
        let ledger = self.stepper.ledger();
        self.record.push(Sample {
            wall: ledger.wall,
            t: self.state.t,
            frame,
            steps: self.plan.steps,
            blend: match self.plan.blend {
                Blend::Between(blend) => blend,
                _ => 1.0,
            },
            owed: ledger.owed,
            dropped: ledger.dropped,
            energy,
            drift: self.drift.fraction(),
            stretch,
        });
    }

    /// Energies of the newest state in joules.
    pub fn energy(&self) -> Energy {
        self.model.energy(&self.state, self.constraints.links())
    }

    /// Energy drift as a fraction, see [`Drift`](crate::diagnostics::Drift).
    pub fn drift(&self) -> f64 {
        self.drift.fraction()
    }

    /// Stretch of the newest state.
    pub fn stretch(&self) -> Stretch {
        let fabric = self.model.fabric();
        stretch(fabric.links(), fabric.cut_links().len(), &self.state.x)
    }

    /// Samples of the last minute.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// What the last projection did and what it has left, looked at now: it costs as much as one
    /// of its sweeps.
    pub fn projection(&self) -> Projection {
        let Self { settings, constraints, model, scratch, previous, state, sweeps, .. } = self;
        let w = model.inverse_masses();
        let start = if settings.substeps > 1 { &scratch.before.x } else { &previous.x };
        settings.solver().look(constraints, w, start, &state.x, *sweeps)
    }
}
