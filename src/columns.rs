//! Arithmetic on columns of vectors, as wide as the machine allows: the same operations on each
//! number as in a loop.

use crate::simd::{Isa, Kernel, Vector, coordinates, coordinates_mut};
use glam::DVec3;

/// y ← y + s·x, element by element.
pub fn axpy(s: f64, x: &[DVec3], y: &mut [DVec3]) {
    Isa::best().run(Axpy { s, x: coordinates(x), y: coordinates_mut(y) });
}

/// z ← y + s·x, element by element.
pub fn advance(y: &[DVec3], s: f64, x: &[DVec3], z: &mut [DVec3]) {
    let (y, x, z) = (coordinates(y), coordinates(x), coordinates_mut(z));
    Isa::best().run(Advance { y, s, x, z });
}

/// Numbers one after the other; the compiler makes vectors of them.
struct Advance<'a> {
    y: &'a [f64],
    s: f64,
    x: &'a [f64],
    z: &'a mut [f64],
}

impl Kernel for Advance<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { y, s, x, z } = self;
        for ((z, y), x) in z.iter_mut().zip(y).zip(x) {
            *z = y + s * x;
        }
    }
}

/// As [`Advance`].
struct Axpy<'a> {
    s: f64,
    x: &'a [f64],
    y: &'a mut [f64],
}

impl Kernel for Axpy<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { s, x, y } = self;
        for (y, x) in y.iter_mut().zip(x) {
            *y += s * *x;
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
            assert_eq!(after(&|z| advance(&x, 0.7, &x, z)), each(&|i| x[i] + 0.7 * x[i]));
        }
    }
}
