use crate::cli::error::Error;
use ropelab::export::drawing::Drawing;
use ropelab::export::{ExportError, ProtectedFiles, write_file};
use std::ffi::OsStr;
use std::path::Path;

/// Draws a drawing and writes it to the requested files. Returns an error instead of overwriting a
/// scene file.
pub fn write_figure(
    drawing: impl FnOnce() -> Drawing,
    scene: &OsStr,
    png: Option<&Path>,
    svg: Option<&Path>,
) -> Result<(), Error> {
    if png.is_none() && svg.is_none() {
        return Ok(());
    }
    let inputs = [Path::new(scene)];
    let spare = ProtectedFiles { inputs: &inputs, scenes: true };
    let drawing = drawing();
    if let Some(path) = png {
        write_file(path, drawing.to_png().map_err(ExportError::from)?, spare)?;
    }
    if let Some(path) = svg {
        write_file(path, drawing.to_svg(), spare)?;
    }
    Ok(())
}
