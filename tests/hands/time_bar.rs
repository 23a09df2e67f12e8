//! Test of moves in time: the user goes back to a moment before an explosion, continues from there
//! in a new lane, and returns to the earlier branch.

use crate::check_replay;
use crate::desktop::{Desktop, Laboratory, home_with, sides};
use serde_json::Value;

/// A rope that explodes within two seconds under explicit Euler.
const SCENE: &str = r#"(
    version: 1,
    name: "explodes",
    look_for: "A rope that explodes.",
    materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 100, damping: 0)],
    ropes: [(name: "rope", from: (-0.5, 1.5, 0), to: (0.5, 1.5, 0), length: 1.2, segments: 20, material: "cord")],
    pins: [(of: Start("rope")), (of: End("rope"))],
    forces: [(law: Gravity())],
    camera: Side(centre: (0, 1, 0), height: 2.4),
    lanes: [(name: "explicit Euler", settings: (integrator: ExplicitEuler, dt: 0.0002))],
)
"#;

fn lane<'a>(report: &'a Value, lane: usize, what: &str) -> &'a Value {
    &report["lanes"][lane][what]
}

fn t(report: &Value) -> Option<f64> {
    lane(report, 0, "t").as_f64()
}

fn widget(report: &Value, name: &str) -> Option<[f64; 4]> {
    sides(&report["widgets"][name])
}

fn explosion_mark(report: &Value) -> Option<[f64; 2]> {
    let widgets = report["widgets"].as_object()?;
    let name = widgets.keys().find(|name| name.starts_with("explosion mark"))?;
    let [left, top, right, bottom] = widget(report, name)?;
    Some([(left + right) / 2.0, (top + bottom) / 2.0])
}

/// Drags the handle of the time bar from the fraction `from` of the bar to the fraction `part`.
fn drag_to(window: &mut Laboratory, from: f64, part: f64) {
    drag_slider(window, "time bar", from, part);
}

#[test]
fn a_person_goes_back_to_before_an_explosion_and_on_with_another_integrator() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(SCENE);
    let recording = home.path().join("session.rec");
    let recording = recording.to_str().expect("a plain name");
    let mut window = desktop.open_with(&["--record", recording], &file, home.path());
    let dead = window.wait("the rope explodes", |report| {
        (lane(report, 0, "exploded").is_string() && explosion_mark(report).is_some())
            .then(|| t(report))?
    });
    let steps = window.next_report()["lanes"][0]["steps"].as_u64().expect("a number");
    // The session records events after the explosion. They become a branch when the user continues
    // from before the explosion.
    std::thread::sleep(std::time::Duration::from_secs(1));
    // The bar covers a longer time while the session runs, so its marks move.
    window.key("space");
    window.wait("time stands still", |report| (report["paused"] == true).then_some(()));
    let mark = window.wait("a mark", explosion_mark);
    window.point(mark);
    window.next_report();
    window.press(1);
    window.next_report();
    window.release(1);
    window.wait("20 steps before the explosion", |report| {
        let there = lane(report, 0, "steps").as_u64()?;
        let lives = lane(report, 0, "exploded").is_null();
        (report["past"] == true && report["paused"] == true && lives && there + 20 == steps)
            .then_some(())
    });
    window.key("Left");
    window.wait("a step back", |report| {
        let there = lane(report, 0, "steps").as_u64()?;
        (there + 21 == steps).then_some(())
    });
    let before = window.next_report()["lanes"][0]["steps"].as_u64();
    window.key("Right");
    window.wait("a step forward", |report| {
        (lane(report, 0, "steps").as_u64() == before.map(|it| it + 1)).then_some(())
    });
    drag_to(&mut window, 0.9, 0.1);
    window.wait("near the start", |report| (t(report)? < dead * 0.6).then_some(()));
    window.click("time: new lane");
    window.click("go on: symplectic Euler");
    window.wait("two lanes", |report| {
        let integrator = &lane(report, 1, "settings")["integrator"];
        let is_other = integrator == "SymplecticEuler" && lane(report, 0, "exploded").is_null();
        (is_other && report["past"] == false).then_some(())
    });
    window.key("space");
    window.wait("symplectic Euler lives where explicit Euler exploded", |report| {
        let lives =
            lane(report, 1, "exploded").is_null() && lane(report, 1, "t").as_f64()? > dead + 0.3;
        (lives && lane(report, 0, "exploded").is_string()).then_some(())
    });
    window.click("time: branch");
    window.wait("the way that it went before", |report| {
        (report["lanes"].as_array()?.len() == 1 && report["paused"] == true).then_some(())
    });
    window.click("time: branch");
    window.wait("and the new one", |report| (report["lanes"].as_array()?.len() == 2).then_some(()));
    undo_and_redo(&mut window);
    window.quit();
    check_replay(recording);
}

