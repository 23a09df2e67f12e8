use super::Model;
use glam::DVec3;
use ropelab_mechanics::force::{ForceLaw, Grab, UniformAcceleration};
use ropelab_mechanics::numerics::columns::{accelerate, subtract_drag};
use ropelab_mechanics::numerics::state::StateRef;
use ropelab_mechanics::numerics::system::System;
use std::ops::Range;

/// A range of a model's particles, as a system without springs and bends.
#[derive(Clone, Debug)]
pub struct ModelPart<'a> {
    model: &'a Model,
    particles: Range<usize>,
}

impl Model {
    /// Returns a range of the particles as a system without springs and bends.
    pub fn part(&self, particles: Range<usize>) -> ModelPart<'_> {
        ModelPart { model: self, particles }
    }
}

impl ModelPart<'_> {
    /// Adds the forces of laws to the spring forces in `f` (newtons), and converts the sum into
    /// accelerations in m/s².
    pub(super) fn complete_forces(&self, at: StateRef, f: &mut [DVec3]) {
        for (law, targets) in self.model.laws(at, &self.particles) {
            if law.uniform_acceleration().is_none() {
                law.add(&targets, f);
            }
        }
        if let Some(grab) = self.grab() {
            grab.add(&self.model.kinematics(at, &self.particles), f);
        }
        if let Some(force) = self.model.penalty_force() {
            force.add_forces(self.model.penalty_state(at), f);
        }
        let (w, UniformAcceleration { g, drag }) =
            (self.inverse_masses(), self.model.uniform_acceleration);
        accelerate(w, g, f);
        if drag != 0.0 {
            subtract_drag(w, drag, at.v, f);
        }
        self.add_local_gravity(at.v, f);
        if let Some(blow) = &self.model.blow {
            for (((a, w), x), v) in f.iter_mut().zip(w).zip(at.x).zip(at.v) {
                *a += if *w > 0.0 { blow.acceleration(*x, *v) } else { DVec3::ZERO };
            }
        }
    }

    /// Adds uniform accelerations of laws that act on some particles only, e.g. gravity on one
    /// rope.
    fn add_local_gravity(&self, v: &[DVec3], a: &mut [DVec3]) {
        let w = self.inverse_masses();
        for force in &self.model.parts.forces {
            let targets = self.model.targets(force);
            let uniform_acceleration =
                force.law.law().uniform_acceleration().filter(|_| !targets.are_all());
            if let Some(UniformAcceleration { g, drag }) = uniform_acceleration {
                let here = targets.within(self.particles.clone()).iter();
                here.filter(|&i| w[i] > 0.0).for_each(|i| a[i] += g - drag * v[i]);
            }
        }
    }

    /// Computes the directional derivative of [`Self::complete_forces`] along the changes `d` =
    /// [dx, dv].
    pub(super) fn complete_forces_jvp(&self, at: StateRef, d: [&[DVec3]; 2], df: &mut [DVec3]) {
        let [dx, dv] = d;
        for (law, targets) in self.model.laws(at, &self.particles) {
            law.add_jvp(&targets, dx, dv, df);
        }
        if let Some(grab) = self.grab() {
            grab.add_jvp(&self.model.kinematics(at, &self.particles), dx, dv, df);
        }
        if let Some(force) = self.model.penalty_force() {
            force.add_jvp(self.model.penalty_state(at), d, df);
        }
        let w = self.inverse_masses();
        accelerate(w, DVec3::ZERO, df);
        if let Some(blow) = &self.model.blow {
            for (((da, w), x), dv) in df.iter_mut().zip(w).zip(at.x).zip(dv) {
                *da += if *w > 0.0 { blow.acceleration_jvp(*x, *dv) } else { DVec3::ZERO };
            }
        }
    }

    /// Returns the spring of a mouse drag; `None` if its particle is outside this range.
    fn grab(&self) -> Option<Grab> {
        let grab =
            self.model.grab.filter(|grab| self.particles.contains(&(grab.particle as usize)));
        grab.map(|grab| Grab { particle: grab.particle - self.particles.start as u32, ..grab })
    }

    fn inverse_masses(&self) -> &[f64] {
        &self.model.inverse_masses[self.particles.clone()]
    }
}

impl System for ModelPart<'_> {
    fn masses(&self) -> &[f64] {
        &self.model.masses[self.particles.clone()]
    }

    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        a.fill(DVec3::ZERO);
        self.complete_forces(StateRef { t, x, v }, a);
    }

    fn acceleration_jvp(&self, at: StateRef, d: [&[DVec3]; 2], out: &mut [DVec3]) {
        out.fill(DVec3::ZERO);
        self.complete_forces_jvp(at, d, out);
    }
}
