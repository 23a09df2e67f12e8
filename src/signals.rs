//! What is left to do when the command is told to stop.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// From here on a signal that ends the process first removes the files that are not finished.
pub fn clean_up_when_told_to_stop() {
    // Without it a half file stays under its temporary name, and nothing else changes.
    let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            ropelab::export::remove_unfinished();
            let _ = emulate_default_handler(signal);
        }
    });
}
