//! Tables of the cells of a map. A map may be written in parts, e.g. by several computers, and
//! merged later.

use crate::analysis::map::{Cell, MapLine, MapPlan};
use crate::scene::text::read::ReadError;
use std::collections::BTreeMap;
use std::fmt::Write;
use thiserror::Error;

const HEAD: &str = "# ropelab map 1";
const COLUMNS: &str = "integrator,line,cell,x,y,value,holds,theory";

/// Table of the cells of a map, or of a part of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct CellFile {
    /// Name of the scene.
    pub scene: String,
    /// Plan of the map.
    pub plan: MapPlan,
    /// Rows (or columns) of cells, sorted by panel and by their number within the panel.
    pub lines: Vec<MapLine>,
}

/// Reason why parts cannot be merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A file could not be read.
    #[error("{file}: {source}")]
    File {
        /// Name of the file.
        file: String,
        /// Read error.
        source: ReadError,
    },
    /// A file is not a table of a map.
    #[error("{file}:{line}: {problem}")]
    Text {
        /// Name of the file.
        file: String,
        /// Number of the line in the file, counted from 1.
        line: usize,
        /// Description of the problem: the value found and the values expected.
        problem: String,
    },
    /// The files are parts of different maps.
    #[error("these files are parts of different maps: {0} and {1} differ in scene, axes or size")]
    Different(String, String),
    /// Parts are missing.
    #[error(
        "{missing} of {all} lines of the map are missing, the first is line {first} of panel \
             {panel}; expected the files of all parts"
    )]
    Missing {
        /// Number of missing rows (or columns) of cells.
        missing: usize,
        /// Number of rows (or columns) of the complete map.
        all: usize,
        /// Number of the first missing row (or column) within its panel.
        first: usize,
        /// Index of the panel of the first missing row (or column).
        panel: usize,
    },
    /// A part occurs twice.
    #[error(
        "line {number} of panel {panel} is in {} and in {}; expected every part once",
        files[0], files[1]
    )]
    Twice {
        /// Names of the files.
        files: [String; 2],
        /// Number of the row (or column) within its panel.
        number: usize,
        /// Index of the panel.
        panel: usize,
    },
}

impl CellFile {
    /// Returns the table as CSV, with the plan in its head. Floating-point numbers are written with
    /// the fewest digits that restore the same bits.
    pub fn to_csv(&self) -> String {
        let Self { scene, plan, lines } = self;
        let typed = ron::to_string(plan).expect("a plan has nothing that RON cannot write");
        let mut text = format!("{HEAD}\n# scene: {scene}\n# plan: {typed}\n{COLUMNS}\n");
        let (along, across) =
            if plan.by_columns() { (&plan.y, &plan.x) } else { (&plan.x, &plan.y) };
        for MapLine { panel, number, cells, theory, uncertainty: _ } in lines {
            let name = plan.integrators[*panel].info().name;
            let theory = theory.map_or(String::new(), |dt| format!("{dt:?}"));
            let there = across.value(*number as u32);
            for (i, Cell { value, holds }) in cells.iter().enumerate() {
                let here = along.value(i as u32);
                let (x, y) = if plan.by_columns() { (there, here) } else { (here, there) };
                writeln!(text, "{name},{number},{i},{x:?},{y:?},{value:?},{holds},{theory}")
                    .expect("a string takes all that is written");
            }
        }
        text
    }

