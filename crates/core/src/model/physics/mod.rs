//! Physical system of one simulation: masses, springs, bends, forces, pins and the mouse drag.

mod accelerations;
mod blocks;
mod couplings;
pub mod part;
mod pins;
mod throws;

use super::blow::Blow;
use super::energy::{Energy, kinetic_energy};
use super::parts::{Parts, TargetedForce};
use super::pins::PinnedParticle;
use super::thrown::Thrown;
use crate::contact::{Bodies, ColliderShift, Geometry, Penalty, PenaltyForce, PenaltyState};
use couplings::Couplings;
use glam::DVec3;
use ropelab_mechanics::force::{
    Bending, FaceWind, Force, ForceLaw, Grab, Kinematics, LinearDrag, QuadraticDrag, Springs,
    Targets, UniformAcceleration, Wind,
};
use ropelab_mechanics::mesh::link_sums::{elastic_energy, sum_over_links};
use ropelab_mechanics::mesh::topology::Topology;
use ropelab_mechanics::mesh::{Link, Links};
use ropelab_mechanics::numerics::state::{State, StateRef};
use std::ops::Range;
use std::sync::Arc;

/// Masses, springs and forces of one simulation. Implements
/// [`System`](ropelab_mechanics::numerics::system::System) for the integrators.
#[derive(Clone, Debug)]
pub struct Model {
    parts: Arc<Parts>,
    /// Masses in kilograms, 0 = pinned: particles of the scene, then thrown balls.
    masses: Vec<f64>,
    inverse_masses: Vec<f64>,
    topology: Topology,
    springs: Springs,
    couplings: Couplings,
    bending: Bending,
    /// True if bends act as forces; false if a constraint solver keeps them straight.
    bends_are_forces: bool,
    /// Balls, points and colliders for contact: those of the scene, and thrown balls.
    geometry: Geometry,
    /// Parameters of the penalty force of colliders; `None` if contact does not act as a force.
    penalty: Option<Penalty>,
    /// Displacements of colliders by the hand (the user's mouse) in metres, by collider index.
    shifts: Vec<ColliderShift>,
    thrown: Thrown,
    pins: Vec<PinnedParticle>,
    /// Sum of the uniform accelerations, e.g. gravity, that act on all particles except pinned
    /// ones.
    uniform_acceleration: UniformAcceleration,
    /// Spring of a mouse drag; `None` if no particle is dragged by a spring.
    pub grab: Option<Grab>,
    /// Wind of the mouse; `None` while it does not blow.
    pub blow: Option<Blow>,
}

/// Role of a force without a potential in the energy account: either its work is energy taken out,
/// or energy put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Force that takes energy out, such as drag.
    Damper,
    /// Force that may put energy in, such as wind.
    Driver,
}

impl Model {
    /// Creates the model of a scene's parts. The links that `is_spring` accepts act as springs.
    pub fn new(parts: Arc<Parts>, is_spring: impl Fn(&Link) -> bool) -> Self {
        let topology = parts.topology();
        let springs = springs_of(&topology, is_spring);
        let mut model = Self {
            masses: parts.mesh.masses.clone(),
            inverse_masses: parts.mesh.masses.iter().map(|m| 1.0 / m).collect(),
            topology,
            springs,
            couplings: Couplings::default(),
            bending: Bending::default(),
            bends_are_forces: true,
            geometry: parts.contact.clone(),
            penalty: None,
            shifts: Vec::new(),
            thrown: Thrown::default(),
            pins: Vec::new(),
            uniform_acceleration: uniform_acceleration(&parts),
            grab: None,
            blow: None,
            parts: parts.clone(),
        };
        for pin in &parts.pins {
            let origin = parts.mesh.positions[pin.particle as usize];
            let path = pin.path.clone();
            model.add_pin(PinnedParticle { particle: pin.particle, origin, path });
        }
        model.rebuild_bending();
        model
    }

    /// Adds stiffness damping to all links: `beta` (in seconds) times their stiffness, in addition
    /// to their own damping. The caller must call [`Self::choose_springs`] afterwards.
    pub(crate) fn damp_links(&mut self, beta: f64) {
        self.topology.set_stiffness_damping(&self.parts.mesh.links, beta);
    }

    /// Chooses again which links act as springs: those that `is_spring` accepts.
    pub(crate) fn choose_springs(&mut self, is_spring: impl Fn(&Link) -> bool) {
        self.springs = springs_of(&self.topology, is_spring);
        self.forget_couplings();
    }

    /// Sets whether bends act as forces (the default) or are left to a constraint solver.
    pub(crate) fn set_bends_are_forces(&mut self, bends_are_forces: bool) {
        self.bends_are_forces = bends_are_forces;
        self.forget_couplings();
    }

    /// Sets the penalty force of colliders. `None` leaves contact to the contact method.
    pub(crate) fn set_penalty(&mut self, penalty: Option<Penalty>) {
        self.penalty = penalty;
    }

    /// Sets the displacements of colliders by the hand, by collider index.
    pub(crate) fn shift_colliders(&mut self, shifts: &[ColliderShift]) {
        self.shifts.clear();
        self.shifts.extend(shifts);
    }

