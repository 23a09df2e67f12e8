//! Lanes of a scene. Each lane has the scene's settings, changed by its own settings.

use crate::LaneSetup;
use crate::constraint::ConstraintSolver;
use crate::names::visible_text::visible;
use crate::numerics::magnitude::short;
use crate::simulation::settings::{LinkMode, MOST_LANES, Settings};
use crate::simulation::timing::frame_source::{FrameSource, RATES};
use crate::typed::file::SceneFile;
use crate::typed::lane_file::{GuardsFile, LaneFile, SettingsFile};
use crate::typed::located::{Fault, Located};

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
    let lanes: Vec<LaneSetup> = file.lanes.iter().map(lane).collect::<Result<_, Fault>>()?;
    names_differ(&file.lanes, &lanes)?;
    Ok(lanes)
}

/// Refuses lanes that share a name: no command could tell them apart by it.
fn names_differ(typed: &[Located<LaneFile>], lanes: &[LaneSetup]) -> Result<(), Fault> {
    for (i, LaneSetup { name, .. }) in lanes.iter().enumerate() {
        if let Some(first) = lanes[..i].iter().position(|lane| lane.name == *name) {
            return Err(typed[i].fault(format!(
                "lane {} has the name \"{name}\" of lane {}, expected a name of its own: `--lane \
                 {name}` could mean either",
                i + 1,
                first + 1
            )));
        }
    }
    Ok(())
}

/// Returns the source of a lane's frames, from a display rate or from a listed source.
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

/// Checks the frame rate of a display and returns it, in Hz.
fn rate(rate: &Located<f64>) -> Result<f64, Fault> {
    if RATES.contains(&**rate) {
        return Ok(**rate);
    }
    let (least, most) = (RATES.start(), RATES.end());
    Err(rate.fault(format!("found {}, expected {least} to {most} frames a second", short(**rate))))
}

/// Sets a value if it is given. The settings were valid before, so an error afterwards belongs to
/// this value.
fn put<T: Copy>(
    given: &Option<Located<T>>,
    settings: &mut Settings,
    place: impl FnOnce(&mut Settings) -> &mut T,
) -> Result<(), Fault> {
    let Some(given) = given else { return Ok(()) };
    *place(settings) = **given;
    given.blame(settings.check())
}

impl SettingsFile {
    /// Returns the base settings with the given values replaced. The base is valid, so an error
    /// belongs to the value after which the settings are invalid.
    pub(crate) fn apply(&self, base: Settings) -> Result<Settings, Fault> {
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
        let s = &mut settings;
        put(integrator, s, |s| &mut s.integrator)?;
        put(constraints, s, |s| &mut s.constraints)?;
        if constraints.as_ref().is_some_and(|given| **given != ConstraintSolver::None) {
            s.links = LinkMode::Constraints;
        }
        put(links, s, |s| &mut s.links)?;
        put(stiffness_damping, s, |s| &mut s.stiffness_damping)?;
        put(contact, s, |s| &mut s.contact)?;
        put(tear, s, |s| &mut s.tear)?;
        put(tethers, s, |s| &mut s.tethers)?;
        put(strain_limit, s, |s| &mut s.strain_limit)?;
        put(dt, s, |s| &mut s.dt)?;
        put(substeps, s, |s| &mut s.substeps)?;
        put(stepping, s, |s| &mut s.stepping)?;
        if let Some(GuardsFile { frame_clamp, accumulator_cap, most_steps, time_budget }) = guards {
            put(frame_clamp, s, |s| &mut s.guards.frame_clamp)?;
            put(accumulator_cap, s, |s| &mut s.guards.accumulator_cap)?;
            put(most_steps, s, |s| &mut s.guards.most_steps)?;
            put(time_budget, s, |s| &mut s.guards.time_budget)?;
        }
        put(longest_link, s, |s| &mut s.longest_link)?;
        put(largest_residual, s, |s| &mut s.largest_residual)?;
        Ok(settings)
    }
}
