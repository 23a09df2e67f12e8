//! Gallery: all scenes of the library, grouped by subject.

use crate::app::disk::scene_pictures::ScenePictures;
use crate::app::disk::scene_source::entries;
use crate::app::input::actions::{Action, RequestActions, count_requested_actions};
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::widgets::marks::{Marked, mark_rect};
use crate::app::widgets::{pressed, small_galley};
use crate::scene::Group;
use egui_macroquad::egui::{self, Align2, RichText, Ui};

const CARD_SIZE: egui::Vec2 = egui::vec2(216.0, 194.0);
const PICTURE_SIZE: egui::Vec2 = egui::vec2(216.0, 126.0);
const TEXT_MARGIN: egui::Vec2 = egui::vec2(10.0, 6.0);
const TITLE_HEIGHT: f32 = 19.0;
/// Number of lines of a scene's caption that fit below its image.
const LINES: usize = 3;
/// Height in points of the row above the scenes.
const HEAD: f32 = 30.0;
const FIELD: f32 = 260.0;
const GAP: f32 = 8.0;

/// Draws the window with all scenes. A click on a card opens the scene and closes the window. The
/// Return key in the search field opens the first scene whose title contains every word. If there
/// is none, it opens the first scene found.
pub fn gallery_ui(
    ctx: &egui::Context,
    open: &mut bool,
    laboratory: &Laboratory,
    pictures: &mut ScenePictures,
) {
    let room = ctx.screen_rect().size() - egui::vec2(48.0, 110.0);
    let columns = ((room.x + GAP) / (CARD_SIZE.x + GAP)).floor().clamp(1.0, 5.0) as usize;
    let before = count_requested_actions(ctx);
    egui::Window::new("Scenes")
        .open(open)
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .show(ctx, |ui| {
            // The window must keep its width even if a search finds only one scene.
            let bar = ui.spacing().scroll.allocated_width();
            ui.set_width(columns as f32 * (CARD_SIZE.x + GAP) - GAP + bar);
            let SceneQuery { words: query, is_entered: opens_first } = query_ui(ui);
            let room = room - egui::vec2(0.0, HEAD);
            let list = egui::ScrollArea::vertical().max_height(room.y).min_scrolled_height(room.y);
            let list = list.auto_shrink([false, true]).show(ui, |ui| {
                ui.spacing_mut().item_spacing = egui::vec2(GAP, GAP);
                let (mut first, mut titled) = (None, None);
                for group in Group::all() {
                    let chosen = matching_scenes(group, &query);
                    first = first.or(chosen.first().copied());
                    titled = titled.or(chosen.iter().copied().find(|it| is_titled(*it, &query)));
                    group_ui(ui, group, chosen.chunks(columns), laboratory, pictures);
                }
                match titled.or(first) {
                    None => {
                        ui.label(RichText::new("No scene matches.").color(theme::quiet()));
                    }
                    Some(first) if opens_first => ui.request(Action::OpenListed(first)),
                    Some(_) => {}
                }
                if ui.button("Open a file…  (Ctrl+O)").clicked() {
                    ui.request(Action::ShowFileDialog);
                }
            });
            mark_rect(ctx, list.inner_rect, "list of scenes");
        });
    if count_requested_actions(ctx) > before {
        *open = false;
    }
}

/// Text of the search field.
struct SceneQuery {
    words: String,
    /// True if the Return key was pressed while the field contained words.
    is_entered: bool,
}

/// Draws the search field and a button that begins the first tour. The field keeps the keyboard
/// focus.
fn query_ui(ui: &mut Ui) -> SceneQuery {
    let id = egui::Id::new("words of scenes");
    let mut query: String = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let is_new = has_just_opened(ui.ctx());
    if is_new {
        query.clear();
    }
    let mut is_entered = false;
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut query)
            .hint_text("Find: explodes, friction, pendulum …")
            .desired_width(FIELD);
        let field = ui.add(field).marked("find a scene");
        is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if is_new || is_entered {
            field.request_focus();
        }
        let tip = "Opens the first scene with a lesson: a line below the scene gives instructions.";
        if pressed(ui.button("First tour"), "first tour", tip) {
            ui.request(Action::BeginTour);
        }
    });
    ui.data_mut(|data| data.insert_temp(id, query.clone()));
    let has_words = !query.trim().is_empty();
    SceneQuery { words: query, is_entered: is_entered && has_words }
}

