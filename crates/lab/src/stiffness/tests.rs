//! Tests of published and calculated values, and of the conversions to and from every notation.

use super::*;
use crate::support;

const LINK: SoftLink =
    SoftLink { stiffness: 1000.0, damping: 2.0, inverse_mass: 40.0, length: 0.1 };

fn steps(rate: f64) -> SolverSteps {
    SolverSteps { dt: 1.0 / rate, substeps: 1, sweeps: 1 }
}

fn first_number(
    stiffness_language: StiffnessLanguage,
    link: &SoftLink,
    steps: &SolverSteps,
) -> f64 {
    stiffness_language.write(link, steps).parameters[0].value
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{found} for {expected}");
}

#[test]
fn a_thousand_newtons_a_metre_at_40_per_kilogram() {
    assert_near(first_number(StiffnessLanguage::Box2d, &LINK, &steps(960.0)), 31.8309886, 1e-9);
    let shares = [(60.0, 0.9174311927), (240.0, 0.4098360656), (960.0, 0.0415973378)];
    for (rate, share) in shares {
        assert_near(first_number(StiffnessLanguage::Pbd, &LINK, &steps(rate)), share, 1e-9);
    }
    assert_near(first_number(StiffnessLanguage::Xpbd, &LINK, &steps(60.0)), 1e-3, 1e-15);
    assert_near(first_number(StiffnessLanguage::Material, &LINK, &steps(60.0)), 100.0, 1e-15);
}

#[test]
fn box2d_limits_joints_to_a_quarter_of_the_rate() {
    let stiff = SoftLink { stiffness: 1e9, ..LINK };
    for (rate, most) in [(60.0, 222.07), (240.0, 3553.06), (960.0, 56848.9)] {
        let engine_stiffness = StiffnessLanguage::Box2d.write(&stiff, &steps(rate));
        assert_near(engine_stiffness.effective, most, 2e-5);
        assert!(engine_stiffness.note.is_some());
    }
    assert_eq!(StiffnessLanguage::Rapier.write(&stiff, &steps(60.0)).effective, 1e9);
}

/// The same coefficient gives different stiffnesses on different meshes. The links are edges of a
/// sheet of 1.01 kg in Godot, at coefficient 0.5, 60 ticks and precision 5.
#[test]
fn half_a_coefficient_of_godot_is_another_stiffness_on_another_mesh() {
    let steps = SolverSteps { dt: 1.0 / 60.0, substeps: 5, sweeps: 1 };
    for (side, stiffness) in [(11.0_f64, 375.6), (26.0, 67.2), (51.0, 17.5), (101.0, 4.46)] {
        let link = SoftLink { inverse_mass: 2.0 * side * side / 1.01, ..LINK };
        let read = StiffnessLanguage::Godot.read(0.5, None, &link, &steps).unwrap();
        assert_near(read.stiffness, stiffness, 2e-3);
    }
}

#[test]
fn sweeps_share_what_one_of_them_would_take() {
    let [once, four] = [1, 4].map(|sweeps| SolverSteps { sweeps, ..steps(60.0) });
    let share = first_number(StiffnessLanguage::Pbd, &LINK, &four);
    assert_near(
        1.0 - (1.0 - share).powi(4),
        first_number(StiffnessLanguage::Pbd, &LINK, &once),
        1e-12,
    );
}

#[test]
fn what_is_written_is_read_again() {
    let steps = SolverSteps { dt: 1.0 / 60.0, substeps: 8, sweeps: 3 };
    let undamped = SoftLink { damping: 0.0, ..LINK };
    for (stiffness_language, link) in
        StiffnessLanguage::all().flat_map(|it| [(it, &LINK), (it, &undamped)])
    {
        let numbers = stiffness_language.write(link, &steps).parameters;
        let second = numbers.get(1).map(|parameter| parameter.value);
        let read = stiffness_language.read(numbers[0].value, second, link, &steps).unwrap();
        let effective = stiffness_language.write(link, &steps).effective;
        assert_near(read.stiffness, effective, 1e-9);
    }
}

#[test]
fn a_number_that_is_none_is_refused_by_name() {
    let error =
        StiffnessLanguage::Godot.read(1.0, None, &LINK, &steps(60.0)).unwrap_err().to_string();
    let expected = "godot: linear_stiffness is 1; expected a number between 0 and 1; at 1 the link";
    assert!(error.starts_with(expected), "{error}");
    assert!(StiffnessLanguage::Box2d.read(-1.0, None, &LINK, &steps(60.0)).is_err());
    assert!(StiffnessLanguage::from_name("boxd").unwrap_err().to_string().contains("box2d"));
}

