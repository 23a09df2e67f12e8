//! Misspelt names, wrong kinds of values, and numbers out of range.

use super::{assert_refused, error_of, scene_with};
use proptest::prelude::*;
use ropelab::scene::{Scene, library};

#[test]
fn misspelt_names_get_the_nearest_right_one() {
    assert_refused(
        "ropse: [],",
        "test.ron:5:5: unknown field \"ropse\" of Scene, did you mean \"ropes\"?",
    );
    assert_refused(
        "ropes: [(form: (0, 0, 0))],",
        "test.ron:5:14: unknown field \"form\" of rope, did you mean \"from\"?",
    );
    assert_refused(
        "settings: (integrator: VelocityVerlett),",
        "test.ron:5:28: unknown integrator \"VelocityVerlett\", did you mean \"VelocityVerlet\"?",
    );
    assert_refused(
        "settings: (stepping: Interpolate),",
        "test.ron:5:26: unknown stepping scheme \"Interpolate\", did you mean \"Interpolated\"? Expected FrameCoupled, FixedPerFrame, DiscardRemainder, FrameSubsteps, Accumulator, Interpolated, RenderTick or Extrapolated",
    );
    assert_refused(
        "forces: [(law: Gravty())],",
        "test.ron:5:20: unknown force \"Gravty\", did you mean \"Gravity\"? Expected Gravity, LinearDrag, QuadraticDrag, Wind, FaceWind or Attractor",
    );
    assert_refused(
        "forces: [(law: Gravity, on: Bdy(\"x\"))],",
        "test.ron:5:33: unknown particles \"Bdy\", did you mean \"Body\"?",
    );
    assert_refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), material: \"hemp\")],",
        "test.ron:5:56: no material is named \"hemp\"",
    );
    assert_refused(
        "materials: [Rope(name: \"hemp\")],\n    ropes: [(from: (0, 0, 0), to: (1, 0, 0), material: \"hmep\")],",
        "test.ron:6:56: no material is named \"hmep\", did you mean \"hemp\"?",
    );
    assert_refused(
        "pins: [(of: Start(\"rope\"))],",
        "test.ron:5:17: no rope, net, cloth or particle is named \"rope\"",
    );
    assert_refused(
        "camera: Front(height: 2),",
        "test.ron:5:13: unknown camera \"Front\", expected Side or Orbit",
    );
}

#[test]
fn wrong_kinds_of_value() {
    assert_refused(
        "floor: \"low\",",
        "test.ron:5:12: `floor`: found the text \"low\", expected a number",
    );
    assert_refused(
        "particles: 3,",
        "test.ron:5:5: found the field \"particles\" a second time, expected it once",
    );
    assert_refused(
        "ropes: [(from: (0, 0), to: (1, 0, 0))],",
        "test.ron:5:25: `from`: found 2 elements, expected three numbers (x, y, z)",
    );
    assert_refused("pins: [(of: Node(\"rope\"))],", "test.ron:5:28: found 1 element, expected 2");
    assert_refused(
        "settings: (guards: (frame_clamp: Of(0.01))),",
        "test.ron:5:38: unknown guard \"Of\", did you mean \"Off\"? Expected On or Off",
    );
    assert_refused(
        "ropes: [(from: 0, to: (1, 0, 0))],",
        "test.ron:5:20: `from`: found `0`, expected three numbers (x, y, z)",
    );
    assert_refused(
        "ropes: [(from: (0, 0, 0, 0), to: (1, 0, 0))],",
        "test.ron:5:30: found `0`, expected `)`",
    );
    assert_refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), segments: 2.5)],",
        "test.ron:5:57: found a number with a fraction or exponent, expected a whole number",
    );
    assert_refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), segments: -3)],",
        "test.ron:5:56: `segments`: found -3, expected a whole number from 1 to 1000000",
    );
    assert_refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), segments: 0)],",
        "test.ron:5:56: `segments`: found 0, expected a whole number from 1 to 1000000",
    );
    assert_refused(
        "pins: [(of: Particle(-1))],",
        "test.ron:5:26: `-1` is too large or negative for this field",
    );
    assert_refused(
        "floor: 1, floor: 2,",
        "test.ron:5:15: found the field \"floor\" a second time, expected it once",
    );
    assert_refused(
        "ropes: [Rope(from: (0, 0, 0), to: (1, 0, 0))],",
        "test.ron:5:13: `ropes`: found `Rope`, expected `(`: there is no name before this bracket",
    );
    assert_refused(
        "ropes: [(from: Vec3(0, 0, 0), to: (1, 0, 0))],",
        "test.ron:5:20: `from`: found `Vec3`, expected `(`: there is no name before this bracket",
    );
    assert_refused(
        "pins: [(path: Still)],",
        "test.ron:5:24: field \"of\" of pin is missing before this",
    );
}

