//! Bars and windows around the scene: top, bottom, time, help, gallery, the first minute.

pub mod first_start;
pub mod gallery;
pub mod help;
pub mod status_bar;
pub mod time_bar;
pub mod top_bar;
