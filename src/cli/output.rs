//! Outputs of a command. No output replaces a file that the command reads, no two outputs are the
//! same file, and standard output carries only one result.

use crate::cli::error::Error;
use crate::cli::streams::{STREAM, print};
use clap::Args;
use ropelab::export::drawing::Drawing;
use ropelab::export::{
    ExportError, OutputFile, ProtectedFiles, check_output, is_standard_output, write_file,
};
use std::path::{Path, PathBuf};

/// Option with the name of an output file, and that name if it is given.
pub type NamedOutput<'a> = (&'static str, Option<&'a Path>);

/// Checked outputs of a command, and the destination of its report for people: standard output, or
/// standard error if a file or JSON is written to standard output.
pub struct Output {
    inputs: Vec<PathBuf>,
    protects_scenes: bool,
    is_stdout_taken: bool,
}

/// Option that permits a command to overwrite scene files.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Overwrite {
    /// Overwrite existing scene files that have the names of output files
    #[arg(long)]
    pub force: bool,
}

impl Output {
    /// Checks all outputs of a command before it computes: the files that its options name, the
    /// files that are written beside them, and JSON if `json` is true. `inputs` are all files that
    /// the command reads.
    pub fn check(
        inputs: Vec<PathBuf>,
        outputs: &[NamedOutput],
        json: bool,
        overwrite: Overwrite,
    ) -> Result<Self, Error> {
        let named = || outputs.iter().filter_map(|&(option, path)| Some((option, path?)));
        let streamed = named().filter(|(_, path)| is_standard_output(path));
        let streamed = streamed.map(|(option, path)| format!("{option} {}", path.display()));
        let streamed: Vec<String> = streamed.chain(json.then(|| "--json".to_owned())).collect();
        if let [first, second, ..] = &streamed[..] {
            return Err(Error::Streams(format!("{first} and {second}"), "standard output"));
        }
        let this = Self {
            inputs: inputs.into_iter().filter_map(file_behind_stream).collect(),
            protects_scenes: !overwrite.force,
            is_stdout_taken: !streamed.is_empty(),
        };
        let mut files: Vec<(&str, PathBuf)> = Vec::new();
        for (option, path) in named() {
            let Some(file) = check_output(path, this.protected())? else { continue };
            if let Some((first, _)) = files.iter().find(|(_, other)| *other == file) {
                let options = [*first, option];
                return Err(Error::SameFile { path: path.to_owned(), options });
            }
            files.push((option, file));
        }
        Ok(this)
    }

    pub fn protected(&self) -> ProtectedFiles<'_> {
        ProtectedFiles { inputs: &self.inputs, scenes: self.protects_scenes }
    }

    pub fn create(&self, path: &Path) -> Result<OutputFile, ExportError> {
        OutputFile::create(path, self.protected())
    }

    pub fn write(&self, path: &Path, content: impl AsRef<[u8]>) -> Result<(), ExportError> {
        write_file(path, content, self.protected())
    }

    /// Writes a drawing to the requested files. Creates the drawing only if a file is requested.
    pub fn write_figure(
        &self,
        drawing: impl FnOnce() -> Drawing,
        png: Option<&Path>,
        svg: Option<&Path>,
    ) -> Result<(), ExportError> {
        if png.is_none() && svg.is_none() {
            return Ok(());
        }
        let drawing = drawing();
        if let Some(path) = png {
            self.write(path, drawing.to_png()?)?;
        }
        svg.map_or(Ok(()), |path| self.write(path, drawing.to_svg()))
    }

    pub fn print(&self, text: &str) -> Result<(), Error> {
        if self.is_stdout_taken {
            eprint!("{text}");
            return Ok(());
        }
        print(text)
    }
}

/// Returns the file of an input. Standard input has a file only if the shell redirects it from one.
fn file_behind_stream(input: PathBuf) -> Option<PathBuf> {
    if input != Path::new(STREAM) {
        return Some(input);
    }
    Some(PathBuf::from("/dev/stdin")).filter(|stream| stream.is_file())
}
