//! Tests of the panel, the plots, the map and the keys.

use super::{MIDDLE, home_with, open_default_scene, scene};
use crate::desktop::{Desktop, Laboratory, sides};
use serde_json::Value;
use std::path::Path;

pub(super) fn the_panel_changes_the_simulation(window: &mut Laboratory) {
    let clamp = |report: &Value| report["lanes"][0]["settings"]["guards"]["frame_clamp"].clone();
    assert!(clamp(&window.next_report()).get("On").is_some());
    window.click("frame clamp on");
    window.wait("the frame clamp is off", |report| clamp(report).get("Off").map(|_| ()));
    window.click("frame clamp on");
    window.wait("the frame clamp is on", |report| clamp(report).get("On").map(|_| ()));
    window.click("integrator");
    window.click("integrator: symplectic-euler");
    window.wait("the lane steps with symplectic Euler", |report| {
        (report["lanes"][0]["settings"]["integrator"] == "SymplecticEuler").then_some(())
    });
}

#[test]
fn a_plot_is_saved_as_a_picture_and_a_click_picks_the_particle_of_the_spectrum() {
    let desktop = Desktop::start("1280x800");
    let (home, scene) = home_with(&scene("plots"));
    let mut window = desktop.open(&scene, home.path());
    window.wait("the first frame", |report| report["first_frame"].as_f64());
    window.key("F5");
    window.wait("the spectrum", |report| sides(&report["widgets"]["plot of Spectrum"]));
    let middle = window.wait("the rope", |report| {
        let pixel = &report["lanes"][0]["pixels"][MIDDLE];
        Some([pixel[0].as_f64()?, pixel[1].as_f64()?])
    });
    window.point(middle);
    window.press(1);
    window.release(1);
    for (format, ending) in [("Save PNG", "png"), ("Save SVG", "svg")] {
        window.click("menu of Spectrum");
        window.click(format);
        window.wait("a note names the picture", |report| {
            let messages = report["messages"].as_array()?.iter().filter_map(Value::as_str);
            messages.into_iter().find(|text| text.contains(ending)).map(|_| ())
        });
    }
    let saved = home.path().join("saved");
    let png = std::fs::File::open(saved.join("plots-spectrum-1.png")).expect("the picture opens");
    assert!(png::Decoder::new(png).read_info().is_ok(), "the picture is PNG");
    let svg = std::fs::read_to_string(saved.join("plots-spectrum-1.svg")).expect("the SVG");
    for text in [">frequency<", " Hz<", "amplitude of particle", "plots"] {
        assert!(svg.contains(text), "{text} is not in the picture:\n{svg}");
    }
    window.quit();
}

/// A map over chosen quantities: its colours, an invalid number in a field, and its saved picture.
#[test]
fn a_map_is_chosen_computed_and_saved() {
    let desktop = Desktop::start("1280x800");
    let (home, scene) = home_with(&scene("maps"));
    let mut window = desktop.open(&scene, home.path());
    window.wait("the first frame", |report| report["first_frame"].as_f64());
    window.key("F6");
    let is_there = |name: &'static str| move |report: &Value| sides(&report["widgets"][name]);
    window.click("cells");
    window.click("cells: 32 × 32");
    window.wait("the map is computed", is_there("map: again"));
    window.click("map: error");
    window.click("y axis");
    window.click("y axis: value in the file");
    window.wait("no path is a mistake", is_there("map: problem"));
    window.click("y axis: path");
    window.type_text("forces[1].law.coefficient");
    window.key("Return");
    window.wait("a map over a value in the file", is_there("map: again"));
    window.click("map: Save SVG");
    window.wait("a note names the picture", |report| {
        let messages = report["messages"].as_array()?.iter().filter_map(Value::as_str);
        messages.into_iter().find(|text| text.contains("svg")).map(|_| ())
    });
    let svg = std::fs::read_to_string(home.path().join("saved/maps-map-1.svg")).expect("the SVG");
    for text in ["10 ms", "forces[1].law.coefficient", "theory", "greatest error"] {
        assert!(svg.contains(text), "{text} is not in the picture");
    }
    window.quit();
}

