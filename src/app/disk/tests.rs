//! Test that kills a process at random moments while it records and saves. The files on the disk
//! must remain readable.
//!
//! The test kills about forty processes; with `ROPELAB_KILLS=1000` it kills a thousand.

use super::recorder::Recorder;
use super::saving::save_scene;
use super::scene_source::{LoadedScene, Source};
use crate::app::laboratory::Laboratory;
use crate::app::preferences::Preferences;
use crate::model::Throw;
use crate::numerics::random::Random;
use crate::scene::Scene;
use crate::session::recording::Recording;
use crate::simulation::settings::Command as SessionCommand;
use glam::DVec3;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Environment variable that tells the process its output folder.
const FOLDER: &str = "ROPELAB_KILLED_IN";
/// Number of frames after which the process begins another recording.
const FRAMES: u32 = 100;
/// Longest time in seconds from the first file of the process to the kill.
const LONGEST_LIFE: f64 = 0.15;
/// File that the process writes first.
const BEGUN: &str = "begun";

const SCENE: &str = r#"(
    version: 1,
    name: "rope",
    ropes: [(name: "rope", from: (0, 1, 0), to: (1, 1, 0), segments: 10)],
    pins: [(of: Start("rope"))],
    forces: [(law: Gravity())],
    settings: (constraints: Xpbd(iterations: 4), links: Constraints, dt: 0.005),
)"#;

/// Records a session and saves the scene and the preferences, in an endless loop.
fn run_until_killed(folder: &Path) -> Result<Infallible, Box<dyn Error>> {
    std::fs::write(folder.join(BEGUN), "")?;
    let mut preferences = Preferences::default();
    let mut round = 0;
    loop {
        round += 1;
        let scene = Scene::parse(SCENE, "rope")?;
        let loaded =
            LoadedScene { scene, file: "rope".into(), text: SCENE.into(), meshes: Vec::new() };
        let recorder = Recorder::new(Some(&folder.join("session.rec")))?;
        let mut laboratory = Laboratory::new(loaded, Source::Listed(0), recorder);
        for frame in 0..FRAMES {
            if frame % 20 == 0 {
                let at = DVec3::new(0.5, 3.0, 0.1 * f64::from(frame % 7));
                let throw = Throw { at, velocity: DVec3::X, mass: 0.1, radius: 0.02 };
                laboratory.command(SessionCommand::Throw(throw));
            }
            laboratory.whole_frame(1.0 / 60.0);
            if frame % 10 == 0 {
                save_scene(&folder.join("scene.ron"), &laboratory.scene_to_ron(), &[])?;
                preferences.size = (640 + round % 1000, 480 + frame);
                preferences.save_to(&folder.join("window.ron"))?;
            }
        }
        laboratory.finish()?;
    }
}

/// Checks the files after a kill. Returns the number of records in the recording, if one exists.
fn check_files(folder: &Path, kill: u64) -> Option<usize> {
    let read = |name: &str| std::fs::read(folder.join(name)).ok();
    if let Some(bytes) = read("scene.ron") {
        let text = String::from_utf8(bytes).unwrap_or_else(|e| panic!("kill {kill}: {e}"));
        Scene::parse(&text, "scene.ron").unwrap_or_else(|e| panic!("kill {kill}: {e}"));
    }
    let (_, complaint) = Preferences::load_from(&folder.join("window.ron"));
    assert_eq!(complaint, None, "kill {kill}");
    let recording = Recording::read(&read("session.rec")?, "session.rec");
    let recording = recording.unwrap_or_else(|e| panic!("kill {kill}: {e}"));
    let (_, replay) = recording.verify();
    assert_eq!(replay.difference, None, "kill {kill}");
    Some(recording.last_records().count())
}

#[test]
fn what_a_killed_process_wrote_can_be_read() {
    // The process to kill is another instance of this test.
    if let Some(folder) = std::env::var_os(FOLDER) {
        let Err(error) = run_until_killed(Path::new(&folder));
        panic!("{error}");
    }
    let kills = std::env::var("ROPELAB_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(40);
    let folder = tempfile::tempdir().unwrap();
    let mut lengths = Vec::new();
    for kill in 0..kills {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "app::disk::tests::what_a_killed_process_wrote_can_be_read"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while std::fs::remove_file(folder.path().join(BEGUN)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(60), "kill {kill}: it does not begin");
            std::thread::sleep(Duration::from_millis(1));
        }
        // On a busy machine, a process starts late and writes slowly, so it gets more time.
        let longest = LONGEST_LIFE.max(4.0 * began.elapsed().as_secs_f64());
        let life = Random::new(kill).between(0.0, longest);
        std::thread::sleep(Duration::from_secs_f64(life));
        assert!(process.try_wait().unwrap().is_none(), "kill {kill}: it ended by itself");
        // SIGKILL ends the process before it can finish its files.
        process.kill().unwrap();
        process.wait().unwrap();
        let length = check_files(folder.path(), kill);
        assert!(length.is_some() || lengths.is_empty(), "kill {kill}: the recording is gone");
        lengths.extend(length);
    }
    let longest = lengths.iter().max().copied().unwrap_or_default();
    let (read, whole) = (lengths.len(), lengths.iter().filter(|it| **it > FRAMES as usize).count());
    let is_aside = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with('.');
    let files = std::fs::read_dir(folder.path()).unwrap();
    let aside = files.filter(|file| is_aside(&file.as_ref().unwrap().file_name())).count();
    println!(
        "{kills} kills: {read} recordings read, {whole} whole ones, {longest} records at most, {aside} \
         unfinished files beside them"
    );
    // A recording reaches the disk in blocks of 8 KB, so few lengths are possible. Processes are
    // killed before the first block or between two blocks, so several lengths must occur.
    let lengths: BTreeSet<usize> = lengths.into_iter().collect();
    assert!(lengths.len() > 1 && longest > 20, "nothing was killed while it wrote: {lengths:?}");
}
