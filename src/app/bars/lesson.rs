//! Lesson of a scene: a line below the scene shows the next instruction until the user has followed
//! it. The scenes with lessons form the first tour, in the order of the list.

use crate::app::disk::scene_source::entries;
use crate::app::input::actions::{Action, RequestActions};
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::{close_ui, pressed};
use crate::integrate::Method;
use crate::model::Parts;
use crate::scene::Scene;
use crate::scene::typed::lesson::{Goal, LessonStep, MOST_LESSON_STEPS};
use crate::simulation::Simulation;
use egui_macroquad::egui::{self, RichText, Ui};
use std::mem::discriminant;

/// Height in points of the strip with an instruction, enough for two lines.
pub const HEIGHT: f32 = 40.0;
/// Smallest width in points at which dots are shown beside the instruction.
const ROOM_FOR_PROGRESS: f32 = 260.0;

/// Font sizes of the instruction in points. The largest size at which the text fits is used.
const SIZES: [f32; 5] = [14.0, 13.0, 12.0, 11.0, 9.0];

/// Progress of the user in the lesson of the current scene.
#[derive(Debug, Default)]
pub struct LessonProgress {
    /// Name of the scene to which the steps belong.
    scene: Option<String>,
    steps: Vec<LessonStep>,
    done: usize,
    /// State of the selected lane when the current step began.
    before: Option<LaneBefore>,
    /// True if the steps are the scene's lesson; false if they are the instructions for newcomers.
    is_lesson_of_scene: bool,
    /// True once the user has finished a step of any lesson. From then on, instructions for
    /// newcomers are not shown.
    has_begun: bool,
}

/// Actions of the user that change only the window, not the laboratory.
#[derive(Clone, Copy, Debug, Default)]
pub struct UserActions {
    /// True if the user has dragged a free particle since the scene was opened.
    pub dragged: bool,
    pub gallery: bool,
}

/// State of the selected lane before a step of a lesson. A comparison with the current state shows
/// whether the step is done.
#[derive(Clone, Copy, Debug)]
struct LaneBefore {
    integrator: Method,
    dt: f64,
    clamps: bool,
    cuts: usize,
    thrown: usize,
}

impl LaneBefore {
    fn of(laboratory: &Laboratory) -> Self {
        let simulation = &laboratory.selected().simulation;
        let settings = simulation.settings();
        Self {
            integrator: settings.integrator,
            dt: settings.dt,
            clamps: settings.guards.frame_clamp.limit().is_some(),
            cuts: cuts_by_hand(simulation),
            thrown: simulation.model().thrown().balls.len(),
        }
    }

    fn is_reached(&self, goal: Goal, laboratory: &Laboratory, user_actions: UserActions) -> bool {
        let session = laboratory.session();
        let simulation = &laboratory.selected().simulation;
        let settings = simulation.settings();
        let mut lanes = session.lanes().iter().map(|lane| &lane.simulation);
        match goal {
            Goal::Dragged => user_actions.dragged,
            Goal::Cut => cuts_by_hand(simulation) > self.cuts,
            Goal::Thrown => simulation.model().thrown().balls.len() > self.thrown,
            Goal::IntegratorChanged => settings.integrator != self.integrator,
            Goal::Integrator(method) => discriminant(&settings.integrator) == discriminant(&method),
            Goal::Solver(solver) => discriminant(&settings.solver()) == discriminant(&solver),
            Goal::StepChanged => settings.dt != self.dt,
            Goal::StepAbove(dt) => settings.dt > f64::from(dt),
            Goal::StepBelow(dt) => settings.dt < f64::from(dt),
            Goal::Substeps(count) => settings.substeps >= count,
            Goal::FrameClampSwitched => {
                settings.guards.frame_clamp.limit().is_some() != self.clamps
            }
            Goal::Exploded => lanes.any(|lane| lane.explosion().is_some()),
            Goal::Lived(seconds) => {
                session.time() >= seconds.into() && lanes.all(|lane| lane.explosion().is_none())
            }
            Goal::WentBack => laboratory.history().is_past(),
            Goal::Scenes => user_actions.gallery,
        }
    }
}

fn cuts_by_hand(simulation: &Simulation) -> usize {
    let cut = simulation.model().topology().cut_links().len();
    cut.saturating_sub(simulation.torn() as usize)
}

