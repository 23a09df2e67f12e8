//! Every force law compared with numerical derivatives, conservation laws and textbook cases.

mod air;
mod bending;
mod damping;
mod names;
mod springs_and_bends;
mod wind;

use crate::support::{Random, slope};
use glam::{DVec3, dvec3};
use ropelab::contact::Geometry;
use ropelab::force::{
    Attractor, Bending, FaceWind, Force, ForceLaw, Grab, Gravity, Gust, Kinematics, LinearDrag,
    Springs, Targets, Wind,
};
use ropelab::mesh::faces::Faces;
use ropelab::mesh::{Bend, ClothMaterial, Link, LinkKind, Mesh};
use ropelab::model::{Model, Parts, Pin, TargetedForce};
use ropelab::numerics::system::System;
use ropelab::numerics::trajectory::Trajectory;
use std::sync::{Arc, LazyLock};

const PARTICLES: usize = 6;
const TARGETS: [u32; PARTICLES] = [0, 1, 2, 3, 4, 5];
static FACES: LazyLock<Faces> =
    LazyLock::new(|| [[0, 1, 2], [2, 1, 3], [3, 4, 5]].into_iter().collect());
const MASSES: [f64; PARTICLES] = [0.5, 1.0, 2.0, 0.1, 3.0, 0.7];

fn at<'a>(x: &'a [DVec3], v: &'a [DVec3]) -> Kinematics<'a> {
    Kinematics {
        t: 0.3,
        x,
        v,
        masses: &MASSES,
        faces: &FACES,
        targets: Targets::new(&TARGETS, PARTICLES),
    }
}

fn force(law: &dyn ForceLaw, x: &[DVec3], v: &[DVec3]) -> Vec<DVec3> {
    let mut f = vec![DVec3::ZERO; x.len()];
    law.add(&at(x, v), &mut f);
    f
}

fn jvp(law: &dyn ForceLaw, x: &[DVec3], v: &[DVec3], dx: &[DVec3], dv: &[DVec3]) -> Vec<DVec3> {
    let mut df = vec![DVec3::ZERO; x.len()];
    law.add_jvp(&at(x, v), dx, dv, &mut df);
    df
}

fn moved(x: &[DVec3], s: f64, dx: &[DVec3]) -> Vec<DVec3> {
    x.iter().zip(dx).map(|(x, dx)| *x + s * *dx).collect()
}

fn length(f: &[DVec3]) -> f64 {
    f.iter().map(|f| f.length_squared()).sum::<f64>().sqrt()
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn link(a: u32, b: u32, rest: f64, one_sided: bool) -> Link {
    Link {
        a,
        b,
        rest,
        stiffness: 40.0 + f64::from(a),
        damping: 3.0,
        kind: LinkKind::Structural,
        one_sided,
        rigid: false,
    }
}

/// Springs of the rest length `rest` between all neighbours and between some other pairs of
/// particles.
fn springs(rest: f64) -> Springs {
    let ends = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4), (3, 0)];
    let links = ends.map(|(a, b)| link(a, b, rest, a == 1));
    Springs::new(links)
}

fn grab() -> Grab {
    Grab {
        particle: 2,
        position: dvec3(0.3, 0.2, 0.1),
        t: 0.0,
        velocity: dvec3(1.0, 0.0, -2.0),
        stiffness: 50.0,
        damping: 4.0,
    }
}

/// Bends of several kinds: consecutive and scattered particles, unequal rest lengths, one bend
/// beside a clamp.
fn bending() -> Bending {
    let bend = |particles, rest| Bend { particles, rest, rigidity: 0.8 };
    let row = (0..3).map(|i| bend([i, i + 1, i + 2], [0.5, 0.5]));
    let others = [bend([5, 0, 3], [0.4, 0.7]), bend([4, 2, 5], [0.6, 0.3])];
    Bending::new(&row.chain(others).collect(), |particle| particle < 2)
}

