//! The force laws against calculus, conservation laws and textbook cases, over the whole list.

use glam::{DVec3, dvec3};
use ron::extensions::Extensions;
use ropelab::contact::Geometry;
use ropelab::force::{
    Attractor, Bending, FaceWind, Force, ForceLaw, Grab, Gravity, Gust, Kinematics, LinearDrag,
    QuadraticDrag, Springs, Targets, Wind,
};
use ropelab::mesh::faces::Faces;
use ropelab::mesh::{Bend, ClothMaterial, Link, LinkKind, Mesh};
use ropelab::model::{Model, Parts, Pin, TargetedForce};
use ropelab::numerics::sine::sin_turns;
use ropelab::numerics::system::System;
use ropelab::numerics::trajectory::Trajectory;
use std::sync::{Arc, LazyLock};

const PARTICLES: usize = 6;
const TARGETS: [u32; PARTICLES] = [0, 1, 2, 3, 4, 5];
static FACES: LazyLock<Faces> =
    LazyLock::new(|| [[0, 1, 2], [2, 1, 3], [3, 4, 5]].into_iter().collect());
const MASSES: [f64; PARTICLES] = [0.5, 1.0, 2.0, 0.1, 3.0, 0.7];

/// Numbers in [−1, 1) from a counter, Knuth's linear congruence.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vectors(&mut self) -> Vec<DVec3> {
        let mut vector = |_| dvec3(self.number(), self.number(), self.number());
        (0..PARTICLES).map(&mut vector).collect()
    }
}

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

/// d/ds of `value(s)` at 0 by the five-point formula, error O(h⁴).
fn slope(h: f64, value: impl Fn(f64) -> f64) -> f64 {
    (8.0 * (value(h) - value(-h)) - (value(2.0 * h) - value(-2.0 * h))) / (12.0 * h)
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

/// Springs of the given length between all neighbours and some others.
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

/// Some in a row, some not, of uneven lengths, one beside a clamp.
fn bending() -> Bending {
    let bend = |particles, rest| Bend { particles, rest, rigidity: 0.8 };
    let row = (0..3).map(|i| bend([i, i + 1, i + 2], [0.5, 0.5]));
    let others = [bend([5, 0, 3], [0.4, 0.7]), bend([4, 2, 5], [0.6, 0.3])];
    Bending::new(&row.chain(others).collect(), |particle| particle < 2)
}

/// The whole list, gusty winds, springs, bends and the hand.
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

/// `Force::law` lends a law; the tests want to own it.
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
        // The grab's damper pulls towards the hand's velocity: at that velocity it is idle.
        let v = if law.name() == "grab" { vec![grab().velocity; PARTICLES] } else { at_rest };
        for _ in 0..50 {
            let (x, dx) = (random.vectors(), random.vectors());
            let potential = |s: f64| law.potential(&at(&moved(&x, s, &dx), &v));
            if potential(0.0).is_none() {
                continue;
            }
            conservative += 1;
            let f = force(law.as_ref(), &x, &v);
            let work = dot(&f, &dx);
            let fall = -slope(1e-4, |s| potential(s).expect("it has a potential"));
            // Rounding: 1e-16 · U/h; U < 1e3 J. One-sided springs are smooth but for a kink in
            // the second derivative, which costs k h in the rare interval that contains it.
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
            let (x, v) = (random.vectors(), random.vectors());
            let (dx, dv) = (random.vectors(), random.vectors());
            let product = jvp(law.as_ref(), &x, &v, &dx, &dv);
            for i in 0..PARTICLES {
                for axis in 0..3 {
                    let difference = slope(1e-4, |s| {
                        force(law.as_ref(), &moved(&x, s, &dx), &moved(&v, s, &dv))[i][axis]
                    });
                    let error = (product[i][axis] - difference).abs();
                    assert!(error < 1e-7 * (1.0 + length(&product)), "{}: {error}", law.name());
                }
            }
        }
    }
}

