//! Drag, wind and gusts.

use super::{MASSES, PARTICLES, at, force, jvp, random_columns};
use glam::{DVec3, dvec3};
use ropelab::force::{
    FaceWind, ForceLaw, Gravity, Gust, Kinematics, LinearDrag, QuadraticDrag, Targets, Wind,
};
use ropelab::numerics::random::Random;
use ropelab::numerics::sine::sin_turns;

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
            assert!(
                (v.y + terminal).abs() < 1e-12 * terminal,
                "{}: terminal velocity {v} m/s",
                drag.name()
            );
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

/// Right triangle of 0.5 m² in the xy plane, which faces a wind along z.
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
    // Drag ½ · 1.225 kg/m³ · 1.2 · 0.5 m² · (10 m/s)²; no lift, because the wind is perpendicular
    // to the triangle.
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
    // Lift ½ ρ C_L A |u|² sin θ cos θ = ½ · 1.225 kg/m³ · 0.5 m² · (2 m/s)² · sin 45° cos 45°.
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
    let [x] = random_columns(&mut Random::new(6));
    let mut f = vec![DVec3::ZERO; PARTICLES];
    let still = Kinematics { targets: Targets::new(&[0, 1, 3, 4, 5], PARTICLES), ..at(&x, &x) };
    FaceWind::default().add(&still, &mut f);
    assert_eq!(f[..3], [DVec3::ZERO; 3]);
    assert!(f[3..].iter().all(|f| f.length() > 0.0));
}

#[test]
fn degenerate_faces_and_still_air_give_no_force_and_no_nan() {
    let x = [DVec3::ONE; PARTICLES];
    let [d] = random_columns(&mut Random::new(7));
    let calm = FaceWind { velocity: DVec3::ZERO, ..FaceWind::default() };
    let zero = [DVec3::ZERO; PARTICLES];
    for (wind, x) in [(FaceWind::default(), x.to_vec()), (calm, d.clone())] {
        assert_eq!(force(&wind, &x, &zero), zero);
        assert_eq!(jvp(&wind, &x, &zero, &d, &d), zero);
    }
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
            // Largest slope of the gust factor: amplitude · max(2 · 3/2, 2π)/0.7 s.
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
    // Values recorded once. Integer hashing and + − × ÷ must give the same bits on every platform.
    let recorded = [
        (0, 0.0, 0x3fe2_0860_89bf_cf34),
        (0, 0.5, 0x3fed_e50b_eac9_8ac9),
        (1, 0.5, 0x3ff3_b25c_f04f_6fa3),
        (1, -7.25, 0x3fe6_a8ab_6077_8dbd),
        (u64::MAX, 1e9 + 0.125, 0x3ffc_6007_db80_c368),
    ];
    for (seed, t, bits) in recorded {
        assert_eq!(factor(seed, t), bits, "seed {seed}, {t} s: bits {:#x}", factor(seed, t));
    }
}
