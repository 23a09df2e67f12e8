//! SIMD vectors of f64. The instruction set is chosen at run time.
//!
//! This module contains all `unsafe` code of the crate. It guarantees two things, so that other
//! modules need no `unsafe`: a function compiled for an instruction set runs only on a machine
//! where [`Isa::is_available`] is true, and loads and stores stay within their slices.
//!
//! Every operation is the IEEE operation on each element: no fused multiply-add, correctly rounded
//! root and division. A kernel therefore gives the same bits on every instruction set.
#![allow(unsafe_code)]

mod cache_lines;
mod pair;
mod prefetch;
#[cfg(test)]
mod tests;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use cache_lines::CacheLineAllocator;
pub(crate) use prefetch::PrefetchAddress;
pub use prefetch::Span;
pub(crate) use vector::dot;
pub use vector::{Kernel, Vector};

use bytemuck::{Pod, Zeroable};
use std::sync::LazyLock;

/// Instruction set of the compiled kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// No kernels: plain scalar loops, which define the correct result.
    Scalar,
    /// Two elements in an array, which the compiler maps to the baseline vector instructions of the
    /// target: SSE2 on x86-64, NEON on ARM.
    Portable,
    /// Four elements per vector.
    Avx2,
    /// Eight elements per vector.
    Avx512,
}

impl Isa {
    /// All instruction sets, from the narrowest to the widest.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Portable, Self::Avx2, Self::Avx512];

    /// Returns the name for the output of benchmarks.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Portable if cfg!(target_arch = "aarch64") => "neon",
            Self::Portable if cfg!(target_arch = "x86_64") => "sse2",
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// True if this machine supports the instruction set.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar | Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Returns the widest instruction set that this machine supports.
    pub fn best() -> Self {
        static BEST: LazyLock<Isa> = LazyLock::new(|| {
            let widest = Isa::ALL.into_iter().rev().find(|isa| isa.is_available());
            widest.unwrap_or(Isa::Scalar)
        });
        *BEST
    }

    /// Yields the instruction sets of this machine that have kernels.
    #[cfg(test)]
    pub fn with_kernels() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|isa| isa.is_available() && *isa != Self::Scalar)
    }

    /// Returns the number of elements in one vector.
    pub fn elements(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Portable => 2,
            Self::Avx2 => 4,
            Self::Avx512 => 8,
        }
    }

    /// Runs the version of a kernel that is compiled for this instruction set.
    ///
    /// # Panics
    ///
    /// If the machine does not support the instruction set, or for [`Isa::Scalar`], which has no
    /// kernels.
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        assert!(self.is_available(), "{} is not available on this machine", self.name());
        match self {
            Self::Portable => kernel.run::<pair::Pair>(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the assertion has detected AVX2.
            Self::Avx2 => unsafe { x86::run_avx2(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the assertion has detected AVX-512.
            Self::Avx512 => unsafe { x86::run_avx512(kernel) },
            _ => unreachable!("no kernel is compiled for {}", self.name()),
        }
    }
}

/// Choice of the instruction set for a kernel. Every choice gives the same bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Width {
    /// The given instruction set.
    Given(Isa),
    /// The fastest instruction set for the kernel: often the widest one that the machine supports,
    /// sometimes a narrower one.
    Fastest,
}

impl Width {
    /// Returns the widest permitted instruction set.
    pub fn widest(self) -> Isa {
        match self {
            Self::Given(isa) => isa,
            Self::Fastest => Isa::best(),
        }
    }

    /// Yields the permitted instruction sets that the machine supports, the widest first.
    pub fn all(self) -> impl Iterator<Item = Isa> {
        let chosen = move |isa: &Isa| match self {
            Self::Given(given) => *isa == given,
            Self::Fastest => *isa != Isa::Scalar && isa.is_available(),
        };
        Isa::ALL.into_iter().rev().filter(chosen)
    }

    /// Returns AVX2 as the alternative to AVX-512. `None` if there is no choice between these two.
    pub(crate) fn narrower(self) -> Option<Isa> {
        (self == Self::Fastest && Isa::best() == Isa::Avx512).then_some(Isa::Avx2)
    }
}

/// Cache line of eight f64: memory with the alignment of every [`Vector`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct CacheLine([f64; 8]);

// SAFETY: 8 f64 have 64 bytes, the same as the alignment, so there is no padding. Every bit pattern
// is a valid f64.
unsafe impl Zeroable for CacheLine {}
// SAFETY: no padding, and every bit pattern is valid.
unsafe impl Pod for CacheLine {}

/// Allocates memory for the given number of f64, filled with `value`. [`vectors`] can view it as
/// vectors of any width.
pub(crate) fn allocate_lines(numbers: usize, value: f64) -> Vec<CacheLine> {
    vec![CacheLine([value; 8]); numbers.div_ceil(8)]
}

/// Views cache lines as vectors.
#[inline(always)]
pub fn vectors<V: Vector>(lines: &[CacheLine]) -> &[V] {
    bytemuck::cast_slice(lines)
}

#[inline(always)]
pub(crate) fn vectors_mut<V: Vector>(lines: &mut [CacheLine]) -> &mut [V] {
    bytemuck::cast_slice_mut(lines)
}

/// Views cache lines as numbers.
pub fn numbers(lines: &[CacheLine]) -> &[f64] {
    bytemuck::cast_slice(lines)
}

pub(crate) fn numbers_mut(lines: &mut [CacheLine]) -> &mut [f64] {
    bytemuck::cast_slice_mut(lines)
}

/// Views points as numbers x, y, z, x, y, z …. A slice of numbers is returned as it is.
pub fn coordinates<T: Pod>(points: &[T]) -> &[f64] {
    bytemuck::cast_slice(points)
}

/// Views mutable points as numbers x, y, z, x, y, z …. A slice of numbers is returned as it is.
pub fn coordinates_mut<T: Pod>(points: &mut [T]) -> &mut [f64] {
    bytemuck::cast_slice_mut(points)
}
