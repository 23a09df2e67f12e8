//! Vector arithmetic (axpy and the like) on columns of particles, in SIMD. Each element undergoes
//! the same operations as in a scalar loop, so the bits are the same.

use crate::numerics::simd::{Isa, Kernel, Vector, coordinates, coordinates_mut};
use bytemuck::Pod;
use glam::DVec3;
use itertools::izip;
use std::array;

/// Computes y ← y + s·x, element by element.
pub fn axpy<T: Pod>(s: f64, x: &[T], y: &mut [T]) {
    let (x, y) = (coordinates(x), coordinates_mut(y));
    run_vectorised(
        #[inline(always)]
        move || {
            for (y, x) in y.iter_mut().zip(x) {
                *y += s * *x;
            }
        },
    );
}

/// Computes y ← x + s·y, element by element.
pub fn aypx<T: Pod>(s: f64, x: &[T], y: &mut [T]) {
    let (x, y) = (coordinates(x), coordinates_mut(y));
    run_vectorised(
        #[inline(always)]
        move || {
            for (y, x) in y.iter_mut().zip(x) {
                *y = *x + s * *y;
            }
        },
    );
}

/// Computes z ← y + s·x, element by element.
pub fn advance(y: &[DVec3], s: f64, x: &[DVec3], z: &mut [DVec3]) {
    let (y, x, z) = (coordinates(y), coordinates(x), coordinates_mut(z));
    run_vectorised(
        #[inline(always)]
        move || {
            for ((z, y), x) in z.iter_mut().zip(y).zip(x) {
                *z = y + s * x;
            }
        },
    );
}

/// Applies a kick v' ← v + k·a, then a drift x' ← x + d·v', from `[x, v]` to `[x', v']`. One loop
/// does both, so the memory is read once instead of twice.
pub fn kick_and_drift(
    [x, v]: [&[DVec3]; 2],
    k: f64,
    a: &[DVec3],
    d: f64,
    [x_new, v_new]: [&mut [DVec3]; 2],
) {
    let (x, v, a) = (coordinates(x), coordinates(v), coordinates(a));
    let (x_new, v_new) = (coordinates_mut(x_new), coordinates_mut(v_new));
    run_vectorised(
        #[inline(always)]
        move || {
            for (x_new, v_new, x, v, a) in izip!(x_new, v_new, x, v, a) {
                *v_new = v + k * a;
                *x_new = x + d * *v_new;
            }
        },
    );
}

/// Computes z ← y + s·Σ wₖ·xₖ, element by element.
pub fn combine<const N: usize>(y: &[DVec3], s: f64, x: [(f64, &[DVec3]); N], z: &mut [DVec3]) {
    let (y, z) = (coordinates(y), coordinates_mut(z));
    let x = x.map(|(w, x)| (w, coordinates(x)));
    run_vectorised(
        #[inline(always)]
        move || {
            let x = x.map(
                #[inline(always)]
                |(w, x)| (w, &x[..z.len()]),
            );
            for (i, (z, y)) in z.iter_mut().zip(y).enumerate() {
                let mut sum = x[0].0 * x[0].1[i];
                for (w, x) in &x[1..] {
                    sum += w * x[i];
                }
                *z = y + sum * s;
            }
        },
    );
}

/// Advances from one stage of a Runge–Kutta step to the next: Σv ← Σv + 2·v_s and Σa ← Σa + 2·a,
/// then x_s ← x + h·v_s and v_s ← v + h·a. `stage` is [x_s, v_s], `sums` is [Σv, Σa].
pub fn next_stage(
    [x, v]: [&[DVec3]; 2],
    a: &[DVec3],
    h: f64,
    stage: [&mut [DVec3]; 2],
    sums: [&mut [DVec3]; 2],
) {
    let (x, v, a) = (coordinates(x), coordinates(v), coordinates(a));
    let [x_stage, v_stage] = stage.map(coordinates_mut);
    let [sum_v, sum_a] = sums.map(coordinates_mut);
    run_vectorised(
        #[inline(always)]
        move || {
            for (x, v, a, x_stage, v_stage, sum_v, sum_a) in
                izip!(x, v, a, x_stage, v_stage, sum_v, sum_a)
            {
                *sum_v += 2.0 * *v_stage;
                *sum_a += 2.0 * a;
                *x_stage = x + h * *v_stage;
                *v_stage = v + h * a;
            }
        },
    );
}