/// True in the first pass that draws the window after it was closed. Must be called in every pass
/// that draws the window.
fn has_just_opened(ctx: &egui::Context) -> bool {
    let (id, pass) = (egui::Id::new("last pass of scenes"), ctx.cumulative_pass_nr());
    let last: Option<u64> = ctx.data(|data| data.get_temp(id));
    ctx.data_mut(|data| data.insert_temp(id, pass));
    last.is_none_or(|last| last + 1 < pass)
}

/// True if the title of a scene contains every word of the query.
fn is_titled(index: usize, query: &str) -> bool {
    let title = entries()[index].title.to_lowercase();
    query.split_whitespace().all(|word| title.contains(&word.to_lowercase()))
}

/// Returns the indices of the scenes of a group whose name, title or caption contains every word of
/// the query.
fn matching_scenes(group: Group, query: &str) -> Vec<usize> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let has_all = |index: &usize| {
        let entry = &entries()[*index];
        let text = format!("{} {} {}", entry.name, entry.title, entry.look_for).to_lowercase();
        entry.group == group && words.iter().all(|word| text.contains(word))
    };
    (0..entries().len()).filter(has_all).collect()
}

fn group_ui(
    ui: &mut Ui,
    group: Group,
    rows: std::slice::Chunks<'_, usize>,
    laboratory: &Laboratory,
    pictures: &mut ScenePictures,
) {
    if rows.len() == 0 {
        return;
    }
    ui.label(RichText::new(group.title()).color(theme::accent()));
    for row in rows {
        ui.horizontal(|ui| {
            for &index in row {
                let current = laboratory.source().index() == Some(index);
                if card_ui(ui, index, current, pictures).clicked() {
                    ui.request(Action::OpenListed(index));
                }
            }
        });
    }
    ui.add_space(4.0);
}