    /// Returns the penalty force of colliders, or `None` if contact does not act as a force.
    pub fn penalty_force(&self) -> Option<PenaltyForce<'_>> {
        let Self { geometry, shifts, .. } = self;
        self.penalty.map(|penalty| PenaltyForce { penalty, geometry, shifts })
    }

    /// Returns the input of the penalty force.
    pub(crate) fn penalty_state<'a>(
        &'a self,
        StateRef { t, x, v }: StateRef<'a>,
    ) -> PenaltyState<'a> {
        PenaltyState { t, x, v, w: &self.inverse_masses }
    }

    /// Returns the uncut bends: those that act as forces, and those that a solver constrains.
    pub fn bending(&self) -> &Bending {
        &self.bending
    }

    /// Computes the bends again after cuts, and after changes of pins, which clamp bends.
    fn rebuild_bending(&mut self) {
        let is_pinned = |i: u32| self.masses[i as usize] == 0.0;
        self.bending = Bending::new(self.topology.bends(), is_pinned);
        if !self.bending.is_empty() {
            self.forget_couplings();
        }
    }

    /// Returns the bends if they act as forces; otherwise `None`.
    pub(crate) fn bends_as_forces(&self) -> Option<&Bending> {
        Some(&self.bending).filter(|bending| self.bends_are_forces && !bending.is_empty())
    }

    /// Adds the forces of bends in newtons to `f`, if bends act as forces.
    pub(crate) fn add_bend_forces(&self, x: &[DVec3], f: &mut [DVec3]) {
        if let Some(bending) = self.bends_as_forces() {
            bending.add_forces(x, f);
        }
    }

    /// Returns the links, bends and triangles that are not cut.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Cuts links, given by their indices in the scene. Returns true if any of them was still
    /// whole. `is_spring` must be the predicate that chose the springs. Calls `cut_other` for each
    /// cut link that is a constraint, with its index among the constraints.
    pub fn cut(
        &mut self,
        links: &[u32],
        is_spring: impl Fn(&Link) -> bool,
        mut cut_other: impl FnMut(usize),
    ) -> bool {
        let fresh = self.topology.cut(links);
        let Some(&last) = fresh.last() else { return false };
        let (mut springs, mut others) = (0, 0);
        let mut fresh = fresh.into_iter().peekable();
        for (i, link) in self.topology.links().iter().enumerate().take(last as usize + 1) {
            let is_cut = fresh.next_if_eq(&(i as u32)).is_some();
            let is_spring = is_spring(&link);
            let number = if is_spring { &mut springs } else { &mut others };
            if is_cut && is_spring {
                self.springs.cut(*number);
            } else if is_cut {
                cut_other(*number);
            }
            *number += 1;
        }
        self.rebuild_bending();
        true
    }

    /// Returns the parts of the scene from which the model was built.
    pub fn parts(&self) -> &Arc<Parts> {
        &self.parts
    }

    /// Returns the bodies for contact. `shifts` are the displacements of colliders by the hand, by
    /// collider index.
    pub fn bodies<'a>(&'a self, shifts: &'a [ColliderShift]) -> Bodies<'a> {
        Bodies {
            geometry: &self.geometry,
            mesh: &self.parts.mesh,
            topology: &self.topology,
            w: &self.inverse_masses,
            shifts,
        }
    }

    /// Returns the contact geometry, thrown balls included.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the mass of a particle in kilograms, also while it is pinned.
    pub(crate) fn own_mass(&self, particle: u32) -> f64 {
        let (masses, particle) = (&self.parts.mesh.masses, particle as usize);
        let thrown = || self.thrown.balls[particle - masses.len()].throw.mass;
        masses.get(particle).copied().unwrap_or_else(thrown)
    }

    /// Returns the particles on which a law of the scene acts. A law for all particles of the scene
    /// also acts on thrown balls.
    fn targets<'a>(&self, force: &'a TargetedForce) -> Targets<'a> {
        let scene = Targets::new(&force.targets, self.parts.mesh.masses.len());
        scene.within(0..self.masses.len())
    }

    /// Returns the inverse masses in 1/kg, 0 = pinned.
    pub fn inverse_masses(&self) -> &[f64] {
        &self.inverse_masses
    }

    /// Returns the energies of a state in joules. A constraint with compliance stores elastic
    /// energy like the spring that it replaces; a rigid constraint stores none. The energy of a
    /// mouse drag's spring is not included.
    pub fn energy(&self, state: &State, constraints: &Links) -> Energy {
        self.energy_at(state.view(), constraints)
    }

    /// Like [`Self::energy`], for columns of positions and velocities.
    pub(crate) fn energy_at(&self, at: StateRef, constraints: &Links) -> Energy {
        let all = 0..at.len();
        let laws = self.laws(at, &all).filter_map(|(law, at)| law.potential(&at));
        let pushed = self.penalty_force().map(|force| force.potential(self.penalty_state(at)));
        Energy {
            kinetic: kinetic_energy(&self.masses, at.v),
            // `0.0 +` because an empty sum is −0.0.
            potential: 0.0 + laws.sum::<f64>(),
            elastic: 0.0
                + self.springs.potential(&self.kinematics(at, &all)).unwrap_or(0.0)
                + self.bending.energy(at.x)
                + energy_of_constraints(constraints, at.x)
                + pushed.unwrap_or(0.0),
        }
    }

    /// Returns the elastic energy in joules that links and bends store while a constraint solver
    /// keeps them.
    pub(crate) fn solver_energy(&self, State { x, .. }: &State, constraints: &Links) -> f64 {
        let bends = if self.bends_are_forces { 0.0 } else { self.bending.energy(x) };
        bends + energy_of_constraints(constraints, x)
    }

    /// Yields the laws of the scene without a potential, with their roles and targets.
    pub fn laws_without_potential<'a>(
        &'a self,
        state: &'a State,
    ) -> impl Iterator<Item = (&'a dyn ForceLaw, Role, Kinematics<'a>)> {
        let laws = self.laws(state.view(), &(0..state.len()));
        let roles = self.parts.forces.iter().map(|force| match force.law {
            Force::Gravity(_) | Force::Attractor(_) => None,
            Force::LinearDrag(_) | Force::QuadraticDrag(_) => Some(Role::Damper),
            Force::Wind(_) | Force::FaceWind(_) => Some(Role::Driver),
        });
        laws.zip(roles).filter_map(|((law, at), role)| Some((law, role?, at)))
    }

    /// True if the acceleration by a law or the mouse depends on the velocity.
    pub fn has_velocity_dependent_laws(&self) -> bool {
        let depends = |force: &TargetedForce| match force.law {
            Force::Gravity(_) | Force::Attractor(_) => false,
            Force::LinearDrag(LinearDrag { coefficient }) => coefficient != 0.0,
            Force::QuadraticDrag(QuadraticDrag { coefficient }) => coefficient != 0.0,
            Force::Wind(Wind { drag, .. }) => drag != 0.0,
            Force::FaceWind(FaceWind { air_density, .. }) => air_density != 0.0,
        };
        self.grab.is_some() || self.parts.forces.iter().any(depends)
    }

    /// True if no particle acts on another one, so that ranges of particles can be stepped
    /// separately.
    pub(crate) fn is_local(&self) -> bool {
        !self.has_inner_forces() && self.has_local_laws()
    }

    /// True if springs, or bends as forces, act between particles.
    pub fn has_inner_forces(&self) -> bool {
        !self.springs.is_empty() || self.bends_as_forces().is_some()
    }

    /// Returns the gravity that acts on all particles, in m/s².
    pub fn gravity(&self) -> DVec3 {
        self.uniform_acceleration.g
    }

    /// True if every force law needs the data of one particle only. A penalty force of colliders
    /// makes this false, because it uses particle indices of the whole scene.
    fn has_local_laws(&self) -> bool {
        let mut forces = self.parts.forces.iter();
        self.penalty.is_none() && forces.all(|force| force.law.law().is_local())
    }

    /// Returns the input of force laws for a range of particles. The slices of `at` contain only
    /// these particles.
    fn kinematics<'a>(&'a self, at: StateRef<'a>, particles: &Range<usize>) -> Kinematics<'a> {
        let (StateRef { t, x, v }, masses) = (at, &self.masses[particles.clone()]);
        let targets = Targets::new(&[], x.len());
        Kinematics { t, x, v, masses, faces: self.topology.faces(), targets }
    }

    /// Yields every force law of the scene with its targets.
    fn laws<'a>(
        &'a self,
        at: StateRef<'a>,
        particles: &Range<usize>,
    ) -> impl Iterator<Item = (&'a dyn ForceLaw, Kinematics<'a>)> + use<'a> {
        let at = self.kinematics(at, particles);
        let particles = particles.clone();
        self.parts.forces.iter().map(move |force| {
            let targets = self.targets(force).within(particles.clone());
            (force.law.law(), Kinematics { targets, ..at })
        })
    }
}

/// Returns the elastic energy of compliant constraints in joules; rigid constraints store none.
fn energy_of_constraints(constraints: &Links, x: &[DVec3]) -> f64 {
    if constraints.all(|link| link.rigid) {
        return 0.0;
    }
    let soft = (0..constraints.len()).map(|i| {
        let link = constraints.at(i);
        Link { stiffness: if link.rigid { 0.0 } else { link.stiffness }, ..link }
    });
    sum_over_links(soft, x, elastic_energy).sum
}

fn uniform_acceleration(parts: &Parts) -> UniformAcceleration {
    let count = parts.mesh.masses.len();
    let all = |force: &&TargetedForce| Targets::new(&force.targets, count).are_all();
    let forces = parts.forces.iter().filter(all);
    forces.filter_map(|force| force.law.law().uniform_acceleration()).sum()
}

fn springs_of(topology: &Topology, is_spring: impl Fn(&Link) -> bool) -> Springs {
    Springs::new(topology.links().iter().filter(is_spring))
}
