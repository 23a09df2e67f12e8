//! The panel: the scene, the lanes, and every setting of the selected lane.

mod contact;
mod fields;
mod frames;
mod guards;
mod integrator;
mod lanes;
mod links;
mod microscope;
mod time;
mod view;

pub use fields::si_ui;

use super::actions::Action;
use super::answers::Answers;
use super::laboratory::Laboratory;
use super::microscope::Microscope;
use super::preferences::Preferences;
use super::theme;
use super::thrower::ThrowSettings;
use crate::simulation::settings::{Command, Settings};
use contact::{ball_ui, contact_ui};
use egui_macroquad::egui::{self, CollapsingHeader, RichText, Ui};
use frames::frames_ui;
use guards::guards_ui;
use integrator::integrator_ui;
use lanes::lanes_ui;
use links::{links_ui, longest_link_ui, stiffness_damping_ui, tear_ui};
use microscope::microscope_ui;
use time::time_ui;
use view::view_ui;

/// Width of the panel in points.
pub const WIDTH: f32 = 312.0;

/// The whole panel. Returns the settings of the selected lane as they are now.
pub fn panel_ui(
    ui: &mut Ui,
    laboratory: &Laboratory,
    answers: &Answers,
    (preferences, microscope): (&mut Preferences, &mut Microscope),
    actions: &mut Vec<Action>,
) -> Settings {
    let mut settings = *laboratory.selected().simulation.settings();
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.set_width(ui.available_width() - 6.0);
        scene_ui(ui, laboratory);
        group_ui(ui, "Lanes", true, |ui| lanes_ui(ui, laboratory, actions));
        let window = (&mut preferences.ball, &mut *microscope);
        settings_ui(ui, &mut settings, laboratory, answers, window, actions);
        group_ui(ui, "View", false, |ui| view_ui(ui, preferences, actions));
        ui.add_space(8.0);
        follow_focus(ui);
    });
    settings
}

/// Frames in which a widget is brought into sight after the Tab key has led to it: rows that come
/// into sight with it are then drawn, and may be higher than the place that was kept for them.
const FOLLOWED: u32 = 4;

/// Brings the widget that the Tab key led to into sight.
fn follow_focus(ui: &Ui) {
    let focused = ui.memory(|memory| memory.focused()).and_then(|id| ui.ctx().read_response(id));
    let Some(widget) = focused else { return };
    let left = egui::Id::new("frames to follow the focus");
    let frames = ui.data(|data| data.get_temp(left).unwrap_or(0));
    let frames = if widget.gained_focus() { FOLLOWED } else { frames };
    if frames == 0 {
        return;
    }
    ui.data_mut(|data| data.insert_temp(left, frames - 1));
    if widget.layer_id == ui.layer_id() && widget.interact_rect != widget.rect {
        // At once: the next Tab may come before a slow scroll ends.
        widget.scroll_to_me_animation(None, egui::style::ScrollAnimation::none());
    }
}

fn settings_ui(
    ui: &mut Ui,
    settings: &mut Settings,
    laboratory: &Laboratory,
    answers: &Answers,
    (ball, microscope): (&mut ThrowSettings, &mut Microscope),
    actions: &mut Vec<Action>,
) {
    let Settings {
        integrator,
        links,
        constraints,
        stiffness_damping,
        contact,
        tear,
        dt,
        substeps,
        stepping,
        guards,
        longest_link,
    } = settings;
    group_ui(ui, "Integrator", true, |ui| integrator_ui(ui, integrator));
    group_ui(ui, "Links and constraints", true, |ui| {
        links_ui(ui, links, constraints);
        stiffness_damping_ui(ui, stiffness_damping);
        longest_link_ui(ui, longest_link);
        tear_ui(ui, tear);
    });
    // Where only thrown balls touch anything, it gives way to what is used more.
    let touches = !laboratory.session().scene().parts.contact.is_empty();
    let mut contact_group = |ui: &mut Ui, actions: &mut Vec<Action>| {
        group_ui(ui, "Contact", touches, |ui| {
            contact_ui(ui, contact);
            ball_ui(ui, ball, actions);
        });
    };
    if touches {
        contact_group(ui, actions);
    }
    group_ui(ui, "Time", true, |ui| {
        let new = time_ui(ui, dt, substeps, stepping, laboratory, answers);
        actions.extend(new.map(|speed| Action::Give(Command::Speed(speed))));
        frames_ui(ui, laboratory, actions);
        microscope_ui(ui, microscope);
    });
    group_ui(ui, "Guards", true, |ui| guards_ui(ui, guards));
    if !touches {
        contact_group(ui, actions);
    }
}

fn scene_ui(ui: &mut Ui, laboratory: &Laboratory) {
    let scene = laboratory.session().scene();
    ui.add_space(2.0);
    ui.label(RichText::new(&scene.name).heading());
    if !scene.look_for.is_empty() {
        ui.add(egui::Label::new(RichText::new(&scene.look_for).color(theme::QUIET)).wrap());
    }
    ui.add_space(2.0);
}

/// A group that folds, with a thin line above.
fn group_ui(ui: &mut Ui, title: &str, open: bool, add: impl FnOnce(&mut Ui)) {
    ui.separator();
    let header = CollapsingHeader::new(RichText::new(title).color(theme::TEXT).strong())
        .default_open(open)
        .show_unindented(ui, add);
    super::report::mark(&header.header_response, title);
}
