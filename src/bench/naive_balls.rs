//! Baseline for the swept balls: a test of all pairs once per step, as in article E
//! (docs/sources.md), as a programmer would first write it.

use crate::contact::Geometry;
use crate::contact::swept::spheres;
use crate::model::Parts;
use glam::DVec3;

/// Balls of equal mass that bounce off each other and off the walls of a cube.
pub(super) struct NaiveBalls {
    radius: f64,
    start: [Vec<DVec3>; 2],
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    hits: Vec<(f64, usize, usize)>,
    /// Half the edge of the cube in metres.
    half: f64,
}

impl NaiveBalls {
    pub fn new(parts: &Parts, half: f64) -> Self {
        let Geometry { balls, .. } = &parts.contact;
        let (x, v) = (parts.mesh.positions.clone(), parts.velocities.clone());
        let radius = balls.first().map_or(0.0, |ball| ball.properties.radius);
        Self { radius, start: [x.clone(), v.clone()], x, v, hits: Vec::new(), half }
    }

    pub fn restart(&mut self) {
        let [x, v] = &self.start;
        self.x.clone_from(x);
        self.v.clone_from(v);
    }

    /// Takes a step. Any two balls that meet on their straight paths exchange their speeds along
    /// the line of centres. Each pair does so once, the earliest pair first.
    pub fn step(&mut self, dt: f64) {
        let Self { radius, x, v, hits, half, .. } = self;
        hits.clear();
        for i in 0..x.len() {
            for j in i + 1..x.len() {
                let displacement = (v[i] - v[j]) * dt;
                if let Some(t) = spheres(x[i] - x[j], displacement, 2.0 * *radius) {
                    hits.push((t, i, j));
                }
            }
        }
        hits.sort_by(|a, b| a.0.total_cmp(&b.0));
        for &(t, i, j) in hits.iter() {
            let apart = x[i] + v[i] * (t * dt) - x[j] - v[j] * (t * dt);
            let normal = apart.normalize_or_zero();
            let exchanged = normal * (v[i] - v[j]).dot(normal);
            // The new velocity is wrong for the time before the impact. This correction compensates
            // for the resulting error in the later `x + v dt`.
            x[i] += exchanged * (t * dt);
            x[j] -= exchanged * (t * dt);
            v[i] -= exchanged;
            v[j] += exchanged;
        }
        for (x, v) in x.iter_mut().zip(v) {
            *x += *v * dt;
            for axis in 0..3 {
                let beyond = x[axis].abs() - (*half - *radius);
                if beyond > 0.0 && x[axis] * v[axis] > 0.0 {
                    v[axis] = -v[axis];
                }
            }
        }
    }
}
