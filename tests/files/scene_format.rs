//! `docs/scene-format.md`, compared with the types of a scene file and their doc comments.
//! `UPDATE=1` rewrites the document.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use super::doc_comments::{
    compare_or_update, doc_text, first_paragraph, meaning, meaning_beyond, package_folder,
};
use super::scene_chapters::{CHAPTERS, Chapter};
use super::scene_defaults::defaults;
use super::scene_types::{Types, default_of_type, has_default, heading_of, is_optional};
use ropelab::scene::Scene;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use syn::{Field, Fields, Item, Variant};

const DOCUMENT: &str = "docs/scene-format.md";
/// Upper limit of the length of a default in a row. Longer defaults contain parameters, which have
/// rows of their own.
const LONGEST_DEFAULT: usize = 25;
/// Types whose variants have clear names or are described in `docs/catalogue.md`. Their rows have
/// no meaning, and variants without parameters share a row.
const WITHOUT_MEANING: [&str; 6] =
    ["Method", "ConstraintSolver", "ContactMethod", "Stepping", "Corner", "Edge"];
/// Number of words up to which the description of a type only repeats the heading of its section,
/// e.g. "Shape of a collider."
const LONGEST_HEADING: usize = 5;
/// Number of words of a meaning above which a repeated row becomes a reference to the first one.
const WORTH_A_REFERENCE: usize = 4;

#[test]
fn the_reference_of_the_format_says_what_the_types_say() {
    compare_or_update(DOCUMENT, |_| generate_document());
}

#[test]
fn the_example_of_the_reference_is_a_scene() {
    let text = generate_document();
    let example = text.split("```").nth(1).unwrap().trim_start_matches("ron");
    Scene::parse(example, "example").unwrap_or_else(|error| panic!("{error}"));
}

/// Returns the document: the example, then the chapters.
fn generate_document() -> String {
    let types = Types::read();
    let file = fs::read_to_string(package_folder().join("crates/scene/src/typed/file.rs")).unwrap();
    let intro = doc_text(&syn::parse_file(&file).unwrap().attrs);
    let (_, intro) = intro.split_once("\n\n").unwrap();
    let mut page = Page::new(&types);
    page.text.push_str("# The scene format\n\n");
    page.text.push_str("<!-- Generated from doc comments by tests/files/scene_format.rs. -->\n\n");
    page.text.push_str(intro);
    for chapter in CHAPTERS {
        page.push_chapter(chapter);
    }
    for field in types.scene().0 {
        let name = field.ident.as_ref().unwrap().to_string();
        let is_listed = CHAPTERS.iter().any(|chapter| chapter.fields.contains(&name.as_str()));
        assert!(is_listed, "no chapter of scene_chapters.rs lists {name}");
    }
    page.text
}

fn link_to(text: &str, heading: &str) -> String {
    format!("[{text}](#{})", heading.to_lowercase().replace(',', "").replace(' ', "-"))
}

/// True for a chapter about a single type, which needs no heading of its own for that type.
fn is_of_one_type(chapter: &Chapter) -> bool {
    chapter.fields.is_empty() && chapter.types.len() == 1
}

/// Name, value and meaning of a row.
type RowText = [String; 3];

/// Document under construction.
struct Page<'a> {
    types: &'a Types,
    defaults: BTreeMap<String, BTreeMap<String, String>>,
    /// Links to types with a section of their own. Other types are listed below the first field
    /// that contains them.
    sections: BTreeMap<&'static str, String>,
    /// Fields below which types are listed, by type.
    listed: BTreeMap<String, String>,
    /// Owners of the rows so far: the type or variant that lists a row first.
    owners: BTreeMap<RowText, String>,
    text: String,
}

impl<'a> Page<'a> {
    fn new(types: &'a Types) -> Self {
        let sections = CHAPTERS.iter().flat_map(|chapter| {
            chapter.types.iter().map(|&name| {
                let title = heading_of(name);
                let heading = if is_of_one_type(chapter) { chapter.title } else { &title };
                (name, link_to(&title, heading))
            })
        });
        Self {
            types,
            defaults: defaults(),
            sections: sections.collect(),
            listed: BTreeMap::new(),
            owners: BTreeMap::new(),
            text: String::new(),
        }
    }

