//! The integrators: one file each, one signature, one list.
//!
//! Adding one: write `NAME.rs` with a struct that implements [`Integrator`], then add its variant
//! to [`Method`] and its arm to [`Method::scheme`]. The panel, the scene format, the command
//! line, the README's table, the tests and the benches read this list.

mod explicit_euler;
mod velocity_verlet;

pub use explicit_euler::ExplicitEuler;
pub use velocity_verlet::VelocityVerlet;

use crate::state::{State, Workspace};
use crate::system::System;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// Published properties of a scheme. Each is measured by `tests/integrators.rs`.
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
    /// Who wrote it down, and where.
    pub reference: &'static str,
    /// One sentence for a tooltip: what to expect of it.
    pub verdict: &'static str,
}

/// A one-step (or remembered multistep) scheme for x″ = a(t, x, x′).
///
/// Pinned particles (mass 0) have zero acceleration and a velocity that carries them along
/// linearly; their owner sets them exactly afterwards.
pub trait Integrator: Sync {
    /// Published properties, with the parameters of `self`.
    fn info(&self) -> Info;

    /// Advances `state.x` and `state.v` by `dt` seconds from time `state.t`. Leaves `state.t` to
    /// the caller. Allocates at most in its first step.
    fn step(&self, system: &dyn System, state: &mut State, dt: f64, work: &mut Workspace);

    /// Makes velocities consistent after constraints or contacts moved `state.x` away from the
    /// free-flight positions `before`: v ← v + (x − before)/dt.
    ///
    /// For constant forces this turns every scheme of the list into Verlet with projection: see
    /// "Does the integrator show under projection?" in DESIGN.md.
    fn accept_projection(
        &self,
        state: &mut State,
        before: &[DVec3],
        dt: f64,
        _work: &mut Workspace,
    ) {
        for ((v, x), b) in state.v.iter_mut().zip(&state.x).zip(before) {
            *v += (*x - *b) / dt;
        }
    }
}

/// The list of integrators, with their parameters: plain data in scenes, panel and command line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum Method {
    /// x ← x + v dt with the old velocity; never stable without damping.
    ExplicitEuler,
    /// Half kick, drift, half kick, with the acceleration kept between steps.
    VelocityVerlet,
}

impl Method {
    /// The scheme behind the name.
    pub fn scheme(&self) -> &dyn Integrator {
        match self {
            Self::ExplicitEuler => &ExplicitEuler,
            Self::VelocityVerlet => &VelocityVerlet,
        }
    }

    /// Every method with its default parameters, in the order of the panel.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Stub until the integrators are merged.
    pub fn from_name(name: &str) -> Result<Self, crate::name::UnknownName> {
        Self::all().find(|m| crate::name::same_name(m.info().name, name)).ok_or_else(|| {
            crate::name::UnknownName::new("integrator", name, Self::all().map(|m| m.info().name))
        })
    }

    /// Published properties.
    pub fn info(&self) -> Info {
        self.scheme().info()
    }
    /// Checks parameters.
    pub fn check(&self) -> Result<(), String> {
        Ok(())
    }
}
