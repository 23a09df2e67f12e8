//! Widgets of the panel: a label with an explanation, next to a control.

use crate::app::theme;
use crate::app::widgets::arrow_choice;
use crate::app::widgets::marks::Marked;
use crate::names::CatalogueEntry;
use crate::quantity::on_screen::{si_exact, si_field};
use crate::quantity::reading::read_quantity;
use egui_macroquad::egui::{self, DragValue, Response, RichText, Ui};
use std::ops::RangeInclusive;

pub const LABEL_WIDTH: f32 = 92.0;
pub const NUMBER_WIDTH: f32 = 92.0;

#[derive(Clone, Copy, Debug)]
pub struct FieldHelp {
    /// Label beside the control; also the name of the control in reports.
    pub label: &'static str,
    /// Unit such as `s` or `N/m`; empty for a choice.
    pub unit: &'static str,
    /// Tooltip: the meaning of the quantity, and one sentence about its effect.
    pub text: &'static str,
    /// Literature or keys in small letters below the tooltip; may be empty.
    pub source: &'static str,
}

impl FieldHelp {
    pub fn with_tooltip(&self, response: Response) -> Response {
        response.marked(self.label).on_hover_ui(|ui| self.tooltip_ui(ui))
    }

    fn tooltip_ui(&self, ui: &mut Ui) {
        let title = match self.unit {
            "" => self.label.to_owned(),
            unit => format!("{} ({unit})", self.label),
        };
        tooltip_ui(ui, &title, self.text, self.source);
    }
}

pub fn tooltip_ui(ui: &mut Ui, title: &str, text: &str, source: &str) {
    ui.set_max_width(300.0);
    ui.label(RichText::new(title).color(theme::accent()));
    ui.label(text);
    if !source.is_empty() {
        ui.label(RichText::new(source).small().color(theme::quiet()));
    }
}

/// Draws a row: label on the left, control on the right.
///
/// A row outside the visible area only reserves its height. While the user types, all rows are
/// drawn, because a hidden row may have the focus or receive it by the Tab key.
pub fn row_ui(ui: &mut Ui, help: &FieldHelp, add: impl FnOnce(&mut Ui) -> Response) -> Response {
    let size = egui::vec2(ui.available_width(), ui.spacing().interact_size.y);
    let row = egui::Rect::from_min_size(ui.cursor().min, size);
    if !ui.is_rect_visible(row) && !is_typing(ui.ctx()) {
        return ui.allocate_response(size, egui::Sense::hover());
    }
    ui.horizontal(|ui| {
        label_ui(ui, help);
        help.with_tooltip(add(ui))
    })
    .inner
}

/// True while a field has the focus or the Tab key is pressed. The Tab key counts, because no field
/// has the focus while it moves on.
fn is_typing(ctx: &egui::Context) -> bool {
    ctx.wants_keyboard_input() || ctx.input(|input| input.key_pressed(egui::Key::Tab))
}

/// Draws a label. Its text is painted directly, because layout as a widget took two fifths of a
/// row's time.
pub fn label_ui(ui: &mut Ui, help: &FieldHelp) {
    let size = egui::vec2(LABEL_WIDTH, ui.spacing().interact_size.y);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    if ui.is_rect_visible(rect) {
        let text = egui::WidgetText::from(help.label);
        let truncate = Some(egui::TextWrapMode::Truncate);
        let galley = text.into_galley(ui, truncate, LABEL_WIDTH, egui::TextStyle::Body);
        let place = egui::Align2::LEFT_CENTER.anchor_size(rect.left_center(), galley.size());
        ui.painter().galley(place.min, galley, theme::quiet());
    }
    response.on_hover_ui(|ui| help.tooltip_ui(ui));
}

/// Draws a number field with an SI prefix. A drag changes the number in proportion to its size. The
/// user may type the prefix and the unit.
pub fn si_ui(
    ui: &mut Ui,
    value: &mut f64,
    range: RangeInclusive<f64>,
    unit: &'static str,
) -> Response {
    typed_ui(ui, value, range, unit, |text| read_quantity(text, unit))
}