#[test]
fn the_jacobian_product_of_stretched_springs_is_the_directional_difference() {
    let mut random = Random(3);
    // Shorter than any two random points lie apart, so that every spring is stretched; without
    // relative velocity the damper's derivative by position, which is left out, is zero.
    let springs = springs(1e-3);
    let v = vec![dvec3(1.0, 2.0, 3.0); PARTICLES];
    for _ in 0..50 {
        let (x, dx, dv) = (random.vectors(), random.vectors(), random.vectors());
        let product = jvp(&springs, &x, &v, &dx, &dv);
        for i in 0..PARTICLES {
            for axis in 0..3 {
                // Position and velocity apart: together they have the left-out mixed term.
                let by_x = slope(1e-4, |s| force(&springs, &moved(&x, s, &dx), &v)[i][axis]);
                let by_v = slope(1e-4, |s| force(&springs, &x, &moved(&v, s, &dv))[i][axis]);
                let error = (product[i][axis] - by_x - by_v).abs();
                assert!(error < 1e-7 * (1.0 + length(&product)), "{error}");
            }
        }
    }
}

#[test]
fn the_jacobian_of_springs_is_symmetric_and_never_negative() {
    let mut random = Random(4);
    let zero = vec![DVec3::ZERO; PARTICLES];
    for rest in [0.1, 0.7, 3.0] {
        let springs = springs(rest);
        for _ in 0..50 {
            let (x, v) = (random.vectors(), random.vectors());
            let (p, q) = (random.vectors(), random.vectors());
            for by_x in [true, false] {
                let product = |d: &[DVec3]| {
                    if by_x {
                        jvp(&springs, &x, &v, d, &zero)
                    } else {
                        jvp(&springs, &x, &v, &zero, d)
                    }
                };
                let (kp, kq) = (product(&p), product(&q));
                assert!(dot(&p, &kp) <= 1e-12, "a spring must not push away from where it is");
                // Rounding of sums of some 20 terms of size 1e2.
                assert!((dot(&q, &kp) - dot(&p, &kq)).abs() < 1e-11);
            }
        }
    }
}

#[test]
fn springs_conserve_momentum_and_angular_momentum() {
    let mut random = Random(5);
    for _ in 0..100 {
        let (x, v) = (random.vectors(), random.vectors());
        let f = force(&springs(0.7), &x, &v);
        let total: DVec3 = f.iter().sum();
        let torque: DVec3 = x.iter().zip(&f).map(|(x, f)| x.cross(*f)).sum();
        // Rounding of 16 terms of up to 1e2 N.
        assert!(total.length() < 1e-12, "{total}");
        assert!(torque.length() < 1e-12, "{torque}");
    }
}

#[test]
fn the_jacobian_of_bending_is_symmetric_and_never_negative() {
    let mut random = Random(6);
    let zero = vec![DVec3::ZERO; PARTICLES];
    for _ in 0..50 {
        let (x, p, q) = (random.vectors(), random.vectors(), random.vectors());
        let [kp, kq] = [&p, &q].map(|d| jvp(&bending(), &x, &zero, d, &zero));
        assert!(dot(&p, &kp) <= 0.0, "bending must not push away from where it is");
        // Rounding of sums of some 20 terms of size 1e2.
        assert!((dot(&q, &kp) - dot(&p, &kq)).abs() < 1e-11);
    }
}

#[test]
fn bending_conserves_momentum_and_angular_momentum() {
    let mut random = Random(7);
    for _ in 0..100 {
        let (x, v) = (random.vectors(), random.vectors());
        let f = force(&bending(), &x, &v);
        let total: DVec3 = f.iter().sum();
        let torque: DVec3 = x.iter().zip(&f).map(|(x, f)| x.cross(*f)).sum();
        // Rounding of 15 terms of up to 1e2 N.
        assert!(total.length() < 1e-12, "{total}");
        assert!(torque.length() < 1e-12, "{torque}");
    }
}

