//! Notices when the file of the scene changes.

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

/// Editors write in several strokes: read when the file has been quiet for so many seconds.
const QUIET_SECONDS: f64 = 0.12;

/// Watches one file.
#[derive(Default)]
pub struct Watch {
    watched: Option<Watched>,
    changed_at: Option<f64>,
}

struct Watched {
    file: PathBuf,
    events: Receiver<notify::Result<Event>>,
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Watches this file, or none. The folder is what is watched: many editors write a new file
    /// and rename it over the old one.
    pub fn follow(&mut self, file: Option<&Path>) -> Result<(), notify::Error> {
        *self = Self::default();
        let Some(file) = file else { return Ok(()) };
        let file = std::path::absolute(file)?;
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        let (sender, events) = channel();
        let mut watcher = notify::recommended_watcher(move |event| {
            // The receiver goes when another file is watched.
            let _ = sender.send(event);
        })?;
        watcher.watch(&folder, RecursiveMode::NonRecursive)?;
        self.watched = Some(Watched { file, events, _watcher: watcher });
        Ok(())
    }

    /// Whether the file changed and is quiet now. `now` is seconds since the window opened.
    pub fn changed(&mut self, now: f64) -> bool {
        let Some(Watched { file, events, .. }) = &self.watched else { return false };
        for event in events.try_iter().flatten() {
            let touches = event.paths.iter().any(|path| path.file_name() == file.file_name());
            if touches && (event.kind.is_modify() || event.kind.is_create()) {
                self.changed_at = Some(now);
            }
        }
        let quiet = self.changed_at.is_some_and(|at| now - at > QUIET_SECONDS);
        // Between the strokes of an editor the file may be gone for a moment.
        if quiet && file.exists() {
            self.changed_at = None;
            return true;
        }
        false
    }
}
