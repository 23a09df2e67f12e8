//! Steps allocate no memory after the first step, or after the first 400 steps if contact is
//! possible. A cloth needs little memory. This test has a binary of its own, because its allocator
//! counts for the whole process.

#![allow(unsafe_code)] // a global allocator is an unsafe trait; it only counts and delegates

use glam::DVec3;
use ropelab::constraint::{ConstraintSolver, Relaxation, SweepOrder};
use ropelab::contact::Geometry;
use ropelab::force::{Force, Gravity};
use ropelab::integrate::Method;
use ropelab::mesh::{ClothMaterial, Mesh};
use ropelab::model::Model;
use ropelab::model::{Parts, Pin, TargetedForce};
use ropelab::numerics::state::{State, Workspace};
use ropelab::numerics::trajectory::Trajectory;
use ropelab::scene::{Scene, library};
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::{LinkMode, Settings};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    // Counters of the current thread only, so that allocations of the test harness do not count.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<isize> = const { Cell::new(0) };
    static MOST_BYTES: Cell<isize> = const { Cell::new(0) };
}

struct CountingAllocator;

// SAFETY: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        BYTES.set(BYTES.get() + layout.size() as isize);
        MOST_BYTES.set(MOST_BYTES.get().max(BYTES.get()));
        // SAFETY: the caller guarantees what `System.alloc` demands.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.set(BYTES.get() - layout.size() as isize);
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn count_allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

/// A rope of ten springs.
const ROPE: &str = r#"(version: 1, name: "rope",
    ropes: [(name: "rope", from: (0, 0, 0), to: (1, 0, 0), segments: 10)],
    pins: [(of: Start("rope"))],
    forces: [(law: Gravity())])"#;

#[test]
fn no_step_after_the_first_allocates() {
    let scene = Arc::new(Scene::parse(ROPE, "rope").expect("a scene"));
    let rope = Model::new(scene.parts.clone(), |_| true);
    for method in Method::all() {
        let mut state = State::at_rest(scene.parts.mesh.positions.clone());
        let (mut before, mut work) = (state.clone(), Workspace::default());
        let mut steps = |count: u32, work: &mut Workspace| {
            for _ in 0..count {
                std::mem::swap(&mut state, &mut before);
                method.as_integrator().step(&rope, before.view(), state.view_mut(), 1e-4, work);
            }
        };
        let first = count_allocations(|| steps(1, &mut work));
        assert!(first > 0, "{method:?}: the counter counts nothing");
        assert_eq!(count_allocations(|| steps(50, &mut work)), 0, "{method:?}");
        work.restart();
        assert_eq!(count_allocations(|| steps(50, &mut work)), 0, "{method:?} after a restart");
    }
}

#[test]
fn no_step_of_a_library_scene_allocates_once_its_lists_have_grown() {
    for entry in library::list() {
        let scene = Arc::new(entry.load().expect("a scene of the library"));
        for lane in &scene.lanes {
            let mut simulation = Simulation::new(scene.parts.clone(), lane.settings);
            // Lists of contacts grow as contacts appear, so they get 400 steps.
            let warm_up = if scene.parts.contact.is_empty() { 1 } else { 400 };
            (0..warm_up).for_each(|_| simulation.step(lane.settings.dt));
            if simulation.explosion().is_some() {
                // An exploded simulation takes no further steps.
                continue;
            }
            let found =
                count_allocations(|| (0..5).for_each(|_| simulation.step(lane.settings.dt)));
            assert_eq!(found, 0, "{}, lane {}", entry.name, lane.name);
        }
    }
}

/// Returns a cloth that hangs from one corner and is relaxed by one coloured sweep per step.
fn hanging_cloth(cells: u32) -> (Parts, Settings) {
    let mut mesh = Mesh::default();
    let material = ClothMaterial { bend_stiffness: 0.0, ..ClothMaterial::default() };
    mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Z, [cells; 2], &material);
    let order = SweepOrder::Coloured;
    let relaxation = Relaxation { iterations: 1, order, ..Relaxation::default() };
    let settings = Settings {
        integrator: Method::SymplecticEuler,
        links: LinkMode::Constraints,
        constraints: ConstraintSolver::Relaxation(relaxation),
        ..Settings::default()
    };
    let targets = (0..mesh.positions.len() as u32).collect();
    let parts = Parts {
        contact: Geometry::default(),
        throws: Vec::new(),
        strengths: Vec::new(),
        velocities: Vec::new(),
        cuts: Vec::new(),
        pins: vec![Pin { particle: 0, path: Trajectory::Still }],
        forces: vec![TargetedForce { law: Force::Gravity(Gravity::default()), targets }],
        mesh,
    };
    (parts, settings)
}

#[test]
fn a_relaxed_cloth_takes_less_than_300_bytes_a_particle() {
    let before = BYTES.get();
    MOST_BYTES.set(before);
    let (parts, settings) = hanging_cloth(63);
    let particles = parts.mesh.positions.len() as isize;
    let mut simulation = Simulation::new(Arc::new(parts), settings);
    simulation.step(settings.dt);
    let most = (MOST_BYTES.get() - before) / particles;
    assert!(most < 300, "{most} bytes a particle");
}