/// Draws a number field like [`si_ui`]; `parse` reads typed text. The field shows at most four
/// digits, its tooltip all digits. The value keeps all digits unless it is edited.
pub fn typed_ui(
    ui: &mut Ui,
    value: &mut f64,
    range: RangeInclusive<f64>,
    unit: &'static str,
    parse: impl Fn(&str) -> Option<f64>,
) -> Response {
    let speed = value.abs().max(range.start().abs()) * 0.01;
    let now = *value;
    let shown = si_field(now, unit);
    let unchanged = shown.clone();
    let number = DragValue::new(value)
        .range(range)
        .speed(speed)
        .custom_formatter(move |n, _| si_field(n, unit))
        .custom_parser(move |text| if text == unchanged { Some(now) } else { parse(text) });
    let field = number_ui(ui, number);
    let whole = si_exact(now, unit);
    if whole == shown { field } else { field.on_hover_text(whole) }
}

/// Draws a number field like [`si_ui`] for the value times `scale`, for example a strain in per
/// cent.
pub fn scaled_ui(
    ui: &mut Ui,
    value: &mut f64,
    range: RangeInclusive<f64>,
    scale: f64,
    unit: &'static str,
) -> Response {
    let mut shown = *value * scale;
    let field = si_ui(ui, &mut shown, range.start() * scale..=range.end() * scale, unit);
    if field.changed() {
        *value = shown / scale;
    }
    field
}

/// Draws a row with a switch and a field. The field is editable while the switch is on.
pub fn switched_ui<T: Copy>(
    ui: &mut Ui,
    help: &FieldHelp,
    on: &mut bool,
    value: &mut T,
    format: impl FnOnce(T) -> String,
    change_ui: impl FnOnce(&mut Ui, &mut T) -> Response,
) {
    row_ui(ui, help, |ui| {
        let switch = ui.checkbox(on, "").marked(format_args!("{} on", help.label));
        let field = if *on { change_ui(ui, value) } else { fixed_number_ui(ui, format(*value)) };
        switch.union(field)
    });
}

pub fn scientific_ui(ui: &mut Ui, value: &mut f64, range: RangeInclusive<f64>) -> Response {
    let speed = *value * 0.05;
    number_ui(
        ui,
        DragValue::new(value)
            .range(range)
            .speed(speed)
            .custom_formatter(|n, _| format!("{n:.1e}"))
            .custom_parser(|text| read_quantity(text, "")),
    )
}

pub fn count_ui(ui: &mut Ui, value: &mut u32, range: RangeInclusive<u32>) -> Response {
    let speed = (f64::from(*value) * 0.02).max(0.05);
    number_ui(ui, DragValue::new(value).range(range).speed(speed))
}

pub fn number_ui(ui: &mut Ui, number: DragValue) -> Response {
    ui.add_sized([NUMBER_WIDTH, ui.spacing().interact_size.y], number)
}

/// Draws a value that cannot be changed now.
///
/// A disabled `DragValue` would break the Tab key: egui gives it the focus and immediately removes
/// it.
pub fn fixed_number_ui(ui: &mut Ui, text: String) -> Response {
    let size = [NUMBER_WIDTH, ui.spacing().interact_size.y];
    let text = RichText::new(text).text_style(ui.style().drag_value_text_style.clone());
    ui.add_enabled_ui(false, |ui| ui.add_sized(size, egui::Button::new(text))).inner
}

pub fn slider_ui(ui: &mut Ui, value: &mut f64, range: RangeInclusive<f64>) -> Response {
    // The number beside the slider takes 62 points.
    ui.spacing_mut().slider_width = (ui.available_width() - 62.0).max(40.0);
    ui.add(egui::Slider::new(value, range).max_decimals(3))
}

/// Draws a few choices side by side. The response is marked as changed if the user clicked a new
/// choice.
pub fn choice_ui<T: PartialEq + Copy>(
    ui: &mut Ui,
    value: &mut T,
    choices: &[(T, &'static str)],
) -> Response {
    let inner = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let mut changed = false;
        for (choice, text) in choices {
            let button = ui.selectable_label(value == choice, *text).marked(text);
            if button.clicked() && value != choice {
                *value = *choice;
                changed = true;
            }
        }
        changed
    });
    let mut response = inner.response;
    if inner.inner {
        response.mark_changed();
    }
    response
}

