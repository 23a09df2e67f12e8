//! Threads that give way to all others.

/// Gives the thread that calls it the lowest priority, where the system lets it (Linux).
#[cfg(target_os = "linux")]
pub fn lower() {
    // Of a thread, despite the name: Linux keeps a nice value for each. What it refuses is no harm.
    let _ = rustix::process::setpriority_process(None, 19);
}

/// Other systems decide alone.
#[cfg(not(target_os = "linux"))]
pub fn lower() {}
