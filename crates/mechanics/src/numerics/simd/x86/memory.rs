//! Loads and stores of x86-64 vectors: single numbers, rows of four numbers, points of three
//! numbers.

use std::arch::x86_64::*;

// Vectors from single numbers; `number(i)` is element i.

#[inline(always)]
pub unsafe fn elements_4(number: impl Fn(usize) -> f64) -> __m256d {
    unsafe { _mm256_setr_pd(number(0), number(1), number(2), number(3)) }
}

#[inline(always)]
pub unsafe fn elements_8(number: impl Fn(usize) -> f64) -> __m512d {
    let n = number;
    unsafe { _mm512_setr_pd(n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7)) }
}

// Conversion between rows of four numbers and columns, by a transposition in registers. SAFETY of
// the pointers: a row has four f64, a point has three, and callers have checked the index.

#[inline(always)]
pub unsafe fn point_4(point: *const f64) -> __m256d {
    unsafe {
        let [low, high] = [_mm_loadu_pd(point), _mm_load_sd(point.add(2))];
        _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(low), high)
    }
}

#[inline(always)]
pub unsafe fn put_point_4(point: *mut f64, row: __m256d) {
    unsafe {
        _mm_storeu_pd(point, _mm256_castpd256_pd128(row));
        _mm_store_sd(point.add(2), _mm256_extractf128_pd::<1>(row));
    }
}

// Conversion between `ELEMENTS` consecutive points and three vectors x, y and z. The points are
// loaded as three registers: number m (coordinate m % 3 of point m / 3) is element m % ELEMENTS of
// register m / ELEMENTS. The x of all points are in different elements, as are the y and the z. A
// blend can therefore collect one coordinate of all points in one register, and a permutation sorts
// it.

#[inline(always)]
pub unsafe fn run_4(run: *const f64) -> [__m256d; 3] {
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
pub unsafe fn put_run_4([x, y, z]: [__m256d; 3], run: *mut f64) {
    unsafe {
        let x = _mm256_permute4x64_pd::<0b01_10_11_00>(x);
        let y = _mm256_permute4x64_pd::<0b10_11_00_01>(y);
        let z = _mm256_permute4x64_pd::<0b11_00_01_10>(z);
        _mm256_storeu_pd(run, blended_4(x, z, y));
        _mm256_storeu_pd(run.add(4), blended_4(y, x, z));
        _mm256_storeu_pd(run.add(8), blended_4(z, y, x));
    }
}

/// Returns elements 0 and 3 of p, 2 of q and 1 of r.
#[inline(always)]
unsafe fn blended_4(p: __m256d, q: __m256d, r: __m256d) -> __m256d {
    unsafe { _mm256_blend_pd::<0b0010>(_mm256_blend_pd::<0b0100>(p, q), r) }
}

#[inline(always)]
pub unsafe fn run_8(run: *const f64) -> [__m512d; 3] {
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
pub unsafe fn put_run_8([x, y, z]: [__m512d; 3], run: *mut f64) {
    unsafe {
        let x = ordered_8([0, 3, 6, 1, 4, 7, 2, 5], x);
        let y = ordered_8([5, 0, 3, 6, 1, 4, 7, 2], y);
        let z = ordered_8([2, 5, 0, 3, 6, 1, 4, 7], z);
        _mm512_storeu_pd(run, blended_8(x, y, z));
        _mm512_storeu_pd(run.add(8), blended_8(z, x, y));
        _mm512_storeu_pd(run.add(16), blended_8(y, z, x));
    }
}

/// Returns elements 0, 3 and 6 of p, 1, 4 and 7 of q, 2 and 5 of r.
#[inline(always)]
unsafe fn blended_8(p: __m512d, q: __m512d, r: __m512d) -> __m512d {
    unsafe { _mm512_mask_blend_pd(0b0010_0100, _mm512_mask_blend_pd(0b1001_0010, p, q), r) }
}

/// Permutes v: element i of the result is element `places[i]` of v.
#[inline(always)]
unsafe fn ordered_8(places: [i64; 8], v: __m512d) -> __m512d {
    unsafe { _mm512_permutexvar_pd(_mm512_loadu_si512(places.as_ptr().cast()), v) }
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
pub unsafe fn gather_4(row: impl Fn(usize) -> __m256d) -> [__m256d; 4] {
    unsafe { transpose_4([row(0), row(1), row(2), row(3)]) }
}

#[inline(always)]
pub unsafe fn scatter_4(columns: [__m256d; 4], mut put: impl FnMut(usize, __m256d)) {
    let rows = unsafe { transpose_4(columns) };
    for (element, row) in rows.into_iter().enumerate() {
        put(element, row);
    }
}

#[inline(always)]
unsafe fn side_by_side(low: __m256d, high: __m256d) -> __m512d {
    unsafe { _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high) }
}

/// Returns the four columns of eight rows of four numbers. Each argument contains two rows: 0 and
/// 2, 1 and 3, 4 and 6, 5 and 7.
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
pub unsafe fn gather_8(row: impl Fn(usize) -> __m256d) -> [__m512d; 4] {
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
pub unsafe fn scatter_8([x, y, z, w]: [__m512d; 4], mut put: impl FnMut(usize, __m256d)) {
    unsafe {
        // xy_even is [x0 y0 x2 y2 x4 y4 x6 y6]; xy_odd has the odd elements.
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
