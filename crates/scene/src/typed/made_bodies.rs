//! Bodies that are made of a material: ropes, nets and cloths.

use super::file::SceneFile;
use super::located::Located;

/// Rope, net or cloth of a scene file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MadeBody<'a> {
    /// Name of the list in the file (`ropes`, `nets` or `cloths`), and the index in that list.
    pub at: (&'static str, usize),
    pub name: Option<&'a str>,
    pub material: Option<&'a str>,
}

impl MadeBody<'_> {
    /// Returns the name of the body. A body without a name is called by its kind and its number in
    /// the list, e.g. "rope 2".
    pub fn label(&self) -> String {
        let (list, place) = self.at;
        let kind = list.trim_end_matches('s');
        self.name.map_or_else(|| format!("{kind} {}", place + 1), str::to_owned)
    }
}

impl SceneFile {
    /// Returns all ropes, nets and cloths.
    pub(crate) fn made_bodies(&self) -> impl Iterator<Item = MadeBody<'_>> {
        fn text(it: &Option<Located<String>>) -> Option<&str> {
            it.as_ref().map(|it| it.as_str())
        }
        let ropes = self.ropes.iter().map(|it| (text(&it.name), text(&it.material)));
        let sheets = [("nets", &self.nets), ("cloths", &self.cloths)].map(|(list, sheets)| {
            let sheets = sheets.iter().map(|it| (text(&it.name), text(&it.material)));
            sheets.enumerate().map(move |it| (list, it))
        });
        let ropes = ropes.enumerate().map(|it| ("ropes", it));
        ropes
            .chain(sheets.into_iter().flatten())
            .map(|(list, (place, (name, material)))| MadeBody { at: (list, place), name, material })
    }
}
