//! No step after the first allocates. Its own test binary, since it counts for the whole process.

#![allow(unsafe_code)] // a global allocator is an unsafe trait; it only counts and delegates

#[allow(dead_code)] // the other systems
#[path = "integrators/systems.rs"]
mod systems;

use ropelab::integrate::Method;
use ropelab::scene::library;
use ropelab::simulation::Simulation;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use systems::{Chain, Run};

thread_local! {
    // Per thread, so that the test harness does not count.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are the callee's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(run: &mut Run, steps: u32) -> u64 {
    let before = ALLOCATIONS.get();
    run.steps(steps);
    ALLOCATIONS.get() - before
}

#[test]
fn no_step_after_the_first_allocates() {
    let chain = Chain::new(10, 1e3);
    for method in Method::all() {
        let mut run = Run::new(method, &chain, chain.start(), 0.01);
        assert!(allocations(&mut run, 1) > 0, "{method:?}: the counter counts nothing");
        assert_eq!(allocations(&mut run, 50), 0, "{method:?}");
        run.work.restart();
        assert_eq!(allocations(&mut run, 50), 0, "{method:?} after a restart");
    }
}

#[test]
fn no_step_of_a_library_scene_after_the_first_allocates() {
    for entry in library::list() {
        let scene = Arc::new(entry.load().expect("a scene of the library"));
        for lane in &scene.lanes {
            let mut simulation = Simulation::new(scene.clone(), lane.settings);
            simulation.step(lane.settings.dt);
            let before = ALLOCATIONS.get();
            (0..5).for_each(|_| simulation.step(lane.settings.dt));
            let found = ALLOCATIONS.get() - before;
            assert_eq!(found, 0, "{}, lane {}", entry.name, lane.name);
        }
    }
}
