//! Vector of two elements for targets without special kernels. The compiler turns the arrays into
//! SSE2 on x86-64 and NEON on ARM.

use super::vector::Vector;
use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use std::ops::{Add, Div, Mul, Sub};

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Pair([f64; 2]);

// SAFETY: transparent wrapper of an array of two f64.
unsafe impl Zeroable for Pair {}
// SAFETY: transparent wrapper of an array of two f64.
unsafe impl Pod for Pair {}

macro_rules! pairwise {
    ($($operator:ident $name:ident;)*) => {$(
        impl $operator for Pair {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self([self.0[0].$name(other.0[0]), self.0[1].$name(other.0[1])])
            }
        }
    )*};
}
pairwise! { Add add; Sub sub; Mul mul; Div div; }

/// Returns a mask: all 64 bits set for true, none for false. With a branch instead, the compiler
/// would divide the elements one by one.
#[inline(always)]
fn mask(yes: [bool; 2]) -> [u64; 2] {
    yes.map(|yes| u64::from(yes).wrapping_neg())
}

impl Vector for Pair {
    type Mask = [u64; 2];
    type Array = [f64; 2];
    const ELEMENTS: usize = 2;

    #[inline(always)]
    fn splat(number: f64) -> Self {
        Self([number; 2])
    }
    #[inline(always)]
    fn load(numbers: &[f64]) -> Self {
        Self([numbers[0], numbers[1]])
    }
    #[inline(always)]
    fn strided(numbers: &[f64], stride: usize) -> Self {
        let number = |element: usize| numbers.get(element * stride).copied().unwrap_or(0.0);
        Self([number(0), number(1)])
    }
    #[inline(always)]
    fn arrays(numbers: &[f64]) -> &[[f64; 2]] {
        numbers.as_chunks().0
    }
    #[inline(always)]
    fn arrays_mut(numbers: &mut [f64]) -> &mut [[f64; 2]] {
        numbers.as_chunks_mut().0
    }
    #[inline(always)]
    fn from_array(array: &[f64; 2]) -> Self {
        Self(*array)
    }
    #[inline(always)]
    fn to_array(self) -> [f64; 2] {
        self.0
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        Self::select(other.is_above(self), self, other)
    }
    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        Self::select(self.is_above(other), self, other)
    }
    #[inline(always)]
    fn is_finite(self) -> [u64; 2] {
        mask(self.0.map(f64::is_finite))
    }
    #[inline(always)]
    fn is_above(self, limit: Self) -> [u64; 2] {
        mask([self.0[0] > limit.0[0], self.0[1] > limit.0[1]])
    }
    #[inline(always)]
    fn and(one: [u64; 2], other: [u64; 2]) -> [u64; 2] {
        [one[0] & other[0], one[1] & other[1]]
    }
    #[inline(always)]
    fn or_zero(self, mask: [u64; 2]) -> Self {
        Self::select(mask, self, Self([0.0; 2]))
    }
    #[inline(always)]
    fn select(mask: [u64; 2], yes: Self, no: Self) -> Self {
        let (yes, no) = (yes.0.map(f64::to_bits), no.0.map(f64::to_bits));
        let pick = |element: usize| {
            f64::from_bits(yes[element] & mask[element] | no[element] & !mask[element])
        };
        Self([pick(0), pick(1)])
    }
    #[inline(always)]
    fn shift_up(self, before: Self) -> Self {
        Self([before.0[1], self.0[0]])
    }
    #[inline(always)]
    fn shift_down(self, after: Self) -> Self {
        Self([self.0[1], after.0[0]])
    }
    #[inline(always)]
    fn repeat_thrice(self) -> [Self; 3] {
        let [a, b] = self.0;
        [Self([a, a]), Self([a, b]), Self([b, b])]
    }
    #[inline(always)]
    fn gather(rows: &[[f64; 4]], at: &[u32]) -> [Self; 4] {
        let (p, q) = (rows[at[0] as usize], rows[at[1] as usize]);
        [Self([p[0], q[0]]), Self([p[1], q[1]]), Self([p[2], q[2]]), Self([p[3], q[3]])]
    }
    #[inline(always)]
    fn scatter([x, y, z, w]: [Self; 4], rows: &mut [[f64; 4]], at: &[u32]) {
        rows[at[0] as usize] = [x.0[0], y.0[0], z.0[0], w.0[0]];
        rows[at[1] as usize] = [x.0[1], y.0[1], z.0[1], w.0[1]];
    }
    #[inline(always)]
    fn points(points: &[DVec3], stride: usize) -> [Self; 3] {
        let point = |element: usize| points.get(element * stride).copied().unwrap_or(DVec3::ZERO);
        let (p, q) = (point(0), point(1));
        [Self([p.x, q.x]), Self([p.y, q.y]), Self([p.z, q.z])]
    }
    #[inline(always)]
    fn put_points([x, y, z]: [Self; 3], points: &mut [DVec3], stride: usize) {
        for element in 0..2 {
            if let Some(point) = points.get_mut(element * stride) {
                *point = DVec3::new(x.0[element], y.0[element], z.0[element]);
            }
        }
    }
}
