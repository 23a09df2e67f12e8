//! Lanes that the window selects, hides and compares.

use crate::session::Lane;
use crate::simulation::settings::MOST_LANES;

/// Lanes that the window selects, hides and compares. A lane is identified by its colour.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    /// Colour of the selected lane.
    pub selected: usize,
    /// Colour of the lane that is shown alone, if there is one.
    pub solo: Option<usize>,
    /// Colour of the reference lane, from which the distances of the other lanes are measured.
    pub reference: Option<usize>,
    pub hidden: [bool; MOST_LANES],
}

impl Shown {
    pub fn shows(&self, color: usize) -> bool {
        self.solo.map_or(!self.hidden[color], |solo| solo == color)
    }

    /// Returns the index of the selected lane; 0 if it does not exist.
    pub fn index_of_selected(&self, lanes: &[Lane]) -> usize {
        lanes.iter().position(|lane| lane.color == self.selected).unwrap_or(0)
    }

    /// Removes lanes that no longer exist from the selection, the solo mode and the comparison.
    pub fn deselect_absent(&mut self, lanes: &[Lane]) {
        let is_there = |color: &usize| lanes.iter().any(|lane| lane.color == *color);
        if !is_there(&self.selected) {
            self.selected = lanes.first().map_or(0, |lane| lane.color);
        }
        self.reference = self.reference.filter(is_there);
        self.solo = self.solo.filter(is_there);
    }
}
