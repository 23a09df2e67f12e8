//! Records of single particles, kept step by step on demand: the watched particle, and trails.

use crate::measure::{Moment, MotionRecord, Thinning};
use crate::simulation::running_scene::Simulation;
use ropelab_mechanics::numerics::state::State;

impl Simulation {
    /// Starts to record every step of this particle; `None` ends the record.
    pub fn watch(&mut self, particle: Option<u32>) {
        if self.motion.as_ref().map(MotionRecord::particle) != particle {
            self.motion = particle.map(MotionRecord::of);
        }
    }

    /// Returns the record of the watched particle, or `None`.
    pub fn motion(&self) -> Option<&MotionRecord> {
        self.motion.as_ref()
    }

    /// Starts to record the trails of these particles at their present positions. If they are the
    /// particles of the present trails, these continue.
    pub fn set_trails(&mut self, wanted: &[(u32, Thinning)]) {
        let kept = self.trails.iter().map(|trail| (trail.particle(), trail.thinning()));
        if kept.eq(wanted.iter().copied()) {
            return;
        }
        let new = |&(particle, thinning): &_| MotionRecord::thinned(particle, thinning);
        self.trails = wanted.iter().map(new).collect();
        self.record_trails();
    }

    /// Returns the trails, in the order requested.
    pub fn trails(&self) -> &[MotionRecord] {
        &self.trails
    }

    /// Restarts the trails of the same particles, at their present positions.
    pub(in crate::simulation) fn restart_trails(&mut self, trails: &[MotionRecord]) {
        let again = |trail: &MotionRecord| (trail.particle(), trail.thinning());
        self.set_trails(&trails.iter().map(again).collect::<Vec<_>>());
    }

    /// Appends the newest state to the record of the watched particle and to all trails.
    pub(in crate::simulation) fn record_motion(&mut self) {
        record_state(&self.run.state, self.motion.iter_mut());
        self.record_trails();
    }

    /// Appends the present state to all trails, after a step or after a drawn state between two
    /// steps.
    pub(in crate::simulation) fn record_trails(&mut self) {
        record_state(&self.run.state, self.trails.iter_mut());
    }
}

fn record_state<'a>(state: &State, records: impl Iterator<Item = &'a mut MotionRecord>) {
    for record in records {
        let i = record.particle() as usize;
        if let (Some(&x), Some(&v)) = (state.x.get(i), state.v.get(i)) {
            record.push(Moment { t: state.t, x, v });
        }
    }
}
