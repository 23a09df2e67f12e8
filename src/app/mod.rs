//! The window.
pub mod view;
