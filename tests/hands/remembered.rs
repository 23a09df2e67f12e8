//! Test of preferences: the next window opens with them.

use crate::desktop::{Desktop, Laboratory, home_with, sides};
use crate::write_preferences;
use serde_json::Value;

/// A rope that hangs still.
const SCENE: &str = r#"(
    version: 1,
    name: "hangs",
    look_for: "A rope.",
    ropes: [(name: "rope", from: (0, 1.5, 0), to: (0, 0.5, 0))],
    pins: [(of: Start("rope"))],
    forces: [(law: Gravity())],
    camera: Side(centre: (0, 1, 0), height: 2.4),
    settings: (dt: 0.001),
)
"#;

/// Returns the left and the right edge of the scene in points: the scene is between panel and
/// plots.
fn edges(report: &Value) -> Option<[f64; 2]> {
    let [left, _, right, _] = sides(&report["widgets"]["the scene"])?;
    let scale = report["scale"].as_f64()?;
    Some([left / scale, right / scale])
}

/// Drags an edge of the scene (0 left, 1 right) by `by` pixels. Returns both edges.
fn drag_edge(window: &mut Laboratory, edge: usize, by: f64) -> [f64; 2] {
    let [left, top, right, bottom] =
        window.wait("the scene", |report| sides(&report["widgets"]["the scene"]));
    // The edge of the panel is 1 pixel beside the scene.
    let x = [left - 1.0, right + 1.0][edge];
    let y = (top + bottom) / 2.0;
    let before = window.wait("both edges", edges);
    window.drag([[x, y], [x + by, y]]);
    window.wait("the edge has moved", |report| {
        let now = edges(report)?;
        let moved = (now[edge] - before[edge]) * report["scale"].as_f64()?;
        ((moved - by).abs() < 3.0).then_some(now)
    })
}

fn is_light(report: &Value) -> Option<bool> {
    report["light"].as_bool()
}

#[test]
fn theme_text_size_and_widths_are_those_of_the_last_window() {
    let desktop = Desktop::start("1600x900");
    let (home, file) = home_with(SCENE);
    // The panel and the plots have room at larger text, too.
    write_preferences(home.path(), "(size: (1560, 860), welcomed: true, time_plots: true)");
    let mut window = desktop.open(&file, home.path());
    let first = window.wait("both edges", edges);
    assert_eq!(window.next_report()["light"], false, "dark at first");
    window.key("F7");
    window.wait("a light ground", |report| is_light(report)?.then_some(()));
    for _ in 0..2 {
        window.key("ctrl+equal");
    }
    let scale = window.wait("text of 1.21 times the size", |report| {
        let scale = report["scale"].as_f64()?;
        (scale > 1.2).then_some(scale)
    });
    drag_edge(&mut window, 0, 70.0);
    let chosen = drag_edge(&mut window, 1, -50.0);
    assert!((chosen[0] - first[0]).abs() > 40.0, "{chosen:?} was {first:?}");
    window.quit();

    let mut window = desktop.open(&file, home.path());
    let again = window.wait("a light ground and large text", |report| {
        let same = (report["scale"].as_f64()? - scale).abs() < 1e-3;
        (is_light(report)? && same).then(|| edges(report))?
    });
    for edge in [0, 1] {
        assert!((again[edge] - chosen[edge]).abs() < 1.0, "{again:?}, expected {chosen:?}");
    }
    // The window receives keys once the mouse has been over it.
    window.point([700.0, 400.0]);
    window.next_report();
    window.next_report();
    window.key("F7");
    window.wait("a dark ground", |report| (!is_light(report)?).then_some(()));
    window.key("ctrl+0");
    window.wait("natural size", |report| (report["scale"].as_f64()? == 1.0).then_some(()));
    window.quit();
    let mut window = desktop.open(&file, home.path());
    window.wait("a dark ground at natural size", |report| {
        (!is_light(report)? && report["scale"].as_f64()? == 1.0).then_some(())
    });
}
