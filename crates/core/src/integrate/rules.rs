//! Rules of an integrator: properties of its steps and its memory that the rest of a substep needs.

use glam::DVec3;
use ropelab_mechanics::numerics::state::{ParticleIndex, Workspace};
use serde::{Deserialize, Serialize};

/// Rules of an integrator, used by constraints, contact, the mouse drag and the fused step.
/// `tests/physics/integrators/rules.rs` measures them for every integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRules {
    /// Displacement in the first step after a start.
    pub first: Displacement,
    /// Displacement in all later steps.
    pub later: Displacement,
    /// True if a particle's new state depends only on its own state, acceleration and memory. Such
    /// an integrator can step some particles before the others. False if a solver or an error
    /// estimate couples particles.
    pub is_pointwise: bool,
    /// Memory of each particle between steps.
    pub memory: Memory,
}

impl StepRules {
    /// Returns the rules of an integrator that treats particles one by one.
    pub const fn pointwise(displacement: Displacement, memory: Memory) -> Self {
        Self { first: displacement, later: displacement, is_pointwise: true, memory }
    }

    /// Returns the rules of an integrator whose solver or error estimate couples particles.
    pub const fn coupled(displacement: Displacement, memory: Memory) -> Self {
        Self { is_pointwise: false, ..Self::pointwise(displacement, memory) }
    }

    /// Returns the rule for a step whose memory covers `age` steps.
    pub fn displacement(&self, age: u32) -> Displacement {
        if age == 0 { self.first } else { self.later }
    }
}

/// Displacement of a particle by a constant acceleration a in a step of dt seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Displacement {
    /// Fraction s of the acceleration that the step omits from the displacement: x' = x + v dt + (1
    /// − s) a dt². If constraints keep the particle at rest, they leave the velocity v = s a dt.
    pub omitted_fraction: f64,
    /// Factor c of the displacement c a dt² that a projection removes in each step if constraints
    /// keep the particle at rest.
    pub projected_fraction: f64,
}

impl Displacement {
    /// The new velocity moves the particles, as in symplectic Euler.
    pub const BY_NEW_VELOCITY: Self = Self::within_the_step(0.0);
    /// The mean of both velocities moves the particles, as in Verlet.
    pub const BY_MEAN_VELOCITY: Self = Self::within_the_step(0.5);
    /// The old velocity moves the particles, as in explicit Euler.
    pub const BY_OLD_VELOCITY: Self = Self::within_the_step(1.0);

    /// Returns the rule of an integrator whose projection at the end of a step removes the whole
    /// displacement a dt².
    const fn within_the_step(omitted_fraction: f64) -> Self {
        Self { omitted_fraction, projected_fraction: 1.0 }
    }
}

/// Quantities that an integrator remembers for each particle, one workspace column each, in this
/// order. The variant determines how a collision, a kick and a projection change the memory, and
/// how the memory of an added particle starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Memory {
    /// Nothing: the state alone determines the next step.
    Nothing,
    /// Acceleration a* of the last step, which contact does not change.
    Acceleration(DampingStart),
    /// Previous position x*, which determines the velocity.
    Position(VerletStart),
    /// Previous position x* of a Verlet step that loses this fraction k of the velocity.
    PositionUnderDrag(f64),
    /// Velocity v* and acceleration a* at the start of the last step; the next displacement depends
    /// on v − v*.
    VelocityAndAcceleration,
    /// Position x* and velocity v* at the start of the last step; contact changes them only after a
    /// collision within a step.
    PositionAndVelocity,
}

