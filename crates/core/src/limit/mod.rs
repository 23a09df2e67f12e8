//! Length limits: tethers and a strain limit, which work with any constraint solver and with
//! springs.
//!
//! Limits move positions at the end of a substep's sweeps, so the velocity update and the energy
//! account treat limits like a constraint solver. Tethers and strain limit use the shortest paths
//! along the links to the pins. The paths are recomputed when pins or cuts change.

mod paths;
mod strain_limit;
mod tethers;

use crate::model::Model;
use glam::DVec3;
use paths::Paths;
use ropelab_mechanics::numerics::system::System;

/// Largest permitted multiplier of a tether: distance from the pin over rest length of the path.
pub const LONGEST_TETHER: f64 = 1e3;
/// Largest permitted strain limit.
pub const MOST_STRAIN: f64 = 1e3;

/// Length limits that are switched on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LengthLimits {
    /// Largest distance of a particle from its nearest pin, as a multiple of the rest length of the
    /// path along the links.
    pub tethers: Option<f64>,
    /// Largest absolute strain of links, e.g. 0.05 for ±5 %.
    pub strain: Option<f64>,
}

impl LengthLimits {
    /// True if no limit is active.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Paths to the pins, and buffers that the limits need in a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    paths: Paths,
    /// Mass of each particle times its displacement in kg·m by the limits in the newest substep.
    /// The entry of a pin is minus the sum of the entries of the particles that hang from it.
    mass_times_displacement: Vec<DVec3>,
    /// Part of `mass_times_displacement` due to tethers.
    by_tethers: Vec<DVec3>,
    /// True if the strain limit has moved a particle in the newest substep.
    pub strain_acted: bool,
    /// Entry of each particle in the tree of paths, for the strain limit.
    branches: Vec<strain_limit::Branch>,
    /// Factor 1/h² in 1/s² that converts `mass_times_displacement` into newtons.
    rate: f64,
}

impl Limits {
    /// Recomputes the paths after changes of pins and cuts.
    pub fn update(&mut self, model: &Model) {
        self.paths.update(model);
        for column in [&mut self.mass_times_displacement, &mut self.by_tethers] {
            column.resize(model.masses().len(), DVec3::ZERO);
        }
        self.branches.resize(model.masses().len(), strain_limit::Branch::default());
    }

    /// Sets the displacements by limits, and so the forces, to zero.
    pub(crate) fn clear_forces(&mut self) {
        self.mass_times_displacement.fill(DVec3::ZERO);
        self.by_tethers.fill(DVec3::ZERO);
        self.strain_acted = false;
    }

    /// Enforces the active limits on positions `x`, the strain limit last. In the substep of `h`
    /// seconds, a force f moves a mass m by f h²/m. Returns true if any particle moved.
    pub(crate) fn enforce(
        &mut self,
        in_force: LengthLimits,
        model: &Model,
        x: &mut [DVec3],
        h: f64,
    ) -> bool {
        self.clear_forces();
        let Self { paths, mass_times_displacement, by_tethers, strain_acted, branches, rate } =
            self;
        *rate = 1.0 / (h * h);
        let links = model.topology().links();
        let mut moved = false;
        if let Some(multiplier) = in_force.tethers {
            moved |= tethers::enforce(multiplier, paths.steps(), model.masses(), x, by_tethers);
            mass_times_displacement.copy_from_slice(by_tethers);
        }
        if let Some(strain) = in_force.strain {
            let (steps, w) = (paths.steps(), model.inverse_masses());
            let structure = strain_limit::Structure { links, steps, w };
            *strain_acted =
                strain_limit::enforce(strain, structure, branches, x, mass_times_displacement);
        }
        moved || *strain_acted
    }

    /// Returns the mass of a particle times its displacement by the limits, in kg·m. For a pin,
    /// returns minus the sum of this product over the particles that hang from it.
    pub(crate) fn weighted_displacement(&self, particle: u32) -> DVec3 {
        self.mass_times_displacement.get(particle as usize).copied().unwrap_or(DVec3::ZERO)
    }

    /// Yields the forces of the limits in the newest substep: particle, and force on it in newtons.
    /// The force on a pin is the load that it bears.
    pub fn forces(&self) -> impl Iterator<Item = (u32, DVec3)> {
        self.in_newtons(&self.mass_times_displacement)
    }

    /// Yields the forces of tethers alone, like [`Self::forces`].
    pub(crate) fn tether_forces(&self) -> impl Iterator<Item = (u32, DVec3)> {
        self.in_newtons(&self.by_tethers)
    }

    fn in_newtons(&self, column: &[DVec3]) -> impl Iterator<Item = (u32, DVec3)> {
        let acts = |(_, displacement): &(u32, &DVec3)| **displacement != DVec3::ZERO;
        (0..).zip(column).filter(acts).map(|(i, displacement)| (i, *displacement * self.rate))
    }
}
