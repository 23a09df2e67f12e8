//! Controls that the panel shows only if they matter for the scene. A lane is one of the scene's
//! simulations that run side by side.

use crate::app::laboratory::Laboratory;
use crate::integrate::{Method, PositionVerlet};
use crate::simulation::settings::Settings;
use crate::simulation::timing::frame_source::FrameSource;

/// Facts about a scene that decide which controls matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relevance {
    /// True if contact is possible.
    pub contact: bool,
    /// True if there are balls, of the scene or thrown.
    pub balls: bool,
    /// True if there are at least two balls.
    pub several_balls: bool,
    /// True if balls were thrown.
    pub thrown: bool,
    /// True if ropes or cloths touch themselves.
    pub self_contact: bool,
    /// True if a lane keeps positions in 32 bits.
    pub single_precision: bool,
    /// True if a lane uses relaxation without a square root.
    pub rootless_relaxation: bool,
    /// True if a simulated display of the scene jitters at random.
    pub seed: bool,
}

impl Relevance {
    /// Collects the facts about the scene and its lanes.
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
            thrown: thrown > 0,
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
