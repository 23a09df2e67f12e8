//! Force laws by name, as text in scene files, and errors for invalid laws.

use super::grab;
use crate::support::ron;
use glam::dvec3;
use ropelab::force::{
    Attractor, FaceWind, Force, Grab, Gravity, Gust, LinearDrag, QuadraticDrag, Wind,
};

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