/// A ball is thrown, undone and redone; so are settings.
fn undo_and_redo(window: &mut Laboratory) {
    // After the switch of the branch the first lane is selected.
    let integrator = |report: &Value| lane(report, 0, "settings")["integrator"].clone();
    let before = integrator(&window.next_report());
    window.key("4");
    window.wait("other settings", |it| (integrator(it) == "VelocityVerlet").then_some(()));
    window.key("ctrl+z");
    window.wait("the settings are undone", |it| (integrator(it) == before).then_some(()));
    window.key("ctrl+shift+z");
    window.wait("and done again", |it| (integrator(it) == "VelocityVerlet").then_some(()));
    window.key("ctrl+z");
    let particles = |report: &Value| report["lanes"][1]["positions"].as_array().map(Vec::len);
    let [left, top, right, bottom] = window.wait("a scene", |it| widget(it, "the scene"));
    window.point([(left + right) / 2.0, (top + bottom) / 2.0]);
    window.next_report();
    window.key("b");
    window.wait("a ball", |it| (particles(it)? == 22).then_some(()));
    window.key("space");
    let then = lane(&window.next_report(), 1, "t").as_f64();
    window.wait("time passes", |it| (lane(it, 1, "t").as_f64()? > then? + 0.3).then_some(()));
    window.key("ctrl+z");
    window.wait("no ball was thrown", |it| {
        (particles(it)? == 21 && lane(it, 1, "t").as_f64()? > then? + 0.3).then_some(())
    });
    window.key("ctrl+shift+z");
    window.wait("it was thrown", |it| (particles(it)? == 22).then_some(()));
}

/// Returns a file with this ending in a folder or below it.
fn find_file(folder: &std::path::Path, ending: &str) -> Option<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.into_iter().find_map(|path| {
        if path.is_dir() {
            return find_file(&path, ending);
        }
        path.extension().is_some_and(|it| it == ending).then_some(path)
    })
}

#[test]
fn a_recording_opens_in_the_window_plays_and_becomes_an_animation() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(SCENE);
    let recording = home.path().join("session.rec");
    let option = recording.to_str().expect("a plain name");
    let mut window = desktop.open_with(&["--record", option], &file, home.path());
    window.wait("the rope explodes", |it| lane(it, 0, "exploded").is_string().then_some(()));
    window.quit();

    let mut window = desktop.open_with(&["replay"], &recording, home.path());
    window.wait("it has happened again, with the same bits", |report| {
        let texts = report["messages"].as_array()?;
        texts.iter().find(|it| it.as_str().is_some_and(|it| it.contains("with the same bits")))?;
        (report["past"] == true).then_some(())
    });
    window.wait("it plays to the explosion", |report| {
        (lane(report, 0, "exploded").is_string() && report["past"] == false).then_some(())
    });
    drag_to(&mut window, 1.0, 0.3);
    window.wait("a moment before it", |report| {
        (report["past"] == true && lane(report, 0, "exploded").is_null()).then_some(())
    });
    let then = t(&window.next_report());
    window.click("time: play");
    window.wait("it plays on", |report| (t(report) > then.map(|it| it + 0.1)).then_some(()));
    window.key("space");
    window.wait("it stands still in the past", |report| {
        (report["past"] == true && report["paused"] == true).then_some(())
    });
    let before = t(&window.next_report());
    window.key("shift+F12");
    window.click("film: save");
    window.wait("a film", |report| {
        let texts = report["messages"].as_array()?;
        texts.iter().find(|it| it.as_str().is_some_and(|it| it.ends_with(".gif")))?;
        Some(())
    });
    window.wait("the moment that was shown", |report| (t(report) == before).then_some(()));
    let film = find_file(home.path(), "gif").expect("it is there");
    let film = std::fs::read(film).expect("it can be read");
    // Every frame of a GIF begins with a graphic control extension.
    let frames = film.windows(4).filter(|bytes| *bytes == [0x21, 0xF9, 4, 5]).count();
    assert!(film.starts_with(b"GIF89a"));
    // 25 frames per second of the session, from its start to the shown moment.
    let expected = 25.0 * window.next_report()["lived"].as_f64().expect("a time");
    assert!((frames as f64 - expected).abs() <= 1.5, "{frames} frames, expected {expected}");
    a_stretch_plays_over_and_over_and_is_filmed(&mut window, home.path());
    window.quit();
}

/// Esc cancels an animation of some seconds.
fn a_film_is_cancelled(window: &mut Laboratory, home: &std::path::Path) {
    window.key("shift+F12");
    window.click("APNG");
    window.click("film: save");
    window.key("Escape");
    window.wait("it was cancelled", |report| {
        let texts = report["messages"].as_array()?;
        let says = |it: &Value| it.as_str().is_some_and(|it| it.contains("cancelled"));
        texts.iter().any(says).then_some(())
    });
    assert_eq!(find_file(home, "png"), None);
}

