//! Tables of `docs/catalogue.md` against the registry. `UPDATE=1 cargo test` rewrites them.

use super::doc_comments::{compare_or_update, replace_block};
use ropelab::export::registry::{Kind, table};

#[test]
fn the_tables_of_the_catalogue_are_what_the_registry_says() {
    compare_or_update("docs/catalogue.md", |found| {
        let mut fresh = found.to_owned();
        for kind in Kind::all() {
            replace_block(&mut fresh, kind.name(), &table(kind).to_markdown());
        }
        fresh
    });
}
