//! The card of a lane that exploded: why, and what was tried against it, to be taken at a click.

use super::{Answer, Answers};
use crate::analysis::explain::{Explanation, Remedy};
use crate::app::actions::Action;
use crate::app::laboratory::Laboratory;
use crate::app::lanes::{blamed, chips_id};
use crate::app::report::mark;
use crate::app::stage::Stage;
use crate::app::theme;
use crate::session::Lane;
use crate::simulation::settings::{Command, MOST_LANES};
use egui_macroquad::egui::{self, Align2, RichText, Ui, pos2, vec2};

/// Width of a card in points, at most. A card stays in its viewport unless that is narrower than
/// the second one.
const WIDTH: f32 = 400.0;
const LEGIBLE: f32 = 280.0;
/// Width in points that a title with its buttons takes at least.
const TITLE: f32 = 160.0;
/// In a picture that is lower, in points, or narrower than is legible, a card is folded until it is
/// asked for: it would lie over what it speaks of, or over other lanes.
const ROOMY: f32 = 560.0;
/// A folded card still says why in a picture at least so high, in points.
const SAYS_WHY: f32 = 240.0;
/// Height of a title and of the least that is seen below it, in points.
const TITLE_HEIGHT: f32 = 44.0;
const LEAST_HEIGHT: f32 = 150.0;
/// Points between a card and what is beside it.
const GAP: f32 = 10.0;

/// The cards of all lanes that exploded, each in its viewport, but beside the window with answers,
/// if that leaves room, and above or below each other.
pub fn cards_ui(
    ctx: &egui::Context,
    (stage, window): (&Stage, Option<egui::Rect>),
    answers: &mut Answers,
    laboratory: &Laboratory,
    actions: &mut Vec<Action>,
) {
    let rects = stage.cells().iter().map(|cell| cell.rect);
    let Some(all) = rects.reduce(egui::Rect::union) else { return };
    let room = beside(all, window);
    let mut placed: Vec<egui::Rect> = Vec::new();
    for (index, cell) in stage.cells().iter().enumerate() {
        let lanes = laboratory.session().lanes();
        let inside = cell.lanes.iter().filter_map(|lane| Some((*lane, lanes.get(*lane)?)));
        // In an overlay of lanes the first that exploded has the word until its card is closed.
        let mut open = inside.filter(|(_, lane)| answers.has_card(lane.color));
        let Some((place, lane)) = open.next() else { continue };
        let Some(answer) = &mut answers.lanes[lane.color].answer else { continue };
        let inside = |rect: egui::Rect| rect.width() - 36.0;
        let is_roomy = cell.rect.height() >= ROOMY && inside(cell.rect) >= LEGIBLE;
        let says_why = cell.rect.height() >= SAYS_WHY && inside(cell.rect) >= LEGIBLE;
        let chips = ctx.memory(|memory| memory.area_rect(chips_id(index)));
        let chips = chips.map_or(cell.rect.top(), |chips| chips.bottom());
        let free = cell.rect.bottom() - chips - 2.0 * GAP;
        let below_title = (free - TITLE_HEIGHT).max(LEAST_HEIGHT);
        let least = if answer.unfolded.unwrap_or(is_roomy) { LEGIBLE } else { TITLE };
        let width = inside(cell.rect).clamp(least, WIDTH).min(inside(room));
        if width < TITLE {
            continue;
        }
        let id = egui::Id::new(("answer", index));
        let size =
            ctx.memory(|memory| memory.area_rect(id)).map_or(vec2(width, 0.0), |it| it.size());
        let Some(rect) = free_place(cell.rect, size, room, &placed) else { continue };
        placed.push(rect);
        egui::Area::new(id)
            .pivot(Align2::LEFT_BOTTOM)
            .fixed_pos(rect.left_bottom())
            .constrain_to(room)
            .order(egui::Order::Middle)
            .sense(egui::Sense::CLICK)
            .show(ctx, |ui| {
                egui::Frame::popup(ui.style()).inner_margin(10.0).show(ui, |ui| {
                    ui.set_width(width);
                    if title_ui(ui, lane, answer, is_roomy) {
                        egui::ScrollArea::vertical().max_height(below_title).show(ui, |ui| {
                            card_ui(ui, (place, lane), lanes.len(), answer, actions);
                        });
                    } else if says_why {
                        brief_ui(ui, answer);
                    }
                });
            });
    }
}

