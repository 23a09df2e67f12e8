//! Tests of the hand: drags, cuts, throws, and colliders that are moved.

use super::{
    LAST, MIDDLE, PINNED, distance, home_with, lanes, pair, pixel, position, replay, scene,
};
use super::{cut_links, draw_stroke};
use crate::desktop::{Desktop, Laboratory};
use serde_json::Value;

/// Grabs a particle with the left button and drags it by `by` pixels. Returns the position of the
/// hand in pixels. The button stays down.
fn grab_and_pull(window: &mut Laboratory, lane: usize, by: [f64; 2]) -> [f64; 2] {
    // The particle may have moved meanwhile, but it is still within reach of the cursor.
    let start = window.wait("a particle to grab", |report| pixel(report, lane, MIDDLE));
    window.point(start);
    window.next_report();
    window.press(1);
    window.next_report();
    for part in 1..=10 {
        let part = f64::from(part) / 10.0;
        window.point([start[0] + by[0] * part, start[1] + by[1] * part]);
        window.next_report();
    }
    [start[0] + by[0], start[1] + by[1]]
}

pub(super) fn a_dragged_particle_follows(window: &mut Laboratory) {
    let before = position(&window.next_report(), 0, MIDDLE).expect("a particle");
    let hand = grab_and_pull(window, 0, [70.0, -90.0]);
    window.wait("the particle follows the hand", |report| {
        (distance(pixel(report, 0, MIDDLE)?, hand) < 25.0).then_some(())
    });
    let held = position(&window.next_report(), 0, MIDDLE).expect("a particle");
    assert!(distance(before, held) > 0.1, "the particle moved from {before:?} to {held:?}");
    window.release(1);
    window.wait("the particle falls when it is let go", |report| {
        (distance(pixel(report, 0, MIDDLE)?, hand) > 40.0).then_some(())
    });
}

pub(super) fn a_second_lane_follows_the_same_drag(window: &mut Laboratory) {
    window.click("+ lane");
    window.wait("there are two lanes", |report| (lanes(report) == 2).then_some(()));
    window.key("4");
    window.wait("key 4 gives the second lane velocity Verlet", |report| {
        (report["lanes"][1]["settings"]["integrator"] == "VelocityVerlet").then_some(())
    });
    let before = position(&window.next_report(), 1, MIDDLE).expect("a particle");
    grab_and_pull(window, 0, [40.0, -60.0]);
    window.wait("both lanes follow one hand", |report| {
        let (first, second) = (position(report, 0, MIDDLE)?, position(report, 1, MIDDLE)?);
        (distance(first, second) < 0.05 && distance(before, second) > 0.1).then_some(())
    });
    window.release(1);
}

pub(super) fn a_stroke_cuts_the_rope_in_every_lane(window: &mut Laboratory) {
    window.key("r");
    let [from, to] = window.wait("a rope", |report| {
        let [left, right] = [pixel(report, 0, PINNED)?, pixel(report, 0, LAST)?];
        let [x, y] = [0, 1].map(|axis| 0.5 * (left[axis] + right[axis]));
        Some([[x, y - 30.0], [x, y + 330.0]])
    });
    draw_stroke(window, from, to);
    window.wait("both lanes are cut, and each half hangs from its pin", |report| {
        let hangs = |lane: usize| {
            let [left, right] = [position(report, lane, PINNED)?, position(report, lane, LAST)?];
            let lowest = (0..=LAST).filter_map(|i| Some(position(report, lane, i)?[1]));
            let depth = left[1] - lowest.fold(f64::INFINITY, f64::min);
            // Half of an uncut rope of 1.6 m whose ends are 1 m apart hangs 0.57 m down.
            (cut_links(report, lane) > 0 && depth > 0.65 && right[1] == left[1]).then_some(())
        };
        hangs(0).and(hangs(1))
    });
    assert_eq!(cut_links(&window.next_report(), 0), cut_links(&window.next_report(), 1));
    window.key("r");
    window.wait("a new start heals the rope", |report| (cut_links(report, 0) == 0).then_some(()));
}

fn particles(report: &Value, lane: usize) -> usize {
    report["lanes"][lane]["positions"].as_array().map_or(0, Vec::len)
}

pub(super) fn balls_are_thrown_and_taken_back_and_the_hand_blows(window: &mut Laboratory) {
    let before = particles(&window.next_report(), 0);
    window.key("space");
    window.wait("time stands still", |report| (report["paused"] == true).then_some(()));
    // One step is taken before the throw, so that a step back leads to a moment before the throw.
    window.key("Right");
    window.key("b");
    window.wait("a ball in every lane", |report| {
        (0..lanes(report)).all(|lane| particles(report, lane) == before + 1).then_some(())
    });
    window.key("Left");
    window.wait("no ball", |report| (particles(report, 0) == before).then_some(()));
    window.key("space");
    window.hold_key("b");
    window.wait("a stream", |report| (particles(report, 0) > before + 3).then_some(()));
    window.release_key("b");
    let middle = window.wait("a rope", |report| pixel(report, 0, MIDDLE));
    window.point(middle);
    window.hold_key("w");
    let still = window.next_report()["commands"].as_u64();
    window.point([middle[0] + 5.0, middle[1]]);
    window.wait("the wind follows the mouse", |report| {
        (report["commands"].as_u64() > still).then_some(())
    });
    window.release_key("w");
    // Within two seconds the recording gets a line with hashes.
    let t = |report: &Value| report["lanes"][0]["t"].as_f64();
    let then = t(&window.next_report()).expect("a time");
    window.wait("two seconds", |report| (t(report)? > then + 2.0).then_some(()));
}

