//! Watcher for changes of the scene's file.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Time in seconds between two checks of the file. The file is polled by its name, because the
/// operating system's notifications for a folder end when the folder is moved or recreated.
const INTERVAL: f64 = 0.1;

/// Time in seconds without a change after which the file is read. Editors write a file in several
/// steps.
const QUIET_SECONDS: f64 = 0.15;

#[derive(Default)]
pub struct Watch {
    file: Option<PathBuf>,
    seen: Option<Stamp>,
    checked_at: f64,
    changed_at: Option<f64>,
}

/// Version of the file: modification time and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl Stamp {
    fn of(file: &Path) -> Option<Self> {
        let found = file.metadata().ok()?;
        Some(Self { modified: found.modified().ok(), bytes: found.len() })
    }
}

impl Watch {
    /// Starts to watch this file; `None` means no file.
    pub fn follow(&mut self, file: Option<PathBuf>) {
        let seen = file.as_deref().and_then(Stamp::of);
        *self = Self { file, seen, ..Self::default() };
    }

    /// Ignores the current version of the watched file if `path` is this file, because the program
    /// itself has just written it.
    pub fn accept_own_write(&mut self, path: &Path) {
        let is_followed = |file: &PathBuf| match (file.canonicalize(), path.canonicalize()) {
            (Ok(followed), Ok(written)) => followed == written,
            _ => false,
        };
        if let Some(file) = self.file.as_ref().filter(|file| is_followed(file)) {
            (self.seen, self.changed_at) = (Stamp::of(file), None);
        }
    }

    /// Returns true once after each change, as soon as the file has been unchanged for
    /// [`QUIET_SECONDS`]. `now` is in seconds since the window opened.
    pub fn has_changed(&mut self, now: f64) -> bool {
        let Some(file) = &self.file else { return false };
        if now - self.checked_at >= INTERVAL {
            self.checked_at = now;
            // The file may be missing briefly while an editor saves it.
            let found = Stamp::of(file);
            if found.is_some() && found != self.seen {
                self.seen = found;
                self.changed_at = Some(now);
            }
        }
        let quiet = self.changed_at.is_some_and(|at| now - at > QUIET_SECONDS);
        if quiet {
            self.changed_at = None;
        }
        quiet
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Watches for one second and returns the number of reported changes.
    fn changes(watch: &mut Watch, from: f64) -> usize {
        (0..60).filter(|frame| watch.has_changed(from + f64::from(*frame) / 60.0)).count()
    }

    #[test]
    fn a_file_that_the_program_has_written_has_not_changed() {
        let place = tempfile::tempdir().unwrap();
        let [file, other] = ["mine.ron", "other.ron"].map(|name| place.path().join(name));
        fs::write(&file, "a").unwrap();
        fs::write(&other, "a").unwrap();
        let mut watch = Watch::default();
        watch.follow(Some(file.clone()));
        fs::write(&file, "ab").unwrap();
        watch.accept_own_write(&file);
        assert_eq!(changes(&mut watch, 0.0), 0);
        fs::write(&file, "abc").unwrap();
        watch.accept_own_write(&other);
        assert_eq!(changes(&mut watch, 1.0), 1);
    }

    #[test]
    fn a_change_is_told_once_also_in_a_folder_that_was_replaced() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("scenes");
        let file = folder.join("mine.ron");
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "a").unwrap();
        let mut watch = Watch::default();
        watch.follow(Some(file.clone()));
        assert_eq!(changes(&mut watch, 0.0), 0);
        fs::write(&file, "ab").unwrap();
        assert_eq!(changes(&mut watch, 1.0), 1);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(changes(&mut watch, 2.0), 0);
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "abc").unwrap();
        assert_eq!(changes(&mut watch, 3.0), 1);
        fs::rename(&folder, place.path().join("old")).unwrap();
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "abcd").unwrap();
        assert_eq!(changes(&mut watch, 4.0), 1);
    }
}
