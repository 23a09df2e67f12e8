//! The panel: the scene's caption, the basics of the selected lane, and groups with all other
//! settings.

mod basics;
mod contact;
mod dial_help;
mod fields;
mod groups;
mod integrator;
mod lanes;
mod link_parameters;
mod relevance;
mod scene;
#[cfg(test)]
mod tests;
mod time_and_frames;
mod view;

pub use fields::si_ui;
pub use groups::OpenedGroups;
#[cfg(test)]
pub use integrator::published_facts;
pub use scene::SceneDials;

use crate::app::answers::Answers;
use crate::app::input::actions::{Action, RequestActions};
use crate::app::laboratory::Laboratory;
use crate::app::preferences::{PanelGroup, Preferences};
use crate::app::scene_view::microscope::Microscope;
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::simulation::settings::{Command, Settings};
use crate::simulation::timing::stepper::Stepping;
use basics::basics_ui;
use contact::{ball_ui, contact_ui};
use egui_macroquad::egui::{self, RichText, Ui};
use integrator::integrator_ui;
use lanes::lanes_ui;
use link_parameters::limits::limits_ui;
use link_parameters::links::{
    largest_residual_ui, longest_link_ui, solver_parameters_ui, stiffness_damping_ui, tear_ui,
};
use relevance::Relevance;
use time_and_frames::edits::edits_ui;
use time_and_frames::frames::frames_ui;
use time_and_frames::guards::guards_ui;
use time_and_frames::microscope::microscope_ui;
use time_and_frames::speed::{slow_display_ui, speed_ui};
use view::view_ui;

pub const WIDEST: f32 = 560.0;
const SCROLL_BAR: f32 = 6.0;
/// Height of the panel in points below which the basics scroll together with the groups.
const LOW_PANEL: f32 = 460.0;
#[cfg(test)]
pub const TEXT_WIDTH: f32 = crate::app::preferences::PANEL_WIDTH - 2.0 * 10.0 - SCROLL_BAR;

/// State of the panel between frames.
#[derive(Debug, Default)]
pub struct PanelMemory {
    pub opened: OpenedGroups,
    pub dials: SceneDials,
}

/// State of the window outside the lanes that the panel shows and may change.
pub struct PanelContext<'a> {
    pub preferences: &'a mut Preferences,
    pub microscope: &'a mut Microscope,
    pub opened: &'a mut OpenedGroups,
    pub dials: &'a mut SceneDials,
}

/// Draws the whole panel. Returns the settings of the selected lane with the user's changes.
///
/// Caption and basics stay in place while the groups below them scroll. In a short window
/// everything scrolls.
pub fn panel_ui(
    ui: &mut Ui,
    laboratory: &Laboratory,
    answers: &Answers,
    context: PanelContext,
) -> Settings {
    let mut settings = *laboratory.selected().simulation.settings();
    context.opened.follow(laboratory.origin());
    context.dials.follow(laboratory);
    let replaced = context.dials.replaced();
    let top_ui = |ui: &mut Ui, settings: &mut Settings| {
        // The basics have the width of the groups, which leave room for a scroll bar.
        ui.set_width(ui.available_width() - SCROLL_BAR);
        caption_ui(ui, laboratory, replaced.as_deref());
        basics_ui(ui, settings, laboratory, answers);
    };
    let is_low = ui.available_height() < LOW_PANEL;
    if !is_low {
        ui.scope(|ui| top_ui(ui, &mut settings));
    }
    // The Tab key would stop at a scroll area that supports dragging.
    let groups = egui::ScrollArea::vertical().auto_shrink(false).drag_to_scroll(false);
    let shown = groups.show(ui, |ui| {
        if is_low {
            ui.scope(|ui| top_ui(ui, &mut settings));
        }
        ui.set_width(ui.available_width() - SCROLL_BAR);
        groups_ui(ui, &mut settings, laboratory, context);
        ui.add_space(8.0);
        follow_focus(ui);
    });
    // A line separates the basics from scrolled groups. egui clips scrolled contents at a margin
    // outside their rectangle.
    if !is_low && shown.state.offset.y > 0.0 {
        let (rect, visuals) = (shown.inner_rect, ui.visuals());
        let top = rect.top() - visuals.clip_rect_margin;
        ui.painter().hline(rect.x_range(), top, visuals.widgets.noninteractive.bg_stroke);
    }
    settings
}

/// Number of frames for which the panel scrolls to a widget that the Tab key has reached. In these
/// frames, nearby rows are drawn for the first time and may be higher than the height reserved for
/// them.
const FOLLOWED_FRAMES: u32 = 4;

