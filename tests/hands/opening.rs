//! Scenes that are opened and left: errors of invalid files, warnings of valid scenes, and the
//! question before edits are dropped.

use crate::desktop::{Desktop, Laboratory, home_with, sides};
use ropelab::scene::Scene;
use serde_json::Value;

const WRONG: &str = "(version: 1, name: \"mine\", ropes: [(from: (0, 0, 0), to: (1, 0))])";

#[test]
fn a_broken_file_opens_the_window_which_waits_until_it_is_right() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(WRONG);
    let mut window = desktop.open(&file, home.path());
    let report = window.wait("the message", |report| {
        let messages = report["messages"].as_array()?;
        let says =
            |text: &str| text.contains("rope.ron:1:63") && text.contains("expected three numbers");
        messages.iter().filter_map(|it| it.as_str()).any(says).then(|| report.clone())
    });
    assert_eq!(report["scene"], "Clothesline", "the default scene runs meanwhile");
    std::fs::write(&file, WRONG.replace("(1, 0)", "(1, 0, 0)")).expect("the scene is written");
    window.wait("the file's own scene", |report| (report["scene"] == "mine").then_some(()));
    window.quit();
}

/// Two balls of radius 0.2 m whose centres are 0.1 m apart.
const OVERLAPPING: &str = "(version: 1, name: \"overlap\", forces: [], balls: [
    (name: \"a\", at: (0, 0, 0), radius: 0.2, mass: 1),
    (name: \"b\", at: (0.1, 0, 0), radius: 0.2, mass: 1)])";

#[test]
fn the_window_shows_the_warnings_of_the_scene_with_which_it_opens() {
    let warnings = Scene::parse(OVERLAPPING, "overlap").expect("a scene").warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(OVERLAPPING);
    let mut window = desktop.open(&file, home.path());
    let messages = window.wait("a report", |report| report["messages"].as_array().cloned());
    assert!(messages.iter().any(|it| *it == *warnings[0]), "{messages:?} has no {warnings:?}");
    window.quit();
}

const LEAVE: &str = "question: Leave";

/// Adds a ball by a click into the air.
fn build_a_ball(window: &mut Laboratory) {
    let count = |report: &Value| report["lanes"][0]["positions"].as_array().map(Vec::len);
    let before = window.wait("a scene", count);
    window.key("shift+b");
    let [left, top, right, bottom] =
        window.wait("a scene", |it| sides(&it["widgets"]["the scene"]));
    window.click_at([left + 0.2 * (right - left), top + 0.3 * (bottom - top)]);
    window.wait("a ball", |it| (count(it)? > before).then_some(()));
    window.key("Escape");
}

fn wait_for_question(window: &mut Laboratory) {
    window.wait("the question", |report| sides(&report["widgets"][LEAVE]));
}

fn check_scene_stays(window: &mut Laboratory, scene: &str) {
    window.wait("no question", |it| sides(&it["widgets"][LEAVE]).is_none().then_some(()));
    assert_eq!(window.next_report()["scene"], scene);
}

const GOOD: &str = "(version: 1, name: \"mine\", forces: [], balls: [
    (name: \"a\", at: (0, 0, 0), radius: 0.2, mass: 1)])";

#[test]
fn a_session_with_built_bodies_is_left_only_after_a_question() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(GOOD);
    let mut window = desktop.open(&file, home.path());
    window.wait("the scene", |report| (report["scene"] == "mine").then_some(()));
    build_a_ball(&mut window);
    // The file changes. The built ball stays until the user answers.
    let renamed = |name: &str| GOOD.replace("mine", name);
    std::fs::write(&file, renamed("changed")).expect("the scene is written");
    wait_for_question(&mut window);
    window.click("question: Stay");
    check_scene_stays(&mut window, "mine");
    std::fs::write(&file, renamed("changed again")).expect("the scene is written");
    window.click(LEAVE);
    window.wait("the file", |report| (report["scene"] == "changed again").then_some(()));
    // Without edits, nothing is asked.
    std::fs::write(&file, renamed("third")).expect("the scene is written");
    window.wait("the file", |report| (report["scene"] == "third").then_some(()));
    build_a_ball(&mut window);
    window.key("bracketright");
    wait_for_question(&mut window);
    window.key("F1");
    window.key("Escape");
    check_scene_stays(&mut window, "third");
    window.key("bracketright");
    wait_for_question(&mut window);
    window.key("bracketright");
    window.wait("another scene", |report| (report["scene"] != "third").then_some(()));
    // Enter on the open scene in the list of scenes, and the key that quits.
    build_a_ball(&mut window);
    let name = window.next_report()["scene"].as_str().expect("a name").to_owned();
    window.key("g");
    window.type_text(&name);
    window.key("Return");
    wait_for_question(&mut window);
    window.key("Escape");
    window.key("ctrl+q");
    wait_for_question(&mut window);
    window.quit();
}
