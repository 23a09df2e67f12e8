//! Travel of the session to another moment, and its continuation from there.

use super::Laboratory;
use super::edits::LaboratoryAction;
use super::state::Continuation;
use crate::measure::EnergyAccount;
use crate::session::{History, MarkKind, SessionMoment};
use crate::simulation::Simulation;
use crate::simulation::settings::{Command, Settings};
use std::time::Instant;

/// A click on an explosion's mark leads to the moment this number of steps before the explosion.
const STEPS_BEFORE: u32 = 20;

impl Laboratory {
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Begins the travel of the session to another moment, where it pauses. A long travel is
    /// computed in slices, one per frame of the window. Has no effect during the replay of a
    /// recording. During a recomputation after an edit, the request waits.
    pub fn travel(&mut self, place: SessionMoment) {
        if self.is_replaying() {
            return;
        }
        if self.edits.must_wait() {
            return self.queue_request(LaboratoryAction::Travel(place));
        }
        self.cancel_background_work();
        self.end_loop();
        self.stop_past();
        self.pending_seconds = 0.0;
        self.waiting_continuation = None;
        if place == self.history.shown_moment() {
            return;
        }
        if !self.history.is_past() {
            self.past_speed = Some(self.speed());
        }
        self.history.start_travel(&mut self.session, place);
        self.continue_travel();
    }

    pub fn travel_at_once(&mut self, place: SessionMoment) {
        self.finish_recomputation();
        self.travel(place);
    }

    /// Travels to the moment that `find` returns for the shown moment. Returns false if `find`
    /// returns `None`.
    pub fn travel_by(
        &mut self,
        find: fn(&History, SessionMoment) -> Option<SessionMoment>,
    ) -> bool {
        if self.edits.must_wait() {
            self.queue_request(LaboratoryAction::TravelBy(find));
            return true;
        }
        self.cancel_background_work();
        let place = find(&self.history, self.history.shown_moment());
        place.into_iter().for_each(|place| self.travel(place));
        place.is_some()
    }

    /// Continues a travel that takes several frames of the window.
    pub(super) fn continue_travel(&mut self) {
        let (began, slice) = (Instant::now(), self.slice);
        if self.history.continue_travel(&mut self.session, || began.elapsed() >= slice) {
            self.deselect_removed_lanes();
            let Some((color, continuation)) = self.waiting_continuation.take() else {
                if !self.history.is_past() && !self.session.paused() {
                    self.command(Command::Pause(true));
                }
                return;
            };
            match continuation {
                Continuation::NewLane(settings) => self.branch_off(color, Some(*settings)),
                Continuation::Scene(numbers) => self.command(Command::ChangeScene(numbers)),
            }
            // The command above paused the session, because it changed the past.
            self.command(Command::Pause(false));
        }
    }

    /// Continues the session from the shown moment. The events after it become a branch.
    pub(super) fn continue_from_here(&mut self) {
        self.end_loop();
        if let Some(back) = self.history.continue_from_here(&mut self.session) {
            let shared = self.history.end().events - usize::from(back.replacement.is_some());
            self.edits.keep_edits_before(shared, &self.history);
            self.recorder.record_step_back(back, &self.session);
            self.deselect_removed_lanes();
            self.pending_seconds = 0.0;
            self.carry_out(Command::Pause(true));
        }
    }

    /// Switches to the next branch at a branching moment: replaces the later events and edits by
    /// those of the branch.
    pub fn switch_branch(&mut self) {
        if self.edits.must_wait() {
            return self.queue_request(LaboratoryAction::SwitchBranch);
        }
        self.cancel_background_work();
        self.finish_replaying();
        self.stop_past();
        self.waiting_continuation = None;
        let Some(branch) = self.history.branch() else { return };
        if let Some((taken_back, events)) = self.history.switch_branch(&mut self.session) {
            self.edits.switch_branch(branch.number, &self.history);
            self.recorder.replace(taken_back, events);
            self.continue_travel();
        }
    }