/// Scrolls to the widget that the Tab key has reached.
fn follow_focus(ui: &Ui) {
    let focused = ui.memory(|memory| memory.focused()).and_then(|id| ui.ctx().read_response(id));
    let Some(widget) = focused else { return };
    let left = egui::Id::new("frames to follow the focus");
    let frames = ui.data(|data| data.get_temp(left).unwrap_or(0));
    let frames = if widget.gained_focus() { FOLLOWED_FRAMES } else { frames };
    if frames == 0 {
        return;
    }
    ui.data_mut(|data| data.insert_temp(left, frames - 1));
    if widget.layer_id == ui.layer_id() && widget.interact_rect != widget.rect {
        // The scroll is not animated, because the next press of Tab may come before the animation
        // ends.
        widget.scroll_to_me_animation(None, egui::style::ScrollAnimation::none());
    }
}

fn groups_ui(ui: &mut Ui, settings: &mut Settings, laboratory: &Laboratory, context: PanelContext) {
    // The ignored settings are among the panel's basics.
    let Settings {
        integrator,
        links,
        constraints,
        stiffness_damping,
        contact,
        tear,
        tethers,
        strain_limit,
        dt: _,
        substeps: _,
        stepping,
        guards,
        longest_link,
        largest_residual,
    } = settings;
    let PanelContext { preferences, microscope, opened, dials } = context;
    let relevant = Relevance::of(laboratory);
    opened.group_ui(ui, PanelGroup::Scene, preferences, |ui, _| {
        dials.scene_ui(ui, laboratory);
    });
    opened.group_ui(ui, PanelGroup::Lanes, preferences, |ui, _| lanes_ui(ui, laboratory));
    opened.group_ui(ui, PanelGroup::Integrator, preferences, |ui, _| {
        integrator_ui(ui, integrator, relevant.single_precision);
    });
    opened.group_ui(ui, PanelGroup::Links, preferences, |ui, _| {
        let softens = constraints.softens_by_residual();
        let simulation = &laboratory.selected().simulation;
        solver_parameters_ui(ui, *links, constraints, simulation, relevant.rootless_relaxation);
        limits_ui(ui, tethers, strain_limit);
        stiffness_damping_ui(ui, stiffness_damping);
        longest_link_ui(ui, longest_link);
        if softens {
            largest_residual_ui(ui, largest_residual);
        }
        tear_ui(ui, tear);
    });
    opened.group_ui(ui, PanelGroup::Contact, preferences, |ui, preferences| {
        contact_ui(ui, contact, relevant);
        ball_ui(ui, &mut preferences.ball);
    });
    opened.group_ui(ui, PanelGroup::Time, preferences, |ui, preferences| {
        let new = speed_ui(ui, laboratory.speed());
        ui.request_all(new.map(|speed| Action::SendCommand(Command::Speed(speed))));
        frames_ui(ui, laboratory, relevant.seed);
        slow_display_ui(ui, &mut preferences.frame_limit);
        microscope_ui(ui, microscope, *stepping == Stepping::Interpolated);
        guards_ui(ui, guards);
        edits_ui(ui, laboratory);
    });
    opened.group_ui(ui, PanelGroup::View, preferences, |ui, preferences| {
        view_ui(ui, preferences);
    });
}

/// Draws the caption of the scene. If `replaced` names scene values that the user has replaced, a
/// caption with numbers is struck out.
fn caption_ui(ui: &mut Ui, laboratory: &Laboratory, replaced: Option<&str>) {
    let look_for = &laboratory.session().scene().look_for;
    if !look_for.is_empty() {
        let text = RichText::new(look_for).color(theme::quiet());
        let replaced = replaced.filter(|_| has_numbers(look_for));
        let text = if replaced.is_some() { text.strikethrough() } else { text };
        let caption = ui.add(egui::Label::new(text).wrap()).marked("caption");
        if let Some(replaced) = replaced {
            caption.on_hover_text(caption_note(replaced));
        }
        ui.separator();
    }
}

/// True if a caption contains numbers. These hold only for the scene's own values.
pub fn has_numbers(caption: &str) -> bool {
    caption.contains(|letter: char| letter.is_ascii_digit())
}

/// Returns a note that caption and predictions do not apply, because the user has replaced values.
/// `replaced` describes the scene's own values.
pub fn caption_note(replaced: &str) -> String {
    format!("Caption and predictions are valid only for {replaced}.")
}