/// All force laws of scenes, winds with gusts, springs, bends and the hand's spring.
fn laws() -> Vec<Box<dyn ForceLaw>> {
    let noise = Gust::Noise { seed: 7, amplitude: 0.8, correlation_time: 0.4 };
    let sine = Gust::Sine { amplitude: 0.5, frequency: 1.5 };
    let mut laws: Vec<Box<dyn ForceLaw>> = Force::all().map(boxed).collect();
    laws.push(Box::new(Wind { gust: noise, ..Wind::default() }));
    laws.push(Box::new(FaceWind { gust: sine, ..FaceWind::default() }));
    laws.push(Box::new(springs(0.7)));
    laws.push(Box::new(bending()));
    laws.push(Box::new(grab()));
    laws
}

/// Copies a law into a box. (`Force::law` returns only a reference.)
fn boxed(force: Force) -> Box<dyn ForceLaw> {
    match force {
        Force::Gravity(law) => Box::new(law),
        Force::LinearDrag(law) => Box::new(law),
        Force::QuadraticDrag(law) => Box::new(law),
        Force::Wind(law) => Box::new(law),
        Force::FaceWind(law) => Box::new(law),
        Force::Attractor(law) => Box::new(law),
    }
}

#[test]
fn every_conservative_force_is_minus_the_slope_of_its_potential() {
    let mut random = Random(1);
    let mut conservative = 0;
    for law in laws() {
        let at_rest = vec![DVec3::ZERO; PARTICLES];
        // The damper of the hand's spring acts on the velocity relative to the hand, so it exerts
        // no force at the hand's velocity.
        let v = if law.name() == "grab" { vec![grab().velocity; PARTICLES] } else { at_rest };
        for _ in 0..50 {
            let (x, dx) = (random.vectors(PARTICLES), random.vectors(PARTICLES));
            let potential = |s: f64| law.potential(&at(&moved(&x, s, &dx), &v));
            if potential(0.0).is_none() {
                continue;
            }
            conservative += 1;
            let f = force(law.as_ref(), &x, &v);
            let work = dot(&f, &dx);
            let fall = -slope(1e-4, |s| potential(s).expect("it has a potential"));
            // Rounding error: 1e-16 · U/h with U < 1e3 J. A one-sided spring has a kink in its
            // second derivative, which adds an error k h in the rare interval that contains it.
            assert!((work - fall).abs() < 1e-7 * (1.0 + length(&f)), "{}", law.name());
        }
    }
    assert_eq!(conservative, 5 * 50, "gravity, attractor, springs, bending, grab");
}

#[test]
fn every_jacobian_product_is_the_directional_difference() {
    let mut random = Random(2);
    for law in laws().iter().filter(|law| law.name() != "springs") {
        for _ in 0..50 {
            let (x, v) = (random.vectors(PARTICLES), random.vectors(PARTICLES));
            let (dx, dv) = (random.vectors(PARTICLES), random.vectors(PARTICLES));
            let product = jvp(law.as_ref(), &x, &v, &dx, &dv);
            for i in 0..PARTICLES {
                for axis in 0..3 {
                    let difference = slope(1e-4, |s| {
                        force(law.as_ref(), &moved(&x, s, &dx), &moved(&v, s, &dv))[i][axis]
                    });
                    let error = (product[i][axis] - difference).abs();
                    assert!(
                        error < 1e-7 * (1.0 + length(&product)),
                        "{}: error {error}",
                        law.name()
                    );
                }
            }
        }
    }
}

#[test]
fn laws_leave_particles_alone_that_are_not_their_targets() {
    let mut random = Random(8);
    let (x, v) = (random.vectors(PARTICLES), random.vectors(PARTICLES));
    for law in Force::all() {
        let (mut f, mut df) = (vec![DVec3::ZERO; PARTICLES], vec![DVec3::ZERO; PARTICLES]);
        let some = Kinematics { targets: Targets::new(&[3, 4, 5], PARTICLES), ..at(&x, &v) };
        law.law().add(&some, &mut f);
        law.law().add_jvp(&some, &x, &v, &mut df);
        assert_eq!(f[..3], [DVec3::ZERO; 3], "{}", law.law().name());
        assert_eq!(df[..3], [DVec3::ZERO; 3], "{}", law.law().name());
    }
}

