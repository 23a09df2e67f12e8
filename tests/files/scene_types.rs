//! Types of a scene file, parsed from the source code, for `docs/scene-format.md`.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use super::doc_comments::package_folder;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use syn::{
    Attribute, Expr, Field, Fields, GenericArgument, Item, ItemStruct, Lit, Meta, PathArguments,
    Type, Variant,
};

/// Files and folders that declare the types of a scene file. If several types have the same name,
/// the last one counts, so that types of scene files replace those of the core.
const PLACES: [&str; 15] = [
    "crates/mechanics/src/numerics/trajectory.rs",
    "crates/core/src/simulation/timing/frame_source.rs",
    "crates/core/src/simulation/settings.rs",
    "crates/core/src/simulation/timing/stepper.rs",
    "crates/mechanics/src/force",
    "crates/mechanics/src/force/faces",
    "crates/core/src/integrate",
    "crates/core/src/integrate/implicit",
    "crates/core/src/integrate/runge_kutta",
    "crates/mechanics/src/constraint",
    "crates/mechanics/src/constraint/sweep",
    "crates/mechanics/src/mesh",
    "crates/core/src/contact",
    "crates/scene/src",
    "crates/scene/src/typed",
];

/// Structs and enums by name.
pub struct Types {
    items: BTreeMap<String, Item>,
}

impl Types {
    pub fn read() -> Self {
        let mut items = BTreeMap::new();
        for file in PLACES.iter().flat_map(|place| rust_files(&package_folder().join(place))) {
            let parsed = syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap();
            for item in parsed.items {
                let name = match &item {
                    Item::Struct(item) => item.ident.to_string(),
                    Item::Enum(item) => item.ident.to_string(),
                    _ => continue,
                };
                items.insert(name, item);
            }
        }
        Self { items }
    }

    pub fn item(&self, name: &str) -> &Item {
        &self.items[name]
    }

    /// Returns the attributes of a struct or enum, doc comments among them.
    pub fn attributes(&self, name: &str) -> &[Attribute] {
        match self.item(name) {
            Item::Struct(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            _ => unreachable!("only structs and enums are listed"),
        }
    }

    /// Returns the fields of a scene, and true if all of them have defaults.
    pub fn scene(&self) -> (&Fields, bool) {
        let Item::Struct(item) = self.item("SceneFile") else { panic!("a struct") };
        (&item.fields, has_default(&item.attrs))
    }

    /// Returns the struct with the parameters of a variant, if it has the variant's name.
    pub fn parameters(&self, variant: &Variant) -> Option<&ItemStruct> {
        let Fields::Unnamed(fields) = &variant.fields else { return None };
        let Type::Path(path) = &fields.unnamed[0].ty else { return None };
        if path.path.segments.last().unwrap().ident != variant.ident {
            return None;
        }
        match self.items.get(&variant.ident.to_string()) {
            Some(Item::Struct(item)) => Some(item),
            _ => None,
        }
    }

    /// Returns the name of the struct or enum that a type is or contains; `None` for other types.
    pub fn within(&self, ty: &Type) -> Option<String> {
        match ty {
            Type::Slice(slice) => self.within(&slice.elem),
            Type::Path(path) => {
                let segment = path.path.segments.last().unwrap();
                let name = segment.ident.to_string();
                match first_argument(&segment.arguments) {
                    Some(inner) => self.within(inner),
                    None => (WORDS.iter().all(|(known, _)| *known != name)
                        && self.items.contains_key(&name))
                    .then_some(name),
                }
            }
            _ => None,
        }
    }

    /// Returns the notation of a type for authors of scenes. `link` returns the notation of a
    /// struct or enum.
    pub fn kind(&self, ty: &Type, link: &impl Fn(&str, &Item) -> String) -> String {
        match ty {
            Type::Tuple(tuple) => {
                let parts: Vec<String> = tuple.elems.iter().map(|ty| self.kind(ty, link)).collect();
                format!("({})", parts.join(", "))
            }
            Type::Slice(slice) => format!("[{}]", self.kind(&slice.elem, link)),
            Type::Array(array) => {
                let Expr::Lit(length) = &array.len else { panic!("an array of a literal length") };
                let Lit::Int(length) = &length.lit else { panic!("an array of a literal length") };
                let part = self.kind(&array.elem, link);
                let length = length.base10_parse::<usize>().unwrap();
                format!("({})", vec![part; length].join(", "))
            }
            Type::Path(path) => {
                let segment = path.path.segments.last().unwrap();
                let name = segment.ident.to_string();
                let inner = first_argument(&segment.arguments).map(|ty| self.kind(ty, link));
                match (name.as_str(), inner) {
                    ("Located" | "Option" | "Arc", Some(inner)) => inner,
                    ("Vec", Some(inner)) => format!("[{inner}]"),
                    ("Guard", Some(inner)) => format!("`On`({inner}) or `Off`({inner})"),
                    (name, _) => match WORDS.iter().find(|(known, _)| *known == name) {
                        Some((_, words)) => (*words).to_owned(),
                        None => link(name, self.item(name)),
                    },
                }
            }
            _ => panic!("a type without words in the reference"),
        }
    }
}

/// Words for types that are a number, a text or a vector.
const WORDS: [(&str, &str); 12] = [
    ("f64", "number"),
    ("Finite", "number"),
    ("Positive", "positive"),
    ("NonNegative", "non-negative"),
    ("Count", "positive integer"),
    ("u32", "integer"),
    ("u64", "integer"),
    ("bool", "bool"),
    ("String", "text"),
    ("Point", "vector"),
    ("DVec3", "vector"),
    ("CutFile", "(integer, integer[, integer])"),
];

pub fn first_argument(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

fn rust_files(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let files = fs::read_dir(place).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Returns the name of a type as a heading.
pub fn heading_of(name: &str) -> String {
    let name = match name {
        "Force" => "Law",
        "Method" => "Integrator",
        name => name.trim_end_matches("File").trim_end_matches("Setup"),
    };
    let mut title = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            title.push(' ');
        }
        title.push(c);
    }
    title
}

/// Returns the default of a field with a bare `#[serde(default)]`, if it is a bool or a number.
pub fn default_of_type(field: &Field) -> Option<&'static str> {
    let Type::Path(path) = &field.ty else { return None };
    let is_bare = field.attrs.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        let tokens = list.tokens.to_string();
        list.path.is_ident("serde") && tokens.split(',').any(|token| token.trim() == "default")
    });
    match path.path.segments.last().unwrap().ident.to_string().as_str() {
        "bool" if is_bare => Some("false"),
        "u32" | "u64" | "f64" | "Finite" | "NonNegative" if is_bare => Some("0"),
        _ => None,
    }
}

/// True for the type `Option`, whose fields serde does not need.
pub fn is_optional(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().unwrap().ident == "Option")
}

pub fn has_default(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        let tokens = list.tokens.to_string();
        list.path.is_ident("serde") && tokens.split(',').any(|t| t.trim().starts_with("default"))
    })
}
