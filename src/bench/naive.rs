//! Baseline of the benchmarks: a scalar f64 loop over the links in mesh order, as a programmer
//! would first write it.

use crate::mesh::Link;
use crate::model::Parts;
use glam::DVec3;

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Particles of unit mass, and their links.
pub(super) struct Naive {
    links: Vec<Link>,
    w: Vec<f64>,
    start: Vec<DVec3>,
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    before: Vec<DVec3>,
    before_v: Vec<DVec3>,
    f: Vec<DVec3>,
    /// Velocity and acceleration in each of the four stages of Runge–Kutta.
    stages: [[Vec<DVec3>; 2]; 4],
}

impl Naive {
    pub fn new(parts: &Parts) -> Self {
        let x = parts.mesh.positions.clone();
        let mut w = vec![1.0; x.len()];
        for pin in &parts.pins {
            w[pin.particle as usize] = 0.0;
        }
        let none = vec![DVec3::ZERO; x.len()];
        Self {
            links: parts.mesh.links.iter().collect(),
            w,
            before: x.clone(),
            start: x.clone(),
            x,
            v: none.clone(),
            before_v: none.clone(),
            stages: [(); 4].map(|()| [none.clone(), none.clone()]),
            f: none,
        }
    }

    pub fn restart(&mut self) {
        self.x.clone_from(&self.start);
        self.v.fill(DVec3::ZERO);
    }

    /// Takes one step: free motion, relaxation, then velocities from the new positions.
    pub fn relax(&mut self, iterations: u32, dt: f64) {
        self.before.clone_from(&self.x);
        for ((x, v), w) in self.x.iter_mut().zip(&mut self.v).zip(&self.w) {
            if *w > 0.0 {
                *v += GRAVITY * dt;
                *x += *v * dt;
            }
        }
        for _ in 0..iterations {
            for link in &self.links {
                let (a, b) = (link.a as usize, link.b as usize);
                let d = self.x[b] - self.x[a];
                let l = d.length();
                let s = (l - link.rest) / (l * (self.w[a] + self.w[b]));
                if s.is_finite() {
                    self.x[a] += self.w[a] * (d * s);
                    self.x[b] -= self.w[b] * (d * s);
                }
            }
        }
        for ((v, x), before) in self.v.iter_mut().zip(&self.x).zip(&self.before) {
            *v = (*x - *before) / dt;
        }
    }

    /// Takes a step of symplectic Euler with damped springs: one force evaluation.
    pub fn symplectic_euler(&mut self, dt: f64) {
        self.evaluate();
        for (((x, v), f), w) in self.x.iter_mut().zip(&mut self.v).zip(&self.f).zip(&self.w) {
            if *w > 0.0 {
                *v += *f * dt;
                *x += *v * dt;
            }
        }
    }

    /// Takes a step of classical Runge–Kutta with damped springs: four force evaluations.
    pub fn runge_kutta(&mut self, dt: f64) {
        self.before.clone_from(&self.x);
        self.before_v.clone_from(&self.v);
        for stage in 0..4 {
            self.evaluate();
            let [velocities, accelerations] = &mut self.stages[stage];
            let part = if stage < 2 { dt / 2.0 } else { dt };
            for i in 0..self.x.len() {
                velocities[i] = self.v[i];
                accelerations[i] = self.f[i] * self.w[i];
                self.x[i] = self.before[i] + velocities[i] * part;
                self.v[i] = self.before_v[i] + accelerations[i] * part;
            }
        }
        let [[v_1, a_1], [v_2, a_2], [v_3, a_3], [v_4, a_4]] = &self.stages;
        for i in 0..self.x.len() {
            self.x[i] =
                self.before[i] + (v_1[i] + 2.0 * v_2[i] + 2.0 * v_3[i] + v_4[i]) * (dt / 6.0);
            self.v[i] =
                self.before_v[i] + (a_1[i] + 2.0 * a_2[i] + 2.0 * a_3[i] + a_4[i]) * (dt / 6.0);
        }
    }

    /// Computes the forces of gravity and of the damped springs.
    fn evaluate(&mut self) {
        self.f.fill(GRAVITY);
        for link in &self.links {
            let (a, b) = (link.a as usize, link.b as usize);
            let d = self.x[b] - self.x[a];
            let l = d.length();
            if l > 0.0 {
                let n = d / l;
                let speed = (self.v[b] - self.v[a]).dot(n);
                let f = n * (link.stiffness * (l - link.rest) + link.damping * speed);
                self.f[a] += f;
                self.f[b] -= f;
            }
        }
    }
}
