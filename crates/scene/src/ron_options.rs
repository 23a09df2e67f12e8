//! Options for reading and writing RON.

use ron::extensions::Extensions;

/// Returns options for concise RON: `dt: 0.001` instead of `dt: Some(0.001)`, `Wind(drag: 3)`
/// instead of `Wind((drag: 3))`.
pub(super) fn ron_options() -> ron::Options {
    ron::Options::default().with_default_extension(ron_extensions())
}

pub(super) fn ron_extensions() -> Extensions {
    Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES
}
