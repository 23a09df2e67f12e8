//! Scenes and settings as RON text. Ropes, nets and cloths are written with the fields that their
//! author wrote, settings and camera with all their values.

use super::camera::CameraSetup;
use super::error::translate_ron_error;
use super::ron_options::{ron_extensions, ron_options};
use super::scene::{LaneSetup, Scene};
use super::text::brackets::Bracketed;
use super::text::nesting;
use super::typed::contact_file::ThrownFile;
use super::typed::file::{CutFile, PinFile, SceneFile, StartFile};
use super::typed::lane_file::{GuardsFile, LaneFile, SettingsFile};
use super::typed::located::Located;
use super::typed::number::{NonNegative, Point, Positive};
use super::typed::particles::Particles;
use super::typed::reading::ReadingFile;
use glam::DVec3;
use ropelab_core::model::{Model, PinnedParticle, Throw, ThrownBall, ThrownBy};
use ropelab_core::numerics::state::State;
use ropelab_core::numerics::trajectory::Trajectory;
use ropelab_core::quantity::magnitude::{GREATEST, is_moderate};
use ropelab_core::simulation::Simulation;
use ropelab_core::simulation::settings::Settings;
use ropelab_core::simulation::timing::frame_source::FrameSource;
use ropelab_core::simulation::timing::stepper::Guards;
use std::collections::BTreeSet;

/// Returns the most important settings of a lane (one simulation) as a field of a scene file:
/// `settings: (…)`. Contact, stepping, tethers, strain limit and guards are included if they differ
/// from the defaults.
pub fn settings_to_ron(settings: &Settings) -> String {
    let mut fields = vec![format!("integrator: {}", compact_ron(&settings.integrator))];
    let solver = settings.solver();
    if !solver.is_none() {
        fields.push(format!("constraints: {}", compact_ron(&solver)));
    } else if !settings.constraints.is_none() {
        fields.push("links: Springs".to_owned());
    }
    if settings.stiffness_damping > 0.0 {
        fields.push(format!("stiffness_damping: {:?}", settings.stiffness_damping));
    }
    fields.push(format!("dt: {:?}", settings.dt));
    if settings.substeps > 1 {
        fields.push(format!("substeps: {}", settings.substeps));
    }
    let usual = Settings::default();
    let differing = [
        changed_field("contact", settings.contact, usual.contact),
        changed_field("stepping", settings.stepping, usual.stepping),
        changed_field("tethers", settings.tethers, usual.tethers),
        changed_field("strain_limit", settings.strain_limit, usual.strain_limit),
        changed_field("guards", settings.guards, usual.guards),
    ];
    fields.extend(differing.into_iter().flatten());
    format!("settings: ({})", fields.join(", "))
}

/// Returns all settings of a lane as a field of a scene file, with one setting per line.
pub fn all_settings_to_ron(settings: &Settings) -> String {
    let pretty =
        ron::ser::PrettyConfig::new().depth_limit(1).new_line("\n").extensions(ron_extensions());
    let text = ron_options().to_string_pretty(&SettingsFile::from(settings), pretty);
    let text = text.expect("settings have nothing that RON cannot write");
    format!("settings: {}", text.trim_start_matches(|c| c != '('))
}

/// Reads settings that are written as in a scene file, with or without `settings:`. Fields that the
/// text lacks keep their values from `base`.
pub fn settings_from_ron(text: &str, base: Settings) -> Result<Settings, String> {
    let text = text.trim().trim_end_matches(',');
    let text = text
        .strip_prefix("settings")
        .map_or(text, |rest| rest.trim_start().strip_prefix(':').unwrap_or(rest).trim_start());
    if !text.starts_with('(') {
        let found: String = text.chars().take(40).collect();
        return Err(format!("found \"{found}\", expected settings: (dt: 0.001, …)"));
    }
    nesting::check(text).map_err(|(_, problem)| problem)?;
    let bracketed = Bracketed::new(text);
    let file = ron_options()
        .from_str::<SettingsFile>(&bracketed.text)
        .map_err(|error| translate_ron_error(&bracketed.text, &error).1)?;
    file.apply(base).map_err(|fault| fault.message)
}

fn changed_field<T: PartialEq + serde::Serialize>(
    name: &str,
    value: T,
    usual: T,
) -> Option<String> {
    (value != usual).then(|| format!("{name}: {}", compact_ron(&value)))
}

