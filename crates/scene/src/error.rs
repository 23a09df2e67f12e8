//! Error messages of scenes. A message states the position in the text, the value that was found,
//! and the values that were expected.

use super::ron_options::ron_options;
use super::typed::file::{VERSION, version_message};
use ron::error::{Error as Ron, Position, SpannedError};
use ropelab_core::names::visible_text::{shortened, visible};
use ropelab_core::names::{UnknownName, nearest, suggestion};
use serde::Deserialize;
use thiserror::Error;

/// Greatest length of the description of a problem, in characters. A longer description is
/// shortened in the middle, because a name in a scene file may be megabytes long.
const MOST_CHARACTERS: usize = 400;

/// Fields whose value is a limit that can be switched on and off.
const GUARDS: [&str; 6] =
    ["tethers", "strain_limit", "frame_clamp", "accumulator_cap", "most_steps", "time_budget"];

/// Reason why a scene cannot be opened.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SceneError {
    /// The file could not be read.
    #[error("{file}: {problem}")]
    File {
        /// Name of the file, as the user gave it.
        file: String,
        /// Description of the problem: the value found and the values expected.
        problem: String,
    },
    /// The text is not a valid scene.
    #[error("{file}:{line}:{column}: {problem}")]
    Text {
        /// Name of the file, as the user gave it.
        file: String,
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// Description of the problem: the value found and the values expected.
        problem: String,
    },
    /// The argument names neither a file nor a scene of the library.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
}

impl SceneError {
    pub(super) fn at(file: &str, position: Position, problem: String) -> Self {
        let Position { line, col: column } = position;
        let problem = shortened(&visible(&problem), MOST_CHARACTERS);
        Self::Text { file: visible(file), line, column, problem }
    }
}

/// Translates an error of the RON reader. Returns the position of the error, and a message in the
/// terms of the scene format.
pub(super) fn translate_ron_error(text: &str, error: &SpannedError) -> (Position, String) {
    let SpannedError { code, span } = error;
    // A file of a newer version fails at its first unknown field, so the message names the real
    // cause, the version.
    if let Some(version) = future_version(text) {
        return (span.start, version_message(version));
    }
    // `span.start` is the position of a wrong value, and `span.end` the position of a missing one.
    let was_read = matches!(
        code,
        Ron::Message(_)
            | Ron::InvalidValueForType { .. }
            | Ron::NoSuchEnumVariant { .. }
            | Ron::NoSuchStructField { .. }
            | Ron::DuplicateStructField { .. }
            | Ron::IntegerOutOfBounds
            | Ron::ExpectedDifferentStructName { .. }
            | Ron::NoSuchExtension(_)
    );
    let mut position = if was_read { span.start } else { span.end };
    if was_read && text[..byte_offset(text, position)].ends_with(['-', '+']) {
        position.col -= 1;
    }
    let (before, rest) = text.split_at(byte_offset(text, position));
    let sentence = describe_error(code, before, rest);
    let problem = match field_before(before) {
        Some(field) if needs_field_name(code) => format!("`{field}`: {sentence}"),
        _ => sentence,
    };
    (position, problem)
}

/// Returns the version of the scene format if it is newer than this program's; otherwise `None`.
fn future_version(text: &str) -> Option<u64> {
    #[derive(Deserialize)]
    #[serde(rename = "Scene")]
    struct VersionHead {
        version: u64,
    }
    let version = ron_options().from_str::<VersionHead>(text).ok()?.version;
    (version > u64::from(VERSION)).then_some(version)
}

fn needs_field_name(code: &Ron) -> bool {
    match code {
        Ron::Message(message) => message.starts_with("found "),
        Ron::IntegerOutOfBounds
        | Ron::ExpectedFloat
        | Ron::ExpectedInteger
        | Ron::InvalidIntegerDigit { .. }
        | Ron::ExpectedBoolean
        | Ron::ExpectedString
        | Ron::ExpectedArray
        | Ron::ExpectedStructLike
        | Ron::ExpectedNamedStructLike(_)
        | Ron::ExpectedDifferentLength { .. }
        | Ron::ExpectedDifferentStructName { .. }
        | Ron::InvalidValueForType { .. }
        | Ron::SuggestRawIdentifier(_)
        | Ron::ExpectedIdentifier => true,
        _ => false,
    }
}

