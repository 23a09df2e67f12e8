//! `docs/scene-format.md` against the types of a scene file and their doc comments. `UPDATE=1`
//! rewrites it.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use super::doc_comments::{compare_or_update, docs, in_one_line, root};
use super::scene_chapters::CHAPTERS;
use ropelab::constraint::ConstraintSolver;
use ropelab::contact::ContactMethod;
use ropelab::force::Force;
use ropelab::integrate::Method;
use ropelab::mesh::{ClothMaterial, RopeMaterial};
use ropelab::scene::Scene;
use ropelab::scene::typed::contact_file::SurfaceFile;
use ropelab::scene::typed::file::SceneFile;
use ropelab::simulation::settings::Settings;
use ropelab::simulation::timing::stepper::Stepping;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use syn::{
    Attribute, Expr, Field, Fields, GenericArgument, Item, ItemStruct, Lit, Meta, PathArguments,
    Type, Variant,
};

const DOCUMENT: &str = "docs/scene-format.md";

#[test]
fn the_reference_of_the_format_says_what_the_types_say() {
    compare_or_update(DOCUMENT, |_| reference());
}

#[test]
fn the_example_of_the_reference_is_a_scene() {
    let text = reference();
    let example = text.split("```").nth(1).unwrap().trim_start_matches("ron");
    Scene::parse(example, "example").unwrap_or_else(|error| panic!("{error}"));
}

/// The document: the example, then the chapters.
fn reference() -> String {
    let types = Types::read();
    let file = fs::read_to_string(root().join("crates/scene/src/typed/file.rs")).unwrap();
    let intro = syn::parse_file(&file).unwrap();
    let mut text = String::from("# The scene format\n\n");
    text.push_str("<!-- Generated from doc comments by tests/files/scene_format.rs. -->\n\n");
    let intro = docs(&intro.attrs);
    let (_, intro) = intro.split_once("\n\n").unwrap();
    text.push_str(intro);
    text.push_str("\n## Contents\n\n");
    for chapter in CHAPTERS {
        writeln!(text, "- {}", link_to(chapter.title)).unwrap();
    }
    let mut reached = Vec::new();
    let mut fields = Vec::new();
    for chapter in CHAPTERS {
        write!(text, "\n## {}\n\n{}\n", chapter.title, chapter.intro).unwrap();
        if !chapter.fields.is_empty() {
            text.push('\n');
            text.push_str(&types.scene_fields(chapter.fields, &mut reached));
        }
        fields.extend(chapter.fields);
        for name in chapter.types {
            text.push_str(&types.section(name, &mut reached));
        }
    }
    let listed: Vec<&str> = CHAPTERS.iter().flat_map(|chapter| chapter.types).copied().collect();
    for name in &reached {
        assert!(listed.contains(&name.as_str()), "no chapter of scene_chapters.rs lists {name}");
    }
    for name in types.names_of_scene_fields() {
        assert!(fields.contains(&name.as_str()), "no chapter of scene_chapters.rs lists {name}");
    }
    text
}

fn link_to(title: &str) -> String {
    format!("[{title}](#{})", title.to_lowercase().replace(',', "").replace(' ', "-"))
}

struct Types {
    items: BTreeMap<String, Item>,
    defaults: BTreeMap<String, BTreeMap<String, String>>,
}

