//! State of the window, in groups.

mod disk_access;
mod shown_scene;
mod windows;

pub use disk_access::DiskAccess;
pub use shown_scene::ShownScene;
pub use windows::Windows;
