//! Time bar below the scene: the time of the session, its events, and the shown moment.

mod lane_from_here;
mod marks;

use crate::app::input::actions::{Action, RequestActions, TimeAction};
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::quantity::in_words::percent_to;
use crate::quantity::on_screen::si;
use crate::session::{History, SessionMoment};
use crate::simulation::settings::MOST_LANES;
use egui_macroquad::egui::{self, Rect, Ui, pos2};

pub const HEIGHT: f32 = 34.0;
/// Width of the bar in points below which the text about the shown moment is left out.
const NARROW: f32 = 400.0;
/// Width in points of the button for branches. The width is fixed, so the track does not move while
/// the user drags its handle.
const BUTTON: f32 = 118.0;
/// Widths in points of an icon button, of the text about the shown moment, and of gaps.
const ICON: f32 = 26.0;
const PLACE: f32 = 104.0;
const GAP: f32 = 4.0;
/// Height in points of the buttons and of the track.
const PART_HEIGHT: f32 = 22.0;
/// Margin in points at both ends of the track for the handle.
const MARGIN: f32 = 8.0;
/// Shortest time in seconds that the whole track represents.
const SHORTEST_TIME: f64 = 1e-3;

#[derive(Clone, Copy, Debug)]
struct Scale {
    rect: Rect,
    from: f64,
    seconds: f64,
}

impl Scale {
    fn of(history: &History, rect: Rect) -> Self {
        let from = history.time_of(history.start());
        let seconds = (history.time_of(history.end()) - from).max(SHORTEST_TIME);
        Self { rect: rect.shrink2(egui::vec2(MARGIN, 0.0)), from, seconds }
    }

    fn x(&self, time: f64) -> f32 {
        let part = ((time - self.from) / self.seconds).clamp(0.0, 1.0);
        self.rect.min.x + self.rect.width() * part as f32
    }

    fn time(&self, x: f32) -> f64 {
        let part = f64::from((x - self.rect.min.x) / self.rect.width().max(1.0));
        self.from + self.seconds * part.clamp(0.0, 1.0)
    }
}

/// Draws the whole bar. `shift` is true while a Shift key is down; egui would learn this only with
/// the next key event.
pub fn time_bar_ui(ui: &mut Ui, laboratory: &Laboratory, shift: bool) {
    let history = laboratory.history();
    let is_wide = ui.available_width() >= NARROW;
    ui.spacing_mut().item_spacing.x = GAP;
    ui.spacing_mut().button_padding.x = 0.0;
    ui.horizontal_centered(|ui| {
        let tip = "Goes to the start of the recorded time (Shift+Home)";
        let texts = ButtonTexts { sign: "⏮", name: "time: start", tip };
        let is_later = history.shown_moment() != history.start();
        if button_ui(ui, ICON, texts, is_later).clicked() {
            ui.request(Action::Time(TimeAction::GoTo(history.start())));
        }
        play_ui(ui, laboratory);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let tip = "Goes to the newest moment (Shift+End)";
            let texts = ButtonTexts { sign: "⏭", name: "time: newest", tip };
            if button_ui(ui, ICON, texts, history.is_past()).clicked() {
                ui.request(Action::Time(TimeAction::GoTo(history.end())));
            }
            branches_ui(ui, laboratory);
            if is_wide {
                moment_ui(ui, laboratory);
            }
            track_ui(ui, laboratory, shift);
        });
    });
}

/// Draws the button that plays the past or stops playing it.
fn play_ui(ui: &mut Ui, laboratory: &Laboratory) {
    let is_past = laboratory.history().is_past();
    let (sign, tip) = match laboratory.plays_past() {
        true => ("⏸", "Stops playing the past (Space)"),
        false if is_past => ("▶", "Plays the recorded past from this moment, without changing it"),
        false => ("▶", "Plays the recorded past from its start, without changing it"),
    };
    let can_play = is_past || laboratory.can_play_all();
    let texts = ButtonTexts { sign, name: "time: play", tip };
    if button_ui(ui, ICON, texts, can_play).clicked() {
        ui.request(Action::Time(TimeAction::PlayPast));
    }
}

#[derive(Clone, Copy)]
struct ButtonTexts<'a> {
    sign: &'a str,
    /// Name by which tests find the button.
    name: &'a str,
    tip: &'a str,
}

