//! Lists of JSON keys in `docs/cli.md`, compared with the doc comments of the printed types.
//! `UPDATE=1 cargo test` rewrites the lists.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use super::doc_comments::{
    compare_or_update, doc_text, meaning_beyond, package_folder, replace_block, rust_files_below,
};
use super::scene_types::first_argument;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use syn::{Attribute, Field, Fields, Item, ItemEnum, Meta, Type};

/// Commands with `--json`, and the type that each command prints.
const PRINTED: [(&str, &str); 10] = [
    ("run", "RunReport"),
    ("limit", "LimitReport"),
    ("explain", "ExplainReport"),
    ("advise", "AdviceReport"),
    ("choose", "ChooseReports"),
    ("map", "MapReport"),
    ("converge", "ConvergenceCurve"),
    ("damping", "DampingReport"),
    ("replay", "ReplayReport"),
    ("bench", "Measurement"),
];

#[test]
fn the_keys_of_the_command_line_page_are_those_of_the_types() {
    let types = PrintedTypes::read();
    compare_or_update("docs/cli.md", |found| {
        let mut fresh = found.to_owned();
        let mut known = KnownKeys::default();
        for (command, name) in PRINTED {
            let mut list = String::new();
            types.push_rows(&mut list, "", types.find(name, None), &mut known);
            known.finish_command(command, &mut list);
            replace_block(&mut fresh, command, &list);
        }
        fresh
    });
}

/// Keys of the commands so far. For repeated keys, a list names the earlier command that lists
/// them.
#[derive(Default)]
struct KnownKeys {
    /// First place of each type, by the file and the name of the type.
    types: BTreeMap<(PathBuf, String), Place>,
    /// First command for each row of the outermost object.
    rows: BTreeMap<String, String>,
    /// Rows of the current command that no earlier command has.
    fresh: Vec<String>,
    /// Keys of the current command that earlier commands list, by command.
    repeated: BTreeMap<String, Vec<String>>,
}

/// Place at which the keys of a type are listed.
struct Place {
    key: String,
    /// Command that lists the keys; `None` for the current command.
    command: Option<String>,
    /// First and last key of a flattened type, whose keys form only a part of an object.
    part: Option<[String; 2]>,
}

impl Place {
    fn in_words(&self) -> String {
        let Self { key, command, part } = self;
        let of = command.as_ref().map_or(String::new(), |command| format!(" of `{command}`"));
        let part = part.as_ref();
        let part = part.map_or(String::new(), |[from, to]| format!(" from `{from}` to `{to}`"));
        format!("`{key}`{of}{part}")
    }
}

impl KnownKeys {
    /// Inserts references to the keys of earlier commands at the beginning of a command's list.
    fn finish_command(&mut self, command: &str, list: &mut String) {
        for place in self.types.values_mut().filter(|place| place.command.is_none()) {
            place.command = Some(command.to_owned());
        }
        for row in std::mem::take(&mut self.fresh) {
            self.rows.insert(row, command.to_owned());
        }
        let repeated = std::mem::take(&mut self.repeated);
        let rows = repeated
            .iter()
            .map(|(known, keys)| format!("- {}: As for `{known}`.\n", keys.join(", ")));
        list.insert_str(0, &rows.collect::<String>());
    }
}

/// Type that is printed as JSON, and the file that declares it.
struct PrintedType {
    file: PathBuf,
    item: Item,
}

impl PrintedType {
    /// Returns the file and the name of the type.
    fn id(&self) -> (PathBuf, String) {
        let name = match &self.item {
            Item::Struct(item) => item.ident.to_string(),
            Item::Enum(item) => item.ident.to_string(),
            _ => unreachable!("only structs and enums are printed"),
        };
        (self.file.clone(), name)
    }
}

struct PrintedTypes {
    by_name: BTreeMap<String, Vec<PrintedType>>,
}