impl LessonProgress {
    /// Begins the next step if the goal of the current step is reached. Returns true once all
    /// instructions for newcomers have been followed.
    pub fn follow(&mut self, laboratory: &Laboratory, user_actions: UserActions) -> bool {
        let scene = laboratory.session().scene();
        if self.scene.as_ref() != Some(&scene.name) {
            let own = scene.annotations.lesson.clone();
            // Instructions for newcomers continue in the next scene if that scene has no lesson.
            if own.is_empty() && !self.is_lesson_of_scene && !self.is_finished() {
                self.scene = Some(scene.name.clone());
                if !self.steps.is_empty() {
                    self.steps = first_steps(scene);
                }
                return false;
            }
            self.is_lesson_of_scene = !own.is_empty();
            let for_newcomers = || if self.has_begun { Vec::new() } else { first_steps(scene) };
            *self = Self {
                steps: if self.is_lesson_of_scene { own } else { for_newcomers() },
                scene: Some(scene.name.clone()),
                is_lesson_of_scene: self.is_lesson_of_scene,
                has_begun: self.has_begun,
                ..Self::default()
            };
        }
        let before = *self.before.get_or_insert_with(|| LaneBefore::of(laboratory));
        let Some(step) = self.steps.get(self.done) else { return false };
        if before.is_reached(step.done, laboratory, user_actions) {
            self.done += 1;
            self.before = Some(LaneBefore::of(laboratory));
            self.has_begun = true;
        }
        !self.is_lesson_of_scene && self.done == self.steps.len()
    }

    pub fn is_shown(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Draws the instruction in a strip below the scene. Returns true if the user closed the strip.
    pub fn lesson_ui(&self, ctx: &egui::Context, laboratory: &Laboratory) -> bool {
        let mut closed = false;
        let frame = egui::Frame::new()
            .fill(theme::panel())
            .inner_margin(egui::Margin::symmetric(14, 0))
            .stroke(egui::Stroke::new(1.0, theme::separator()));
        let strip = egui::TopBottomPanel::bottom("lesson").exact_height(HEIGHT).frame(frame);
        strip.show_separator_line(false).show(ctx, |ui| {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let tip =
                    "Hides these instructions. The button First tour in the window of all scenes \
                    (G) starts the lessons again.";
                closed = close_ui(ui, "close lesson", tip);
                if let Some(index) = self.next_tour_scene(laboratory) {
                    next_ui(ui, index, self.is_finished());
                }
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    if ui.available_width() >= ROOM_FOR_PROGRESS {
                        self.progress_ui(ui);
                    }
                    let color = if self.is_finished() { theme::quiet() } else { theme::accent() };
                    let size = size_of(ui, self.text());
                    let text = RichText::new(self.text()).size(size).color(color);
                    ui.add(egui::Label::new(text).wrap())
                        .marked("lesson")
                        .on_hover_text(self.text());
                });
            });
        });
        closed
    }

    /// Draws a dot for each step. The dots of finished steps are filled.
    fn progress_ui(&self, ui: &mut Ui) {
        for step in 0..self.steps.len() {
            let (rect, _) = ui.allocate_exact_size(egui::vec2(9.0, 9.0), egui::Sense::hover());
            let painter = ui.painter();
            if step < self.done {
                painter.circle_filled(rect.center(), 3.5, theme::accent());
            } else {
                let stroke = egui::Stroke::new(1.0, theme::quiet());
                painter.circle_stroke(rect.center(), 3.5, stroke);
            }
        }
        ui.add_space(4.0);
    }

    fn is_finished(&self) -> bool {
        self.done == self.steps.len()
    }

    fn text(&self) -> &str {
        match self.steps.get(self.done) {
            Some(step) => &step.say,
            None => "Done.",
        }
    }

    /// Returns the index of the next scene with a lesson; `None` while instructions for newcomers
    /// are unfinished.
    fn next_tour_scene(&self, laboratory: &Laboratory) -> Option<usize> {
        let here = laboratory.source().index()?;
        let is_waiting = self.is_finished() || self.is_lesson_of_scene;
        tour().find(|&index| index > here).filter(|_| is_waiting)
    }
}

pub fn tour() -> impl Iterator<Item = usize> {
    (0..entries().len()).filter(|&index| entries()[index].has_lesson)
}

/// Returns the largest font size at which a text fits the strip.
fn size_of(ui: &Ui, text: &str) -> f32 {
    let fits = |size: f32| {
        let font = egui::FontId::proportional(size);
        let galley =
            ui.painter().layout(text.to_owned(), font, theme::text(), ui.available_width());
        galley.size().y <= HEIGHT
    };
    SIZES.into_iter().find(|size| fits(*size)).unwrap_or(SIZES[SIZES.len() - 1])
}

