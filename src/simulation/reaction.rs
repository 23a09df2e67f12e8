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
//! So v' + s h r is shown, measured and given to laws that resist; the scheme itself goes on from
//! v'. For s = ½ it is the central difference of the positions up to O(h²).

use crate::model::Model;
use crate::numerics::state::{Next, Now, State};
use crate::numerics::system::System;
use glam::DVec3;
use std::cell::RefCell;

/// Acceleration of the probe in m/s², a power of 2: too small for the norms and error estimates that
/// schemes take over all particles.
const PROBE: f64 = 1.0 / (1_u64 << 40) as f64;

/// Room of a step in which laws see the velocities of the motion.
#[derive(Clone, Debug, Default)]
pub(super) struct InMotionScratch {
    /// Of the particles and the probe, in kilograms.
    masses: Vec<f64>,
    /// Velocities that laws see.
    v: Vec<DVec3>,
}

/// A model whose laws see velocities of the motion at every stage of a scheme, while springs see
/// the free motion, which the next reaction answers.
///
/// One particle more, the probe, has a constant acceleration and nothing else: its velocity says how
/// much of a constant acceleration, such as the reaction of the last substep, has become velocity at
/// a stage.
struct InMotion<'a> {
    model: &'a Model,
    /// Accelerations in m/s², one a particle.
    reaction: &'a [DVec3],
    masses: &'a [f64],
    v: RefCell<&'a mut Vec<DVec3>>,
}

/// A step of free motion in which laws see the velocities of the motion, which are `kick` s times
/// the reaction away from those of `start`. The columns have room for the probe meanwhile.
pub(super) fn move_freely(
    (model, reaction, kick): (&Model, &[DVec3], f64),
    scratch: &mut InMotionScratch,
    start: &mut State,
    end: &mut State,
    step: impl FnOnce(&dyn System, Now, Next),
) {
    let InMotionScratch { masses, v } = scratch;
    masses.clear();
    masses.extend_from_slice(model.masses());
    masses.push(1.0);
    start.x.push(DVec3::ZERO);
    start.v.push(DVec3::X * (kick * PROBE));
    end.resize(start.len());
    let system = InMotion { model, reaction, masses, v: RefCell::new(v) };
    step(&system, start.as_now(), end.as_next());
    for state in [start, end] {
        state.resize(reaction.len());
    }
}

impl InMotion<'_> {
    /// The velocities of the motion at a stage, for laws.
    fn with_laws_velocities<R>(&self, v: &[DVec3], f: impl FnOnce(&[DVec3]) -> R) -> R {
        let mut seen = self.v.borrow_mut();
        let arrived = v[self.reaction.len()].x / PROBE;
        seen.clear();
        seen.extend(v.iter().zip(self.reaction).map(|(v, r)| *v + arrived * *r));
        f(&seen)
    }
}

impl System for InMotion<'_> {
    fn masses(&self) -> &[f64] {
        self.masses
    }

    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        let n = self.reaction.len();
        self.with_laws_velocities(v, |seen| {
            self.model.accelerations_at(t, &x[..n], [&v[..n], seen], &mut a[..n]);
        });
        a[n] = DVec3::X * PROBE;
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
        let n = self.reaction.len();
        self.with_laws_velocities(v, |seen| {
            let d = [&dx[..n], &dv[..n]];
            self.model.acceleration_jvp_at(t, &x[..n], [&v[..n], seen], d, &mut out[..n]);
        });
        out[n] = DVec3::ZERO;
    }
}

/// Velocities of the motion from those that a scheme goes on from, or back: v ← v + s h r.
pub(super) fn add_kick(v: &mut [DVec3], kick: f64, reaction: &[DVec3]) {
    for (v, r) in v.iter_mut().zip(reaction) {
        *v += kick * *r;
    }
}

/// The reactions of a projection from `free` to `x`: r = (x − x_free)/h², of which a scheme undoes a
/// share in each step; none where nothing feels them.
pub(super) fn measure(
    free: &[DVec3],
    x: &[DVec3],
    (h, undone): (f64, f64),
    is_felt: bool,
    reaction: &mut Vec<DVec3>,
) {
    let rate = 1.0 / h;
    reaction.clear();
    if !is_felt {
        return;
    }
    reaction.extend(x.iter().zip(free).map(|(x, free)| (*x - *free) * rate * (rate / undone)));
}
