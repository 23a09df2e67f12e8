//! AVX2 and AVX-512 on x86-64.
//!
//! SAFETY of every intrinsic: only kernels use the vector types, and [`super::Isa::run`] starts a
//! kernel only after it has detected the instruction set. SAFETY of every pointer: it comes from a
//! reference, or from a slice whose length was checked.
#![expect(clippy::undocumented_unsafe_blocks, reason = "one promise for all, said above")]

mod memory;

use super::vector::{Kernel, Vector};
use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use memory::{
    elements_4, elements_8, gather_4, gather_8, point_4, put_point_4, put_run_4, put_run_8, run_4,
    run_8, scatter_4, scatter_8,
};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

#[target_feature(enable = "avx2")]
pub fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

#[target_feature(enable = "avx512f,avx512dq")]
pub fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

/// Implements [`Vector`] for a register type. The arguments are the intrinsics of the common
/// operations, and an expression for each operation that differs between AVX2 and AVX-512.
macro_rules! vector {
    ($name:ident($register:ty), $mask:ty, $elements:literal,
     [$add:ident $sub:ident $mul:ident $div:ident $sqrt:ident $splat:ident $load:ident],
     [$lesser:ident $greater:ident],
     abs($signed:ident) $abs:expr,
     is_finite($finite:ident) $is_finite:expr,
     is_above($value:ident, $limit:ident) $is_above:expr,
     and($one:ident, $other:ident) $both:expr,
     or_zero($only_value:ident, $only_mask:ident) $only:expr,
     select($select_mask:ident, $yes:ident, $no:ident) $select:expr,
     shift_up($up:ident, $before:ident) $shift_up:expr,
     shift_down($down:ident, $after:ident) $shift_down:expr,
     repeat_thrice($once:ident) $thrice:expr,
     elements($elements_from:ident),
     rows($gather:ident $scatter:ident),
     run($run:ident $put_run:ident) $(,)?) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $name($register);

        vector!(@operator $name Add add $add);
        vector!(@operator $name Sub sub $sub);
        vector!(@operator $name Mul mul $mul);
        vector!(@operator $name Div div $div);

        // SAFETY: transparent wrapper of a register of $elements f64.
        unsafe impl Zeroable for $name {}
        // SAFETY: transparent wrapper of a register of $elements f64.
        unsafe impl Pod for $name {}

        impl Vector for $name {
            type Mask = $mask;
            type Array = [f64; $elements];
            const ELEMENTS: usize = $elements;

            #[inline(always)]
            fn splat(number: f64) -> Self {
                Self(unsafe { $splat(number) })
            }
            #[inline(always)]
            fn load(numbers: &[f64]) -> Self {
                let numbers = &numbers[..$elements];
                Self(unsafe { $load(numbers.as_ptr()) })
            }
            #[inline(always)]
            fn strided(numbers: &[f64], stride: usize) -> Self {
                if numbers.len() > ($elements - 1) * stride {
                    let first = numbers.as_ptr();
                    return Self(unsafe { $elements_from(|element| *first.add(element * stride)) });
                }
                let number = |element: usize| numbers.get(element * stride).copied().unwrap_or(0.0);
                Self(unsafe { $elements_from(number) })
            }
            #[inline(always)]
            fn arrays(numbers: &[f64]) -> &[[f64; $elements]] {
                numbers.as_chunks().0
            }
            #[inline(always)]
            fn arrays_mut(numbers: &mut [f64]) -> &mut [[f64; $elements]] {
                numbers.as_chunks_mut().0
            }
            #[inline(always)]
            fn from_array(array: &[f64; $elements]) -> Self {
                Self(unsafe { $load(array.as_ptr()) })
            }
            #[inline(always)]
            fn to_array(self) -> [f64; $elements] {
                let mut array = [0.0; $elements];
                array.copy_from_slice(self.as_slice());
                array
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn abs(self) -> Self {
                let $signed = self.0;
                Self(unsafe { $abs })
            }
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                Self(unsafe { $lesser(self.0, other.0) })
            }
            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                Self(unsafe { $greater(self.0, other.0) })
            }
            #[inline(always)]
            fn is_finite(self) -> $mask {
                let $finite = self.0;
                unsafe { $is_finite }
            }
            #[inline(always)]
            fn is_above(self, limit: Self) -> $mask {
                let ($value, $limit) = (self.0, limit.0);
                unsafe { $is_above }
            }
            #[inline(always)]
            fn and($one: $mask, $other: $mask) -> $mask {
                unsafe { $both }
            }
            #[inline(always)]
            fn or_zero(self, $only_mask: $mask) -> Self {
                let $only_value = self.0;
                Self(unsafe { $only })
            }
            #[inline(always)]
            fn select($select_mask: $mask, yes: Self, no: Self) -> Self {
                let ($yes, $no) = (yes.0, no.0);
                Self(unsafe { $select })
            }
            #[inline(always)]
            fn shift_up(self, before: Self) -> Self {
                let ($up, $before) = (self.0, before.0);
                Self(unsafe { $shift_up })
            }
            #[inline(always)]
            fn shift_down(self, after: Self) -> Self {
                let ($down, $after) = (self.0, after.0);
                Self(unsafe { $shift_down })
            }
            #[inline(always)]
            fn repeat_thrice(self) -> [Self; 3] {
                let $once = self.0;
                unsafe { $thrice }.map(Self)
            }
            #[inline(always)]
            fn gather(rows: &[[f64; 4]], at: &[u32]) -> [Self; 4] {
                let row = |element: usize| rows[at[element] as usize].as_ptr();
                let [x, y, z, w] = unsafe { $gather(|element| _mm256_loadu_pd(row(element))) };
                [Self(x), Self(y), Self(z), Self(w)]
            }
            #[inline(always)]
            fn scatter([x, y, z, w]: [Self; 4], rows: &mut [[f64; 4]], at: &[u32]) {
                let mut row = |element: usize| rows[at[element] as usize].as_mut_ptr();
                unsafe {
                    $scatter([x.0, y.0, z.0, w.0], |element, v| _mm256_storeu_pd(row(element), v))
                }
            }
            #[inline(always)]
            fn points(points: &[DVec3], stride: usize) -> [Self; 3] {
                if stride == 1 && points.len() >= $elements {
                    let [x, y, z] = unsafe { $run(points.as_ptr().cast()) };
                    return [Self(x), Self(y), Self(z)];
                }
                let row = |element: usize| match points.get(element * stride) {
                    Some(point) => unsafe { point_4(std::ptr::from_ref(point).cast()) },
                    None => unsafe { _mm256_setzero_pd() },
                };
                let [x, y, z, _] = unsafe { $gather(row) };
                [Self(x), Self(y), Self(z)]
            }
            #[inline(always)]
            fn put_points([x, y, z]: [Self; 3], points: &mut [DVec3], stride: usize) {
                if stride == 1 && points.len() >= $elements {
                    let run = points.as_mut_ptr().cast();
                    return unsafe { $put_run([x.0, y.0, z.0], run) };
                }
                let put = |element: usize, row| {
                    if let Some(point) = points.get_mut(element * stride) {
                        unsafe { put_point_4(std::ptr::from_mut(point).cast(), row) }
                    }
                };
                unsafe { $scatter([x.0, y.0, z.0, z.0], put) }
            }
        }
    };
    (@operator $name:ident $operator:ident $method:ident $intrinsic:ident) => {
        impl $operator for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

vector! {
    Avx2(__m256d), __m256d, 4,
    [_mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_sqrt_pd _mm256_set1_pd
     _mm256_loadu_pd],
    [_mm256_min_pd _mm256_max_pd],
    abs(v) _mm256_andnot_pd(_mm256_set1_pd(-0.0), v),
    is_finite(v) _mm256_cmp_pd::<_CMP_LT_OQ>(
        _mm256_andnot_pd(_mm256_set1_pd(-0.0), v),
        _mm256_set1_pd(f64::INFINITY),
    ),
    is_above(v, limit) _mm256_cmp_pd::<_CMP_GT_OQ>(v, limit),
    and(one, other) _mm256_and_pd(one, other),
    or_zero(v, mask) _mm256_and_pd(v, mask),
    select(mask, yes, no) _mm256_blendv_pd(no, yes, mask),
    shift_up(v, before) _mm256_shuffle_pd::<0b0101>(
        _mm256_permute2f128_pd::<0x21>(before, v),
        v,
    ),
    shift_down(v, after) _mm256_shuffle_pd::<0b0101>(
        v,
        _mm256_permute2f128_pd::<0x21>(v, after),
    ),
    repeat_thrice(v) [
        _mm256_permute4x64_pd::<0b01_00_00_00>(v),
        _mm256_permute4x64_pd::<0b10_10_01_01>(v),
        _mm256_permute4x64_pd::<0b11_11_11_10>(v),
    ],
    elements(elements_4),
    rows(gather_4 scatter_4),
    run(run_4 put_run_4),
}

vector! {
    Avx512(__m512d), __mmask8, 8,
    [_mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_sqrt_pd _mm512_set1_pd
     _mm512_loadu_pd],
    [_mm512_min_pd _mm512_max_pd],
    abs(v) _mm512_abs_pd(v),
    is_finite(v) _mm512_cmp_pd_mask::<_CMP_LT_OQ>(
        _mm512_abs_pd(v),
        _mm512_set1_pd(f64::INFINITY),
    ),
    is_above(v, limit) _mm512_cmp_pd_mask::<_CMP_GT_OQ>(v, limit),
    and(one, other) _kand_mask8(one, other),
    or_zero(v, mask) _mm512_maskz_mov_pd(mask, v),
    select(mask, yes, no) _mm512_mask_blend_pd(mask, no, yes),
    shift_up(v, before) _mm512_castsi512_pd(_mm512_alignr_epi64::<7>(
        _mm512_castpd_si512(v),
        _mm512_castpd_si512(before),
    )),
    shift_down(v, after) _mm512_castsi512_pd(_mm512_alignr_epi64::<1>(
        _mm512_castpd_si512(after),
        _mm512_castpd_si512(v),
    )),
    repeat_thrice(v) [
        _mm512_permutexvar_pd(_mm512_setr_epi64(0, 0, 0, 1, 1, 1, 2, 2), v),
        _mm512_permutexvar_pd(_mm512_setr_epi64(2, 3, 3, 3, 4, 4, 4, 5), v),
        _mm512_permutexvar_pd(_mm512_setr_epi64(5, 5, 6, 6, 6, 7, 7, 7), v),
    ],
    elements(elements_8),
    rows(gather_8 scatter_8),
    run(run_8 put_run_8),
}
