//! Opening of the window. Failures become errors with a remedy.

use super::display::NoDisplay;
use macroquad::conf::Conf;
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Opens a window and runs `frames` in it until the window is closed. The window library panics if
/// OpenGL cannot be set up. A panic before the first frame becomes an error; a later panic is
/// passed on.
pub fn open(conf: Conf, frames: impl Future<Output = ()> + 'static) -> Result<(), NoDisplay> {
    let opened = Arc::new(AtomicBool::new(false));
    silence_panics_until(opened.clone());
    let first = opened.clone();
    let run = AssertUnwindSafe(|| {
        macroquad::Window::from_config(conf, async move {
            first.store(true, Ordering::Relaxed);
            frames.await;
        });
    });
    match panic::catch_unwind(run) {
        Ok(()) => Ok(()),
        Err(fault) if opened.load(Ordering::Relaxed) => panic::resume_unwind(fault),
        Err(fault) => Err(NoDisplay::NoOpenGl(panic_message(&*fault))),
    }
}

/// Silences panics until the window is open. A failure to open has its own error message, which a
/// backtrace would bury.
fn silence_panics_until(opened: Arc<AtomicBool>) {
    let default_hook = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if opened.load(Ordering::Relaxed) {
            default_hook(panic);
        }
    }));
}

fn panic_message(fault: &(dyn Any + Send)) -> String {
    let literal = fault.downcast_ref::<&str>().map(|panic_message| (*panic_message).to_owned());
    let panic_message = literal.or_else(|| fault.downcast_ref::<String>().cloned());
    panic_message.unwrap_or_else(|| "no reason given".to_owned())
}
