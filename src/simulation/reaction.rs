//! What constraints and contacts pull with, and velocities that agree with it.
//!
//! After a projection a scheme goes on from v + (x − x_free)/h. That velocity lacks what the
//! constraints will pull with next: a mass at rest on a rigid link has −½ g h under Verlet. With D =
//! x − x_free, the reaction r = D/h² is the acceleration that constraints gave a particle, and a
//! scheme that displaces by (1 − s) a h² under a constant acceleration a goes on from a velocity
//! which is s h r away from the one of the motion:
//! ```text
//! x' = x + v h + (1 − s) a h² + D,    v' = v + a h + D/h
//! at rest: D = −a h², v' = v, hence v = s a h = −s h r
//! ```
//! So v' + s h r is shown, measured and given to forces; the scheme itself goes on from v'. For
//! s = ½ it is the central difference of the positions up to O(h²).

use crate::numerics::system::System;
use glam::DVec3;
use itertools::izip;

/// A system whose particles also feel the reactions of the last substep, so that forces that depend
/// on velocities see none where constraints hold a particle.
pub(super) struct WithReaction<'a> {
    pub system: &'a dyn System,
    /// Accelerations in m/s², one a particle.
    pub reaction: &'a [DVec3],
}

impl System for WithReaction<'_> {
    fn masses(&self) -> &[f64] {
        self.system.masses()
    }

    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        self.system.accelerations(t, x, v, a);
        for (a, r, m) in izip!(a, self.reaction, self.masses()) {
            if *m > 0.0 {
                *a += *r;
            }
        }
    }

    fn acceleration_jvp(
        &self,
        t: f64,
        x: &[DVec3],
        v: &[DVec3],
        dx: &[DVec3],
        dv: &[DVec3],
        out: &mut [DVec3],
    ) {
        self.system.acceleration_jvp(t, x, v, dx, dv, out);
    }
}

/// Velocities of the motion from those that a scheme goes on from, or back: v ← v + s h r.
pub(super) fn add_kick(v: &mut [DVec3], kick: f64, reaction: &[DVec3]) {
    for (v, r) in v.iter_mut().zip(reaction) {
        *v += kick * *r;
    }
}

/// Takes the reactions out of a free motion that felt them: what they added to the end is r h² to
/// positions, s of it by the velocity at the start, and (1 + s) r h to velocities.
pub(super) fn take_out(reaction: &[DVec3], h: f64, s: f64, x: &mut [DVec3], v: &mut [DVec3]) {
    for (r, x, v) in izip!(reaction, x, v) {
        *x -= (h * h) * *r;
        *v -= ((1.0 + s) * h) * *r;
    }
}

/// The reactions of a projection from `free` to `x`: r = (x − x_free)/h².
pub(super) fn measure(free: &[DVec3], x: &[DVec3], h: f64, reaction: &mut Vec<DVec3>) {
    let rate = 1.0 / h;
    reaction.clear();
    reaction.extend(x.iter().zip(free).map(|(x, free)| (*x - *free) * rate * rate));
}

/// The first projection after a start begins with velocities of the motion, which lack no kick:
/// then D = (1 − s) r h². Nothing is known of r for s = 1.
pub(super) fn scale_first(s: f64, reaction: &mut [DVec3]) {
    if s < 1.0 {
        reaction.iter_mut().for_each(|r| *r /= 1.0 - s);
    }
}