fn next_ui(ui: &mut Ui, index: usize, is_due: bool) {
    let color = if is_due { theme::accent() } else { theme::quiet() };
    let text =
        if is_due { format!("Next: {} ▶", entries()[index].title) } else { "Next ▶".into() };
    let text = RichText::new(text).color(color);
    let next = ui.add(egui::Button::new(text));
    let tip = format!("Opens the next scene of the first tour: {}.", entries()[index].title);
    if pressed(next, "next lesson", tip) {
        // The edits were part of the lesson, so they are dropped without a question.
        ui.request(Action::DropEdits(Box::new(Action::OpenListed(index))));
    }
}

fn first_steps(scene: &Scene) -> Vec<LessonStep> {
    let drag = format!("Drag {}.  Space pauses.  F1 shows all keys.", draggable(&scene.parts));
    let is_held = scene.lanes.first().is_some_and(|lane| !lane.settings.solver().is_none());
    let step = match is_held {
        true => {
            "Press Shift+D a few times: the time step doubles each time. See how far the solver \
            lets the links stretch."
        }
        false => {
            "Press 1, then drag the slider of the time step into the red: explicit Euler explodes \
            there."
        }
    };
    let steps: [(&str, Goal); MOST_LESSON_STEPS] = [
        (&drag, Goal::Dragged),
        (step, Goal::StepChanged),
        (
            "R restarts the scene, 4 selects velocity Verlet, Backspace restores the scene's \
            settings, G shows all scenes.",
            Goal::Scenes,
        ),
    ];
    steps.map(|(say, done)| LessonStep { say: say.to_owned(), done }).to_vec()
}

