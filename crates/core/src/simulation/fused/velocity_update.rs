//! Velocity update of the fused step as a vector kernel.

use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::numerics::displacement::{DisplacementBounds, VectorBounds};
use ropelab_mechanics::numerics::simd::{Isa, Kernel, Vector, coordinates, coordinates_mut};

/// Updates velocities after constraints moved particles from `x` (free motion) to `projected`: v ←
/// v + (projected − x)/h, x ← projected. Returns the bounds of the displacements from `step_start`.
/// Gives the same bits as [`crate::simulation::update_velocities`].
pub(super) fn update_velocities(
    x: &mut [DVec3],
    v: &mut [DVec3],
    projected: &[DVec3],
    step_start: &[DVec3],
    h: f64,
) -> DisplacementBounds {
    Isa::best().run(VelocityUpdate {
        rate: 1.0 / h,
        projected: coordinates(projected),
        step_start: coordinates(step_start),
        x: coordinates_mut(x),
        v: coordinates_mut(v),
    })
}

/// Columns of the kernel: x, y and z of the first particle, then those of the second, and so on.
struct VelocityUpdate<'a> {
    /// Factor 1/h in 1/s.
    rate: f64,
    projected: &'a [f64],
    step_start: &'a [f64],
    x: &'a mut [f64],
    v: &'a mut [f64],
}

impl Kernel for VelocityUpdate<'_> {
    type Output = DisplacementBounds;

    #[inline(always)]
    fn run<V: Vector>(self) -> DisplacementBounds {
        let Self { rate, projected, step_start, x, v } = self;
        let mut vector_bounds = VectorBounds::<V>::none();
        let whole = x.len() / (3 * V::ELEMENTS) * (3 * V::ELEMENTS);
        let threes = izip!(
            V::arrays(projected).as_chunks::<3>().0,
            V::arrays(step_start).as_chunks::<3>().0,
            V::arrays_mut(x).as_chunks_mut::<3>().0,
            V::arrays_mut(v).as_chunks_mut::<3>().0
        );
        for (projected, step_start, x, v) in threes {
            for k in 0..3 {
                let to = V::from_array(&projected[k]);
                let from = V::from_array(&x[k]);
                let v_new = V::from_array(&v[k]) + (to - from) * V::splat(rate);
                vector_bounds.include(k, to - V::from_array(&step_start[k]), v_new);
                (x[k], v[k]) = (to.to_array(), v_new.to_array());
            }
        }
        let mut bounds = vector_bounds.bounds();
        let rest = izip!(
            projected[whole..].as_chunks::<3>().0,
            step_start[whole..].as_chunks::<3>().0,
            x[whole..].as_chunks_mut::<3>().0,
            v[whole..].as_chunks_mut::<3>().0
        );
        for (to, step_start, x, v) in rest {
            for k in 0..3 {
                v[k] += (to[k] - x[k]) * rate;
            }
            *x = *to;
            bounds
                .include([to[0] - step_start[0], to[1] - step_start[1], to[2] - step_start[2]], *v);
        }
        bounds
    }
}
