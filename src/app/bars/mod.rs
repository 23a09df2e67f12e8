//! Bars and windows around the scene: top, bottom, time, help, gallery, lessons.

pub mod gallery;
pub mod help;
pub mod lesson;
pub mod status_bar;
pub mod time_bar;
pub mod top_bar;
