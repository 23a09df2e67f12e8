//! Choice of lanes: the selected lane, the shown lanes, and the reference lane for distances.

use super::Laboratory;
use crate::app::laboratory::distance::Distances;
use crate::session::Lane;
use crate::simulation::settings::MOST_LANES;

/// Lanes that the window selects, hides and compares, by colour.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    /// The selected lane.
    pub selected: usize,
    /// The only lane in the picture, if one is shown alone.
    pub solo: Option<usize>,
    /// The lane that the others are measured against.
    pub reference: Option<usize>,
    /// Lanes that are hidden by their own switches.
    pub hidden: [bool; MOST_LANES],
}

impl Laboratory {
    /// Place of the selected lane.
    pub fn selected_index(&self) -> usize {
        self.session.lanes().iter().position(|lane| lane.color == self.shown.selected).unwrap_or(0)
    }

    /// The selected lane.
    pub fn selected(&self) -> &Lane {
        &self.session.lanes()[self.selected_index()]
    }

    /// True if a lane is in the picture.
    pub fn shows(&self, color: usize) -> bool {
        self.shown.solo.map_or(!self.shown.hidden[color], |solo| solo == color)
    }

    /// Measures the other lanes against this one from now on, or not any more.
    pub fn toggle_reference(&mut self, color: usize) {
        self.shown.reference = if self.shown.reference == Some(color) { None } else { Some(color) };
    }

    /// Measures the distances of the lanes from their reference lane.
    pub fn compare(&mut self) {
        let mut distances = std::mem::take(&mut self.distances);
        distances.observe(self);
        self.distances = distances;
    }

    /// Distances of the lanes from the reference lane.
    pub fn distances(&self) -> &Distances {
        &self.distances
    }

    /// Hides or shows a lane.
    pub fn toggle_hidden(&mut self, color: usize) {
        self.shown.hidden[color] = !self.shown.hidden[color];
    }

    /// Shows one lane alone, or all again.
    pub fn toggle_solo(&mut self, color: usize) {
        self.shown.solo = if self.shown.solo == Some(color) { None } else { Some(color) };
    }
}