    fn push_chapter(&mut self, chapter: &Chapter) {
        write!(self.text, "\n## {}\n", chapter.title).unwrap();
        if !chapter.intro.is_empty() {
            write!(self.text, "\n{}\n", chapter.intro).unwrap();
        }
        if !chapter.fields.is_empty() {
            self.text.push('\n');
            let (fields, all_default) = self.types.scene();
            for name in chapter.fields {
                let field = fields.iter().find(|field| field.ident.as_ref().unwrap() == name);
                let field = field.unwrap_or_else(|| panic!("a scene has no field {name}"));
                self.push_rows("SceneFile", "a scene", [field], all_default, 0);
            }
        }
        for name in chapter.types {
            if !is_of_one_type(chapter) {
                write!(self.text, "\n### {}\n", heading_of(name)).unwrap();
            }
            self.text.push('\n');
            let intro = doc_text(self.types.attributes(name));
            if !is_of_one_type(chapter) && intro.split_whitespace().count() > LONGEST_HEADING {
                writeln!(self.text, "{intro}").unwrap();
            }
            self.push_type(name, &self.sections[name].clone(), 0);
        }
    }

    /// Adds the rows of a type.
    fn push_type(&mut self, name: &str, owner: &str, depth: usize) {
        match self.types.item(name) {
            Item::Struct(item) => {
                self.push_rows(name, owner, &item.fields, has_default(&item.attrs), depth);
            }
            Item::Enum(item) => {
                let is_short = |variant: &&Variant| {
                    WITHOUT_MEANING.contains(&name) && matches!(variant.fields, Fields::Unit)
                };
                let (short, long): (Vec<_>, Vec<_>) = item.variants.iter().partition(is_short);
                let names: Vec<String> = short.iter().map(|it| format!("`{}`", it.ident)).collect();
                if !names.is_empty() {
                    self.push_row(depth, &names.join(", "), "");
                }
                for variant in long {
                    self.push_variant(name, variant, depth);
                }
            }
            _ => unreachable!("only structs and enums are listed"),
        }
    }

    /// Adds the row of a variant, and one row for each parameter of the variant.
    fn push_variant(&mut self, owner: &str, variant: &Variant, depth: usize) {
        let ident = &variant.ident;
        let parameters = self.types.parameters(variant);
        let written = match &variant.fields {
            Fields::Unit => format!("`{ident}`"),
            Fields::Unnamed(fields) if parameters.is_none() => {
                let values: Vec<String> =
                    fields.unnamed.iter().map(|field| self.kind(field)).collect();
                format!("`{ident}`({})", values.join(", "))
            }
            _ => format!("`{ident}(…)`"),
        };
        let is_clear = WITHOUT_MEANING.contains(&owner);
        let meaning = if is_clear { String::new() } else { meaning(&variant.attrs) };
        self.push_row(depth, &written, &meaning);
        let (owner, fields, all_default) = match parameters {
            Some(item) => (ident.to_string(), &item.fields, has_default(&item.attrs)),
            None => (format!("{owner}::{ident}"), &variant.fields, false),
        };
        if fields.iter().any(|field| field.ident.is_some()) {
            self.push_rows(&owner, &format!("`{ident}`"), fields, all_default, depth + 1);
        } else if let Fields::Unnamed(fields) = &variant.fields {
            for field in &fields.unnamed {
                self.push_type_within(field, &format!("`{ident}`"), depth + 1);
            }
        }
    }

