//! Stepping of the session. Frames that take long are computed in the background.

use super::Laboratory;
use super::state::{BackgroundTask, BackgroundWork, Expected, LONG, StepPools};
use crate::session::Lane;
use crate::simulation::timing::stepper::{Frame, WATCHDOG_SECONDS};
use std::time::Duration;

/// Longest time for which the window waits for background work of long or unknown duration. After
/// this time the window shows the unchanged session.
const LONGEST_WAIT: Duration = Duration::from_millis(12);
/// Longest wait for a frame that is expected to be short: its time limit [`LONG`], and time for one
/// more step.
const PATIENCE_FOR_SHORT: Duration = Duration::from_millis(150);
/// Largest total number of particles in all lanes for which every frame steps a copy of the
/// session. A copy of 700 particles takes 0.08 ms. A step of 20,000 particles takes 1 ms.
const MOST_COPIED: usize = 20_000;

impl Laboratory {
    /// Advances the session by a frame of `seconds` and records the frame. Long steps are computed
    /// in the background. Until they are finished, the session stays unchanged, and the lengths of
    /// further frames are added up.
    pub fn advance(&mut self, seconds: f64) {
        self.adopt_result(Duration::ZERO);
        if self.is_replaying() {
            return self.replay_slice();
        }
        if self.edits.is_busy() {
            return self.recompute_slice();
        }
        if self.history.is_past() {
            return self.advance_past(seconds);
        }
        if self.background.is_none() {
            self.apply_past_speed();
        }
        self.pending_seconds += if self.session.paused() { 0.0 } else { seconds };
        if self.session.paused() || self.background.is_some() {
            return;
        }
        self.start_energy_accounts();
        let seconds = std::mem::take(&mut self.pending_seconds);
        let frame = BackgroundTask::Frame(seconds);
        if self.steps_are_long(Some(seconds)) {
            self.run_in_background(frame, Expected::Long);
        } else if self.particles() <= MOST_COPIED {
            // A frame with a short estimate may still take long: an exploding cloth takes seconds
            // to separate its layers.
            self.run_in_background(frame, Expected::Short);
        } else {
            let event = frame.run(&mut self.session, self.longest_frame);
            self.record_event(event);
        }
    }

    fn particles(&self) -> usize {
        self.session.lanes().iter().map(|lane| lane.simulation.state().len()).sum()
    }

    /// Returns the elapsed time in seconds since the background work began; `None` without such
    /// work.
    pub fn computing(&self) -> Option<f64> {
        self.background.as_ref().map(BackgroundWork::seconds)
    }

    /// True if the computation of a frame of `seconds` may take longer than [`LONG`]. `None` stands
    /// for one step per lane. A step is estimated to cost as much as the slowest recent step.
    pub(super) fn steps_are_long(&self, seconds: Option<f64>) -> bool {
        let speed = self.session.speed();
        let moving = |lane: &&Lane| lane.simulation.explosion().is_none();
        let cost = |lane: &Lane| {
            let worst = lane.step_cost.worst()?;
            let planned = lane.simulation.plan().steps;
            let steps = match seconds {
                None => 1,
                Some(seconds) if lane.display.is_real() => {
                    let step_cost = lane.step_cost.seconds();
                    lane.simulation.predict_plan(Frame { seconds, speed, step_cost }).steps
                }
                Some(_) => planned,
            };
            Some(worst * f64::from(steps.max(1)))
        };
        let costs = self.session.lanes().iter().filter(moving).map(cost);
        let all: Option<Vec<f64>> = costs.collect();
        all.is_none_or(|costs| {
            let longest = costs.iter().copied().fold(0.0, f64::max);
            let shared = costs.iter().sum::<f64>() / rayon::current_num_threads() as f64;
            longest.max(shared) > LONG
        })
    }

    pub(super) fn run_in_background(&mut self, work: BackgroundTask, expected: Expected) {
        let (patience, budget) = match expected {
            Expected::Short => (PATIENCE_FOR_SHORT, self.longest_frame),
            Expected::Long => (LONGEST_WAIT, WATCHDOG_SECONDS),
        };
        // If the system provides no more threads, this thread does the work.
        let Some(pool) = self.pools.pool_for(expected) else {
            let event = work.run(&mut self.session, budget);
            return self.record_event(event);
        };
        self.background = Some(BackgroundWork::start(pool, &mut self.session, work, budget));
        self.adopt_result(patience);
    }

    /// Advances the session by a frame and waits until it is computed. The frame has no time limit,
    /// so tests compute the same frames on any machine.
    #[cfg(test)]
    pub(in crate::app) fn whole_frame(&mut self, seconds: f64) {
        self.longest_frame = f64::INFINITY;
        self.advance(seconds);
        self.finish_background_work();
    }

    #[cfg(test)]
    fn finish_background_work(&mut self) {
        while self.computing().is_some() {
            self.adopt_result(LONGEST_WAIT);
        }
    }

