//! Thrown balls of a model.

use super::Model;
use crate::model::thrown::{MOST_THROWN, Throw, Thrown, ThrownBall, thrown_ball};

impl Model {
    /// Returns the thrown balls and the count of throws.
    pub fn thrown(&self) -> &Thrown {
        &self.thrown
    }

    /// Adds a ball. Replaces the oldest ball if there are [`MOST_THROWN`] already. Returns the
    /// ball's particle, which is not pinned.
    pub fn throw(&mut self, ball: ThrownBall) -> u32 {
        let Throw { radius, mass, .. } = ball.throw;
        let slot = (self.thrown.throws % MOST_THROWN as u64) as usize;
        let particle = (self.parts.mesh.masses.len() + slot) as u32;
        let balls = self.geometry.balls.len() - self.thrown.balls.len();
        self.thrown.throws += 1;
        if slot < self.thrown.balls.len() {
            self.pins.retain(|pin| pin.particle != particle);
            self.thrown.balls[slot] = ball;
            self.geometry.balls[balls + slot] = thrown_ball(particle, radius);
            self.restore_mass(particle);
        } else {
            self.thrown.balls.push(ball);
            self.geometry.balls.push(thrown_ball(particle, radius));
            self.masses.push(mass);
            self.inverse_masses.push(1.0 / mass);
            self.forget_couplings();
        }
        particle
    }

    /// Replaces all thrown balls by `thrown`. If `thrown` differs from the present balls, pins on
    /// thrown balls are removed.
    pub(crate) fn set_thrown(&mut self, thrown: &Thrown) {
        if self.thrown == *thrown {
            return;
        }
        let scene = self.parts.mesh.masses.len();
        self.pins.retain(|pin| (pin.particle as usize) < scene);
        self.masses.truncate(scene);
        self.inverse_masses.truncate(scene);
        self.geometry.balls.truncate(self.parts.contact.balls.len());
        self.thrown.clone_from(thrown);
        for (ThrownBall { throw, .. }, particle) in thrown.balls.iter().zip(scene as u32..) {
            self.geometry.balls.push(thrown_ball(particle, throw.radius));
            self.masses.push(throw.mass);
            self.inverse_masses.push(1.0 / throw.mass);
        }
        self.forget_couplings();
    }
}
