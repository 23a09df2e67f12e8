//! Steps that integrate the particles in parts, range by range, give the same bits as steps that
//! integrate all particles together.

use super::has_kernels;
use glam::{DVec3, dvec3};
use ropelab::constraint::{
    ConstraintSolver, Projection, Relaxation, Shake, SoftStep, SweepOrder, Vbd, Xpbd,
};
use ropelab::contact::Geometry;
use ropelab::force::{FaceWind, Force, Gravity, LinearDrag};
use ropelab::integrate::Method;
use ropelab::measure::{Explosion, Overstretch};
use ropelab::mesh::{ClothMaterial, Mesh};
use ropelab::model::{Parts, Pin, TargetedForce};
use ropelab::numerics::trajectory::Trajectory;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::{GrabMode, LinkMode, Settings};
use std::sync::Arc;

const COLUMNS: u32 = 23;
const ROWS: u32 = 40;

/// Two cloths with a free particle between them, some particles pinned, all particles with initial
/// velocities, under gravity, drag on some particles and the force `more`.
fn parts(more: Option<Force>) -> Arc<Parts> {
    let mut mesh = Mesh::default();
    let cloth = ClothMaterial { bend_stiffness: 0.0, ..ClothMaterial::default() };
    for place in [DVec3::ZERO, dvec3(3.0, 0.0, 0.0)] {
        let (u, v) = (dvec3(2.2, 0.0, 0.0), dvec3(0.0, 0.0, 3.9));
        mesh.cloth(place, u, v, [COLUMNS - 1, ROWS - 1], &cloth);
        mesh.particle(place, 0.3);
    }
    let n = mesh.positions.len();
    let velocity = |i: usize| dvec3(0.1, 0.2, -0.3) * ((i * 37 % 11) as f64 - 5.0);
    let force = |law, targets: Vec<u32>| TargetedForce { law, targets };
    let all = || (0..n as u32).collect();
    let some = (0..n as u32).filter(|i| i % 3 == 0).collect();
    let mut forces = vec![
        force(Force::Gravity(Gravity::default()), all()),
        force(Force::LinearDrag(LinearDrag { coefficient: 0.7 }), some),
    ];
    forces.extend(more.map(|law| force(law, all())));
    Arc::new(Parts {
        contact: Geometry::default(),
        throws: Vec::new(),
        strengths: Vec::new(),
        velocities: (0..n).map(velocity).collect(),
        cuts: Vec::new(),
        pins: [1500, 0, 22, 255, 256]
            .map(|particle| Pin { particle, path: Trajectory::Still })
            .into(),
        forces,
        mesh,
    })
}

fn solvers() -> [ConstraintSolver; 7] {
    let order = SweepOrder::Coloured;
    [
        ConstraintSolver::Relaxation(Relaxation { iterations: 3, order, ..Relaxation::default() }),
        ConstraintSolver::Xpbd(Xpbd { iterations: 3, order, ..Xpbd::default() }),
        ConstraintSolver::Relaxation(Relaxation { iterations: 2, ..Relaxation::default() }),
        ConstraintSolver::Xpbd(Xpbd { iterations: 1, ..Xpbd::default() }),
        ConstraintSolver::Shake(Shake { tolerance: 1e-3, max_iterations: 9 }),
        ConstraintSolver::SoftStep(SoftStep::default()),
        ConstraintSolver::Vbd(Vbd { iterations: 2 }),
    ]
}

/// The same scene with each force on all particles and with one moving pin. Then particles interact
/// through links only, so a fused step can keep them in the kernel's layout from substep to
/// substep.
fn falling(parts: &Parts) -> Arc<Parts> {
    let mut parts = parts.clone();
    let all: Vec<u32> = (0..parts.mesh.positions.len() as u32).collect();
    parts.forces.iter_mut().for_each(|force| force.targets.clone_from(&all));
    parts.pins[1].path = Trajectory::Swing { amplitude: dvec3(0.1, 0.0, 0.2), frequency: 3.0 };
    Arc::new(parts)
}

/// Removes drag, unless the integrator moves particles by the new velocity. Under other
/// integrators, drag gets velocities that include the reaction of the constraints, so a step with
/// drag is not integrated in parts.
fn without_air(parts: &Arc<Parts>, integrator: Method) -> Arc<Parts> {
    if integrator.as_integrator().rules().later.omitted_fraction == 0.0 {
        return parts.clone();
    }
    let mut parts = Parts::clone(parts);
    parts.forces.retain(|force| !matches!(force.law, Force::LinearDrag(_)));
    Arc::new(parts)
}

/// Takes seven steps: the hand holds a particle during the first three, and the fifth has another
/// length. Returns after each step the hash of the state, the residual of the last projection, and
/// the explosion.
fn bits(parts: &Arc<Parts>, settings: Settings) -> Vec<(u64, Projection, Option<Explosion>)> {
    let parts = without_air(parts, settings.integrator);
    let mut simulation = Simulation::new(parts, settings);
    simulation.grab(700, GrabMode::Spring, dvec3(0.5, 0.5, 0.5));
    let step = |k| {
        if k == 3 {
            simulation.release();
        }
        simulation.step(if k == 4 { 0.004 } else { 0.005 });
        (simulation.hash(), simulation.projection(), simulation.explosion())
    };
    (0..7).map(step).collect()
}

/// Scenes in pairs that differ only by a wind of air density 0. The wind exerts no force, but
/// couples the particles of each triangle, so that all particles are integrated together. Without
/// the wind they are integrated in parts.
fn pairs(parts: impl Fn(Option<Force>) -> Arc<Parts>) -> [[Arc<Parts>; 2]; 2] {
    let still = FaceWind { air_density: 0.0, ..FaceWind::default() };
    let both = [None, Some(Force::FaceWind(still))].map(parts);
    let falling = both.each_ref().map(|parts| falling(parts));
    [both, falling]
}

