//! Widgets that panels, bars and plots of the window share.

pub mod marks;
mod tooltip_pause;

pub use tooltip_pause::TooltipPause;

use crate::app::theme;
use crate::app::theme::palette::{LineStyle, lane_style};
use egui_macroquad::egui::{self, Response, RichText, Sense, Stroke, Ui, WidgetText};
use marks::Marked;
use std::fmt::Display;
use std::sync::Arc;

/// Names a widget for reports and tests, and adds its tooltip. Returns true if it was clicked.
pub fn pressed(widget: Response, name: impl Display, tip: impl Into<WidgetText>) -> bool {
    widget.marked(name).on_hover_text(tip).clicked()
}

/// Notes that a menu is open. Must be called by the contents of every menu.
pub fn note_open_menu(ctx: &egui::Context) {
    let pass = ctx.cumulative_pass_nr();
    ctx.data_mut(|data| data.insert_temp(open_menu_id(), pass));
}

/// True if a menu was open in this pass or the previous one.
pub fn has_open_menu(ctx: &egui::Context) -> bool {
    let noted: Option<u64> = ctx.data(|data| data.get_temp(open_menu_id()));
    noted.is_some_and(|pass| pass + 1 >= ctx.cumulative_pass_nr())
}

fn open_menu_id() -> egui::Id {
    egui::Id::new("open menu")
}

/// Draws a close button with a cross. Returns true if it was clicked.
pub fn close_ui(ui: &mut Ui, name: &str, tip: &str) -> bool {
    let cross = RichText::new("×").size(18.0).color(theme::quiet());
    pressed(ui.add(egui::Button::new(cross).frame(false)), name, tip)
}

/// Draws a drop-down list of values, each with a name and a tooltip. The mouse or an arrow key
/// chooses a value. `width` is the width of the closed list in points.
pub fn pick_ui<T: PartialEq>(
    ui: &mut Ui,
    id: &str,
    width: f32,
    value: &mut T,
    choices: impl IntoIterator<Item = (T, String, &'static str)>,
) -> Response {
    let mut choices: Vec<_> = choices.into_iter().collect();
    let now = choices.iter().position(|(choice, ..)| choice == value).unwrap_or(0);
    let mut chosen = now;
    let list = egui::ComboBox::from_id_salt(id).width(width).selected_text(&choices[now].1);
    let list = list.show_ui(ui, |ui| {
        for (index, (_, name, tip)) in choices.iter().enumerate() {
            let entry =
                ui.selectable_value(&mut chosen, index, name).marked(format_args!("{id}: {name}"));
            if !tip.is_empty() {
                entry.on_hover_text(*tip);
            }
        }
    });
    let chosen = arrow_choice(ui, &list.response, chosen, choices.len());
    if chosen != now {
        *value = choices.swap_remove(chosen).0;
    }
    list.response.marked(id)
}

/// Returns the index chosen by arrow keys in a list of `count` entries, while the list is open or
/// has the focus. Otherwise returns the current index `now`.
pub fn arrow_choice(ui: &Ui, list: &Response, now: usize, count: usize) -> usize {
    if list.has_focus() {
        let arrows = egui::EventFilter { vertical_arrows: true, ..Default::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(list.id, arrows));
    } else if !egui::ComboBox::is_open(ui.ctx(), list.id) {
        return now;
    }
    close_by_return(ui, list);
    next_by_arrow(ui, now, count)
}

/// Returns the index in a list of `count` entries after this frame's presses of arrow keys,
/// starting from index `now`.
fn next_by_arrow(ui: &Ui, now: usize, count: usize) -> usize {
    let presses =
        |key| ui.input_mut(|input| input.count_and_consume_key(egui::Modifiers::NONE, key));
    let (up, down) = (presses(egui::Key::ArrowUp), presses(egui::Key::ArrowDown));
    (now + down).saturating_sub(up).min(count.saturating_sub(1))
}

/// Draws small text in at most `lines` lines. If the text does not fit, the tooltip shows all of
/// it.
pub fn lines_ui(ui: &mut Ui, text: &str, color: egui::Color32, lines: usize) -> Response {
    let font = egui::TextStyle::Small.resolve(ui.style());
    let height = ui.fonts(|fonts| fonts.row_height(&font));
    let size = egui::vec2(ui.available_width(), height * lines as f32);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    let galley = small_galley(ui, text, size.x, lines, color);
    let elided = galley.elided;
    ui.painter().galley(rect.min, galley, color);
    if elided { response.on_hover_text(text) } else { response }
}

/// Lays out small text in at most `lines` lines of this width. An ellipsis marks text that is cut
/// off.
pub fn small_galley(
    ui: &Ui,
    text: &str,
    width: f32,
    lines: usize,
    color: egui::Color32,
) -> Arc<egui::Galley> {
    let font = egui::TextStyle::Small.resolve(ui.style());
    let mut job = egui::text::LayoutJob::simple(text.to_owned(), font, color, width);
    job.wrap.max_rows = lines;
    ui.fonts(|fonts| fonts.layout_job(job))
}

/// Returns the width in points of one character of the monospaced font. It is a tenth of the width
/// of ten characters, because the layout rounds a single character to whole pixels.
pub fn digit_width(ui: &Ui) -> f32 {
    const TEN: &str = "0000000000";
    let font = egui::TextStyle::Monospace.resolve(ui.style());
    let galley = ui.fonts(|fonts| fonts.layout_no_wrap(TEN.to_owned(), font, theme::quiet()));
    galley.size().x / TEN.len() as f32
}

/// Closes an open list when the Return key is pressed. The entry has already been chosen, by an
/// arrow key or by this press.
fn close_by_return(ui: &Ui, list: &Response) {
    // On a list with the focus, a press of the Return key counts as a click, which has already
    // opened or closed the list.
    let is_open = egui::ComboBox::is_open(ui.ctx(), list.id) && !list.clicked();
    if is_open && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
        ui.memory_mut(|memory| memory.close_popup());
    }
}

/// Draws a short line in a lane's colour and line style.
pub fn swatch_ui(ui: &mut Ui, color: usize) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(26.0, 14.0), Sense::hover());
    let ends = [rect.left_center(), rect.right_center()];
    let stroke = Stroke::new(3.0, theme::lane_color(color));
    let shapes = match lane_style(color) {
        LineStyle::Solid => vec![egui::Shape::line_segment(ends, stroke)],
        LineStyle::Dashed(length) => egui::Shape::dashed_line(&ends, stroke, length.min(9.0), 3.0),
        LineStyle::Dotted(gap) => egui::Shape::dotted_line(&ends, stroke.color, gap.max(4.0), 1.6),
    };
    ui.painter().extend(shapes);
}
