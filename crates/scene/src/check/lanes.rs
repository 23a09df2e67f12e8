//! Lanes of a scene: simulations of the same bodies that run side by side. Each lane has the
//! settings of the scene, unless its own settings override them.

use crate::scene::LaneSetup;
use crate::typed::file::SceneFile;
use crate::typed::lane_file::{GuardsFile, LaneFile, SettingsFile};
use crate::typed::located::{Fault, Located};
use ropelab_core::names::visible_text::visible;
use ropelab_core::quantity::magnitude::format_six_digits;
use ropelab_core::simulation::settings::{LinkMode, MOST_LANES, Settings};
use ropelab_core::simulation::timing::frame_source::{FrameSource, RATES};

pub(super) fn check_lanes(file: &SceneFile) -> Result<Vec<LaneSetup>, Fault> {
    let base = file.settings.apply(Settings::default())?;
    if let Some(lane) = file.lanes.get(MOST_LANES) {
        let count = file.lanes.len();
        return Err(lane.fault(format!("found {count} lanes, expected at most {MOST_LANES}")));
    }
    if file.lanes.is_empty() {
        let name = base.integrator.info().title.to_owned();
        return Ok(vec![LaneSetup { name, settings: base, frames: FrameSource::Measured }]);
    }
    let lane = |lane: &Located<LaneFile>| {
        let (name, settings) = (visible(&lane.name), lane.settings.apply(base)?);
        Ok(LaneSetup { name, settings, frames: frame_source(lane)? })
    };
    let lanes: Vec<LaneSetup> = file.lanes.iter().map(lane).collect::<Result<_, Fault>>()?;
    check_distinct_names(&file.lanes, &lanes)?;
    Ok(lanes)
}

/// Checks that lanes have different names, because commands refer to a lane by its name.
fn check_distinct_names(typed: &[Located<LaneFile>], lanes: &[LaneSetup]) -> Result<(), Fault> {
    for (i, LaneSetup { name, .. }) in lanes.iter().enumerate() {
        if let Some(first) = lanes[..i].iter().position(|lane| lane.name == *name) {
            return Err(typed[i].fault(format!(
                "lane {} has the name \"{name}\" of lane {}, expected a name of its own: `--lane \
                 {name}` could mean either lane",
                i + 1,
                first + 1
            )));
        }
    }
    Ok(())
}

/// Returns the source of a lane's frames: a simulated display with a constant rate, or the source
/// that the file lists.
fn frame_source(LaneFile { display, frames, .. }: &LaneFile) -> Result<FrameSource, Fault> {
    match (display, frames) {
        (None, None) => Ok(FrameSource::Measured),
        (Some(display), None) => Ok(FrameSource::Constant { rate: check_rate(display)? }),
        (None, Some(frames)) => {
            frames.blame(frames.check())?;
            Ok(FrameSource::clone(frames))
        }
        (Some(_), Some(frames)) => {
            Err(frames.fault("found both `display` and `frames`, expected one"))
        }
    }
}

/// Checks the frame rate of a simulated display and returns it, in Hz.
fn check_rate(rate: &Located<f64>) -> Result<f64, Fault> {
    if RATES.contains(&**rate) {
        return Ok(**rate);
    }
    let (least, most) = (RATES.start(), RATES.end());
    Err(rate.fault(format!(
        "found {}, expected {least} to {most} frames per second",
        format_six_digits(**rate)
    )))
}

/// Overrides a setting if the file contains it. All settings were valid before, so an error can
/// only come from the new value.
fn override_setting<T: Copy>(
    given: &Option<Located<T>>,
    settings: &mut Settings,
    place: impl FnOnce(&mut Settings) -> &mut T,
) -> Result<(), Fault> {
    let Some(given) = given else { return Ok(()) };
    *place(settings) = **given;
    given.blame(settings.check())
}

impl SettingsFile {
    /// Returns the base settings, overridden by the settings in the file. The base is valid, so an
    /// error belongs to the first setting that makes the result invalid.
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
        override_setting(integrator, s, |s| &mut s.integrator)?;
        override_setting(constraints, s, |s| &mut s.constraints)?;
        if constraints.as_ref().is_some_and(|given| !given.is_none()) {
            s.links = LinkMode::Constraints;
        }
        override_setting(links, s, |s| &mut s.links)?;
        override_setting(stiffness_damping, s, |s| &mut s.stiffness_damping)?;
        override_setting(contact, s, |s| &mut s.contact)?;
        override_setting(tear, s, |s| &mut s.tear)?;
        override_setting(tethers, s, |s| &mut s.tethers)?;
        override_setting(strain_limit, s, |s| &mut s.strain_limit)?;
        override_setting(dt, s, |s| &mut s.dt)?;
        override_setting(substeps, s, |s| &mut s.substeps)?;
        override_setting(stepping, s, |s| &mut s.stepping)?;
        if let Some(GuardsFile { frame_clamp, accumulator_cap, most_steps, time_budget }) = guards {
            override_setting(frame_clamp, s, |s| &mut s.guards.frame_clamp)?;
            override_setting(accumulator_cap, s, |s| &mut s.guards.accumulator_cap)?;
            override_setting(most_steps, s, |s| &mut s.guards.most_steps)?;
            override_setting(time_budget, s, |s| &mut s.guards.time_budget)?;
        }
        override_setting(longest_link, s, |s| &mut s.longest_link)?;
        override_setting(largest_residual, s, |s| &mut s.largest_residual)?;
        Ok(settings)
    }
}
