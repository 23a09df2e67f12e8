//! Checks that turn a typed scene into a simulated one. Selections become particles, and names
//! become references.

mod annotations;
mod bends;
mod bodies;
mod contact;
mod cuts;
mod drawing;
mod find;
mod lanes;
mod layers;
mod links;
mod materials;
mod pins;
mod routed;
mod start;

use super::typed::file::{ForceFile, SceneFile, VERSION, VelocityFile};
use super::typed::located::{Fault, Located};
use super::typed::number::MOST_PARTICLES;
use super::typed::particles::Particles;
use super::{CameraSetup, Scene};
use crate::model::{Parts, TargetedForce};
use crate::names::nearest;
use crate::names::visible_text::{shortened, visible, visible_lines};
use crate::numerics::magnitude::{GREATEST, LEAST};
use bodies::{CheckedBodies, NamedBody, cells};
use contact::counts;
use glam::DVec3;
use lanes::lanes;
use materials::Materials;
use std::sync::Arc;

/// Upper limit of the number of pairs of a particle and a collider. Every pair is tested in each
/// step, and when a scene is opened.
const MOST_AT_COLLIDERS: u64 = 100_000_000;

impl SceneFile {
    /// Checks everything that depends on several values, and builds the scene.
    pub(super) fn check(self) -> Result<Scene, Fault> {
        self.check_version()?;
        self.check_size()?;
        let mut bodies = self.bodies()?;
        bodies.add_drawing(&self)?;
        bodies.let_pass(&self.no_contact)?;
        bodies.add_points(&self.surfaces)?;
        bodies.replace_masses(&self.masses)?;
        let mut velocities = self.velocities(&mut bodies)?;
        bodies.add_thrown(&self.thrown, &mut velocities)?;
        if let Some(start) = &self.start {
            bodies.start_at(start, &mut velocities)?;
        }
        let cuts = bodies.cuts(&self.cuts)?;
        let pins = bodies.pins(&self.pins)?;
        let forces = self.forces.iter().map(|force| targeted(force, &bodies));
        let forces = forces.collect::<Result<_, _>>()?;
        let camera = self.camera(&bodies.mesh.positions)?;
        let lanes = lanes(&self)?;
        let annotations = bodies.annotations(&self.annotations, &lanes)?;
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
            file: Arc::new(self.written_out(&lanes, camera)),
            lanes,
        })
    }

    /// Builds particles, links and colliders, with the names of bodies.
    fn bodies(&self) -> Result<CheckedBodies, Fault> {
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

    /// Returns the particles of each body of a checked file. The order is particles, balls, nets,
    /// cloths, ropes. The particles to which a rope is tied are its ends.
    pub(super) fn particles_of_bodies(&self) -> Result<Vec<Vec<u32>>, Fault> {
        Ok(self.bodies()?.list.into_iter().map(NamedBody::particles).collect())
    }

    /// Returns the particles of a checked file that a selection such as `Body("rope")` names.
    pub(super) fn select(&self, which: &Located<Particles>) -> Result<Vec<u32>, Fault> {
        let mut bodies = self.bodies()?;
        bodies.add_thrown(&self.thrown, &mut Vec::new())?;
        bodies.find(which)
    }

    fn check_version(&self) -> Result<(), Fault> {
        match *self.version {
            VERSION => Ok(()),
            version => Err(self.version.fault(version_message(version.into()))),
        }
    }

    /// Checks the number of particles and of contact pairs, before memory is allocated for them.
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
            total = counts(balls)
                .iter()
                .fold(1, |n: u64, m| n.saturating_mul(*m))
                .saturating_add(total);
            balls.count.blame(check(total))?;
        }
        for rope in &self.ropes {
            total += u64::from(u32::from(*rope.segments)) + 1;
            rope.segments.blame(check(total))?;
        }
        for sheet in self.nets.iter().chain(&self.cloths) {
            let [columns, rows] = cells(sheet).map(|n| u64::from(n) + 1);
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

    /// Returns one velocity per particle; empty if all are 0.
    fn velocities(&self, bodies: &mut CheckedBodies) -> Result<Vec<DVec3>, Fault> {
        let mut velocities = std::mem::take(&mut bodies.velocities);
        velocities.resize(bodies.mesh.positions.len(), DVec3::ZERO);
        for VelocityFile { of, velocity } in &self.velocities {
            for i in bodies.find(of)? {
                velocities[i as usize] = (*velocity).into();
            }
        }
        if velocities.iter().all(|v| v.to_array().map(f64::to_bits) == [0; 3]) {
            velocities = Vec::new();
        }
        Ok(velocities)
    }

    fn camera(&self, positions: &[DVec3]) -> Result<CameraSetup, Fault> {
        let Some(camera) = &self.camera else { return Ok(front_view(positions)) };
        camera.blame(camera.check())?;
        Ok(**camera)
    }
}

fn targeted(force: &ForceFile, bodies: &CheckedBodies) -> Result<TargetedForce, Fault> {
    force.law.blame(force.law.check())?;
    Ok(TargetedForce { law: *force.law, targets: bodies.find(&force.on)? })
}

/// Returns a front view of all positions, with room below for flat bodies that will hang down.
fn front_view(positions: &[DVec3]) -> CameraSetup {
    let mut least = positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let most = positions.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (most - least).max_element();
    least.y = least.y.min(most.y - size);
    let height = if size > 0.0 { (1.5 * size).clamp(LEAST, GREATEST) } else { 2.0 };
    CameraSetup::side(0.5 * (least + most), height)
}

/// Returns the message for an unknown version of the format.
pub(super) fn version_message(version: u64) -> String {
    let reason =
        if version > u64::from(VERSION) { ": this program is older than the file" } else { "" };
    format!("the file has version {version} of the format, expected version {VERSION}{reason}")
}

/// Returns the message for an unknown name, with the most similar known name.
fn unknown<'a>(kind: &str, found: &str, names: impl Iterator<Item = &'a str>) -> String {
    let shown = shortened(found, 60);
    match nearest(found, names) {
        Some(near) => format!("no {kind} is named \"{shown}\", did you mean \"{near}\"?"),
        None => format!("no {kind} is named \"{shown}\""),
    }
}
