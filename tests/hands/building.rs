//! Test of building: mouse and keys add bodies to a running scene, and delete bodies.

use crate::check_replay;
use crate::desktop::{Desktop, Laboratory, home_with, sides};
use serde_json::Value;

/// A stiff rope of 11 particles at rest, and a floor.
const SCENE: &str = r#"(
    version: 1,
    name: "workshop",
    look_for: "A rope.",
    materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 100, damping: 0.2)],
    ropes: [(name: "rope", from: (-0.5, 1.5, 0), to: (0.5, 1.5, 0), length: 1.2, segments: 10, material: "cord")],
    colliders: [(shape: Sphere(radius: 0.1), at: (0.9, 0.4, 0))],
    pins: [(of: Start("rope")), (of: End("rope"))],
    camera: Side(centre: (0, 1, 0), height: 2.4),
    settings: (dt: 0.001),
)
"#;

fn particles(report: &Value) -> Option<usize> {
    report["lanes"][0]["positions"].as_array().map(Vec::len)
}

fn pixel(report: &Value, particle: usize) -> Option<[f64; 2]> {
    serde_json::from_value(report["lanes"][0]["pixels"][particle].clone()).ok()
}

fn wait_for(window: &mut Laboratory, what: &str, count: usize) {
    window.wait(what, |report| (particles(report)? == count).then_some(()));
}

/// Lays a ruler between two particles, and uses the stopwatch.
fn it_is_measured(window: &mut Laboratory) {
    window.key("l");
    for particle in [1, 11] {
        let end = window.wait("an end of the first rope", |it| pixel(it, particle));
        window.click_at(end);
    }
    window.wait("a ruler over the whole span", |it| {
        let text = it["ruler"].as_str()?;
        (text.starts_with("1.00 m at") && text.contains("(+0.0 %) in")).then_some(())
    });
    window.key("Escape");
    window.wait("no ruler", |it| it["ruler"].is_null().then_some(()));
    window.key("s");
    window.wait("it runs", |it| (it["stopwatch"].as_f64()? > 0.1).then_some(()));
    window.key("s");
    let stands = window.next_report()["stopwatch"].as_f64();
    assert_eq!(window.next_report()["stopwatch"].as_f64(), stands);
    window.click("stopwatch");
    window.wait("it is gone", |it| it["stopwatch"].is_null().then_some(()));
}

#[test]
fn a_person_builds_ties_deletes_and_undoes_while_the_scene_runs() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(SCENE);
    let recording = home.path().join("session.rec");
    let recording = recording.to_str().expect("a plain name");
    let mut window = desktop.open_with(&["--record", recording], &file, home.path());
    wait_for(&mut window, "the rope", 11);
    let t = |report: &Value| report["lanes"][0]["t"].as_f64();
    window.wait("it runs", |report| (t(report)? > 0.5).then_some(()));
    let [left, top, right, bottom] =
        window.wait("a scene", |it| sides(&it["widgets"]["the scene"]));
    let at = |x: f64, y: f64| [left + (right - left) * x, top + (bottom - top) * y];
    // Two clicks add a rope in the air. Its links are 0.12 m long, like those of the scene's rope.
    window.key("n");
    window.click_at(at(0.15, 0.45));
    window.click_at(at(0.35, 0.45));
    let with_rope = window.wait("a second rope", |it| particles(it).filter(|count| *count > 14));
    // A drag adds a rope from a particle to a point in the air.
    let end = window.wait("a particle", |it| pixel(it, 5));
    window.drag([end, [end[0], end[1] + 140.0]]);
    let with_tail = window.wait("a third rope", |it| particles(it).filter(|it| *it > with_rope));
    // A drag from the lower right corner adds a cloth that fills a rectangle.
    window.key("m");
    window.drag([at(0.3, 0.75), at(0.15, 0.55)]);
    let with_cloth = window.wait("a cloth", |it| particles(it).filter(|it| *it > with_tail + 30));
    // A click adds a ball.
    window.click("tools");
    window.click("tool Ball");
    window.click_at(at(0.6, 0.15));
    wait_for(&mut window, "a ball", with_cloth + 1);
    let ball = |report: &Value| report["lanes"][0]["positions"][0][1].as_f64();
    let high = window.wait("the ball, which is particle 0", ball);
    window.wait("it falls", |report| (ball(report)? < high - 0.2).then_some(()));
    // Two particles of the first rope are tied, next to its pins: there they hardly swing, so that
    // clicks hit them on a slow machine, too. Then the obstacle is deleted by a click, and the
    // cloth by a key.
    let commands = |it: &Value| it["commands"].as_u64();
    let before_tie = window.wait("a count of commands", commands);
    window.key("t");
    let first_rope = 1 + with_cloth - with_tail;
    for particle in [first_rope + 1, first_rope + 9] {
        let end = window.wait("a particle beside a pin", |it| pixel(it, particle));
        window.click_at(end);
    }
    window.wait("a tie", |it| (commands(it)? > before_tie).then_some(()));
    window.key("Escape");
    window.click("tools");
    window.click("tool Delete");
    let obstacle: [f64; 2] = window.wait("the obstacle", |it| {
        serde_json::from_value(it["lanes"][0]["collider_pixels"][0].clone()).ok()
    });
    window.click_at(obstacle);
    window
        .wait("it is gone", |it| it["lanes"][0]["colliders"].as_array()?.is_empty().then_some(()));
    window.key("Escape");
    let corner = window.wait("the cloth, behind the ball", |it| pixel(it, 1));
    window.point(corner);
    window.next_report();
    window.key("Delete");
    wait_for(&mut window, "no cloth", with_tail + 1);
    it_is_measured(&mut window);
    // All edits are undone one after another, and the time continues.
    let before = t(&window.next_report());
    window.key("ctrl+z");
    wait_for(&mut window, "the cloth is back", with_cloth + 1);
    window.key("ctrl+z");
    window.wait("the obstacle is back", |it| {
        (it["lanes"][0]["colliders"].as_array()?.len() == 1).then_some(())
    });
    window.key("ctrl+z");
    window.next_report();
    window.key("ctrl+z");
    wait_for(&mut window, "no ball", with_cloth);
    window.key("ctrl+z");
    wait_for(&mut window, "no cloth", with_tail);
    window.key("ctrl+shift+z");
    wait_for(&mut window, "a cloth again", with_cloth);
    window.wait("time went on", |it| (t(it) > before).then_some(()));
    window.key("space");
    window.wait("time stands still", |it| (it["paused"] == true).then_some(()));
    window.quit();
    check_replay(recording);
}