fn a_stretch_plays_over_and_over_and_is_filmed(window: &mut Laboratory, home: &std::path::Path) {
    window.hold_key("shift");
    drag_slider(window, "time bar", 0.05, 0.95);
    window.release_key("shift");
    let [from, to] = window.wait("a stretch", |it| {
        let ends = it["looped"].as_array()?;
        Some([ends.first()?.as_f64()?, ends.get(1)?.as_f64()?])
    });
    // The time of the exploded lane does not advance, so the session's time is used.
    let lived = |it: &Value| it["lived"].as_f64();
    let part = |of: f64| from + of * (to - from);
    window.wait("it plays", |it| lived(it).filter(|at| (part(0.5)..=to).contains(at)));
    window.wait("it begins again", |it| lived(it).filter(|at| *at < part(0.5)));
    window.key("shift+F12");
    window.click("PNG sequence");
    window.click("film: save");
    window.wait("a sequence", |report| {
        let texts = report["messages"].as_array()?;
        // The note about the first animation may still be shown.
        let says = |it: &str| it.starts_with("Saved") && !it.ends_with(".gif");
        texts.iter().find(|it| it.as_str().is_some_and(says))?;
        find_file(home, "png")
    });
    let folder = find_file(home, "png").and_then(|file| Some(file.parent()?.to_owned()));
    let pictures = std::fs::read_dir(folder.expect("a folder")).expect("it can be read").count();
    let expected = 25.0 * (to - from);
    assert!((pictures as f64 - expected).abs() <= 1.5, "{pictures} pictures, expected {expected}");
    window.wait("it plays on", |it| (it["past"] == true).then_some(()));
    window.key("Escape");
    let still = lived(&window.next_report());
    assert_eq!(lived(&window.next_report()), still, "Esc ends it");
}

fn gravity(report: &Value) -> Option<f64> {
    lane(report, 0, "gravity").as_f64()
}

fn waits_for_gravity(window: &mut Laboratory, what: &str, is: impl Fn(f64) -> bool) {
    window.wait(what, |it| gravity(it).filter(|g| is(*g)).map(|_| ()));
}

/// Drags the handle of a slider from the fraction `from` to the fraction `to` of its length.
fn drag_slider(window: &mut Laboratory, name: &str, from: f64, to: f64) {
    let [left, top, right, bottom] = window.wait("a slider", |it| widget(it, name));
    window.drag([from, to].map(|part| [left + (right - left) * part, (top + bottom) / 2.0]));
}

#[test]
fn gravity_goes_to_the_moon_and_back_and_lanes_come_back() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(&SCENE.replace("integrator: ExplicitEuler, ", ""));
    let recording = home.path().join("session.rec");
    let recording = recording.to_str().expect("a plain name");
    let mut window = desktop.open_with(&["--record", recording], &file, home.path());
    waits_for_gravity(&mut window, "gravity of the Earth", |g| g == 9.81);
    window.click("Scene");
    window.click("Moon");
    waits_for_gravity(&mut window, "gravity of the Moon", |g| g == 1.62);
    drag_slider(&mut window, "gravity slider", 0.15, 0.8);
    waits_for_gravity(&mut window, "a slider pulls harder", |g| g > 20.0);
    window.key("ctrl+z");
    waits_for_gravity(&mut window, "the whole drag is undone", |g| g == 1.62);
    window.key("ctrl+shift+z");
    waits_for_gravity(&mut window, "and done again", |g| g > 20.0);
    window.click("scene's own numbers");
    waits_for_gravity(&mut window, "the scene's own gravity", |g| g == 9.81);
    let t0 = t(&window.next_report()).expect("a time");
    assert!(t0 > 0.0, "time goes on");
    let lanes = |report: &Value| report["lanes"].as_array().map(Vec::len);
    window.click("+ lane");
    window.wait("two lanes", |it| (lanes(it)? == 2).then_some(()));
    window.key("ctrl+z");
    window.wait("one lane", |it| (lanes(it)? == 1).then_some(()));
    let gone = t(&window.next_report());
    window.wait("time passes", |it| (t(it)? > gone? + 0.2).then_some(()));
    window.key("ctrl+shift+z");
    window.wait("the lane is back as if it had not gone", |it| {
        let (first, second) = (t(it)?, lane(it, 1, "t").as_f64()?);
        (lanes(it)? == 2 && first > gone? + 0.2 && (first - second).abs() < 1e-9).then_some(())
    });
    window.key("space");
    window.wait("time stands still", |it| (it["paused"] == true).then_some(()));
    a_film_is_cancelled(&mut window, home.path());
    window.quit();
    check_replay(recording);
}
