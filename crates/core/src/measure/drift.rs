//! Energy drift.

use crate::model::Energy;

/// Energy drift: (E − E₀) divided by the largest kinetic + elastic energy so far. Unlike E, this
/// divisor does not depend on where the potential is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    start: Option<f64>,
    in_play: f64,
    now: f64,
}

impl Drift {
    /// Records the energy of the next state.
    pub fn observe(&mut self, energy: &Energy) {
        let start = *self.start.get_or_insert(energy.total());
        self.in_play = self.in_play.max(energy.kinetic + energy.elastic);
        self.now = energy.total() - start;
    }

    /// Returns E − E₀ in joules.
    pub fn joules(&self) -> f64 {
        self.now
    }

    /// Returns the drift as a fraction; 0 before the first motion.
    pub fn fraction(&self) -> f64 {
        if self.in_play > 0.0 { self.now / self.in_play } else { 0.0 }
    }
}
