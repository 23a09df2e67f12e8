//! Tables and lists of `docs/catalogue.md`, compared with the catalogue of integrators, solvers and
//! other choices. `UPDATE=1 cargo test` rewrites them.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use super::doc_comments::{compare_or_update, replace_block};
use ropelab::export::catalogue::{CatalogueKind, CatalogueRows};
use ropelab::scene::{Group, library};

#[test]
fn the_catalogue_is_what_the_registry_says() {
    compare_or_update("docs/catalogue.md", |found| {
        let mut fresh = found.to_owned();
        let elsewhere = [CatalogueKind::Colliders, CatalogueKind::Forces];
        for kind in CatalogueKind::all().filter(|kind| !elsewhere.contains(kind)) {
            replace_block(&mut fresh, kind.name(), &list_entries(kind));
        }
        fresh
    });
}

/// Returns the entries of a kind: integrators as a table, because readers compare their numbers,
/// other kinds as a list. Names of symplectic integrators are bold.
fn list_entries(kind: CatalogueKind) -> String {
    let entries = kind.rows();
    let rows: Vec<String> = match &entries {
        CatalogueRows::Integrators(integrators) => {
            let table = entries.to_table().without("Symplectic").without("Reference");
            let markdown = table.to_markdown();
            return integrators.iter().fold(markdown, |text, info| {
                let name = format!("| {} |", info.name);
                let bold = format!("| **{}** |", info.name);
                if info.symplectic { text.replace(&name, &bold) } else { text }
            });
        }
        CatalogueRows::Methods(rows) => {
            let is_titled = kind == CatalogueKind::Constraints;
            let title = |title: &'static str| if is_titled { title } else { "" };
            rows.iter()
                .map(|it| format_entry(it.name, title(it.title), it.reference, it.verdict))
                .collect()
        }
        CatalogueRows::Colliders(_) | CatalogueRows::Forces(_) => {
            unreachable!("the scene format lists them")
        }
        CatalogueRows::Materials(rows) => {
            rows.iter().map(|it| format!("- `{}`: {}; {}", it.name, it.title, it.numbers)).collect()
        }
        CatalogueRows::Scenes(_) => {
            let scenes = library::list();
            let list = |group: Group| {
                let names = scenes.iter().filter(|scene| scene.group == group);
                let names: Vec<String> = names.map(|scene| format!("`{}`", scene.name)).collect();
                format!("- {}: {}", group.title(), names.join(", "))
            };
            Group::all().map(list).collect()
        }
    };
    rows.join("\n") + "\n"
}

/// Returns a list entry with source and title. If the title repeats the name, only its part in
/// brackets is kept.
fn format_entry(name: &str, title: &str, reference: &str, verdict: &str) -> String {
    let repeats = title.to_lowercase().replace(' ', "-").starts_with(name);
    let title = match title.find('(') {
        Some(bracket) if repeats => format!(" {}", &title[bracket..]),
        None if repeats || title.is_empty() => String::new(),
        _ => format!(", {title}"),
    };
    let source = match reference {
        "" => String::new(),
        reference => format!(", {}", authors(reference)),
    };
    format!("- `{name}`{title}{source}: {verdict}")
}

/// Returns authors and years of a reference, e.g. `Verlet 1967; Müller et al. 2007`. A reference
/// without a year is returned unchanged.
fn authors(reference: &str) -> String {
    let is_year = |word: &&str| {
        let word = word.trim_end_matches(',');
        word.len() == 4 && word.chars().all(|c| c.is_ascii_digit())
    };
    let dated = reference.split("; ").filter_map(|work| {
        let words: Vec<&str> = work.split(' ').collect();
        let year = words.iter().position(is_year)?;
        let dated = words[..=year].join(" ").trim_end_matches(',').to_owned();
        let several = dated.split_once(", ").map(|(first, _)| first.to_owned());
        let year = words[year].trim_end_matches(',');
        Some(several.map_or(dated, |first| format!("{first} et al. {year}")))
    });
    let dated: Vec<String> = dated.collect();
    if dated.is_empty() { reference.to_owned() } else { dated.join("; ") }
}
