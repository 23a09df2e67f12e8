//! Tests of the panel in a simulated window, with every scene of the library.

use super::{OpenedGroups, PanelContext, SceneDials, panel_ui};
use crate::app::answers::Answers;
use crate::app::bars::lesson::{LessonProgress, UserActions};
use crate::app::disk::scene_source::{entries, index_of};
use crate::app::laboratory::Laboratory;
use crate::app::preferences::{PANEL_WIDTH, PanelGroup, Preferences};
use crate::app::scene_view::microscope::Microscope;
use crate::app::shell::bar_sizes::{STATUS_BAR, TOP_BAR};
use crate::app::theme;
use crate::app::timing::job_pools::JobPools;
use crate::app::widgets::marks;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use egui_macroquad::egui::accesskit::Role;
use egui_macroquad::egui::{self, Context, Rect, Vec2, pos2, vec2};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const SMALL: Vec2 = vec2(800.0, 600.0);
const COMMON: Vec2 = vec2(1280.0, 800.0);

/// Controls that must be visible in every scene.
const BASICS: [&str; 9] = [
    "lane name",
    "integrator",
    "dt slider",
    "limit",
    "stepping",
    "frame clamp on",
    "solver",
    "sweeps",
    "substeps",
];

/// Parts of a window that affect the panel.
struct PanelWindow {
    laboratory: Laboratory,
    answers: Answers,
    preferences: Preferences,
    microscope: Microscope,
    opened: OpenedGroups,
    dials: SceneDials,
    lesson: LessonProgress,
}

impl PanelWindow {
    fn open(index: usize) -> Self {
        let laboratory = Laboratory::listed(index);
        let mut lesson = LessonProgress::default();
        lesson.follow(&laboratory, UserActions::default());
        Self {
            laboratory,
            answers: Answers::default(),
            preferences: Preferences::default(),
            microscope: Microscope::default(),
            opened: OpenedGroups::default(),
            dials: SceneDials::default(),
            lesson,
        }
    }

    /// Draws the bars, the lesson and the panel at their sizes in a real window.
    fn show(&mut self, ctx: &Context) {
        theme::apply(ctx);
        marks::remember_widgets(true);
        egui::TopBottomPanel::top("top bar").exact_height(TOP_BAR).show(ctx, |_| {});
        egui::TopBottomPanel::bottom("status").exact_height(STATUS_BAR).show(ctx, |_| {});
        let frame = egui::Frame::new().inner_margin(egui::Margin::symmetric(10, 6));
        let panel =
            egui::SidePanel::left("panel").exact_width(PANEL_WIDTH).resizable(false).frame(frame);
        panel.show(ctx, |ui| {
            let context = PanelContext {
                preferences: &mut self.preferences,
                microscope: &mut self.microscope,
                opened: &mut self.opened,
                dials: &mut self.dials,
            };
            // A narrow top bar has no room for its last buttons, so the panel shows them.
            if ctx.screen_rect().width() < COMMON.x {
                ui.add_space(27.0);
                ui.separator();
            }
            let (laboratory, answers) = (&self.laboratory, &self.answers);
            let settings = panel_ui(ui, laboratory, answers, context);
            self.laboratory.configure_selected(settings).expect("settings that make sense");
        });
        self.lesson.lesson_ui(ctx, &self.laboratory);
    }
}

fn harness(window: PanelWindow, size: Vec2) -> Harness<'static, PanelWindow> {
    let mut harness = Harness::builder()
        .with_size(size)
        .build_state(|ctx: &Context, window: &mut PanelWindow| window.show(ctx), window);
    harness.run_steps(3);
    harness
}

fn widget_rects(harness: &mut Harness<PanelWindow>) -> BTreeMap<String, Rect> {
    marks::take_widgets(&harness.ctx);
    harness.run_steps(1);
    marks::take_widgets(&harness.ctx)
}

#[test]
fn the_basics_are_in_sight_in_every_scene() {
    for size in [SMALL, COMMON] {
        let panel =
            Rect::from_min_max(pos2(0.0, TOP_BAR), pos2(PANEL_WIDTH + 21.0, size.y - STATUS_BAR));
        for (index, entry) in entries().iter().enumerate() {
            let mut harness = harness(PanelWindow::open(index), size);
            let rects = widget_rects(&mut harness);
            for name in BASICS {
                let rect = rects.get(name).unwrap_or_else(|| panic!("{name} in {}", entry.name));
                assert!(panel.contains_rect(*rect), "{name} in {} at {size}: {rect}", entry.name);
            }
            assert!(rects.contains_key("time step") || rects.contains_key("parts a frame"));
        }
    }
}

#[test]
fn few_widgets_stand_there_at_first_sight() {
    let window = harness(PanelWindow::open(1), COMMON);
    let roles = [
        Role::Button,
        Role::ComboBox,
        Role::CheckBox,
        Role::Slider,
        Role::SpinButton,
        Role::TextInput,
    ];
    let count: usize = roles.map(|role| window.query_all_by_role(role).count()).iter().sum();
    assert!((10..=18).contains(&count), "{count} widgets");
}

/// Number of frames for which every scene is checked: half a second.
const FRAMES: usize = 30;

