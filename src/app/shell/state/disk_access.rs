//! Files that the window reads and writes while it is open.

use super::report_writer::ReportWriter;
use crate::app::disk::screenshot::Screenshots;
use crate::app::disk::watch::Watch;
use crate::app::filming::FilmCamera;
use crate::app::shell::files::Files;

pub struct DiskAccess {
    /// Dialogs in which the user chooses files.
    pub files: Files,
    /// Watcher for changes of the scene file.
    pub watch: Watch,
    /// True while the default scene runs because the file has a mistake.
    pub waits_for_file: bool,
    pub screenshots: Screenshots,
    pub film: FilmCamera,
    pub report: ReportWriter,
}

impl DiskAccess {
    pub fn new(waits_for_file: bool) -> Self {
        Self {
            files: Files::new(),
            watch: Watch::default(),
            waits_for_file,
            screenshots: Screenshots::new(),
            film: FilmCamera::default(),
            report: ReportWriter::from_environment(),
        }
    }
}
