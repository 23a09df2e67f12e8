//! What touches what: the way in which a lane finds contacts.

use super::fields::{Entry, FieldHelp, choice_ui, count_ui, explanation_ui, list_ui, row_ui};
use crate::contact::{ContactInfo, ContactMethod, Discrete, PairSearch, Swept};
use egui_macroquad::egui::Ui;

const METHOD: FieldHelp = FieldHelp {
    label: "contact",
    unit: "",
    text: "How balls and colliders are kept apart: by looking after each step, or on the way.",
    source: "",
};
const MOST_EVENTS: FieldHelp = FieldHelp {
    label: "most events",
    unit: "a substep",
    text: "Collisions that are answered in a substep, the earliest first. What is left then stops \
           before it touches; the tip of the lane's chip counts it.",
    source: "article E",
};
const PAIRS: FieldHelp = FieldHelp {
    label: "pair search",
    unit: "",
    text: "A grid lets bodies look at their neighbours only; all pairs is what the article does, \
           n(n − 1)/2 of them. Both find the same collisions.",
    source: "article E",
};
const REST: FieldHelp = FieldHelp {
    label: "come to rest",
    unit: "",
    text: "Approach speeds below 2 g h do not bounce: gravity alone makes them within a step. Off, \
           balls bounce for ever in ever smaller hops.",
    source: "",
};

/// The group of contact.
pub fn contact_ui(ui: &mut Ui, contact: &mut ContactMethod) {
    row_ui(ui, &METHOD, |ui| {
        let name = contact.info().name;
        let entries = ContactMethod::all().map(|value| {
            let ContactInfo { name, title, reference, verdict } = value.info();
            Entry::listed(value, name, title, verdict, reference)
        });
        let is_chosen = |other: &ContactMethod| other.info().name == name;
        let (response, chosen) = list_ui(ui, "contact", contact.info().title, entries, is_chosen);
        *contact = chosen.unwrap_or(*contact);
        response
    });
    explanation_ui(ui, contact.info().verdict);
    match contact {
        ContactMethod::Off => {}
        ContactMethod::Discrete(Discrete { pairs, rest }) => shared_ui(ui, pairs, rest),
        ContactMethod::Swept(Swept { most_events, pairs, rest }) => {
            row_ui(ui, &MOST_EVENTS, |ui| count_ui(ui, most_events, 0..=1_000_000));
            shared_ui(ui, pairs, rest);
        }
    }
}

fn shared_ui(ui: &mut Ui, pairs: &mut PairSearch, rest: &mut bool) {
    let searches = [(PairSearch::Grid, "grid"), (PairSearch::AllPairs, "all pairs")];
    row_ui(ui, &PAIRS, |ui| choice_ui(ui, pairs, &searches));
    row_ui(ui, &REST, |ui| ui.checkbox(rest, ""));
}
