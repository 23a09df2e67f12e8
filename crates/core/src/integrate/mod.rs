//! The integrators: one file each, a common trait and one list.
//!
//! To add an integrator, write `NAME.rs` with a struct that implements [`Integrator`], then add its
//! variant to [`Method`] and its arm to [`Method::as_integrator`]. The panel, the scene format, the
//! command line, docs/catalogue.md and the tests read this list. An integrator's parameter also
//! needs a field in `src/app/panel/integrator.rs`, which otherwise does not compile.

mod adams_bashforth_2;
mod beeman;
mod explicit_euler;
mod implicit;
mod integrator;
mod leapfrog;
mod numerical_damping;
mod position_verlet;
mod rules;
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
pub use integrator::{Info, Integrator};
pub use leapfrog::Leapfrog;
pub use numerical_damping::NumericalDamping;
pub use position_verlet::PositionVerlet;
pub use rules::{
    AddedParticle, CollidedParticle, DampingStart, Displacement, KickedParticle, Memory, StepRules,
    VerletStart,
};
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

use ropelab_mechanics::names::{UnknownName, same_name};
use ropelab_mechanics::quantity::magnitude::format_six_digits;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// Integrators with their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum Method {
    /// x ← x + v dt with the old velocity.
    ExplicitEuler,
    /// x ← x + v dt with the new velocity.
    SymplecticEuler,
    /// The position moves first; the velocity uses the force at the new position.
    SymplecticEulerPositionFirst,
    /// x' = 2x − x* + a dt²: Jakobsen's rope.
    PositionVerlet(PositionVerlet),
    /// x' = 1.99x − 0.99x* + a dt²: Jakobsen's rope with a fixed drag per step.
    VerletDrag(VerletDrag),
    /// Position Verlet corrected for a changing dt.
    TimeCorrectedVerlet,
    /// Half kick, drift, half kick; the second force uses the half-step velocity.
    VelocityVerlet,
    /// Half kick, drift, half kick; the second force uses the predicted velocity.
    Leapfrog,
    /// Verlet's positions, with velocities one order more accurate.
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
    /// Runge–Kutta 5(4), with inner steps as short as the tolerance requires.
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
        // All fields are named, so a new parameter does not compile without a range.
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
