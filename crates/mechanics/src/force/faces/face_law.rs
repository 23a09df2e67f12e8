//! Wind force on the corners of a triangle: formulas for one triangle, and for SIMD vectors of one
//! triangle per element.

use crate::force::row_vectors::{cross, minus, plus, scaled};
use crate::numerics::simd::{Vector, dot};
use glam::DVec3;

/// Air flow past a triangle, and the triangle's area vector; or the directional derivatives of both
/// vectors.
#[derive(Clone, Copy)]
pub(in crate::force) struct Face {
    /// Three times the velocity of the air relative to the triangle, in m/s. Using the sum over the
    /// three corners instead of the mean saves a division.
    u: DVec3,
    /// Area vector in m²: twice the area times the unit normal, computed as the cross product of
    /// two sides.
    s: DVec3,
}

impl Face {
    /// Returns the derivative of [`FaceForce::face`] for a triangle with the corners `[a, b, c]`,
    /// along the changes dx of the positions and dv of the velocities.
    #[inline]
    pub fn change([a, b, c]: [DVec3; 3], dx: [DVec3; 3], dv: [DVec3; 3]) -> Self {
        let ((ab, ac), (dab, dac)) = ((b - a, c - a), (dx[1] - dx[0], dx[2] - dx[0]));
        Self { u: DVec3::ZERO - (dv[0] + dv[1] + dv[2]), s: dab.cross(ac) + ab.cross(dac) }
    }
}

/// Wind force of [`crate::force::FaceWind`] as a function of positions and velocities.
#[derive(Clone, Copy)]
pub(in crate::force) struct FaceForce {
    /// Three times the velocity of the air in m/s.
    air: DVec3,
    /// Coefficients of the drag and lift terms in [`Self::force`], in kg/m³.
    factors: [f64; 2],
}

impl FaceForce {
    /// Creates the law for air of velocity `air` in m/s and density `density` in kg/m³. `drag` and
    /// `lift` are the coefficients C_D and C_L.
    pub fn new(air: DVec3, density: f64, drag: f64, lift: f64) -> Self {
        // 1/2 from the formula of `FaceWind`, 1/3 for each corner, and the scales of `Face`:
        // 1/(3·3) for |u| u, 1/2 for s.
        let factor = density / (2.0 * 3.0 * 3.0 * 3.0 * 2.0);
        Self { air: 3.0 * air, factors: [factor * drag, factor * lift] }
    }

    /// Returns the flow and area of a triangle with the corners `[a, b, c]` and their velocities
    /// `v`.
    #[inline]
    pub fn face(&self, [a, b, c]: [DVec3; 3], v: [DVec3; 3]) -> Face {
        Face { u: self.air - (v[0] + v[1] + v[2]), s: (b - a).cross(c - a) }
    }

    /// Returns the force on each corner in newtons:
    ///
    /// drag |u·s| u + lift cos (u² s − (u·s) u), cos = u·s / √(u² s²)
    ///
    /// The force is zero if the triangle has no area or moves with the air.
    #[inline]
    pub fn force(&self, Face { u, s }: Face) -> DVec3 {
        let [drag, lift] = self.factors;
        let (flow, u2) = (u.dot(s), u.dot(u));
        let product = u2 * s.dot(s);
        let lift = lift * (flow / product.sqrt());
        let force = (drag * flow.abs() - lift * flow) * u + (lift * u2) * s;
        if product > 0.0 { force } else { DVec3::ZERO }
    }

    /// Returns the directional derivative of [`Self::force`], by the product rule. The second
    /// argument is the derivative of the first.
    #[inline]
    pub fn force_change(&self, Face { u, s }: Face, Face { u: du, s: ds }: Face) -> DVec3 {
        let [drag, lift] = self.factors;
        let (flow, u2, s2) = (u.dot(s), u.dot(u), s.dot(s));
        let product = u2 * s2;
        let q = 1.0 / product.sqrt();
        let (dflow, half_du2) = (du.dot(s) + u.dot(ds), u.dot(du));
        let cos = flow * q;
        let dcos = dflow * q - cos * ((half_du2 * s2 + u2 * s.dot(ds)) * (q * q));
        let (lift, dlift) = (lift * cos, lift * dcos);
        let side = if flow > 0.0 { drag } else { -drag };
        let along = side * flow - lift * flow;
        let dalong = side * dflow - (dlift * flow + lift * dflow);
        let across = lift * u2;
        let dacross = dlift * u2 + lift * (half_du2 + half_du2);
        let change = (dalong * u + along * du) + (dacross * s + across * ds);
        if product > 0.0 { change } else { DVec3::ZERO }
    }
}

