//! Books, steps and trails that all lanes keep for plots and pictures. They change no bit of a
//! simulation.

use super::{Lane, Session};
use crate::measure::Thinning;

impl Session {
    /// Begins or ends books of energy in all lanes that do not keep any, or do.
    pub fn keep_books(&mut self, wanted: bool) {
        for Lane { simulation, .. } in &mut self.lanes {
            match simulation.books() {
                None if wanted => simulation.open_books(),
                Some(_) if !wanted => simulation.close_books(),
                _ => {}
            }
        }
    }

    /// Records every step of a particle in all lanes; `None` ends the recording.
    pub fn watch(&mut self, particle: Option<u32>) {
        self.each(|simulation| simulation.watch(particle));
    }

    /// Keeps trails of these particles in all lanes.
    pub fn leave_trails(&mut self, wanted: &[(u32, Thinning)]) {
        self.each(|simulation| simulation.leave_trails(wanted));
    }
}