#[test]
fn a_path_is_typed_into_the_dialog() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(&scene("first"));
    let other = home.path().join("other.ron");
    std::fs::write(&other, scene("second")).expect("a file is written");
    let mut window = desktop.open(&file, home.path());
    window.click("lane name");
    window.key("Escape");
    window.wait("the field gives the keys back", |report| report["focus"].is_null().then_some(()));
    window.key("ctrl+o");
    window.wait("the dialog", |report| (report["file_dialog"] == true).then_some(()));
    window.key("F6");
    let report = window.next_report();
    assert!(report["widgets"]["cells"].is_null(), "no window opens behind the dialog");
    window.type_text(&other.display().to_string());
    window.next_report();
    window.key("Return");
    window.wait("the other scene", |report| (report["scene"] == "second").then_some(()));
    window.key("space");
    window.wait("Space pauses: the dialog has gone", |report| {
        (report["paused"] == true).then_some(())
    });
    window.quit();
}

#[test]
fn keys_that_are_typed_into_a_field_stay_there() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(&scene("typing"));
    let mut window = desktop.open(&file, home.path());
    window.click("lane name");
    window.key("space");
    window.key("p");
    window.wait("the name has what was typed", |report| {
        report["lanes"][0]["name"].as_str()?.contains(" p").then_some(())
    });
    assert_eq!(window.next_report()["paused"], false, "a space in a name is no pause");
    window.key("Return");
    window.wait("the field gives the keys back", |report| report["focus"].is_null().then_some(()));
    window.key("space");
    window.wait("Space pauses", |report| (report["paused"] == true).then_some(()));
    let t = window.next_report()["lanes"][0]["steps"].as_u64().expect("steps");
    window.key("Right");
    window.wait("one step is taken", |report| {
        (report["lanes"][0]["steps"].as_u64()? == t + 1).then_some(())
    });
    window.quit();
}

#[test]
fn lanes_have_distinct_names_once_they_are_typed() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(&scene("names"));
    let mut window = desktop.open(&file, home.path());
    window.click("+ lane");
    window.wait("two lanes", |report| (report["selected"] == 1).then_some(()));
    let rename = |window: &mut Laboratory, keys: &[&str]| {
        window.click("lane name");
        window.key("ctrl+a");
        keys.iter().for_each(|key| window.key(key));
        window.key("Return");
    };
    rename(&mut window, &["r", "4"]);
    window.click("chip 0");
    window.wait("the first lane", |report| (report["selected"] == 0).then_some(()));
    for (keys, expected) in [(&["r", "4"][..], "r4 2"), (&["BackSpace"], "velocity Verlet")] {
        rename(&mut window, keys);
        window.wait(expected, |report| (report["lanes"][0]["name"] == expected).then_some(()));
    }
    assert_eq!(window.next_report()["lanes"][1]["name"], "r4");
    window.quit();
}

#[test]
fn a_scene_is_saved_in_the_folder_that_the_environment_names() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(&scene("kept"));
    let mut window = desktop.open(&file, home.path());
    window.wait("the first frame", |report| report["first_frame"].as_f64());
    window.click("Lanes");
    window.click("more");
    window.click("Save the scene…");
    window.wait("the dialog", |report| (report["file_dialog"] == true).then_some(()));
    window.key("Return");
    let saved = home.path().join("saved/kept.ron");
    window.wait("a note names the file", |report| {
        let messages = report["messages"].as_array()?.iter().filter_map(Value::as_str);
        messages.into_iter().find(|text| text.ends_with("kept.ron")).map(|_| ())
    });
    assert!(saved.exists(), "{}", saved.display());
    window.quit();
}

/// Waits until the focused widget does not move any more, and returns the report. The panel scrolls
/// for some frames after a key.
fn focus_at_rest(window: &mut Laboratory) -> Value {
    let mut report = window.next_report();
    for _ in 0..30 {
        let before = std::mem::replace(&mut report, window.next_report());
        if report["focus"] == before["focus"] {
            break;
        }
    }
    report
}

