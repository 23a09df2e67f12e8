//! Records of particles whose motion is kept step by step, on demand.

use crate::measure::{Moment, MotionRecord, Thinning};
use crate::numerics::state::State;
use crate::simulation::Simulation;

impl Simulation {
    /// Records every step of this particle from now on; `None` ends the recording.
    pub fn watch(&mut self, particle: Option<u32>) {
        if self.motion.as_ref().map(MotionRecord::particle) != particle {
            self.motion = particle.map(MotionRecord::of);
        }
    }

    /// Returns the record of the watched particle, or `None` if no particle is watched.
    pub fn motion(&self) -> Option<&MotionRecord> {
        self.motion.as_ref()
    }

    /// Keeps trails of these particles from now on. Present trails continue if they are of exactly
    /// these particles; otherwise all start from the present positions.
    pub fn set_trails(&mut self, wanted: &[(u32, Thinning)]) {
        let kept = self.trails.iter().map(|trail| (trail.particle(), trail.thinning()));
        if kept.eq(wanted.iter().copied()) {
            return;
        }
        let new = |&(particle, thinning): &_| MotionRecord::thinned(particle, thinning);
        self.trails = wanted.iter().map(new).collect();
        self.record_trails();
    }

    /// Trails in the requested order.
    pub fn trails(&self) -> &[MotionRecord] {
        &self.trails
    }

    /// Starts trails of the same particles again, from their present positions.
    pub(in crate::simulation) fn restart_trails(&mut self, trails: &[MotionRecord]) {
        let again = |trail: &MotionRecord| (trail.particle(), trail.thinning());
        self.set_trails(&trails.iter().map(again).collect::<Vec<_>>());
    }

    /// Records the newest step.
    pub(in crate::simulation) fn record_motion(&mut self) {
        record_state(&self.run.state, self.motion.iter_mut());
        self.record_trails();
    }

    /// Records the state in the trails: after a step, or for a picture that was computed between
    /// two steps.
    pub(in crate::simulation) fn record_trails(&mut self) {
        record_state(&self.run.state, self.trails.iter_mut());
    }
}

/// Adds a state to the records of some particles.
fn record_state<'a>(state: &State, records: impl Iterator<Item = &'a mut MotionRecord>) {
    for record in records {
        let i = record.particle() as usize;
        if let (Some(&x), Some(&v)) = (state.x.get(i), state.v.get(i)) {
            record.push(Moment { t: state.t, x, v });
        }
    }
}
