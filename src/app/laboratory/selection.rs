//! Choice of lanes: the selected lane, the shown lanes, and the reference lane for distances.

use super::Laboratory;
use crate::app::laboratory::distance::Distances;
use crate::session::Lane;
use crate::simulation::settings::MOST_LANES;

/// Lanes that the window selects, hides and compares, by colour.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    /// Colour of the selected lane.
    pub selected: usize,
    /// Colour of the only lane in the picture, if one lane is shown alone.
    pub solo: Option<usize>,
    /// Colour of the reference lane, from which the distances of the others are measured.
    pub reference: Option<usize>,
    /// Lanes that their own switches hide.
    pub hidden: [bool; MOST_LANES],
}

impl Laboratory {
    /// Returns the place of the selected lane in the session.
    pub fn selected_index(&self) -> usize {
        self.session.lanes().iter().position(|lane| lane.color == self.shown.selected).unwrap_or(0)
    }

    /// Returns the selected lane.
    pub fn selected(&self) -> &Lane {
        &self.session.lanes()[self.selected_index()]
    }

    /// True if a lane is in the picture.
    pub fn shows(&self, color: usize) -> bool {
        self.shown.solo.map_or(!self.shown.hidden[color], |solo| solo == color)
    }

    /// Makes a lane the reference lane. If it is the reference lane already, there is none
    /// afterwards.
    pub fn toggle_reference(&mut self, color: usize) {
        self.shown.reference = if self.shown.reference == Some(color) { None } else { Some(color) };
    }

    /// Measures the distances of the lanes from their reference lane.
    pub fn compare(&mut self) {
        let mut distances = std::mem::take(&mut self.distances);
        distances.observe(self);
        self.distances = distances;
    }

    /// Returns the distances of the lanes from the reference lane.
    pub fn distances(&self) -> &Distances {
        &self.distances
    }

    /// Hides or shows a lane.
    pub fn toggle_hidden(&mut self, color: usize) {
        self.shown.hidden[color] = !self.shown.hidden[color];
    }

    /// Shows one lane alone. If it is alone already, all lanes are shown again.
    pub fn toggle_solo(&mut self, color: usize) {
        self.shown.solo = if self.shown.solo == Some(color) { None } else { Some(color) };
    }
}