#[test]
fn a_bend_takes_a_moment_of_rigidity_over_its_cell_times_the_sine_of_its_angle() {
    let bend = Bend { particles: [0, 1, 2], rest: [0.5, 0.5], rigidity: 3.0 };
    let x = [dvec3(-0.5, 0.0, 0.0), DVec3::ZERO, dvec3(0.3, 0.4, 0.0)];
    let moment = |bending: &Bending| x[2].cross(force(bending, &x, &x)[2]).z;
    let bends = [bend].into_iter().collect();
    let free = Bending::new(&bends, |_| false);
    assert!((moment(&free) + 3.0 / 0.5 * 0.8).abs() < 1e-15);
    // 1 − cos φ
    assert!((free.energy(&x) - 3.0 / 0.5 * 0.4).abs() < 1e-15);
    let beside_clamp = Bending::new(&bends, |particle| particle < 2);
    assert_eq!(moment(&beside_clamp), 2.0 * moment(&free));
    for alone in [0, 1, 2] {
        assert_eq!(Bending::new(&bends, |particle| particle == alone), free);
    }
}

#[test]
fn bends_in_runs_push_as_one_after_the_other() {
    let mut random = Random(8);
    // More than are computed together, in a row and across rows; a bend again ends every run.
    let row = (0..150).map(|i| [i, i + 1, i + 2]);
    let columns = (0..150).map(|i| [i, i + 20, i + 40]);
    let all = row.chain([[3, 9, 5]]).chain(columns);
    let bend = |particles| Bend { particles, rest: [0.1, 0.2], rigidity: 0.7 };
    let bends: Vec<Bend> = all.map(bend).collect();
    let x: Vec<DVec3> = (0..190).flat_map(|_| random.vectors().into_iter().take(1)).collect();
    let together = Bending::new(&bends.iter().copied().collect(), |_| false);
    let mut f = vec![DVec3::ZERO; x.len()];
    let mut expected = f.clone();
    together.push(&x, &mut f);
    for bend in bends {
        Bending::new(&[bend].into_iter().collect(), |_| false).push(&x, &mut expected);
    }
    assert_eq!(f, expected);
}

#[test]
fn a_spring_pulls_with_stiffness_times_stretch_and_damps_along_itself() {
    let spring = Springs::new([Link { stiffness: 10.0, damping: 2.0, ..link(0, 1, 1.0, false) }]);
    let x = [DVec3::ZERO, dvec3(1.5, 0.0, 0.0)];
    let v = [DVec3::ZERO, dvec3(3.0, 7.0, 0.0)];
    let f = force(&spring, &x, &v);
    assert_eq!(f, [dvec3(11.0, 0.0, 0.0), dvec3(-11.0, 0.0, 0.0)]);
    assert_eq!(spring.potential(&at(&x, &v)), Some(1.25));
}

#[test]
fn a_slack_one_sided_spring_does_nothing() {
    let spring = Springs::new([link(0, 1, 1.0, true)]);
    let x = [DVec3::ZERO, dvec3(0.9, 0.0, 0.0)];
    let v = [DVec3::ZERO, dvec3(1.0, 1.0, 1.0)];
    assert_eq!(force(&spring, &x, &v), [DVec3::ZERO; 2]);
    assert_eq!(jvp(&spring, &x, &v, &v, &v), [DVec3::ZERO; 2]);
    assert_eq!(spring.potential(&at(&x, &v)), Some(0.0));
}

#[test]
fn a_spring_of_length_zero_does_nothing() {
    let spring = Springs::new([link(0, 1, 1.0, false)]);
    let x = [DVec3::ONE; 2];
    assert_eq!(force(&spring, &x, &x), [DVec3::ZERO; 2]);
    assert_eq!(jvp(&spring, &x, &x, &x, &x), [DVec3::ZERO; 2]);
}

#[test]
fn a_falling_body_reaches_its_terminal_velocity() {
    let gravity = Gravity::default();
    let cases: [(Box<dyn ForceLaw>, f64); 2] = [
        (Box::new(LinearDrag { coefficient: 0.5 }), 9.81 / 0.5),
        (Box::new(QuadraticDrag { coefficient: 0.05 }), (9.81_f64 / 0.05).sqrt()),
    ];
    let x = [DVec3::ZERO; PARTICLES];
    for (drag, terminal) in cases {
        let mut v = vec![DVec3::ZERO; PARTICLES];
        for _ in 0..10_000 {
            let mut f = force(&gravity, &x, &v);
            drag.add(&at(&x, &v), &mut f);
            for i in 0..PARTICLES {
                v[i] += 0.01 * f[i] / MASSES[i];
            }
        }
        for v in v {
            assert!((v.y + terminal).abs() < 1e-12 * terminal, "{}: {v}", drag.name());
        }
    }
}

