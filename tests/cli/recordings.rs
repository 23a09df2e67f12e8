//! Replay of recordings without a window.

use super::{SWING, TestFolder};
use serde_json::Value;

/// Writes a recording of a second of the swing scene. If `differs` is true, the recorded session
/// had one more frame than the recording lists.
fn write_recording(folder: &TestFolder, file: &str, differs: bool) {
    use ropelab::scene::Scene;
    use ropelab::session::Session;
    use ropelab::session::recording::{MAGIC_LINE, Record, Start};
    let scene = Scene::parse(SWING, "swing.ron").unwrap();
    let lanes = scene.lanes.clone();
    let (program, file_name) = (String::from("0.0.9"), String::from("swing.ron"));
    let start =
        Start { program, file: file_name, scene: SWING.into(), lanes, speed: 1.0, paused: false };
    let mut session = Session::new(std::sync::Arc::new(scene));
    let mut text = MAGIC_LINE.to_owned() + &Record::Start(start).line();
    for _ in 0..60 {
        text += &Record::Event(session.advance(1.0 / 60.0, &|| 0.0)).line();
    }
    if differs {
        session.advance(1.0 / 60.0, &|| 0.0);
    }
    text += &Record::Digests(session.digests()).line();
    text += &Record::Hashes(session.hashes()).line();
    folder.write(file, &text);
}

#[test]
fn a_recording_is_repeated_and_compared() {
    let folder = TestFolder::new();
    write_recording(&folder, "good.rec", false);
    let replay = folder.json("replay good.rec --json");
    assert_eq!(replay["same_bits"], true);
    assert_eq!((&replay["frames"], &replay["compared"]), (&60.into(), &1.into()));
    assert_eq!(replay["lanes"][1]["integrator"], "explicit-euler");
    assert!((replay["time"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    assert!(folder.stdout("replay good.rec --verify").contains("the same bits at 1 moment\n"));
    // No window can open because there is no display, so the program replays in the terminal.
    let said = folder.run("replay good.rec");
    assert_eq!(folder.run("good.rec").out, said.out, "a recording opens as a scene does");
    assert!(said.err.contains("in the terminal instead"), "{}", said.err);
    assert!(said.out.contains("the same bits at 1 moment\n"), "{}", said.out);
    let why = folder.json("explain --recording good.rec --lane 2 --json");
    assert_eq!(
        (&why["scene"], &why["settings"]["integrator"]),
        (&"good.rec".into(), &"ExplicitEuler".into())
    );
    assert!(folder.error("explain --recording good.rec --lane 9").contains("lane \"9\""));

    write_recording(&folder, "other.rec", true);
    for line in ["replay other.rec", "replay other.rec --verify"] {
        let said = folder.run(line);
        assert_eq!(said.code, Some(2));
        let found = "the bits differ starting at frame 60 (1 s), in lane 1, particle 1";
        assert!(said.out.contains(found), "{}", said.out);
        let error = format!(
            "error: other.rec does not repeat: {found}; probably another build of ropelab recorded it \
             (version 0.0.9, this is {}): replay it with that build, or record the session \
             again\n",
            env!("CARGO_PKG_VERSION")
        );
        assert!(said.err.ends_with(&error), "{}", said.err);
    }
    let said: Value = serde_json::from_str(&folder.run("replay other.rec --json").out).unwrap();
    let difference = &said["difference"];
    assert_eq!((&said["same_bits"], &difference["lane"]), (&false.into(), &0.into()));
    let [recorded, replayed] = ["recorded", "replayed"].map(|key| difference[key].as_str());
    assert_eq!(replayed, said["lanes"][0]["hash"].as_str());
    assert!(recorded.is_some_and(|hash| hash.len() == 16) && recorded != replayed, "{said}");
}

/// The recording ends before its first hashes.
#[test]
fn a_replay_that_compares_nothing_says_so() {
    let folder = TestFolder::new();
    write_recording(&folder, "good.rec", false);
    let lines: Vec<String> = folder.read("good.rec").lines().map(|it| format!("{it}\n")).collect();
    folder.write("short.rec", &lines[..20].concat());
    for line in ["replay short.rec --verify", "replay short.rec --verify --json"] {
        let said = folder.run(line);
        assert_eq!(said.code, Some(2), "{line}: {}", said.err);
        let error = "error: short.rec: nothing was compared, because the recording contains no \
                     hashes; a recording that was finished has them at its end\n";
        assert!(said.err.ends_with(error), "{line}: {}", said.err);
        assert!(!said.out.contains("same bits"), "{line}: {}", said.out);
    }
    // No window can open because there is no display, so the program replays in the terminal.
    let said = folder.run("replay short.rec");
    assert_eq!(said.code, Some(0), "nobody asked for a comparison: {}", said.err);
    assert!(said.out.contains("nothing was compared"), "{}", said.out);
    assert!(!said.out.contains("same bits"), "{}", said.out);
    let said = folder.json("replay short.rec --json");
    assert_eq!((&said["compared"], &said["same_bits"]), (&0.into(), &Value::Null));
}

#[test]
fn what_is_no_recording_is_not_replayed() {
    let folder = TestFolder::new();
    assert_eq!(
        folder.error("replay nowhere.rec"),
        "error: nowhere.rec: there is no such file, expected a recording\n"
    );
    assert!(folder.error("replay swing.ron").contains("swing.ron:1: found \"(\""));
    assert_eq!(
        folder.error("--record a.rec run swing.ron"),
        "error: --record needs a window, and a command has none\n"
    );
}
