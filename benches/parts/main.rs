//! Benchmarks of the parts of a step: each fast path and the plain loop.

mod direct;
mod springs;
mod steps;
mod substeps;
mod sweeps;
mod wind;
mod workload_mesh;

/// Same allocator as in the program.
#[global_allocator]
static MEMORY: ropelab::numerics::simd::CacheLineAllocator =
    ropelab::numerics::simd::CacheLineAllocator;

fn main() {
    divan::main();
}
