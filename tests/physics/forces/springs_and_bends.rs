//! Springs and bends: momentum, symmetry, and their laws.

use super::{PARTICLES, Random, at, bending, dot, force, jvp, length, link, moved, slope, springs};
use glam::{DVec3, dvec3};
use ropelab::force::ForceLaw;
use ropelab::force::{Bending, Springs};
use ropelab::mesh::{Bend, Link};

#[test]
fn the_jacobian_product_of_stretched_springs_is_the_directional_difference() {
    let mut random = Random(3);
    // The rest length is shorter than any distance of two random particles, so every spring is
    // stretched. All velocities are equal, because the derivative of the damper by position, which
    // the law leaves out, is zero then.
    let springs = springs(1e-3);
    let v = vec![dvec3(1.0, 2.0, 3.0); PARTICLES];
    for _ in 0..50 {
        let (x, dx, dv) =
            (random.vectors(PARTICLES), random.vectors(PARTICLES), random.vectors(PARTICLES));
        let product = jvp(&springs, &x, &v, &dx, &dv);
        for i in 0..PARTICLES {
            for axis in 0..3 {
                // Derivatives along positions and along velocities are measured separately. A joint
                // derivative would contain the mixed term that the law leaves out.
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
            let (x, v) = (random.vectors(PARTICLES), random.vectors(PARTICLES));
            let (p, q) = (random.vectors(PARTICLES), random.vectors(PARTICLES));
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
                // Rounding error of sums of about 20 terms of size 1e2.
                assert!((dot(&q, &kp) - dot(&p, &kq)).abs() < 1e-11);
            }
        }
    }
}

#[test]
fn springs_conserve_momentum_and_angular_momentum() {
    let mut random = Random(5);
    for _ in 0..100 {
        let (x, v) = (random.vectors(PARTICLES), random.vectors(PARTICLES));
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
        let (x, p, q) =
            (random.vectors(PARTICLES), random.vectors(PARTICLES), random.vectors(PARTICLES));
        let [kp, kq] = [&p, &q].map(|d| jvp(&bending(), &x, &zero, d, &zero));
        assert!(dot(&p, &kp) <= 0.0, "bending must not push away from where it is");
        // Rounding error of sums of about 20 terms of size 1e2.
        assert!((dot(&q, &kp) - dot(&p, &kq)).abs() < 1e-11);
    }
}

#[test]
fn bending_conserves_momentum_and_angular_momentum() {
    let mut random = Random(7);
    for _ in 0..100 {
        let (x, v) = (random.vectors(PARTICLES), random.vectors(PARTICLES));
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
    // 1 − cos φ of the bend's angle is 0.4.
    assert!((free.energy(&x) - 3.0 / 0.5 * 0.4).abs() < 1e-15);
    let beside_clamp = Bending::new(&bends, |particle| particle < 2);
    assert_eq!(moment(&beside_clamp), 2.0 * moment(&free));
    for alone in [0, 1, 2] {
        assert_eq!(Bending::new(&bends, |particle| particle == alone), free);
    }
}

/// Cantilever of eight cells under a load at its tip, clamped by a link of any length. The joint at
/// the clamp turns by M L/(2 EI), the others by M L/EI, so the tip moves by P L³/(3 EI) (1 + 1/128).
#[test]
fn a_cantilever_bends_the_same_behind_a_clamp_of_any_length() {
    let (cells, cell, rigidity, load) = (8, 0.125, 2.0, 0.3);
    for clamp in [cell, 0.001, 1.0] {
        let bend = |j: u32| Bend {
            particles: [j, j + 1, j + 2],
            rest: [if j == 0 { clamp } else { cell }, cell],
            rigidity,
        };
        let mut x = vec![dvec3(-clamp, 0.0, 0.0), DVec3::ZERO];
        let mut slope = 0.0;
        for joint in 0..cells {
            let moment = load * cell * f64::from(cells - joint);
            slope += moment * cell / rigidity * if joint == 0 { 0.5 } else { 1.0 };
            x.push(x[x.len() - 1] + cell * dvec3(1.0, slope, 0.0));
        }
        let tip = x[x.len() - 1].y / (load / (3.0 * rigidity)) - 1.0;
        assert!((tip - 1.0 / 128.0).abs() < 1e-12, "{tip}");
        let bending = Bending::new(&(0..cells).map(bend).collect(), |particle| particle < 2);
        let f = force(&bending, &x, &x);
        let (last, inner) = f[2..].split_last().unwrap();
        assert!((last.y + load).abs() < 1e-12, "clamp of {clamp} m: {last}");
        assert!(inner.iter().all(|f| f.length() < 1e-12), "clamp of {clamp} m: {inner:?}");
    }
}

#[test]
fn bends_in_runs_push_as_one_after_the_other() {
    let mut random = Random(8);
    // More bends than the kernel computes together, along a row and across rows. The scattered bend
    // [3, 9, 5] ends the run of consecutive bends.
    let row = (0..150).map(|i| [i, i + 1, i + 2]);
    let columns = (0..150).map(|i| [i, i + 20, i + 40]);
    let all = row.chain([[3, 9, 5]]).chain(columns);
    let bend = |particles| Bend { particles, rest: [0.1, 0.2], rigidity: 0.7 };
    let bends: Vec<Bend> = all.map(bend).collect();
    let x: Vec<DVec3> =
        (0..190).flat_map(|_| random.vectors(PARTICLES).into_iter().take(1)).collect();
    let together = Bending::new(&bends.iter().copied().collect(), |_| false);
    let mut f = vec![DVec3::ZERO; x.len()];
    let mut expected = f.clone();
    together.add_forces(&x, &mut f);
    for bend in bends {
        Bending::new(&[bend].into_iter().collect(), |_| false).add_forces(&x, &mut expected);
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
