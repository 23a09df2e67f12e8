//! Names that users type: comparison without regard to case and separators, and suggestions for
//! misspelt names.

pub mod table;
pub mod visible_text;

use serde::Serialize;
use std::fmt::Display;
use thiserror::Error;

/// Description of an integrator, constraint solver or contact method, for lists, docs/catalogue.md
/// and tooltips.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CatalogueEntry {
    /// Name on the command line, e.g. `xpbd`.
    pub name: &'static str,
    /// Name in the literature.
    pub title: &'static str,
    /// Source in the literature: authors, year and title; empty if there is none.
    pub reference: &'static str,
    /// Expected behaviour in one sentence, for a tooltip.
    pub verdict: &'static str,
}

/// Error: no method, scene or other item of this kind has the typed name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown {kind} \"{found}\"{}{}", suggestion(&self.nearest), self.list_command())]
pub struct UnknownName {
    /// Kind of item: "integrator", "constraint", "contact", "stepping", "scene" or another noun.
    pub kind: &'static str,
    /// The typed name.
    pub found: String,
    /// Existing name that is most similar to the typed one, if any is similar.
    pub nearest: Option<String>,
}

impl UnknownName {
    /// Creates the error for the typed name `found`. `candidates` are the existing names.
    pub fn new<'a>(
        kind: &'static str,
        found: &str,
        candidates: impl Iterator<Item = &'a str>,
    ) -> Self {
        let nearest = nearest(found, candidates).map(str::to_owned);
        Self { kind, found: found.to_owned(), nearest }
    }

    /// Returns the command that lists all names of this kind, as the end of the error message.
    /// Empty if there is no such command.
    fn list_command(&self) -> String {
        let list = match self.kind {
            "integrator" => "integrators",
            "constraint" => "constraints",
            "contact" => "contacts",
            "stepping" => "stepping",
            "scene" => "scenes",
            _ => return String::new(),
        };
        format!("; `ropelab list {list}` shows all")
    }
}

/// Returns the clause of an error message that suggests a similar name. Empty if there is none.
pub fn suggestion(nearest: &Option<impl Display>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!(", did you mean \"{name}\"?"))
}

/// True if both names have the same letters and digits, regardless of case and separators:
/// `VelocityVerlet`, `velocity_verlet` and `velocity-verlet` are one name.
pub fn same_name(a: &str, b: &str) -> bool {
    letters(a).eq(letters(b))
}

/// Largest number of letters of a name that are compared. The time of a comparison grows with the
/// square of this number.
const COMPARED_LETTERS: usize = 64;

/// Returns the candidate that is most similar to `found`, or the first of several equally similar
/// ones. `None` if no candidate is similar.
pub fn nearest<'a>(found: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Smallest Jaro–Winkler similarity of a suggestion. 0.75 allows for a few typing errors or a
    // missing half of the name, but "euler" alone gets no suggestion.
    let mut best = (0.75, None);
    let compared = |name: &str| letters(name).take(COMPARED_LETTERS).collect::<String>();
    let found = compared(found);
    for candidate in candidates {
        let similarity = strsim::jaro_winkler(&found, &compared(candidate));
        if similarity > best.0 {
            best = (similarity, Some(candidate));
        }
    }
    best.1
}

fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_separators_do_not_matter() {
        assert!(same_name("VelocityVerlet", "velocity-verlet"));
        assert!(same_name("velocity_verlet", " Velocity Verlet"));
        assert!(!same_name("velocity-verlet", "velocity-verlet-2"));
    }

    #[test]
    fn a_slip_finds_its_name_and_nonsense_finds_none() {
        let names = || ["velocity-verlet", "position-verlet", "rk4"].into_iter();
        assert_eq!(nearest("Velocty_Verlet", names()), Some("velocity-verlet"));
        assert_eq!(nearest("rk5", names()), Some("rk4"));
        assert_eq!(nearest("qqq", names()), None);
        assert_eq!(nearest("", names()), None);
    }

    #[test]
    fn the_error_names_what_was_found_and_where_the_list_is() {
        let error = UnknownName::new("integrator", "rk5", ["rk4"].into_iter());
        assert_eq!(
            error.to_string(),
            "unknown integrator \"rk5\", did you mean \"rk4\"?; `ropelab list integrators` shows all"
        );
    }
}