    /// Advances the session by frames of 1/60 s.
    #[cfg(test)]
    pub(in crate::app) fn whole_frames(&mut self, count: u32) {
        (0..count).for_each(|_| self.whole_frame(1.0 / 60.0));
    }

    /// Advances the session by frames of 1/60 s until `has_state` is true, but at most 10,000
    /// frames.
    #[cfg(test)]
    pub(in crate::app) fn frames_until(&mut self, has_state: impl Fn(&Self) -> bool) {
        for _ in 0..10_000 {
            if has_state(self) {
                return;
            }
            self.whole_frame(1.0 / 60.0);
        }
        panic!("the state is not reached within 10,000 frames");
    }

    /// Replaces the session by the result of finished background work, and carries out the commands
    /// that waited for it. Waits for the result for at most `patience`.
    fn adopt_result(&mut self, patience: Duration) {
        let Some(background) = &self.background else { return };
        let Some((mut session, event)) = background.result_within(patience) else { return };
        self.background = None;
        for (index, lane) in self.session.lanes().iter().enumerate() {
            session.rename(index, lane.name.clone());
        }
        self.session = session;
        self.record_event(event);
        for command in std::mem::take(&mut self.waiting) {
            self.command(command);
        }
    }

    pub(super) fn cancel_background_work(&mut self) {
        if self.background.take().is_some() {
            // The threads end when they notice the cancellation. Later work gets other threads.
            self.pools = StepPools::default();
        }
        for command in std::mem::take(&mut self.waiting) {
            self.carry_out(command);
        }
    }

    /// Calls [`Laboratory::advance`] on another thread, if one is free, while this thread runs
    /// `work`. Returns when both have finished.
    pub fn advance_while(&mut self, seconds: f64, work: impl FnOnce()) {
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| self.advance(seconds));
            work();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::library;
    use crate::simulation::settings::{Command, GrabMode, LinkMode};
    use glam::DVec3;
    use rayon::prelude::*;
    use std::time::Instant;

