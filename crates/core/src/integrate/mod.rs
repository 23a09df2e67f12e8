//! The integrators: one file each, one signature, one list.
//!
//! To add one, write `NAME.rs` with a struct that implements [`Integrator`], then add its variant
//! to [`Method`] and its arm to [`Method::scheme`]. The panel, the scene format, the command line,
//! docs/catalogue.md, the tests and the benches read this list; parameters of a scheme have their
//! fields in `app/panel/integrator.rs`, where the compiler asks for them.

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
use crate::numerics::state::{Next, Now, Workspace};
use crate::numerics::system::System;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// Published properties of a scheme. Each is measured by `tests/physics/integrators/`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Info {
    /// Name on the command line, for example `velocity-verlet`.
    pub name: &'static str,
    /// Name in the literature, for example "velocity Verlet".
    pub title: &'static str,
    /// Global order: the error at a fixed time shrinks as dt to this power.
    pub order: u32,
    /// Force evaluations a step (for implicit schemes: a Newton iteration).
    pub evaluations: u32,
    /// Largest stable ωh on the undamped oscillator x″ = −ω²x: 0 = never stable, ∞ = always.
    pub stability_limit: f64,
    /// Preserves the symplectic form, hence no drift of energy in a stable run.
    pub symplectic: bool,
    /// Needs a nonlinear solve each step.
    pub implicit: bool,
    /// Source in the literature: authors, year and title.
    pub reference: &'static str,
    /// One sentence for a tooltip: the behaviour to expect.
    pub verdict: &'static str,
}

/// A one-step (or remembered multistep) scheme for x″ = a(t, x, x′).
///
/// Pinned particles (mass 0) have zero acceleration and move linearly at their velocity; their
/// owner sets them exactly afterwards.
pub trait Integrator: Sync {
    /// Published properties, with the parameters of `self`.
    fn info(&self) -> Info;

    /// Writes the state of the particles `dt` seconds after `now` to `next`. Allocates memory at
    /// most in its first step.
    fn step(&self, system: &dyn System, now: Now, next: Next, dt: f64, work: &mut Workspace);

    /// Global order under forces that depend on velocity, such as drag and dampers.
    fn order_under_drag(&self) -> u32 {
        self.info().order
    }

    /// Share s of a constant acceleration that a step leaves out of its displacement:
    /// x' = x + v dt + (1 − s) a dt². 0 where the new velocity moves the particles, 1 where the old
    /// one does.
    fn late_share(&self) -> f64 {
        0.5
    }

    /// Late share of a first step, see [`Integrator::late_share`].
    fn first_late_share(&self) -> f64 {
        self.late_share()
    }

    /// Share of a dt² that a projection undoes in each step, for a particle that constraints hold
    /// at rest against a constant acceleration a.
    fn undone_share(&self) -> f64 {
        1.0
    }

    /// Number of history columns in the workspace, if each particle's new state depends on nothing
    /// but its own state, its acceleration and the memory of it. Such a scheme can step some
    /// particles before the others. `None` if it treats all particles together, as a solver or an
    /// error estimate does.
    fn pointwise(&self) -> Option<usize> {
        None
    }

    /// Restarts the memory of one particle, which collided within the step of `dt` seconds that was
    /// just taken. Schemes that remember neither positions nor velocities have nothing to do.
    fn collided(&self, _: &mut Workspace, _: Collided, _: f64) {}

    /// Reports that contact has changed the velocity of one particle by `change` m/s beyond its
    /// displacement, at the end of the step of `dt` seconds that was just taken. Schemes whose
    /// displacement depends on earlier positions or velocities must adapt these.
    fn kicked(&self, _: &mut Workspace, _: Kicked, _: f64) {}

    /// Starts the memory of one particle, which was just added, as in a first step; the memory of
    /// the others continues. The step before took `dt` seconds. Schemes without memory do nothing.
    fn joined(&self, _: &mut Workspace, _: Joined, _: f64) {}

    /// History column of the velocities from which the last step began, if the scheme continues
    /// from those. A projection at the end of a step changes them in the same way as the new ones,
    /// because the displacement came from both.
    fn old_velocities(&self) -> Option<usize> {
        None
    }
}

/// A particle that was just added.
#[derive(Clone, Copy, Debug)]
pub struct Joined {
    /// Index of the particle, and the number of all particles.
    pub particle: (usize, usize),
    /// Position in metres.
    pub x: DVec3,
    /// Velocity in m/s.
    pub v: DVec3,
    /// Acceleration in m/s².
    pub a: DVec3,
}

/// x* = x − v dt + ½ a dt²: with it the first step of a scheme that remembers the position before
/// is of second order, and free fall is exact.
fn old_position(x: DVec3, v: DVec3, a: DVec3, dt: f64) -> DVec3 {
    x - v * dt + 0.5 * a * dt * dt
}

/// A particle after a collision within a step.
#[derive(Clone, Copy, Debug)]
pub struct Collided {
    /// Index of the particle, and the number of all particles.
    pub particle: (usize, usize),
    /// Position at the end of the step, in metres.
    pub x: DVec3,
    /// Velocity at the end of the step, in m/s.
    pub v: DVec3,
    /// Displacement in a whole step at the motion after the collision, in metres.
    pub way: DVec3,
}

/// A particle whose velocity contact has changed at the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct Kicked {
    /// Index of the particle, and the number of all particles.
    pub particle: (usize, usize),
    /// Change of the velocity, in m/s.
    pub change: DVec3,
}