    /// Copies the lane with this colour. The copy continues from the shown moment, with other
    /// settings if they are given.
    pub fn branch_off(&mut self, color: usize, settings: Option<Settings>) {
        if self.edits.must_wait() {
            let settings = settings.map(Box::new);
            return self.queue_request(LaboratoryAction::BranchOff { color, settings });
        }
        let place = self.index_of_lane(color);
        let before = self.session.lanes().len();
        place.into_iter().for_each(|lane| self.command(Command::DuplicateLane(lane)));
        if self.session.lanes().len() > before
            && let Some(settings) = settings
        {
            let lane = self.selected_index();
            self.command(Command::Configure { lane, settings });
        }
    }

    /// Continues the exploded lane with this colour from a moment before the explosion, with a
    /// remedy. The session then runs.
    pub fn continue_before_explosion(&mut self, color: usize, continuation: Continuation) {
        if self.edits.must_wait() {
            let action = LaboratoryAction::ContinueBeforeExplosion { color, continuation };
            return self.queue_request(action);
        }
        let is_its = |kind| matches!(kind, MarkKind::Explosion { color: its, .. } if its == color);
        let mark = self.history.marks().iter().rfind(|mark| is_its(mark.kind)).copied();
        if let Some(mark) = mark {
            let lane = self.index_of_lane(color).map(|index| &self.session.lanes()[index]);
            let growing = lane.map_or(0, |lane| steps_of_growth(&lane.simulation));
            self.travel(self.history.before_explosion(&mark, growing + STEPS_BEFORE));
            self.waiting_continuation = Some((color, continuation));
            self.continue_travel();
        }
    }

    /// Returns the moment for a click on a mark: before an explosion, or after an edit.
    pub fn moment_of_mark(&self, mark: usize) -> Option<SessionMoment> {
        let mark = self.history.marks().get(mark)?;
        Some(self.history.before_explosion(mark, STEPS_BEFORE))
    }
}

