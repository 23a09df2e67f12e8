//! Numbers with units: formatting for people, parsing of typed text, and permitted magnitudes.

pub mod argument;
pub mod four_digits;
pub mod in_words;
pub mod magnitude;
pub mod on_screen;
pub mod reading;