/// What a window leaves of the stage to its left, if that is enough for a card.
fn beside(stage: egui::Rect, window: Option<egui::Rect>) -> egui::Rect {
    let right = window.filter(|window| window.intersects(stage)).map(|window| window.left() - GAP);
    match right {
        Some(right) if right - stage.left() >= LEGIBLE => {
            stage.with_max_x(right.min(stage.right()))
        }
        _ => stage,
    }
}

/// Where a card goes: in the lower left corner of its viewport, unless another one is there, then
/// above that, or below it. None where the window with answers covers the viewport and leaves no
/// room beside the other cards.
fn free_place(
    viewport: egui::Rect,
    size: egui::Vec2,
    room: egui::Rect,
    placed: &[egui::Rect],
) -> Option<egui::Rect> {
    let left = (viewport.left() + GAP).min(room.right() - size.x).max(room.left());
    let at = |bottom: f32| egui::Rect::from_min_size(pos2(left, bottom - size.y), size);
    let own = viewport.bottom() - GAP;
    let around = placed.iter().flat_map(|other| [other.top() - GAP, other.bottom() + GAP + size.y]);
    let is_free = |place: &egui::Rect| {
        let inside = place.top() >= room.top() && place.bottom() <= room.bottom();
        inside && !placed.iter().any(|other| other.intersects(*place))
    };
    let is_covered = viewport.left() + LEGIBLE > room.right();
    let places = std::iter::once(own).chain(around).map(at);
    places.into_iter().find(is_free).or_else(|| (!is_covered).then(|| at(own)))
}

/// The first line of a card; answers whether more is to be seen.
fn title_ui(ui: &mut Ui, lane: &Lane, answer: &mut Answer, is_roomy: bool) -> bool {
    let unfolded = answer.unfolded.unwrap_or(is_roomy);
    // From the right, so that a narrow card cuts the words and not the buttons.
    let height = ui.spacing().interact_size.y;
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    ui.allocate_ui_with_layout(vec2(ui.available_width(), height), layout, |ui| {
        let cross = RichText::new("×").size(18.0).color(theme::QUIET);
        let close = ui.add(egui::Button::new(cross).frame(false)).on_hover_text("Close");
        mark(&close, "close card");
        answer.closed |= close.clicked();
        let fold = ui.button(if unfolded { "Fold" } else { "Show" });
        mark(&fold, "fold card");
        if fold.clicked() {
            answer.unfolded = Some(!unfolded);
        }
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            let title = RichText::new(title(lane)).color(theme::WARNING).strong();
            ui.add(egui::Label::new(title).truncate());
        });
    });
    unfolded
}

/// Who is to blame is who was in force then.
fn title(lane: &Lane) -> String {
    match blamed(&lane.simulation) {
        Some(blamed) => format!("Why it exploded under {blamed}"),
        None => format!("Why {} exploded", lane.name),
    }
}

fn card_ui(
    ui: &mut Ui,
    (place, lane): (usize, &Lane),
    lanes: usize,
    answer: &Answer,
    actions: &mut Vec<Action>,
) {
    if let Some(explanation) = &answer.explanation {
        why_ui(ui, lane, explanation);
    }
    if answer.failed {
        ui.label("The computation failed.");
    } else if !answer.done {
        let percent = 100.0 * answer.progress;
        ui.label(RichText::new(format!("Trying remedies … {percent:.0} %")).color(theme::QUIET));
    }
    let tried = answer.explanation.iter().flat_map(|explanation| &explanation.remedies);
    if tried.clone().next().is_some() {
        let text = "Tried: × this lane's cost · error over the size";
        ui.add(egui::Label::new(RichText::new(text).color(theme::QUIET)).wrap());
    }
    for remedy in tried {
        remedy_ui(ui, place, lanes, remedy, actions);
    }
}

/// What a folded card says: the first sentence.
fn brief_ui(ui: &mut Ui, answer: &Answer) {
    let Some(explanation) = &answer.explanation else { return };
    let sentence = explanation.sentence.split_inclusive(". ").next().unwrap_or_default();
    ui.add(egui::Label::new(RichText::new(sentence.trim_end()).color(theme::QUIET)).wrap());
}

fn why_ui(ui: &mut Ui, lane: &Lane, explanation: &Explanation) {
    let held = explanation.explosion.is_none();
    if held && explanation.mode.is_none() {
        // "It holds for 3 s."
        let holds = explanation.sentence.trim_start_matches("It ");
        let text = format!("Run again from its start, hand and all, {} {holds}", lane.name);
        ui.add(egui::Label::new(text).wrap());
    } else {
        ui.add(egui::Label::new(&explanation.sentence).wrap().selectable(true));
    }
}

