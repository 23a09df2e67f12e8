//! Messages about bad scenes: each states the position, the value found and the values expected.

#![allow(clippy::unwrap_used)] // helpers of tests, too

mod files;
mod references;
mod values;

use ropelab::scene::Scene;

/// Returns a scene of two particles with further text at line 5, column 5.
fn scene_with(more: &str) -> String {
    format!(
        "(\n    version: 1,\n    name: \"test\",\n    \
         particles: [(at: (0, 0, 0)), (at: (1, 0, 0))],\n    {more}\n)\n"
    )
}

#[track_caller]
fn error_of(text: &str) -> String {
    match Scene::parse(text, "test.ron") {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// Checks the message for `more`, which begins at line 5, column 5.
#[track_caller]
fn assert_refused(more: &str, expected: &str) {
    assert_eq!(error_of(&scene_with(more)), expected);
}

#[test]
fn the_frame_of_these_tests_is_a_scene() {
    Scene::parse(&scene_with(""), "test.ron").unwrap();
}
