use crate::cli::error::Error;
use ropelab::export::figure::Figure;
use ropelab::export::{ExportError, Spare, write_file};
use std::ffi::OsStr;
use std::path::Path;

/// Draws a figure and writes it to the requested files. Returns an error instead of overwriting a
/// scene file.
pub fn write_figure(
    figure: impl FnOnce() -> Figure,
    scene: &OsStr,
    png: Option<&Path>,
    svg: Option<&Path>,
) -> Result<(), Error> {
    if png.is_none() && svg.is_none() {
        return Ok(());
    }
    let inputs = [Path::new(scene)];
    let spare = Spare { inputs: &inputs, scenes: true };
    let figure = figure();
    if let Some(path) = png {
        write_file(path, figure.to_png().map_err(ExportError::from)?, spare)?;
    }
    if let Some(path) = svg {
        write_file(path, figure.to_svg(), spare)?;
    }
    Ok(())
}
