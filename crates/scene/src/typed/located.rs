//! Values that know their position in the typed text.
//!
//! RON reports a position only if parsing fails. So each [`Located`] value gets a number when it is
//! read. If the check of the whole scene finds value n wrong, the text is parsed again and made to
//! fail at value n, which yields the position.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::ops::Deref;

/// Value with its number in the order of reading.
#[derive(Clone, Debug, Default)]
pub struct Located<T> {
    value: T,
    ordinal: u32,
}

/// Defect of a [`Located`] value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    ordinal: u32,
    /// Message with the value found and the values expected.
    pub message: String,
}

impl<T> Located<T> {
    /// Wraps a value that was not typed.
    pub fn new(value: T) -> Self {
        Self { value, ordinal: u32::MAX }
    }

    /// Replaces the value, but keeps its number.
    pub fn replace(&mut self, value: T) {
        self.value = value;
    }

    /// Returns a fault that belongs to this value.
    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { ordinal: self.ordinal, message: message.into() }
    }

    /// Converts an error into a fault that belongs to this value.
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
    /// Compares the values, not their positions.
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

/// Reads a text. With a fault, reading fails at the value to which the fault belongs, so that the
/// error contains its position.
pub fn read<T: DeserializeOwned>(
    options: &ron::Options,
    text: &str,
    fault: Option<Fault>,
) -> ron::error::SpannedResult<T> {
    READING.set(ReadState { next: 0, fault });
    options.from_str(text)
}

/// Reads a JSON value that was made from a scene, like [`read`].
pub fn read_value<T: DeserializeOwned>(value: serde_json::Value) -> serde_json::Result<T> {
    READING.set(ReadState::default());
    serde_json::from_value(value)
}
