//! Lanes that cannot keep up: said once of each, with the guard that helps.

use super::actions::Action;
use super::laboratory::Laboratory;
use super::messages::Messages;
use crate::session::Lane;
use crate::simulation::settings::{Command, MOST_LANES};
use crate::simulation::stepper::Guard;

/// Lanes, by colour, of which it was said that they cannot keep up.
#[derive(Debug, Default)]
pub struct OverloadWarnings([bool; MOST_LANES]);

impl OverloadWarnings {
    /// Says which lanes fell into the spiral of death since the last frame, and takes it back of
    /// those that caught up.
    pub fn warn(&mut self, laboratory: &Laboratory, messages: &mut Messages) {
        for (index, lane) in laboratory.session().lanes().iter().enumerate() {
            let Lane { simulation, color, .. } = lane;
            let topic = format!("spiral {color}");
            let said = &mut self.0[*color];
            if simulation.plan().spiral {
                if !std::mem::replace(said, true) {
                    offer_guard(index, lane, &topic, messages);
                }
            } else if simulation.ledger().owed <= simulation.settings().dt && std::mem::take(said) {
                messages.settle(&topic);
            }
        }
    }
}

fn offer_guard(index: usize, lane: &Lane, topic: &str, messages: &mut Messages) {
    let mut settings = *lane.simulation.settings();
    settings.guards.time_budget = Guard::On(settings.guards.time_budget.value());
    let give = Action::Give(Command::Configure { lane: index, settings });
    let text = format!(
        "Spiral of death in {}: its steps take longer to compute than the time they cover, so \
         every frame owes more than the last. The window cuts frames short to stay alive. A guard \
         can drop what cannot be computed.",
        lane.name,
    );
    messages.offer(topic, text, vec![("Switch the time budget on".to_owned(), give)]);
}
