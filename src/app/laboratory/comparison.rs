//! Replacement of all lanes by those of a prepared comparison or of the scene's file.

use super::Laboratory;
use super::edits::{LaboratoryAction, LaneSet};
use crate::preset::Preset;
use crate::scene::LaneSetup;
use crate::session::Lane;
use crate::simulation::settings::{Command, MOST_LANES};

impl Laboratory {
    /// Replaces the lanes with those of a prepared comparison, makes the first lane the reference
    /// lane, and restarts the scene. Returns the time step of the last lane in seconds.
    pub fn begin_comparison(&mut self, preset: Preset) -> f64 {
        let base = *self.selected().simulation.settings();
        let base = preset.base(&self.session.scene().parts, &base);
        let lanes = preset.lanes(&base);
        let dt = lanes.last().map_or(base.dt, |lane| lane.settings.dt);
        let lanes = LaneSet { lanes, reference: Some(0) };
        if self.edits.must_wait() {
            self.queue_request(LaboratoryAction::ExchangeLanes(lanes));
        } else {
            self.exchange_lanes(lanes);
        }
        dt
    }

    /// Restores the lanes and settings of the scene's file, and restarts the scene.
    pub fn restore_lanes(&mut self) {
        if self.edits.must_wait() {
            return self.queue_request(LaboratoryAction::RestoreLanes);
        }
        let lanes = self.session.scene().lanes.iter().take(MOST_LANES).cloned().collect();
        self.exchange_lanes(LaneSet { lanes, reference: None });
    }

    /// Returns the setups of the lanes and the index of the reference lane.
    pub(super) fn lane_set(&self) -> LaneSet {
        let lanes = self.session.lanes();
        let is_reference = |lane: &Lane| Some(lane.color) == self.shown.reference;
        LaneSet {
            lanes: lanes.iter().map(setup_of).collect(),
            reference: lanes.iter().position(is_reference),
        }
    }

    pub fn has_other_lanes(&self) -> bool {
        let own = self.session.scene().lanes.iter().take(MOST_LANES);
        own.ne(&self.lane_set().lanes)
    }

    pub(super) fn replace_lanes(&mut self, lanes: Vec<LaneSetup>) {
        while self.session.lanes().len() > 1 {
            self.command(Command::RemoveLane(1));
        }
        for (index, lane) in lanes.into_iter().enumerate() {
            let LaneSetup { name, settings, frames } = lane;
            if index == 0 {
                self.command(Command::Configure { lane: 0, settings });
                self.command(Command::NameLane { lane: 0, name });
            } else {
                self.command(Command::AddLane { name, settings });
            }
            self.session.set_frame_source(index, frames);
        }
        self.history.keep_moment(&self.session);
        let first = self.session.lanes()[0].color;
        (self.shown.selected, self.shown.solo) = (first, None);
        self.shown.hidden = [false; MOST_LANES];
        self.command(Command::Reset);
    }
}

fn setup_of(lane: &Lane) -> LaneSetup {
    LaneSetup {
        name: lane.name.clone(),
        settings: *lane.simulation.settings(),
        frames: lane.display.source().clone(),
    }
}
