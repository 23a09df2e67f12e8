//! Vectors of f64 as wide as the machine supports, chosen at run time.
//!
//! The crate's only module with `unsafe`. Two promises are kept here, so that no other module has
//! to keep them: a function compiled for an instruction set runs only where [`Isa::is_available`]
//! has found the instruction set, and loads stay inside their slices.
//!
//! Every operation is the IEEE operation on each element: no fused multiply-add, exact root and
//! division. A kernel therefore gives the same bits on every instruction set.
#![allow(unsafe_code)]

mod cache_lines;
mod pair;
mod prefetch;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use cache_lines::CacheLineAllocator;
pub use prefetch::PrefetchAddress;
pub use prefetch::Span;

use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use std::ops::{Add, Div, Mul, Sub};
use std::sync::LazyLock;

/// An instruction set that the fast paths are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// No fast paths: the plain loops, which are the specification.
    Scalar,
    /// Two elements in arrays, which the compiler maps to whatever every processor of the target
    /// has: SSE2 on x86-64, NEON on ARM.
    Portable,
    /// Four elements.
    Avx2,
    /// Eight elements.
    Avx512,
}

impl Isa {
    /// All instruction sets, from the narrowest to the widest.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Portable, Self::Avx2, Self::Avx512];

    /// Returns the name in the output of a benchmark.
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

    /// True if this machine can run the instruction set.
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

    /// Returns the widest instruction set that this machine can run.
    pub fn best() -> Self {
        static BEST: LazyLock<Isa> = LazyLock::new(|| {
            let widest = Isa::ALL.into_iter().rev().find(|isa| isa.is_available());
            widest.unwrap_or(Isa::Scalar)
        });
        *BEST
    }

    /// Instruction sets of this machine for which kernels are compiled.
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

    /// Runs a kernel compiled for this instruction set.
    ///
    /// # Panics
    ///
    /// If the machine does not have it, and for [`Isa::Scalar`], which has no kernels.
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        assert!(self.is_available(), "{} is not available on this machine", self.name());
        match self {
            Self::Portable => kernel.run::<pair::Pair>(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: AVX2 was detected by the assertion.
            Self::Avx2 => unsafe { x86::run_avx2(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: AVX-512 was detected by the assertion.
            Self::Avx512 => unsafe { x86::run_avx512(kernel) },
            _ => unreachable!("no kernel is compiled for {}", self.name()),
        }
    }
}

/// Choice of a path's instruction set. Results are the same to the last bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    /// A given instruction set.
    Given(Isa),
    /// The widest instruction set that the machine can run, or a narrower one if it is faster.
    Fastest,
}

impl Width {
    /// Returns the widest instruction set that is allowed and that the machine has.
    pub fn widest(self) -> Isa {
        match self {
            Self::Given(isa) => isa,
            Self::Fastest => Isa::best(),
        }
    }

    /// Returns all instruction sets that are allowed and that the machine has, the widest first.
    pub fn all(self) -> impl Iterator<Item = Isa> {
        let chosen = move |isa: &Isa| match self {
            Self::Given(given) => *isa == given,
            Self::Fastest => *isa != Isa::Scalar && isa.is_available(),
        };
        Isa::ALL.into_iter().rev().filter(chosen)
    }

    /// Returns the instruction set of half the width. `None` if there is no choice.
    pub fn narrower(self) -> Option<Isa> {
        (self == Self::Fastest && Isa::best() == Isa::Avx512).then_some(Isa::Avx2)
    }
}

/// Code that is compiled once per instruction set. `run` and all that it calls in its inner loops
/// must be `#[inline(always)]`: the instruction set belongs to the function it is inlined into.
pub trait Kernel {
    /// Result of a run.
    type Output;
    /// Runs the computation with vectors of one width.
    fn run<V: Vector>(self) -> Self::Output;
}

/// Vector of `ELEMENTS` numbers, to all of which an operation applies at once.
///
/// An implementor is `ELEMENTS` f64 in a row, and fills a [`CacheLine`] without remainder.
pub trait Vector:
    Pod
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// One boolean per element.
    type Mask: Copy;
    /// `[f64; ELEMENTS]`.
    type Array: Copy;
    /// Numbers in a vector.
    const ELEMENTS: usize;