fn button_ui(ui: &mut Ui, width: f32, texts: ButtonTexts, is_enabled: bool) -> egui::Response {
    let ButtonTexts { sign, name, tip } = texts;
    let button = egui::Button::new(sign).truncate();
    let button = ui.add_enabled_ui(is_enabled, |ui| ui.add_sized([width, PART_HEIGHT], button));
    button.inner.marked(name).on_hover_text(tip).on_disabled_hover_text(tip)
}

/// Draws a button that switches to another branch, continues from a past moment with a new lane, or
/// cancels an undo.
fn branches_ui(ui: &mut Ui, laboratory: &Laboratory) {
    if laboratory.recomputation_left().is_some() {
        let tip = "Cancels the undo (Esc) and restores everything";
        let texts = ButtonTexts { sign: "Cancel", name: "time: cancel", tip };
        if button_ui(ui, BUTTON, texts, true).clicked() {
            ui.request(Action::CancelUndo);
        }
        return;
    }
    let history = laboratory.history();
    let branch = history.branch().filter(|_| !history.is_past());
    if let Some(branch) = branch {
        let more = match history.branches().len() {
            0 | 1 => String::new(),
            count => format!(" +{}", count - 1),
        };
        let seconds = duration_text(branch.seconds);
        let text = format!("branch {seconds}{more}");
        let tip = format!(
            "Switches to another branch: the {seconds} that you left when you continued from a \
            past moment. The present events become a branch in its place. If there are several \
            branches, each click shows the next one"
        );
        let texts = ButtonTexts { sign: &text, name: "time: branch", tip: &tip };
        if button_ui(ui, BUTTON, texts, true).clicked() {
            ui.request(Action::Time(TimeAction::SwitchBranch));
        }
    } else {
        let tip = "Continues from this moment with a new lane: a copy of the selected lane with \
            other settings. The later events are kept as a branch";
        let has_room = laboratory.session().lanes().len() < MOST_LANES;
        let texts = ButtonTexts { sign: "+ lane from here", name: "time: new lane", tip };
        let button = button_ui(ui, BUTTON, texts, history.is_past() && has_room);
        lane_from_here::lane_from_here_ui(ui, &button, laboratory.selected());
    }
}

