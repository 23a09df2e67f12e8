//! Vectors of f64 as wide as the machine has them, chosen at run time.
//!
//! The only module with `unsafe`. Three promises are kept here so that nobody else has to:
//! a function compiled for an instruction set runs only where [`Isa::is_available`] has seen it;
//! a `Vector` is nothing but `LANES` numbers side by side; loads stay inside their slices.
//!
//! Every operation is the IEEE operation on each lane: no fused multiply-add, exact root and
//! division. A kernel therefore gives the same bits on every instruction set.
#![allow(unsafe_code)]

use std::ops::{Add, Div, Mul, Sub};

/// An instruction set that the fast paths are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// No fast paths: the plain loops, which are the specification.
    Scalar,
    /// Two lanes in arrays, which the compiler maps to whatever the target has (NEON on ARM).
    Portable,
    /// Two lanes; every x86-64 has it.
    Sse2,
    /// Four lanes.
    Avx2,
    /// Eight lanes.
    Avx512,
}

impl Isa {
    /// From the narrowest to the widest.
    pub const ALL: [Self; 5] = [Self::Scalar, Self::Portable, Self::Sse2, Self::Avx2, Self::Avx512];

    /// Name in a bench's output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Portable if cfg!(target_arch = "aarch64") => "neon",
            Self::Portable => "portable",
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this machine can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar | Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => true,
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

    /// The widest that this machine can run.
    pub fn best() -> Self {
        let widest = Self::ALL.into_iter().rev().find(|isa| isa.is_available());
        widest.unwrap_or(Self::Scalar)
    }

    /// Numbers in one vector.
    pub fn lanes(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Portable | Self::Sse2 => 2,
            Self::Avx2 => 4,
            Self::Avx512 => 8,
        }
    }

    /// Runs a kernel compiled for this instruction set.
    ///
    /// # Panics
    ///
    /// If the machine does not have it.
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        assert!(self.is_available(), "{} is not available on this machine", self.name());
        match self {
            Self::Scalar | Self::Portable => kernel.run::<Pair>(),
            // SAFETY: SSE2 is part of x86-64; AVX2 and AVX-512 were detected by the assertion.
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => kernel.run::<x86::Sse2>(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::run_avx2(kernel) },
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::run_avx512(kernel) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("not available"),
        }
    }
}

/// Code that is compiled once per instruction set. `run` and all that it calls in its inner loops
/// must be `#[inline(always)]`: the instruction set belongs to the function it is inlined into.
pub(crate) trait Kernel {
    type Output;
    fn run<V: Vector>(self) -> Self::Output;
}

/// `LANES` numbers that are computed with at once.
///
/// # Safety
///
/// An implementor is `LANES` f64 in a row without padding, `LANES` divides 8, and its alignment
/// is at most that of [`Line`].
pub(crate) unsafe trait Vector:
    Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// One yes or no a lane.
    type Mask: Copy;
    /// `[f64; LANES]`.
    type Array: Copy;
    const LANES: usize;

    fn splat(number: f64) -> Self;
    /// The first `LANES` numbers of a slice.
    fn load(numbers: &[f64]) -> Self;
    /// A slice as arrays of `LANES` numbers, without what is left over.
    fn arrays(numbers: &[f64]) -> &[Self::Array];
    /// A slice as arrays of `LANES` numbers, without what is left over.
    fn arrays_mut(numbers: &mut [f64]) -> &mut [Self::Array];
    fn from_array(array: &Self::Array) -> Self;
    fn to_array(self) -> Self::Array;
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> Self::Mask;
    /// self > limit; no for NaN.
    fn is_above(self, limit: Self) -> Self::Mask;
    /// `self` where the mask says yes, +0 elsewhere.
    fn only(self, mask: Self::Mask) -> Self;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Each lane gets its lower neighbour's number, the lowest the last one of `before`.
    fn shift_up(self, before: Self) -> Self;
    /// Each lane gets its upper neighbour's number, the uppermost the first one of `after`.
    fn shift_down(self, after: Self) -> Self;

    /// Reads one row a lane: four vectors, one a column.
    fn gather(rows: &[[f64; 4]], at: &[u32]) -> [Self; 4];
    /// Writes one row a lane. Where two lanes name one row, one of them wins.
    fn scatter(columns: [Self; 4], rows: &mut [[f64; 4]], at: &[u32]);

    /// The numbers, lane by lane.
    #[inline(always)]
    fn as_slice(&self) -> &[f64] {
        // SAFETY: by the contract of the trait.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), Self::LANES) }
    }

    /// The numbers, lane by lane.
    #[inline(always)]
    fn as_mut_slice(&mut self) -> &mut [f64] {
        // SAFETY: by the contract of the trait.
        unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(self).cast(), Self::LANES) }
    }
}