/// No control of the panel moves while the lanes run and answers arrive.
#[test]
fn nothing_jumps_while_a_scene_runs() {
    let pools = JobPools::default();
    let mut jumps = Vec::new();
    for (index, entry) in entries().iter().enumerate() {
        for size in [SMALL, COMMON] {
            let mut harness = harness(PanelWindow::open(index), size);
            let before = widget_rects(&mut harness);
            let after = (0..FRAMES).map(|_| {
                harness.state_mut().advance(&pools);
                widget_rects(&mut harness)
            });
            if let Some(after) = after.into_iter().find(|after| *after != before) {
                let moved = before.iter().filter(|(name, rect)| after.get(*name) != Some(*rect));
                let moved: Vec<_> =
                    moved.map(|(name, rect)| (name, rect, after.get(name))).collect();
                jumps.push(format!("{} at {size}: {moved:?}", entry.name));
            }
        }
    }
    assert!(jumps.is_empty(), "{jumps:#?}");
}

/// Computing the limit takes seconds, so the test uses only three scenes, one for each form of the
/// sentence about the limit.
#[test]
fn nothing_jumps_when_the_limit_is_known_or_the_step_changes() {
    let pools = JobPools::default();
    for name in ["hanging-rope", "clothesline", "frame-clamp"] {
        let mut harness = harness(PanelWindow::open(index_of(name)), COMMON);
        let before = widget_rects(&mut harness);
        let start = Instant::now();
        while harness.state().limit_is_unknown() {
            assert!(start.elapsed() < Duration::from_secs(120), "{name}: no limit");
            harness.state_mut().advance(&pools);
            assert_eq!(widget_rects(&mut harness), before, "{name}");
        }
        assert_eq!(widget_rects(&mut harness), before, "{name} with its limit");
        let settings = *harness.state().laboratory.selected().simulation.settings();
        // A tripled step has more digits; even a number of seventeen digits must fit in its field.
        for factor in [3.0, 0.1 / 3.0] {
            let dt = factor * settings.dt;
            let other = crate::simulation::settings::Settings { dt, ..settings };
            harness.state_mut().laboratory.configure_selected(other).expect("another step");
            assert_eq!(widget_rects(&mut harness), before, "{name} with {factor} times the step");
        }
    }
}

impl PanelWindow {
    /// Advances the session by a frame of 1/60 s.
    fn advance(&mut self, pools: &JobPools) {
        self.laboratory.advance(1.0 / 60.0);
        self.answers.refresh(&self.laboratory, pools);
    }

    fn limit_is_unknown(&self) -> bool {
        self.answers.limit(self.laboratory.selected().color).is_none()
    }
}

/// Returns the rectangles of all widgets in a window that is high enough for all groups.
fn all_widgets(name: &str) -> BTreeMap<String, Rect> {
    let mut window = PanelWindow::open(index_of(name));
    window.preferences.open_groups = PanelGroup::ALL.to_vec();
    let mut harness = harness(window, vec2(1280.0, 3000.0));
    harness.run_steps(20);
    widget_rects(&mut harness)
}

#[test]
fn what_a_scene_has_no_use_for_is_out_of_sight() {
    let rare = [
        "self-contact",
        "pair search",
        "come to rest",
        "max. collisions",
        "square root",
        "32 bits",
        "wrong blend",
        "seed",
    ];
    let shown = all_widgets("hanging-rope");
    for name in ["particles", "ball speed", "ball mass", "ball radius"] {
        assert!(shown.contains_key(name), "{name}");
    }
    for name in rare {
        assert!(!shown.contains_key(name), "{name}");
    }
    for (scene, name) in [
        ("f32-stops-falling", "32 bits"),
        ("billiard-break", "max. collisions"),
        ("billiard-break", "pair search"),
        ("folded-towel", "self-contact"),
    ] {
        assert!(all_widgets(scene).contains_key(name), "{name} in {scene}");
    }
}

/// Returns the name and the rectangle of the widget with the keyboard focus.
fn focused(harness: &mut Harness<PanelWindow>) -> Option<(String, Rect)> {
    let rects = widget_rects(harness);
    let id = harness.ctx.memory(|memory| memory.focused())?;
    let rect = harness.ctx.read_response(id)?.rect;
    // The rectangle of a number field changes slightly while it is edited.
    let shared = |other_rect: &Rect| {
        let both = other_rect.intersect(rect);
        if both.is_positive() { both.area() / other_rect.union(rect).area() } else { 0.0 }
    };
    let likest = rects.iter().map(|(name, other_rect)| (name, shared(other_rect)));
    let (name, share) = likest.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((if share > 0.5 { name.clone() } else { format!("{rect}") }, rect))
}

/// The Tab key moves from the basics to the groups and scrolls the focused control into view.
#[test]
fn the_tab_key_leads_through_the_whole_panel() {
    for size in [SMALL, COMMON] {
        for scene in ["iterations-or-substeps", "frame-coupled-rope"] {
            let mut window = PanelWindow::open(index_of(scene));
            window.preferences.open_groups = PanelGroup::ALL.to_vec();
            let mut harness = harness(window, size);
            let mut stops = Vec::new();
            while stops.len() < 90 {
                harness.press_key(egui::Key::Tab);
                harness.run_steps(6);
                let Some((name, rect)) = focused(&mut harness) else { break };
                let at = format!("{name} at {size} after {stops:?}");
                assert!(
                    rect.bottom() <= size.y - STATUS_BAR && rect.top() >= TOP_BAR,
                    "widget at {at}"
                );
                // The Tab key finally reaches the scroll bar of the groups.
                if rect.width() < 8.0 {
                    break;
                }
                assert!(!name.contains('['), "a stop without a name: {at}");
                stops.push(name);
            }
            for wanted in ["integrator", "sweep order", "speed", "time budget on", "forces"] {
                let is_there = stops.iter().any(|name| name == wanted);
                let is_used = wanted != "sweep order" || scene == "iterations-or-substeps";
                assert!(is_there || !is_used, "{wanted} in {scene} at {size}: {stops:?}");
            }
        }
    }
}
