//! The parts of a step by themselves, each fast path beside the plain loop.

mod fabric;
mod springs;
mod steps;
mod substeps;
mod sweeps;

fn main() {
    divan::main();
}