/// Draws a list that opens when clicked. `now` is the name of the chosen entry. `shown` is its
/// title while the list is closed.
pub fn list_ui<T>(
    ui: &mut Ui,
    id: &str,
    now: &str,
    shown: &str,
    value: &mut T,
    entries: impl Fn() -> Vec<Entry<T>>,
) -> Response {
    let mut chosen = None;
    let list = egui::ComboBox::from_id_salt(id)
        .selected_text(shown)
        .width(ui.available_width())
        .truncate()
        .height(520.0)
        .show_ui(ui, |ui| {
            ui.set_min_width(250.0);
            for entry in entries() {
                let selected = entry.name == now;
                let button = ui.selectable_label(selected, &entry.title);
                let button = button.marked(format_args!("{id}: {}", entry.name));
                if button.hovered() {
                    entry.tooltip_beside(ui, button.rect);
                }
                if button.clicked() && !selected {
                    chosen = Some(entry.value);
                }
            }
        });
    // Arrow keys change a list that has the focus, even while it is closed.
    if list.inner.is_some() || list.response.has_focus() {
        let mut entries = entries();
        if let Some(index) = entries.iter().position(|entry| entry.name == now) {
            let next = arrow_choice(ui, &list.response, index, entries.len());
            chosen = chosen.or((next != index).then(|| entries.swap_remove(next).value));
        }
    }
    if let Some(chosen) = chosen {
        *value = chosen;
    }
    list.response
}

pub struct Entry<T> {
    pub value: T,
    /// Name on the command line and in reports.
    pub name: String,
    /// Title for users.
    pub title: String,
    pub text: String,
    /// Literature; may be empty.
    pub source: String,
}

impl<T> Entry<T> {
    pub fn of(value: T, entry: CatalogueEntry) -> Self {
        Self::listed(value, entry.name, entry.title, entry.verdict, entry.reference)
    }

    pub fn listed(value: T, name: &str, title: &str, verdict: &str, reference: &str) -> Self {
        Self {
            value,
            name: name.to_owned(),
            title: title.to_owned(),
            text: verdict.to_owned(),
            source: reference.to_owned(),
        }
    }

    /// Draws the tooltip of an entry to the right of the list, where it hides no other entry.
    fn tooltip_beside(&self, ui: &Ui, entry: egui::Rect) {
        let place = egui::pos2(ui.max_rect().right() + 22.0, entry.top() - 6.0);
        let id = egui::Id::new("entry tooltip");
        egui::show_tooltip_at(ui.ctx(), ui.layer_id(), id, place, |ui| {
            tooltip_ui(ui, &self.title, &self.text, &self.source);
        });
    }
}

pub fn quiet_ui(ui: &mut Ui, text: &str) {
    let text = RichText::new(text).monospace().color(theme::quiet());
    ui.add(egui::Label::new(text).truncate());
}

pub fn explanation_ui(ui: &mut Ui, text: &str) {
    ui.add(egui::Label::new(RichText::new(text).small().color(theme::quiet())).wrap());
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;
    use egui_macroquad::egui::Key;
    use egui_macroquad::egui::accesskit::Role;

    fn list(ui: &mut Ui, chosen: &mut usize) {
        let entry = |i: usize| Entry::listed(i, &i.to_string(), "title", "text", "");
        let now = chosen.to_string();
        list_ui(ui, "list", &now, "shown", chosen, || (0..3).map(entry).collect());
    }

    #[test]
    fn a_list_answers_to_arrow_keys() {
        let mut harness = Harness::new_ui_state(list, 0);
        harness.get_by_role(Role::ComboBox).focus();
        harness.run_steps(2);
        for (key, chosen) in
            [(Key::ArrowDown, 1), (Key::ArrowDown, 2), (Key::ArrowDown, 2), (Key::ArrowUp, 1)]
        {
            harness.press_key(key);
            harness.run_steps(2);
            assert_eq!(*harness.state(), chosen);
        }
    }

    #[test]
    fn return_takes_an_entry_and_closes_the_list() {
        let mut harness = Harness::new_ui_state(list, 0);
        let is_open = |harness: &Harness<usize>| harness.ctx.memory(|it| it.any_popup_open());
        harness.get_by_role(Role::ComboBox).click();
        harness.run_steps(3);
        assert!(is_open(&harness));
        for key in [Key::ArrowDown, Key::Enter] {
            harness.press_key(key);
            harness.run_steps(2);
        }
        assert_eq!(*harness.state(), 1);
        assert!(!is_open(&harness));
        harness.get_by_role(Role::ComboBox).focus();
        harness.run_steps(2);
        for opens in [true, false] {
            harness.press_key(Key::Enter);
            harness.run_steps(2);
            assert_eq!(is_open(&harness), opens);
        }
    }
}