impl Types {
    fn read() -> Self {
        let mut items = BTreeMap::new();
        // The last item of a name wins, so that types of scene files win over those of the core.
        for place in [
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
            "crates/mechanics/src/constraint/direct",
            "crates/mechanics/src/mesh",
            "crates/core/src/contact",
            "crates/scene/src",
            "crates/scene/src/typed",
        ] {
            for file in rust_files(&root().join(place)) {
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
        }
        Self { items, defaults: defaults() }
    }

    fn scene(&self) -> (&Fields, bool) {
        let Item::Struct(item) = &self.items["SceneFile"] else { panic!("a struct") };
        (&item.fields, has_default(&item.attrs))
    }

    fn names_of_scene_fields(&self) -> Vec<String> {
        self.scene().0.iter().map(|field| field.ident.as_ref().unwrap().to_string()).collect()
    }

    /// A table of some fields of the scene, in the order in which they are named.
    fn scene_fields(&self, names: &[&str], reached: &mut Vec<String>) -> String {
        let (fields, all_default) = self.scene();
        let named = |name: &&str| {
            let known = fields.iter().find(|field| field.ident.as_ref().unwrap() == name);
            known.unwrap_or_else(|| panic!("a scene has no field {name}"))
        };
        self.table("SceneFile", names.iter().map(named), all_default, reached)
    }

    fn section(&self, name: &str, queue: &mut Vec<String>) -> String {
        let mut text = String::new();
        match &self.items[name] {
            Item::Struct(item) => {
                let all_default = has_default(&item.attrs);
                writeln!(text, "\n### {}\n\n{}", title(name), docs(&item.attrs)).unwrap();
                text.push_str(&self.table(name, &item.fields, all_default, queue));
            }
            Item::Enum(item) => {
                writeln!(text, "\n### {}\n\n{}", title(name), docs(&item.attrs)).unwrap();
                text.push_str("| write | meaning |\n|---|---|\n");
                for variant in &item.variants {
                    text.push_str(&self.variant(name, variant, queue));
                }
            }
            _ => unreachable!("only structs and enums are listed"),
        }
        text
    }

    /// The row of a variant, and one row for each of its parameters.
    fn variant(&self, owner: &str, variant: &Variant, queue: &mut Vec<String>) -> String {
        let ident = &variant.ident;
        let parameters = self.parameters(variant);
        let written = match &variant.fields {
            Fields::Unit => format!("`{ident}`"),
            Fields::Unnamed(fields) if parameters.is_none() => {
                let values: Vec<String> =
                    fields.unnamed.iter().map(|field| self.kind(&field.ty, queue)).collect();
                format!("`{ident}`({})", values.join(", "))
            }
            _ => format!("`{ident}(…)`"),
        };
        let mut text = format!("| {written} | {} |\n", in_one_line(&docs(&variant.attrs)));
        let (owner, fields, all_default) = match parameters {
            Some(item) => (ident.to_string(), &item.fields, has_default(&item.attrs)),
            None => (format!("{owner}::{ident}"), &variant.fields, false),
        };
        for field in fields.iter().filter(|field| field.ident.is_some()) {
            let [name, value, meaning] = self.row(&owner, field, all_default, queue);
            writeln!(text, "| &emsp;{name} {value} | {meaning} |").unwrap();
        }
        text
    }

    /// The parameters of a variant that are a struct of the variant's name.
    fn parameters(&self, variant: &Variant) -> Option<&ItemStruct> {
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

    fn table<'a>(
        &self,
        owner: &str,
        fields: impl IntoIterator<Item = &'a Field>,
        all_default: bool,
        queue: &mut Vec<String>,
    ) -> String {
        let mut text = String::from("| field | value | meaning |\n|---|---|---|\n");
        for field in fields {
            let [name, value, meaning] = self.row(owner, field, all_default, queue);
            writeln!(text, "| {name} | {value} | {meaning} |").unwrap();
        }
        text
    }

    /// Name, value with its default, and meaning of a field. Names of needed fields are bold.
    fn row(
        &self,
        owner: &str,
        field: &Field,
        all_default: bool,
        queue: &mut Vec<String>,
    ) -> [String; 3] {
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        let mut value = self.kind(&field.ty, queue);
        let known = self.defaults.get(owner).and_then(|fields| fields.get(&name));
        let needed = !all_default && !has_default(&field.attrs);
        if let (false, Some(default)) = (needed, known) {
            value = format!("{value}, `{default}`");
        }
        let name = if needed { format!("**`{name}`**") } else { format!("`{name}`") };
        [name, value, in_one_line(&docs(&field.attrs))]
    }

    /// Notation of a type as a person types it; a type with a section of its own is queued and
    /// linked.
    fn kind(&self, ty: &Type, queue: &mut Vec<String>) -> String {
        match ty {
            Type::Tuple(tuple) => {
                let parts: Vec<String> =
                    tuple.elems.iter().map(|ty| self.kind(ty, queue)).collect();
                format!("({})", parts.join(", "))
            }
            Type::Slice(slice) => format!("[{}, …]", self.kind(&slice.elem, queue)),
            Type::Array(array) => {
                let Expr::Lit(length) = &array.len else { panic!("an array of a literal length") };
                let Lit::Int(length) = &length.lit else { panic!("an array of a literal length") };
                let part = self.kind(&array.elem, queue);
                let length = length.base10_parse::<usize>().unwrap();
                format!("({})", vec![part; length].join(", "))
            }
            Type::Path(path) => {
                let segment = path.path.segments.last().unwrap();
                let name = segment.ident.to_string();
                let inner = match &segment.arguments {
                    PathArguments::AngleBracketed(arguments) => match &arguments.args[0] {
                        GenericArgument::Type(ty) => Some(self.kind(ty, queue)),
                        _ => None,
                    },
                    _ => None,
                };
                match (name.as_str(), inner) {
                    ("Located" | "Option" | "Arc", Some(inner)) => inner,
                    ("Vec", Some(inner)) => format!("[{inner}, …]"),
                    ("Guard", Some(inner)) => format!("`On`({inner}) or `Off`({inner})"),
                    ("f64" | "Finite", _) => "number".to_owned(),
                    ("Positive", _) => "number > 0".to_owned(),
                    ("NonNegative", _) => "number ≥ 0".to_owned(),
                    ("Count", _) => "integer ≥ 1".to_owned(),
                    ("u32" | "u64", _) => "integer".to_owned(),
                    ("bool", _) => "bool".to_owned(),
                    ("String", _) => "text".to_owned(),
                    ("Point" | "DVec3", _) => "(x, y, z)".to_owned(),
                    (known, _) if self.items.contains_key(known) => {
                        if !queue.contains(&name) {
                            queue.push(name.clone());
                        }
                        let title = title(known);
                        link_to(&title)
                    }
                    (unknown, _) => panic!("{unknown} has no words in the reference"),
                }
            }
            _ => panic!("a type without words in the reference"),
        }
    }
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

fn title(name: &str) -> String {
    let name = match name {
        "Force" => "Law",
        "Method" => "Integrator",
        "Pattern" => "Weave",
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

fn has_default(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        let tokens = list.tokens.to_string();
        list.path.is_ident("serde") && tokens.split(',').any(|t| t.trim().starts_with("default"))
    })
}

/// Values of fields that nobody typed, by type and field.
fn defaults() -> BTreeMap<String, BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    let minimal = "(version: 1, name: \"\",
        particles: [(at: (0, 0, 0), ball: (radius: 1))],
        balls: [(at: (0, 0, 0))],
        colliders: [(shape: Plane())],
        surfaces: [(of: All)],
        ropes: [(from: (0, 0, 0), to: (1, 0, 0))],
        cloths: [(corner: (0, 0, 0), across: (1, 0, 0), down: (0, 1, 0), cells: (1, 1))],
        links: [(a: All, b: All)],
        pins: [(of: All)],
        drawn_ropes: [(particles: [0, 1])],
        annotations: (trails: [(of: All)]),
    )";
    let file: SceneFile = options().from_str(minimal).unwrap();
    let empty: SceneFile = options().from_str("(version: 1, name: \"\")").unwrap();
    all.insert("ParticleFile".to_owned(), fields(&ron(&file.particles[0])));
    all.insert("BallsFile".to_owned(), fields(&ron(&file.balls[0])));
    all.insert("BallFile".to_owned(), fields(&ron(&file.particles[0].ball)));
    all.insert("SurfaceFile".to_owned(), fields(&ron(&SurfaceFile::default())));
    all.insert("ParticleSurfaceFile".to_owned(), fields(&ron(&file.surfaces[0])));
    all.insert("ColliderFile".to_owned(), fields(&ron(&file.colliders[0])));
    all.insert("RopeFile".to_owned(), fields(&ron(&file.ropes[0])));
    for end in ["from", "to"] {
        all.get_mut("RopeFile").unwrap().remove(end);
    }
    all.insert("LinkFile".to_owned(), fields(&ron(&file.links[0])));
    all.insert("ForceFile".to_owned(), fields(&ron(&file.forces[0])));
    all.insert("DrawnRope".to_owned(), fields(&ron(&file.drawn_ropes[0])));
    all.insert("TrailFile".to_owned(), fields(&ron(&file.annotations.trails[0])));
    all.insert("AnnotationsFile".to_owned(), fields(&ron(&empty.annotations)));
    all.insert("SceneFile".to_owned(), fields(&ron(&empty)));
    let settings = Settings::default();
    all.insert("SettingsFile".to_owned(), fields(&ron(&settings)));
    all.insert("GuardsFile".to_owned(), fields(&ron(&settings.guards)));
    let laws = Force::all().map(|law| ron(&law));
    let methods = Method::all().map(|method| ron(&method));
    let solvers = ConstraintSolver::all().map(|solver| ron(&solver));
    let schemes = Stepping::all().map(|scheme| ron(&scheme));
    let contacts = ContactMethod::all().map(|method| ron(&method));
    for text in laws.chain(methods).chain(solvers).chain(schemes).chain(contacts) {
        if let Some((name, rest)) = text.split_once('(') {
            all.insert(name.to_owned(), fields(&format!("({rest}")));
        }
    }
    let RopeMaterial {
        mass_per_metre,
        stiffness,
        damping,
        bend_stiffness,
        flexural_rigidity,
        rigid,
        one_sided,
        radius,
    } = RopeMaterial::default();
    let rope = format!(
        "(mass_per_metre:{mass_per_metre},stiffness:{stiffness},damping:{damping},\
         bend_stiffness:{bend_stiffness},flexural_rigidity:{flexural_rigidity},\
         rigid:{rigid},one_sided:{one_sided},radius:{radius})"
    );
    all.insert("RopeMaterialFile".to_owned(), fields(&rope));
    let ClothMaterial {
        areal_density,
        stretch_stiffness,
        shear_stiffness,
        bend_stiffness,
        flexural_rigidity,
        damping,
        rigid,
        one_sided,
    } = ClothMaterial::default();
    let cloth = format!(
        "(areal_density:{areal_density},stretch_stiffness:{stretch_stiffness},\
         shear_stiffness:{shear_stiffness},bend_stiffness:{bend_stiffness},\
         flexural_rigidity:{flexural_rigidity},damping:{damping},rigid:{rigid},one_sided:{one_sided})"
    );
    all.insert("ClothMaterialFile".to_owned(), fields(&cloth));
    all
}

fn options() -> ron::Options {
    use ron::extensions::Extensions;
    ron::Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES)
}

fn ron(value: &impl Serialize) -> String {
    options().to_string(value).unwrap()
}

/// `(a:1,b:(2,3))` → a: 1, b: (2, 3); what is None or empty is left out.
fn fields(text: &str) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    let inside = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or("");
    let (mut depth, mut start) = (0, 0);
    for (i, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                if let Some((name, value)) = inside[start..i].split_once(':')
                    && !["None", "[]", "()", "\"\""].contains(&value)
                    && !value.contains(":None")
                {
                    let value = value.replace(',', ", ").replace(':', ": ").replace("r#", "");
                    fields.insert(name.to_owned(), value);
                }
                start = i + 1;
            }
            _ => {}
        }
    }
    fields
}
