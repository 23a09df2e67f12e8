//! `ropelab list`: lists of integrators, solvers, contact methods and other choices.

use crate::cli::error::Error;
use crate::cli::streams::{print, print_json};
use clap::builder::PossibleValuesParser;
use clap::{Args, builder::TypedValueParser};
use ropelab::export::catalogue::{Catalogue, CatalogueKind};

/// List integrators, constraint solvers, contacts, colliders, stepping schemes, forces, materials
/// and scenes
///
/// --json prints one object with a key for each kind, even if only one kind is listed. A stability
/// limit of null means that every step is stable.
///
/// Examples:
///   ropelab list
///   ropelab list integrators
///   ropelab list scenes --json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct List {
    /// Kind of entries to list [default: all]
    #[arg(value_parser = kind_parser())]
    kind: Option<CatalogueKind>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print Markdown tables, with references
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

fn kind_parser() -> impl TypedValueParser<Value = CatalogueKind> {
    let names = PossibleValuesParser::new(CatalogueKind::all().map(CatalogueKind::name));
    names.try_map(|name| {
        CatalogueKind::all().find(|kind| kind.name() == name).ok_or("no kind of this name")
    })
}

impl List {
    pub fn run(self) -> Result<(), Error> {
        let kinds = self.kind.map_or_else(|| CatalogueKind::all().collect(), |kind| vec![kind]);
        if self.json {
            return print_json(&Catalogue(&kinds));
        }
        let tables: Vec<String> = kinds
            .iter()
            .map(|&kind| {
                let table = kind.rows().to_table();
                let heading = kind.name();
                match (self.markdown, kinds.len()) {
                    (true, 1) => table.to_markdown(),
                    (true, _) => format!("## {heading}\n\n{}", table.to_markdown()),
                    // References are long, so only --json and --markdown print them.
                    (false, 1) => table.without("Reference").to_text(),
                    (false, _) => format!("{heading}:\n{}", table.without("Reference").to_text()),
                }
            })
            .collect();
        print(&tables.join("\n"))
    }
}