/// Completes a Runge–Kutta step after its last stage: x' ← x + h·(Σv + v_s) and v' ← v + h·(Σa +
/// a). The results replace the sums.
pub fn last_stage(
    [x, v]: [&[DVec3]; 2],
    [v_stage, a]: [&[DVec3]; 2],
    h: f64,
    sums: [&mut [DVec3]; 2],
) {
    let (x, v) = (coordinates(x), coordinates(v));
    let (v_stage, a) = (coordinates(v_stage), coordinates(a));
    let [sum_v, sum_a] = sums.map(coordinates_mut);
    run_vectorised(
        #[inline(always)]
        move || {
            for (x, v, v_stage, a, sum_v, sum_a) in izip!(x, v, v_stage, a, sum_v, sum_a) {
                *sum_v = x + (*sum_v + v_stage) * h;
                *sum_a = v + (*sum_a + a) * h;
            }
        },
    );
}

/// Turns forces into accelerations: f ← w·f + g, with the inverse mass w of each particle. Pinned
/// particles (w = 0) get 0.
pub fn accelerate(w: &[f64], g: DVec3, f: &mut [DVec3]) {
    Isa::best().run(Accelerate { w, g: g.to_array(), f: coordinates_mut(f) });
}

/// Subtracts the deceleration by drag: a ← a − c·v. Pinned particles (w = 0) get 0.
pub fn subtract_drag(w: &[f64], c: f64, v: &[DVec3], a: &mut [DVec3]) {
    Isa::best().run(SubtractDrag { w, c, v: coordinates(v), a: coordinates_mut(a) });
}

/// Runs a loop that the compiler vectorises for each instruction set. The closure must be
/// `#[inline(always)]`.
fn run_vectorised(step: impl FnOnce()) {
    struct Loop<F>(F);

    impl<F: FnOnce()> Kernel for Loop<F> {
        type Output = ();

        #[inline(always)]
        fn run<V: Vector>(self) {
            (self.0)();
        }
    }

    Isa::best().run(Loop(step));
}

/// Arguments of [`accelerate`] as slices of f64. Each inverse mass applies to three numbers of `f`.
/// The compiler does not vectorise such a loop, so the kernel uses explicit vectors.
struct Accelerate<'a> {
    w: &'a [f64],
    g: [f64; 3],
    f: &'a mut [f64],
}

impl Kernel for Accelerate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { w, g, f } = self;
        let cycle: [f64; 24] = array::from_fn(|i| g[i % 3]);
        let n = V::ELEMENTS;
        let g_cycle = [V::load(&cycle), V::load(&cycle[n..]), V::load(&cycle[2 * n..])];
        let zero = V::splat(0.0);
        for (w, f) in V::arrays(w).iter().zip(V::arrays_mut(f).as_chunks_mut::<3>().0) {
            for (f, w, g) in izip!(f, V::from_array(w).repeat_thrice(), g_cycle) {
                let a = V::from_array(f) * w + g;
                *f = a.or_zero(w.is_above(zero)).to_array();
            }
        }
        let whole = w.len() / V::ELEMENTS * V::ELEMENTS;
        for (w, f) in w[whole..].iter().zip(f[3 * whole..].as_chunks_mut::<3>().0) {
            for (f, g) in f.iter_mut().zip(g) {
                *f = if *w > 0.0 { *f * w + g } else { 0.0 };
            }
        }
    }
}

struct SubtractDrag<'a> {
    w: &'a [f64],
    c: f64,
    v: &'a [f64],
    a: &'a mut [f64],
}

