//! Relative links of the documents: the file and the heading of each link exist.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use super::doc_comments::package_folder;
use std::fs;
use std::path::{Path, PathBuf};

/// Markdown files of a folder.
fn documents_in(folder: &str) -> impl Iterator<Item = PathBuf> {
    let paths =
        fs::read_dir(package_folder().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "md"))
}

/// File and heading of each link of a document, without web addresses. An empty file is the
/// document itself; an empty heading is the whole file.
fn links(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let relative = targets.filter(|target| !target.contains("://"));
    relative.map(|target| target.split_once('#').unwrap_or((target, "")))
}

/// Address of a heading on GitHub: `## A, b` has `a-b`.
fn address(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || *c == '-' || *c == '_').collect()
}

fn has_heading(text: &str, wanted: &str) -> bool {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| address(line.trim_start_matches('#').trim())).any(|it| it == wanted)
}

#[test]
fn every_file_and_heading_that_a_document_links_to_exists() {
    for folder in ["", "docs", "docs/design", "crates/core"] {
        for document in documents_in(folder) {
            let text = fs::read_to_string(&document).unwrap();
            for (file, heading) in links(&text) {
                let path = match file {
                    "" => document.clone(),
                    file => document.parent().unwrap_or(Path::new("")).join(file),
                };
                assert!(path.exists(), "{} links to {file}, which is missing", document.display());
                if !heading.is_empty() {
                    let target = fs::read_to_string(&path).unwrap();
                    let place = document.display();
                    assert!(has_heading(&target, heading), "{place} links to {file}#{heading}");
                }
            }
        }
    }
}

#[test]
fn a_heading_is_found_by_its_address() {
    let text = "# Why a layer of our own over `std::arch`?\n";
    assert!(has_heading(text, "why-a-layer-of-our-own-over-stdarch"));
    assert!(!has_heading(text, "why-a-layer"));
}