/// One cache line: memory that is aligned for every [`Vector`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Line([f64; 8]);

/// Numbers in memory that [`vectors`] can look at as vectors of any width.
pub(crate) fn lines(numbers: usize, value: f64) -> Vec<Line> {
    vec![Line([value; 8]); numbers.div_ceil(8)]
}

/// The same memory as vectors.
#[inline(always)]
pub(crate) fn vectors<V: Vector>(lines: &[Line]) -> &[V] {
    // SAFETY: a line is 8 f64 and at least as aligned as V, which is LANES f64, a divisor of 8.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), lines.len() * (8 / V::LANES)) }
}

/// The same memory as vectors.
#[inline(always)]
pub(crate) fn vectors_mut<V: Vector>(lines: &mut [Line]) -> &mut [V] {
    // SAFETY: a line is 8 f64 and at least as aligned as V, which is LANES f64, a divisor of 8.
    unsafe {
        std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), lines.len() * (8 / V::LANES))
    }
}

/// The same memory as numbers.
pub(crate) fn numbers(lines: &[Line]) -> &[f64] {
    // SAFETY: a line is 8 f64 in a row.
    unsafe { std::slice::from_raw_parts(lines.as_ptr().cast(), lines.len() * 8) }
}

/// The same memory as numbers.
pub(crate) fn numbers_mut(lines: &mut [Line]) -> &mut [f64] {
    // SAFETY: a line is 8 f64 in a row.
    unsafe { std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), lines.len() * 8) }
}

/// Two lanes in an array.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Pair([f64; 2]);

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

// SAFETY: a transparent array of two f64.
unsafe impl Vector for Pair {
    type Mask = [bool; 2];
    type Array = [f64; 2];
    const LANES: usize = 2;

