//! The fused step beside the plain one.

use super::*;
use crate::integrate::Method;
use crate::scene::Scene;
use crate::simulation::settings::Settings;

/// A cloth swings down from two corners into a ball, over a floor.
fn swinging_cloth(more: &str) -> Simulation {
    let text = format!(
        r#"(version: 1, name: "swing",
            materials: [Cloth(name: "linen", areal_density: 0.3, bend_stiffness: 0)],
            cloths: [(name: "cloth", corner: (0, 2.2, 0), across: (1, 0, 0), down: (0, 0, 1),
                cells: (12, 9), material: "linen")],
            pins: [(of: Particle(0)), (of: Particle(12))],
            colliders: [(shape: Plane(normal: (0, 1, 0)), at: (0, 0.05, 0)),
                (shape: Sphere(radius: 0.3), at: (0.5, 1.5, -0.6))],
            settings: (links: Constraints, constraints: Relaxation(order: Coloured), {more}))"#
    );
    let scene = Scene::parse(&text, "swing.ron").expect("a scene");
    Simulation::new(scene.parts.clone(), scene.lanes[0].settings)
}

#[test]
fn a_step_far_from_contact_has_the_bits_of_one_that_looks_for_it() {
    for method in Method::all().filter(|method| method.scheme().pointwise().is_some()) {
        let name = method.info().name;
        let [mut fused, mut undone] = [0, 0];
        for substeps in [1, 4] {
            let more = format!("dt: 0.01, substeps: {substeps}");
            let mut tried = swinging_cloth(&more);
            let settings = Settings { integrator: method, ..*tried.settings() };
            tried.configure(settings);
            let mut plain = tried.clone();
            for step in 0..150 {
                let is_tried = tried.clone().can_fuse();
                tried.step(0.01);
                plain.scratch.fused.wait = WAIT;
                plain.step(0.01);
                assert_eq!(tried.snapshot(), plain.snapshot(), "{name} {substeps} at {step}");
                let was_undone = is_tried && tried.scratch.fused.wait == WAIT;
                fused += u32::from(is_tried && !was_undone);
                undone += u32::from(was_undone);
            }
        }
        assert!(fused > 40 && undone > 0, "{name}: {fused} {undone}");
        assert!(fused + undone < 290, "{name}: it never touches the ball");
    }
}
