//! Bodies that are made of a material: ropes, nets and cloths.

use super::file::SceneFile;
use super::located::Located;

/// Place of a body in a scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyPlace {
    /// Name of the list in the file, e.g. `ropes`.
    pub list: &'static str,
    /// Index in that list.
    pub index: usize,
}

/// Rope, net or cloth of a scene file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MadeBody<'a> {
    /// Place in the list `ropes`, `nets` or `cloths`.
    pub at: BodyPlace,
    pub name: Option<&'a str>,
    pub material: Option<&'a str>,
}

impl MadeBody<'_> {
    /// Returns the name of the body. A body without a name is called by its kind and its number in
    /// the list, e.g. "rope 2".
    pub fn label(&self) -> String {
        let BodyPlace { list, index } = self.at;
        let kind = list.trim_end_matches('s');
        self.name.map_or_else(|| format!("{kind} {}", index + 1), str::to_owned)
    }
}

impl SceneFile {
    pub(crate) fn made_bodies(&self) -> impl Iterator<Item = MadeBody<'_>> {
        fn text(it: &Option<Located<String>>) -> Option<&str> {
            it.as_ref().map(|it| it.as_str())
        }
        let ropes = self.ropes.iter().map(|it| (text(&it.name), text(&it.material)));
        let ropes = ropes.enumerate().map(|it| ("ropes", it));
        let sheets = [("nets", &self.nets), ("cloths", &self.cloths)].map(|(list, sheets)| {
            let sheets = sheets.iter().map(|it| (text(&it.name), text(&it.material)));
            sheets.enumerate().map(move |it| (list, it))
        });
        ropes.chain(sheets.into_iter().flatten()).map(|(list, (index, (name, material)))| {
            MadeBody { at: BodyPlace { list, index }, name, material }
        })
    }
}