fn card_ui(
    ui: &mut Ui,
    index: usize,
    current: bool,
    pictures: &mut ScenePictures,
) -> egui::Response {
    let entry = &entries()[index];
    let (rect, card) = ui.allocate_exact_size(CARD_SIZE, egui::Sense::click());
    let card = card.marked(format_args!("scene: {}", entry.name));
    let lit = card.hovered() || card.has_focus();
    let fill = if lit { theme::separator() } else { theme::panel() };
    let edge = if current || card.has_focus() { theme::accent() } else { theme::separator() };
    let stroke = egui::Stroke::new(1.0, edge);
    ui.painter().rect_filled(rect, 6.0, fill);
    if let Some(picture) = pictures.get(ui.ctx(), entry.name) {
        let top = egui::Rect::from_min_size(rect.min, PICTURE_SIZE);
        let round = egui::CornerRadius { nw: 6, ne: 6, sw: 0, se: 0 };
        egui::Image::new(picture).corner_radius(round).paint_at(ui, top);
    }
    ui.painter().rect_stroke(rect, 6.0, stroke, egui::StrokeKind::Inside);
    let lines = if lit { usize::MAX } else { LINES };
    let width = CARD_SIZE.x - 2.0 * TEXT_MARGIN.x;
    let galley = small_galley(ui, &entry.look_for, width, lines, theme::quiet());
    let mut words = rect.with_min_y(rect.min.y + PICTURE_SIZE.y);
    // The whole caption covers the image of its card. A tooltip would cover other cards.
    let higher = galley.size().y + TITLE_HEIGHT + 2.0 * TEXT_MARGIN.y - words.height();
    words.min.y -= higher.clamp(0.0, PICTURE_SIZE.y);
    if higher > 0.0 {
        ui.painter().rect_filled(words.shrink(1.0), 0.0, fill);
    }
    let inside = words.shrink2(TEXT_MARGIN);
    let mut title = ui.new_child(
        egui::UiBuilder::new().max_rect(inside).layout(egui::Layout::top_down(egui::Align::LEFT)),
    );
    title.add(egui::Label::new(RichText::new(&entry.title).color(theme::text())).truncate());
    let painter = ui.painter().with_clip_rect(inside.intersect(ui.clip_rect()));
    painter.galley(inside.min + egui::vec2(0.0, TITLE_HEIGHT), galley, theme::quiet());
    card.on_hover_cursor(egui::CursorIcon::PointingHand)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::input::actions::take_requested_actions;
    use crate::app::widgets::marks;
    use egui_kittest::Harness;

    #[test]
    fn a_search_with_one_hit_leaves_the_list_as_wide_as_all_scenes() {
        marks::remember_widgets(true);
        let laboratory = Laboratory::listed(0);
        let mut pictures = ScenePictures::default();
        let app = |ctx: &egui::Context| {
            theme::apply(ctx);
            gallery_ui(ctx, &mut true, &laboratory, &mut pictures);
        };
        let mut harness = Harness::builder().with_size([1280.0, 800.0]).build(app);
        let mut width = |query: &str| {
            let id = egui::Id::new("words of scenes");
            harness.ctx.data_mut(|data| data.insert_temp(id, query.to_owned()));
            harness.run_steps(3);
            marks::take_widgets(&harness.ctx)["list of scenes"].width()
        };
        let all = width("");
        assert!(all > 5.0 * CARD_SIZE.x, "width of all scenes: {all}");
        // A list without a scroll bar may be wider than the list of all scenes by the width of the
        // bar.
        for query in ["hammock", "no scene has this word"] {
            let few = width(query);
            assert!(
                (all..all + 12.0).contains(&few),
                "width for {query}: {few}, for all scenes {all}"
            );
        }
    }

    #[test]
    fn the_return_key_opens_the_first_scene_found() {
        let laboratory = Laboratory::listed(0);
        let mut pictures = ScenePictures::default();
        let app = |ctx: &egui::Context, is_open: &mut bool| {
            if *is_open {
                gallery_ui(ctx, is_open, &laboratory, &mut pictures);
            }
        };
        let mut harness = Harness::builder().with_size([1280.0, 800.0]).build_state(app, true);
        harness.run_steps(3);
        let opened = |name: &str| {
            let place = entries().iter().position(|entry| entry.name == name);
            vec![Action::OpenListed(place.expect("a scene"))]
        };
        // Captions of earlier scenes also contain "four".
        for (word, expected) in [
            ("no scene has this word", vec![]),
            ("hammock", opened("hammock")),
            ("four", opened("four-integrators")),
        ] {
            let stays = expected.is_empty();
            *harness.state_mut() = true;
            harness.run_steps(3);
            let id = egui::Id::new("words of scenes");
            harness.ctx.data_mut(|data| data.remove::<String>(id));
            harness.input_mut().events.push(egui::Event::Text(word.to_owned()));
            harness.run_steps(2);
            harness.press_key(egui::Key::Enter);
            harness.run_steps(1);
            assert_eq!(take_requested_actions(&harness.ctx), expected, "{word}");
            assert_eq!(*harness.state(), stays, "the window stays open for {word}");
            harness.run_steps(3);
            assert_eq!(harness.ctx.wants_keyboard_input(), stays, "the search goes on for {word}");
        }
    }

    #[test]
    fn the_search_field_is_empty_and_has_the_keyboard_when_the_window_opens() {
        let laboratory = Laboratory::listed(0);
        let mut pictures = ScenePictures::default();
        let app = |ctx: &egui::Context, is_open: &mut bool| {
            if *is_open {
                gallery_ui(ctx, is_open, &laboratory, &mut pictures);
            }
        };
        let mut harness = Harness::builder().with_size([1280.0, 800.0]).build_state(app, false);
        for _ in 0..2 {
            *harness.state_mut() = false;
            harness.run_steps(3);
            harness.ctx.memory_mut(|memory| memory.stop_text_input());
            assert!(!harness.ctx.wants_keyboard_input());
            *harness.state_mut() = true;
            harness.run_steps(3);
            assert!(harness.ctx.wants_keyboard_input());
            harness.input_mut().events.push(egui::Event::Text("knot".to_owned()));
            harness.run_steps(2);
            let id = egui::Id::new("words of scenes");
            let query = harness.ctx.data_mut(|data| data.get_temp::<String>(id));
            assert_eq!(query.as_deref(), Some("knot"));
        }
    }
}