impl PrintedTypes {
    fn read() -> Self {
        let mut by_name = BTreeMap::<String, Vec<PrintedType>>::new();
        let crates = fs::read_dir(package_folder().join("crates")).unwrap();
        let mut folders: Vec<PathBuf> =
            crates.map(|entry| entry.unwrap().path().join("src")).collect();
        folders.push(package_folder().join("src"));
        for file in folders.iter().flat_map(|folder| rust_files_below(folder)) {
            let text = fs::read_to_string(&file).unwrap();
            if !text.contains("Serialize") {
                continue;
            }
            for item in syn::parse_file(&text).unwrap().items {
                let (name, attributes) = match &item {
                    Item::Struct(item) => (item.ident.to_string(), &item.attrs),
                    Item::Enum(item) => (item.ident.to_string(), &item.attrs),
                    _ => continue,
                };
                if attributes.iter().any(derives_serialize) {
                    let found = PrintedType { file: file.clone(), item };
                    by_name.entry(name).or_default().push(found);
                }
            }
        }
        Self { by_name }
    }

    /// Returns the type with this name in the file of `beside`; if there is none, the only type
    /// with this name.
    fn find(&self, name: &str, beside: Option<&PrintedType>) -> &PrintedType {
        let known = self.by_name.get(name).unwrap_or_else(|| panic!("no printed type {name}"));
        let near = known.iter().find(|ty| beside.is_some_and(|beside| ty.file == beside.file));
        near.unwrap_or_else(|| match known.as_slice() {
            [only] => only,
            _ => panic!("more than one printed type {name}"),
        })
    }

    /// Adds a row for each field of a struct and, below it, rows for the fields of the struct that
    /// it contains. The keys of each type are listed once. A row without a kind is a number or an
    /// object.
    fn push_rows(&self, list: &mut String, path: &str, owner: &PrintedType, known: &mut KnownKeys) {
        let depth = path.matches('.').count();
        for field in printed_fields(owner) {
            let name = field.ident.as_ref().unwrap().to_string();
            let inner = self.struct_within(&field.ty, owner);
            let place = inner.and_then(|inner| known.types.get(&inner.id())).map(Place::in_words);
            let indent = "  ".repeat(depth);
            if has_serde_word(&field.attrs, "flatten") {
                let inner = inner.expect("a struct is flattened");
                self.push_part(list, path, inner, known);
                continue;
            }
            let text = doc_text(&field.attrs);
            assert!(!text.is_empty(), "{path}{name} lacks a doc comment: docs/cli.md needs it");
            let kind = self.kind(&field.ty, owner);
            let meaning = meaning_beyond(&name, &kind, &field.attrs);
            let separator = if meaning.is_empty() { "" } else { ": " };
            let value = match kind.as_str() {
                "number" | "object" => String::new(),
                "number?" | "object?" => "?".to_owned(),
                kind => format!(" {kind}"),
            };
            let as_known = place.as_ref().map_or(String::new(), |place| format!(", as {place}"));
            let row = format!("- `{name}`{value}{as_known}{separator}{meaning}\n");
            if path.is_empty() && inner.is_none() {
                if let Some(command) = known.rows.get(&row) {
                    let key = format!("`{name}`");
                    known.repeated.entry(command.clone()).or_default().push(key);
                    continue;
                }
                known.fresh.push(row.clone());
            }
            write!(list, "{indent}{row}").unwrap();
            if let (Some(inner), None) = (inner, place) {
                let many = if is_list(&field.ty) { "[]" } else { "" };
                let key = format!("{path}{name}{many}");
                let place = Place { key: key.clone(), command: None, part: None };
                known.types.insert(inner.id(), place);
                self.push_rows(list, &format!("{key}."), inner, known);
            }
        }
    }

    /// Adds rows for a flattened struct, whose keys are a part of an object. If its keys are listed
    /// already, adds a reference to them.
    fn push_part(&self, list: &mut String, path: &str, ty: &PrintedType, known: &mut KnownKeys) {
        let part @ [from, to] = &first_and_last_key(ty);
        if let Some(Place { key, .. }) = known.types.get(&ty.id()) {
            let indent = "  ".repeat(path.matches('.').count());
            writeln!(list, "{indent}- `{from}` to `{to}`: As for `{key}`.").unwrap();
        } else {
            let key = path.trim_end_matches('.').to_owned();
            let place = Place { key, command: None, part: Some(part.clone()) };
            known.types.insert(ty.id(), place);
            self.push_rows(list, path, ty, known);
        }
    }

