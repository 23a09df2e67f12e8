//! The session in the window: the one place through which commands and frames go, and which
//! lanes are selected and shown.

use super::overhead::thread_seconds;
use super::shelf::Source;
use crate::constraint::ConstraintSolver;
use crate::integrate::Method;
use crate::scene::{LaneSetup, Scene};
use crate::session::{Event, Lane, Session};
use crate::settings::{Command, MOST_LANES, Settings};
use std::sync::Arc;
use std::time::Instant;

/// Integrators that the keys 1 to 8 choose, by name: the ones that people compare.
pub const FAVOURITES: [&str; 8] = [
    "explicit-euler",
    "symplectic-euler",
    "position-verlet",
    "velocity-verlet",
    "midpoint",
    "rk4",
    "implicit-euler",
    "dormand-prince",
];

/// Slowest and fastest speed; 1 = real time.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 1e-3..=10.0;

/// The session and what the window knows of its lanes. A lane is named by its colour, which it
/// keeps when others come and go.
#[derive(Debug)]
pub struct Laboratory {
    session: Session,
    source: Source,
    /// The lanes as the file lists them, to see whether a reload brings new ones.
    listed: Vec<LaneSetup>,
    events: Vec<Event>,
    clock: Instant,
    selected: usize,
    hidden: [bool; MOST_LANES],
    solo: Option<usize>,
}

impl Laboratory {
    /// A laboratory for a scene.
    pub fn new(scene: Scene, source: Source) -> Self {
        let listed = scene.lanes.clone();
        Self {
            session: Session::new(Arc::new(scene)),
            source,
            listed,
            events: Vec::new(),
            clock: Instant::now(),
            selected: 0,
            hidden: [false; MOST_LANES],
            solo: None,
        }
    }

    /// Another scene takes the place of this one; speed and pause stay.
    pub fn replace(&mut self, scene: Scene, source: Source) {
        let (paused, speed) = (self.session.paused(), self.session.speed());
        *self = Self::new(scene, source);
        self.command(Command::Speed(speed));
        self.command(Command::Pause(paused));
    }

    /// The same scene, changed in its file. Lanes that were changed by hand stay, unless the
    /// file's own lanes changed.
    pub fn reload(&mut self, mut scene: Scene) {
        let fresh = scene.lanes.clone();
        let keep = fresh == self.listed;
        if keep {
            scene.lanes = self.session.lanes().iter().map(setup_of).collect();
        }
        let (selected, hidden, solo) = (self.selected_index(), self.hidden, self.solo);
        let colors: Vec<usize> = self.session.lanes().iter().map(|lane| lane.color).collect();
        self.replace(scene, self.source.clone());
        self.listed = fresh;
        if keep {
            // A new session counts its colours from 0.
            self.selected = selected;
            self.hidden = [false; MOST_LANES];
            for (new, old) in colors.iter().enumerate() {
                self.hidden[new] = hidden[*old];
            }
            self.solo = solo.and_then(|old| colors.iter().position(|color| *color == old));
        }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The lanes, which step ahead and come back where a render tick is to be drawn.
    pub fn lanes_to_draw(&mut self) -> &mut [Lane] {
        self.session.lanes_mut()
    }

    /// Where the scene came from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Carries out a command and records it. Every input that changes a simulation comes here.
    pub fn command(&mut self, command: Command) {
        self.events.push(Event::Command(command.clone()));
        let lanes = self.session.lanes().len();
        self.session.command(command.clone());
        let now = self.session.lanes();
        if now.len() > lanes {
            self.selected = now[now.len() - 1].color;
            self.hidden[self.selected] = false;
            if let Command::DuplicateLane(original) = command {
                self.name_copy(original);
            }
        }
        let now = self.session.lanes();
        if !now.iter().any(|lane| lane.color == self.selected) {
            self.selected = now.first().map_or(0, |lane| lane.color);
        }
        if self.solo.is_some_and(|solo| !now.iter().any(|lane| lane.color == solo)) {
            self.solo = None;
        }
    }

    /// The copy of a lane that is named after its integrator is so, too.
    fn name_copy(&mut self, original: usize) {
        let lane = &self.session.lanes()[original];
        let title = lane.simulation.settings().integrator.info().title;
        if lane.name == title {
            self.session.rename(self.session.lanes().len() - 1, title.to_owned());
        }
    }

    /// Lets a frame pass and records it.
    pub fn advance(&mut self, seconds: f64) {
        if self.session.paused() {
            return;
        }
        self.events.push(self.session.frame_event(seconds));
        let clock = self.clock;
        self.session.advance_timed(seconds, &|| clock.elapsed().as_secs_f64(), &thread_seconds);
    }

    /// As [`Laboratory::advance`], on another thread where one is free, while this one does
    /// something else. Returns when both are done. The simulation does not notice.
    pub fn advance_beside(&mut self, seconds: f64, act: impl FnOnce()) {
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| self.advance(seconds));
            act();
        });
    }

    /// What happened since this was last asked: with all of it, a run can be repeated.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Place of the selected lane.
    pub fn selected_index(&self) -> usize {
        self.session.lanes().iter().position(|lane| lane.color == self.selected).unwrap_or(0)
    }

    /// The selected lane.
    pub fn selected(&self) -> &Lane {
        &self.session.lanes()[self.selected_index()]
    }

    /// Selects a lane by its colour.
    pub fn select(&mut self, color: usize) {
        self.selected = color;
    }

    /// Whether a lane is in the picture.
    pub fn shows(&self, color: usize) -> bool {
        self.solo.map_or(!self.hidden[color], |solo| solo == color)
    }

    /// Whether a lane is hidden by its own switch.
    pub fn hidden(&self, color: usize) -> bool {
        self.hidden[color]
    }

    /// The lane that is shown alone, if one is.
    pub fn solo(&self) -> Option<usize> {
        self.solo
    }

    /// Hides or shows a lane.
    pub fn toggle_hidden(&mut self, color: usize) {
        self.hidden[color] = !self.hidden[color];
    }

    /// Shows one lane alone, or all again.
    pub fn toggle_solo(&mut self, color: usize) {
        self.solo = if self.solo == Some(color) { None } else { Some(color) };
    }

    /// Names a lane, which changes nothing in a simulation.
    pub fn rename(&mut self, color: usize, name: String) {
        let index = self.session.lanes().iter().position(|lane| lane.color == color);
        if let Some(index) = index {
            self.session.rename(index, name);
        }
    }

    /// Sets the selected lane, if the settings make sense.
    pub fn configure_selected(&mut self, settings: Settings) -> Result<(), String> {
        settings.check()?;
        let lane = self.selected();
        let old = *lane.simulation.settings();
        if settings != old {
            // A lane that bears the name of its integrator goes on doing so.
            let named_after = lane.name == old.integrator.info().title;
            let lane = self.selected_index();
            self.command(Command::Configure { lane, settings });
            if named_after {
                self.session.rename(lane, settings.integrator.info().title.to_owned());
            }
        }
        Ok(())
    }
}

