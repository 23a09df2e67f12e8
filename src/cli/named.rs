//! Arguments that are names from a list. Case and separators are ignored, and the shell completes
//! the names.

use clap::builder::{PossibleValue, TypedValueParser};
use ropelab::constraint::ConstraintSolver;
use ropelab::contact::ContactMethod;
use ropelab::export::code::Language;
use ropelab::integrate::Method;
use ropelab::simulation::timing::stepper::Stepping;
use std::ffi::OsStr;

/// Parser of names from one list.
#[derive(Clone)]
pub struct NameParser<T> {
    from_name: fn(&str) -> Result<T, String>,
    names: fn() -> Vec<&'static str>,
}

macro_rules! name_parsers {
    ($($parser:ident: $listed:ty),+) => {$(
        pub fn $parser() -> NameParser<$listed> {
            NameParser {
                from_name: |name| <$listed>::from_name(name).map_err(|error| error.to_string()),
                names: || <$listed>::all().map(|listed| listed.info().name).collect(),
            }
        }
    )+};
}

name_parsers!(integrator: Method, solver: ConstraintSolver);
name_parsers!(contact: ContactMethod, stepping: Stepping);

pub fn language() -> NameParser<Language> {
    NameParser {
        from_name: |name| {
            let names: Vec<_> = Language::all().map(Language::name).collect();
            Language::from_name(name)
                .map_err(|error| format!("{error}; the languages are {}", names.join(", ")))
        },
        names: || Language::all().map(Language::name).collect(),
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for NameParser<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.from_name.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}
