//! Axes of a map: the quantities that vary, and the ranges of their values.

use crate::names::{nearest, same_name, suggestion};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, IntoEnumIterator};
use thiserror::Error;

/// Maximum number of cells along one axis.
pub const MOST_CELLS: u32 = 4096;

/// Quantity that varies along an axis of a stability map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Display, EnumIter)]
#[strum(serialize_all = "kebab-case")]
pub enum Quantity {
    /// Step in seconds, `dt`.
    Dt,
    /// Stiffness of the stiffest link in N/m. The stiffness of all links is scaled by the same
    /// factor.
    Stiffness,
    /// Damping of the most damped link in N·s/m. The damping of all links is scaled by the same
    /// factor; if no link is damped, all get this damping.
    Damping,
    /// Mass of the heaviest free particle divided by the mass of the lightest one. Cells change the
    /// mass of the heaviest particle. If several particles are equally heavy, cells change the mass
    /// of the last free particle.
    MassRatio,
    /// Sweeps of the constraint solver.
    Iterations,
    /// Substeps per step.
    Substeps,
    /// Number of links of every rope.
    Segments,
    /// Value in the scene file, identified by its path, e.g. `materials[0].stiffness`.
    #[strum(to_string = "{0}")]
    Path(String),
}

/// Reason why an axis is invalid.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AxisError {
    /// The text does not have the form `NAME=FROM..TO`.
    #[error("\"{0}\" is not an axis; expected a name and a range such as dt=1e-4..1e-1")]
    Form(String),
    /// The name is neither the name of a quantity nor a path.
    #[error("unknown axis \"{found}\"{}; expected {}, or the path of a value in the scene file \
             such as materials[0].stiffness", suggestion(.nearest), names().join(", "))]
    Name {
        /// Name that was typed.
        found: String,
        /// Most similar known name; `None` if no name is similar.
        nearest: Option<String>,
    },
    /// The range of values, or the number of cells, is invalid.
    #[error("axis {name}: {problem}")]
    Range {
        /// Name of the quantity.
        name: String,
        /// Description of the problem: the value found and the values expected.
        problem: String,
    },
}

/// Returns the names of all quantities except paths.
fn names() -> Vec<String> {
    Quantity::iter().filter(|q| !matches!(q, Quantity::Path(_))).map(|q| q.to_string()).collect()
}

impl Quantity {
    /// Returns the quantity with this name. A name with a dot or a bracket is the path of a value
    /// in the scene file.
    pub fn from_name(name: &str) -> Result<Self, AxisError> {
        let is_path = name.contains(['.', '[']);
        let mut named = Self::iter().filter(|quantity| !matches!(quantity, Self::Path(_)));
        let known = named.find(|quantity| same_name(&quantity.to_string(), name));
        match known {
            Some(quantity) => Ok(quantity),
            None if is_path => Ok(Self::Path(name.to_owned())),
            None => {
                let names = names();
                let nearest = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
                Err(AxisError::Name { found: name.to_owned(), nearest })
            }
        }
    }

    /// Returns the label without its unit, for the axis of a chart.
    pub fn label(&self) -> String {
        match self {
            Self::Dt => "dt".to_owned(),
            Self::Stiffness => "stiffness of the stiffest link".to_owned(),
            Self::Damping => "damping of the most damped link".to_owned(),
            Self::MassRatio => "heaviest over lightest mass".to_owned(),
            Self::Iterations => "sweeps".to_owned(),
            Self::Substeps => "substeps".to_owned(),
            Self::Segments => "links of a rope".to_owned(),
            Self::Path(path) => path.clone(),
        }
    }

    /// Returns the unit of the values; empty for a path.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Dt => "s",
            Self::Stiffness => "N/m",
            Self::Damping => "N·s/m",
            Self::MassRatio
            | Self::Iterations
            | Self::Substeps
            | Self::Segments
            | Self::Path(_) => "",
        }
    }

    fn is_whole(&self) -> bool {
        match self {
            Self::Iterations | Self::Substeps | Self::Segments => true,
            Self::Path(path) => {
                ["segments", "iterations", "substeps"].iter().any(|name| path.ends_with(name))
            }
            Self::Dt | Self::Stiffness | Self::Damping | Self::MassRatio => false,
        }
    }

    /// True if the quantity is a setting. The simulated scene is then the same in all cells.
    pub(super) fn is_setting(&self) -> bool {
        matches!(self, Self::Dt | Self::Iterations | Self::Substeps)
    }
}

/// Axis of a stability map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Quantity that varies along the axis.
    pub quantity: Quantity,
    /// Value of the quantity at the beginning of the first cell.
    pub from: f64,
    /// Value of the quantity at the end of the last cell.
    pub to: f64,
    /// Number of cells.
    pub cells: u32,
    /// True if all cells cover equal ratios (logarithmic axis). False if they cover equal
    /// differences.
    pub log: bool,
}

impl Axis {
    /// Reads an axis such as `dt=1ms..100ms` or `stiffness=1e1..1e6`. If both ends are positive and
    /// differ by a factor of at least 10, the axis is logarithmic. `number` reads one end of the
    /// range.
    pub fn read(
        text: &str,
        cells: u32,
        number: impl Fn(&Quantity, &str) -> Result<f64, String>,
    ) -> Result<Self, AxisError> {
        let form = || AxisError::Form(text.to_owned());
        let (name, range) = text.split_once('=').ok_or_else(form)?;
        let quantity = Quantity::from_name(name.trim())?;
        let (from, to) = range.split_once("..").ok_or_else(form)?;
        let bad = |problem: String| AxisError::Range { name: quantity.to_string(), problem };
        let end = |text: &str| number(&quantity, text.trim()).map_err(bad);
        let (from, to) = (end(from)?, end(to)?);
        Self::new(quantity, [from, to], cells)
    }

    /// Creates an axis if the range and the number of cells are valid.
    pub fn new(quantity: Quantity, [from, to]: [f64; 2], cells: u32) -> Result<Self, AxisError> {
        let name = quantity.to_string();
        let bad = |problem: String| Err(AxisError::Range { name: name.clone(), problem });
        if !(from.is_finite() && to.is_finite()) {
            return bad(format!("found {from}..{to}, expected finite numbers"));
        }
        if from >= to {
            return bad(format!("{from}..{to} is empty, expected the smaller number first"));
        }
        if !(1..=MOST_CELLS).contains(&cells) {
            return bad(format!("found {cells} cells, expected 1 to {MOST_CELLS}"));
        }
        let least = match quantity {
            Quantity::Path(_) => f64::NEG_INFINITY,
            Quantity::Damping => 0.0,
            _ if quantity.is_whole() => 1.0,
            Quantity::MassRatio => 1.0,
            _ => f64::MIN_POSITIVE,
        };
        if from < least {
            let least = if least == f64::MIN_POSITIVE {
                "more than 0"
            } else {
                &format!("at least {least}")
            };
            return bad(format!("begins at {from}, expected {least}"));
        }
        let log = from > 0.0 && to / from >= 10.0;
        Ok(Self { quantity, from, to, cells, log })
    }

    /// Returns the value in the middle of a cell.
    pub fn value(&self, cell: u32) -> f64 {
        let value = self.at(f64::from(cell) + 0.5);
        if self.quantity.is_whole() { value.round().max(1.0) } else { value }
    }

    /// Returns the value at a distance of `cells` cells from the start of the axis.
    pub fn at(&self, cells: f64) -> f64 {
        let fraction = cells / f64::from(self.cells);
        if self.log {
            self.from * (self.to / self.from).powf(fraction)
        } else {
            self.from + (self.to - self.from) * fraction
        }
    }
}