#[test]
fn numbers_that_are_none() {
    assert_refused("floor: NaN,", "test.ron:5:12: `floor`: found NaN, expected a finite number");
    assert_refused("floor: -inf,", "test.ron:5:12: `floor`: found -inf, expected a finite number");
    assert_refused("floor: 1e999,", "test.ron:5:12: `floor`: found inf, expected a finite number");
    assert_refused(
        "ropes: [(from: (0, inf, 0), to: (1, 0, 0))],",
        "test.ron:5:24: `from`: found inf, expected a finite number",
    );
    assert_refused(
        "settings: (dt: NaN),",
        "test.ron:5:20: dt is NaN; expected 0.000001 to 1 seconds",
    );
    assert_refused(
        "camera: Side(centre: (0, NaN, 0), height: 1),",
        "test.ron:5:13: camera: found centre (0, NaN, 0), expected finite numbers from -1e15 to 1e15",
    );
    assert_refused(
        "pins: [(of: Particle(0), path: Swing(amplitude: (0, inf, 0), frequency: 1))],",
        "test.ron:5:36: path: swing of amplitude (0, inf, 0) at 1 Hz; expected finite numbers of at most 1e15 and a frequency of at least 0",
    );
}

#[test]
fn parameters_that_make_no_sense() {
    assert_refused(
        "forces: [(law: Gravity(g: (0, NaN, 0)))],",
        "test.ron:5:20: g of gravity is NaN, must be finite",
    );
    assert_refused(
        "forces: [(law: LinearDrag(coefficient: -1))],",
        "test.ron:5:20: coefficient of linear drag is -1, must be finite and at least 0",
    );
    assert_refused(
        "forces: [(law: Wind(gust: Noise(seed: 1, amplitude: 1, correlation_time: 0)))],",
        "test.ron:5:20: correlation_time of a gust is 0, must be finite and above 0",
    );
    assert_refused(
        "settings: (integrator: VerletDrag(drag: 2)),",
        "test.ron:5:28: integrator: drag is 2, expected at least 0 and less than 1",
    );
    assert_refused(
        "settings: (integrator: VerletDrag(drga: 0.1)),",
        "test.ron:5:39: unknown field \"drga\" of VerletDrag, did you mean \"drag\"? Expected drag",
    );
    assert_refused(
        "settings: (constraints: Xpbd(iterations: 0)),",
        "test.ron:5:29: constraints: iterations of XPBD is 0, must be from 1 to 100000",
    );
    assert_refused(
        "settings: (constraints: Relaxation(order: Jacobi(damping: 7))),",
        "test.ron:5:29: constraints: damping of a Jacobi sweep is 7, must be above 0, at most 1",
    );
    assert_refused(
        "settings: (constraints: SoftStep(hertz: 0)),",
        "test.ron:5:29: constraints: hertz of Soft Step is 0, must be above 0, at most 1e9",
    );
    assert_refused(
        "settings: (constraints: Vbd(iterations: 0)),",
        "test.ron:5:29: constraints: iterations of VBD is 0, must be from 1 to 100000",
    );
    assert_refused(
        "settings: (constraints: Xpbd(omega: 2)),",
        "test.ron:5:29: constraints: omega of XPBD is 2, must be above 0 and below 2",
    );
    assert_refused(
        "settings: (constraints: PBD),",
        "test.ron:5:29: unknown constraint solver \"PBD\", did you mean \"Xpbd\"? Expected None, Relaxation, Xpbd, Shake, Direct, SoftStep, Rattle or Vbd",
    );
}