/// Corners of triangles, one triangle per element: positions, and K other columns such as
/// velocities.
#[derive(Clone, Copy)]
pub(in crate::force) struct FaceCorner<V, const K: usize> {
    pub x: [V; 3],
    pub others: [[V; 3]; K],
}

/// Computes the force on each corner of a triangle, or its directional derivative. The order of
/// operations is that of [`FaceForce::force`] and [`FaceForce::force_change`], so the bits are the
/// same.
pub(in crate::force) trait CornerForce<const K: usize>:
    Copy + Send + Sync
{
    fn force_on_corners<V: Vector>(self, corners: [FaceCorner<V, K>; 3]) -> [V; 3];
}

/// One additional column: velocities.
impl CornerForce<1> for FaceForce {
    #[inline(always)]
    fn force_on_corners<V: Vector>(self, [a, b, c]: [FaceCorner<V, 1>; 3]) -> [V; 3] {
        let sides = [minus(b.x, a.x), minus(c.x, a.x)];
        let [u, s] = self.flow_and_normal(sides, [a.others[0], b.others[0], c.others[0]]);
        let [drag, lift] = [V::splat(self.factors[0]), V::splat(self.factors[1])];
        let (flow, u2) = (dot(u, s), dot(u, u));
        let product = u2 * dot(s, s);
        let lift = lift * (flow / product.sqrt());
        let force = plus(scaled(drag * flow.abs() - lift * flow, u), scaled(lift * u2, s));
        zero_unless_positive(product, force)
    }
}

impl FaceForce {
    /// Returns [u, s] of [`Face`] for triangles with the sides ab and ac and the corner velocities
    /// `v`.
    #[inline(always)]
    fn flow_and_normal<V: Vector>(self, [ab, ac]: [[V; 3]; 2], v: [[V; 3]; 3]) -> [[V; 3]; 2] {
        let air = [V::splat(self.air.x), V::splat(self.air.y), V::splat(self.air.z)];
        [minus(air, plus(plus(v[0], v[1]), v[2])), cross(ab, ac)]
    }
}

/// Directional derivative of [`FaceForce`] along dx and dv.
#[derive(Clone, Copy)]
pub(in crate::force) struct FaceDerivative(pub FaceForce);

/// Three additional columns: v, dx and dv.
impl CornerForce<3> for FaceDerivative {
    #[inline(always)]
    fn force_on_corners<V: Vector>(self, [a, b, c]: [FaceCorner<V, 3>; 3]) -> [V; 3] {
        let ([v_a, dx_a, dv_a], [v_b, dx_b, dv_b], [v_c, dx_c, dv_c]) =
            (a.others, b.others, c.others);
        let (ab, ac) = (minus(b.x, a.x), minus(c.x, a.x));
        let (dab, dac) = (minus(dx_b, dx_a), minus(dx_c, dx_a));
        let [zero, one] = [V::splat(0.0), V::splat(1.0)];
        let [u, s] = self.0.flow_and_normal([ab, ac], [v_a, v_b, v_c]);
        let du = minus([zero; 3], plus(plus(dv_a, dv_b), dv_c));
        let ds = plus(cross(dab, ac), cross(ab, dac));
        let [drag, lift] = [V::splat(self.0.factors[0]), V::splat(self.0.factors[1])];
        let (flow, u2, s2) = (dot(u, s), dot(u, u), dot(s, s));
        let product = u2 * s2;
        let q = one / product.sqrt();
        let (dflow, half_du2) = (dot(du, s) + dot(u, ds), dot(u, du));
        let cos = flow * q;
        let dcos = dflow * q - cos * ((half_du2 * s2 + u2 * dot(s, ds)) * (q * q));
        let (lift, dlift) = (lift * cos, lift * dcos);
        let side = V::select(flow.is_above(zero), drag, zero - drag);
        let along = side * flow - lift * flow;
        let dalong = side * dflow - (dlift * flow + lift * dflow);
        let across = lift * u2;
        let dacross = dlift * u2 + lift * (half_du2 + half_du2);
        let change = plus(
            plus(scaled(dalong, u), scaled(along, du)),
            plus(scaled(dacross, s), scaled(across, ds)),
        );
        zero_unless_positive(product, change)
    }
}

#[inline(always)]
fn zero_unless_positive<V: Vector>(product: V, v: [V; 3]) -> [V; 3] {
    let acts = product.is_above(V::splat(0.0));
    [v[0].or_zero(acts), v[1].or_zero(acts), v[2].or_zero(acts)]
}
