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
#[cfg(target_arch = "x86_64")]
mod x86;

pub use cache_lines::CacheLineAllocator;
pub(crate) use prefetch::PrefetchAddress;
pub use prefetch::Span;

use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use std::ops::{Add, Div, Mul, Sub};
use std::sync::LazyLock;

/// Instruction set for which the kernels are compiled.
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

    /// Iterates over the instruction sets of this machine that have kernels.
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

    /// Iterates over the permitted instruction sets that the machine supports, the widest first.
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

/// Computation that is compiled once per instruction set. `run` and all functions that it calls in
/// inner loops must be `#[inline(always)]`, because the instruction set is an attribute of the
/// outermost function.
pub trait Kernel {
    /// Result of the computation.
    type Output;
    /// Runs the computation with vectors of type `V`.
    fn run<V: Vector>(self) -> Self::Output;
}

/// SIMD vector of `ELEMENTS` f64. An operation applies to all elements.
///
/// In memory a vector is `ELEMENTS` consecutive f64; a [`CacheLine`] holds a whole number of
/// vectors.
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
    /// Number of elements of a vector.
    const ELEMENTS: usize;

    /// Returns a vector with `number` in every element.
    fn splat(number: f64) -> Self;
    /// Loads the first `ELEMENTS` numbers of a slice.
    fn load(numbers: &[f64]) -> Self;
    /// Loads every `stride`-th number of a slice: number 0 into element 0, number `stride` into
    /// element 1 …. Elements beyond the end of the slice get 0.
    fn strided(numbers: &[f64], stride: usize) -> Self;
    /// Views a slice as arrays of `ELEMENTS` numbers. A remainder is left out.
    fn arrays(numbers: &[f64]) -> &[Self::Array];
    /// Views a mutable slice as arrays of `ELEMENTS` numbers. A remainder is left out.
    fn arrays_mut(numbers: &mut [f64]) -> &mut [Self::Array];
    /// Loads an array.
    fn from_array(array: &Self::Array) -> Self;
    /// Returns the elements as an array.
    fn to_array(self) -> Self::Array;
    /// Returns √x of each element, correctly rounded.
    fn sqrt(self) -> Self;
    /// Returns |x| of each element.
    fn abs(self) -> Self;
    /// Returns `self` where it is less than `other`; `other` elsewhere and where either is NaN.
    fn lesser(self, other: Self) -> Self;
    /// Returns `self` where it is greater than `other`; `other` elsewhere and where either is NaN.
    fn greater(self, other: Self) -> Self;
    /// Returns the mask of the elements that are neither infinite nor NaN.
    fn is_finite(self) -> Self::Mask;
    /// Returns the mask of the elements greater than those of `limit`. NaN is not greater.
    fn is_above(self, limit: Self) -> Self::Mask;
    /// Returns the bitwise AND of two masks.
    fn and(one: Self::Mask, other: Self::Mask) -> Self::Mask;
    /// Returns `self` where the mask is set, +0 elsewhere.
    fn or_zero(self, mask: Self::Mask) -> Self;
    /// Returns `yes` where the mask is set, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Shifts the elements up by one: element i moves to i + 1. Element 0 gets the last element of
    /// `before`.
    fn shift_up(self, before: Self) -> Self;
    /// Shifts the elements down by one: element i moves to i − 1. The last element gets element 0
    /// of `after`.
    fn shift_down(self, after: Self) -> Self;
    /// Repeats each element three times, e.g. (a, b, c, d) becomes (a, a, a, b), (b, b, c, c), (c,
    /// d, d, d). Used to apply one number per particle to x, y and z.
    fn repeat_thrice(self) -> [Self; 3];

    /// Gathers the row `rows[at[i]]` of four numbers for each element i. Returns the four columns
    /// as vectors.
    fn gather(rows: &[[f64; 4]], at: &[u32]) -> [Self; 4];
    /// Scatters four columns to the rows `rows[at[i]]`. If two elements have the same row, the row
    /// gets the numbers of one of them.
    fn scatter(columns: [Self; 4], rows: &mut [[f64; 4]], at: &[u32]);

    /// Loads every `stride`-th point of a slice into the elements of three vectors x, y and z.
    /// Elements beyond the end of the slice get 0.
    fn points(points: &[DVec3], stride: usize) -> [Self; 3];
    /// Stores the elements of three vectors x, y and z to every `stride`-th point of a slice.
    /// Elements beyond the end of the slice are dropped.
    fn put_points(columns: [Self; 3], points: &mut [DVec3], stride: usize);

    /// Views the elements as a slice.
    #[inline(always)]
    fn as_slice(&self) -> &[f64] {
        bytemuck::cast_slice(std::slice::from_ref(self))
    }

    /// Views the elements as a mutable slice.
    #[inline(always)]
    fn as_mut_slice(&mut self) -> &mut [f64] {
        bytemuck::cast_slice_mut(std::slice::from_mut(self))
    }
}

/// Returns the dot product a·b in each element, with the sum in glam's order.
#[inline(always)]
pub(crate) fn dot<V: Vector>(a: [V; 3], b: [V; 3]) -> V {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
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

/// Allocates memory for `numbers` numbers, filled with `value`, that [`vectors`] can view as
/// vectors of any width.
pub(crate) fn allocate_lines(numbers: usize, value: f64) -> Vec<CacheLine> {
    vec![CacheLine([value; 8]); numbers.div_ceil(8)]
}

/// Views cache lines as vectors.
#[inline(always)]
pub fn vectors<V: Vector>(lines: &[CacheLine]) -> &[V] {
    bytemuck::cast_slice(lines)
}

/// Views mutable cache lines as vectors.
#[inline(always)]
pub(crate) fn vectors_mut<V: Vector>(lines: &mut [CacheLine]) -> &mut [V] {
    bytemuck::cast_slice_mut(lines)
}

/// Views cache lines as numbers.
pub fn numbers(lines: &[CacheLine]) -> &[f64] {
    bytemuck::cast_slice(lines)
}

/// Views mutable cache lines as numbers.
pub(crate) fn numbers_mut(lines: &mut [CacheLine]) -> &mut [f64] {
    bytemuck::cast_slice_mut(lines)
}

/// Views points as numbers x, y, z, x, y, z …, and numbers as they are.
pub fn coordinates<T: Pod>(points: &[T]) -> &[f64] {
    bytemuck::cast_slice(points)
}

/// Views mutable points as numbers x, y, z, x, y, z …, and numbers as they are.
pub fn coordinates_mut<T: Pod>(points: &mut [T]) -> &mut [f64] {
    bytemuck::cast_slice_mut(points)
}
