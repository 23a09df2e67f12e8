//! Contact settings of a lane: detection of contacts of balls, colliders, ropes and cloths.

use super::fields::{
    Entry, FieldHelp, choice_ui, count_ui, explanation_ui, list_ui, row_ui, scaled_ui, si_ui,
};
use super::relevance::Relevance;
use crate::app::input::actions::{Action, RequestActions};
use crate::app::tools::thrower::{MASSES, RADII, SPEEDS, ThrowSettings};
use crate::app::widgets::pressed;
use crate::contact::{BallPath, ContactMethod, Discrete, PairSearch, Penalty, SelfContact, Swept};
use crate::model::MOST_THROWN;
use crate::names::CatalogueEntry;
use egui_macroquad::egui::Ui;

const METHOD: FieldHelp = FieldHelp {
    label: "contact",
    unit: "",
    text: "Method that keeps bodies apart. It detects contacts after each step, or along the whole \
        motion of a step: throw a fast ball and watch which lane lets it through.",
    source: "",
};
const MOST_EVENTS: FieldHelp = FieldHelp {
    label: "max. collisions",
    unit: "a substep",
    text: "Largest number of collisions resolved in a substep, the earliest first. Bodies with \
        further collisions stop before they touch; the tooltip of the lane's chip counts such \
        events.",
    source: "article E",
};
const PAIRS: FieldHelp = FieldHelp {
    label: "pair search",
    unit: "",
    text: "Search for pairs of balls that may collide. A grid tests a ball only against its \
        neighbours; article E tests all n(n − 1)/2 pairs. The collisions are the same: compare \
        the cost of a step.",
    source: "article E",
};
const REST: FieldHelp = FieldHelp {
    label: "come to rest",
    unit: "",
    text: "Bodies that approach slower than 2 g h (h is the substep) do not bounce, because \
        gravity alone causes such speeds within a substep. Switch this off and watch balls hop \
        forever.",
    source: "",
};

const PATH: FieldHelp = FieldHelp {
    label: "ball paths",
    unit: "",
    text: "Path of a ball within a substep: the parabola of its fall, or the straight chord \
        between its ends. With the chord, watch long steps change the height of each bounce. The \
        tooltip of the lane's chip shows the error of the chord, at most |Δa|h²/8.",
    source: "article E",
};

const STIFFNESS: FieldHelp = FieldHelp {
    label: "contact stiffness",
    unit: "N/m",
    text: "Force that pushes a particle out of a collider, divided by its depth in the collider. \
        Watch the particle rest at a depth of m g/k, and explicit schemes explode above dt = 2 \
        √(m/k).",
    source: "penalty method; the painted limit includes the present contacts",
};
const DAMPING: FieldHelp = FieldHelp {
    label: "contact damping",
    unit: "N·s/m",
    text: "Damping force of a contact, divided by the approach speed. More damping makes bounces \
        lower. The total force of a contact never pulls.",
    source: "penalty method",
};
const SLIP: FieldHelp = FieldHelp {
    label: "slip speed",
    unit: "m/s",
    text: "Sliding speed from which friction has its full value. Friction on slower bodies is \
        weaker, so watch a block on a slope creep without ever stopping.",
    source: "Incremental Potential Contact",
};

const ITSELF: FieldHelp = FieldHelp {
    label: "self-contact",
    unit: "",
    text: "Method that keeps ropes and cloths with `itself: true` in the scene file from passing \
        through themselves. Without it, watch folds pass through each other; with the guarantee, \
        they lie in layers.",
    source: "Newton VBD, planar divide and truncate",
};

const SPEED: FieldHelp = FieldHelp {
    label: "ball speed",
    unit: "m/s",
    text: "Speed of a thrown ball: distance to its target divided by the flight time. Raise it \
        and watch discrete contact let the ball through.",
    source: "",
};
const MASS: FieldHelp = FieldHelp {
    label: "ball mass",
    unit: "kg",
    text: "Mass of a thrown ball: watch how far a heavy one pushes a light rope or cloth.",
    source: "",
};
const RADIUS: FieldHelp = FieldHelp {
    label: "ball radius",
    unit: "m",
    text: "Radius of a thrown ball: watch a small one slip through the meshes of a net.",
    source: "",
};