    /// Returns the struct whose keys are listed below those of a field; `None` for other types.
    fn struct_within(&self, ty: &Type, owner: &PrintedType) -> Option<&PrintedType> {
        match ty {
            Type::Reference(reference) => self.struct_within(&reference.elem, owner),
            Type::Path(path) => {
                let segment = path.path.segments.last()?;
                match (segment.ident.to_string().as_str(), first_argument(&segment.arguments)) {
                    ("Option" | "Vec", Some(inner)) => self.struct_within(inner, owner),
                    ("Settings", _) => None,
                    (name, _) if self.by_name.contains_key(name) => {
                        let found = self.find(name, Some(owner));
                        matches!(found.item, Item::Struct(_)).then_some(found)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the kind of a value in words, e.g. "[number]?".
    fn kind(&self, ty: &Type, owner: &PrintedType) -> String {
        match ty {
            Type::Reference(reference) => self.kind(&reference.elem, owner),
            Type::Array(array) => format!("[{}]", self.kind(&array.elem, owner)),
            Type::Path(path) => {
                let segment = path.path.segments.last().unwrap();
                let name = segment.ident.to_string();
                match (name.as_str(), first_argument(&segment.arguments)) {
                    ("Option", Some(inner)) => format!("{}?", self.kind(inner, owner)),
                    ("Vec", Some(inner)) => format!("[{}]", self.kind(inner, owner)),
                    ("BTreeMap", _) => "name → number".to_owned(),
                    ("f64" | "u32" | "u64" | "usize", _) => "number".to_owned(),
                    ("bool", _) => "bool".to_owned(),
                    ("String" | "str", _) => "text".to_owned(),
                    ("Settings", _) => "[settings](scene-format.md#settings)".to_owned(),
                    (name, _) => match &self.find(name, Some(owner)).item {
                        Item::Enum(item) => variant_names(item),
                        _ => "object".to_owned(),
                    },
                }
            }
            _ => panic!("a type without words"),
        }
    }
}

/// Returns the fields of a struct that are printed.
fn printed_fields(ty: &PrintedType) -> impl Iterator<Item = &Field> {
    let Item::Struct(item) = &ty.item else { panic!("only structs have keys") };
    let Fields::Named(fields) = &item.fields else { panic!("only named fields have keys") };
    fields.named.iter().filter(|field| !has_serde_word(&field.attrs, "skip"))
}

/// Returns the first and the last key of a struct.
fn first_and_last_key(ty: &PrintedType) -> [String; 2] {
    let mut names = printed_fields(ty).map(|field| field.ident.as_ref().unwrap().to_string());
    let first = names.next().expect("a struct with keys");
    let last = names.last().unwrap_or_else(|| first.clone());
    [first, last]
}

/// Returns the names of an enum's variants as they are printed.
fn variant_names(item: &ItemEnum) -> String {
    let kebab = item.attrs.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("serde") && list.tokens.to_string().contains("kebab-case")
    });
    let name = |variant: &syn::Variant| {
        let ident = variant.ident.to_string();
        let printed = if kebab { kebab_case(&ident) } else { ident };
        match &variant.fields {
            Fields::Unit => format!("`{printed}`"),
            _ => format!("`{{\"{printed}\":…}}`"),
        }
    };
    item.variants.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn kebab_case(name: &str) -> String {
    let mut text = String::new();
    for (i, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && i > 0 {
            text.push('-');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

fn is_list(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let segment = path.path.segments.last().unwrap();
    segment.ident == "Vec" || first_argument(&segment.arguments).is_some_and(is_list)
}

fn derives_serialize(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    list.path.is_ident("derive") && list.tokens.to_string().contains("Serialize")
}

fn has_serde_word(attributes: &[Attribute], word: &str) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        let tokens = list.tokens.to_string();
        list.path.is_ident("serde") && tokens.split(',').any(|token| token.trim() == word)
    })
}
