//! Names in `docs/sources.md`, which lists a scene, setting or test for every system of the
//! articles. All named scenes and tests must exist.

use std::fs;
use std::path::Path;

fn read_page() -> String {
    fs::read_to_string("docs/sources.md").expect("docs/sources.md")
}

/// Returns the texts between backticks in a line.
fn backticked(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Returns the source code of a test module: files with this name, and all files of folders with
/// this name.
fn test_source(name: &str) -> String {
    sources_below(Path::new("tests"), name, false)
}

fn sources_below(folder: &Path, name: &str, is_wanted: bool) -> String {
    let entries = fs::read_dir(folder).expect("a folder of tests");
    let text = |path: &Path| {
        let is_wanted = is_wanted || path.file_stem().is_some_and(|stem| stem == name);
        match path.is_dir() {
            true => sources_below(path, name, is_wanted),
            false if is_wanted && path.extension().is_some_and(|end| end == "rs") => {
                fs::read_to_string(path).expect("text")
            }
            false => String::new(),
        }
    };
    entries.map(|entry| text(&entry.expect("an entry").path())).collect()
}

#[test]
fn every_system_of_the_articles_has_its_row() {
    let page = read_page();
    let ids = [("A", 9), ("B", 7), ("C", 10), ("D", 10), ("E", 15)];
    for (article, last) in ids {
        for number in 1..=last {
            let row = format!("- **{article}{number}** ");
            assert_eq!(page.matches(&row).count(), 1, "rows that begin with {row}");
        }
    }
}

#[test]
fn every_test_that_is_named_exists() {
    let page = read_page();
    let mut named = 0;
    for (file, function) in
        page.lines().flat_map(backticked).filter_map(|name| name.split_once("::"))
    {
        if function.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
            && file.chars().all(|c| c.is_ascii_lowercase())
        {
            let declaration = format!("fn {function}()");
            let declared = test_source(file).contains(&declaration)
                || test_source(file).contains(&format!("fn {function}("));
            assert!(declared, "tests/{file} has no {declaration}");
            named += 1;
        }
    }
    assert!(named >= 36, "one test a row at least, found {named}");
}

#[test]
fn every_scene_that_is_named_exists() {
    let names: Vec<&str> = ropelab::scene::library::list().iter().map(|entry| entry.name).collect();
    for line in read_page().lines() {
        let named = line.split("scene `").skip(1).filter_map(|rest| rest.split('`').next());
        for name in named {
            assert!(names.contains(&name), "no scene {name} in {names:?}");
        }
    }
}
