//! Files that are not scenes, unfinished text, and scenes too large for memory.

use super::{assert_refused, error_of, scene_with};
use ropelab::scene::Scene;
use std::fs;
use std::io::Write;

#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let load = |name: &str| {
        let text = Scene::load(path(name)).unwrap_err().to_string();
        text.replace(&path("").display().to_string(), "FOLDER/")
    };
    assert_eq!(
        load("missing.ron"),
        "FOLDER/missing.ron: there is no such file, expected a scene file (.ron)"
    );
    fs::create_dir(path("folder.ron")).unwrap();
    assert_eq!(
        load("folder.ron"),
        "FOLDER/folder.ron: this is a folder, expected a scene file (.ron)"
    );
    fs::write(path("empty.ron"), " \n").unwrap();
    assert_eq!(load("empty.ron"), "FOLDER/empty.ron: the file is empty, expected a scene in RON");
    fs::write(path("latin1.ron"), b"(\n  name: \"Seilbr\xFCcke\"").unwrap();
    assert_eq!(
        load("latin1.ron"),
        "FOLDER/latin1.ron:2:16: found the byte 0xFC, expected text in UTF-8"
    );
    fs::write(path("binary.ron"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    assert_eq!(
        load("binary.ron"),
        "FOLDER/binary.ron:1:1: found the byte 0x89, expected text in UTF-8"
    );
    fs::write(path("zeros.ron"), [0; 100]).unwrap();
    assert_eq!(load("zeros.ron"), "FOLDER/zeros.ron:1:1: found `\\0`, expected the scene in ( )");
}

#[test]
fn a_file_of_a_gigabyte_is_refused_without_reading_it() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"(").unwrap();
    file.as_file().set_len(1 << 30).unwrap();
    let message = Scene::load(file.path()).unwrap_err().to_string();
    assert!(message.ends_with("the file is longer than 256 MiB, the limit for scene files"));
}

#[test]
fn unfinished_text() {
    assert_eq!(
        error_of("(\n    version: 1,\n"),
        "test.ron:3:1: the file ends here, expected the rest of the scene"
    );
    assert_eq!(
        error_of("(\n    version: 1,\n    name: \"te"),
        "test.ron:3:12: this text has no closing \""
    );
    assert_eq!(error_of("(version: 1, /* name"), "test.ron:1:21: this comment has no closing */");
    assert_eq!(
        error_of("(version: 1 name: \"x\")"),
        "test.ron:1:13: found `name`, expected `,` or the closing bracket"
    );
    assert_eq!(
        error_of("(version: 1, name: \"x\", particles: [(at: (0, 0, 0))]) 7"),
        "test.ron:1:55: found `7`, expected nothing after the scene's closing bracket"
    );
}

#[test]
fn nesting_without_end() {
    let deep = scene_with(&format!("look_for: {}", "(".repeat(100_000)));
    error_of(&deep);
    let deep = scene_with(&format!("pins: [(of: {}All{})]", "Any([".repeat(200), "])".repeat(200)));
    assert!(error_of(&deep).contains("nested too deeply"), "{}", error_of(&deep));
}

#[test]
fn more_than_memory_can_hold_is_refused_before_it_is_taken() {
    assert_refused(
        "cloths: [(corner: (0, 0, 0), across: (1, 0, 0), down: (0, 1, 0), cells: (1000000, 1000000))],",
        "test.ron:5:77: this makes 1000002000003 particles, expected at most 1000000",
    );
    assert_refused(
        "nets: [(corner: (0, 0, 0), across: (1, 0, 0), down: (0, 1, 0), cells: (1000000000000, 1))],",
        "test.ron:5:76: `cells`: found 1000000000000, expected a whole number from 1 to 1000000",
    );
    assert_refused(
        "ropes: [(from: (0, 0, 0), to: (1, 0, 0), segments: 99999999999999999999)],",
        "test.ron:5:56: `segments`: `99999999999999999999` is too large or negative for this field",
    );
}

#[test]
fn versions_of_the_future() {
    assert_eq!(
        error_of("(version: 2, name: \"x\", tides: [])"),
        "test.ron:1:25: the file has version 2 of the format, expected version 1: this program is older than the file"
    );
    assert_eq!(
        error_of("(name: \"x\", tides: [], version: 3)"),
        "test.ron:1:13: the file has version 3 of the format, expected version 1: this program is older than the file"
    );
    assert_eq!(
        error_of("(name: \"x\", particles: [(at: (0, 0, 0))])"),
        "test.ron:1:41: field \"version\" of Scene is missing before this"
    );
    assert_eq!(
        error_of("(version: 0, name: \"x\", particles: [(at: (0, 0, 0))])"),
        "test.ron:1:11: the file has version 0 of the format, expected version 1"
    );
    assert_eq!(
        error_of("(version: 1, name: \"x\")"),
        "test.ron:1:11: the scene is empty, expected at least one particle"
    );
    assert_eq!(
        error_of(&scene_with(&format!("lanes: [{}],", "(name: \"a\"),".repeat(9)))),
        "test.ron:5:109: found 9 lanes, expected at most 8"
    );
}

#[test]
fn a_scene_that_is_not_in_the_library_gets_the_nearest_name() {
    assert_eq!(
        Scene::open("pendulm").unwrap_err().to_string(),
        "unknown scene \"pendulm\", did you mean \"pendulum\"?; `ropelab list scenes` shows all"
    );
}
