//! Benchmark of travel to earlier moments of a session, which starts at the nearest keyframe and
//! repeats the frames since then.

use super::occasion_line::OccasionLine;
use crate::scene::{Scene, library};
use crate::session::{History, Session, SessionMoment};
use std::sync::Arc;

/// Bytes of memory for keyframes, as in the window.
const BUDGET: usize = 256 << 20;
const FRAME: f64 = 1.0 / 60.0;
/// Number of visited moments, equally spaced from the oldest to the newest.
const VISITS: usize = 100;
/// Largest accepted time of a travel in milliseconds: in the default scene, where a dragged time
/// bar then shows ten frames per second, and in a large scene.
const AIM: f64 = 100.0;
const LARGE_AIM: f64 = 1000.0;
/// Largest fraction of a session's length that may be unreachable because of rounding errors.
const ROUNDING: f64 = 1e-9;

/// Scene of a large cloth: 100 × 100 particles with XPBD.
const LARGE: &str = r#"(version: 1, name: "large", cloths: [(name: "cloth", corner: (0, 0, 0),
    across: (1, 0, 0), down: (0, 0, 1), cells: (99, 99))], pins: [(of: Particle(0))],
    settings: (links: Constraints, constraints: Xpbd(order: Coloured), dt: 0.016666666666666666))"#;

/// Measures travel within ten minutes of the default scene and within a minute of a large scene.
pub(super) fn measure_seek(clock: &(dyn Fn() -> f64 + Sync)) -> Vec<OccasionLine> {
    let default = library::default_scene().load().expect("a scene of the library");
    let large = Scene::parse(LARGE, "seek.ron").expect("a scene of this file");
    let mut lines = lines_of("ten minutes of the default scene", AIM, default, 600.0, clock);
    lines.extend(lines_of("a minute of a cloth of 100 × 100", LARGE_AIM, large, 60.0, clock));
    lines
}

fn lines_of(
    what: &str,
    aim: f64,
    scene: Scene,
    seconds: f64,
    clock: &(dyn Fn() -> f64 + Sync),
) -> Vec<OccasionLine> {
    let mut session = Session::new(Arc::new(scene));
    let mut history = History::new(&session, BUDGET);
    for _ in 0..(seconds / FRAME) as u32 {
        let event = session.advance(FRAME, &clock);
        history.record(event, &session);
    }
    let kept = history.time_of(history.end()) - history.time_of(history.start());
    let lost = Some(1.0 - kept / seconds).filter(|lost| *lost > ROUNDING).unwrap_or(0.0);
    let visits = time_visits(&mut history, &mut session, clock);
    let mean = visits.iter().sum::<f64>() / visits.len() as f64;
    let longest = visits.into_iter().fold(0.0, f64::max);
    vec![
        (format!("{what}: mean milliseconds per travel"), mean, aim),
        (format!("{what}: most milliseconds per travel"), longest, aim),
        (format!("{what}: fraction of the time that is no longer reachable"), lost, 0.0),
    ]
}

/// Returns the duration of each visit in milliseconds. Visits alternate between the two halves of
/// the session, so successive moments are never close.
fn time_visits(
    history: &mut History,
    session: &mut Session,
    clock: &(dyn Fn() -> f64 + Sync),
) -> Vec<f64> {
    let (first, last) = (history.start().events, history.end().events);
    let visit = |number: usize| {
        let part = (number * (VISITS / 2 + 1)) % (VISITS + 1);
        let events = first + (last - first) * part / VISITS;
        let began = clock();
        history.go_to(session, SessionMoment { events, missing_steps: 0 });
        (clock() - began) * 1e3
    };
    (0..=VISITS).map(visit).collect()
}