impl Kicked {
    /// Moves x* of schemes that remember the position before: as if the particle had always been
    /// faster by the change.
    fn move_old_position(&self, work: &mut Workspace, dt: f64) {
        let (i, n) = self.particle;
        let [old, ..] = work.history(1, n);
        old[i] -= self.change * dt;
    }
}

impl Collided {
    /// Sets x* of schemes that remember the position before: as if the particle had always moved by
    /// this displacement.
    fn set_old_position(&self, work: &mut Workspace) {
        let (i, n) = self.particle;
        let [old, ..] = work.history(1, n);
        old[i] = self.x - self.way;
    }
}

/// Integrators with their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum Method {
    /// x ← x + v dt with the old velocity; never stable without damping.
    ExplicitEuler,
    /// x ← x + v dt with the new velocity.
    SymplecticEuler,
    /// Position first, then the velocity with the force there.
    SymplecticEulerPositionFirst,
    /// x' = 2x − x* + a dt²: Jakobsen's rope.
    PositionVerlet(PositionVerlet),
    /// x' = 1.99x − 0.99x* + a dt²: the same with drag by the step.
    VerletDrag(VerletDrag),
    /// Position Verlet corrected for a changing dt.
    TimeCorrectedVerlet,
    /// Half kick, drift, half kick; forces see the half-step velocity in the second.
    VelocityVerlet,
    /// Half kick, drift, half kick; forces see the predicted velocity in the second.
    Leapfrog,
    /// Verlet's positions with better velocities.
    Beeman,
    /// Two-step extrapolation of both velocity and acceleration.
    AdamsBashforth2,
    /// Two-step extrapolation of the acceleration, position from the new velocity.
    NumericalDamping(NumericalDamping),
    /// Runge–Kutta of order 2, through the middle of the step.
    Midpoint,
    /// Runge–Kutta of order 2, mean of both ends of the step.
    Heun,
    /// Kutta's Runge–Kutta of order 3.
    Rk3,
    /// The classical Runge–Kutta of order 4.
    Rk4,
    /// Three Verlet steps, the middle one backwards: order 4.
    Yoshida4,
    /// Runge–Kutta 5(4) with inner steps as short as the tolerance needs.
    DormandPrince(DormandPrince),
    /// The force at the end of the step.
    ImplicitEuler,
    /// The force in the middle of the step.
    ImplicitMidpoint,
    /// The mean of the forces at both ends of the step.
    Trapezoid,
    /// Two-step backward differentiation.
    Bdf2,
    /// Implicit; ρ∞ adjusts the damping of modes that dt cannot resolve.
    GeneralizedAlpha(GeneralizedAlpha),
}

impl Method {
    /// The scheme behind the name.
    pub fn scheme(&self) -> &dyn Integrator {
        match self {
            Self::ExplicitEuler => &ExplicitEuler,
            Self::SymplecticEuler => &SymplecticEuler,
            Self::SymplecticEulerPositionFirst => &SymplecticEulerPositionFirst,
            Self::PositionVerlet(scheme) => scheme,
            Self::VerletDrag(scheme) => scheme,
            Self::TimeCorrectedVerlet => &TimeCorrectedVerlet,
            Self::VelocityVerlet => &VelocityVerlet,
            Self::Leapfrog => &Leapfrog,
            Self::Beeman => &Beeman,
            Self::AdamsBashforth2 => &AdamsBashforth2,
            Self::NumericalDamping(scheme) => scheme,
            Self::Midpoint => &Midpoint,
            Self::Heun => &Heun,
            Self::Rk3 => &Rk3,
            Self::Rk4 => &Rk4,
            Self::Yoshida4 => &Yoshida4,
            Self::DormandPrince(scheme) => scheme,
            Self::ImplicitEuler => &ImplicitEuler,
            Self::ImplicitMidpoint => &ImplicitMidpoint,
            Self::Trapezoid => &Trapezoid,
            Self::Bdf2 => &Bdf2,
            Self::GeneralizedAlpha(scheme) => scheme,
        }
    }

    /// Every method with its default parameters, in the order of the panel.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// The method of that name with its default parameters. Case and separators do not matter.
    pub fn from_name(name: &str) -> Result<Self, UnknownName> {
        Self::all().find(|method| same_name(method.info().name, name)).ok_or_else(|| {
            UnknownName::new("integrator", name, Self::all().map(|method| method.info().name))
        })
    }

    /// Published properties.
    pub fn info(&self) -> Info {
        self.scheme().info()
    }

    /// Checks the ranges of all parameters; the message contains the value found and the values
    /// expected.
    pub fn check(&self) -> Result<(), String> {
        match *self {
            Self::VerletDrag(VerletDrag { drag }) if !(0.0..1.0).contains(&drag) => {
                Err(format!("drag is {drag}, expected at least 0 and less than 1"))
            }
            Self::DormandPrince(DormandPrince { tolerance })
                if !(tolerance > 0.0 && tolerance < 1.0) =>
            {
                Err(format!("tolerance is {tolerance}, expected more than 0 and less than 1"))
            }
            Self::GeneralizedAlpha(GeneralizedAlpha { rho_inf })
                if !(0.0..=1.0).contains(&rho_inf) =>
            {
                Err(format!("rho_inf is {rho_inf}, expected from 0 to 1"))
            }
            _ => Ok(()),
        }
    }
}
