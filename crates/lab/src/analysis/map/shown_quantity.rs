//! Quantity that the cells of a map show.

use serde::{Deserialize, Serialize};

/// Quantity that a cell shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ShownQuantity {
    /// Growth factor per step of a small perturbation of the equilibrium. A cell counts as stable
    /// up to 1.007 in a run, unless theory says that small vibrations grow with its step.
    Growth,
    /// Largest strain of a link in a run from the start of the scene; permitted up to `most`.
    Stretch {
        /// Duration of the run in seconds.
        duration: f64,
        /// Largest permitted strain, as a fraction of the rest length.
        most: f64,
    },
    /// Largest error in a run from the start of the scene, measured 60 times per second; permitted
    /// up to `most`. An error is the distance of a particle from the reference run plus the
    /// uncertainty of the reference run, as a fraction of the size of the motion.
    Error {
        /// Duration of the run in seconds.
        duration: f64,
        /// Largest permitted error, as a fraction of the size of the motion.
        most: f64,
    },
}

/// Cell of a stability map, with the result of its simulation run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Value of the shown quantity; NaN if the cell was not computed.
    pub value: f64,
    /// True if the cell is stable, or if its strain or error is within the permitted value.
    pub holds: bool,
}
