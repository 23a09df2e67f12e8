//! Doc comments of the source as plain text for documents.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Attribute, Expr, Lit, Meta};

/// Returns the folder of the package.
pub fn package_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the doc comment among attributes as text with the same lines.
pub fn doc_text(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes {
        if let Meta::NameValue(meta) = &attribute.meta
            && meta.path.is_ident("doc")
            && let Expr::Lit(literal) = &meta.value
            && let Lit::Str(line) = &literal.lit
        {
            let line = line.value();
            writeln!(text, "{}", line.strip_prefix(' ').unwrap_or(&line)).unwrap();
        }
    }
    plain_links(&text)
}

/// Replaces links to Rust items by their names.
fn plain_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("[`") {
        let Some(end) = rest[start..].find("`]") else { break };
        let inside = &rest[start + 2..start + end];
        plain.push_str(&rest[..start]);
        plain.push_str(inside.rsplit("::").next().unwrap_or(inside));
        rest = &rest[start + end + 2..];
        if let Some(target) = rest.strip_prefix('(') {
            rest = target.split_once(')').map_or(rest, |(_, after)| after);
        }
    }
    plain.push_str(rest);
    plain
}

/// Returns the first paragraph as a single line, for a row of a list.
pub fn first_paragraph(text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Units that a document declares once for all rows.
const BASE_UNITS: [&str; 7] =
    ["kilograms", "seconds", "newtons", "metres", "joules", "rad/s", "m/s"];

/// Returns the first paragraph of the doc comment among attributes, for a row of a document that
/// declares the base units once: "Radius in metres." becomes "Radius.", and "True if links bend."
/// becomes "Links bend."
pub fn meaning(attributes: &[Attribute]) -> String {
    let text = first_paragraph(&doc_text(attributes));
    let text = BASE_UNITS.iter().fold(text, |text, unit| {
        let text = remove_each(&text, &format!(", in {unit}"));
        remove_each(&text, &format!(" in {unit}"))
    });
    let condition = text.strip_prefix("True if ").or_else(|| text.strip_prefix("True to "));
    condition.map_or_else(|| text.clone(), capitalise)
}

fn capitalise(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Words that tell nothing about a field beyond its name and its kind.
const EMPTY_WORDS: [&str; 12] = [
    "a", "the", "of", "for", "name", "number", "value", "time", "scene", "lane", "lane's",
    "selected",
];

/// Returns the meaning of a field, or an empty text if it only repeats the field's name and kind:
/// "Name of the lane" for `lane`, "Selected particles" for the kind `[Particles](#particles)`.
pub fn meaning_beyond(name: &str, kind: &str, attributes: &[Attribute]) -> String {
    let meaning = meaning(attributes);
    let kind = kind.to_lowercase();
    let known: Vec<&str> = name
        .split('_')
        .chain(kind.split(|c: char| !c.is_alphabetic()))
        .chain(EMPTY_WORDS)
        .collect();
    let words = meaning.trim_end_matches('.').to_lowercase();
    if words.split(' ').all(|word| known.contains(&word)) { String::new() } else { meaning }
}

/// Removes a phrase that ends with a whole word: " in m/s" stays in " in m/s²".
fn remove_each(text: &str, phrase: &str) -> String {
    let mut parts = text.split(phrase);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if part.starts_with(|next| !" .,:;)".contains(next)) {
            kept.push_str(phrase);
        }
        kept.push_str(part);
    }
    kept
}

/// Returns the Rust files of a folder and its subfolders, sorted by name.
pub fn rust_files_below(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let files = paths.into_iter().flat_map(|path| match path.is_dir() {
        true => rust_files_below(&path),
        false => vec![path],
    });
    files.filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

/// Replaces the text between `<!-- generated: NAME -->` and the next `<!-- end -->`.
pub fn replace_block(document: &mut String, name: &str, content: &str) {
    let start = format!("<!-- generated: {name} -->\n");
    let end = "<!-- end -->";
    let from = document.find(&start).unwrap_or_else(|| panic!("the document lacks {start}"));
    let from = from + start.len();
    let length = document[from..].find(end).unwrap_or_else(|| panic!("{start} lacks its {end}"));
    document.replace_range(from..from + length, &format!("\n{content}\n"));
}

/// Compares a document with its generated text. If the environment variable `UPDATE` is set,
/// rewrites the document instead.
pub fn compare_or_update(file: &str, generate: impl FnOnce(&str) -> String) {
    let path = package_folder().join(file);
    let found = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    let wanted = generate(&found);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, wanted).unwrap();
    } else {
        assert!(found == wanted, "{file} is out of date: UPDATE=1 cargo test --test files");
    }
}