/// Returns a sentence that names the value found and the values expected. `before` and `rest` are
/// the text before and after the position of the error.
fn describe_error(code: &Ron, before: &str, rest: &str) -> String {
    let found = describe_beginning(rest);
    let expected = |what: &str| format!("found {found}, expected {what}");
    let place = |outer: &Option<String>| {
        outer.as_deref().map_or(String::new(), |name| format!(" of {}", name_in_format(name)))
    };
    match code {
        Ron::Message(message) => message.clone(),
        Ron::Eof if rest.trim().is_empty() => {
            "the file ends here, expected the rest of the scene".to_owned()
        }
        Ron::Eof => expected("the rest of the scene"),
        Ron::ExpectedArray => expected("a list in [ ]"),
        Ron::ExpectedArrayEnd => expected("`]` or the next element"),
        Ron::ExpectedAttribute | Ron::ExpectedAttributeEnd => {
            expected("an attribute like #![enable(implicit_some)]")
        }
        Ron::ExpectedBoolean => expected("true or false"),
        Ron::ExpectedComma
            if before.ends_with(|c: char| c.is_ascii_digit()) && rest.starts_with(['.', 'e']) =>
        {
            "found a number with a fraction or exponent, expected a whole number".to_owned()
        }
        Ron::ExpectedComma => expected("`,` or the closing bracket"),
        Ron::ExpectedFloat => expected("a number"),
        Ron::FloatUnderscore | Ron::UnderscoreAtBeginning => expected("a number without `_` here"),
        Ron::ExpectedInteger | Ron::InvalidIntegerDigit { .. } => expected("a whole number"),
        Ron::IntegerOutOfBounds => format!("{found} is too large or negative for this field"),
        Ron::ExpectedMapColon => expected("`:` and a value after the field's name"),
        Ron::ExpectedString if rest.starts_with('\'') => {
            "found a text in ' ', expected a text in \" \"".to_owned()
        }
        Ron::ExpectedString => expected("a text in \" \""),
        Ron::ExpectedStringEnd => "this text has no closing \"".to_owned(),
        Ron::ExpectedIdentifier => expected("a name"),
        Ron::ExpectedStructLike => match word_before(before) {
            Some(word) => format!(
                "`{word}` has parameters, expected ( ) after it; `{word}()` means the defaults"
            ),
            None => expected("values in ( )"),
        },
        Ron::ExpectedNamedStructLike(name) => match *name {
            "DVec3" | "Point" => expected("three numbers (x, y, z)"),
            "Scene" => expected("the scene in ( )"),
            name => expected(&format!("a {name} in ( )")),
        },
        Ron::ExpectedStructLikeEnd | Ron::ExpectedOptionEnd => expected("`)`"),
        Ron::ExpectedDifferentStructName { found: name, .. } => {
            format!("found `{name}`, expected `(`: there is no name before this bracket")
        }
        Ron::InvalidEscape(problem) => format!("bad escape in this text: {problem}"),
        Ron::UnclosedBlockComment => "this comment has no closing */".to_owned(),
        Ron::UnexpectedChar(_) if is_division(before) => {
            "found `/`, expected the result of the division as a number".to_owned()
        }
        Ron::UnexpectedChar(c) => format!("found {c:?}, which has no meaning here"),
        Ron::TrailingCharacters => expected("nothing after the scene's closing bracket"),
        Ron::InvalidValueForType { expected, found } => {
            format!("found {found}, expected {expected}")
        }
        Ron::ExpectedDifferentLength { expected, found } => {
            let plural = if *found == 1 { "" } else { "s" };
            format!("found {found} element{plural}, expected {}", describe_elements(expected))
        }
        Ron::NoSuchEnumVariant { expected, found, outer } => {
            let kind = outer.as_deref().map_or("name", name_in_format);
            format!("unknown {kind} \"{found}\"{}", suggest_names(found, expected))
        }
        Ron::NoSuchStructField { expected, found, outer } => {
            let names = suggest_names(found, expected);
            format!("unknown field \"{found}\"{}{names}", place(outer))
        }
        Ron::MissingStructField { field, outer } => {
            format!("field \"{field}\"{} is missing before this", place(outer))
        }
        Ron::DuplicateStructField { field, .. } => {
            format!("found the field \"{field}\" a second time, expected it once")
        }
        Ron::ExceededRecursionLimit => super::text::nesting::TOO_DEEP.to_owned(),
        Ron::SuggestRawIdentifier(number) if number.parse::<f64>().is_ok() => {
            expected(&match field_before(before) {
                Some(field) if GUARDS.contains(&field) => format!("On({number}) or Off({number})"),
                _ => "a name".to_owned(),
            })
        }
        Ron::SuggestRawIdentifier(_) => expected("a name of letters, digits and `_`"),
        other => format!("{other}, found {found}"),
    }
}