/// The scene of every language has links with the converted stiffness.
#[test]
fn a_rope_of_every_engine_is_a_scene_with_its_links() {
    for stiffness_language in StiffnessLanguage::all() {
        let steps = SolverSteps { dt: 1.0 / 60.0, substeps: 4, sweeps: 3 };
        let typed = first_number(stiffness_language, &LINK, &steps);
        let rope =
            EngineRope { stiffness_language, typed, link: LINK, steps, mass: 0.05, segments: 12 };
        let scene = support::scene(&rope.to_ron());
        let mesh = &scene.parts.mesh;
        assert_eq!((mesh.positions.len(), mesh.links.len()), (13, 12));
        assert!(mesh.masses.iter().all(|mass| *mass == 0.05), "masses {:?} kg", mesh.masses);
        let link = mesh.links.iter().next().unwrap();
        assert_near(link.stiffness, LINK.stiffness, 1e-12);
        assert_near(link.damping, LINK.damping, 1e-12);
        assert_near(link.rest, LINK.length, 1e-12);
        let settings = &scene.lanes[0].settings;
        assert_eq!((settings.dt, settings.substeps), (steps.dt, 4));
    }
}

/// Bodies of 50 g hang on links of 60 Hz. Each body below a link stretches the link by g/ω², with ω
/// = 2π · 60 rad/s.
#[test]
fn a_rope_from_box2d_hangs_as_far_down_as_sixty_hertz_say() {
    let steps = SolverSteps { dt: 1.0 / 60.0, substeps: 8, sweeps: 1 };
    let ends = SoftLink { stiffness: 1.0, damping: 0.0, inverse_mass: 40.0, length: 0.1 };
    let link = StiffnessLanguage::Box2d.read(60.0, Some(2.0), &ends, &steps).unwrap();
    let rope = EngineRope {
        stiffness_language: StiffnessLanguage::Box2d,
        typed: 60.0,
        link,
        steps,
        mass: 0.05,
        segments: 5,
    };
    let text = rope.to_ron().replace("to: (0.5, 2, 0)", "to: (0, 1.5, 0)");
    let mut simulation = support::lane(&text);
    (0..3000).for_each(|_| simulation.step(steps.dt));
    let x = &simulation.state().x;
    let stretches: Vec<f64> = (0..5).map(|i| x[i].y - x[i + 1].y - 0.1).collect();
    for (i, stretch) in stretches.iter().enumerate() {
        // The hook is pinned, so the effective mass of the first link is a whole body.
        let mass = if i == 0 { 0.05 } else { 0.025 };
        let stiffness = mass * (std::f64::consts::TAU * 60.0).powi(2);
        assert_near(*stretch, 0.05 * 9.81 * (5 - i) as f64 / stiffness, 1e-3);
    }
}

/// A bob on one link sags by m g divided by the effective stiffness of its engine.
#[test]
fn a_bob_of_every_engine_that_has_springs_sags_as_it_is_told() {
    let mass = 0.05;
    let link_data =
        SoftLink { stiffness: 1000.0, damping: 4.0, inverse_mass: 1.0 / mass, length: 0.1 };
    // Links of PBD and Unreal are not springs: their sag depends on the sweeps.
    let springs = StiffnessLanguage::all()
        .filter(|it| !matches!(it, StiffnessLanguage::Pbd | StiffnessLanguage::Unreal));
    // With one substep per 1/60 s, Box2D limits the link's 22.5 Hz to 15 Hz, and springs under
    // symplectic Euler explode.
    let limited = [
        StiffnessLanguage::Box2d,
        StiffnessLanguage::Rapier,
        StiffnessLanguage::Unity,
        StiffnessLanguage::Jolt,
    ];
    let cases = springs.map(|it| (it, 4)).chain(limited.map(|it| (it, 1)));
    for (stiffness_language, substeps) in cases {
        let steps = SolverSteps { dt: 1.0 / 60.0, substeps, sweeps: 1 };
        let engine_stiffness = stiffness_language.write(&link_data, &steps);
        let numbers: Vec<f64> =
            engine_stiffness.parameters.iter().map(|number| number.value).collect();
        let typed = numbers[0];
        let second = if stiffness_language.takes_damping_ratio() {
            numbers.get(1).copied()
        } else {
            Some(4.0)
        };
        let link = stiffness_language.read(typed, second, &link_data, &steps).unwrap();
        let rope = EngineRope { stiffness_language, typed, link, steps, mass, segments: 1 };
        let text = rope.to_ron().replace("to: (0.1, 2, 0)", "to: (0, 1.9, 0)");
        let mut simulation = support::lane(&text);
        (0..3000).for_each(|_| simulation.step(steps.dt));
        let sag = 1.9 - simulation.state().x[1].y;
        let expected = mass * 9.81 / engine_stiffness.effective;
        assert!(
            (sag / expected - 1.0).abs() < 1e-3,
            "{stiffness_language:?}, {substeps} substeps: sag {sag} m, expected {expected} m"
        );
    }
}
