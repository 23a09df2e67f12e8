//! Integrators as values: names, RON text, checks of parameters, snapshots.

use super::systems::{Chain, Run};
use crate::support::ron;
use ropelab::integrate::{
    DormandPrince, GeneralizedAlpha, Method, PositionVerlet, VerletDrag, VerletStart,
};
use std::collections::BTreeSet;

#[test]
fn a_snapshot_resumes_bit_for_bit() {
    let chain = Chain::new(6, 100.0);
    for method in Method::all() {
        for pause in [0, 1, 2, 20] {
            let mut run = Run::new(method, &chain, chain.start(), 0.01);
            run.steps(pause);
            let (state, work) = (run.state.clone(), run.work.clone());
            run.steps(20);
            let mut resumed =
                Run { state, work, steps: pause, ..Run::new(method, &chain, chain.start(), 0.01) };
            resumed.steps(20);
            assert_eq!(run.state, resumed.state, "{method:?} after {pause}");
            assert_eq!(run.work, resumed.work, "{method:?} after {pause}");
        }
    }
}

#[test]
fn a_restart_forgets_everything() {
    let chain = Chain::new(6, 100.0);
    for method in Method::all() {
        let mut used = Run::new(method, &chain, chain.start(), 0.01);
        used.steps(15);
        used.state = chain.start();
        used.steps = 0;
        used.work.restart();
        let mut fresh = Run::new(method, &chain, chain.start(), 0.01);
        used.steps(15);
        fresh.steps(15);
        assert_eq!(used.state, fresh.state, "{method:?}");
    }
}

#[test]
fn a_step_leaves_time_to_its_caller() {
    let chain = Chain::new(3, 100.0);
    for method in Method::all() {
        let mut run = Run::new(method, &chain, chain.start(), 0.01);
        run.steps(3);
        assert_eq!(run.state.t, 0.02, "{method:?}");
    }
}

#[test]
fn names_are_unique_and_found_however_they_are_typed() {
    let names: BTreeSet<_> = Method::all().map(|method| method.info().name).collect();
    assert_eq!(names.len(), Method::all().count());
    let titles: BTreeSet<_> = Method::all().map(|method| method.info().title).collect();
    assert_eq!(titles.len(), names.len());
    for method in Method::all() {
        let name = method.info().name;
        assert!(name.chars().all(|c| c == '-' || c.is_ascii_lowercase() || c.is_ascii_digit()));
        let text = ron().to_string(&method).unwrap();
        let variant = text.split('(').next().unwrap();
        for typed in [name, variant, &name.replace('-', "_"), &name.to_uppercase()] {
            assert_eq!(Method::from_name(typed), Ok(method), "{typed}");
        }
    }
}

#[test]
fn a_wrong_name_is_told_the_right_one() {
    for (typed, nearest) in [
        ("velocty-verlet", Some("velocity-verlet")),
        ("RK5", Some("rk4")),
        ("semi-implicit", None),
        ("dormand-price", Some("dormand-prince")),
        ("implicit_eular", Some("implicit-euler")),
    ] {
        let error = Method::from_name(typed).unwrap_err();
        if typed == "RK5" {
            assert!(matches!(error.nearest.as_deref(), Some("rk3" | "rk4")), "{error}");
        } else if nearest.is_some() {
            assert_eq!(error.nearest.as_deref(), nearest, "{error}");
        }
        let text = error.to_string();
        assert!(text.contains(typed) && text.contains("`ropelab list integrators`"), "{text}");
    }
}

#[test]
fn every_method_survives_ron() {
    let others = [
        Method::PositionVerlet(PositionVerlet { start: VerletStart::Article, single: true }),
        Method::VerletDrag(VerletDrag { drag: 0.125 }),
        Method::DormandPrince(DormandPrince { tolerance: 1e-9 }),
        Method::GeneralizedAlpha(GeneralizedAlpha { rho_inf: 0.0 }),
    ];
    for method in Method::all().chain(others) {
        let text = ron().to_string(&method).unwrap();
        assert_eq!(ron().from_str::<Method>(&text), Ok(method), "{text}");
        assert_eq!(method.check(), Ok(()));
    }
}

#[test]
fn ron_reads_what_people_write_and_refuses_what_nobody_meant() {
    let read = |text: &str| ron().from_str::<Method>(text);
    assert_eq!(
        read("PositionVerlet(single: true)"),
        Ok(Method::PositionVerlet(PositionVerlet { single: true, ..Default::default() }))
    );
    assert_eq!(read("GeneralizedAlpha()"), Ok(Method::GeneralizedAlpha(Default::default())));
    assert_eq!(read("VelocityVerlet"), Ok(Method::VelocityVerlet));
    assert!(read("VerletDrag(darg: 0.1)").is_err());
    assert!(read("Velocityverlet").is_err());
}

#[test]
fn senseless_parameters_are_named() {
    for (method, found) in [
        (Method::VerletDrag(VerletDrag { drag: 1.0 }), "drag is 1,"),
        (Method::VerletDrag(VerletDrag { drag: -0.1 }), "drag is -0.1,"),
        (Method::VerletDrag(VerletDrag { drag: f64::NAN }), "drag is NaN,"),
        (Method::DormandPrince(DormandPrince { tolerance: 0.0 }), "tolerance is 0,"),
        (Method::DormandPrince(DormandPrince { tolerance: 1.0 }), "tolerance is 1,"),
        (Method::GeneralizedAlpha(GeneralizedAlpha { rho_inf: 1.5 }), "rho_inf is 1.5,"),
    ] {
        let message = method.check().unwrap_err();
        assert!(message.starts_with(found) && message.contains("expected"), "{message}");
    }
}