impl Kernel for SubtractDrag<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { w, c, v, a } = self;
        let zero = V::splat(0.0);
        let (vs, accelerations) = (V::arrays(v).as_chunks::<3>().0, V::arrays_mut(a));
        for (w, v, a) in izip!(V::arrays(w), vs, accelerations.as_chunks_mut::<3>().0) {
            for (a, w, v) in izip!(a, V::from_array(w).repeat_thrice(), v) {
                let slower = V::from_array(a) - V::splat(c) * V::from_array(v);
                *a = slower.or_zero(w.is_above(zero)).to_array();
            }
        }
        let whole = w.len() / V::ELEMENTS * V::ELEMENTS;
        let rest = v[3 * whole..].as_chunks::<3>().0;
        for (w, v, a) in izip!(&w[whole..], rest, a[3 * whole..].as_chunks_mut::<3>().0) {
            for (a, v) in a.iter_mut().zip(v) {
                *a = if *w > 0.0 { *a - c * v } else { 0.0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_any_length_get_what_a_loop_gives_them() {
        let vector = |i: usize| DVec3::new(1.0 / i as f64, -0.0, -(i as f64)) * 0.1;
        for n in 0..40 {
            let x: Vec<DVec3> = (1..=n).map(vector).collect();
            let y: Vec<DVec3> = x.iter().rev().copied().collect();
            let each = |f: &dyn Fn(usize) -> DVec3| (0..n).map(f).collect::<Vec<_>>();
            let after = |f: &dyn Fn(&mut [DVec3])| {
                let mut z = y.clone();
                f(&mut z);
                z
            };
            assert_eq!(after(&|z| axpy(0.7, &x, z)), each(&|i| y[i] + 0.7 * x[i]));
            assert_eq!(after(&|z| aypx(0.7, &x, z)), each(&|i| x[i] + 0.7 * y[i]));
            assert_eq!(after(&|z| advance(&x, 0.7, &x, z)), each(&|i| x[i] + 0.7 * x[i]));
            assert_eq!(
                after(&|z| combine(&y, 0.7, [(1.0, &x), (4.0, &y), (0.3, &x)], z)),
                each(&|i| y[i] + (x[i] + 4.0 * y[i] + 0.3 * x[i]) * 0.7)
            );
            let (mut x_new, mut v_new) = (y.clone(), y.clone());
            kick_and_drift([&x, &y], 0.7, &x, 0.3, [&mut x_new, &mut v_new]);
            assert_eq!(v_new, each(&|i| y[i] + 0.7 * x[i]));
            assert_eq!(x_new, each(&|i| x[i] + 0.3 * v_new[i]));
            let (mut x_stage, mut v_stage) = (y.clone(), x.clone());
            let (mut sum_v, mut sum_a) = (x.clone(), y.clone());
            let now = [&x[..], &y];
            next_stage(now, &y, 0.3, [&mut x_stage, &mut v_stage], [&mut sum_v, &mut sum_a]);
            let v_next = each(&|i| y[i] + 0.3 * y[i]);
            assert_eq!((&x_stage, &v_stage), (&each(&|i| x[i] + 0.3 * x[i]), &v_next));
            assert_eq!(sum_v, each(&|i| x[i] + 2.0 * x[i]));
            assert_eq!(sum_a, each(&|i| y[i] + 2.0 * y[i]));
            last_stage(now, [&v_stage, &x], 0.1, [&mut sum_v, &mut sum_a]);
            assert_eq!(sum_v, each(&|i| x[i] + ((x[i] + 2.0 * x[i]) + v_next[i]) * 0.1));
            assert_eq!(sum_a, each(&|i| y[i] + ((y[i] + 2.0 * y[i]) + x[i]) * 0.1));
            let s: Vec<f64> = x.iter().map(|x| (3.0 * x.x - 0.03).max(0.0)).collect();
            let g = DVec3::new(0.3, -9.81, 1e-3);
            let free = |i: usize, a: DVec3| if s[i] > 0.0 { a } else { DVec3::ZERO };
            assert_eq!(after(&|z| accelerate(&s, g, z)), each(&|i| free(i, y[i] * s[i] + g)));
            assert_eq!(
                after(&|z| subtract_drag(&s, 0.7, &x, z)),
                each(&|i| free(i, y[i] - 0.7 * x[i]))
            );
        }
    }
}
