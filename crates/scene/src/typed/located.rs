//! Values that know their ordinal in the text of a scene file, so that a later check can report
//! line and column.
//!
//! RON reports a position only if parsing fails. Each [`Located`] value therefore gets an ordinal
//! when it is read: 0 for the first located value in the text, 1 for the second, and so on. If the
//! check of the whole scene rejects value n, the text is parsed again, and parsing fails on purpose
//! at value n. The RON error then contains the position.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::ops::Deref;

/// Value of a scene file, with its ordinal.
#[derive(Clone, Debug, Default)]
pub struct Located<T> {
    value: T,
    ordinal: u32,
}

/// Error message that belongs to a [`Located`] value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    ordinal: u32,
    /// Description of the problem: the value found and the values expected.
    pub message: String,
}

impl<T> Located<T> {
    /// Wraps a value that is not in the text, such as a default. If the value is faulty, the error
    /// is reported at line 1.
    pub fn new(value: T) -> Self {
        Self { value, ordinal: u32::MAX }
    }

    /// Replaces the value and keeps its ordinal.
    pub fn replace(&mut self, value: T) {
        self.value = value;
    }

    /// Returns a fault that belongs to this value.
    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { ordinal: self.ordinal, message: message.into() }
    }

    /// Converts an error message into a fault that belongs to this value.
    pub fn blame<R>(&self, result: Result<R, String>) -> Result<R, Fault> {
        result.map_err(|message| self.fault(message))
    }
}

impl<T> Deref for Located<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: PartialEq> PartialEq for Located<T> {
    /// Compares the values and ignores their ordinals.
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Serialize> Serialize for Located<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

#[derive(Default)]
struct ReadState {
    next: u32,
    fault: Option<Fault>,
}

thread_local! {
    static READING: RefCell<ReadState> = RefCell::default();
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (ordinal, message) = READING.with_borrow_mut(|reading| {
            let ordinal = reading.next;
            reading.next += 1;
            let fault = reading.fault.take_if(|fault| fault.ordinal == ordinal);
            (ordinal, fault.map(|fault| fault.message))
        });
        match message {
            Some(message) => Err(D::Error::custom(message)),
            None => Ok(Self { value: T::deserialize(deserializer)?, ordinal }),
        }
    }
}

/// Reads a text. If `fault` is given, reading fails at the faulty value, so that the error contains
/// the position of this value.
pub fn read<T: DeserializeOwned>(
    options: &ron::Options,
    text: &str,
    fault: Option<Fault>,
) -> ron::error::SpannedResult<T> {
    READING.set(ReadState { next: 0, fault });
    options.from_str(text)
}

/// Reads a JSON value that was made from a scene.
pub fn read_value<T: DeserializeOwned>(value: serde_json::Value) -> serde_json::Result<T> {
    READING.set(ReadState::default());
    serde_json::from_value(value)
}
