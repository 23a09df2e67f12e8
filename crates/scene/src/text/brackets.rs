//! Optional brackets. Users may write `PositionVerlet` or `PositionVerlet()`, and `ImplicitEuler`
//! or `ImplicitEuler()`. RON accepts only one form of each: with brackets for types with
//! parameters, and without brackets for other types. This module inserts or removes them.

use super::skipped::end_of_skipped;
use crate::ron_options::ron_options;
use ron::error::Position;
use ropelab_core::constraint::ConstraintSolver;
use ropelab_core::force::Force;
use ropelab_core::integrate::Method;
use ropelab_core::simulation::timing::stepper::Stepping;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Text with the brackets that RON requires, and the positions of inserted brackets.
#[derive(Debug, PartialEq)]
pub(crate) struct Bracketed<'a> {
    /// Text for the RON reader. Superfluous brackets are replaced by blanks.
    pub text: Cow<'a, str>,
    /// Byte offsets in `text` of inserted `()`, in ascending order.
    added: Vec<usize>,
}

impl<'a> Bracketed<'a> {
    pub(crate) fn new(typed: &'a str) -> Self {
        let (mut text, mut added) = (String::new(), Vec::new());
        // `i` is the offset of the current byte, and `copied` the offset of the first byte that is
        // not yet in `text`.
        let (mut i, mut copied) = (0, 0);
        while i < typed.len() {
            if let Some(end) = end_of_skipped(typed, i) {
                i = end;
                continue;
            }
            let word = word_at(typed, i);
            i += word.len().max(1);
            let Some(wanted) = wants_brackets(word) else { continue };
            let rest = typed[i..].trim_start();
            if wanted && !rest.starts_with(['(', ':', '/']) {
                text.push_str(&typed[copied..i]);
                added.push(text.len());
                text.push_str("()");
                copied = i;
            }
            let unwanted = rest.strip_prefix('(').filter(|_| !wanted);
            if let Some(after) = unwanted.and_then(|inside| inside.trim_start().strip_prefix(')')) {
                let end = typed.len() - after.len();
                text.push_str(&typed[copied..i]);
                text.push_str(&typed[i..end].replace(['(', ')'], " "));
                (i, copied) = (end, end);
            }
        }
        if copied == 0 {
            return Self { text: Cow::Borrowed(typed), added };
        }
        text.push_str(&typed[copied..]);
        Self { text: Cow::Owned(text), added }
    }

    /// Converts a position in `text` into a position in the text that the user wrote.
    pub(crate) fn typed(&self, Position { line, col }: Position) -> Position {
        let start: usize = self.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let column_of = |byte: usize| 1 + self.text[start..byte].chars().count();
        let on_line = self.added.iter().filter(|&&byte| byte >= start);
        let before = on_line
            .take_while(|&&byte| !self.text[start..byte].contains('\n') && column_of(byte) < col);
        Position { line, col: col - 2 * before.count() }
    }
}

/// Returns the name that begins at byte `i`; empty if there is none.
fn word_at(text: &str, i: usize) -> &str {
    let bytes = &text.as_bytes()[i..];
    let inside = |c: &&u8| c.is_ascii_alphanumeric() || **c == b'_';
    match bytes.first() {
        Some(c) if c.is_ascii_alphabetic() || *c == b'_' => {
            &text[i..i + bytes.iter().take_while(inside).count()]
        }
        _ => "",
    }
}

/// Returns true if RON requires brackets after this name, and false if RON forbids them. `None` for
/// names that are not integrators, solvers, stepping schemes or forces.
fn wants_brackets(word: &str) -> Option<bool> {
    static NAMES: OnceLock<BTreeMap<String, bool>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let methods = Method::all().filter_map(name_in_ron);
        let solvers = ConstraintSolver::all().filter_map(name_in_ron);
        let steppings = Stepping::all().filter_map(name_in_ron);
        let forces = Force::all().filter_map(name_in_ron);
        let others = ["All", "Still"].map(|name| (name.to_owned(), false));
        methods.chain(solvers).chain(steppings).chain(forces).chain(others).collect()
    });
    names.get(word).copied()
}

/// Returns the name of an enum value in RON, and whether brackets follow it.
fn name_in_ron(entry: impl Serialize) -> Option<(String, bool)> {
    let text = ron_options().to_string(&entry).ok()?;
    let name = word_at(&text, 0).to_owned();
    let brackets = text[name.len()..].trim_start().starts_with('(');
    Some((name, brackets))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_way_of_writing_becomes_the_one_that_ron_takes() {
        let bracketed = |text| Bracketed::new(text).text.into_owned();
        assert_eq!(bracketed("(integrator: PositionVerlet)"), "(integrator: PositionVerlet())");
        assert_eq!(bracketed("(integrator: ImplicitEuler( ))"), "(integrator: ImplicitEuler   )");
        assert_eq!(bracketed("[Gravity, Gravity ()]"), "[Gravity(), Gravity ()]");
        for same in ["\"PositionVerlet\"", "// Gravity\n", "Gravity: 1", "Any([All])", "rk4 ()"] {
            assert_eq!(bracketed(same), same);
        }
    }

    #[test]
    fn places_are_those_of_the_typed_text() {
        let bracketed = Bracketed::new("(a: PositionVerlet,\n b: Gravity, c: Gravity, d: 7)");
        let seven = bracketed.text.find('7').unwrap();
        let line_start = bracketed.text.find('\n').unwrap() + 1;
        let read = Position { line: 2, col: 1 + seven - line_start };
        assert_eq!(bracketed.typed(read).col, 29);
    }
}