/// A cloth of 300 particles of unequal mass, the first one pinned, under these laws with their
/// targets.
fn model(forces: &[(Force, Vec<u32>)]) -> Model {
    let mut mesh = Mesh::default();
    let sides = (2.0 * DVec3::X, 1.5 * DVec3::Z);
    mesh.cloth(DVec3::ZERO, sides.0, sides.1, [19, 14], &ClothMaterial::default());
    for (i, mass) in mesh.masses.iter_mut().enumerate() {
        *mass *= 0.3 + (i * 7 % 11) as f64;
    }
    let force =
        |(law, targets): &(Force, Vec<u32>)| TargetedForce { law: *law, targets: targets.clone() };
    let parts = Parts {
        contact: Geometry::default(),
        throws: Vec::new(),
        strengths: Vec::new(),
        velocities: Vec::new(),
        cuts: Vec::new(),
        pins: vec![Pin { particle: 0, path: Trajectory::Still }],
        forces: forces.iter().map(force).collect(),
        mesh,
    };
    Model::new(Arc::new(parts), |_| false)
}

#[test]
fn accelerations_that_ask_for_no_mass_are_those_of_their_forces() {
    let all: Vec<u32> = (0..300).collect();
    let some: Vec<u32> = (0..300).filter(|i| i % 3 == 0).collect();
    let down = Force::Gravity(Gravity::default());
    let aside = Force::Gravity(Gravity { g: dvec3(0.3, 0.1, -7.0) });
    let drag = Force::LinearDrag(LinearDrag { coefficient: 0.7 });
    let cases = [
        vec![(down, all.clone())],
        vec![(down, some.clone()), (aside, all.clone())],
        vec![(down, some.clone()), (drag, some), (aside, all)],
        vec![],
    ];
    for forces in cases {
        let model = model(&forces);
        let x = model.parts().mesh.positions.clone();
        let v: Vec<DVec3> = x.iter().map(|x| dvec3(x.z, 1.0 - x.x, 0.3)).collect();
        let mut found = vec![DVec3::NAN; 300];
        model.accelerations(0.0, &x, &v, &mut found);
        let mut f = vec![DVec3::ZERO; 300];
        for (law, targets) in &forces {
            let (masses, faces) = (model.masses(), model.topology().faces());
            let targets = Targets::new(targets, 300);
            law.law().add(&Kinematics { t: 0.0, x: &x, v: &v, masses, faces, targets }, &mut f);
        }
        assert_eq!(found[0], DVec3::ZERO, "pinned");
        for i in 1..300 {
            let a = f[i] / model.masses()[i];
            assert!((found[i] - a).length() <= 1e-14, "{i}: {} and {a}", found[i]);
        }
        // Accelerations have the same bits for any division of the particles into parts.
        for part in [0..256, 256..300, 17..18, 40..297] {
            let mut again = vec![DVec3::NAN; part.len()];
            let at = part.clone();
            model.part(part.clone()).accelerations(0.0, &x[at.clone()], &v[at], &mut again);
            assert_eq!(again, found[part]);
        }
    }
}

#[test]
fn an_attractor_far_away_pulls_like_a_point_mass() {
    let attractor = Attractor { center: DVec3::ZERO, strength: 8.0, softening: 1e-3 };
    let x = [dvec3(2.0, 0.0, 0.0); PARTICLES];
    let f = force(&attractor, &x, &x);
    // Attraction 8/2² N/kg, reduced by the fraction 3/2 (ε/r)² = 3.75e-7 through the softening
    // length ε.
    assert!((f[1].x + 2.0 * (1.0 - 3.75e-7)).abs() < 1e-12, "{}", f[1]);
}

#[test]
fn the_hand_pulls_its_particle_and_no_other() {
    let x = Random(9).vectors(PARTICLES);
    let f = force(&grab(), &x, &x);
    for (i, f) in f.iter().enumerate() {
        assert_eq!(*f == DVec3::ZERO, i != 2);
    }
}
