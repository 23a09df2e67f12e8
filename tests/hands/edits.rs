//! Test of edits: the window lists, undoes and redoes edits, and saves code and positions.

use crate::desktop::{Desktop, Laboratory, home_with, sides};
use crate::write_preferences;
use serde_json::Value;

/// A rope that hangs still between two pins.
const SCENE: &str = r#"(
    version: 1,
    name: "hangs",
    look_for: "A rope.",
    materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 100, damping: 0.2)],
    ropes: [(name: "rope", from: (-0.5, 1.5, 0), to: (0.5, 1.5, 0), length: 1.2, segments: 10, material: "cord")],
    pins: [(of: Start("rope")), (of: End("rope"))],
    forces: [(law: Gravity())],
    camera: Side(centre: (0, 1, 0), height: 2.4),
    settings: (dt: 0.001),
)
"#;

fn cuts(report: &Value) -> Option<u64> {
    report["lanes"][0]["cut"].as_u64()
}

fn wait_for_cuts(window: &mut Laboratory, count: u64) {
    window.wait(&format!("{count} cuts"), |report| (cuts(report)? == count).then_some(()));
}

fn has_widget(report: &Value, name: &str) -> bool {
    sides(&report["widgets"][name]).is_some()
}

/// Cuts the link after the middle particle of the rope.
fn cut(window: &mut Laboratory) {
    let middle: [[f64; 2]; 2] = window.wait("two particles", |report| {
        let pixels = &report["lanes"][0]["pixels"];
        Some([
            serde_json::from_value(pixels[5].clone()).ok()?,
            serde_json::from_value(pixels[6].clone()).ok()?,
        ])
    });
    let [x, y] = [0, 1].map(|axis| (middle[0][axis] + middle[1][axis]) / 2.0);
    // The window receives keys once the mouse has been over it.
    window.point([x, y - 60.0]);
    window.next_report();
    window.next_report();
    window.hold_key("c");
    window.next_report();
    window.drag([[x, y - 60.0], [x, y + 60.0]]);
    window.release_key("c");
}

#[test]
fn a_cut_is_listed_undone_and_done_again_and_code_and_positions_are_taken_away() {
    let desktop = Desktop::start("1280x1000");
    let (home, file) = home_with(SCENE);
    let looks = "(size: (1280, 1000), welcomed: true, energy_plots: false, open_groups: [Time])";
    write_preferences(home.path(), looks);
    let mut window = desktop.open(&file, home.path());
    window.wait("it runs", |report| (report["lived"].as_f64()? > 0.5).then_some(()));
    let listed = "edit 0: the cut";
    assert!(!has_widget(&window.next_report(), listed), "nothing was done");
    cut(&mut window);
    wait_for_cuts(&mut window, 1);
    window.wait("the cut is listed", |report| has_widget(report, listed).then_some(()));
    window.key("ctrl+z");
    wait_for_cuts(&mut window, 0);
    window.key("ctrl+shift+z");
    wait_for_cuts(&mut window, 1);
    window.click("edits: Undo");
    wait_for_cuts(&mut window, 0);
    window.click("edits: Redo");
    wait_for_cuts(&mut window, 1);
    window.click(listed);
    window.wait("the moment before the cut", |report| {
        (report["past"] == true && cuts(report)? == 0).then_some(())
    });
    window.key("shift+End");
    wait_for_cuts(&mut window, 1);

    window.click("Lanes");
    window.click("more");
    window.click("Code of a step");
    window.click("code in GDScript");
    window.wait("code", |report| has_widget(report, "code").then_some(()));
    window.key("Escape");
    window.wait("no code", |report| (!has_widget(report, "code")).then_some(()));

    window.key("shift+F12");
    window.click("NPY");
    window.click("film: save");
    let saved = window.wait("positions", |report| {
        let texts = report["messages"].as_array()?.iter().filter_map(Value::as_str);
        let path =
            texts.filter_map(|it| it.strip_prefix("Saved ")).find(|it| it.ends_with(".npy"))?;
        Some(path.to_owned())
    });
    let bytes = std::fs::read(saved).expect("the file is there");
    assert!(bytes.starts_with(b"\x93NUMPY") && bytes.len() > 11 * 3 * 8 * 10);
    window.quit();
}
