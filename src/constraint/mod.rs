//! The constraint solvers: one file each, one list, over one kind of data: [`Link`]s.
//!
//! Adding one: write `NAME.rs`, then add its variant to [`ConstraintSolver`] and its arm to
//! [`ConstraintSolver::project`].

use serde::{Deserialize, Serialize};
use strum::EnumIter;

/// What a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter)]
pub enum LinkKind {
    /// Holds neighbours together.
    Structural,
    /// Diagonal of a cloth cell.
    Shear,
    /// Next neighbours: resists folding.
    Bend,
}

/// Two particles that want to stay `rest` metres apart: a spring or a constraint, as the
/// settings say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// One end.
    pub a: u32,
    /// The other end.
    pub b: u32,
    /// Rest length in metres, positive.
    pub rest: f64,
    /// Stiffness in N/m, positive. Its inverse is the compliance of XPBD, unless `rigid`.
    pub stiffness: f64,
    /// Damping along the link in N·s/m.
    pub damping: f64,
    /// What it is for.
    pub kind: LinkKind,
    /// Resists stretch only, like a rope.
    pub one_sided: bool,
    /// As a constraint, compliance 0. As a spring it still has `stiffness`.
    pub rigid: bool,
}

/// What a projection reported.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Projection {
    /// Sweeps taken.
    pub iterations: u32,
    /// Greatest |C|/L left.
    pub residual: f64,
    /// The tolerance was met (always true for solvers without one).
    pub converged: bool,
}

/// Links as constraints.
#[derive(Clone, Debug)]
pub struct Constraints {
    links: Vec<Link>,
}

impl Constraints {
    /// Prepares links between so many particles.
    pub fn new(links: Vec<Link>, _particles: usize) -> Self {
        Self { links }
    }
    /// The links.
    pub fn links(&self) -> &[Link] {
        &self.links
    }
    /// No links.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }
}

/// Solvers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, EnumIter)]
pub enum ConstraintSolver {
    /// Links act as springs.
    None,
}

/// Stub.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SolverInfo {
    /// Name on the command line: `xpbd`.
    pub name: &'static str,
    /// Name in the literature.
    pub title: &'static str,
    /// Who wrote it down, and where.
    pub reference: &'static str,
    /// One sentence for a tooltip: what to expect of it.
    pub verdict: &'static str,
}

impl ConstraintSolver {
    /// Stub.
    pub fn all() -> impl Iterator<Item = Self> {
        <Self as strum::IntoEnumIterator>::iter()
    }
    /// Stub.
    pub fn info(&self) -> SolverInfo {
        SolverInfo { name: "none", title: "no constraints", reference: "r", verdict: "v" }
    }
    /// Stub.
    pub fn from_name(name: &str) -> Result<Self, crate::name::UnknownName> {
        Self::all().find(|m| crate::name::same_name(m.info().name, name)).ok_or_else(|| {
            crate::name::UnknownName::new("constraint", name, Self::all().map(|m| m.info().name))
        })
    }
    /// No solver.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
    /// Sweeps that it may take; None for no solver.
    pub fn iterations(&self) -> Option<u32> {
        None
    }
    /// Sets the sweeps that it may take.
    pub fn set_iterations(&mut self, _n: u32) {}
    /// Which links become constraints.
    pub fn takes(&self, _link: &Link) -> bool {
        false
    }
    /// Checks parameters.
    pub fn check(&self) -> Result<(), String> {
        Ok(())
    }
    /// Projects.
    pub fn project(
        &self,
        _c: &mut Constraints,
        _w: &[f64],
        _start: &[glam::DVec3],
        _x: &mut [glam::DVec3],
        _dt: f64,
    ) -> Projection {
        Projection::default()
    }
}