fn each_settings(mut check: impl FnMut(Settings)) {
    for integrator in Method::all() {
        for constraints in solvers() {
            // Only solvers with kernels can fuse the substeps of a step.
            for substeps in if has_kernels(&constraints) { 1..=3 } else { 2..=2 } {
                let links = LinkMode::Constraints;
                check(Settings { integrator, links, constraints, substeps, ..Settings::default() });
            }
        }
    }
}

#[test]
fn a_wind_without_air_makes_all_particles_fly_together_and_changes_no_bit() {
    let pairs = pairs(parts);
    each_settings(|settings| {
        for [apart, together] in &pairs {
            assert_eq!(bits(apart, settings), bits(together, settings), "{settings:?}");
        }
    });
}

#[test]
fn a_cloth_that_is_torn_apart_explodes_in_the_same_step() {
    let weak = Relaxation {
        iterations: 1,
        order: SweepOrder::Coloured,
        stiffness: 1e-7,
        ..Relaxation::default()
    };
    let settings = Settings {
        links: LinkMode::Constraints,
        constraints: ConstraintSolver::Relaxation(weak),
        substeps: 3,
        ..Settings::default()
    };
    let in_cloth = |i: usize| i as u32 % (COLUMNS * ROWS + 1);
    // The cloth is torn along different lines: between its left and right half, or below a given
    // row. Each side moves away at constant speed, so a link there grows as fast as its ends can
    // move.
    for whole_rows in [None, Some(1), Some(2), Some(17), Some(38)] {
        let goes_back = |i: usize| match whole_rows {
            None => in_cloth(i) % COLUMNS < COLUMNS / 2,
            Some(rows) => in_cloth(i) < rows * COLUMNS,
        };
        let still = FaceWind { air_density: 0.0, ..FaceWind::default() };
        let [apart, together] = [None, Some(Force::FaceWind(still))].map(|more| {
            let mut parts = Parts::clone(&parts(more));
            let way = |i: usize| if goes_back(i) { -1.7 } else { 1.7 };
            parts.velocities =
                (0..parts.mesh.positions.len()).map(|i| way(i) * dvec3(0.8, 0.0, 0.6)).collect();
            parts.forces.retain(|force| matches!(force.law, Force::FaceWind(_)));
            falls_apart(parts, settings)
        });
        assert_eq!(apart, together);
    }
}

/// Takes steps until a link exceeds the limit of length, and returns this event. No link may exceed
/// the limit before. No energy is gained, so the simulation must not count as exploded.
fn falls_apart(parts: Parts, settings: Settings) -> Overstretch {
    let mut simulation = Simulation::new(Arc::new(parts), settings);
    for _ in 0..400 {
        simulation.step(0.005);
        assert_eq!(simulation.explosion(), None);
        if let Some(overstretch) = simulation.overstretch() {
            assert!(overstretch.link.length > settings.longest_link, "{overstretch:?}");
            return overstretch;
        }
        let x = &simulation.state().x;
        for link in simulation.parts().mesh.links.iter() {
            let length = x[link.a as usize].distance(x[link.b as usize]);
            assert!(
                length <= (1.0 + 1e-12) * settings.longest_link * link.rest,
                "{link:?}: length {length} m"
            );
        }
    }
    panic!("it does not fall apart");
}

/// Large cloth for several threads. `cells` decides whether a thread sweeps its strip in one pass
/// or in several, and whether two rows have more particles than one part of the free motion.
fn large_cloth(cells: [u32; 2], more: Option<Force>) -> Arc<Parts> {
    let mut large = Parts::clone(&parts(more));
    let mut mesh = Mesh::default();
    let [u, v] = [DVec3::X * f64::from(cells[0]), DVec3::Z * f64::from(cells[1])];
    let (u, v) = (0.07 * u, 0.06 * v);
    // Links against bending are springs. They couple particles, which are then integrated together.
    let cloth = ClothMaterial { bend_stiffness: 0.0, ..ClothMaterial::default() };
    mesh.cloth(DVec3::ZERO, u, v, cells, &cloth);
    large.velocities = vec![dvec3(0.3, 0.0, 0.1); mesh.positions.len()];
    let all: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    let laws = large.forces.iter_mut().filter(|force| !matches!(force.law, Force::LinearDrag(_)));
    laws.for_each(|force| force.targets.clone_from(&all));
    large.mesh = mesh;
    Arc::new(large)
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let order = SweepOrder::Coloured;
    let relaxation = |iterations| {
        ConstraintSolver::Relaxation(Relaxation { iterations, order, ..Relaxation::default() })
    };
    let xpbd = ConstraintSolver::Xpbd(Xpbd {
        iterations: 2,
        order,
        damping: Some(3.0),
        ..Xpbd::default()
    });
    let pairs = [[70, 250], [200, 60]].map(|cells| pairs(|more| large_cloth(cells, more)));
    for (constraints, substeps) in [(relaxation(12), 1), (relaxation(1), 13), (xpbd, 6)] {
        for integrator in [Method::SymplecticEuler, Method::PositionVerlet(Default::default())] {
            let links = LinkMode::Constraints;
            let settings =
                Settings { integrator, links, constraints, substeps, ..Settings::default() };
            let on = |parts, threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                pool.expect("a pool").install(|| bits(parts, settings))
            };
            for [apart, together] in pairs.as_flattened() {
                let expected = on(together, 1);
                for threads in [1, 2, 3, 5] {
                    assert_eq!(on(apart, threads), expected, "{threads} threads, {settings:?}");
                }
            }
        }
    }
}