fn compact_ron(value: &impl serde::Serialize) -> String {
    ron_options().to_string(value).expect("settings have nothing that RON cannot write")
}

impl Scene {
    /// Returns the scene as RON with other lanes and with the edits of a model: its pins, its cuts,
    /// and its thrown balls with the times of their throws. The initial state of the scene is
    /// unchanged.
    pub fn to_ron_with(&self, lanes: &[LaneSetup], model: &Model) -> String {
        pretty_ron(&self.edited_file(lanes, model))
    }

    /// Returns the scene as RON with a single lane, whose initial state at time 0 is the current
    /// state of `now`. Trajectories and gusts start again.
    ///
    /// Returns an error sentence if a particle is farther away or faster than a scene permits.
    pub fn to_ron_from(&self, lane: &LaneSetup, now: &Simulation) -> Result<String, String> {
        let settings = *now.settings();
        let lane = LaneSetup { settings, ..lane.clone() };
        let mut file = self.edited_file(&[lane], now.model());
        let State { t, x, v } = now.state();
        let column = |column: &[DVec3]| -> Result<Vec<Point>, String> {
            let is_far = |p: &DVec3| !p.to_array().into_iter().all(is_moderate);
            match column.iter().position(is_far) {
                None => Ok(column.iter().map(|p| Point::checked(*p)).collect()),
                Some(i) => Err(format!(
                    "a scene cannot start with the final state: particle {i} is at {} and moves \
                     at {} m/s, expected at most {GREATEST:e}",
                    x[i], v[i]
                )),
            }
        };
        let spins = column(now.spins())?;
        let start = StartFile { positions: column(x)?, velocities: column(v)?, spins };
        file.start = Some(Located::new(start));
        file.velocities = Vec::new();
        let later = |ball: &Located<ThrownFile>| f64::from(ball.after) > *t;
        let is_first = |ball: &Located<ThrownFile>| f64::from(ball.after) == 0.0;
        let mut thrown: Vec<_> = self.file.thrown.iter().filter(|b| is_first(b)).cloned().collect();
        let flying = now.model().thrown().balls.iter().map(thrown_entry);
        thrown.extend(flying.map(|ball| thrown_after(&ball, 0.0)));
        let waiting = self.file.thrown.iter().filter(|ball| later(ball));
        thrown.extend(waiting.map(|ball| thrown_after(ball, f64::from(ball.after) - t)));
        file.thrown = thrown;
        Ok(pretty_ron(&file))
    }