/// Returns a name for the bodies that the user can drag.
fn draggable(parts: &Parts) -> &'static str {
    let (ropes, cloths) = (parts.mesh.ropes.len(), parts.mesh.cloths.len());
    match (ropes, cloths, parts.contact.balls.len()) {
        // The faces of a block are cloths, too, so "a cloth" could be wrong.
        (1.., 1.., _) => "a body",
        (0, 1, _) => "the cloth",
        (0, 2.., _) => "a cloth",
        (1, 0, _) => "the rope",
        (2.., 0, _) => "a rope",
        (0, 0, 1) => "the ball",
        (0, 0, 2..) => "a ball",
        (0, 0, 0) => "a particle",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::disk::scene_source::index_of;
    use crate::integrate::Method;
    use crate::simulation::settings::Command;
    use crate::simulation::timing::stepper::{Guard, Stepping};

    fn carry_out_step(
        laboratory: &mut Laboratory,
        scene: &str,
        step: usize,
        goal: Goal,
    ) -> UserActions {
        let own = *laboratory.selected().simulation.settings();
        let (mut settings, mut user_actions) = (own, UserActions::default());
        match (scene, step, goal) {
            ("frame-coupled-rope", 2, _) => settings.stepping = Stepping::Interpolated,
            ("four-integrators", 1, _) => settings.integrator = Method::SymplecticEuler,
            ("four-integrators", 2, _) => settings.dt *= 4.0,
            ("clothesline", 1, _) => settings.integrator = Method::ExplicitEuler,
            ("clothesline", 2, _) => settings.integrator = Method::VelocityVerlet,
            ("iterations-or-substeps", 1, _) => settings.substeps = 20,
            (_, _, Goal::Dragged) => user_actions.dragged = true,
            (_, _, Goal::Scenes) => user_actions.gallery = true,
            (_, _, Goal::Cut) => laboratory.command(Command::Cut(vec![0])),
            (_, _, Goal::WentBack) => laboratory.travel(laboratory.history().start()),
            (_, _, Goal::FrameClampSwitched) => {
                let clamp = &mut settings.guards.frame_clamp;
                *clamp = Guard::Off(clamp.value());
            }
            (_, _, Goal::Integrator(method)) => settings.integrator = method,
            (_, _, Goal::Exploded | Goal::Lived(_)) => {}
            other => panic!("{other:?} is in no lesson"),
        }
        if settings != own {
            laboratory.configure_selected(settings).expect("settings that make sense");
        }
        if let ("frame-coupled-rope", 2) | ("four-integrators", 1) | ("clothesline", 2) =
            (scene, step)
        {
            laboratory.command(Command::Reset);
            laboratory.command(Command::Pause(false));
        }
        user_actions
    }

    /// Every step of the first tour can be done, and its text is correct.
    #[test]
    fn every_step_of_the_first_tour_can_be_done_and_is_ticked_off() {
        let mut count = 0;
        for index in tour() {
            let scene = entries()[index].name;
            let mut laboratory = Laboratory::listed(index);
            let mut progress = LessonProgress::default();
            progress.follow(&laboratory, UserActions::default());
            assert!(progress.is_lesson_of_scene && progress.is_shown(), "{scene}");
            let steps = progress.steps.clone();
            for (step, LessonStep { say, done }) in steps.into_iter().enumerate() {
                assert_eq!((progress.done, progress.text()), (step, say.as_str()), "{scene}");
                assert!(say.split_whitespace().count() <= 20, "{scene}: {say}");
                let user_actions = carry_out_step(&mut laboratory, scene, step, done);
                let mut frames = 0;
                while progress.done == step {
                    assert!(frames < 600, "{scene}: {say} was not ticked off within 10 s");
                    laboratory.whole_frame(1.0 / 60.0);
                    progress.follow(&laboratory, user_actions);
                    frames += 1;
                }
                let waits = matches!(done, Goal::Exploded | Goal::Lived(_));
                assert!(waits || frames < 60, "{scene}: {say} took {frames} frames");
            }
            assert!(progress.is_finished(), "{scene}");
            count += 1;
        }
        assert_eq!(count, 5, "scenes in the tour");
    }

    #[test]
    fn every_line_of_the_first_steps_fits_a_narrow_strip() {
        let steps = ["hanging-rope", "travelling-wave"]
            .map(|name| first_steps(Laboratory::listed(index_of(name)).session().scene()));
        let [held, springs] = [&steps[0][1].say, &steps[1][1].say];
        assert!(held.contains("solver") && springs.contains("explode"), "{held} {springs}");
        for step in steps.iter().flatten() {
            for width in [240.0, 320.0, 500.0, 900.0] {
                let app = |ui: &mut Ui, height: &mut f32| {
                    ui.set_max_width(width);
                    let text = RichText::new(&step.say).size(size_of(ui, &step.say));
                    *height = ui.add(egui::Label::new(text).wrap()).rect.height();
                };
                let mut harness = egui_kittest::Harness::new_ui_state(app, 0.0);
                harness.run_steps(2);
                assert!(*harness.state() <= HEIGHT, "{} at {width} points", step.say);
            }
        }
    }

    #[test]
    fn a_scene_without_a_lesson_greets_newcomers_once() {
        let bare = entries().iter().position(|entry| !entry.has_lesson).expect("a scene");
        let (laboratory, mut progress) = (Laboratory::listed(bare), LessonProgress::default());
        progress.follow(&laboratory, UserActions::default());
        assert!(!progress.is_lesson_of_scene && progress.text().starts_with("Drag "));
        progress.follow(&laboratory, UserActions { dragged: true, ..UserActions::default() });
        assert!(progress.text().starts_with("Press Shift+D"), "{}", progress.text());
        // Instructions for newcomers continue in the next scene without a lesson.
        progress.scene = None;
        progress.follow(&laboratory, UserActions::default());
        assert!(progress.text().starts_with("Press Shift+D"), "{}", progress.text());
        // The instructions name the bodies of that scene.
        let ball = "(version: 1, name: \"ball\", balls: [(at: (0, 0, 0))])";
        progress.follow(&Laboratory::of_text(ball), UserActions::default());
        assert!(progress.steps[0].say.starts_with("Drag the ball"), "{:?}", progress.steps[0]);
        // A user who has begun a lesson gets no instructions for newcomers.
        (progress.scene, progress.is_lesson_of_scene) = (None, true);
        progress.follow(&laboratory, UserActions::default());
        assert!(!progress.is_shown());
    }

    #[test]
    fn a_dragged_towel_is_no_step_of_another_integrator() {
        let (laboratory, user_actions) =
            (Laboratory::listed(0), UserActions { dragged: true, ..UserActions::default() });
        let before = LaneBefore::of(&laboratory);
        assert!(before.is_reached(Goal::Dragged, &laboratory, user_actions));
        for goal in [
            Goal::Cut,
            Goal::Thrown,
            Goal::IntegratorChanged,
            Goal::Integrator(Method::ExplicitEuler),
            Goal::StepChanged,
            Goal::Exploded,
            Goal::WentBack,
            Goal::Scenes,
        ] {
            assert!(!before.is_reached(goal, &laboratory, user_actions), "{goal:?}");
        }
    }
}
