//! Readings of a scene that is saved with other lanes or other bodies.

use ropelab::scene::Scene;
use ropelab::simulation::Simulation;

/// Predictions are valid for the settings and bodies of the scene only, so a saved scene with other
/// settings or bodies keeps only the measured values.
#[test]
fn a_saved_scene_predicts_nothing_about_other_settings_or_bodies() {
    let text = "(version: 1, name: \"x\", ropes: [(from: (0, 1, 0), to: (1, 1, 0))],
        lanes: [(name: \"a\"), (name: \"b\")], annotations: (readings: [
            (name: \"law\", measure: Speed, formula: \"f\", value: Constant(1)),
            (name: \"own\", measure: Speed, formula: \"f\", value: Constant(1), lane: \"a\"),
            (name: \"gone\", measure: Speed, lane: \"b\")]))";
    let scene = Scene::parse(text, "test").expect("a good scene");
    let saved = |dt: f64, is_cut: bool| {
        let mut lane = scene.lanes[0].clone();
        lane.settings.dt = dt;
        let mut simulation = Simulation::new(scene.parts.clone(), lane.settings);
        if is_cut {
            simulation.cut(&[3]);
        }
        let saved = scene.to_ron_with(&[lane], simulation.model());
        let saved = Scene::parse(&saved, "saved").unwrap_or_else(|e| panic!("{e}"));
        let readings = saved.annotations.readings.iter();
        readings.map(|it| (it.name.clone(), it.value.is_some())).collect::<Vec<_>>()
    };
    let dt = scene.lanes[0].settings.dt;
    let expected = |law: bool, own: bool| vec![("law".into(), law), ("own".into(), own)];
    assert_eq!(saved(dt, false), expected(true, true));
    assert_eq!(saved(dt / 2.0, false), expected(true, false));
    assert_eq!(saved(dt, true), expected(false, false));
}