#[test]
fn wind_pushes_towards_the_velocity_of_the_air_and_then_rests() {
    let wind = Wind { velocity: dvec3(5.0, 0.0, 0.0), drag: 0.5, gust: Gust::Constant };
    let x = [DVec3::ZERO; PARTICLES];
    assert_eq!(force(&wind, &x, &x)[2], dvec3(0.5 * MASSES[2] * 5.0, 0.0, 0.0));
    assert_eq!(force(&wind, &x, &[wind.velocity; PARTICLES]), [DVec3::ZERO; PARTICLES]);
}

/// Half a square metre, seen by a wind along z.
const TRIANGLE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

fn on_triangle(wind: &FaceWind, x: &[DVec3; 3], v: DVec3, face: [u32; 3]) -> DVec3 {
    let mut f = [DVec3::ZERO; 3];
    let (v, faces) = ([v; 3], [face].into_iter().collect());
    let masses = &MASSES[..3];
    wind.add(
        &Kinematics {
            t: 0.0,
            x,
            v: &v,
            masses,
            faces: &faces,
            targets: Targets::new(&[0, 1, 2], 3),
        },
        &mut f,
    );
    assert!(f[0] == f[1] && f[1] == f[2], "a third to each corner");
    f.iter().sum()
}

#[test]
fn wind_on_a_square_on_face_has_the_textbook_drag() {
    let wind = FaceWind { velocity: 10.0 * DVec3::Z, ..FaceWind::default() };
    let f = on_triangle(&wind, &TRIANGLE, DVec3::ZERO, [0, 1, 2]);
    // ½ · 1.225 kg/m³ · 1.2 · 0.5 m² · (10 m/s)², no lift at right angles.
    assert!((f - dvec3(0.0, 0.0, 36.75)).length() < 1e-13, "{f}");
}

#[test]
fn wind_along_a_face_or_with_it_does_nothing() {
    let wind = FaceWind { velocity: 10.0 * DVec3::X, ..FaceWind::default() };
    assert_eq!(on_triangle(&wind, &TRIANGLE, DVec3::ZERO, [0, 1, 2]), DVec3::ZERO);
    let wind = FaceWind { velocity: 10.0 * DVec3::Z, ..FaceWind::default() };
    assert_eq!(on_triangle(&wind, &TRIANGLE, wind.velocity, [0, 1, 2]), DVec3::ZERO);
}

#[test]
fn lift_is_across_the_wind_and_greatest_at_45_degrees() {
    let wind = FaceWind { velocity: 2.0 * DVec3::X, drag: 0.0, lift: 1.0, ..FaceWind::default() };
    let lift = |degrees: f64| {
        let along = dvec3(degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0);
        on_triangle(&wind, &[DVec3::ZERO, along, DVec3::Z], DVec3::ZERO, [0, 1, 2])
    };
    // ½ · 1.225 · 0.5 m² · (2 m/s)² · sin 45° cos 45°.
    assert!((lift(45.0).length() - 0.6125).abs() < 1e-14);
    assert!(lift(45.0).x.abs() < 1e-14, "across the wind");
    assert!(lift(-45.0).y > 0.0, "a kite with its leading edge up is lifted");
    assert!(lift(40.0).length() < 0.6125 && lift(50.0).length() < 0.6125);
}

#[test]
fn wind_does_not_care_which_side_of_a_face_is_its_front() {
    let wind = FaceWind { velocity: dvec3(3.0, -1.0, 2.0), ..FaceWind::default() };
    let front = on_triangle(&wind, &TRIANGLE, DVec3::ONE, [0, 1, 2]);
    let back = on_triangle(&wind, &TRIANGLE, DVec3::ONE, [0, 2, 1]);
    assert!((front - back).length() < 1e-14);
}

