//! State of the window, in groups.

mod disk_access;
mod leave_question;
mod report_writer;
mod shown_scene;
mod undo_request;
mod windows;

pub use disk_access::DiskAccess;
pub use leave_question::{Answer, LeaveQuestion};
pub use shown_scene::ShownScene;
pub use undo_request::{UndoRequest, lost_edits_text};
pub use windows::Windows;