impl Memory {
    /// Returns the number of columns.
    pub fn columns(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Acceleration(_) | Self::Position(_) | Self::PositionUnderDrag(_) => 1,
            Self::VelocityAndAcceleration | Self::PositionAndVelocity => 2,
        }
    }

    /// Returns the column of velocities that a projection at the end of a step must change in the
    /// same way as the new velocities.
    ///
    /// If the projection changed v − v*, the mode v ← −v would remain. Nothing damps this mode, and
    /// drag amplifies it.
    pub fn old_velocities(self) -> Option<usize> {
        match self {
            Self::VelocityAndAcceleration => Some(0),
            Self::Nothing
            | Self::Acceleration(_)
            | Self::Position(_)
            | Self::PositionUnderDrag(_)
            | Self::PositionAndVelocity => None,
        }
    }

    /// True if the next steps repeat a part of each impulse. What a link gives to one end and takes
    /// from the other end is then equal only if the memory of both ends continues or restarts
    /// together.
    pub fn repeats_impulses(self) -> bool {
        match self {
            Self::PositionAndVelocity => true,
            Self::Nothing
            | Self::Acceleration(_)
            | Self::Position(_)
            | Self::PositionUnderDrag(_)
            | Self::VelocityAndAcceleration => false,
        }
    }

    /// Restarts the memory of one particle that collided within the last step, of `dt` seconds, as
    /// if the particle had always moved as after the collision.
    pub fn restart_after_collision(self, work: &mut Workspace, after: CollidedParticle, dt: f64) {
        let CollidedParticle { particle, x, v, displacement } = after;
        match self {
            Self::Nothing | Self::Acceleration(_) => {}
            Self::Position(_) | Self::PositionUnderDrag(_) => {
                *work.history_entry(0, particle) = x - displacement;
            }
            Self::VelocityAndAcceleration => {
                let a_old = *work.history_entry(1, particle);
                *work.history_entry(0, particle) = v - a_old * dt;
            }
            Self::PositionAndVelocity => {
                *work.history_entry(0, particle) = x - displacement;
                // The mean of v* and v is the displacement divided by dt.
                *work.history_entry(1, particle) = 2.0 * displacement / dt - v;
            }
        }
    }

    /// Adapts the memory of one particle whose velocity contact has changed at the end of the last
    /// step (`dt` seconds) without a matching displacement.
    pub fn adapt_to_kick(self, work: &mut Workspace, kick: KickedParticle, dt: f64) {
        let KickedParticle { particle, change, moved } = kick;
        match self {
            Self::Nothing | Self::Acceleration(_) | Self::PositionAndVelocity => {}
            Self::Position(_) | Self::PositionUnderDrag(_) => {
                *work.history_entry(0, particle) -= change * dt - moved;
            }
            Self::VelocityAndAcceleration => *work.history_entry(0, particle) += change,
        }
    }

    /// Starts the memory of one added particle as in a first step. The memory of all other
    /// particles continues. `dt` is the length of the previous step in seconds.
    pub fn start_particle(self, work: &mut Workspace, added: AddedParticle, dt: f64) {
        let AddedParticle { particle, x, v, a } = added;
        match self {
            Self::Nothing => {}
            Self::Acceleration(start) => {
                *work.history_entry(0, particle) = match start {
                    DampingStart::Proper => a,
                    DampingStart::Article => DVec3::ZERO,
                };
            }
            Self::Position(start) => {
                *work.history_entry(0, particle) = start.old_position(x, v, a, dt);
            }
            // Solution x* of v = (x − x*)/dt + ½ (a − k (x − x*)/dt²) dt.
            Self::PositionUnderDrag(k) => {
                *work.history_entry(0, particle) =
                    x - (v * dt - 0.5 * a * dt * dt) / (1.0 - 0.5 * k);
            }
            Self::VelocityAndAcceleration => {
                *work.history_entry(0, particle) = v - a * dt;
                *work.history_entry(1, particle) = a;
            }
            Self::PositionAndVelocity => {
                *work.history_entry(0, particle) = old_position(x, v, a, dt);
                *work.history_entry(1, particle) = v - a * dt;
            }
        }
    }
}

/// Choice of the acceleration a(−dt) before the first step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum DampingStart {
    /// a(−dt) = a(0): a constant force gives the right velocity.
    #[default]
    Proper,
    /// a(−dt) = 0, as in article B: every velocity is off by ½ a(0) dt.
    Article,
}

/// Choice of the previous position x* in the first step of position Verlet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum VerletStart {
    /// x* = x₀ − v₀ dt + ½ a₀ dt²: second order, and free fall is exact.
    #[default]
    Proper,
    /// x* = x₀ − v₀ dt, as in Jakobsen's exercise: first order; n steps fall by n(n + 1)/2 · a dt².
    Article,
}

impl VerletStart {
    /// Returns the previous position x* for a first step.
    pub(super) fn old_position(self, x: DVec3, v: DVec3, a: DVec3, dt: f64) -> DVec3 {
        match self {
            Self::Proper => old_position(x, v, a, dt),
            Self::Article => x - v * dt,
        }
    }
}

/// A particle that was just added.
#[derive(Clone, Copy, Debug)]
pub struct AddedParticle {
    /// Index of the particle.
    pub particle: ParticleIndex,
    /// Position in metres.
    pub x: DVec3,
    /// Velocity in m/s.
    pub v: DVec3,
    /// Acceleration in m/s².
    pub a: DVec3,
}

/// A particle after a collision within a step.
#[derive(Clone, Copy, Debug)]
pub struct CollidedParticle {
    /// Index of the particle.
    pub particle: ParticleIndex,
    /// Position at the end of the step, in metres.
    pub x: DVec3,
    /// Velocity at the end of the step, in m/s.
    pub v: DVec3,
    /// Displacement in metres in a whole step of the motion after the collision.
    pub displacement: DVec3,
}

/// A particle whose velocity contact has changed at the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct KickedParticle {
    /// Index of the particle.
    pub particle: ParticleIndex,
    /// Velocity change in m/s.
    pub change: DVec3,
    /// Position change that is not part of the motion, in metres.
    pub moved: DVec3,
}

/// Returns the previous position x* = x − v dt + ½ a dt² for a first step. An integrator that
/// remembers the previous position is then of second order from the start, and free fall is exact.
pub(super) fn old_position(x: DVec3, v: DVec3, a: DVec3, dt: f64) -> DVec3 {
    x - v * dt + 0.5 * a * dt * dt
}