    /// Returns a vector with this number in every element.
    fn splat(number: f64) -> Self;
    /// Loads the first `ELEMENTS` numbers of a slice.
    fn load(numbers: &[f64]) -> Self;
    /// Loads every `stride`-th number, the first into the lowest element. Elements for which no
    /// number is left get 0.
    fn strided(numbers: &[f64], stride: usize) -> Self;
    /// Views a slice as arrays of `ELEMENTS` numbers, without the remainder.
    fn arrays(numbers: &[f64]) -> &[Self::Array];
    /// Views a slice as arrays of `ELEMENTS` numbers, without the remainder.
    fn arrays_mut(numbers: &mut [f64]) -> &mut [Self::Array];
    /// Returns the vector of these numbers.
    fn from_array(array: &Self::Array) -> Self;
    /// Returns the elements as an array.
    fn to_array(self) -> Self::Array;
    /// Returns √x, element by element, correctly rounded.
    fn sqrt(self) -> Self;
    /// Returns |x|, element by element.
    fn abs(self) -> Self;
    /// Returns `self` where it is less than `other`, `other` elsewhere and for NaN.
    fn lesser(self, other: Self) -> Self;
    /// Returns `self` where it is greater than `other`, `other` elsewhere and for NaN.
    fn greater(self, other: Self) -> Self;
    /// Returns the mask of the elements that are neither infinite nor NaN.
    fn is_finite(self) -> Self::Mask;
    /// Returns the mask of the elements above `limit`, not set for NaN.
    fn is_above(self, limit: Self) -> Self::Mask;
    /// Returns the mask that is set where both masks are set.
    fn both(one: Self::Mask, other: Self::Mask) -> Self::Mask;
    /// Returns `self` where the mask is set, +0 elsewhere.
    fn only(self, mask: Self::Mask) -> Self;
    /// Returns `yes` where the mask is set, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Shifts the numbers up by one element. The lowest element gets the last number of `before`.
    fn shift_up(self, before: Self) -> Self;
    /// Shifts the numbers down by one element. The uppermost element gets the first number of
    /// `after`.
    fn shift_down(self, after: Self) -> Self;
    /// Repeats each number three times: the factor of each coordinate in a row of points.
    fn thrice(self) -> [Self; 3];

    /// Reads one row per element. Returns four vectors, one per column.
    fn gather(rows: &[[f64; 4]], at: &[u32]) -> [Self; 4];
    /// Writes one row per element. If two elements name the same row, one of them wins.
    fn scatter(columns: [Self; 4], rows: &mut [[f64; 4]], at: &[u32]);

    /// Reads every `stride`-th point, the first into the lowest element: their x, y and z. Elements
    /// for which no point is left get 0.
    fn points(points: &[DVec3], stride: usize) -> [Self; 3];
    /// Writes every `stride`-th point, as far as there are points.
    fn put_points(columns: [Self; 3], points: &mut [DVec3], stride: usize);

    /// Views the numbers, element by element.
    #[inline(always)]
    fn as_slice(&self) -> &[f64] {
        bytemuck::cast_slice(std::slice::from_ref(self))
    }

    /// Views the numbers, element by element.
    #[inline(always)]
    fn as_mut_slice(&mut self) -> &mut [f64] {
        bytemuck::cast_slice_mut(std::slice::from_mut(self))
    }
}

/// Returns a·b of the vectors in each element, summed as glam sums it.
#[inline(always)]
pub(crate) fn dot<V: Vector>(a: [V; 3], b: [V; 3]) -> V {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// One cache line: memory that is aligned for every [`Vector`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct CacheLine([f64; 8]);

// SAFETY: 8 f64 are 64 bytes, as many as the alignment: no padding, every pattern of bits a value.
unsafe impl Zeroable for CacheLine {}
// SAFETY: as above.
unsafe impl Pod for CacheLine {}

/// Allocates numbers in memory that [`vectors`] can view as vectors of any width.
pub fn allocate_lines(numbers: usize, value: f64) -> Vec<CacheLine> {
    vec![CacheLine([value; 8]); numbers.div_ceil(8)]
}

/// Views the same memory as vectors.
#[inline(always)]
pub fn vectors<V: Vector>(lines: &[CacheLine]) -> &[V] {
    bytemuck::cast_slice(lines)
}

/// Views the same memory as vectors.
#[inline(always)]
pub fn vectors_mut<V: Vector>(lines: &mut [CacheLine]) -> &mut [V] {
    bytemuck::cast_slice_mut(lines)
}

/// Views the same memory as numbers.
pub fn numbers(lines: &[CacheLine]) -> &[f64] {
    bytemuck::cast_slice(lines)
}

/// Views the same memory as numbers.
pub fn numbers_mut(lines: &mut [CacheLine]) -> &mut [f64] {
    bytemuck::cast_slice_mut(lines)
}

/// Views the same memory as numbers.
pub fn coordinates(points: &[DVec3]) -> &[f64] {
    bytemuck::cast_slice(points)
}

/// Views the same memory as numbers.
pub fn coordinates_mut(points: &mut [DVec3]) -> &mut [f64] {
    bytemuck::cast_slice_mut(points)
}
