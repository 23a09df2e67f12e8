//! One particle that is watched step by step, on demand.

use crate::measure::{Moment, MotionRecord};
use crate::simulation::Simulation;

impl Simulation {
    /// From now on every step of this particle is kept, or of none.
    pub fn watch(&mut self, particle: Option<u32>) {
        if self.motion.as_ref().map(MotionRecord::particle) != particle {
            self.motion = particle.map(MotionRecord::of);
        }
    }

    /// What is kept of the particle that is watched.
    pub fn motion(&self) -> Option<&MotionRecord> {
        self.motion.as_ref()
    }

    /// Keeps the newest step.
    pub(in crate::simulation) fn note_motion(&mut self) {
        let Some(motion) = &mut self.motion else { return };
        let (state, i) = (&self.run.state, motion.particle() as usize);
        if let (Some(&x), Some(&v)) = (state.x.get(i), state.v.get(i)) {
            motion.push(Moment { t: state.t, x, v });
        }
    }
}
