//! The instruction sets of x86-64.

use super::{DVec3, Kernel, Vector};
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
     both($one:ident, $other:ident) $both:expr,
     only($only_value:ident, $only_mask:ident) $only:expr,
     select($select_mask:ident, $yes:ident, $no:ident) $select:expr,
     shift_up($up:ident, $before:ident) $shift_up:expr,
     shift_down($down:ident, $after:ident) $shift_down:expr,
     lanes($lanes_from:ident),
     rows($gather:ident $scatter:ident $whole_row:ident $put_whole_row:ident),
     points($point:ident $put_point:ident $no_point:ident),
     run($run:ident $put_run:ident) $(,)?) => {
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
            fn strided(numbers: &[f64], stride: usize) -> Self {
                if numbers.len() > ($lanes - 1) * stride {
                    let first = numbers.as_ptr();
                    return Self(unsafe { $lanes_from(|lane| *first.add(lane * stride)) });
                }
                let number = |lane: usize| numbers.get(lane * stride).copied().unwrap_or(0.0);
                Self(unsafe { $lanes_from(number) })
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
            fn both($one: $mask, $other: $mask) -> $mask {
                unsafe { $both }
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
                let row = |lane: usize| rows[at[lane] as usize].as_ptr();
                let [x, y, z, w] = unsafe { $gather(|lane| $whole_row(row(lane))) };
                [Self(x), Self(y), Self(z), Self(w)]
            }
            #[inline(always)]
            fn scatter([x, y, z, w]: [Self; 4], rows: &mut [[f64; 4]], at: &[u32]) {
                let mut row = |lane: usize| rows[at[lane] as usize].as_mut_ptr();
                unsafe {
                    $scatter([x.0, y.0, z.0, w.0], |lane, v| $put_whole_row(row(lane), v))
                }
            }
            #[inline(always)]
            fn points(points: &[DVec3], stride: usize) -> [Self; 3] {
                if stride == 1 && points.len() >= $lanes {
                    let [x, y, z] = unsafe { $run(points.as_ptr().cast()) };
                    return [Self(x), Self(y), Self(z)];
                }
                let row = |lane: usize| match points.get(lane * stride) {
                    Some(point) => unsafe { $point(std::ptr::from_ref(point).cast()) },
                    None => unsafe { $no_point() },
                };
                let [x, y, z, _] = unsafe { $gather(row) };
                [Self(x), Self(y), Self(z)]
            }
            #[inline(always)]
            fn put_points([x, y, z]: [Self; 3], points: &mut [DVec3], stride: usize) {
                if stride == 1 && points.len() >= $lanes {
                    let run = points.as_mut_ptr().cast();
                    return unsafe { $put_run([x.0, y.0, z.0], run) };
                }
                let put = |lane: usize, row| {
                    if let Some(point) = points.get_mut(lane * stride) {
                        unsafe { $put_point(std::ptr::from_mut(point).cast(), row) }
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
    Sse2(__m128d), __m128d, 2,
    [_mm_add_pd _mm_sub_pd _mm_mul_pd _mm_div_pd _mm_sqrt_pd _mm_set1_pd _mm_loadu_pd],
    abs(v) _mm_andnot_pd(_mm_set1_pd(-0.0), v),
    is_finite(v) _mm_cmplt_pd(
        _mm_andnot_pd(_mm_set1_pd(-0.0), v),
        _mm_set1_pd(f64::INFINITY),
    ),
    is_above(v, limit) _mm_cmpgt_pd(v, limit),
    both(one, other) _mm_and_pd(one, other),
    only(v, mask) _mm_and_pd(v, mask),
    select(mask, yes, no) _mm_or_pd(_mm_and_pd(mask, yes), _mm_andnot_pd(mask, no)),
    shift_up(v, before) _mm_shuffle_pd::<0b01>(before, v),
    shift_down(v, after) _mm_shuffle_pd::<0b01>(v, after),
    lanes(lanes_2),
    rows(gather_2 scatter_2 row_2 put_row_2),
    points(point_2 put_point_2 no_point_2),
    run(run_2 put_run_2),
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
    both(one, other) _mm256_and_pd(one, other),
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
    lanes(lanes_4),
    rows(gather_4 scatter_4 _mm256_loadu_pd _mm256_storeu_pd),
    points(point_4 put_point_4 _mm256_setzero_pd),
    run(run_4 put_run_4),
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
    both(one, other) _kand_mask8(one, other),
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
    lanes(lanes_8),
    rows(gather_8 scatter_8 _mm256_loadu_pd _mm256_storeu_pd),
    points(point_4 put_point_4 _mm256_setzero_pd),
    run(run_8 put_run_8),
}

// One number after the other, the lowest lane first.

#[inline(always)]
unsafe fn lanes_2(number: impl Fn(usize) -> f64) -> __m128d {
    unsafe { _mm_setr_pd(number(0), number(1)) }
}

#[inline(always)]
unsafe fn lanes_4(number: impl Fn(usize) -> f64) -> __m256d {
    unsafe { _mm256_setr_pd(number(0), number(1), number(2), number(3)) }
}

#[inline(always)]
unsafe fn lanes_8(number: impl Fn(usize) -> f64) -> __m512d {
    let n = number;
    unsafe { _mm512_setr_pd(n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7)) }
}

// Rows of four numbers to columns and back: transposed in registers. SAFETY of the pointers: a
// row is four f64, a point is three, and whoever names one has checked its index.

/// A row in two halves.
type Halves = [__m128d; 2];

#[inline(always)]
unsafe fn row_2(row: *const f64) -> Halves {
    unsafe { [_mm_loadu_pd(row), _mm_loadu_pd(row.add(2))] }
}

#[inline(always)]
unsafe fn put_row_2(row: *mut f64, [low, high]: Halves) {
    unsafe {
        _mm_storeu_pd(row, low);
        _mm_storeu_pd(row.add(2), high);
    }
}

#[inline(always)]
unsafe fn point_2(point: *const f64) -> Halves {
    unsafe { [_mm_loadu_pd(point), _mm_load_sd(point.add(2))] }
}

#[inline(always)]
unsafe fn put_point_2(point: *mut f64, [low, high]: Halves) {
    unsafe {
        _mm_storeu_pd(point, low);
        _mm_store_sd(point.add(2), high);
    }
}

#[inline(always)]
unsafe fn no_point_2() -> Halves {
    unsafe { [_mm_setzero_pd(); 2] }
}

#[inline(always)]
unsafe fn point_4(point: *const f64) -> __m256d {
    unsafe {
        let [low, high] = point_2(point);
        _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(low), high)
    }
}

#[inline(always)]
unsafe fn put_point_4(point: *mut f64, row: __m256d) {
    unsafe {
        put_point_2(point, [_mm256_castpd256_pd128(row), _mm256_extractf128_pd::<1>(row)]);
    }
}

// A run of points as three whole registers. Number m of the run, which is coordinate m % 3 of
// point m / 3, is in place m % LANES of register m / LANES. So the x of all points are in
// different places, and so are the y and the z: blended into one register, then put in order.

#[inline(always)]
unsafe fn run_2(run: *const f64) -> [__m128d; 3] {
    unsafe {
        let [a, b, c] = [0, 2, 4].map(|m| _mm_loadu_pd(run.add(m)));
        [_mm_shuffle_pd::<0b10>(a, b), _mm_shuffle_pd::<0b01>(a, c), _mm_shuffle_pd::<0b10>(b, c)]
    }
}

#[inline(always)]
unsafe fn put_run_2([x, y, z]: [__m128d; 3], run: *mut f64) {
    unsafe {
        _mm_storeu_pd(run, _mm_unpacklo_pd(x, y));
        _mm_storeu_pd(run.add(2), _mm_shuffle_pd::<0b10>(z, x));
        _mm_storeu_pd(run.add(4), _mm_unpackhi_pd(y, z));
    }
}

#[inline(always)]
unsafe fn run_4(run: *const f64) -> [__m256d; 3] {
    unsafe {
        let [a, b, c] = [0, 4, 8].map(|m| _mm256_loadu_pd(run.add(m)));
        [
            _mm256_permute4x64_pd::<0b01_10_11_00>(blended_4(a, b, c)),
            _mm256_permute4x64_pd::<0b10_11_00_01>(blended_4(b, c, a)),
            _mm256_permute4x64_pd::<0b11_00_01_10>(blended_4(c, a, b)),
        ]
    }
}

#[inline(always)]
unsafe fn put_run_4([x, y, z]: [__m256d; 3], run: *mut f64) {
    unsafe {
        let x = _mm256_permute4x64_pd::<0b01_10_11_00>(x);
        let y = _mm256_permute4x64_pd::<0b10_11_00_01>(y);
        let z = _mm256_permute4x64_pd::<0b11_00_01_10>(z);
        _mm256_storeu_pd(run, blended_4(x, z, y));
        _mm256_storeu_pd(run.add(4), blended_4(y, x, z));
        _mm256_storeu_pd(run.add(8), blended_4(z, y, x));
    }
}

/// Places 0 and 3 from p, 2 from q, 1 from r.
#[inline(always)]
unsafe fn blended_4(p: __m256d, q: __m256d, r: __m256d) -> __m256d {
    unsafe { _mm256_blend_pd::<0b0010>(_mm256_blend_pd::<0b0100>(p, q), r) }
}

#[inline(always)]
unsafe fn run_8(run: *const f64) -> [__m512d; 3] {
    unsafe {
        let [a, b, c] = [0, 8, 16].map(|m| _mm512_loadu_pd(run.add(m)));
        [
            ordered_8([0, 3, 6, 1, 4, 7, 2, 5], blended_8(a, b, c)),
            ordered_8([1, 4, 7, 2, 5, 0, 3, 6], blended_8(c, a, b)),
            ordered_8([2, 5, 0, 3, 6, 1, 4, 7], blended_8(b, c, a)),
        ]
    }
}

#[inline(always)]
unsafe fn put_run_8([x, y, z]: [__m512d; 3], run: *mut f64) {
    unsafe {
        let x = ordered_8([0, 3, 6, 1, 4, 7, 2, 5], x);
        let y = ordered_8([5, 0, 3, 6, 1, 4, 7, 2], y);
        let z = ordered_8([2, 5, 0, 3, 6, 1, 4, 7], z);
        _mm512_storeu_pd(run, blended_8(x, y, z));
        _mm512_storeu_pd(run.add(8), blended_8(z, x, y));
        _mm512_storeu_pd(run.add(16), blended_8(y, z, x));
    }
}

/// Places 0, 3 and 6 from p, 1, 4 and 7 from q, 2 and 5 from r.
#[inline(always)]
unsafe fn blended_8(p: __m512d, q: __m512d, r: __m512d) -> __m512d {
    unsafe { _mm512_mask_blend_pd(0b0010_0100, _mm512_mask_blend_pd(0b1001_0010, p, q), r) }
}

/// Lane i of the result is the lane of v that `places[i]` names.
#[inline(always)]
unsafe fn ordered_8(places: [i64; 8], v: __m512d) -> __m512d {
    unsafe { _mm512_permutexvar_pd(_mm512_loadu_si512(places.as_ptr().cast()), v) }
}

#[inline(always)]
unsafe fn gather_2(row: impl Fn(usize) -> Halves) -> [__m128d; 4] {
    unsafe {
        let ([p01, p23], [q01, q23]) = (row(0), row(1));
        [
            _mm_unpacklo_pd(p01, q01),
            _mm_unpackhi_pd(p01, q01),
            _mm_unpacklo_pd(p23, q23),
            _mm_unpackhi_pd(p23, q23),
        ]
    }
}

#[inline(always)]
unsafe fn scatter_2([x, y, z, w]: [__m128d; 4], mut put: impl FnMut(usize, Halves)) {
    unsafe {
        put(0, [_mm_unpacklo_pd(x, y), _mm_unpacklo_pd(z, w)]);
        put(1, [_mm_unpackhi_pd(x, y), _mm_unpackhi_pd(z, w)]);
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
unsafe fn gather_4(row: impl Fn(usize) -> __m256d) -> [__m256d; 4] {
    unsafe { transpose_4([row(0), row(1), row(2), row(3)]) }
}

#[inline(always)]
unsafe fn scatter_4(columns: [__m256d; 4], mut put: impl FnMut(usize, __m256d)) {
    let rows = unsafe { transpose_4(columns) };
    for (lane, row) in rows.into_iter().enumerate() {
        put(lane, row);
    }
}

#[inline(always)]
unsafe fn side_by_side(low: __m256d, high: __m256d) -> __m512d {
    unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high) }
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
unsafe fn gather_8(row: impl Fn(usize) -> __m256d) -> [__m512d; 4] {
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
unsafe fn scatter_8([x, y, z, w]: [__m512d; 4], mut put: impl FnMut(usize, __m256d)) {
    unsafe {
        // [x0 y0 x2 y2 x4 y4 x6 y6] and so on.
        let (xy_even, xy_odd) = (_mm512_unpacklo_pd(x, y), _mm512_unpackhi_pd(x, y));
        let (zw_even, zw_odd) = (_mm512_unpacklo_pd(z, w), _mm512_unpackhi_pd(z, w));
        let pairs = [(xy_even, zw_even, 0), (xy_odd, zw_odd, 1)];
        for (xy, zw, first) in pairs {
            let lower = _mm512_permutex2var_pd(xy, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), zw);
            let upper =
                _mm512_permutex2var_pd(xy, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), zw);
            put(first, _mm512_castpd512_pd256(lower));
            put(first + 2, _mm512_extractf64x4_pd::<1>(lower));
            put(first + 4, _mm512_castpd512_pd256(upper));
            put(first + 6, _mm512_extractf64x4_pd::<1>(upper));
        }
    }
}
