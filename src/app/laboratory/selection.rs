//! Choice of lanes: the selected lane, the shown lanes, and the reference lane for distances.

use super::Laboratory;
use crate::app::laboratory::distance::Distances;
use crate::session::Lane;
use crate::simulation::settings::MOST_LANES;

/// Lanes that the window selects, hides and compares. A lane is identified by its colour.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    pub selected: usize,
    /// Colour of the lane that is shown alone, if there is one.
    pub solo: Option<usize>,
    /// Colour of the reference lane, from which the distances of the other lanes are measured.
    pub reference: Option<usize>,
    pub hidden: [bool; MOST_LANES],
}

impl Laboratory {
    pub fn index_of_lane(&self, color: usize) -> Option<usize> {
        self.session.lanes().iter().position(|lane| lane.color == color)
    }

    pub fn selected_index(&self) -> usize {
        self.index_of_lane(self.shown.selected).unwrap_or(0)
    }

    pub fn selected(&self) -> &Lane {
        &self.session.lanes()[self.selected_index()]
    }

    pub fn shows(&self, color: usize) -> bool {
        self.shown.solo.map_or(!self.shown.hidden[color], |solo| solo == color)
    }

    /// Makes the lane with this colour the reference lane, or ends the comparison if it already is.
    pub fn toggle_reference(&mut self, color: usize) {
        toggle(&mut self.shown.reference, color);
    }

    /// Measures the distances of the lanes from their reference lane.
    pub fn compare(&mut self) {
        let mut distances = std::mem::take(&mut self.distances);
        distances.observe(self);
        self.distances = distances;
    }

    pub fn distances(&self) -> &Distances {
        &self.distances
    }

    pub fn toggle_hidden(&mut self, color: usize) {
        self.shown.hidden[color] = !self.shown.hidden[color];
    }

    /// Shows the lane with this colour alone, or all lanes again if it already is alone.
    pub fn toggle_solo(&mut self, color: usize) {
        toggle(&mut self.shown.solo, color);
    }
}

fn toggle(chosen: &mut Option<usize>, color: usize) {
    *chosen = Some(color).filter(|_| *chosen != Some(color));
}
