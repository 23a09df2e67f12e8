//! Relative links of the documents: every linked file must exist.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use super::doc_comments::package_folder;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the Markdown files of a folder.
fn documents_in(folder: &str) -> impl Iterator<Item = PathBuf> {
    let paths =
        fs::read_dir(package_folder().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "md"))
}

/// Returns the files that a document links to, without anchors and web addresses.
fn linked_files(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.map(|target| target.split('#').next().unwrap_or_default());
    files.filter(|file| !file.is_empty() && !file.contains("://"))
}

#[test]
fn every_file_that_a_document_links_to_exists() {
    for folder in ["", "docs", "docs/design", "crates/core"] {
        for document in documents_in(folder) {
            let text = fs::read_to_string(&document).unwrap();
            for file in linked_files(&text) {
                let path = document.parent().unwrap_or(Path::new("")).join(file);
                assert!(path.exists(), "{} links to {file}, which is missing", document.display());
            }
        }
    }
}