/// Returns the number of steps from a lane's clear gain of energy to its explosion. During these
/// steps the rope is already crumpled, so no settings help. Returns 0 without an energy account.
fn steps_of_growth(simulation: &Simulation) -> u32 {
    let gain = simulation.energy_account().and_then(EnergyAccount::energy_gain);
    let (Some(explosion), Some(gain)) = (simulation.explosion(), gain) else { return 0 };
    let dt = simulation.failed_under().map_or(simulation.settings().dt, |settings| settings.dt);
    ((explosion.t - gain.t) / dt).ceil().max(0.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::Method;
    use crate::simulation::settings::SceneNumber;

    /// Rope that explodes within a second under explicit Euler.
    const STIFF: &str = "(version: 1, name: \"stiff\", \
        materials: [Rope(name: \"cord\", stiffness: 2000, damping: 0)], \
        ropes: [(name: \"rope\", from: (0, 0, 0), to: (1, 0, 0), material: \"cord\")], \
        pins: [(of: Start(\"rope\"))], \
        lanes: [(name: \"euler\", settings: (integrator: ExplicitEuler, dt: 0.0005))])";

    fn exploded(laboratory: &Laboratory) -> Vec<bool> {
        let lanes = laboratory.session().lanes();
        lanes.iter().map(|lane| lane.simulation.explosion().is_some()).collect()
    }

    /// Returns a laboratory with a lane that has just exploded.
    fn exploded_laboratory(text: &str) -> Laboratory {
        let mut laboratory = Laboratory::of_text(text);
        laboratory.frames_until(|it| exploded(it) == [true]);
        laboratory
    }

    /// Too much damping makes this rope explode. Reducing the damping does not restart the scene:
    /// the lane continues from 20 steps before its gain of energy.
    #[test]
    fn a_lane_goes_on_from_before_its_explosion_with_a_less_damped_material() {
        let overdamped = STIFF
            .replace("dt: 0.0005", "dt: 0.0002")
            .replace("damping: 0", "damping: 0.6")
            .replace("ExplicitEuler", "SymplecticEuler");
        let mut laboratory = exploded_laboratory(&overdamped);
        let t = laboratory.selected().simulation.explosion().expect("it explodes").t;
        let color = laboratory.selected().color;
        let growing = steps_of_growth(&laboratory.selected().simulation);
        let damping = SceneNumber { path: "materials.cord.damping".into(), value: Some(0.1) };
        laboratory.continue_before_explosion(color, Continuation::Scene(vec![damping]));
        laboratory.frames_until(|it| exploded(it) == [false] && !it.history().is_past());
        let lane = laboratory.selected();
        let left = (t - lane.simulation.state().t) / lane.simulation.settings().dt;
        let expected = f64::from(growing + STEPS_BEFORE);
        assert!((left - expected).abs() < 1.5, "{left} steps before, {expected} expected");
        assert!(!laboratory.session().paused(), "it goes on");
        laboratory.whole_frames(30);
        assert!(laboratory.selected().simulation.state().t > t + 0.3);
        assert_eq!(exploded(&laboratory), [false], "it outlives the moment of the explosion");
        assert!(laboratory.history().branch().is_some(), "the explosion is kept as a branch");
    }

    #[test]
    fn a_lane_goes_on_from_before_its_explosion_with_a_remedy() {
        let mut laboratory = exploded_laboratory(&STIFF.replace("dt: 0.0005", "dt: 0.0001"));
        let lane = laboratory.selected();
        let t = lane.simulation.explosion().expect("it explodes").t;
        let color = lane.color;
        let growing = steps_of_growth(&lane.simulation);
        assert!(growing > 20, "explicit Euler doubles the energy before: {growing} steps");
        let settings = *lane.simulation.settings();
        let remedy = Settings { integrator: Method::SymplecticEuler, ..settings };
        laboratory.continue_before_explosion(color, Continuation::NewLane(Box::new(remedy)));
        laboratory.frames_until(|it| it.session().lanes().len() == 2);
        assert_eq!(exploded(&laboratory), [false, false], "both are before the explosion");
        assert_eq!(laboratory.selected().simulation.settings(), &remedy);
        for lane in laboratory.session().lanes() {
            let left = (t - lane.simulation.state().t) / settings.dt;
            let expected = f64::from(growing + STEPS_BEFORE);
            assert!((left - expected).abs() < 1.5, "{left} steps before, {expected} expected");
            assert!(lane.simulation.verdict().is_stable(), "{:?}", lane.simulation.verdict());
        }
        assert!(laboratory.history().branch().is_some(), "the explosion is kept as a branch");
        assert!(!laboratory.session().paused(), "it goes on");
        laboratory.whole_frames(60);
        assert_eq!(exploded(&laboratory), [true, false], "the same end, and another one");
    }
    /// The window turns the energy account on after the history has stored its first moment.
    #[test]
    fn the_energy_account_continues_after_a_jump_in_time() {
        let text = crate::scene::library::find("engines-on-one-rope").expect("a scene").text();
        let mut laboratory = Laboratory::of_text(text);
        for _ in 0..180 {
            laboratory.keep_energy_accounts(true);
            laboratory.whole_frame(1.0 / 60.0);
        }
        laboratory.command(Command::Pause(true));
        let balances = |laboratory: &Laboratory| -> Vec<_> {
            let lanes = laboratory.session().lanes().iter();
            lanes.map(|lane| lane.simulation.balance().expect("an account")).collect()
        };
        let newest = balances(&laboratory);
        assert!(newest.iter().any(|balance| balance.scheme != 0.0));
        let history = laboratory.history();
        let places = [history.place_at(1.0), history.end(), history.start(), history.end()];
        for place in places {
            laboratory.travel(place);
            while laboratory.history().progress().is_some() {
                laboratory.keep_energy_accounts(true);
                laboratory.advance(0.0);
            }
            if place == laboratory.history().end() {
                assert_eq!(balances(&laboratory), newest);
            }
        }
    }
}