/// Returns the word of the scene format for the name of a Rust type.
fn name_in_format(name: &str) -> &str {
    match name {
        "Method" => "integrator",
        "ConstraintSolver" => "constraint solver",
        "Stepping" => "stepping scheme",
        "Force" => "force",
        "CameraSetup" => "camera",
        "LinkMode" => "value of links",
        "LinkKind" => "kind of link",
        "SweepOrder" => "order of the sweep",
        "Gust" => "gust",
        "Guard" => "guard",
        "Material" => "material",
        "Path" => "path",
        "Root" => "root",
        "VerletStart" | "DampingStart" => "start",
        "struct DVec3" | "tuple struct Point with 3 elements" => "three numbers (x, y, z)",
        other => other,
    }
}

/// Describes the elements that a Rust type of fixed length expects, in words or as a number, e.g.
/// "three numbers (x, y, z)" for `DVec3`.
fn describe_elements(expected: &str) -> String {
    let number = expected.split_whitespace().rev().find_map(|word| word.parse::<u32>().ok());
    match (name_in_format(expected), number) {
        (known, _) if known != expected => known.to_owned(),
        (_, Some(number)) => number.to_string(),
        (other, None) => other.to_owned(),
    }
}

/// Returns a clause with the valid name that is most similar to `found`. If there are at most eight
/// valid names, the clause lists all of them.
fn suggest_names(found: &str, candidates: &[&str]) -> String {
    let near = nearest(found, candidates.iter().copied());
    let all = match candidates {
        [] => ", expected none".to_owned(),
        [only] => format!(", expected {only}"),
        [rest @ .., last] => format!(", expected {} or {last}", rest.join(", ")),
    };
    match near {
        Some(_) if candidates.len() > 8 => suggestion(&near),
        Some(_) => suggestion(&near) + &all.replacen(", e", " E", 1),
        None => all,
    }
}

/// Describes the beginning of `rest` for a message: the first word, a quoted text, a character, or
/// "the end of the file".
fn describe_beginning(rest: &str) -> String {
    let Some(first) = rest.chars().next() else { return "the end of the file".to_owned() };
    let word: String = rest
        .chars()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+'))
        .take(40)
        .collect();
    match (first, word.is_empty()) {
        ('"', _) => {
            let quoted: String = rest.chars().skip(1).take_while(|c| *c != '"').take(40).collect();
            format!("the text \"{}\"", quoted.escape_debug())
        }
        (c, true) => format!("`{}`", c.escape_debug()),
        (_, false) => format!("`{word}`"),
    }
}

/// Returns the byte offset of a line and column, which are counted from 1.
fn byte_offset(text: &str, Position { line, col }: Position) -> usize {
    let start = text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
    let rest = &text[start.min(text.len())..];
    let column = rest.char_indices().nth(col - 1).map_or(rest.len(), |(i, _)| i);
    start + column
}

/// True if a text ends with a number and a division sign, which digits may follow.
fn is_division(before: &str) -> bool {
    let number = before.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('/');
    number.is_some_and(|number| number.trim_end().ends_with(|c: char| c.is_ascii_digit()))
}

/// Returns the name of the field whose value ends `before`, e.g. `at` for `at: (0, 1`. `None` if
/// anything but numbers, brackets and spaces follows the name.
fn field_before(before: &str) -> Option<&str> {
    let between = |c: char| c.is_ascii_digit() || "+-.eE_, \t\r\n([".contains(c);
    word_before(before.trim_end_matches(between).strip_suffix(':')?)
}

fn word_before(before: &str) -> Option<&str> {
    let text = before.trim_end();
    let start = text.rfind(|c: char| !(c.is_alphanumeric() || c == '_'));
    let start = start.map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8));
    (start < text.len()).then(|| &text[start..])
}

/// Returns the message for an unknown name, with the most similar known name.
pub(super) fn unknown_name<'a>(
    kind: &str,
    found: &str,
    names: impl Iterator<Item = &'a str>,
) -> String {
    let shown = shortened(found, 60);
    format!("no {kind} is named \"{shown}\"{}", suggestion(&nearest(found, names)))
}
