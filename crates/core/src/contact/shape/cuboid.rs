use super::direction::direction;
use glam::{DMat3, DVec3, dvec3};
use ropelab_mechanics::numerics::sine::sin_turns;

/// A box centred at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Half the lengths of its edges, in metres.
    pub half: DVec3,
    /// Unit vectors along its edges.
    axes: DMat3,
}

impl Cuboid {
    /// Creates a box from half its edges in metres and its rotations in degrees about x, then y,
    /// then z.
    pub fn new(half: DVec3, turned: DVec3) -> Self {
        let [x, y, z] = turned.to_array().map(|degrees| {
            let turns = degrees / 360.0;
            [sin_turns(turns + 0.25), sin_turns(turns)]
        });
        let about_x = DMat3::from_cols(DVec3::X, dvec3(0.0, x[0], x[1]), dvec3(0.0, -x[1], x[0]));
        let about_y = DMat3::from_cols(dvec3(y[0], 0.0, -y[1]), DVec3::Y, dvec3(y[1], 0.0, y[0]));
        let about_z = DMat3::from_cols(dvec3(z[0], z[1], 0.0), dvec3(-z[1], z[0], 0.0), DVec3::Z);
        Self { half, axes: about_z * about_y * about_x }
    }

    /// Returns half the edges as vectors from the centre, in metres.
    pub fn edges(&self) -> [DVec3; 3] {
        let DMat3 { x_axis, y_axis, z_axis } = self.axes;
        [x_axis * self.half.x, y_axis * self.half.y, z_axis * self.half.z]
    }

    pub(super) fn distance(&self, p: DVec3) -> (f64, DVec3) {
        let (distance, normal) = self.along_axes(self.axes.transpose() * p);
        (distance, self.axes * normal)
    }

    /// Returns signed distance and normal for a point `p` in the box's own coordinates.
    fn along_axes(&self, p: DVec3) -> (f64, DVec3) {
        let beyond = p.abs() - self.half;
        let signs = DVec3::from(p.to_array().map(|x| if x < 0.0 { -1.0 } else { 1.0 }));
        let nearest = beyond.max_element();
        if nearest > 0.0 {
            let (normal, length) = direction(beyond.max(DVec3::ZERO));
            return (length, normal * signs);
        }
        let axis = if beyond.x == nearest {
            DVec3::X
        } else if beyond.y == nearest {
            DVec3::Y
        } else {
            DVec3::Z
        };
        (nearest, axis * signs)
    }
}
