//! The rules of every integrator, measured on one particle.

use super::systems::{Constant, Run, one};
use glam::DVec3;
use ropelab::integrate::{
    AddedParticle, CollidedParticle, Displacement, KickedParticle, Memory, Method, StepRules,
    VerletDrag,
};
use ropelab::numerics::state::ParticleIndex;

const DT: f64 = 0.5;
const PARTICLE: ParticleIndex = ParticleIndex { index: 0, count: 1 };
/// Velocity at the start of the runs, in m/s.
const SPEED: f64 = 2.0;

/// Every method with its rules. Verlet with drag gets a drag of 0, because the rules do not
/// describe drag.
fn methods() -> impl Iterator<Item = (Method, StepRules)> {
    let all = Method::all().map(|method| match method {
        Method::VerletDrag(_) => Method::VerletDrag(VerletDrag { drag: 0.0 }),
        other => other,
    });
    all.map(|method| (method, method.as_integrator().rules()))
}

fn assert_close(found: f64, expected: f64, of: &str, method: Method) {
    assert!((found - expected).abs() < 1e-9, "{of} of {method:?}: {found}, expected {expected}");
}

/// Projects the particle to the position `to` at the end of a step. Returns the displacement.
fn project(run: &mut Run, to: f64) -> f64 {
    let displacement = to - run.x();
    run.state.x[0].x = to;
    run.state.v[0].x += displacement / DT;
    if let Some(column) = run.method.as_integrator().rules().memory.old_velocities() {
        run.work.history(column + 1, 1)[column][0].x += displacement / DT;
    }
    displacement
}

#[test]
fn displacements_by_a_constant_acceleration_follow_the_rules() {
    let a = 3.0;
    let system = Constant(DVec3::X * a);
    for (method, StepRules { first, later, .. }) in methods() {
        let mut run = Run::new(method, &system, one(0.0, SPEED), DT);
        run.step();
        let displacement = SPEED * DT + (1.0 - first.omitted_fraction) * a * DT * DT;
        assert_close(run.x(), displacement, "first displacement", method);
        let mut projected = 0.0;
        for _ in 0..60 {
            run.step();
            projected = project(&mut run, 0.0);
        }
        let Displacement { omitted_fraction, projected_fraction, .. } = later;
        assert_close(projected, -projected_fraction * a * DT * DT, "projection", method);
        assert_close(run.v(), omitted_fraction * a * DT, "velocity at rest", method);
    }
}

#[test]
fn memory_follows_collisions_kicks_and_additions() {
    let (free, falling, rising) =
        (Constant(DVec3::ZERO), Constant(DVec3::X * 3.0), Constant(DVec3::X * -5.0));
    for (method, StepRules { first, memory, .. }) in methods() {
        let fly = |system| {
            let mut run = Run::new(method, system, one(0.0, SPEED), DT);
            run.steps(3);
            run
        };
        let next_displacement = |run: &mut Run| {
            let x = run.x();
            run.step();
            run.x() - x
        };

        let mut run = fly(&free);
        assert_eq!(run.work.memory().count(), memory.columns(), "columns of {method:?}");
        let (x, v) = (run.state.x[0], DVec3::X * -1.0);
        run.state.v[0] = v;
        let after = CollidedParticle { particle: PARTICLE, x, v, displacement: v * DT };
        memory.restart_after_collision(&mut run.work, after, DT);
        assert_close(next_displacement(&mut run), v.x * DT, "path after a collision", method);

        // The two columns of BDF2 keep the motion before a kick.
        if memory != Memory::PositionAndVelocity {
            let mut run = fly(&free);
            let [change, moved] = [1.5, 0.25].map(|size| DVec3::X * size);
            run.state.v[0] += change;
            run.state.x[0] += moved;
            let kick = KickedParticle { particle: PARTICLE, change, moved };
            memory.adapt_to_kick(&mut run.work, kick, DT);
            let displacement = (SPEED + change.x) * DT;
            assert_close(next_displacement(&mut run), displacement, "path after a kick", method);
        }

        let mut run = fly(&falling);
        (run.system, run.state.x[0]) = (&rising, DVec3::X * 7.0);
        run.state.v[0] = v;
        let added = AddedParticle { particle: PARTICLE, x: run.state.x[0], v, a: rising.0 };
        memory.start_particle(&mut run.work, added, DT);
        // Both columns of BDF2 start as in the middle of a long motion, not as in the first step.
        let is_bdf2 = memory == Memory::PositionAndVelocity;
        let omitted = if is_bdf2 { 0.5 } else { first.omitted_fraction };
        let displacement = v.x * DT + (1.0 - omitted) * rising.0.x * DT * DT;
        assert_close(next_displacement(&mut run), displacement, "path of an addition", method);
    }
}
