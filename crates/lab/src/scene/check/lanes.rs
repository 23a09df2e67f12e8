//! Lanes of a scene, each with the scene's settings and its own on top of them.

use crate::constraint::ConstraintSolver;
use crate::names::shown::visible;
use crate::numerics::magnitude::short;
use crate::scene::LaneSetup;
use crate::scene::typed::file::SceneFile;
use crate::scene::typed::lane_file::{GuardsFile, LaneFile, SettingsFile};
use crate::scene::typed::located::{Fault, Located};
use crate::simulation::settings::{LinkMode, MOST_LANES, Settings};
use crate::simulation::timing::frame_source::{FrameSource, RATES};

pub(super) fn lanes(file: &SceneFile) -> Result<Vec<LaneSetup>, Fault> {
    let base = file.settings.apply(Settings::default())?;
    if let Some(lane) = file.lanes.get(MOST_LANES) {
        return Err(
            lane.fault(format!("found {} lanes, expected at most {MOST_LANES}", file.lanes.len()))
        );
    }
    if file.lanes.is_empty() {
        let name = base.integrator.info().title.to_owned();
        return Ok(vec![LaneSetup { name, settings: base, frames: FrameSource::Measured }]);
    }
    let lane = |lane: &Located<LaneFile>| {
        let (name, settings) = (visible(&lane.name), lane.settings.apply(base)?);
        Ok(LaneSetup { name, settings, frames: frames(lane)? })
    };
    file.lanes.iter().map(lane).collect()
}

/// Returns the source of a lane's frames, given by a display rate or as a source.
fn frames(LaneFile { display, frames, .. }: &LaneFile) -> Result<FrameSource, Fault> {
    match (display, frames) {
        (None, None) => Ok(FrameSource::Measured),
        (Some(display), None) => Ok(FrameSource::Constant { rate: rate(display)? }),
        (None, Some(frames)) => {
            frames.blame(frames.check())?;
            Ok(FrameSource::clone(frames))
        }
        (Some(_), Some(frames)) => {
            Err(frames.fault("found both `display` and `frames`, expected one"))
        }
    }
}

/// Checks the frame rate of a display.
fn rate(rate: &Located<f64>) -> Result<f64, Fault> {
    if RATES.contains(&**rate) {
        return Ok(**rate);
    }
    let (least, most) = (RATES.start(), RATES.end());
    Err(rate.fault(format!("found {}, expected {least} to {most} frames a second", short(**rate))))
}

impl SettingsFile {
    /// Returns the base settings with the values given here. The base is valid, so the field after
    /// which the settings become invalid is to blame.
    pub(in crate::scene) fn apply(&self, base: Settings) -> Result<Settings, Fault> {
        let Self {
            integrator,
            links,
            constraints,
            stiffness_damping,
            contact,
            tear,
            tethers,
            strain_limit,
            dt,
            substeps,
            stepping,
            guards,
            longest_link,
            largest_residual,
        } = self;
        let mut settings = base;
        if let Some(integrator) = integrator {
            settings.integrator = **integrator;
            integrator.blame(settings.check())?;
        }
        if let Some(constraints) = constraints {
            settings.constraints = **constraints;
            constraints.blame(settings.check())?;
            if **constraints != ConstraintSolver::None {
                settings.links = LinkMode::Constraints;
            }
        }
        if let Some(links) = links {
            settings.links = **links;
        }
        if let Some(stiffness_damping) = stiffness_damping {
            settings.stiffness_damping = **stiffness_damping;
            stiffness_damping.blame(settings.check())?;
        }
        if let Some(contact) = contact {
            settings.contact = **contact;
            contact.blame(settings.check())?;
        }
        if let Some(tear) = tear {
            settings.tear = **tear;
            tear.blame(settings.check())?;
        }
        if let Some(tethers) = tethers {
            settings.tethers = **tethers;
            tethers.blame(settings.check())?;
        }
        if let Some(strain_limit) = strain_limit {
            settings.strain_limit = **strain_limit;
            strain_limit.blame(settings.check())?;
        }
        if let Some(dt) = dt {
            settings.dt = **dt;
            dt.blame(settings.check())?;
        }
        if let Some(substeps) = substeps {
            settings.substeps = **substeps;
            substeps.blame(settings.check())?;
        }
        if let Some(stepping) = stepping {
            settings.stepping = **stepping;
            stepping.blame(settings.check())?;
        }
        if let Some(GuardsFile { frame_clamp, accumulator_cap, most_steps, time_budget }) = guards {
            if let Some(frame_clamp) = frame_clamp {
                settings.guards.frame_clamp = **frame_clamp;
                frame_clamp.blame(settings.check())?;
            }
            if let Some(accumulator_cap) = accumulator_cap {
                settings.guards.accumulator_cap = **accumulator_cap;
                accumulator_cap.blame(settings.check())?;
            }
            if let Some(most_steps) = most_steps {
                settings.guards.most_steps = **most_steps;
                most_steps.blame(settings.check())?;
            }
            if let Some(time_budget) = time_budget {
                settings.guards.time_budget = **time_budget;
                time_budget.blame(settings.check())?;
            }
        }
        if let Some(longest_link) = longest_link {
            settings.longest_link = **longest_link;
            longest_link.blame(settings.check())?;
        }
        if let Some(largest_residual) = largest_residual {
            settings.largest_residual = **largest_residual;
            largest_residual.blame(settings.check())?;
        }
        Ok(settings)
    }
}
