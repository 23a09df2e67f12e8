//! Plain code (a program without dependencies) of the step loop for recommended settings.

use ropelab::analysis::in_words::settings_in_words;
use ropelab::export::code::{Language, loop_of_scene};
use ropelab::model::Parts;
use ropelab::simulation::settings::Settings;

/// Returns the step loop for the first settings in `good` that can be written as plain code. If
/// none can, returns the reason and the loop of the lane's own settings.
pub fn first_loop<'a>(
    parts: &Parts,
    good: impl Iterator<Item = &'a Settings>,
    lane: &Settings,
    language: Language,
) -> String {
    let mut refused = None;
    for settings in good {
        match loop_of_scene(parts, settings, language) {
            Ok(code) => return format!("\nAs code, {}:\n\n{code}", settings_in_words(settings)),
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    let why = refused.as_ref().map_or(String::new(), |why| format!("\nNo code: {why}.\n"));
    let own = match loop_of_scene(parts, lane, language) {
        Ok(code) => format!("\nAs code, the lane as it is:\n\n{code}"),
        Err(same) if Some(&same) == refused.as_ref() => String::new(),
        Err(why) => format!("\nNo code for the lane as it is: {why}.\n"),
    };
    why + &own
}