    /// Returns the time-dependent motions (paths of pins, paths of colliders, gusts), which start
    /// again in the scene of [`Self::to_ron_from`].
    pub fn restarted_motions(&self, now: &Model) -> Vec<&'static str> {
        let moves = |path: &Trajectory| *path != Trajectory::Still;
        let pins = now.pins().iter().any(|pin| moves(&pin.path));
        let colliders = self.parts.contact.colliders.iter().any(|it| moves(&it.path));
        let gusts = self.parts.forces.iter().any(|force| force.law.law().varies());
        let kinds = [(pins, "paths of pins"), (colliders, "paths of colliders"), (gusts, "gusts")];
        kinds.into_iter().filter_map(|(is_there, kind)| is_there.then_some(kind)).collect()
    }

    fn edited_file(&self, lanes: &[LaneSetup], model: &Model) -> SceneFile {
        let mut file = SceneFile::clone(&self.file).with_lanes_and_camera(lanes, self.camera);
        file.cuts = self.cut_entries(model.topology().cut_links());
        let by_hand = model.thrown().balls.iter().filter(|ball| ball.by == ThrownBy::Person);
        let listed_balls = file.thrown.len();
        file.thrown.extend(by_hand.map(thrown_entry));
        // Scene files cannot describe pins on balls that are thrown later.
        let is_written =
            |pin: &&PinnedParticle| (pin.particle as usize) < self.parts.mesh.masses.len();
        let pins: Vec<PinnedParticle> = model.pins().iter().filter(is_written).cloned().collect();
        let mut now: Vec<u32> = pins.iter().map(|pin| pin.particle).collect();
        let mut listed: Vec<u32> = self.parts.pins.iter().map(|pin| pin.particle).collect();
        now.sort_unstable();
        listed.sort_unstable();
        if now != listed {
            file.pins = pin_entries(&pins);
        }
        let has_other_bodies = now != listed
            || file.thrown.len() != listed_balls
            || model.topology().cut_links() != self.parts.topology().cut_links();
        self.keep_true_readings(&mut file.annotations.readings, lanes, has_other_bodies);
        file
    }

    /// Removes readings of lanes that are not written. Also removes predictions that are invalid
    /// because bodies or settings of the lane have changed.
    fn keep_true_readings(
        &self,
        readings: &mut Vec<ReadingFile>,
        lanes: &[LaneSetup],
        has_other_bodies: bool,
    ) {
        let settings_in = |lanes: &[LaneSetup], name: &str| {
            lanes.iter().find(|lane| lane.name == name).map(|lane| lane.settings)
        };
        readings.retain_mut(|reading| {
            let name = reading.lane.as_ref().map(|name| name.as_str());
            let written = name.map(|name| settings_in(lanes, name));
            let has_other_settings =
                name.is_some_and(|name| settings_in(lanes, name) != settings_in(&self.lanes, name));
            if has_other_bodies || has_other_settings {
                (reading.value, reading.formula) = (None, String::new());
            }
            written != Some(None)
        });
    }

    /// Returns the entries of cut links. If all links between two particles are cut, one entry
    /// names the pair. Otherwise each cut link has an entry with its index.
    fn cut_entries(&self, cut_links: &[u32]) -> Vec<Located<CutFile>> {
        let cut_links: BTreeSet<u32> = cut_links.iter().copied().collect();
        let links = &self.parts.mesh.links;
        let ends = |&number: &u32| {
            let link = links.at(number as usize);
            [link.a, link.b]
        };
        let pairs = links.between(cut_links.iter().map(ends));
        let entries = pairs.into_iter().flat_map(|([a, b], numbers)| {
            let is_cut = |number: &u32| cut_links.contains(number);
            let which = if numbers.iter().all(is_cut) {
                vec![None]
            } else {
                (0..).zip(&numbers).filter(|(_, it)| is_cut(it)).map(|(n, _)| Some(n)).collect()
            };
            which.into_iter().map(move |number| Located::new(CutFile(a, b, number)))
        });
        entries.collect()
    }

    /// Returns the scene as RON. [`Scene::parse`] reads it back as an equal scene.
    pub fn to_ron(&self) -> String {
        pretty_ron(&self.file)
    }
}

fn thrown_entry(ball: &ThrownBall) -> Located<ThrownFile> {
    let Throw { at, velocity, mass, radius } = ball.throw;
    Located::new(ThrownFile {
        at: Point::checked(at),
        velocity: Point::checked(velocity),
        mass: Positive::checked(mass),
        radius: Positive::checked(radius),
        after: NonNegative::checked(ball.t),
    })
}

fn thrown_after(ball: &Located<ThrownFile>, seconds: f64) -> Located<ThrownFile> {
    Located::new(ThrownFile { after: NonNegative::checked(seconds), ..(**ball).clone() })
}

/// Returns pins for a scene file. One entry lists all fixed particles. Each moving particle has an
/// entry with its path.
fn pin_entries(pins: &[PinnedParticle]) -> Vec<PinFile> {
    let (still, moving): (Vec<_>, Vec<_>) =
        pins.iter().partition(|pin| pin.path == Trajectory::Still);
    let mut still: Vec<u32> = still.into_iter().map(|pin| pin.particle).collect();
    still.sort_unstable();
    let pin = |of, path| PinFile { of: Located::new(of), path: Located::new(path) };
    let mut written: Vec<PinFile> = Vec::new();
    if !still.is_empty() {
        written.push(pin(Particles::Numbers(still), Trajectory::Still));
    }
    let moving = moving.into_iter();
    written.extend(moving.map(|it| pin(Particles::Particle(it.particle), it.path.clone())));
    written
}

fn pretty_ron(file: &SceneFile) -> String {
    let pretty =
        ron::ser::PrettyConfig::new().depth_limit(2).new_line("\n").extensions(ron_extensions());
    ron_options()
        .to_string_pretty(file, pretty)
        .expect("a scene file has no map keys or other values that RON cannot write")
}

impl SceneFile {
    pub(super) fn with_lanes_and_camera(self, lanes: &[LaneSetup], camera: CameraSetup) -> Self {
        let lane = |LaneSetup { name, settings, frames }: &LaneSetup| {
            let (display, frames) = match frames {
                FrameSource::Measured => (None, None),
                FrameSource::Constant { rate } => (Some(Located::new(*rate)), None),
                frames => (None, Some(Located::new(frames.clone()))),
            };
            Located::new(LaneFile {
                name: name.clone(),
                settings: settings.into(),
                display,
                frames,
            })
        };
        Self {
            camera: Some(Located::new(camera)),
            settings: SettingsFile::default(),
            lanes: lanes.iter().map(lane).collect(),
            ..self
        }
    }
}

