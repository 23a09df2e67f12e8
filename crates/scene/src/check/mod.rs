//! Checks that turn a scene file into a [`Scene`]. Selections become lists of particles, and names
//! become indices.

mod annotations;
mod bends;
mod bodies;
mod contact;
mod cuts;
mod drawing;
mod lanes;
mod layers;
mod links;
mod materials;
mod pins;
mod routed;
mod selection;
mod start;

use super::camera::CameraSetup;
use super::scene::Scene;
use super::typed::file::{ForceFile, SceneFile, VERSION, VelocityFile, version_message};
use super::typed::located::{Fault, Located};
use super::typed::number::MOST_PARTICLES;
use super::typed::particles::Particles;
use bodies::{CheckedBodies, NamedBody, cell_counts};
use contact::ball_counts;
use glam::DVec3;
use lanes::check_lanes;
use materials::Materials;
use ropelab_core::model::{Parts, TargetedForce};
use ropelab_core::names::visible_text::{visible, visible_lines};
use ropelab_core::quantity::magnitude::{GREATEST, LEAST};
use std::sync::Arc;

/// Largest number of pairs of a particle and a collider. Every pair is tested when the scene is
/// opened and in each step.
const MOST_AT_COLLIDERS: u64 = 100_000_000;

impl SceneFile {
    /// Builds the scene, and checks conditions that involve several values of the file.
    pub(super) fn check(self) -> Result<Scene, Fault> {
        if *self.version != VERSION {
            return Err(self.version.fault(version_message((*self.version).into())));
        }
        self.check_size()?;
        let mut bodies = self.build_bodies()?;
        bodies.add_drawing(&self)?;
        bodies.let_pass(&self.no_contact)?;
        bodies.add_points(&self.surfaces)?;
        bodies.replace_masses(&self.masses)?;
        let mut velocities = self.initial_velocities(&mut bodies)?;
        bodies.add_thrown(&self.thrown, &mut velocities)?;
        if let Some(start) = &self.start {
            bodies.set_start(start, &mut velocities)?;
        }
        let cuts = bodies.find_cut_links(&self.cuts)?;
        let pins = bodies.check_pins(&self.pins)?;
        let forces = self.forces.iter().map(|force| targeted_force(force, &bodies));
        let forces = forces.collect::<Result<_, _>>()?;
        let camera = self.check_camera(&bodies.mesh.positions)?;
        let lanes = check_lanes(&self)?;
        let annotations = bodies.check_annotations(&self.annotations, &lanes)?;
        Ok(Scene {
            name: visible(&self.name),
            look_for: visible_lines(&self.look_for),
            group: self.group,
            parts: Arc::new(Parts {
                mesh: bodies.mesh,
                velocities,
                cuts,
                pins,
                forces,
                contact: bodies.contact,
                throws: bodies.throws,
                strengths: bodies.strengths,
            }),
            camera,
            floor: self.floor.into(),
            annotations,
            file: Arc::new(self.with_lanes_and_camera(&lanes, camera)),
            lanes,
        })
    }

    fn build_bodies(&self) -> Result<CheckedBodies, Fault> {
        let materials = Materials::read(&self.materials)?;
        let mut bodies = CheckedBodies::default();
        bodies.add_particles(&self.particles)?;
        bodies.add_balls(&self.balls)?;
        bodies.add_colliders(&self.colliders)?;
        bodies.add_nets(&self.nets, &materials)?;
        bodies.add_cloths(&self.cloths, &materials)?;
        bodies.add_ropes(&self.ropes, &materials)?;
        bodies.add_links(&self.links)?;
        bodies.add_bends(&self.bends)?;
        Ok(bodies)
    }

    /// Returns the particles of each body of a checked file, in the order particles, balls, nets,
    /// cloths, ropes. If a rope is tied to another body, the end of the rope is the tied particle
    /// of that body.
    pub(super) fn particles_of_bodies(&self) -> Result<Vec<Vec<u32>>, Fault> {
        Ok(self.build_bodies()?.list.into_iter().map(NamedBody::particles).collect())
    }

    /// Returns the particles of a checked file that a selection such as `Body("rope")` names.
    pub(super) fn select(&self, which: &Located<Particles>) -> Result<Vec<u32>, Fault> {
        let mut bodies = self.build_bodies()?;
        bodies.add_thrown(&self.thrown, &mut Vec::new())?;
        bodies.find_particles(which)
    }

    /// Checks the numbers of particles and contact pairs before memory is allocated for them.
    fn check_size(&self) -> Result<(), Fault> {
        let mut total = (self.particles.len() + self.thrown.len()) as u64;
        let check = |total: u64| {
            if total <= u64::from(MOST_PARTICLES) {
                return Ok(());
            }
            Err(format!("this makes {total} particles, expected at most {MOST_PARTICLES}"))
        };
        self.version.blame(check(total))?;
        for balls in &self.balls {
            let count = ball_counts(balls).iter().fold(1, |n: u64, m| n.saturating_mul(*m));
            total = total.saturating_add(count);
            balls.count.blame(check(total))?;
        }
        for rope in &self.ropes {
            total += u64::from(u32::from(*rope.segments)) + 1;
            rope.segments.blame(check(total))?;
        }
        for sheet in self.nets.iter().chain(&self.cloths) {
            let [columns, rows] = cell_counts(sheet).map(|n| u64::from(n) + 1);
            total += columns * rows;
            sheet.cells.blame(check(total))?;
        }
        let pairs = total.saturating_mul(self.colliders.len() as u64);
        if let Some(collider) = self.colliders.last().filter(|_| pairs > MOST_AT_COLLIDERS) {
            return Err(collider.shape.fault(format!(
                "{} colliders and {total} particles make {pairs} pairs to test in each step, \
                 expected at most {MOST_AT_COLLIDERS}",
                self.colliders.len()
            )));
        }
        if total == 0 {
            return Err(self.version.fault("the scene is empty, expected at least one particle"));
        }
        Ok(())
    }

    /// Returns the initial velocity of every particle; empty if all are 0.
    fn initial_velocities(&self, bodies: &mut CheckedBodies) -> Result<Vec<DVec3>, Fault> {
        let mut velocities = std::mem::take(&mut bodies.velocities);
        velocities.resize(bodies.mesh.positions.len(), DVec3::ZERO);
        for VelocityFile { of, velocity } in &self.velocities {
            for i in bodies.find_particles(of)? {
                velocities[i as usize] = (*velocity).into();
            }
        }
        if velocities.iter().all(|v| v.to_array().map(f64::to_bits) == [0; 3]) {
            velocities = Vec::new();
        }
        Ok(velocities)
    }

    fn check_camera(&self, positions: &[DVec3]) -> Result<CameraSetup, Fault> {
        let Some(camera) = &self.camera else { return Ok(front_view(positions)) };
        camera.blame(camera.check())?;
        Ok(**camera)
    }
}

fn targeted_force(force: &ForceFile, bodies: &CheckedBodies) -> Result<TargetedForce, Fault> {
    force.law.blame(force.law.check())?;
    Ok(TargetedForce { law: *force.law, targets: bodies.find_particles(&force.on)? })
}

/// Returns a front view that shows all positions. It includes space below a flat body, because the
/// body will hang down.
fn front_view(positions: &[DVec3]) -> CameraSetup {
    let mut least = positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let most = positions.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (most - least).max_element();
    least.y = least.y.min(most.y - size);
    let height = if size > 0.0 { (1.5 * size).clamp(LEAST, GREATEST) } else { 2.0 };
    CameraSetup::side(0.5 * (least + most), height)
}
