//! Snapshots of a session.

use super::display::Display;
use super::inputs::Inputs;
use super::lane::Lane;
use super::side_by_side::Session;
use super::step_cost::StepCost;
use crate::mesh::Link;
use crate::scene::Scene;
use crate::simulation::{Simulation, Snapshot};
use std::sync::Arc;

const PARTICLE_BYTES: usize = 64; // position, velocity, mass and selections

/// Copy of a session at one moment: its scene, its lanes (simulations), and their common time.
#[derive(Clone, Debug)]
pub struct SessionSnapshot {
    scene: Arc<Scene>,
    lanes: Vec<LaneSnapshot>,
    speed: f64,
    paused: bool,
    time: f64,
}

#[derive(Clone, Debug)]
struct LaneSnapshot {
    name: String,
    first_name: String,
    color: usize,
    inputs: Inputs,
    display: Display,
    simulation: Snapshot,
}

impl SessionSnapshot {
    /// Returns the size of the snapshot in bytes. The scene is not counted, because snapshots share
    /// it.
    pub fn bytes(&self) -> usize {
        self.lanes.iter().map(|lane| lane.simulation.bytes() + lane.inputs.bytes()).sum()
    }

    /// Returns the size of the scene's particles and links in bytes. 0 if the snapshot `before` has
    /// the same scene, or if `before` is `None`.
    pub(super) fn scene_bytes(&self, before: Option<&Self>) -> usize {
        let is_other = before.is_some_and(|before| !Arc::ptr_eq(&before.scene, &self.scene));
        let mesh = &self.scene.parts.mesh;
        let bytes = mesh.positions.len() * PARTICLE_BYTES + mesh.links.len() * size_of::<Link>();
        if is_other { bytes } else { 0 }
    }

    /// Returns the wall-clock time × speed since the start, in seconds.
    pub fn time(&self) -> f64 {
        self.time
    }
}

impl Session {
    /// Returns a copy of everything that frames and commands change. If the same events follow this
    /// copy, they give the same bits.
    pub fn snapshot(&self) -> SessionSnapshot {
        let Self { scene, lanes, speed, paused, time, keeps_energy_accounts: _ } = self;
        let lanes = lanes.iter().map(|lane| LaneSnapshot {
            name: lane.name.clone(),
            first_name: lane.first_name.clone(),
            color: lane.color,
            inputs: lane.inputs.clone(),
            display: lane.display.clone(),
            simulation: lane.simulation.snapshot(),
        });
        SessionSnapshot {
            scene: scene.clone(),
            lanes: lanes.collect(),
            speed: *speed,
            paused: *paused,
            time: *time,
        }
    }

    /// Restores a snapshot. Lanes of the snapshot that still exist keep the memory of their
    /// solvers; its other lanes are recreated. Lanes that are not in the snapshot are removed.
    pub fn restore(&mut self, snapshot: &SessionSnapshot) {
        let SessionSnapshot { scene, lanes, speed, paused, time } = snapshot;
        let mut present = std::mem::take(&mut self.lanes);
        if !Arc::ptr_eq(&self.scene, scene) {
            for lane in &mut present {
                lane.simulation.replace_parts(scene.parts.clone());
            }
            self.scene = scene.clone();
        }
        self.lanes.extend(lanes.iter().map(|wanted| {
            let LaneSnapshot { name, first_name, color, inputs, display, simulation } = wanted;
            let mut lane = match present.iter().position(|lane| lane.color == *color) {
                Some(place) => present.swap_remove(place),
                None => {
                    let settings = *simulation.settings();
                    let mut new = Simulation::new(scene.parts.clone(), settings);
                    if self.keeps_energy_accounts {
                        new.start_energy_account();
                    }
                    Lane::new(name.clone(), *color, new)
                }
            };
            if !lane.simulation.settings().eq(simulation.settings()) {
                lane.step_cost = StepCost::default();
            }
            lane.name.clone_from(name);
            lane.first_name.clone_from(first_name);
            lane.inputs = inputs.clone();
            lane.display = display.clone();
            lane.simulation.restore(simulation);
            lane
        }));
        (self.speed, self.paused, self.time) = (*speed, *paused, *time);
    }

    /// Drops the recorded samples (energy and strain over time) after the current moment, because
    /// the session will continue differently from there.
    pub fn forget_later_samples(&mut self) {
        self.lanes.iter_mut().for_each(|lane| lane.simulation.forget_later_samples());
    }
}