/// Draws the contact settings that matter for the scene.
pub fn contact_ui(ui: &mut Ui, contact: &mut ContactMethod, relevant: Relevance) {
    row_ui(ui, &METHOD, |ui| {
        let CatalogueEntry { name, title, .. } = contact.info();
        let entries = || ContactMethod::all().map(|it| Entry::of(it, it.info())).collect();
        list_ui(ui, "contact", name, title, contact, entries)
    });
    explanation_ui(ui, contact.info().verdict);
    match contact {
        ContactMethod::Off => {}
        ContactMethod::Discrete(Discrete { pairs, rest }) => shared_ui(ui, pairs, rest, relevant),
        ContactMethod::Penalty(Penalty { stiffness, damping, slip }) => {
            row_ui(ui, &STIFFNESS, |ui| si_ui(ui, stiffness, 1e-3..=1e9, "N/m"));
            row_ui(ui, &DAMPING, |ui| si_ui(ui, damping, 0.0..=1e6, "N·s/m"));
            row_ui(ui, &SLIP, |ui| si_ui(ui, slip, 1e-6..=10.0, "m/s"));
        }
        ContactMethod::Swept(Swept { most_events, pairs, rest, itself, path }) => {
            if relevant.balls {
                row_ui(ui, &MOST_EVENTS, |ui| count_ui(ui, most_events, 0..=1_000_000));
            }
            shared_ui(ui, pairs, rest, relevant);
            if relevant.balls {
                let paths = [(BallPath::Chord, "chord"), (BallPath::Parabola, "parabola")];
                row_ui(ui, &PATH, |ui| choice_ui(ui, path, &paths));
            }
            if relevant.self_contact {
                itself_ui(ui, itself);
            }
        }
    }
}

fn itself_ui(ui: &mut Ui, itself: &mut SelfContact) {
    let methods = [
        (SelfContact::Off, "off", "Ropes and cloths pass through themselves.", ""),
        (
            SelfContact::Particles,
            "particles",
            "Only particles repel each other: anything thinner than their spacing slips through.",
            "Ten Minute Physics 15, self-collision",
        ),
        (
            SelfContact::Repulsion,
            "repulsion",
            "Links and triangles push each other apart.",
            "Bridson et al. 2002, Robust treatment of collisions",
        ),
        (
            SelfContact::Swept,
            "swept",
            "Like repulsion, but remaining collisions get an impulse without bounce at their time \
            of impact. Particles that still collide after eight rounds are stopped and counted.",
            "Bridson et al. 2002; times by conservative advancement (Mirtich 1996)",
        ),
        (
            SelfContact::Guarantee,
            "guarantee",
            "Like repulsion, but every motion that would pass through something is truncated. \
            Links and triangles at most two links apart are excluded if they start closer than \
            the thickness.",
            "Newton VBD, planar divide and truncate",
        ),
    ];
    row_ui(ui, &ITSELF, |ui| {
        let title = methods.iter().find(|(method, ..)| method == itself).map_or("", |it| it.1);
        let entry =
            |(method, title, text, source)| Entry::listed(method, title, title, text, source);
        list_ui(ui, "itself", title, title, itself, || methods.map(entry).into())
    });
}

/// Draws the properties of thrown balls, with a button that throws a ball.
pub fn ball_ui(ui: &mut Ui, ball: &mut ThrowSettings) {
    let ThrowSettings { speed, mass, radius } = ball;
    row_ui(ui, &SPEED, |ui| si_ui(ui, speed, SPEEDS, "m/s"));
    // Masses are edited in grams, because "kg" already has an SI prefix.
    row_ui(ui, &MASS, |ui| scaled_ui(ui, mass, MASSES, 1e3, "g"));
    row_ui(ui, &RADIUS, |ui| si_ui(ui, radius, RADII, "m"));
    let tip = format!(
        "Throws a ball at the point under the mouse in every lane (B); hold B for one ball after \
        another. After {MOST_THROWN} balls the oldest one is thrown again. R removes all thrown \
        balls."
    );
    if pressed(ui.button("Throw a ball (B)"), "throw", tip) {
        ui.request(Action::ThrowBall);
    }
}

fn shared_ui(ui: &mut Ui, pairs: &mut PairSearch, rest: &mut bool, relevant: Relevance) {
    if relevant.several_balls {
        let searches = [(PairSearch::Grid, "grid"), (PairSearch::AllPairs, "all pairs")];
        row_ui(ui, &PAIRS, |ui| choice_ui(ui, pairs, &searches));
    }
    if relevant.contact {
        row_ui(ui, &REST, |ui| ui.checkbox(rest, ""));
    }
}
