//! The physical system of one lane: masses, springs, forces, pins and the hand.

use crate::constraint::Link;
use crate::diagnostics::{Energy, kinetic_energy};
use crate::force::{ForceLaw, Grab, Kinematics, Springs};
use crate::path::Path;
use crate::scene::{Scene, TargetedForce};
use crate::state::State;
use crate::system::System;
use glam::DVec3;
use std::sync::Arc;

/// Masses, springs and forces of one lane. Implements [`System`] for the integrators.
#[derive(Clone, Debug)]
pub struct Model {
    scene: Arc<Scene>,
    masses: Vec<f64>,
    inverse_masses: Vec<f64>,
    springs: Springs,
    pins: Vec<PinnedParticle>,
    /// The hand's spring, while it holds one.
    pub grab: Option<Grab>,
}

/// A pin in force: where it started and how it moves from there.
#[derive(Clone, Debug, PartialEq)]
pub struct PinnedParticle {
    /// Index of the particle.
    pub particle: u32,
    /// Position at the time that counts as 0 on its path.
    pub origin: DVec3,
    /// Its way.
    pub path: Path,
}

impl Model {
    /// The model of a scene in which the links that `is_spring` accepts push as springs.
    pub fn new(scene: Arc<Scene>, is_spring: impl Fn(&Link) -> bool) -> Self {
        let springs = springs_of(&scene, is_spring);
        let mut model = Self {
            masses: scene.mesh.masses.clone(),
            inverse_masses: scene.mesh.masses.iter().map(|m| 1.0 / m).collect(),
            springs,
            pins: Vec::new(),
            grab: None,
            scene: scene.clone(),
        };
        for pin in &scene.pins {
            let origin = scene.mesh.positions[pin.particle as usize];
            model.pin(PinnedParticle { particle: pin.particle, origin, path: pin.path.clone() });
        }
        model
    }

    /// Chooses anew which links push as springs.
    pub fn choose_springs(&mut self, is_spring: impl Fn(&Link) -> bool) {
        self.springs = springs_of(&self.scene, is_spring);
    }

    /// The scene that this models.
    pub fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// Inverse masses in 1/kg, 0 = pinned.
    pub fn inverse_masses(&self) -> &[f64] {
        &self.inverse_masses
    }

    /// Pinned particles, in the order in which they were pinned.
    pub fn pins(&self) -> &[PinnedParticle] {
        &self.pins
    }

    /// Whether a particle is pinned.
    pub fn is_pinned(&self, particle: u32) -> bool {
        self.masses[particle as usize] == 0.0
    }

    /// Pins a particle.
    pub fn pin(&mut self, pin: PinnedParticle) {
        self.masses[pin.particle as usize] = 0.0;
        self.inverse_masses[pin.particle as usize] = 0.0;
        self.pins.push(pin);
    }

    /// Frees a pinned particle and gives it back its own mass.
    pub fn unpin(&mut self, particle: u32) {
        self.pins.retain(|pin| pin.particle != particle);
        let mass = self.scene.mesh.masses[particle as usize];
        self.masses[particle as usize] = mass;
        self.inverse_masses[particle as usize] = 1.0 / mass;
    }

    /// Energies of a state in joules. A constraint with compliance stores elastic energy like
    /// the spring that it stands for; a rigid one stores none.
    pub fn energy(&self, state: &State, constraints: &[Link]) -> Energy {
        let stored = |link: &Link| {
            let length = state.x[link.a as usize].distance(state.x[link.b as usize]);
            let slack = link.one_sided && length < link.rest;
            let strain = if slack { 0.0 } else { length - link.rest };
            0.5 * link.stiffness * strain * strain
        };
        let all = self.kinematics(state.t, &state.x, &state.v, &[]);
        Energy {
            kinetic: kinetic_energy(&self.masses, &state.v),
            // The sum of nothing is −0.0.
            potential: 0.0 + self.laws(all).filter_map(|(law, at)| law.potential(&at)).sum::<f64>(),
            elastic: 0.0
                + self.springs.potential(&all).unwrap_or(0.0)
                + constraints.iter().filter(|link| !link.rigid).map(stored).sum::<f64>(),
        }
    }

    fn kinematics<'a>(
        &'a self,
        t: f64,
        x: &'a [DVec3],
        v: &'a [DVec3],
        targets: &'a [u32],
    ) -> Kinematics<'a> {
        Kinematics { t, x, v, masses: &self.masses, faces: &self.scene.mesh.faces, targets }
    }

    /// Every law but the springs, with what it acts on: the force registry, then the hand.
    fn laws<'a>(
        &'a self,
        at: Kinematics<'a>,
    ) -> impl Iterator<Item = (&'a dyn ForceLaw, Kinematics<'a>)> {
        let registry =
            self.scene.forces.iter().map(move |TargetedForce { law, targets }| {
                (law.law(), Kinematics { targets, ..at })
            });
        let hand = self.grab.as_ref().map(move |grab| (grab as &dyn ForceLaw, at));
        registry.chain(hand)
    }

    /// Forces to accelerations, in place.
    fn divide_by_mass(&self, f: &mut [DVec3]) {
        for (f, w) in f.iter_mut().zip(&self.inverse_masses) {
            *f *= *w;
        }
    }
}

fn springs_of(scene: &Scene, is_spring: impl Fn(&Link) -> bool) -> Springs {
    Springs::new(scene.mesh.links.iter().filter(|link| is_spring(link)))
}

impl System for Model {
    fn masses(&self) -> &[f64] {
        &self.masses
    }

    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        a.fill(DVec3::ZERO);
        let at = self.kinematics(t, x, v, &[]);
        self.springs.add(&at, a);
        for (law, at) in self.laws(at) {
            law.add(&at, a);
        }
        self.divide_by_mass(a);
    }

    fn acceleration_jvp(
        &self,
        t: f64,
        x: &[DVec3],
        v: &[DVec3],
        dx: &[DVec3],
        dv: &[DVec3],
        out: &mut [DVec3],
    ) {
        out.fill(DVec3::ZERO);
        let at = self.kinematics(t, x, v, &[]);
        self.springs.add_jvp(&at, dx, dv, out);
        for (law, at) in self.laws(at) {
            law.add_jvp(&at, dx, dv, out);
        }
        self.divide_by_mass(out);
    }
}
