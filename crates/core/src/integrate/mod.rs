//! The integrators: one file each, a common trait and one list.
//!
//! To add an integrator, write `NAME.rs` with a struct that implements [`Integrator`], then add its
//! variant to [`Method`] and its arm to [`Method::as_integrator`]. The panel, the scene format, the
//! command line, docs/catalogue.md and the tests read this list. Parameters of an
//! integrator have their fields in `src/app/panel/integrator.rs`, where the compiler asks for them.

mod adams_bashforth_2;
mod beeman;
mod explicit_euler;
mod implicit;
mod inner_steps;
mod leapfrog;
mod numerical_damping;
mod position_verlet;
mod runge_kutta;
mod symplectic_euler;
mod symplectic_euler_position_first;
mod time_corrected_verlet;
mod velocity_verlet;
mod verlet_drag;
mod yoshida_4;

pub use adams_bashforth_2::AdamsBashforth2;
pub use beeman::Beeman;
pub use explicit_euler::ExplicitEuler;
pub use implicit::bdf2::Bdf2;
pub use implicit::generalized_alpha::GeneralizedAlpha;
pub use implicit::implicit_euler::ImplicitEuler;
pub use implicit::implicit_midpoint::ImplicitMidpoint;
pub use implicit::trapezoid::Trapezoid;
pub use leapfrog::Leapfrog;
pub use numerical_damping::{DampingStart, NumericalDamping};
pub use position_verlet::{PositionVerlet, VerletStart};
pub use runge_kutta::dormand_prince::DormandPrince;
pub use runge_kutta::heun::Heun;
pub use runge_kutta::midpoint::Midpoint;
pub use runge_kutta::rk3::Rk3;
pub use runge_kutta::rk4::Rk4;
pub use symplectic_euler::SymplecticEuler;
pub use symplectic_euler_position_first::SymplecticEulerPositionFirst;
pub use time_corrected_verlet::TimeCorrectedVerlet;
pub use velocity_verlet::VelocityVerlet;
pub use verlet_drag::VerletDrag;
pub use yoshida_4::Yoshida4;

use crate::names::{UnknownName, same_name};
use crate::numerics::state::{StateMut, StateRef, Workspace};
use crate::numerics::system::System;
use crate::quantity::magnitude::format_six_digits;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// Published properties of an integrator. The tests in `tests/physics/integrators/` measure each of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Info {
    /// Name on the command line, for example `velocity-verlet`.
    pub name: &'static str,
    /// Name in the literature, for example "velocity Verlet".
    pub title: &'static str,
    /// Global order: the error at a fixed time shrinks as dt to this power.
    pub order: u32,
    /// Number of force evaluations per step; for implicit integrators, per Newton iteration.
    pub evaluations: u32,
    /// Largest stable ωh on the undamped oscillator x″ = −ω²x: 0 = never stable, ∞ = always.
    pub stability_limit: f64,
    /// True if the integrator preserves the symplectic form, so that energy does not drift in a
    /// stable run.
    pub symplectic: bool,
    /// True if each step needs a nonlinear solve.
    pub implicit: bool,
    /// Source in the literature: authors, year and title.
    pub reference: &'static str,
    /// One sentence for a tooltip: the behaviour to expect.
    pub verdict: &'static str,
}

/// An integrator of x″ = a(t, x, x′). It computes one step from the last state and its own memory
/// of earlier steps.
///
/// Pinned particles (mass 0) have zero acceleration and move linearly at their velocity. The caller
/// then sets their exact positions.
pub trait Integrator: Sync {
    /// Returns the published properties; those of an integrator with parameters depend on the
    /// parameters.
    fn info(&self) -> Info;

    /// Steps the particles from the state `at` to the state `to`, `dt` seconds later. Allocates
    /// memory only in the first step.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace);

    /// Returns the global order under forces that depend on velocity, such as drag and dampers.
    fn order_under_drag(&self) -> u32 {
        self.info().order
    }

    /// Returns the omitted fraction s: the fraction of a constant acceleration a that a step omits
    /// from its displacement, x' = x + v dt + (1 − s) a dt². For example, s = 0 for symplectic
    /// Euler (the new velocity moves the particles), ½ for Verlet, 1 for explicit Euler (the old
    /// velocity does).
    fn omitted_acceleration_fraction(&self) -> f64 {
        0.5
    }

    /// Returns the omitted fraction s of the first step after a start, see
    /// [`Integrator::omitted_acceleration_fraction`].
    fn first_omitted_acceleration_fraction(&self) -> f64 {
        self.omitted_acceleration_fraction()
    }

    /// Returns the factor c of the displacement c a dt² that a projection removes in each step, for
    /// a particle that constraints keep at rest against a constant acceleration a.
    fn projected_fraction(&self) -> f64 {
        1.0
    }

