//! Removal of unfinished files when a signal stops the command.

use signal_hook::consts::SIGINT;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// True while a command awaits Ctrl-C to keep its partial results. Only the next Ctrl-C reaches the
/// command.
static IS_INTERRUPT_AWAITED: AtomicBool = AtomicBool::new(false);

/// Returns a flag that the next Ctrl-C sets without ending the process. A second Ctrl-C ends it.
pub fn next_interrupt() -> io::Result<Arc<AtomicBool>> {
    let raised = Arc::new(AtomicBool::new(false));
    IS_INTERRUPT_AWAITED.store(true, Ordering::SeqCst);
    signal_hook::flag::register(SIGINT, raised.clone())?;
    Ok(raised)
}

/// Installs handlers for SIGHUP, SIGINT and SIGTERM. They remove unfinished files before the signal
/// ends the process.
#[cfg(unix)]
pub fn remove_unfinished_files_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    // If the handlers cannot be installed, a signal leaves unfinished files under their temporary
    // names.
    let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGINT && IS_INTERRUPT_AWAITED.swap(false, Ordering::SeqCst) {
                continue;
            }
            ropelab::export::remove_unfinished();
            let _ = emulate_default_handler(signal);
        }
    });
}