    /// Adds one row for each field. Rows that another type lists already become a single row with a
    /// reference to that type.
    fn push_rows<'f>(
        &mut self,
        ty: &str,
        owner: &str,
        fields: impl IntoIterator<Item = &'f Field>,
        all_default: bool,
        depth: usize,
    ) {
        let mut repeated = BTreeMap::<String, Vec<String>>::new();
        for field in fields {
            let row = self.row(ty, field, all_default);
            let is_long = row[2].split_whitespace().count() >= WORTH_A_REFERENCE;
            let is_listed = self.types.within(&field.ty).is_some_and(|ty| self.is_listed(&ty));
            let known = self.owners.get(&row).filter(|_| is_long || is_listed);
            if let Some(known) = known {
                let [name, ..] = row;
                repeated.entry(known.clone()).or_default().push(name);
                continue;
            }
            let [name, value, meaning] = &row;
            let (place, more) = self.without_section(field);
            self.push_row(depth, &format!("{name}{value}{place}"), &format!("{meaning}{more}"));
            self.owners.insert(row, owner.to_owned());
            let name = field.ident.as_ref().unwrap();
            self.push_type_within(field, &format!("`{name}`"), depth + 1);
        }
        for (known, names) in repeated {
            self.push_row(depth, &names.join(", "), &format!("As for {known}."));
        }
    }

    /// True for a type without a section whose rows have been listed.
    fn is_listed(&self, ty: &str) -> bool {
        self.listed.contains_key(ty)
    }

    /// Adds the rows of a type without a section, below the first field that contains the type.
    fn push_type_within(&mut self, field: &Field, place: &str, depth: usize) {
        if let Some(name) = self.types.within(&field.ty)
            && !self.sections.contains_key(name.as_str())
            && !self.is_listed(&name)
        {
            self.listed.insert(name.clone(), place.to_owned());
            self.push_type(&name, place, depth);
        }
    }

    fn push_row(&mut self, depth: usize, written: &str, meaning: &str) {
        let indent = "  ".repeat(depth);
        let separator = if meaning.is_empty() { "" } else { ": " };
        writeln!(self.text, "{indent}- {written}{separator}{meaning}").unwrap();
    }

    /// Returns the name, the value with its default, and the meaning of a field. Names of required
    /// fields are bold. A meaning that only repeats name, kind or the section of its type is empty.
    fn row(&self, owner: &str, field: &Field, all_default: bool) -> RowText {
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        let kind = self.kind(field);
        let known = self.defaults.get(owner).and_then(|fields| fields.get(&name));
        let needed = !all_default && !has_default(&field.attrs) && !is_optional(&field.ty);
        let default = match known {
            Some(known) => shorten_default(known),
            None => default_of_type(field).map(str::to_owned),
        };
        let default = default.filter(|_| !needed);
        let ty = self.types.within(&field.ty);
        let section = ty.filter(|ty| self.sections.contains_key(ty.as_str()));
        let explained = section.map(|ty| meaning(self.types.attributes(&ty)));
        let meaning = meaning_beyond(&name, &kind, &field.attrs);
        let meaning = Some(meaning).filter(|it| explained.as_ref() != Some(it)).unwrap_or_default();
        let name = if needed { format!("**`{name}`**") } else { format!("`{name}`") };
        [name, format_value(&kind, default), meaning]
    }

    /// For a field whose type has no section, returns a reference to the field that lists the type
    /// or, if there is none, the paragraphs about the type after the first.
    fn without_section(&self, field: &Field) -> (String, String) {
        let nothing = (String::new(), String::new());
        let Some(ty) = self.types.within(&field.ty) else { return nothing };
        if self.sections.contains_key(ty.as_str()) {
            return nothing;
        }
        if let Some(place) = self.listed.get(&ty) {
            return (format!(", as {place}"), String::new());
        }
        let text = doc_text(self.types.attributes(&ty));
        let more = text.split("\n\n").skip(1).map(|more| format!(" {}", first_paragraph(more)));
        (String::new(), more.collect())
    }

    /// Returns the notation of a field's value: a link to the section of its type, otherwise `(…)`
    /// for a struct and `choice` for an enum.
    fn kind(&self, field: &Field) -> String {
        self.types.kind(&field.ty, &|name, item| match (self.sections.get(name), item) {
            (Some(link), _) => link.clone(),
            (None, Item::Struct(_)) => "(…)".to_owned(),
            (None, _) => "choice".to_owned(),
        })
    }
}

/// Returns kind and default as a row contains them after the name. The kind "number" is left out,
/// and so are "bool", "vector" and "`On`(…) or `Off`(…)" where the default shows them.
fn format_value(kind: &str, default: Option<String>) -> String {
    let kind = match (kind, &default) {
        ("number", _) | ("bool" | "vector", Some(_)) => String::new(),
        (kind, Some(_)) if kind.starts_with("`On`(") => String::new(),
        (kind, _) => format!(" {kind}"),
    };
    default.map_or_else(|| kind.clone(), |default| format!("{kind}, `{default}`"))
}

/// Shortens a long default with a name to `Swept()`. `None` for a long default without a name.
fn shorten_default(default: &str) -> Option<String> {
    if default.len() <= LONGEST_DEFAULT {
        return Some(default.to_owned());
    }
    let (name, _) = default.split_once('(')?;
    (!name.is_empty() && name.chars().all(char::is_alphanumeric)).then(|| format!("{name}()"))
}