    #[inline(always)]
    fn splat(number: f64) -> Self {
        Self([number; 2])
    }
    #[inline(always)]
    fn load(numbers: &[f64]) -> Self {
        Self([numbers[0], numbers[1]])
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
    fn is_finite(self) -> [bool; 2] {
        self.0.map(f64::is_finite)
    }
    #[inline(always)]
    fn is_above(self, limit: Self) -> [bool; 2] {
        [self.0[0] > limit.0[0], self.0[1] > limit.0[1]]
    }
    #[inline(always)]
    fn only(self, mask: [bool; 2]) -> Self {
        Self::select(mask, self, Self([0.0; 2]))
    }
    #[inline(always)]
    fn select(mask: [bool; 2], yes: Self, no: Self) -> Self {
        let pick = |lane: usize| if mask[lane] { yes.0[lane] } else { no.0[lane] };
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
    fn gather(rows: &[[f64; 4]], at: &[u32]) -> [Self; 4] {
        let (p, q) = (rows[at[0] as usize], rows[at[1] as usize]);
        [Self([p[0], q[0]]), Self([p[1], q[1]]), Self([p[2], q[2]]), Self([p[3], q[3]])]
    }
    #[inline(always)]
    fn scatter([x, y, z, w]: [Self; 4], rows: &mut [[f64; 4]], at: &[u32]) {
        rows[at[0] as usize] = [x.0[0], y.0[0], z.0[0], w.0[0]];
        rows[at[1] as usize] = [x.0[1], y.0[1], z.0[1], w.0[1]];
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Kernel, Vector};
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

    /// A register as a [`Vector`]: its four operations, then what the sets do each in their way.
    ///
    /// SAFETY of every intrinsic: a vector type is used by no kernel but those that
    /// [`super::Isa::run`] starts after it has detected the instruction set.
    macro_rules! vector {
        ($name:ident($register:ty), $mask:ty, $lanes:literal,
         [$add:ident $sub:ident $mul:ident $div:ident $sqrt:ident $splat:ident $load:ident],
         abs($signed:ident) $abs:expr,
         is_finite($finite:ident) $is_finite:expr,
         is_above($value:ident, $limit:ident) $is_above:expr,
         only($only_value:ident, $only_mask:ident) $only:expr,
         select($select_mask:ident, $yes:ident, $no:ident) $select:expr,
         shift_up($up:ident, $before:ident) $shift_up:expr,
         shift_down($down:ident, $after:ident) $shift_down:expr,
         rows($gather:ident $scatter:ident) $(,)?) => {
            #[derive(Clone, Copy)]
            #[repr(transparent)]
            pub struct $name($register);

            vector!(@operator $name Add add $add);
            vector!(@operator $name Sub sub $sub);
            vector!(@operator $name Mul mul $mul);
            vector!(@operator $name Div div $div);

            // SAFETY: a transparent register of $lanes f64.
            unsafe impl Vector for $name {
                type Mask = $mask;
                type Array = [f64; $lanes];
                const LANES: usize = $lanes;

                #[inline(always)]
                fn splat(number: f64) -> Self {
                    Self(unsafe { $splat(number) })
                }
                #[inline(always)]
                fn load(numbers: &[f64]) -> Self {
                    let numbers = &numbers[..$lanes];
                    Self(unsafe { $load(numbers.as_ptr()) })
                }
                #[inline(always)]
                fn arrays(numbers: &[f64]) -> &[[f64; $lanes]] {
                    numbers.as_chunks().0
                }
                #[inline(always)]
                fn arrays_mut(numbers: &mut [f64]) -> &mut [[f64; $lanes]] {
                    numbers.as_chunks_mut().0
                }
                #[inline(always)]
                fn from_array(array: &[f64; $lanes]) -> Self {
                    Self(unsafe { $load(array.as_ptr()) })
                }
                #[inline(always)]
                fn to_array(self) -> [f64; $lanes] {
                    let mut array = [0.0; $lanes];
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
                fn only(self, $only_mask: $mask) -> Self {
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
                fn gather(rows: &[[f64; 4]], at: &[u32]) -> [Self; 4] {
                    let row = |lane: usize| &rows[at[lane] as usize];
                    let [x, y, z, w] = unsafe { $gather(row) };
                    [Self(x), Self(y), Self(z), Self(w)]
                }
                #[inline(always)]
                fn scatter([x, y, z, w]: [Self; 4], rows: &mut [[f64; 4]], at: &[u32]) {
                    let put = |lane: usize| rows[at[lane] as usize].as_mut_ptr();
                    unsafe { $scatter([x.0, y.0, z.0, w.0], put) }
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
        Sse2(__m128d), __m128d, 2,
        [_mm_add_pd _mm_sub_pd _mm_mul_pd _mm_div_pd _mm_sqrt_pd _mm_set1_pd _mm_loadu_pd],
        abs(v) _mm_andnot_pd(_mm_set1_pd(-0.0), v),
        is_finite(v) _mm_cmplt_pd(
            _mm_andnot_pd(_mm_set1_pd(-0.0), v),
            _mm_set1_pd(f64::INFINITY),
        ),
        is_above(v, limit) _mm_cmpgt_pd(v, limit),
        only(v, mask) _mm_and_pd(v, mask),
        select(mask, yes, no) _mm_or_pd(_mm_and_pd(mask, yes), _mm_andnot_pd(mask, no)),
        shift_up(v, before) _mm_shuffle_pd::<0b01>(before, v),
        shift_down(v, after) _mm_shuffle_pd::<0b01>(v, after),
        rows(gather_2 scatter_2),
    }

    vector! {
        Avx2(__m256d), __m256d, 4,
        [_mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_sqrt_pd _mm256_set1_pd
         _mm256_loadu_pd],
        abs(v) _mm256_andnot_pd(_mm256_set1_pd(-0.0), v),
        is_finite(v) _mm256_cmp_pd::<_CMP_LT_OQ>(
            _mm256_andnot_pd(_mm256_set1_pd(-0.0), v),
            _mm256_set1_pd(f64::INFINITY),
        ),
        is_above(v, limit) _mm256_cmp_pd::<_CMP_GT_OQ>(v, limit),
        only(v, mask) _mm256_and_pd(v, mask),
        select(mask, yes, no) _mm256_blendv_pd(no, yes, mask),
        shift_up(v, before) _mm256_shuffle_pd::<0b0101>(
            _mm256_permute2f128_pd::<0x21>(before, v),
            v,
        ),
        shift_down(v, after) _mm256_shuffle_pd::<0b0101>(
            v,
            _mm256_permute2f128_pd::<0x21>(v, after),
        ),
        rows(gather_4 scatter_4),
    }

    vector! {
        Avx512(__m512d), __mmask8, 8,
        [_mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_sqrt_pd _mm512_set1_pd
         _mm512_loadu_pd],
        abs(v) _mm512_abs_pd(v),
        is_finite(v) _mm512_cmp_pd_mask::<_CMP_LT_OQ>(
            _mm512_abs_pd(v),
            _mm512_set1_pd(f64::INFINITY),
        ),
        is_above(v, limit) _mm512_cmp_pd_mask::<_CMP_GT_OQ>(v, limit),
        only(v, mask) _mm512_maskz_mov_pd(mask, v),
        select(mask, yes, no) _mm512_mask_blend_pd(mask, no, yes),
        shift_up(v, before) _mm512_castsi512_pd(_mm512_alignr_epi64::<7>(
            _mm512_castpd_si512(v),
            _mm512_castpd_si512(before),
        )),
        shift_down(v, after) _mm512_castsi512_pd(_mm512_alignr_epi64::<1>(
            _mm512_castpd_si512(after),
            _mm512_castpd_si512(v),
        )),
        rows(gather_8 scatter_8),
    }

    // Rows of four numbers to columns and back: transposed in registers. SAFETY of the pointers:
    // a row is four f64, and `put` has checked its index.

    #[inline(always)]
    unsafe fn gather_2<'a>(row: impl Fn(usize) -> &'a [f64; 4]) -> [__m128d; 4] {
        let (p, q) = (row(0).as_ptr(), row(1).as_ptr());
        unsafe {
            let (p01, p23) = (_mm_loadu_pd(p), _mm_loadu_pd(p.add(2)));
            let (q01, q23) = (_mm_loadu_pd(q), _mm_loadu_pd(q.add(2)));
            [
                _mm_unpacklo_pd(p01, q01),
                _mm_unpackhi_pd(p01, q01),
                _mm_unpacklo_pd(p23, q23),
                _mm_unpackhi_pd(p23, q23),
            ]
        }
    }

    #[inline(always)]
    unsafe fn scatter_2([x, y, z, w]: [__m128d; 4], mut put: impl FnMut(usize) -> *mut f64) {
        unsafe {
            let p = put(0);
            _mm_storeu_pd(p, _mm_unpacklo_pd(x, y));
            _mm_storeu_pd(p.add(2), _mm_unpacklo_pd(z, w));
            let q = put(1);
            _mm_storeu_pd(q, _mm_unpackhi_pd(x, y));
            _mm_storeu_pd(q.add(2), _mm_unpackhi_pd(z, w));
        }
    }

    #[inline(always)]
    unsafe fn transpose_4([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
        unsafe {
            let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            [
                _mm256_permute2f128_pd::<0x20>(ab_even, cd_even),
                _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
                _mm256_permute2f128_pd::<0x31>(ab_even, cd_even),
                _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
            ]
        }
    }

    #[inline(always)]
    unsafe fn gather_4<'a>(row: impl Fn(usize) -> &'a [f64; 4]) -> [__m256d; 4] {
        unsafe {
            transpose_4([
                _mm256_loadu_pd(row(0).as_ptr()),
                _mm256_loadu_pd(row(1).as_ptr()),
                _mm256_loadu_pd(row(2).as_ptr()),
                _mm256_loadu_pd(row(3).as_ptr()),
            ])
        }
    }

    #[inline(always)]
    unsafe fn scatter_4(columns: [__m256d; 4], mut put: impl FnMut(usize) -> *mut f64) {
        unsafe {
            let [p, q, r, s] = transpose_4(columns);
            _mm256_storeu_pd(put(0), p);
            _mm256_storeu_pd(put(1), q);
            _mm256_storeu_pd(put(2), r);
            _mm256_storeu_pd(put(3), s);
        }
    }

    /// Rows 0|2, 1|3, 4|6, 5|7 to columns.
    #[inline(always)]
    unsafe fn columns_8([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
        unsafe {
            let (ab_even, ab_odd) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            let (cd_even, cd_odd) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
            [
                _mm512_shuffle_f64x2::<0b10_00_10_00>(ab_even, cd_even),
                _mm512_shuffle_f64x2::<0b10_00_10_00>(ab_odd, cd_odd),
                _mm512_shuffle_f64x2::<0b11_01_11_01>(ab_even, cd_even),
                _mm512_shuffle_f64x2::<0b11_01_11_01>(ab_odd, cd_odd),
            ]
        }
    }

    #[inline(always)]
    unsafe fn side_by_side(low: &[f64; 4], high: &[f64; 4]) -> __m512d {
        unsafe {
            let low = _mm512_castpd256_pd512(_mm256_loadu_pd(low.as_ptr()));
            _mm512_insertf64x4::<1>(low, _mm256_loadu_pd(high.as_ptr()))
        }
    }

    #[inline(always)]
    unsafe fn gather_8<'a>(row: impl Fn(usize) -> &'a [f64; 4]) -> [__m512d; 4] {
        unsafe {
            columns_8([
                side_by_side(row(0), row(2)),
                side_by_side(row(1), row(3)),
                side_by_side(row(4), row(6)),
                side_by_side(row(5), row(7)),
            ])
        }
    }

    #[inline(always)]
    unsafe fn scatter_8([x, y, z, w]: [__m512d; 4], mut put: impl FnMut(usize) -> *mut f64) {
        unsafe {
            // [x0 y0 x2 y2 x4 y4 x6 y6] and so on.
            let (xy_even, xy_odd) = (_mm512_unpacklo_pd(x, y), _mm512_unpackhi_pd(x, y));
            let (zw_even, zw_odd) = (_mm512_unpacklo_pd(z, w), _mm512_unpackhi_pd(z, w));
            let pairs = [(xy_even, zw_even, 0), (xy_odd, zw_odd, 1)];
            for (xy, zw, first) in pairs {
                let lower =
                    _mm512_permutex2var_pd(xy, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), zw);
                let upper =
                    _mm512_permutex2var_pd(xy, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), zw);
                _mm256_storeu_pd(put(first), _mm512_castpd512_pd256(lower));
                _mm256_storeu_pd(put(first + 2), _mm512_extractf64x4_pd::<1>(lower));
                _mm256_storeu_pd(put(first + 4), _mm512_castpd512_pd256(upper));
                _mm256_storeu_pd(put(first + 6), _mm512_extractf64x4_pd::<1>(upper));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on one pair of vectors, as numbers.
    struct Operations<'a>(&'a [f64], &'a [f64]);

    impl Kernel for Operations<'_> {
        type Output = Vec<Vec<f64>>;
        #[inline(always)]
        fn run<V: Vector>(self) -> Vec<Vec<f64>> {
            let mut results = vec![Vec::new(); 11];
            for (a, b) in self.0.chunks_exact(V::LANES).zip(self.1.chunks_exact(V::LANES)) {
                let (a, b) = (V::load(a), V::load(b));
                let values = [
                    a + b,
                    a - b,
                    a * b,
                    a / b,
                    a.sqrt(),
                    a.abs(),
                    a.only(b.is_finite()),
                    a.only(a.is_above(b)),
                    V::select(a.is_above(b), a, b),
                    a.shift_up(b),
                    a.shift_down(b),
                ];
                for (result, value) in results.iter_mut().zip(values) {
                    result.extend_from_slice(value.as_slice());
                }
            }
            results
        }
    }

    fn bits(numbers: &[f64]) -> Vec<u64> {
        numbers.iter().map(|x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }).collect()
    }

    #[test]
    fn every_instruction_set_computes_what_scalars_compute() {
        let a = [1.5, -0.0, 0.0, f64::INFINITY, f64::NAN, 1e-310, -3.0, 1e300];
        let b = [0.1, 0.0, f64::NAN, 2.0, f64::INFINITY, 3.0, -0.0, 1e300];
        let each = |f: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            a.iter().zip(&b).map(|(a, b)| f(*a, *b)).collect()
        };
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            let n = isa.lanes().max(2);
            let neighbours = |up: bool| -> Vec<f64> {
                let shifted = |(a, b): (&[f64], &[f64])| {
                    let row = if up { [&b[n - 1..], &a[..n - 1]] } else { [&a[1..], &b[..1]] };
                    row.concat()
                };
                a.chunks_exact(n).zip(b.chunks_exact(n)).flat_map(shifted).collect()
            };
            let expected = [
                each(&|a, b| a + b),
                each(&|a, b| a - b),
                each(&|a, b| a * b),
                each(&|a, b| a / b),
                each(&|a, _| a.sqrt()),
                each(&|a, _| a.abs()),
                each(&|a, b| if b.is_finite() { a } else { 0.0 }),
                each(&|a, b| if a > b { a } else { 0.0 }),
                each(&|a, b| if a > b { a } else { b }),
                neighbours(true),
                neighbours(false),
            ];
            let found = isa.run(Operations(&a, &b));
            for (operation, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(bits(found), bits(expected), "{} {operation}", isa.name());
            }
        }
    }
}
