//! Controls that the panel shows only where the scene has use for them.

use crate::app::laboratory::Laboratory;
use crate::integrate::{Method, PositionVerlet};
use crate::simulation::settings::Settings;
use crate::simulation::timing::frame_source::FrameSource;

/// Controls that a scene has use for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relevance {
    /// True if contact is possible.
    pub contact: bool,
    /// True if there are balls, of the scene or thrown.
    pub balls: bool,
    /// True if there are at least two balls.
    pub pairs: bool,
    /// Balls were thrown.
    pub thrown: bool,
    /// Ropes or cloths touch themselves.
    pub self_contact: bool,
    /// A lane keeps positions in 32 bits.
    pub single: bool,
    /// A lane relaxes without a square root.
    pub root: bool,
    /// The scene has a display that jitters by chance.
    pub seed: bool,
}

impl Relevance {
    /// Finds the features that the scene and its lanes use.
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
            pairs: balls > 1,
            thrown: thrown > 0,
            self_contact: geometry.contact_table.touch_themselves(),
            single: uses(|settings| {
                matches!(
                    settings.integrator,
                    Method::PositionVerlet(PositionVerlet { single: true, .. })
                )
            }),
            root: uses(|settings| settings.constraints.is_root_free()),
            seed: lanes.iter().any(|lane| matches!(lane.frames, FrameSource::Jitter { .. })),
        }
    }
}
