//! Small systems with known behaviour, and runs that count time like the simulation.

use glam::{DVec3, dvec3};
use itertools::izip;
use ropelab::integrate::Method;
use ropelab::numerics::state::{State, StateRef, Workspace};
use ropelab::numerics::system::System;

/// Damped oscillator x″ = −stiffness x − damping x′, for one particle of mass 1.
pub struct Oscillator {
    pub stiffness: f64,
    pub damping: f64,
}

impl Oscillator {
    /// Returns the oscillator x″ = −x, for which dt equals z = ωh.
    pub fn unit() -> Self {
        Self::damped(0.0)
    }

    /// Returns the oscillator x″ = −x − 2ζx′ with the damping ratio ζ.
    pub fn damped(zeta: f64) -> Self {
        Self { stiffness: 1.0, damping: 2.0 * zeta }
    }
}

impl System for Oscillator {
    fn masses(&self) -> &[f64] {
        &[1.0]
    }

    fn accelerations(&self, _t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        a[0] = -self.stiffness * x[0] - self.damping * v[0];
    }

    fn acceleration_jvp(&self, _: StateRef, [dx, dv]: [&[DVec3]; 2], out: &mut [DVec3]) {
        out[0] = -self.stiffness * dx[0] - self.damping * dv[0];
    }
}

/// Driven pendulum θ″ = −strength sin θ − damping θ′ + drive cos 2t, with θ as the x coordinate.
pub struct Pendulum {
    pub strength: f64,
    pub damping: f64,
    pub drive: f64,
}

impl Pendulum {
    /// Returns the free pendulum θ″ = −strength sin θ.
    pub fn free(strength: f64) -> Self {
        Self { strength, damping: 0.0, drive: 0.0 }
    }
}

impl System for Pendulum {
    fn masses(&self) -> &[f64] {
        &[1.0]
    }

    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        let theta = -self.strength * x[0].x.sin() - self.damping * v[0].x;
        a[0] = dvec3(theta + self.drive * (2.0 * t).cos(), 0.0, 0.0);
    }

    fn acceleration_jvp(
        &self,
        StateRef { x, .. }: StateRef,
        [dx, dv]: [&[DVec3]; 2],
        out: &mut [DVec3],
    ) {
        let theta = -self.strength * x[0].x.cos() * dx[0].x - self.damping * dv[0].x;
        out[0] = dvec3(theta, 0.0, 0.0);
    }
}

/// Constant acceleration of one particle.
pub struct Constant(pub DVec3);

impl System for Constant {
    fn masses(&self) -> &[f64] {
        &[1.0]
    }

    fn accelerations(&self, _t: f64, _x: &[DVec3], _v: &[DVec3], a: &mut [DVec3]) {
        a[0] = self.0;
    }

    fn acceleration_jvp(&self, _: StateRef, _: [&[DVec3]; 2], out: &mut [DVec3]) {
        out[0] = DVec3::ZERO;
    }
}

/// A hanging chain of springs with gravity and drag. The first particle is pinned; the others have
/// unequal masses.
pub struct Chain {
    pub masses: Vec<f64>,
    pub stiffness: f64,
    pub rest: f64,
    pub drag: f64,
    /// Gravity in m/s², downwards.
    pub gravity: f64,
    /// True to drop the part of the Jacobian that is not positive semidefinite, as in Choi and Ko.
    pub definite: bool,
}

impl Chain {
    pub fn new(particles: usize, stiffness: f64) -> Self {
        let masses = (0..particles).map(|i| if i == 0 { 0.0 } else { 0.1 + 0.02 * i as f64 });
        Self {
            masses: masses.collect(),
            stiffness,
            rest: 0.1,
            drag: 0.05,
            gravity: 9.81,
            definite: false,
        }
    }

    /// Returns the chain stretched sideways, with small displacements in all directions.
    pub fn start(&self) -> State {
        let x = (0..self.masses.len()).map(|i| {
            let i = i as f64;
            dvec3(0.12 * i, 0.01 * i * i, if i % 2.0 == 0.0 { 0.01 } else { -0.01 })
        });
        State::at_rest(x.collect())
    }
}

impl System for Chain {
    fn masses(&self) -> &[f64] {
        &self.masses
    }

    fn accelerations(&self, _t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        for (a, v, m) in izip!(&mut *a, v, &self.masses) {
            *a = dvec3(0.0, -self.gravity * m, 0.0) - self.drag * *v;
        }
        for i in 1..x.len() {
            let d = x[i] - x[i - 1];
            let f = self.stiffness * (d.length() - self.rest) * d.normalize();
            a[i - 1] += f;
            a[i] -= f;
        }
        self.divide_by_masses(a);
    }

    fn acceleration_jvp(
        &self,
        StateRef { x, .. }: StateRef,
        [dx, dv]: [&[DVec3]; 2],
        out: &mut [DVec3],
    ) {
        for (out, dv) in izip!(&mut *out, dv) {
            *out = -self.drag * *dv;
        }
        for i in 1..x.len() {
            let d = x[i] - x[i - 1];
            let along = d.normalize();
            let change = dx[i] - dx[i - 1];
            let stretch = along * along.dot(change);
            let mut turn = 1.0 - self.rest / d.length();
            if self.definite {
                turn = turn.max(0.0);
            }
            let df = self.stiffness * (stretch + turn * (change - stretch));
            out[i - 1] += df;
            out[i] -= df;
        }
        self.divide_by_masses(out);
    }
}

impl Chain {
    fn divide_by_masses(&self, f: &mut [DVec3]) {
        for (f, m) in izip!(f, &self.masses) {
            *f = if *m == 0.0 { DVec3::ZERO } else { *f / *m };
        }
    }
}

/// Returns the state of one particle on the x axis, with position x and velocity v.
pub fn one(x: f64, v: f64) -> State {
    State { t: 0.0, x: vec![dvec3(x, 0.0, 0.0)], v: vec![dvec3(v, 0.0, 0.0)] }
}

/// A simulation of a system, whose time is the number of steps times dt.
pub struct Run<'a> {
    pub method: Method,
    pub system: &'a dyn System,
    pub state: State,
    pub work: Workspace,
    pub dt: f64,
    pub steps: u32,
}

impl<'a> Run<'a> {
    pub fn new(method: Method, system: &'a dyn System, state: State, dt: f64) -> Self {
        Self { method, system, state, work: Workspace::default(), dt, steps: 0 }
    }

    pub fn step(&mut self) {
        let Self { method, system, state, work, dt, steps } = self;
        state.t = f64::from(*steps) * *dt;
        let before = state.clone();
        method.as_integrator().step(*system, before.view(), state.view_mut(), *dt, work);
        self.steps += 1;
    }

    pub fn steps(&mut self, count: u32) -> &mut Self {
        for _ in 0..count {
            self.step();
        }
        self
    }

    pub fn x(&self) -> f64 {
        self.state.x[0].x
    }

    pub fn v(&self) -> f64 {
        self.state.v[0].x
    }
}