#[test]
fn wind_blows_only_on_faces_whose_corners_are_all_targets() {
    let x = Random(6).vectors();
    let mut f = vec![DVec3::ZERO; PARTICLES];
    let still = Kinematics { targets: Targets::new(&[0, 1, 3, 4, 5], PARTICLES), ..at(&x, &x) };
    FaceWind::default().add(&still, &mut f);
    assert_eq!(f[..3], [DVec3::ZERO; 3]);
    assert!(f[3..].iter().all(|f| f.length() > 0.0));
}

#[test]
fn degenerate_faces_and_still_air_give_no_force_and_no_nan() {
    let x = [DVec3::ONE; PARTICLES];
    let d = Random(7).vectors();
    let calm = FaceWind { velocity: DVec3::ZERO, ..FaceWind::default() };
    let zero = [DVec3::ZERO; PARTICLES];
    for (wind, x) in [(FaceWind::default(), x.to_vec()), (calm, d.clone())] {
        assert_eq!(force(&wind, &x, &zero), zero);
        assert_eq!(jvp(&wind, &x, &zero, &d, &d), zero);
    }
}

#[test]
fn laws_leave_particles_alone_that_are_not_their_targets() {
    let mut random = Random(8);
    let (x, v) = (random.vectors(), random.vectors());
    for law in Force::all() {
        let (mut f, mut df) = (vec![DVec3::ZERO; PARTICLES], vec![DVec3::ZERO; PARTICLES]);
        let some = Kinematics { targets: Targets::new(&[3, 4, 5], PARTICLES), ..at(&x, &v) };
        law.law().add(&some, &mut f);
        law.law().add_jvp(&some, &x, &v, &mut df);
        assert_eq!(f[..3], [DVec3::ZERO; 3], "{}", law.law().name());
        assert_eq!(df[..3], [DVec3::ZERO; 3], "{}", law.law().name());
    }
}

/// A cloth of 300 particles of uneven mass, the first one pinned, under the laws given with their
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
        // The bits do not depend on the parts that particles are looked at in.
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
    // 8/2² N/kg, less 3/2 (ε/r)² = 3.75e-7 of it.
    assert!((f[1].x + 2.0 * (1.0 - 3.75e-7)).abs() < 1e-12, "{}", f[1]);
}

#[test]
fn the_sine_is_the_sine() {
    for i in -2000..=2000 {
        let turns = f64::from(i) / 1000.0;
        let expected = (std::f64::consts::TAU * turns).sin();
        // The argument of the system's sine is rounded by up to half of 2⁻⁴⁹.
        assert!((sin_turns(turns) - expected).abs() < 2e-15, "{turns}");
    }
    for (turns, sine) in [(0.0, 0.0), (0.25, 1.0), (-0.25, -1.0), (0.5, 0.0), (1.0 / 12.0, 0.5)] {
        assert!((sin_turns(turns) - sine).abs() < 3e-16, "{turns}");
    }
}

#[test]
fn the_sine_is_periodic_to_the_bit_and_bounded() {
    for i in 0..=1024 {
        let turns = f64::from(i) / 1024.0;
        assert_eq!(sin_turns(turns + 1e6), sin_turns(turns));
        assert!(sin_turns(turns).abs() <= 1.0);
    }
    assert!(sin_turns(f64::INFINITY).is_nan());
}

#[test]
fn gusts_are_bounded_and_without_jumps() {
    let noise = Gust::Noise { seed: 3, amplitude: 0.5, correlation_time: 0.7 };
    let sine = Gust::Sine { amplitude: 0.5, frequency: 1.0 / 0.7 };
    assert_eq!(Gust::Constant.factor(12.3), 1.0);
    for gust in [noise, sine] {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in -100_000..100_000 {
            let t = f64::from(i) * 1e-3;
            let factor = gust.factor(t);
            (least, most) = (least.min(factor), most.max(factor));
            // Slope at most amplitude · max(2 · 3/2, 2π)/0.7 s.
            assert!((gust.factor(t + 1e-3) - factor).abs() < 0.5 * 6.3 / 0.7 * 1e-3);
        }
        assert!((0.5..0.52).contains(&least), "{least}");
        assert!(1.48 < most && most <= 1.5, "{most}");
    }
}

