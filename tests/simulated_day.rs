//! Memory budget of the history in a session of a whole simulated day.
//!
//! This test has a process of its own, because it measures the memory of the process. It simulates
//! an hour with a 24th of the window's budget; `ROPELAB_DAY=1` simulates the whole day.

use ropelab::scene::Scene;
use ropelab::session::{History, Session, SessionMoment};
use ropelab::simulation::settings::Command;
use std::sync::Arc;

/// Memory budget of the window in bytes.
const BUDGET: usize = 256 << 20;
const FRAME: f64 = 1.0 / 60.0;
const FRAMES_AN_HOUR: usize = 3600 * 60;

const PENDULUM: &str = r#"(
    version: 1,
    name: "pendulum",
    particles: [(name: "pivot", at: (0, 1, 0)), (name: "bob", at: (1, 1, 0))],
    links: [(a: Body("pivot"), b: Body("bob"), rigid: true)],
    pins: [(of: Body("pivot"))],
    forces: [(law: Gravity())],
    settings: (integrator: PositionVerlet(), links: Constraints, constraints: Xpbd(), dt: 0.0166666666666666666),
)"#;

/// Returns the resident memory of this process in bytes; `None` on systems without `/proc`.
fn resident_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? << 10)
}

#[test]
fn a_history_keeps_its_budget() {
    let whole_day = std::env::var_os("ROPELAB_DAY").is_some();
    let (hours, budget) = if whole_day { (24, BUDGET) } else { (1, BUDGET / 24) };
    let scene = Scene::parse(PENDULUM, "pendulum").unwrap_or_else(|e| panic!("{e}"));
    let mut session = Session::new(Arc::new(scene));
    let mut history = History::new(&session, budget);
    let (before, mut most) = (resident_memory(), 0);
    for frame in 0..hours * FRAMES_AN_HOUR {
        // A command every ten minutes, like an occasional edit by the user.
        if frame % 36_000 == 0 {
            for command in [Command::TogglePin(1), Command::TogglePin(1)] {
                session.command(command.clone());
                history.record(ropelab::session::Event::Command(Box::new(command)), &session);
            }
        }
        let event = session.advance(FRAME, &|| 0.0);
        history.record(event, &session);
        assert!(history.bytes() <= budget, "{} bytes after {frame} frames", history.bytes());
        most = most.max(history.bytes());
    }
    let kept_seconds = history.time_of(history.end()) - history.time_of(history.start());
    let grown = resident_memory().zip(before).map(|(now, before)| now.saturating_sub(before));
    println!(
        "{hours} h: {:.1} MB of {:.1} MB used, the process grew by {:.1} MB; the last {:.1} h can be \
         gone back to, over {} frames at most",
        most as f64 / f64::from(1 << 20),
        budget as f64 / f64::from(1 << 20),
        grown.unwrap_or_default() as f64 / f64::from(1 << 20),
        kept_seconds / 3600.0,
        history.most_events_to_repeat(),
    );
    assert!(most > budget / 2, "so long a session uses its budget: {most} of {budget} bytes");
    if let Some(grown) = grown {
        // The history counts its own bytes. The process may need the same amount again for reserved
        // capacity of lists, and 32 MiB for the records of the lanes, which have limits of their
        // own.
        assert!(grown < 2 * budget + (32 << 20), "{grown} bytes for a budget of {budget}");
    }
    let now = session.hashes();
    let middle = (history.start().events + history.end().events) / 2;
    history.go_to(&mut session, SessionMoment { events: middle, missing_steps: 0 });
    history.go_to(&mut session, history.end());
    assert_eq!(session.hashes(), now, "to the middle and back");
}
