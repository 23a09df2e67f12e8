//! Values that remember where they were typed.
//!
//! RON tells a position only when parsing fails. So each [`Located`] value takes a number when it
//! is read; when the check of the whole scene finds number n wrong, the text is parsed again and
//! told to fail at number n, and the position comes for free.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::ops::Deref;

/// A value and its number in the order of reading.
#[derive(Clone, Debug, Default)]
pub struct Located<T> {
    value: T,
    ordinal: u32,
}

/// Fault of a [`Located`] value, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    ordinal: u32,
    /// A sentence: what was found, what was expected.
    pub message: String,
}

impl<T> Located<T> {
    /// A value that was never typed.
    pub fn new(value: T) -> Self {
        Self { value, ordinal: u32::MAX }
    }

    /// Puts another value in its place, typed where it was.
    pub fn replace(&mut self, value: T) {
        self.value = value;
    }

    /// Blames this value.
    pub fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { ordinal: self.ordinal, message: message.into() }
    }

    /// Blames this value if `result` is an error.
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
    /// Equality of the values: the place where one was typed does not count.
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

/// Reads a text from its start; with a fault, fails where the blamed value was typed.
pub fn read<T: DeserializeOwned>(
    options: &ron::Options,
    text: &str,
    fault: Option<Fault>,
) -> ron::error::SpannedResult<T> {
    READING.set(ReadState { next: 0, fault });
    options.from_str(text)
}

/// Value as [`read`] gives it, from a value that was made of what was read.
pub fn read_value<T: DeserializeOwned>(value: serde_json::Value) -> serde_json::Result<T> {
    READING.set(ReadState::default());
    serde_json::from_value(value)
}