    /// Two lanes of a cloth that is large enough for several threads.
    const CLOTH: &str = r#"(
        version: 1,
        name: "cloth",
        materials: [Cloth(name: "linen", areal_density: 0.3, stretch_stiffness: 100,
                          bend_stiffness: 0, rigid: true)],
        cloths: [(name: "cloth", corner: (0, 0, 0), across: (2, 0, 0), down: (0, 0, 2),
                  cells: (119, 119), material: "linen")],
        pins: [(of: Edge("cloth", Top))],
        forces: [(law: Gravity(g: (0, -1, 0)))],
        settings: (constraints: Relaxation(iterations: 4, order: Coloured), dt: 0.008),
        lanes: [(name: "Verlet"), (name: "leapfrog", settings: (integrator: Leapfrog))],
    )"#;

    /// Returns the command for one frame of a mouse drag that grabs the cloth and pulls it upwards.
    fn pull(frame: u32) -> Command {
        let at = DVec3::new(1.0, 0.02 * f64::from(frame), 1.0);
        match frame {
            0 => Command::Grab { particle: 7000, mode: GrabMode::Spring, at },
            _ => Command::MoveHand(at),
        }
    }

    /// Returns the hashes of all lanes after frames of uneven length during which the mouse pulls.
    fn hashes(advance: impl Fn(&mut Laboratory, f64)) -> Vec<u64> {
        let mut laboratory = Laboratory::of_text(CLOTH);
        for frame in 0..12 {
            laboratory.command(if frame == 9 { Command::Release } else { pull(frame) });
            advance(&mut laboratory, [0.016, 0.021, 0.009][frame as usize % 3]);
            // The cost of a step is unknown in the first frame, so this frame is computed in the
            // background.
            laboratory.finish_background_work();
        }
        let lanes = laboratory.session().lanes();
        assert!(lanes.iter().all(|lane| lane.simulation.explosion().is_none()));
        lanes.iter().map(|lane| lane.simulation.hash()).collect()
    }

    /// Scene whose steps take minutes: 10⁸ sweeps over 50 × 50 cells.
    const ENDLESS: &str = r#"(
        version: 1,
        name: "endless",
        materials: [Cloth(name: "linen", areal_density: 0.3, stretch_stiffness: 100,
                          bend_stiffness: 0, rigid: true)],
        cloths: [(name: "cloth", corner: (0, 0, 0), across: (1, 0, 0), down: (0, 0, 1),
                  cells: (50, 50), material: "linen")],
        pins: [(of: Edge("cloth", Top))],
        forces: [(law: Gravity())],
        settings: (links: Constraints, constraints: Relaxation(iterations: 100000),
                   substeps: 1000, dt: 0.001),
    )"#;

    #[test]
    fn energy_accounts_count_from_the_first_step_of_a_scene() {
        let text = library::find("hanging-rope").unwrap().text();
        let mut laboratory = Laboratory::of_text(text);
        let starts = |laboratory: &Laboratory| -> Vec<Option<f64>> {
            let accounts = laboratory.session().lanes().iter();
            let accounts = accounts.map(|lane| lane.simulation.energy_account());
            accounts.map(|account| account.map(|account| account.since())).collect()
        };
        for restarts in [false, true] {
            if restarts {
                laboratory.command(Command::Reset);
            }
            for _ in 0..3 {
                laboratory.advance(0.016);
                laboratory.finish_background_work();
            }
            assert!(laboratory.selected().simulation.steps() > 0);
            let starts = starts(&laboratory);
            assert!(starts.iter().all(|start| *start == Some(0.0)), "{restarts}: {starts:?}");
        }
    }

    #[test]
    fn the_window_answers_whatever_a_step_costs() {
        let mut laboratory = Laboratory::of_text(ENDLESS);
        let began = Instant::now();
        // An answer usually takes 15 ms. On a busy machine it may take longer, but never the
        // minutes that a step takes.
        let answers = |laboratory: &mut Laboratory| {
            let asked = Instant::now();
            laboratory.advance(0.016);
            assert!(
                asked.elapsed() < Duration::from_secs(5),
                "answered after {:?}",
                asked.elapsed()
            );
        };
        (0..5).for_each(|_| answers(&mut laboratory));
        assert!(laboratory.computing().is_some());
        laboratory.command(Command::Pause(true));
        assert!(laboratory.session().paused() && laboratory.computing().is_none());
        laboratory.command(Command::SingleStep);
        assert!(laboratory.computing().is_some(), "a single step does not block either");
        let mut settings = *laboratory.selected().simulation.settings();
        (settings.substeps, settings.dt) = (1, 1e-3);
        settings.constraints.set_iterations(4);
        laboratory.configure_selected(settings).unwrap();
        laboratory.command(Command::Pause(false));
        let steps = |laboratory: &Laboratory| laboratory.selected().simulation.steps();
        while steps(&laboratory) < 10 && began.elapsed() < Duration::from_secs(60) {
            answers(&mut laboratory);
        }
        assert!(steps(&laboratory) >= 10, "other settings let it go on");
        laboratory.finish().unwrap();
    }

    #[test]
    fn the_window_answers_where_a_step_takes_a_thousand_times_as_long_as_the_one_before() {
        // With springs the folded sheet explodes. The first step that presses its layers into each
        // other takes seconds.
        let text = library::find("folded-towel").unwrap().text();
        let mut laboratory = Laboratory::of_text(text);
        let mut settings = *laboratory.selected().simulation.settings();
        settings.links = LinkMode::Springs;
        laboratory.command(Command::RemoveLane(1));
        laboratory.configure_selected(settings).unwrap();
        let (began, mut longest) = (Instant::now(), Duration::ZERO);
        while began.elapsed() < Duration::from_secs(4) {
            let asked = Instant::now();
            laboratory.advance(0.016);
            longest = longest.max(asked.elapsed());
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(longest >= PATIENCE_FOR_SHORT, "no step of this scene surprises any more");
        assert!(longest < Duration::from_secs(2), "longest wait {longest:?}");
    }

    #[test]
    fn a_copy_is_called_one_until_its_settings_say_more() {
        let mut laboratory = Laboratory::of_text(CLOTH);
        laboratory.command(Command::DuplicateLane(0));
        let names = |laboratory: &Laboratory| laboratory.selected().name.clone();
        assert_eq!(names(&laboratory), "Verlet copy");
        let mut settings = *laboratory.selected().simulation.settings();
        settings.dt = 0.002;
        laboratory.configure_selected(settings).unwrap();
        assert_eq!(names(&laboratory), "Verlet 2", "the other one is Verlet");
    }

    #[test]
    fn what_happened_beside_the_window_is_recorded() {
        let mut laboratory = Laboratory::of_text(CLOTH);
        for frame in 0..30 {
            laboratory.command(pull(frame));
            // Every second frame is treated as long.
            if frame % 2 == 0 {
                laboratory.run_in_background(BackgroundTask::Frame(0.016), Expected::Long);
            } else {
                laboratory.advance(0.016);
            }
            laboratory.finish_background_work();
        }
        let (session, replay) = laboratory.recorded().replay();
        assert_eq!(replay.difference, None);
        assert_eq!((replay.frames, replay.commands, replay.compared), (30, 30, 1));
        assert_eq!(session.hashes(), laboratory.session().hashes());
    }

    #[test]
    fn stepping_beside_the_drawing_has_the_same_bits() {
        let alone = hashes(Laboratory::advance);
        let background = hashes(|laboratory, seconds| {
            let mut drawn = vec![1.0; 100_000];
            laboratory.advance_while(seconds, || {
                drawn.par_iter_mut().for_each(|x: &mut f64| *x = x.sqrt());
            });
        });
        assert_eq!(alone, background);
    }
}
