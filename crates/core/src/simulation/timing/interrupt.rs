//! Flag that lets one thread interrupt a long computation on another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flag by which any thread can interrupt the steps of a simulation. An interrupted step leaves a
/// meaningless state, so the flag is for copies that are dropped afterwards.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Option<Arc<AtomicBool>>);

impl Interrupt {
    /// Creates a flag that is not set yet. The flag that `default()` creates can never be set.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// True if the flag can be set, that is, if [`Self::new`] created it.
    pub(crate) fn can_be_set(&self) -> bool {
        self.0.is_some()
    }

    /// Sets the flag, which requests the interruption.
    pub fn set(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// True if the flag was set.
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