#[test]
fn noise_is_the_same_everywhere_and_another_for_another_seed() {
    let factor =
        |seed, t| Gust::Noise { seed, amplitude: 1.0, correlation_time: 1.0 }.factor(t).to_bits();
    // Recorded once: integer hashing and + − × ÷ must give these bits on every platform.
    let recorded = [
        (0, 0.0, 0x3fe2_0860_89bf_cf34),
        (0, 0.5, 0x3fed_e50b_eac9_8ac9),
        (1, 0.5, 0x3ff3_b25c_f04f_6fa3),
        (1, -7.25, 0x3fe6_a8ab_6077_8dbd),
        (u64::MAX, 1e9 + 0.125, 0x3ffc_6007_db80_c368),
    ];
    for (seed, t, bits) in recorded {
        assert_eq!(factor(seed, t), bits, "{seed} {t}: {:#x}", factor(seed, t));
    }
}

fn ron() -> ron::Options {
    ron::Options::default().with_default_extension(Extensions::UNWRAP_VARIANT_NEWTYPES)
}

#[test]
fn every_force_survives_ron() {
    let gusty = Force::Wind(Wind {
        gust: Gust::Noise { seed: 5, amplitude: 0.25, correlation_time: 2.0 },
        ..Wind::default()
    });
    for force in Force::all().chain([gusty]) {
        let text = ron().to_string(&force).expect("forces can be written");
        assert_eq!(ron().from_str::<Force>(&text), Ok(force), "{text}");
    }
}

#[test]
fn a_force_is_typed_with_only_the_fields_that_matter() {
    let typed = [
        ("Gravity(g: (0, -1.62, 0))", Force::Gravity(Gravity { g: dvec3(0.0, -1.62, 0.0) })),
        (
            "Wind(gust: Sine(amplitude: 0.5, frequency: 2))",
            Force::Wind(Wind {
                gust: Gust::Sine { amplitude: 0.5, frequency: 2.0 },
                ..Wind::default()
            }),
        ),
        ("Attractor()", Force::Attractor(Attractor::default())),
    ];
    for (text, force) in typed {
        assert_eq!(ron().from_str::<Force>(text), Ok(force));
    }
    assert!(ron().from_str::<Force>("Gravity(G: (0, 1, 0))").is_err(), "misspelt fields are told");
}

#[test]
fn names_are_distinct_and_defaults_pass_their_check() {
    let names: Vec<_> = Force::all().map(|force| force.law().name()).collect();
    for (i, name) in names.iter().enumerate() {
        assert!(!names[..i].contains(name), "{name} twice");
    }
    for force in Force::all() {
        assert_eq!(force.check(), Ok(()));
    }
}

#[test]
fn nonsense_is_refused_in_one_sentence() {
    let nan = f64::NAN;
    let noise = |correlation_time| Gust::Noise { seed: 0, amplitude: 1.0, correlation_time };
    let cases = [
        (Force::Gravity(Gravity { g: dvec3(0.0, nan, 0.0) }), "g of gravity"),
        (Force::LinearDrag(LinearDrag { coefficient: -1.0 }), "coefficient of linear drag is -1"),
        (Force::QuadraticDrag(QuadraticDrag { coefficient: nan }), "NaN"),
        (Force::Wind(Wind { drag: f64::INFINITY, ..Wind::default() }), "drag of wind is inf"),
        (Force::Wind(Wind { gust: noise(0.0), ..Wind::default() }), "correlation_time of a gust"),
        (Force::FaceWind(FaceWind { air_density: -1.2, ..FaceWind::default() }), "air_density"),
        (Force::Attractor(Attractor { softening: 0.0, ..Attractor::default() }), "softening"),
    ];
    for (force, part) in cases {
        let said = force.check().expect_err("nonsense");
        assert!(said.contains(part), "{said}");
    }
    assert!(Grab { stiffness: -1.0, ..grab() }.check().is_err());
    assert_eq!(grab().check(), Ok(()));
}

#[test]
fn the_hand_pulls_its_particle_and_no_other() {
    let x = Random(9).vectors();
    let f = force(&grab(), &x, &x);
    for (i, f) in f.iter().enumerate() {
        assert_eq!(*f == DVec3::ZERO, i != 2);
    }
}
