//! Choice of lanes: the selected lane, the shown lanes, and the reference lane for distances.

use super::Laboratory;
use super::state::DistanceChart;
use crate::session::Lane;

impl Laboratory {
    pub fn index_of_lane(&self, color: usize) -> Option<usize> {
        self.session.lanes().iter().position(|lane| lane.color == color)
    }

    pub fn selected_index(&self) -> usize {
        self.shown.index_of_selected(self.session.lanes())
    }

    pub fn selected(&self) -> &Lane {
        &self.session.lanes()[self.selected_index()]
    }

    pub fn shows(&self, color: usize) -> bool {
        self.shown.shows(color)
    }

    /// Makes the lane with this colour the reference lane. If it already is, ends the comparison.
    pub fn toggle_reference(&mut self, color: usize) {
        toggle(&mut self.shown.reference, color);
    }

    /// Measures the distances of the lanes from their reference lane.
    pub fn compare(&mut self) {
        self.distances.observe(self.session.lanes(), self.shown.reference);
    }

    /// Returns the chart of the distances; `None` without a reference lane.
    pub fn distance_chart(&self) -> Option<DistanceChart> {
        self.distances.chart(self.session.lanes(), &self.shown)
    }

    pub fn toggle_hidden(&mut self, color: usize) {
        self.shown.hidden[color] = !self.shown.hidden[color];
    }

    /// Shows only the lane with this colour. If it is already shown alone, shows all lanes again.
    pub fn toggle_solo(&mut self, color: usize) {
        toggle(&mut self.shown.solo, color);
    }
}

fn toggle(chosen: &mut Option<usize>, color: usize) {
    *chosen = Some(color).filter(|_| *chosen != Some(color));
}