#[test]
fn sizes_that_are_none() {
    assert_refused(
        "masses: [(of: Particle(0), mass: -1)],",
        "test.ron:5:38: `mass`: found -1, expected a finite number above 0",
    );
    assert_refused(
        "masses: [(of: Particle(0), mass: 0.0)],",
        "test.ron:5:38: `mass`: found 0, expected a finite number above 0",
    );
    assert_refused(
        "materials: [Rope(name: \"x\", mass_per_metre: 0)],",
        "test.ron:5:49: `mass_per_metre`: found 0, expected a finite number above 0",
    );
    assert_refused(
        "materials: [Cloth(name: \"x\", damping: -0.5)],",
        "test.ron:5:43: `damping`: found -0.5, expected a finite number of at least 0",
    );
    assert_refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), length: -2)],",
        "test.ron:5:54: `length`: found -2, expected a finite number above 0",
    );
    assert_refused(
        "ropes: [(from: (0, 0, 0), to: (0, 0, 0))],",
        "test.ron:5:13: the rope's ends are at the same position, expected two positions or a `length`",
    );
    assert_refused("settings: (dt: 0),", "test.ron:5:20: dt is 0; expected 0.000001 to 1 seconds");
    assert_refused(
        "settings: (dt: -0.01),",
        "test.ron:5:20: dt is -0.01; expected 0.000001 to 1 seconds",
    );
    assert_refused(
        "settings: (dt: 1e-12),",
        "test.ron:5:20: dt is 1e-12; expected 0.000001 to 1 seconds",
    );
    assert_refused(
        "lanes: [(name: \"a\"), (name: \"b\", settings: (dt: 1e-12))],",
        "test.ron:5:53: dt is 1e-12; expected 0.000001 to 1 seconds",
    );
    assert_refused(
        "settings: (guards: (frame_clamp: On(0))),",
        "test.ron:5:38: guards: frame_clamp is 0; expected a positive number of seconds",
    );
    assert_refused("settings: (substeps: 0),", "test.ron:5:26: substeps is 0; expected 1 to 1000");
    assert_refused(
        "camera: Side(centre: (0, 0, 0), height: 1, aspect: 0),",
        "test.ron:5:13: camera: found aspect 0, expected 0.1 to 10",
    );
    assert_refused(
        "camera: Side(centre: (0, 0, 0), height: 0),",
        "test.ron:5:13: camera: found height 0, expected a number above 0, at most 1e15",
    );
    assert_refused(
        "cloths: [(corner: (0, 0, 0), across: (0, 0, 0), down: (0, 1, 0), cells: (3, 3))],",
        "test.ron:5:42: found an edge of length 0, expected a length above 0",
    );
    assert_refused(
        "cloths: [(corner: (0, 0, 0), across: (0, 2, 0), down: (0, 1, 0), cells: (3, 3))],",
        "test.ron:5:59: `down` is parallel to `across`, expected a sheet with an area",
    );
    assert_refused(
        "cloths: [(corner: (0, 0, 0), across: (1, 0, 0), down: (0, 1, 0), cells: (0, 3))],",
        "test.ron:5:78: `cells`: found 0, expected a whole number from 1 to 1000000",
    );
}

#[test]
fn values_in_forms_of_other_languages() {
    assert_refused(
        "settings: (strain_limit: 0.05),",
        "test.ron:5:30: `strain_limit`: found `0.05`, expected On(0.05) or Off(0.05)",
    );
    assert_refused(
        "settings: (integrator: 5),",
        "test.ron:5:28: `integrator`: found `5`, expected a name",
    );
    assert_refused(
        "settings: (dt: 1/60),",
        "test.ron:5:23: found `/`, expected the result of the division as a number",
    );
    let single_quotes = scene_with("").replace("\"test\"", "'test'");
    assert_eq!(
        error_of(&single_quotes),
        "test.ron:3:11: `name`: found a text in ' ', expected a text in \" \""
    );
}

fn texts() -> Vec<&'static str> {
    library::list().iter().map(|entry| entry.text()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = Scene::parse(&String::from_utf8_lossy(&bytes), "random");
    }

    #[test]
    fn random_signs_never_panic(text in r#"[(){}\[\]:,"a-z0-9.\-+/* \n]{0,200}"#) {
        let _ = Scene::parse(&text, "random");
    }

    #[test]
    fn damaged_scenes_never_panic(
        which in any::<proptest::sample::Index>(),
        cut in any::<proptest::sample::Index>(),
        drop in 0..12_usize,
        put in r#"[(){}\[\]:,"a-zA-Z0-9.\-+/* \n]{0,8}"#,
    ) {
        let texts = texts();
        let text = which.get(&texts);
        let characters: Vec<char> = text.chars().collect();
        let cut = cut.index(characters.len());
        let rest = (cut + drop).min(characters.len());
        let damaged: String =
            characters[..cut].iter().copied().chain(put.chars()).chain(characters[rest..].iter().copied()).collect();
        let _ = Scene::parse(&damaged, "damaged");
    }
}