    /// Reads a table that [`Self::to_csv`] has written. `file` is the name of the table in
    /// messages.
    pub fn parse(text: &str, file: &str) -> Result<Self, MergeError> {
        let bad = |line: usize, problem: &str| MergeError::Text {
            file: file.to_owned(),
            line: line + 1,
            problem: problem.to_owned(),
        };
        let mut rows = text.lines().enumerate();
        let mut head = |begin: &str, problem: &str| {
            let (i, line) = rows.next().unwrap_or((0, ""));
            line.strip_prefix(begin).map(str::to_owned).ok_or_else(|| bad(i, problem))
        };
        head(HEAD, "this is not a map; expected a file that `ropelab map --csv` wrote")?;
        let scene = head("# scene: ", "expected the line \"# scene: …\"")?;
        let plan = head("# plan: ", "expected the line \"# plan: …\"")?;
        let plan: MapPlan = ron::from_str(&plan).map_err(|error| {
            let column = "# plan: ".len() + error.span.start.col;
            let problem = format!(
                "the plan of the map is damaged at column {column}; expected the line as `ropelab \
                 map --csv` wrote it"
            );
            bad(2, &problem)
        })?;
        head(COLUMNS, "expected the names of the columns")?;
        let mut lines: Vec<MapLine> = Vec::new();
        for (i, row) in rows {
            let (panel, number, cell, theory) =
                read_row(row, &plan).ok_or_else(|| bad(i, "this row is not a cell of the map"))?;
            match lines.last_mut() {
                Some(line) if (line.panel, line.number) == (panel, number) => line.cells.push(cell),
                _ => {
                    let cells = vec![cell];
                    lines.push(MapLine { panel, number, cells, theory, uncertainty: None });
                }
            }
        }
        let length = if plan.by_columns() { plan.y.cells } else { plan.x.cells } as usize;
        match lines.iter().find(|line| line.cells.len() != length) {
            Some(line) => {
                let problem =
                    format!("line {} has {} of {length} cells", line.number, line.cells.len());
                Err(bad(text.lines().count() - 1, &problem))
            }
            None => Ok(Self { scene, plan, lines }),
        }
    }

    /// Merges the parts of a map. Returns an error if the map is not complete.
    pub fn merge(files: Vec<(String, Self)>) -> Result<Self, MergeError> {
        let key = |line: &MapLine| (line.panel, line.number);
        let Some((first, Self { scene, plan, .. })) = files.first() else {
            return Err(MergeError::Missing { missing: 0, all: 0, first: 0, panel: 0 });
        };
        let mut whole = Self { scene: scene.clone(), plan: plan.clone(), lines: Vec::new() };
        let mut names = BTreeMap::new();
        for (name, file) in &files {
            if (&file.scene, &file.plan) != (scene, plan) {
                return Err(MergeError::Different(first.clone(), name.clone()));
            }
            for (panel, number) in file.lines.iter().map(key) {
                if let Some(other) = names.insert((panel, number), name) {
                    let files = [other.clone(), name.clone()];
                    return Err(MergeError::Twice { files, number, panel });
                }
            }
        }
        whole.lines.extend(files.into_iter().flat_map(|(_, file)| file.lines));
        whole.lines.sort_by_key(key);
        let all = whole.plan.lines();
        let across = all / whole.plan.integrators.len().max(1);
        if whole.lines.len() < all {
            let is_there = |i: &usize| {
                whole.lines.binary_search_by_key(&(i / across, i % across), key).is_err()
            };
            let first = (0..all).find(is_there).unwrap_or(0);
            let missing = all - whole.lines.len();
            let (panel, first) = (first / across, first % across);
            return Err(MergeError::Missing { missing, all, first, panel });
        }
        Ok(whole)
    }

    /// Returns the cells of a panel row by row, the bottom row first. Rows that were not computed
    /// are left out.
    pub fn rows(&self, panel: usize) -> Vec<Vec<Cell>> {
        let lines: Vec<&MapLine> = self.lines.iter().filter(|line| line.panel == panel).collect();
        if !self.plan.by_columns() {
            return lines.iter().map(|line| line.cells.clone()).collect();
        }
        let row = |i: usize| lines.iter().map(|line| line.cells[i]).collect();
        (0..self.plan.y.cells as usize).map(row).collect()
    }
}

fn read_row(row: &str, plan: &MapPlan) -> Option<(usize, usize, Cell, Option<f64>)> {
    let fields: Vec<&str> = row.split(',').collect();
    let [name, number, _, _, _, value, holds, theory] = fields[..] else { return None };
    let panel = plan.integrators.iter().position(|method| method.info().name == name)?;
    let cell = Cell { value: value.parse().ok()?, holds: holds.parse().ok()? };
    let theory = if theory.is_empty() { None } else { Some(theory.parse().ok()?) };
    Some((panel, number.parse().ok()?, cell, theory))
}
