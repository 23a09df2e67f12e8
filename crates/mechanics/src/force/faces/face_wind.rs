//! Wind on the triangles of cloths.

use super::face_law::{Face, FaceDerivative, FaceForce};
use super::face_rows::FaceCells;
use crate::force::check;
use crate::force::gust::Gust;
use crate::force::law::{ForceLaw, Kinematics};
use crate::force::targets::Targets;
use crate::mesh::Grid;
use crate::mesh::faces::FaceRun;
use crate::numerics::simd::Isa;
use glam::{DVec3, dvec3};
use serde::{Deserialize, Serialize};

/// Drag and lift of every triangle as a flat plate. Each corner gets a third of the force.
///
/// u is the velocity of the air relative to the triangle, n the unit normal (either side, because
/// the formulas are even in n), A the area, θ the angle between u and n, ρ the density of the air,
/// and C_D and C_L the coefficients of drag and lift:
///
/// ```text
/// drag = ½ρ C_D A |u·n| u                              along the wind, ∝ |cos θ|
/// lift = ½ρ C_L A (u·n)/|u| (|u|² n − (u·n) u)         across the wind, ∝ sin θ cos θ
/// ```
///
/// The forces follow Wejchert and Haumann (1991), "Animation aerodynamics". In Wilson, Salazar and
/// Marsh (2014), "Simulating wind effects on cloth and hair in Disney's Frozen", lift acts along n
/// in proportion to |u|², and jumps when the wind changes from one side to the other. The lift of
/// this law does not jump.
///
/// The Jacobian-vector product is exact but not symmetric. In strong wind the matrix of an implicit
/// step is therefore slightly asymmetric, although conjugate gradients assume symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FaceWind {
    /// Mean velocity of the air in m/s.
    pub velocity: DVec3,
    /// Density of the air in kg/m³, at least 0.
    pub air_density: f64,
    /// Drag coefficient C_D, at least 0.
    pub drag: f64,
    /// Lift coefficient C_L, at least 0.
    pub lift: f64,
    /// Gusts: time-dependent multiple of the velocity.
    pub gust: Gust,
}

impl Default for FaceWind {
    /// A steady breeze of 5 m/s along x, in air at 15 °C at sea level, on a flat plate.
    fn default() -> Self {
        Self {
            velocity: dvec3(5.0, 0.0, 0.0),
            air_density: 1.225,
            drag: 1.2,
            lift: 0.6,
            gust: Gust::Constant,
        }
    }
}

impl FaceWind {
    pub(in crate::force) fn check(&self) -> Result<(), String> {
        let Self { velocity, air_density, drag, lift, gust } = self;
        check::finite_vector("velocity of face wind", *velocity)?;
        check::not_negative("air_density of face wind", *air_density)?;
        check::not_negative("drag of face wind", *drag)?;
        check::not_negative("lift of face wind", *lift)?;
        gust.check()
    }

    /// Adds the forces of [`ForceLaw::add`], computed with the given instruction set on the
    /// triangles of grids. [`Isa::Scalar`] uses the plain loop. Every instruction set gives the
    /// same bits.
    pub fn add_on(&self, isa: Isa, at: &Kinematics, f: &mut [DVec3]) {
        let law = self.law(at.t);
        for run in at.faces.runs() {
            if let Some((grid, missing)) = grid_and_gaps(isa, run, at.targets) {
                FaceCells { grid, missing, law, x: at.x, others: [at.v] }.add(isa, f);
                continue;
            }
            for_each_target(run, at.targets, |corners| {
                let (x, v) = (corner_entries(at.x, corners), corner_entries(at.v, corners));
                let force = law.force(law.face(x, v));
                for i in corners {
                    f[i] += force;
                }
            });
        }
    }

    /// Adds the directional derivative of [`ForceLaw::add_jvp`] along `d` = [dx, dv], computed with
    /// the given instruction set as in [`Self::add_on`].
    pub fn add_jvp_on(&self, isa: Isa, at: &Kinematics, d: [&[DVec3]; 2], df: &mut [DVec3]) {
        let law = self.law(at.t);
        let [dx, dv] = d;
        for run in at.faces.runs() {
            if let Some((grid, missing)) = grid_and_gaps(isa, run, at.targets) {
                let law = FaceDerivative(law);
                FaceCells { grid, missing, law, x: at.x, others: [at.v, dx, dv] }.add(isa, df);
                continue;
            }
            for_each_target(run, at.targets, |corners| {
                let (x, v) = (corner_entries(at.x, corners), corner_entries(at.v, corners));
                let (dx, dv) = (corner_entries(dx, corners), corner_entries(dv, corners));
                let force = law.force_change(law.face(x, v), Face::change(x, dx, dv));
                for i in corners {
                    df[i] += force;
                }
            });
        }
    }

    fn law(&self, t: f64) -> FaceForce {
        let air = self.velocity * self.gust.factor(t);
        FaceForce::new(air, self.air_density, self.drag, self.lift)
    }
}

/// Returns the grid of a run of triangles and its missing triangles, for the SIMD kernel. `None` if
/// a particle of the grid is not a target, if the run is not a grid, or if `isa` is scalar.
fn grid_and_gaps<'a>(isa: Isa, run: &'a FaceRun, targets: Targets) -> Option<(Grid, &'a [u32])> {
    let FaceRun::Grid { grid, missing } = run else { return None };
    let first = grid.first as usize;
    let particles = first..first + (grid.columns * grid.rows) as usize;
    (isa != Isa::Scalar && targets.contain_all(particles)).then_some((*grid, missing))
}

/// Returns the entries of a column at three corners. (`corners.map(…)` would compile to a call.)
#[inline]
fn corner_entries(column: &[DVec3], [a, b, c]: [usize; 3]) -> [DVec3; 3] {
    [column[a], column[b], column[c]]
}

/// Calls `use_corners` for each triangle whose corners are all targets.
#[inline]
fn for_each_target(run: &FaceRun, targets: Targets, mut use_corners: impl FnMut([usize; 3])) {
    run.for_each(|face| {
        let corners = face.map(|i| i as usize);
        if corners.iter().all(|&i| targets.contains(i)) {
            use_corners(corners);
        }
    });
}

impl ForceLaw for FaceWind {
    fn name(&self) -> &'static str {
        "face-wind"
    }

    fn title(&self) -> &'static str {
        "wind on the faces of cloths: constant, gusts or a sine"
    }

    fn varies(&self) -> bool {
        self.gust.varies()
    }

    fn add(&self, at: &Kinematics, f: &mut [DVec3]) {
        self.add_on(Isa::best(), at, f);
    }

    fn add_jvp(&self, at: &Kinematics, dx: &[DVec3], dv: &[DVec3], df: &mut [DVec3]) {
        self.add_jvp_on(Isa::best(), at, [dx, dv], df);
    }

    fn potential(&self, _: &Kinematics) -> Option<f64> {
        None
    }
}