/// Draws the time between the shown and the newest moment, or the progress of a replay, an undo or
/// a jump in time.
fn moment_ui(ui: &mut Ui, laboratory: &Laboratory) {
    let history = laboratory.history();
    let behind = history.time_of(history.end()) - history.time_of(history.shown_moment());
    let replay = laboratory.replayed_fraction().map(|part| {
        ("replay", part, "The recording is being computed; then it plays from its start")
    });
    let undo = laboratory.recomputation_left().map(|left| {
        (
            "undo",
            1.0 - left,
            "The session is being recomputed without the undone \
            edit. Cancel or Esc restores the edit",
        )
    });
    let seek = history.progress().map(|part| {
        (
            "seek",
            part,
            "The session goes to the moment that you chose: it recomputes the steps since the \
            last stored state before that moment",
        )
    });
    let (text, ink, tip) = match replay.or(undo).or(seek) {
        Some((work, part, tip)) => {
            (format!("{work} {}", percent_to(part, 0)), theme::accent(), tip)
        }
        None if laboratory.looped().is_some() => {
            let [from, to] = laboratory.looped().unwrap_or_default();
            let tip = "This interval plays in a loop. Esc or a click on the bar ends the loop; \
                Film… under View saves the interval as a film";
            (format!("loop {}", duration_text(to - from)), theme::accent(), tip)
        }
        None if history.is_past() => (
            format!("{} ago", duration_text(behind)),
            theme::accent(),
            "You see the past. Space continues from here; the later events are kept as a branch",
        ),
        None => ("newest".to_owned(), theme::quiet(), "You see the newest moment"),
    };
    let size = egui::vec2(PLACE, PART_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    let font = egui::TextStyle::Monospace.resolve(ui.style());
    ui.painter().text(rect.right_center(), egui::Align2::RIGHT_CENTER, text, font, ink);
    response.on_hover_text(tip);
}

fn duration_text(seconds: f64) -> String {
    if seconds >= 60.0 {
        format!("{:.0}:{:02.0} min", (seconds / 60.0).floor(), (seconds % 60.0).floor())
    } else {
        format!("{seconds:.2} s")
    }
}

/// Draws the track in the remaining width of the bar.
fn track_ui(ui: &mut Ui, laboratory: &Laboratory, shift: bool) {
    let (_, rect) = ui.allocate_space(egui::vec2(ui.available_width(), PART_HEIGHT));
    let history = laboratory.shown_history();
    // During a recomputation, the track shows moments that are not computed yet, so clicks are
    // ignored.
    let is_final = laboratory.recomputation_left().is_none();
    let here = laboratory.history().time_of(laboratory.history().shown_moment());
    let sense = egui::Sense::CLICK | egui::Sense::DRAG;
    let response = ui.interact(rect, ui.id().with("track"), sense).marked("time bar");
    let scale = Scale::of(history, rect);
    let pointer = response.interact_pointer_pos().or(response.hover_pos());
    let under = pointer.and_then(|at| marks::mark_at(history, scale, at.x));
    let under = pressed_mark(ui, &response, under);
    let moves_to_pointer = is_final && (response.is_pointer_button_down_on() || response.clicked());
    let chosen = chosen_interval(ui, &response, scale, shift);
    if let Some(at) = pointer.filter(|_| moves_to_pointer && chosen.is_none()) {
        let mark = under.filter(|_| response.clicked());
        // A press on a mark may become a click, so the shown moment stays until the mouse is
        // dragged or released.
        let moves = response.dragged() || under.is_none();
        let place = mark.and_then(|mark| laboratory.moment_of_mark(mark));
        let place = place.or_else(|| moves.then(|| moment_at(history, scale, at.x)));
        if let Some(place) = place.filter(|place| *place != history.shown_moment()) {
            ui.request(Action::Time(TimeAction::GoTo(place)));
        }
    }
    draw_track(ui, history, scale, here, pointer.filter(|_| under.is_none()).map(|at| at.x));
    if let Some(interval) = chosen.or(laboratory.looped()) {
        draw_interval(ui, scale, interval);
    }
    marks::draw_marks(ui.painter(), history, scale, under);
    draw_handle(ui, laboratory.history(), scale, here, &response);
    let Some(at) = pointer.filter(|_| response.hovered() && !response.dragged()) else { return };
    let text = match under.and_then(|index| history.marks().get(index)) {
        Some(it) => marks::mark_text(it, laboratory),
        None => format!(
            "{} · click or drag to go to this time, Shift + drag to play an interval in a loop",
            si(scale.time(at.x), "s")
        ),
    };
    response.on_hover_text_at_pointer(text);
}

/// Returns the mark under the mouse. While the mouse button is down, the mark stays the same,
/// although the marks of a running session move away from a resting mouse.
fn pressed_mark(ui: &Ui, response: &egui::Response, under: Option<usize>) -> Option<usize> {
    let id = egui::Id::new("pressed mark of the time bar");
    if response.contains_pointer() && ui.input(|input| input.pointer.primary_pressed()) {
        ui.data_mut(|data| data.insert_temp(id, under));
    }
    let is_held = response.is_pointer_button_down_on() || response.clicked();
    if is_held && !response.dragged() {
        ui.data(|data| data.get_temp::<Option<usize>>(id)).unwrap_or(under)
    } else {
        under
    }
}

/// Returns egui's key for the start time of a drag with Shift, in seconds.
fn interval_id() -> egui::Id {
    egui::Id::new("interval of the time bar")
}

/// Returns the time interval selected by a drag with Shift. After the drag, the interval plays in a
/// loop.
fn chosen_interval(
    ui: &Ui,
    response: &egui::Response,
    scale: Scale,
    shift: bool,
) -> Option<[f64; 2]> {
    let (pressed, at) =
        ui.input(|input| (input.pointer.primary_pressed(), input.pointer.latest_pos()));
    let at = scale.time(at?.x);
    if shift && pressed && response.contains_pointer() {
        ui.data_mut(|data| data.insert_temp(interval_id(), at));
    }
    let from = ui.data(|data| data.get_temp::<f64>(interval_id()))?;
    let interval = [from.min(at), from.max(at)];
    if !ui.input(|input| input.pointer.primary_down()) {
        ui.data_mut(|data| data.remove::<f64>(interval_id()));
        ui.request(Action::Time(TimeAction::LoopPast(interval)));
    }
    Some(interval)
}

/// Draws the interval that plays in a loop or is being selected.
fn draw_interval(ui: &Ui, scale: Scale, [from, to]: [f64; 2]) {
    let (left, right, middle) = (scale.x(from), scale.x(to), scale.rect.center().y);
    let rect = Rect::from_min_max(pos2(left, middle - 8.0), pos2(right, middle + 8.0));
    ui.painter().rect_filled(rect, 3.0, theme::accent().gamma_multiply(0.35));
    let stroke = egui::Stroke::new(2.0, theme::accent());
    for x in [left, right] {
        ui.painter().vline(x, rect.y_range(), stroke);
    }
}

fn moment_at(history: &History, scale: Scale, x: f32) -> SessionMoment {
    if x >= scale.rect.max.x { history.end() } else { history.place_at(scale.time(x)) }
}

fn draw_track(ui: &Ui, history: &History, scale: Scale, here: f64, hovered: Option<f32>) {
    let painter = ui.painter();
    let middle = scale.rect.center().y;
    let line = |from: f32, to: f32, y: f32, thick: f32| {
        Rect::from_min_max(pos2(from, y - thick / 2.0), pos2(to.max(from), y + thick / 2.0))
    };
    let here = scale.x(here);
    let (left, right) = (scale.rect.min.x, scale.rect.max.x);
    painter.rect_filled(line(left, right, middle, 4.0), 2.0, theme::either(0x363c48, 0xc0c6d0));
    painter.rect_filled(line(left, here, middle, 4.0), 2.0, theme::accent().gamma_multiply(0.75));
    // The next branch is drawn on top of the others with a stronger colour.
    let next = history.branch().map(|branch| branch.number);
    for branch in history.branches() {
        let from = history.time_of(branch.fork);
        let y = middle + 9.0;
        let strength = if Some(branch.number) == next { 0.6 } else { 0.3 };
        let ink = theme::quiet().gamma_multiply(strength);
        let branch = line(scale.x(from), scale.x(from + branch.seconds), y, 2.0);
        painter.rect_filled(branch, 1.0, ink);
        painter.vline(branch.min.x, middle..=y, egui::Stroke::new(1.0, ink));
    }
    if let Some(x) = hovered {
        let stroke = egui::Stroke::new(1.0, theme::quiet());
        painter.vline(x.clamp(left, right), middle - 6.0..=middle + 6.0, stroke);
    }
}

fn draw_handle(ui: &Ui, history: &History, scale: Scale, here: f64, response: &egui::Response) {
    let at = pos2(scale.x(here), scale.rect.center().y);
    let radius = if response.hovered() || response.dragged() { 7.0 } else { 6.0 };
    let ink = if history.is_past() { theme::accent() } else { theme::text() };
    ui.painter().circle(at, radius, ink, egui::Stroke::new(2.0, theme::panel()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui_kittest::Harness;

    #[test]
    fn a_pressed_mark_stays_under_the_mouse_until_the_button_is_released() {
        // State of the test: the mark at the mouse position, and the mark that a click would use.
        let app = |ui: &mut Ui, [at_mouse, taken]: &mut [Option<usize>; 2]| {
            let sense = egui::Sense::CLICK | egui::Sense::DRAG;
            let (_, response) = ui.allocate_exact_size(egui::vec2(100.0, 20.0), sense);
            *taken = pressed_mark(ui, &response, *at_mouse);
        };
        let mut harness = Harness::new_ui_state(app, [Some(3), None]);
        let pos = pos2(40.0, 18.0);
        let button = |pressed| egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        harness.input_mut().events.push(egui::Event::PointerMoved(pos));
        harness.run_steps(2);
        harness.input_mut().events.push(button(true));
        harness.run_steps(1);
        assert_eq!(harness.state()[1], Some(3));
        // Time passes, and the mark moves away from the mouse.
        harness.state_mut()[0] = None;
        harness.run_steps(2);
        assert_eq!(harness.state()[1], Some(3), "held");
        harness.input_mut().events.push(button(false));
        harness.run_steps(1);
        assert_eq!(harness.state()[1], Some(3), "the click");
        harness.run_steps(1);
        assert_eq!(harness.state()[1], None, "afterwards");
    }
}
