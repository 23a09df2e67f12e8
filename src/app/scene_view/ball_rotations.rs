//! Rotations of balls, integrated from their angular velocities in each frame. The simulation
//! itself needs only the angular velocities.

use glam::{DQuat, DVec3};

/// Longest interval in seconds between two frames over which rotations are integrated.
const LONGEST_GAP: f64 = 0.5;

/// Rotations of the balls of a lane (a simulation of the scene) since its start.
#[derive(Clone, Debug, Default)]
pub struct BallRotations {
    t: f64,
    rotations: Vec<DQuat>,
}

impl BallRotations {
    /// Rotates the balls until time `t` with these angular velocities in rad/s. After a step back
    /// in time, or a gap of more than [`LONGEST_GAP`], all rotations restart at zero.
    pub fn follow(&mut self, t: f64, spins: &[DVec3]) -> &[DQuat] {
        let passed = t - self.t;
        self.t = t;
        if !(0.0..=LONGEST_GAP).contains(&passed) {
            self.rotations.clear();
        }
        self.rotations.resize(spins.len(), DQuat::IDENTITY);
        for (rotation, spin) in self.rotations.iter_mut().zip(spins) {
            let next = DQuat::from_scaled_axis(*spin * passed.clamp(0.0, LONGEST_GAP)) * *rotation;
            *rotation = if next.is_finite() { next.normalize() } else { DQuat::IDENTITY };
        }
        &self.rotations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn a_ball_turns_by_its_spin_times_time_and_starts_again_with_the_scene() {
        let mut rolled = BallRotations::default();
        for frame in 0..=60 {
            rolled.follow(f64::from(frame) / 60.0, &[DVec3::Z * FRAC_PI_2]);
        }
        let rotation = rolled.follow(1.0, &[DVec3::Z])[0] * DVec3::X;
        assert!(rotation.distance(DVec3::Y) < 1e-12, "x axis turned to {rotation}");
        assert_eq!(rolled.follow(0.0, &[DVec3::Z]), [DQuat::IDENTITY]);
    }
}