impl From<&Settings> for SettingsFile {
    fn from(settings: &Settings) -> Self {
        let Settings {
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
        } = *settings;
        let Guards { frame_clamp, accumulator_cap, most_steps, time_budget } = guards;
        Self {
            integrator: Some(Located::new(integrator)),
            links: Some(Located::new(links)),
            constraints: Some(Located::new(constraints)),
            stiffness_damping: Some(Located::new(stiffness_damping)),
            contact: Some(Located::new(contact)),
            tear: Some(Located::new(tear)),
            tethers: Some(Located::new(tethers)),
            strain_limit: Some(Located::new(strain_limit)),
            dt: Some(Located::new(dt)),
            substeps: Some(Located::new(substeps)),
            stepping: Some(Located::new(stepping)),
            guards: Some(GuardsFile {
                frame_clamp: Some(Located::new(frame_clamp)),
                accumulator_cap: Some(Located::new(accumulator_cap)),
                most_steps: Some(Located::new(most_steps)),
                time_budget: Some(Located::new(time_budget)),
            }),
            longest_link: Some(Located::new(longest_link)),
            largest_residual: Some(Located::new(largest_residual)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use ropelab_core::integrate::Method;
    use ropelab_core::simulation::Simulation;
    use ropelab_core::simulation::timing::stepper::{Guard, Stepping};

    #[test]
    fn settings_come_back_from_their_text() {
        let guards = Guards { most_steps: Guard::On(7), ..Guards::default() };
        let settings = Settings {
            integrator: Method::Rk4,
            dt: 0.1 + 0.2,
            substeps: 3,
            stepping: Stepping::RenderTick,
            guards,
            ..Settings::default()
        };
        let text = all_settings_to_ron(&settings);
        assert!(text.starts_with("settings: ("), "{text}");
        assert_eq!(settings_from_ron(&text, Settings::default()), Ok(settings));
        assert_eq!(settings_from_ron(&settings_to_ron(&settings), settings), Ok(settings));
        let some = settings_from_ron("(dt: 0.5),", settings).unwrap();
        assert_eq!(some, Settings { dt: 0.5, ..settings });
        for (bad, says) in [
            ("", "expected settings"),
            ("hello", "expected settings"),
            ("settings: (dt: -1)", "dt is -1"),
            ("(speed: 3)", "speed"),
        ] {
            let error = settings_from_ron(bad, settings).unwrap_err();
            assert!(error.contains(says), "{bad}: {error}");
        }
    }

    #[test]
    fn a_scene_with_other_lanes_and_pins_loads_again() {
        for entry in library::list() {
            let scene = entry.load().unwrap_or_else(|e| panic!("{e}"));
            let base = scene.lanes[0].settings;
            let other = Settings { integrator: Method::Rk4, substeps: 3, ..base };
            let jitter = FrameSource::Jitter { rate: 60.0, jitter: 0.3, seed: 7 };
            let lanes = [
                ("as it was", base, FrameSource::Measured),
                ("on another display", other, FrameSource::Constant { rate: 30.0 }),
                ("on a bad one", other, jitter),
                ("of a trace", base, FrameSource::Trace([0.01, 0.1 + 0.2].into())),
                ("under a load", base, FrameSource::Load { rest: 0.01, step: 1e-5 }),
            ];
            let lanes = lanes.map(|(name, settings, frames)| LaneSetup {
                name: name.to_owned(),
                settings,
                frames,
            });
            let mut simulation = Simulation::new(scene.parts.clone(), base);
            let same = scene.to_ron_with(&lanes, simulation.model());
            let again = Scene::parse(&same, "saved").unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(
                (&again.lanes[..], &again.parts),
                (&lanes[..], &scene.parts),
                "{}",
                entry.file
            );
            let free = simulation.model().inverse_masses().iter().position(|w| *w > 0.0);
            let Some(free) = free.map(|free| free as u32) else { continue };
            simulation.toggle_pin(free);
            let links = scene.parts.mesh.links.len() as u32;
            simulation.cut(&[links / 2, links.saturating_sub(1)]);
            let model = simulation.model();
            let cut_links = model.topology().cut_links();
            let more = scene.to_ron_with(&lanes, model);
            let again = Scene::parse(&more, "saved").unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(again.parts.cuts, cut_links, "{}", entry.file);
            let cut_again = again.parts.topology();
            assert!(cut_links.iter().all(|&i| cut_again.links().at(i as usize).is_cut()));
            let pins = again.parts.pins.len();
            assert_eq!(pins, scene.parts.pins.len() + 1, "{}", entry.file);
            assert!(again.parts.pins.iter().any(|pin| pin.particle == free));
        }
    }

    /// If several links join two particles, a saved scene cuts the same links as the original.
    #[test]
    fn parallel_links_are_cut_one_by_one() {
        let text = "(version: 1, name: \"parallel\", particles: [(at: (0, 0, 0)), (at: (1, 0, 0))], \
                    links: [(a: Particle(0), b: Particle(1)), (a: Particle(1), b: Particle(0)), \
                    (a: Particle(0), b: Particle(1), stiffness: 5)])";
        let scene = Scene::parse(text, "parallel").unwrap_or_else(|e| panic!("{e}"));
        for cuts in [&[1][..], &[0, 2], &[0, 1, 2]] {
            let mut simulation = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
            simulation.cut(cuts);
            let saved = scene.to_ron_with(&scene.lanes, simulation.model());
            let again = Scene::parse(&saved, "saved").unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(again.parts.cuts, cuts, "{saved}");
        }
    }

    /// Balls that are thrown at the start move in the saved scene as in the original.
    #[test]
    fn thrown_balls_start_with_the_saved_scene() {
        for entry in library::list() {
            let scene = entry.load().unwrap_or_else(|e| panic!("{e}"));
            let settings = scene.lanes[0].settings;
            let mut thrown = Simulation::new(scene.parts.clone(), settings);
            let place = scene.parts.mesh.positions[0] + glam::dvec3(0.1, 0.2, 0.6);
            for mass in [0.1, 0.3] {
                let velocity = glam::dvec3(0.5, 1.0, -4.0);
                let at = place + glam::dvec3(0.0, mass, 0.0);
                thrown.throw(Throw { at, velocity, mass, radius: 0.05 });
            }
            let text = scene.to_ron_with(&scene.lanes, thrown.model());
            let saved = Scene::parse(&text, "saved").unwrap_or_else(|e| panic!("{e}"));
            let mut saved = Simulation::new(saved.parts.clone(), settings);
            for _ in 0..30 {
                thrown.step(settings.dt);
                saved.step(settings.dt);
            }
            assert_eq!(thrown.state(), saved.state(), "{}", entry.file);
        }
    }

    /// Balls that are thrown later move in the saved scene as in the original, also after a second
    /// save and after a reset.
    #[test]
    fn thrown_balls_of_a_saved_scene_fly_when_they_flew() {
        let scene = library::find("curtain").unwrap_or_else(|e| panic!("{e}"));
        let scene = scene.load().unwrap_or_else(|e| panic!("{e}"));
        let settings = scene.lanes[0].settings;
        let throw = |mass| {
            let velocity = glam::dvec3(0.5, 1.0, -4.0);
            Throw { at: glam::dvec3(0.1, 1.0, 0.6), velocity, mass, radius: 0.05 }
        };
        let mut thrown = Simulation::new(scene.parts.clone(), settings);
        let steps = |simulation: &mut Simulation, count| {
            (0..count).for_each(|_| simulation.step(settings.dt));
        };
        steps(&mut thrown, 7);
        thrown.throw(throw(0.1));
        steps(&mut thrown, 5);
        thrown.throw(throw(0.3));
        let saved = scene.to_ron_with(&scene.lanes, thrown.model());
        steps(&mut thrown, 20);
        let scene = Scene::parse(&saved, "saved").unwrap_or_else(|e| panic!("{e}"));
        let mut again = Simulation::new(scene.parts.clone(), settings);
        steps(&mut again, 10);
        let twice = scene.to_ron_with(&scene.lanes, again.model());
        let twice = Scene::parse(&twice, "saved twice").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((&twice.parts, twice.parts.throws.len()), (&scene.parts, 2));
        steps(&mut again, 22);
        assert_eq!(thrown.state(), again.state());
        again.reset();
        steps(&mut again, 32);
        assert_eq!(thrown.state(), again.state());
    }
}