    /// Returns the time from the start of a step to the instant at which its projection acts, as a
    /// fraction of the step. The acceleration that the projection removes is (x' − 2x + x*)/dt² at
    /// this instant, with the positions x* and x' one step before and after.
    fn projection_instant(&self) -> f64 {
        0.0
    }

    /// Returns the number of history columns in the workspace if the new state of a particle
    /// depends only on the state, acceleration and history of this particle. Such an integrator can
    /// step some particles before the others. `None` for an integrator that couples particles by a
    /// solver or an error estimate.
    fn pointwise_history(&self) -> Option<usize> {
        None
    }

    /// Restarts the memory of one particle that collided within the step just taken, whose length
    /// in seconds is the last argument. Integrators that remember neither positions nor velocities
    /// do nothing.
    fn restart_after_collision(&self, _: &mut Workspace, _: CollidedParticle, _: f64) {}

    /// Adapts the memory of one particle whose velocity contact has changed at the end of the step
    /// just taken, without a matching displacement. The last argument is the length of the step in
    /// seconds. Integrators whose displacement depends on earlier positions or velocities must
    /// change these.
    fn adapt_to_kick(&self, _: &mut Workspace, _: KickedParticle, _: f64) {}

    /// Starts the memory of one particle that was just added, as in a first step; the memory of all
    /// other particles continues. The last argument is the length of the previous step in seconds.
    /// Integrators without memory do nothing.
    fn start_particle(&self, _: &mut Workspace, _: AddedParticle, _: f64) {}

    /// Returns the history column of the velocities at the start of the last step, if the next
    /// displacement depends on these velocities. A projection at the end of a step must change them
    /// like the new velocities.
    fn old_velocities(&self) -> Option<usize> {
        None
    }
}

/// A particle that was just added.
#[derive(Clone, Copy, Debug)]
pub struct AddedParticle {
    /// Index of the particle, and the number of all particles.
    pub particle: (usize, usize),
    /// Position in metres.
    pub x: DVec3,
    /// Velocity in m/s.
    pub v: DVec3,
    /// Acceleration in m/s².
    pub a: DVec3,
}

/// Returns the previous position x* = x − v dt + ½ a dt² for a first step. An integrator that
/// remembers the previous position is then of second order from the start, and free fall is exact.
fn old_position(x: DVec3, v: DVec3, a: DVec3, dt: f64) -> DVec3 {
    x - v * dt + 0.5 * a * dt * dt
}

/// A particle after a collision within a step.
#[derive(Clone, Copy, Debug)]
pub struct CollidedParticle {
    /// Index of the particle, and the number of all particles.
    pub particle: (usize, usize),
    /// Position at the end of the step, in metres.
    pub x: DVec3,
    /// Velocity at the end of the step, in m/s.
    pub v: DVec3,
    /// Displacement in metres that the particle would make in a whole step if it moved as after the
    /// collision.
    pub displacement: DVec3,
}

/// A particle whose velocity contact has changed at the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct KickedParticle {
    /// Index of the particle, and the number of all particles.
    pub particle: (usize, usize),
    /// Change of the velocity, in m/s.
    pub change: DVec3,
    /// Displacement at the same time that is no motion, in metres.
    pub moved: DVec3,
}

impl KickedParticle {
    /// Moves the previous position x* by the displacement − change · dt, as if the particle had
    /// always had the new velocity, for integrators that remember x*.
    fn move_old_position(&self, work: &mut Workspace, dt: f64) {
        *work.history_entry(0, self.particle) -= self.change * dt - self.moved;
    }
}

impl CollidedParticle {
    /// Sets the previous position x* = x − displacement, as if the particle had always moved at its
    /// motion after the collision, for integrators that remember x*.
    fn set_old_position(&self, work: &mut Workspace) {
        *work.history_entry(0, self.particle) = self.x - self.displacement;
    }
}

