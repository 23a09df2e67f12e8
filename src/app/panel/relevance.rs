//! Choice of the controls that matter for the scene.

use crate::app::laboratory::Laboratory;
use crate::integrate::{Method, PositionVerlet};
use crate::simulation::settings::Settings;
use crate::simulation::timing::frame_source::FrameSource;

/// Facts about a scene that decide which controls matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relevance {
    pub contact: bool,
    pub balls: bool,
    pub several_balls: bool,
    pub self_contact: bool,
    pub single_precision: bool,
    pub rootless_relaxation: bool,
    /// True if a simulated display of the scene has random frame times.
    pub seed: bool,
}

impl Relevance {
    pub fn of(laboratory: &Laboratory) -> Self {
        let geometry = &laboratory.session().scene().parts.contact;
        let thrown = laboratory.selected().simulation.model().thrown().balls.len();
        let balls = geometry.balls.len() + thrown;
        let lanes = &laboratory.session().scene().lanes;
        let uses = |test: fn(&Settings) -> bool| {
            let now = laboratory.session().lanes().iter().map(|lane| lane.simulation.settings());
            lanes.iter().map(|lane| &lane.settings).chain(now).any(test)
        };
        Self {
            contact: !geometry.is_empty() || thrown > 0,
            balls: balls > 0,
            several_balls: balls > 1,
            self_contact: geometry.contact_table.has_self_contact(),
            single_precision: uses(|settings| {
                matches!(
                    settings.integrator,
                    Method::PositionVerlet(PositionVerlet { single: true, .. })
                )
            }),
            rootless_relaxation: uses(|settings| settings.constraints.is_root_free()),
            seed: lanes.iter().any(|lane| matches!(lane.frames, FrameSource::Jitter { .. })),
        }
    }
}
