//! What pulls and presses in a lane after its newest step.

use super::Simulation;
use crate::contact::Touch;
use crate::integrate::Method;
use crate::measure::Tensions;
use crate::numerics::state::{Next, Now, Workspace};
use crate::numerics::system::System;
use glam::DVec3;

impl Simulation {
    /// Tensions of the links after the newest step, in newtons.
    pub fn pulls<'a>(&self, tensions: &'a mut Tensions) -> &'a [f64] {
        let touched = self.touched().flat_map(Touch::forces);
        tensions.of(self.lane(), &self.run.state, touched)
    }

    /// What touched in the last substep of the newest step, and with which forces.
    ///
    /// Contact takes back what a scheme moved a particle by since it last lay still. Under an
    /// acceleration a that is a h² for symplectic Euler and half of that for velocity Verlet, so
    /// the forces of what is held are divided by that share. They mean nothing under explicit Euler
    /// and Adams–Bashforth, which do not move a resting particle by its acceleration.
    pub fn touched(&self) -> impl Iterator<Item = Touch> {
        let h = self.settings.dt / f64::from(self.settings.substeps);
        let scale = 1.0 / share_of_fall(&self.settings.integrator, h);
        let touches = self.touches().then(|| self.scratch.contacts.touches(scale));
        touches.into_iter().flatten()
    }

    /// What presses on a collider in the newest step; nothing on one that does not exist.
    pub fn load_on_collider(&self, number: u32) -> Load {
        let mut load = Load::default();
        for touch in self.touched().filter(|touch| touch.collider == Some(number)) {
            let middle = self.collider_place(number as usize, self.run.state.t);
            load.force -= touch.force;
            load.torque -= (touch.at - middle).cross(touch.force);
        }
        load
    }

    /// What particles press on each collider with in the newest step, in newtons.
    pub fn forces_on_colliders(&self) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; self.parts().contact.colliders.len()];
        for touch in self.touched() {
            if let Some(force) = touch.collider.and_then(|k| forces.get_mut(k as usize)) {
                *force -= touch.force;
            }
        }
        forces
    }
}

/// What presses on a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// In newtons.
    pub force: DVec3,
    /// About its middle, in N·m.
    pub torque: DVec3,
}

/// A particle of 1 kg with an acceleration of 1 m/s².
struct Pulled;

impl System for Pulled {
    fn masses(&self) -> &[f64] {
        &[1.0]
    }

    fn accelerations(&self, _: f64, _: &[DVec3], _: &[DVec3], a: &mut [DVec3]) {
        a.fill(DVec3::X);
    }

    fn acceleration_jvp(
        &self,
        _: f64,
        _: &[DVec3],
        _: &[DVec3],
        _: &[DVec3],
        _: &[DVec3],
        out: &mut [DVec3],
    ) {
        out.fill(DVec3::ZERO);
    }
}

/// How far a scheme moves a particle in a step of `h` seconds over a h², when every step before
/// ended where it began, at rest. 1 for explicit Euler, which does not move it at all.
fn share_of_fall(method: &Method, h: f64) -> f64 {
    let (mut work, rest) = (Workspace::default(), [DVec3::ZERO]);
    let (mut x, mut v) = ([DVec3::ZERO], [DVec3::ZERO]);
    for _ in 0..3 {
        let now = Now { t: 0.0, x: &rest, v: &rest };
        method.scheme().step(&Pulled, now, Next { x: &mut x, v: &mut v }, h, &mut work);
    }
    let share = x[0].x / (h * h);
    if share > 0.0 { share } else { 1.0 }
}
