//! Interface of a SIMD vector, and of a kernel that computes with vectors of any width.

use bytemuck::Pod;
use glam::DVec3;
use std::ops::{Add, Div, Mul, Sub};

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
/// In memory a vector is `ELEMENTS` consecutive f64. A [`CacheLine`](super::CacheLine) contains a
/// whole number of vectors.
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
    /// Views a slice as arrays of `ELEMENTS` numbers, without the numbers after the last full
    /// array.
    fn arrays(numbers: &[f64]) -> &[Self::Array];
    /// Views a mutable slice as arrays of `ELEMENTS` numbers, without the numbers after the last
    /// full array.
    fn arrays_mut(numbers: &mut [f64]) -> &mut [Self::Array];
    /// Loads an array.
    fn from_array(array: &Self::Array) -> Self;
    /// Returns the elements as an array.
    fn to_array(self) -> Self::Array;
    /// Returns √x of each element, correctly rounded.
    fn sqrt(self) -> Self;
    /// Returns |x| of each element.
    fn abs(self) -> Self;
    /// Returns `self` where it is less than `other`. Elsewhere, and where either is NaN, returns
    /// `other`.
    fn lesser(self, other: Self) -> Self;
    /// Returns `self` where it is greater than `other`. Elsewhere, and where either is NaN, returns
    /// `other`.
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
    /// gets the numbers of one of these elements.
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
