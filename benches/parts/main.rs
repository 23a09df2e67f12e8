//! Benchmarks of the parts of a step. A fast path is measured next to the plain loop that it
//! replaces.

mod direct;
mod springs;
mod steps;
mod substeps;
mod sweeps;
mod wind;
mod workload_mesh;

/// The allocator of the program, which aligns columns of particles to cache lines.
#[global_allocator]
static MEMORY: ropelab::numerics::simd::CacheLineAllocator =
    ropelab::numerics::simd::CacheLineAllocator;

fn main() {
    divan::main();
}