fn setup_of(lane: &Lane) -> LaneSetup {
    LaneSetup { name: lane.name.clone(), settings: *lane.simulation.settings() }
}

/// The integrator of a digit key, counted from 0.
pub fn favourite(key: usize) -> Option<Method> {
    Method::all().find(|method| FAVOURITES.get(key) == Some(&method.info().name))
}

/// More or fewer iterations: one at a time up to ten, then in tenths.
pub fn scale_iterations(solver: &mut ConstraintSolver, more: bool) {
    let Some(iterations) = solver.iterations() else { return };
    let stride = (iterations / 10).max(1);
    let changed =
        if more { iterations.saturating_add(stride) } else { iterations.saturating_sub(stride) };
    solver.set_iterations(changed.clamp(1, 100_000));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::GrabMode;
    use glam::DVec3;
    use rayon::prelude::*;

    /// Two lanes of a cloth that is worth several threads.
    const CLOTH: &str = r#"(
        version: 1,
        name: "cloth",
        materials: [Cloth(name: "linen", areal_density: 0.3, stretch_stiffness: 100,
                          bend_stiffness: 0, rigid: true)],
        cloths: [(name: "cloth", corner: (0, 0, 0), across: (2, 0, 0), down: (0, 0, 2),
                  cells: (119, 119), material: "linen")],
        pins: [(of: Edge("cloth", Top))],
        forces: [(law: Gravity(g: (0, -1, 0)))],
        settings: (constraints: Relaxation(iterations: 4, order: Coloured), dt: 0.004),
        lanes: [(name: "Verlet"), (name: "leapfrog", settings: (integrator: Leapfrog))],
    )"#;

    /// Hashes after frames of uneven length with a hand in them.
    fn hashes(advance: impl Fn(&mut Laboratory, f64)) -> Vec<u64> {
        let scene = Scene::parse(CLOTH, "cloth.ron").unwrap();
        let mut laboratory = Laboratory::new(scene, Source::Listed(0));
        for frame in 0..12 {
            let at = DVec3::new(1.0, 0.02 * f64::from(frame), 1.0);
            laboratory.command(match frame {
                0 => Command::Grab { particle: 7000, mode: GrabMode::Spring, at },
                9 => Command::Release,
                _ => Command::MoveHand(at),
            });
            advance(&mut laboratory, [0.016, 0.021, 0.009][frame as usize % 3]);
        }
        let lanes = laboratory.session().lanes();
        assert!(lanes.iter().all(|lane| lane.simulation.explosion().is_none()));
        lanes.iter().map(|lane| lane.simulation.hash()).collect()
    }

    #[test]
    fn stepping_beside_the_drawing_has_the_same_bits() {
        let alone = hashes(Laboratory::advance);
        let beside = hashes(|laboratory, seconds| {
            let mut drawn = vec![1.0; 100_000];
            laboratory.advance_beside(seconds, || {
                drawn.par_iter_mut().for_each(|x: &mut f64| *x = x.sqrt());
            });
        });
        assert_eq!(alone, beside);
    }
}
