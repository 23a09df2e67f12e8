//! What each scene claims, measured.

use ropelab::scene::{Scene, library};
use ropelab::session::Session;
use std::sync::Arc;

#[test]
fn every_scene_loads_and_its_first_comment_says_what_to_look_for() {
    let scenes = library::list();
    assert!(scenes.len() >= 4);
    for entry in scenes {
        let scene = entry.load().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scene.name, entry.title);
        assert!(entry.text().starts_with("// Look for: "), "{}", entry.file);
        assert!(!scene.look_for.is_empty(), "{}", entry.file);
    }
}

#[test]
fn every_scene_survives_export_and_import() {
    for entry in library::list() {
        let scene = entry.load().unwrap();
        let again = Scene::parse(&scene.to_ron(), "export").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(scene, again, "{}", entry.file);
    }
}

#[test]
fn every_scene_takes_a_hundred_steps() {
    for entry in library::list() {
        let mut session = Session::new(Arc::new(entry.load().unwrap()));
        for _ in 0..10 {
            session.advance(0.01, &|| 0.0);
        }
    }
}
