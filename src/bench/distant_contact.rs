//! Benchmark of the overhead of contact while no bodies are near each other.

use super::occasion_line::OccasionLine;
use super::workload::Workload;
use crate::contact::shape::{Plane, Shape, Sphere};
use crate::contact::{
    Collider, ContactKind, ContactMethod, ContactProperties, ContactTable, Layer, PointSetup,
    Surface,
};
use crate::numerics::sums;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use glam::DVec3;
use std::sync::Arc;

/// Largest accepted ratio of the step time with contact to that without.
const AIM: f64 = 1.15;

/// Duration of a round in seconds, and number of rounds. Rounds with and without contact alternate.
const ROUND: f64 = 0.05;
const ROUNDS: usize = 25;
/// Number of steps after which the workload restarts, before its bodies have fallen far.
const STEPS_BETWEEN_RESTARTS: u32 = 60;

/// Measures the workloads of ropes and cloths at a distance of 200 m from a floor and from a ball.
pub(super) fn measure_distant_contact(clock: &(dyn Fn() -> f64 + Sync)) -> Vec<OccasionLine> {
    let workloads = [Workload::W1, Workload::W2, Workload::W3, Workload::W4];
    let line = |workload: Workload| {
        let what = format!("{workload:?} far from a floor and a ball, contact over none");
        (what, contact_over_none(workload, clock), AIM)
    };
    workloads.map(line).into()
}

fn contact_over_none(workload: Workload, clock: &(dyn Fn() -> f64 + Sync)) -> f64 {
    let mut parts = workload.parts();
    let properties =
        ContactProperties { radius: 0.01, surface: Surface::default(), layer: Layer::default() };
    let all = 0..parts.mesh.positions.len() as u32;
    parts.contact.points =
        all.clone().map(|particle| PointSetup { particle, properties }).collect();
    parts.contact.contact_table =
        ContactTable::new(all.map(|_| ContactKind { properties, ..ContactKind::default() }));
    let obstacle = |shape, centre| Collider::still(shape, centre, Surface::default());
    parts.contact.colliders = vec![
        obstacle(Shape::Plane(Plane { normal: DVec3::Y }), DVec3::Y * -200.0),
        obstacle(Shape::Sphere(Sphere { radius: 1.0 }), DVec3::Z * -200.0),
    ];
    let (_, settings) = workload.paths()[0];
    let with = Simulation::new(Arc::new(parts), settings);
    let mut without = with.clone();
    without.configure(Settings { contact: ContactMethod::Off, ..settings });
    let mut simulations = [with, without];
    let round = |simulation: &mut Simulation| {
        let (began, mut passed, mut steps) = (clock(), 0.0, 0);
        while passed < ROUND {
            if steps % STEPS_BETWEEN_RESTARTS == 0 {
                simulation.rewind();
            }
            simulation.step(settings.dt);
            steps += 1;
            passed = clock() - began;
        }
        passed / f64::from(steps)
    };
    let ratios = (0..ROUNDS).map(|_| {
        let [with, without] = simulations.each_mut().map(round);
        with / without
    });
    sums::median(&mut ratios.collect::<Vec<f64>>())
}