/// Integrators with their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum Method {
    /// x ← x + v dt with the old velocity.
    ExplicitEuler,
    /// x ← x + v dt with the new velocity.
    SymplecticEuler,
    /// New position, then the velocity with the force there.
    SymplecticEulerPositionFirst,
    /// x' = 2x − x* + a dt²: Jakobsen's rope.
    PositionVerlet(PositionVerlet),
    /// x' = 1.99x − 0.99x* + a dt²: Jakobsen's rope with a fixed drag per step.
    VerletDrag(VerletDrag),
    /// Position Verlet corrected for a changing dt.
    TimeCorrectedVerlet,
    /// Half kick, drift, half kick; the second force sees the half-step velocity.
    VelocityVerlet,
    /// Half kick, drift, half kick; the second force sees the predicted velocity.
    Leapfrog,
    /// Verlet's positions with velocities one order more accurate.
    Beeman,
    /// Two-step extrapolation of both velocity and acceleration.
    AdamsBashforth2,
    /// Two-step extrapolation of the acceleration; the new velocity moves the position.
    NumericalDamping(NumericalDamping),
    /// Runge–Kutta with the slope in the middle of the step.
    Midpoint,
    /// Runge–Kutta with the mean of the slopes at both ends.
    Heun,
    /// Kutta's third order.
    Rk3,
    /// The classical Runge–Kutta.
    Rk4,
    /// Three Verlet steps, the middle one backwards in time.
    Yoshida4,
    /// Runge–Kutta 5(4) with inner steps as short as the tolerance needs.
    DormandPrince(DormandPrince),
    /// Force at the end of the step.
    ImplicitEuler,
    /// Force in the middle of the step.
    ImplicitMidpoint,
    /// Mean of the forces at both ends.
    Trapezoid,
    /// Two-step backward differentiation.
    Bdf2,
    /// Implicit Newmark family.
    GeneralizedAlpha(GeneralizedAlpha),
}

impl Method {
    /// Returns the implementation of this method.
    pub fn as_integrator(&self) -> &dyn Integrator {
        match self {
            Self::ExplicitEuler => &ExplicitEuler,
            Self::SymplecticEuler => &SymplecticEuler,
            Self::SymplecticEulerPositionFirst => &SymplecticEulerPositionFirst,
            Self::PositionVerlet(integrator) => integrator,
            Self::VerletDrag(integrator) => integrator,
            Self::TimeCorrectedVerlet => &TimeCorrectedVerlet,
            Self::VelocityVerlet => &VelocityVerlet,
            Self::Leapfrog => &Leapfrog,
            Self::Beeman => &Beeman,
            Self::AdamsBashforth2 => &AdamsBashforth2,
            Self::NumericalDamping(integrator) => integrator,
            Self::Midpoint => &Midpoint,
            Self::Heun => &Heun,
            Self::Rk3 => &Rk3,
            Self::Rk4 => &Rk4,
            Self::Yoshida4 => &Yoshida4,
            Self::DormandPrince(integrator) => integrator,
            Self::ImplicitEuler => &ImplicitEuler,
            Self::ImplicitMidpoint => &ImplicitMidpoint,
            Self::Trapezoid => &Trapezoid,
            Self::Bdf2 => &Bdf2,
            Self::GeneralizedAlpha(integrator) => integrator,
        }
    }

    /// Yields every method with its default parameters, in the order of the panel.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Returns the method called `name` with its default parameters. Case and separators do not
    /// matter.
    pub fn from_name(name: &str) -> Result<Self, UnknownName> {
        Self::all().find(|method| same_name(method.info().name, name)).ok_or_else(|| {
            UnknownName::new("integrator", name, Self::all().map(|method| method.info().name))
        })
    }

    /// Returns the published properties.
    pub fn info(&self) -> Info {
        self.as_integrator().info()
    }

    /// Checks the ranges of all parameters; the message contains the value found and the values
    /// expected.
    pub fn check(&self) -> Result<(), String> {
        let checked = |is_valid: bool, name: &str, value: f64, expected: &str| {
            let error = || format!("{name} is {}, expected {expected}", format_six_digits(value));
            if is_valid { Ok(()) } else { Err(error()) }
        };
        // All fields are named, so that a new parameter does not compile until it has its range.
        match *self {
            Self::VerletDrag(VerletDrag { drag }) => {
                let is_valid = (0.0..1.0).contains(&drag);
                checked(is_valid, "drag", drag, "at least 0 and less than 1")
            }
            Self::DormandPrince(DormandPrince { tolerance }) => {
                let is_valid = tolerance > 0.0 && tolerance < 1.0;
                checked(is_valid, "tolerance", tolerance, "more than 0 and less than 1")
            }
            Self::GeneralizedAlpha(GeneralizedAlpha { rho_inf }) => {
                checked((0.0..=1.0).contains(&rho_inf), "rho_inf", rho_inf, "from 0 to 1")
            }
            Self::PositionVerlet(PositionVerlet { start: _, single: _ })
            | Self::NumericalDamping(NumericalDamping { start: _ })
            | Self::ExplicitEuler
            | Self::SymplecticEuler
            | Self::SymplecticEulerPositionFirst
            | Self::TimeCorrectedVerlet
            | Self::VelocityVerlet
            | Self::Leapfrog
            | Self::Beeman
            | Self::AdamsBashforth2
            | Self::Midpoint
            | Self::Heun
            | Self::Rk3
            | Self::Rk4
            | Self::Yoshida4
            | Self::ImplicitEuler
            | Self::ImplicitMidpoint
            | Self::Trapezoid
            | Self::Bdf2 => Ok(()),
        }
    }
}
