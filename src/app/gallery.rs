//! All scenes of the library, grouped by what they teach.

use super::actions::Action;
use super::laboratory::Laboratory;
use super::report::mark;
use super::scene_pictures::ScenePictures;
use super::scene_source::entries;
use super::theme;
use crate::scene::Group;
use egui_macroquad::egui::{self, Align2, RichText, Ui};

/// Points of a card.
const CARD: egui::Vec2 = egui::vec2(216.0, 194.0);
/// Points of a picture in it.
const PICTURE: egui::Vec2 = egui::vec2(216.0, 126.0);
/// Points between cards.
const GAP: f32 = 8.0;

/// The window with all scenes; a click opens one and closes the window.
pub fn gallery_ui(
    ctx: &egui::Context,
    open: &mut bool,
    (laboratory, pictures): (&Laboratory, &mut ScenePictures),
    actions: &mut Vec<Action>,
) {
    let room = ctx.screen_rect().size() - egui::vec2(48.0, 110.0);
    let columns = ((room.x + GAP) / (CARD.x + GAP)).floor().clamp(1.0, 5.0) as usize;
    let before = actions.len();
    egui::Window::new("Scenes")
        .open(open)
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .show(ctx, |ui| {
            let list = egui::ScrollArea::vertical().max_height(room.y).min_scrolled_height(room.y);
            list.show(ui, |ui| {
                ui.spacing_mut().item_spacing = egui::vec2(GAP, GAP);
                for group in Group::all() {
                    group_ui(ui, (group, columns), laboratory, pictures, actions);
                }
                if ui.button("Open a file…  (Ctrl+O)").clicked() {
                    actions.push(Action::ShowFileDialog);
                }
            });
        });
    if actions.len() > before {
        *open = false;
    }
}

fn group_ui(
    ui: &mut Ui,
    (group, columns): (Group, usize),
    laboratory: &Laboratory,
    pictures: &mut ScenePictures,
    actions: &mut Vec<Action>,
) {
    let chosen: Vec<usize> =
        (0..entries().len()).filter(|&place| entries()[place].group == group).collect();
    if chosen.is_empty() {
        return;
    }
    ui.label(RichText::new(group.title()).color(theme::ACCENT));
    for row in chosen.chunks(columns) {
        ui.horizontal(|ui| {
            for &place in row {
                let current = laboratory.source().place() == Some(place);
                if card_ui(ui, place, current, pictures).clicked() {
                    actions.push(Action::OpenListed(place));
                }
            }
        });
    }
    ui.add_space(4.0);
}

/// Picture, title, and what to look for.
fn card_ui(
    ui: &mut Ui,
    place: usize,
    current: bool,
    pictures: &mut ScenePictures,
) -> egui::Response {
    let entry = &entries()[place];
    let (rect, card) = ui.allocate_exact_size(CARD, egui::Sense::click());
    mark(&card, format_args!("scene: {}", entry.name));
    let lit = card.hovered() || card.has_focus();
    let fill = if lit { theme::SEPARATOR } else { theme::PANEL };
    let edge = if current || card.has_focus() { theme::ACCENT } else { theme::SEPARATOR };
    let stroke = egui::Stroke::new(1.0, edge);
    ui.painter().rect_filled(rect, 6.0, fill);
    if let Some(picture) = pictures.get(ui.ctx(), entry.name) {
        let top = egui::Rect::from_min_size(rect.min, PICTURE);
        let round = egui::CornerRadius { nw: 6, ne: 6, sw: 0, se: 0 };
        egui::Image::new(picture).corner_radius(round).paint_at(ui, top);
    }
    ui.painter().rect_stroke(rect, 6.0, stroke, egui::StrokeKind::Inside);
    let words = egui::Rect::from_min_max(rect.min + egui::vec2(0.0, PICTURE.y), rect.max);
    let inside = words.shrink2(egui::vec2(10.0, 6.0));
    let mut text = ui.new_child(
        egui::UiBuilder::new().max_rect(inside).layout(egui::Layout::top_down(egui::Align::LEFT)),
    );
    text.set_clip_rect(inside.intersect(ui.clip_rect()));
    text.spacing_mut().item_spacing.y = 2.0;
    text.add(egui::Label::new(RichText::new(&entry.title).color(theme::TEXT)).truncate());
    text.add(egui::Label::new(RichText::new(&entry.look_for).color(theme::QUIET).small()).wrap());
    card.on_hover_text(&entry.look_for).on_hover_cursor(egui::CursorIcon::PointingHand)
}
