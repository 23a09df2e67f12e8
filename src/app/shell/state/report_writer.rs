//! File with the newest report on the state of the window.

use crate::app::widgets::marks;
use crate::export::{ProtectedFiles, write_file};
use std::path::PathBuf;

/// Shortest interval in seconds between two reports.
const SECONDS_BETWEEN: f64 = 0.025;

#[derive(Debug)]
pub struct ReportWriter {
    file: Option<PathBuf>,
    last: f64,
    pub commands: u64,
}

impl ReportWriter {
    /// Creates a writer for the file that the environment names. Without a file, nothing is
    /// written.
    pub fn from_environment() -> Self {
        let file = std::env::var_os("ROPELAB_REPORT").map(PathBuf::from);
        Self { file, last: f64::NEG_INFINITY, commands: 0 }
    }

    pub fn count(&mut self, commands: usize) {
        self.commands += commands as u64;
    }

    /// Decides whether this frame is reported, before its widgets are drawn. `now` is in seconds
    /// since the start.
    pub fn begin_frame(&self, now: f64) {
        let is_due = self.file.is_some() && now - self.last >= SECONDS_BETWEEN;
        marks::remember_widgets(is_due);
    }

    pub fn is_due(&self) -> bool {
        marks::are_remembered()
    }

    /// Writes a report. `inputs` are the files of the scene, which a report must not replace.
    pub fn write(&mut self, json: Vec<u8>, inputs: &[PathBuf], now: f64) {
        self.last = now;
        let Some(file) = &self.file else { return };
        // A failed write is ignored: a test that cannot read the file reports it.
        let _ = write_file(file, json, ProtectedFiles { inputs, scenes: false });
    }
}
