//! Warnings about lanes that cannot keep up with real time. Each warning offers a guard (a limit on
//! frames) that helps.

use super::messages::{Messages, Offer};
use crate::app::input::actions::Action;
use crate::app::laboratory::Laboratory;
use crate::session::Lane;
use crate::simulation::settings::{Command, MOST_LANES};
use crate::simulation::timing::stepper::Guard;

const TOPIC: &str = "spiral";

/// For each lane, by colour: true if a warning about it was shown.
#[derive(Debug, Default)]
pub struct OverloadWarnings([bool; MOST_LANES]);

impl OverloadWarnings {
    /// Shows a message about all lanes in the spiral of death (a step takes longer to compute than
    /// the time that it simulates) when another lane enters the spiral. Removes the message when
    /// all lanes have caught up or exploded.
    pub fn warn(&mut self, laboratory: &Laboratory, messages: &mut Messages) {
        let lanes = laboratory.session().lanes();
        let mut behind = [false; MOST_LANES];
        for Lane { simulation, color, .. } in lanes {
            let caught_up = simulation.time_account().owed <= simulation.settings().dt;
            let is_behind = simulation.plan().spiral || self.0[*color] && !caught_up;
            behind[*color] = is_behind && simulation.explosion().is_none();
        }
        let before = std::mem::replace(&mut self.0, behind);
        let named: Vec<(usize, &Lane)> =
            lanes.iter().enumerate().filter(|(_, lane)| behind[lane.color]).collect();
        let has_more = behind.iter().zip(&before).any(|(now, before)| *now && !*before);
        if named.is_empty() {
            messages.remove(TOPIC);
        } else if has_more || before != behind && messages.has_topic(TOPIC) {
            offer_guards(&named, messages);
        }
    }
}

fn offer_guards(lanes: &[(usize, &Lane)], messages: &mut Messages) {
    let give = |(lane, Lane { simulation, .. }): &(usize, &Lane)| {
        let mut settings = *simulation.settings();
        settings.guards.time_budget = Guard::On(settings.guards.time_budget.value());
        Action::SendCommand(Command::Configure { lane: *lane, settings })
    };
    let names: Vec<&str> = lanes.iter().map(|(_, lane)| lane.name.as_str()).collect();
    let text = format!(
        "Spiral of death in {}: steps take longer to compute than the time that they simulate, \
         so the owed time grows with every frame. A time budget drops the time that cannot be \
         computed.",
        names.join(" · "),
    );
    let actions = lanes.iter().map(give).collect();
    let label = "Switch the time budget on".to_owned();
    messages.offer(TOPIC, text, Offer { label, actions });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_about_a_lane_ends_when_the_lane_explodes() {
        let text = crate::scene::library::find("four-integrators").expect("a scene").text();
        let mut laboratory = Laboratory::of_text(text);
        let mut messages = Messages::default();
        let color = laboratory.selected().color;
        let mut warnings = OverloadWarnings::default();
        laboratory.frames_until(|it| it.selected().simulation.explosion().is_some());
        // The lane was behind when it exploded, and takes no further steps.
        warnings.0[color] = true;
        let offer = Offer { label: String::new(), actions: Vec::new() };
        messages.offer(TOPIC, "Spiral of death", offer);
        warnings.warn(&laboratory, &mut messages);
        assert!(!messages.has_topic(TOPIC), "{messages:?}");
    }
}
