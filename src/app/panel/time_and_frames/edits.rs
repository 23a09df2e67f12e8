//! List of edits with their times, and buttons for undo and redo.

use crate::app::input::actions::{Action, RequestActions, TimeAction};
use crate::app::laboratory::{EditState, Laboratory, ListedEdit};
use crate::app::theme;
use crate::app::widgets::marks::{Marked, mark_rect};
use crate::app::widgets::pressed;
use crate::quantity::on_screen::si_tight;
use egui_macroquad::egui::{self, RichText, Ui};

/// Sense of the widgets in the list. The Tab key skips them, because undo and redo have their own
/// keys and the list may be long.
const SENSE: egui::Sense = egui::Sense::CLICK;

const ROWS: f32 = 8.0;

const CLOCK_TIP: &str = "Times as on the time bar: wall-clock time × speed since the scene was \
    opened or restarted. A late lane has simulated less; its chip shows the delay";

/// Draws the list, newest edit first. Without edits, draws nothing.
pub fn edits_ui(ui: &mut Ui, laboratory: &Laboratory) {
    let edits: Vec<ListedEdit> = laboratory.edits().collect();
    if edits.is_empty() {
        return;
    }
    let (undo, redo) = (laboratory.can_undo(), laboratory.can_redo());
    ui.horizontal(|ui| {
        ui.label("Edits by clock time").on_hover_text(CLOCK_TIP);
        for (text, tip, any, action) in [
            ("Undo", "Undoes the newest edit (Ctrl+Z)", undo, Action::Undo),
            ("Redo", "Redoes the edit that was undone last (Ctrl+Shift+Z)", redo, Action::Redo),
        ] {
            let button = ui.add_enabled(any, egui::Button::new(text).sense(SENSE));
            if pressed(button, format_args!("edits: {text}"), tip) {
                ui.request(action);
            }
        }
    });
    let row = ui.spacing().interact_size.y;
    let list = egui::ScrollArea::vertical().id_salt("edits").max_height(ROWS * row);
    let list = if has_changed(ui, edits.len()) { list.vertical_scroll_offset(0.0) } else { list };
    let shown = list.auto_shrink([false, true]).drag_to_scroll(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (number, edit) in edits.iter().enumerate().rev() {
            ui.horizontal(|ui| edit_ui(ui, number, edit));
        }
    });
    mark_rect(ui.ctx(), shown.inner_rect, "list of edits");
}

/// True if the length of the list has changed since the previous frame. The list then scrolls to
/// its top, where the newest edit is.
fn has_changed(ui: &Ui, count: usize) -> bool {
    let id = egui::Id::new("length of the list of edits");
    let before = ui.data(|data| data.get_temp::<usize>(id));
    ui.data_mut(|data| data.insert_temp(id, count));
    before.is_some_and(|before| before != count)
}

/// Draws the row of an edit. A click shows the moment before the edit; a click on the cross removes
/// the edit.
fn edit_ui(ui: &mut Ui, number: usize, edit: &ListedEdit) {
    let ListedEdit { id, name, moment, state } = *edit;
    let is_done = state == EditState::Done;
    let cross = egui::Button::new("×").frame(false).sense(SENSE);
    let cross = ui.add_enabled(is_done && moment.is_some(), cross);
    let tip = "Removes this edit: the later events are recomputed as if the edit had never \
               happened. Ctrl+Z restores it";
    if pressed(cross, format_args!("remove edit {number}: {name}"), tip) {
        ui.request(Action::RemoveEdit(id));
    }
    let when = match (state, moment) {
        (EditState::Undone, _) => "undone".to_owned(),
        (EditState::Removed, _) => "removed".to_owned(),
        (EditState::Done, Some((_, seconds))) => si_tight(seconds, "s"),
        (EditState::Done, None) => "long ago".to_owned(),
    };
    let ink = if is_done { theme::text() } else { theme::quiet() };
    let text = RichText::new(format!("{when:>8}  {name}")).monospace().color(ink);
    let text = if state == EditState::Removed { text.strikethrough() } else { text };
    let row = ui.add_enabled(moment.is_some(), egui::Button::new(text).frame(false).sense(SENSE));
    let row = row
        .marked(format_args!("edit {number}: {name}"))
        .on_hover_text("Goes to the moment just before this edit");
    if let Some((place, _)) = moment.filter(|_| row.clicked()) {
        ui.request(Action::Time(TimeAction::GoTo(place)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::input::actions::take_requested_actions;
    use crate::app::widgets::marks;
    use crate::simulation::settings::Command;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    #[test]
    fn eight_of_many_edits_are_seen_the_newest_on_top() {
        let mut laboratory = Laboratory::listed(0);
        let pin = |laboratory: &mut Laboratory, particle: u32| {
            laboratory.whole_frame(1.0 / 60.0);
            laboratory.command(Command::TogglePin(particle));
            laboratory.end_slider_drag();
        };
        (5..25).for_each(|particle| pin(&mut laboratory, particle));
        let app = |ui: &mut Ui, laboratory: &mut Laboratory| {
            marks::remember_widgets(true);
            edits_ui(ui, laboratory);
        };
        let mut harness = Harness::builder().build_ui_state(app, laboratory);
        let mut seen = || {
            marks::take_widgets(&harness.ctx);
            harness.run_steps(3);
            let rects = marks::take_widgets(&harness.ctx);
            let list = rects["list of edits"].expand(1.0);
            let rows = rects.iter().filter(|(name, _)| name.starts_with("edit "));
            let seen = rows.filter(|(_, rect)| list.contains_rect(**rect)).count();
            (seen, list.contains_rect(rects["edit 19: the pin"]))
        };
        let (count, newest) = seen();
        assert!(count >= 8 && newest, "{count} rows");
    }

    #[test]
    fn what_was_done_is_listed_with_its_time_and_can_be_gone_back_to() {
        let mut laboratory = Laboratory::listed(0);
        let list = |laboratory: &Laboratory| -> Vec<(&'static str, bool)> {
            let is_undone = |edit: &ListedEdit| edit.state == EditState::Undone;
            laboratory.edits().map(|edit| (edit.name, is_undone(&edit))).collect()
        };
        assert_eq!(list(&laboratory), []);
        laboratory.whole_frames(30);
        laboratory.command(Command::Cut(vec![3]));
        laboratory.whole_frames(30);
        laboratory.command(Command::TogglePin(5));
        laboratory.undo();
        assert_eq!(list(&laboratory), [("the cut", false), ("the pin", true)]);
        let first = laboratory.edits().next().expect("the cut");
        let (place, seconds) = first.moment.expect("it is kept");
        assert!((seconds - 0.5).abs() < 1e-9, "{seconds}");
        let app = |ui: &mut Ui, laboratory: &mut Laboratory| edits_ui(ui, laboratory);
        let mut harness = Harness::builder().build_ui_state(app, laboratory);
        harness.run_steps(2);
        for label in ["the cut", "Undo", "Redo"] {
            harness.get_by_label_contains(label).click();
            harness.run_steps(2);
        }
        harness.get_all_by_label("×").last().expect("that of the cut").click();
        harness.run_steps(2);
        let [out, back] = [Action::RemoveEdit(first.id), Action::Time(TimeAction::GoTo(place))];
        assert_eq!(take_requested_actions(&harness.ctx), [back, Action::Undo, Action::Redo, out]);
    }
}
