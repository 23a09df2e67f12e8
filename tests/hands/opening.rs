//! Messages about the scene with which the window opens: the mistake of a file that is not a valid
//! scene yet, and the warnings of a valid scene.

use crate::desktop::{Desktop, home_with};
use ropelab::scene::Scene;

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
