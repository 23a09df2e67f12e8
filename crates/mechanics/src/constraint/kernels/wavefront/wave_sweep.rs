//! Kernel that sweeps a grid or a plate by wavefronts.

use super::cell_of_4::CellOf4;
use super::cell_of_6::CellOf6;
use super::layout::WaveLayout;
use super::wave::WaveMemory;
use crate::constraint::kernels::rule::Rule;
use crate::numerics::simd::{CacheLine, Kernel, Vector, vectors, vectors_mut};

/// Kernel that runs some sweeps over a grid (`PLATE` = false) or a plate.
pub struct WaveSweep<'a, R, const K: usize, const PLATE: bool> {
    pub rule: R,
    pub iterations: usize,
    pub layout: WaveLayout,
    pub blocks: &'a mut [CacheLine],
    pub start: &'a [CacheLine],
    pub links: &'a mut [CacheLine],
}

impl<R: Rule<K>, const K: usize, const PLATE: bool> Kernel for WaveSweep<'_, R, K, PLATE> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { rule, iterations, layout, blocks, start, links } = self;
        let (blocks, start) = (vectors_mut(blocks).as_chunks_mut().0, vectors(start).as_chunks().0);
        let (mut wave, links) =
            (WaveMemory { rule, layout, blocks, start }, vectors_mut::<V>(links));
        if PLATE {
            wave.run_sweeps::<K, CellOf6<V>>(iterations, links);
        } else {
            wave.run_sweeps::<K, CellOf4<V>>(iterations, links);
        }
    }
}
