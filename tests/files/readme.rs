//! The README's tables are what the registry says. `UPDATE=1 cargo test` writes them anew.

use ropelab::export::registry::{Kind, table};
use std::path::Path;

/// The README with every generated block replaced by what the registry says today.
fn with_fresh_tables(readme: &str) -> String {
    let mut fresh = readme.to_owned();
    for kind in Kind::all() {
        let name = kind.name();
        let start = format!("<!-- generated: {name} -->\n");
        let end = format!("<!-- end of {name} -->");
        let from = fresh.find(&start).unwrap_or_else(|| panic!("README.md lacks {start}"));
        let from = from + start.len();
        let to = from + fresh[from..].find(&end).unwrap_or_else(|| panic!("README.md lacks {end}"));
        fresh.replace_range(from..to, &format!("\n{}\n", table(kind).to_markdown()));
    }
    fresh
}

#[test]
fn the_tables_of_the_readme_are_what_the_registry_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let fresh = with_fresh_tables(&readme);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, fresh).unwrap();
    } else {
        assert!(readme == fresh, "README.md is out of date; `UPDATE=1 cargo test` rewrites it");
    }
}
