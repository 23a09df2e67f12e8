//! Numbers with their units: as text for people, read from what people type, and their permitted
//! magnitudes.

pub mod argument;
pub mod four_digits;
pub mod in_words;
pub mod magnitude;
pub mod on_screen;
pub mod reading;