fn remedy_ui(ui: &mut Ui, lane: usize, lanes: usize, remedy: &Remedy, actions: &mut Vec<Action>) {
    let Remedy { change, settings, holds, cost_ratio, error } = remedy;
    let color = if *holds { theme::TEXT } else { theme::QUIET };
    ui.horizontal(|ui| {
        // From the right, so that a narrow card cuts the words and not the buttons.
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if *holds {
                let add = ui.add_enabled(lanes < MOST_LANES, egui::Button::new("Beside"));
                let add =
                    add.on_hover_text("Adds a lane with these settings and starts the scene anew");
                mark(&add, format_args!("beside {change}"));
                if add.clicked() {
                    let (name, settings) = (change.clone(), *settings);
                    actions.push(Action::Give(Command::AddLane { name, settings }));
                    actions.push(Action::Reset);
                }
                let set =
                    ui.button("Set").on_hover_text("Sets this lane and starts the scene anew");
                mark(&set, format_args!("set {change}"));
                if set.clicked() {
                    actions.push(Action::Give(Command::Configure { lane, settings: *settings }));
                    actions.push(Action::Reset);
                }
            }
            let result = match holds {
                false => "explodes too".to_owned(),
                true if error.is_finite() => format!("× {cost_ratio:.1} · {:.1} %", 100.0 * error),
                true => format!("× {cost_ratio:.1}"),
            };
            ui.label(RichText::new(result).color(theme::QUIET)).on_hover_text(
                "Computing time a simulated second, over that of the lane as it was; greatest \
                 distance of a particle from a precise run, over the size of the scene.",
            );
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                ui.add(egui::Label::new(RichText::new(change).color(color)).truncate());
            });
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui_macroquad::egui::Rect;

    fn rect(left: f32, top: f32, width: f32, height: f32) -> Rect {
        Rect::from_min_size(pos2(left, top), vec2(width, height))
    }

    /// Two columns of a window of 1280 × 800, and the window with answers over the right one.
    #[test]
    fn cards_lie_beside_the_answers_and_not_on_each_other() {
        let stage = rect(312.0, 38.0, 648.0, 738.0);
        let answers = rect(696.0, 60.0, 560.0, 600.0);
        let room = beside(stage, Some(answers));
        let (size, mut placed) = (vec2(350.0, 280.0), Vec::new());
        for viewport in [rect(312.0, 38.0, 324.0, 738.0), rect(636.0, 38.0, 324.0, 738.0)] {
            let place = free_place(viewport, size, room, &placed).expect("there is room");
            assert!(room.contains_rect(place) && !place.intersects(answers), "{place:?}");
            assert!(placed.iter().all(|other: &Rect| !other.intersects(place)), "{place:?}");
            placed.push(place);
        }
        assert_eq!(placed[0].left_bottom(), pos2(322.0, 766.0), "in the corner of its viewport");
        let full = [rect(322.0, 50.0, 350.0, 720.0)];
        assert_eq!(free_place(rect(636.0, 38.0, 324.0, 738.0), size, room, &full), None);
    }

    #[test]
    fn a_window_that_leaves_no_room_is_passed_over() {
        let stage = rect(312.0, 38.0, 648.0, 738.0);
        assert_eq!(beside(stage, Some(rect(400.0, 60.0, 560.0, 600.0))), stage);
        assert_eq!(beside(stage, None), stage);
    }

    #[test]
    fn the_title_blames_what_was_in_force() {
        use crate::scene::Scene;
        use crate::session::Session;
        use crate::simulation::settings::Settings;
        let text = "(version: 1, name: \"x\", particles: [(at: (0, 0, 0)), (at: (1.1, 0, 0))], \
                    links: [(a: Particle(0), b: Particle(1), rest: 1, stiffness: 1e6)], \
                    pins: [(of: Particle(0))], lanes: [(name: \"stiff\", settings: \
                    (integrator: ExplicitEuler, dt: 0.01))])";
        let scene = Scene::parse(text, "scene").unwrap_or_else(|e| panic!("{e}"));
        let mut session = Session::new(std::sync::Arc::new(scene));
        session.advance(1.0, &|| 0.0);
        assert_eq!(title(&session.lanes()[0]), "Why stiff exploded");
        let integrator = crate::integrate::Method::Rk4;
        let settings = Settings { integrator, ..*session.lanes()[0].simulation.settings() };
        session.command(Command::Configure { lane: 0, settings });
        assert_eq!(title(&session.lanes()[0]), "Why it exploded under explicit Euler");
    }
}
