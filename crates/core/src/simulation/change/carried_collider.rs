//! A collider in the *hand* (the user's mouse). It follows the hand and, after its release,
//! continues to the place of the release.

use crate::contact::ColliderShift;
use crate::contact::shape::Shape;
use crate::simulation::hand_state::{Hand, Held};
use crate::simulation::running_scene::Simulation;
use crate::simulation::timing::substeps::Substeps;
use glam::DVec3;

/// Largest speed of a collider in the hand, in m/s. The collider lags behind a faster hand.
const FASTEST: f64 = 10.0;

/// Largest displacement of a collider in the hand per substep, as a fraction of its inradius.
/// Collisions with links and particles are detected at any speed. Collisions with the inside of a
/// triangle are detected only at the end of the substep, and the collider must not have passed the
/// triangle by then.
const LONGEST_DISPLACEMENT: f64 = 0.5;

impl Simulation {
    /// Makes the hand grab a collider, at the point `at` in metres. Has no effect if the simulation
    /// has exploded, or if the collider is unbounded or does not exist.
    pub(crate) fn grab_collider(&mut self, collider: u32, at: DVec3) {
        self.release();
        let colliders = &self.model.geometry().colliders;
        let held = colliders.get(collider as usize).filter(|held| held.shape.inradius().is_some());
        if self.run.failure.is_some() || held.is_none() {
            return;
        }
        self.run.shifts.resize(colliders.len(), ColliderShift::default());
        self.run.arriving.retain(|(other, _)| *other != collider);
        let grip = self.collider_place(collider as usize, self.run.state.t) - at;
        let (t, velocity) = (self.run.state.t, DVec3::ZERO);
        let held_body = Held::Collider { collider, grip };
        self.run.hand = Some(Hand { held_body, at, velocity, t, goal: at });
    }

    /// Returns the position of a collider's origin in metres at a time in seconds within the newest
    /// step.
    ///
    /// # Panics
    /// If the scene has no collider with this index.
    pub fn collider_place(&self, number: usize, t: f64) -> DVec3 {
        self.model.geometry().colliders[number].shifted_at(self.run.shifts.get(number), t)
    }

    /// Moves the collider in the hand towards the hand, and each released collider towards the
    /// place of its release.
    pub(in crate::simulation) fn move_held_colliders(&mut self, substeps: &Substeps) {
        if let Some(Hand { held_body: Held::Collider { collider, grip }, at, .. }) = self.run.hand {
            self.move_collider(collider, at + grip, substeps);
        }
        let mut arriving = std::mem::take(&mut self.run.arriving);
        arriving.retain(|(collider, place)| !self.move_collider(*collider, *place, substeps));
        self.run.arriving = arriving;
        self.model.shift_colliders(&self.run.shifts);
    }

    /// Moves a collider towards a place, no faster than its top speed. Returns true if it arrives
    /// in this step.
    fn move_collider(&mut self, collider: u32, place: DVec3, substeps: &Substeps) -> bool {
        let number = collider as usize;
        let held = &self.model.geometry().colliders[number];
        let Substeps { start, end, dt, .. } = *substeps;
        let whole = place - self.collider_place(number, start);
        let displacement = whole.clamp_length_max(top_speed(&held.shape, substeps.h()) * dt);
        let shift = &mut self.run.shifts[number];
        let before = shift.at(start);
        // The displacement by the hand is added to the collider's own path.
        let after = before + displacement - (held.at(end) - held.at(start));
        *shift = ColliderShift { offsets: [before, after], times: [start, end] };
        displacement == whole
    }
}

/// Returns the top speed of a shape in the hand in m/s; `h` is the substep in seconds.
fn top_speed(shape: &Shape, h: f64) -> f64 {
    shape.inradius().map_or(0.0, |radius| FASTEST.min(LONGEST_DISPLACEMENT * radius / h))
}
