//! Tests that the fused step gives the same bits as the plain step.

use super::*;
use crate::contact::shape::Plane;
use crate::contact::shape::Shape;
use crate::contact::shape::Sphere;
use crate::contact::{Collider, ContactProperties, Geometry, Layer, PointSetup, Surface};
use crate::integrate::Method;
use crate::model::{Parts, Pin, TargetedForce};
use crate::simulation::settings::{LinkMode, Settings};
use glam::{DVec3, dvec3};
use ropelab_mechanics::constraint::{ConstraintSolver, Relaxation, SweepOrder};
use ropelab_mechanics::force::{Force, Gravity};
use ropelab_mechanics::mesh::{ClothMaterial, Mesh};
use ropelab_mechanics::numerics::trajectory::Trajectory;
use std::sync::Arc;

/// Returns a cloth that hangs from two corners and swings down onto a ball, above a floor.
fn swinging_cloth(settings: Settings) -> Simulation {
    let mut mesh = Mesh::default();
    let linen =
        ClothMaterial { areal_density: 0.3, bend_stiffness: 0.0, ..ClothMaterial::default() };
    mesh.cloth(dvec3(0.0, 2.2, 0.0), DVec3::X, DVec3::Z, [12, 9], &linen);
    let particles = 0..mesh.positions.len() as u32;
    let pin = |particle| Pin { particle, path: Trajectory::Still };
    let properties =
        ContactProperties { radius: 0.0, surface: Surface::default(), layer: Layer::default() };
    let collider = |shape, centre| Collider::still(shape, centre, Surface::default());
    let parts = Parts {
        pins: vec![pin(0), pin(12)],
        forces: vec![TargetedForce {
            law: Force::Gravity(Gravity::default()),
            targets: particles.clone().collect(),
        }],
        contact: Geometry {
            points: particles.map(|particle| PointSetup { particle, properties }).collect(),
            colliders: vec![
                collider(Shape::Plane(Plane { normal: DVec3::Y }), dvec3(0.0, 0.05, 0.0)),
                collider(Shape::Sphere(Sphere { radius: 0.3 }), dvec3(0.5, 1.5, -0.6)),
            ],
            ..Geometry::default()
        },
        mesh,
        ..Parts::default()
    };
    let order = SweepOrder::Coloured;
    let constraints = ConstraintSolver::Relaxation(Relaxation { order, ..Relaxation::default() });
    let settings = Settings { links: LinkMode::Constraints, constraints, dt: 0.01, ..settings };
    Simulation::new(Arc::new(parts), settings)
}

#[test]
fn a_step_far_from_contact_has_the_bits_of_one_that_looks_for_it() {
    for method in Method::all().filter(|method| method.as_integrator().rules().is_pointwise) {
        let name = method.info().name;
        let [mut fused, mut reverted] = [0, 0];
        for substeps in [1, 4] {
            let settings = Settings { integrator: method, substeps, ..Settings::default() };
            let mut with_fused_steps = swinging_cloth(settings);
            let mut plain = with_fused_steps.clone();
            for step in 0..150 {
                let is_attempted = with_fused_steps.clone().can_fuse();
                with_fused_steps.step(0.01);
                plain.scratch.fused.plain_steps_left = PLAIN_STEPS_AFTER_UNDO;
                plain.step(0.01);
                assert_eq!(
                    with_fused_steps.snapshot(),
                    plain.snapshot(),
                    "{name} {substeps} at {step}"
                );
                let was_reverted = is_attempted
                    && with_fused_steps.scratch.fused.plain_steps_left == PLAIN_STEPS_AFTER_UNDO;
                fused += u32::from(is_attempted && !was_reverted);
                reverted += u32::from(was_reverted);
            }
        }
        assert!(fused > 40 && reverted > 0, "{name}: {fused} fused steps, {reverted} reverted");
        assert!(fused + reverted < 290, "{name}: it never touches the ball");
    }
}
