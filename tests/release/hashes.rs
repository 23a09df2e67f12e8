//! Hashes of the library scenes in a release build, compared with the file that `tests/scenes`
//! checks in another profile.

use ropelab::scene::library;

/// Lanes whose steps depend on a display have other steps under `ropelab run`, so 8 of 121 lanes
/// are left out.
#[test]
fn every_scene_has_its_hash_after_100_steps_in_a_release_build() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/hashes.txt");
    let golden = std::fs::read_to_string(path).expect("golden hashes");
    let mut compared = 0;
    for entry in library::list() {
        let scene = entry.load().unwrap_or_else(|error| panic!("{error}"));
        for (number, lane) in (1..).zip(&scene.lanes) {
            let number = u32::to_string(&number);
            let duration = format!("{:?}", 100.0 * lane.settings.dt);
            let arguments = ["run", entry.name, "--lane", &number, "--duration", &duration];
            let run = super::answer(&[&arguments[..], &["--json"]].concat());
            if !run["stepping"].is_null() {
                continue;
            }
            let hash = run["hash"].as_str().expect("a hash");
            let line = format!("{hash} {}: {}", entry.name, lane.name);
            assert!(golden.lines().any(|it| it == line), "{line}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared} lanes were compared");
}
