//! The parts of a step by themselves, each fast path beside the plain loop.

mod fabric;
mod springs;
mod steps;
mod substeps;
mod sweeps;
mod wind;

/// As in the program.
#[global_allocator]
static MEMORY: ropelab::simd::CacheLines = ropelab::simd::CacheLines;

fn main() {
    divan::main();
}