#[test]
fn a_drag_goes_on_outside_the_window() {
    let desktop = Desktop::start("1600x1000");
    let (home, file) = home_with(&scene("outside"));
    let mut window = desktop.open(&file, home.path());
    let commands = |report: &Value| report["commands"].as_u64();
    grab_and_pull(&mut window, 0, [40.0, 0.0]);
    // The mouse leaves the window with the button down, moves outside of it, and returns.
    for to in [[1400.0, 500.0], [1500.0, 700.0], [1300.0, 900.0], [700.0, 500.0], [720.0, 480.0]] {
        let before = commands(&window.next_report());
        window.point(to);
        window.wait("the hand moves", |report| (commands(report) > before).then_some(()));
    }
    window.point([1500.0, 900.0]);
    window.next_report();
    let before = commands(&window.next_report());
    window.release_outside(1);
    window.wait("the hand lets go", |report| (commands(report) > before).then_some(()));
    let after = commands(&window.next_report());
    window.point([700.0, 500.0]);
    window.next_report();
    assert_eq!(commands(&window.next_report()), after, "nothing is held any more");
    window.quit();
}

/// A rope on a cylinder, a sphere that touches nothing, and a floor.
const DRUMS: &str = r#"(
    version: 1,
    name: "drums",
    look_for: "A rope over a drum.",
    materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 100, damping: 0.2)],
    ropes: [(name: "rope", from: (-0.4, 1.2, 0), to: (0.4, 1.2, 0), segments: 20, material: "cord")],
    colliders: [(shape: Cylinder(radius: 0.2, length: 0.4, along: (0, 0, 1)), at: (0, 0.9, 0), surface: (friction: 0.5)),
                (shape: Sphere(radius: 0.15), at: (-0.8, 0.5, 0)),
                (shape: Plane(), at: (0, 0, 0))],
    camera: Side(centre: (0, 0.8, 0), height: 2.4),
    settings: (dt: 0.001),
)
"#;

#[test]
fn a_person_can_carry_a_collider_away_and_back() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(DRUMS);
    let recording = home.path().join("session.rec");
    let mut window = desktop.open_with(
        &["--record", recording.to_str().expect("a plain name")],
        &file,
        home.path(),
    );
    let drum = |report: &Value| pair(&report["lanes"][0]["collider_pixels"][0]);
    let sphere = |report: &Value| pair(&report["lanes"][0]["collider_pixels"][1]);
    let start = window.wait("a sphere", sphere);
    let fixed = window.wait("a drum", drum);
    let drag = |window: &mut Laboratory, from: [f64; 2], by: [f64; 2]| {
        let to = [from[0] + by[0], from[1] + by[1]];
        window.drag([from, to]);
        to
    };
    // The sphere is grabbed off its centre and keeps its position relative to the hand.
    let hand = drag(&mut window, [start[0] + 20.0, start[1] - 10.0], [90.0, -60.0]);
    window.wait("the sphere follows the hand and stays", |report| {
        (distance(sphere(report)?, [hand[0] - 20.0, hand[1] + 10.0]) < 2.0).then_some(())
    });
    assert_eq!(window.wait("a drum", drum), fixed, "the other one stays");
    // The cylinder moves away, and the rope on it moves along.
    let hand = drag(&mut window, fixed, [0.0, -100.0]);
    window.wait("the drum is where the hand was", |report| {
        (distance(drum(report)?, hand) < 2.0).then_some(())
    });
    // A drag of the floor moves nothing. The release of the cylinder may be counted only in a later
    // report.
    (0..3).for_each(|_| drop(window.next_report()));
    let before = window.next_report()["commands"].as_u64();
    drag(&mut window, [fixed[0] + 300.0, fixed[1] + 250.0], [40.0, 0.0]);
    assert_eq!(window.next_report()["commands"].as_u64(), before);
    window.key("space");
    let last = window
        .wait("time stands still", |report| (report["paused"] == true).then(|| report.clone()));
    window.key("r");
    window.wait("a new start puts both back", |report| {
        (distance(sphere(report)?, start) < 0.5 && distance(drum(report)?, fixed) < 0.5)
            .then_some(())
    });
    assert!(last["commands"].as_u64() > Some(10), "{last}");
    window.quit();
    let replayed = replay(&recording);
    assert_eq!(replayed["same_bits"], true, "{replayed}");
    assert!(replayed["compared"].as_u64() > Some(0), "{replayed}");
}