/// Presses Tab until the widget has the focus and is visible.
fn tab_leads_to(window: &mut Laboratory, widget: &str) -> Option<()> {
    (0..40).find_map(|_| {
        window.key("Tab");
        let report = focus_at_rest(window);
        let [left, top, right, bottom] = sides(&report["focus"])?;
        let widget = sides(&report["widgets"][widget])?;
        // A number field is smaller than its frame while it is edited.
        let has_focus = left <= widget[0] && top <= widget[1] && right >= widget[2];
        (has_focus && bottom >= widget[3] && bottom < 776.0).then_some(())
    })
}

#[test]
fn the_tab_key_leads_beyond_what_is_in_sight() {
    let desktop = Desktop::start("1280x800");
    let home = tempfile::tempdir().expect("a folder");
    let mut window = open_default_scene(&desktop, home.path());
    // Frames without steps are drawn twice as fast, and the panel is the same.
    window.key("space");
    for group in ["View", "Time and frames", "Contact", "Links and constraints", "Lanes"] {
        window.click(group);
        // When a group opens, the other groups move for some frames.
        (0..12).for_each(|_| drop(window.next_report()));
    }
    window.wait("the panel", |report| report["widgets"]["add lane"].as_array().cloned());
    assert!(window.next_report()["widgets"]["speed"].is_null(), "out of sight, and nobody types");
    window.click("+ lane");
    // The row of the new lane moves the other rows down.
    window.wait("a second lane", |report| report["widgets"]["show lane 1"].as_array().cloned());
    window.click("time step");
    window.wait("the field is typed into", |report| report["focus"].is_array().then_some(()));
    tab_leads_to(&mut window, "speed").expect("a row beyond an explanation");
    tab_leads_to(&mut window, "time budget on").expect("a row beyond guards that are off");
    tab_leads_to(&mut window, "chip 0").expect("the first lane, beyond plots");
    window.key("Return");
    window.wait("the lane is selected", |report| (report["selected"] == 0).then_some(()));
    tab_leads_to(&mut window, "Lanes side by side").expect("the top bar, beyond the lanes");
    window.quit();
}

fn overlap(a: [f64; 4], b: [f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

#[test]
fn nothing_covers_a_reading() {
    nothing_covers_a_reading_in("1280x800");
}

#[test]
fn nothing_covers_a_reading_in_a_small_window() {
    nothing_covers_a_reading_in("800x600");
}

/// Opens every scene that has readings, one after another, in one window whose file changes.
fn nothing_covers_a_reading_in(size: &str) {
    let desktop = Desktop::start(size);
    let (home, file) = home_with(&scene("first"));
    let mut window = desktop.open(&file, home.path());
    window.wait("the window", |report| report["first_frame"].as_f64());
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let mut seen = 0;
    for entry in std::fs::read_dir(scenes).expect("scenes") {
        let text = std::fs::read_to_string(entry.expect("a scene").path()).expect("text");
        if !text.contains("readings:") && !text.contains("periods:") {
            continue;
        }
        let (_, name) = text.split_once("\n    name: \"").expect("a name");
        let (name, _) = name.split_once('"').expect("its end");
        std::fs::write(&file, &text).expect("the scene is written");
        let report = window.wait(name, |report| {
            let moves = report["lanes"][0]["t"].as_f64()? > 0.05;
            (report["scene"] == name && moves).then(|| report.clone())
        });
        let widgets = report["widgets"].as_object().expect("widgets");
        let places = widgets.iter().filter_map(|(name, rect)| Some((name, sides(rect)?)));
        let places: Vec<_> = places.collect();
        for (reading, rect) in places.iter().filter(|(name, _)| name.ends_with(": readings")) {
            seen += 1;
            // The scene itself is a widget, because it reacts to the mouse. A note says that the
            // file was read again.
            let others =
                places.iter().filter(|(other, _)| other != reading && *other != "the scene");
            for (other, place) in others {
                assert!(!overlap(*rect, *place), "{name}: {other} lies on {reading}");
            }
        }
    }
    assert!(seen > 20, "{seen} readings");
    window.quit();
}
