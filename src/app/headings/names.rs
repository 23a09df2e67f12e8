//! Names of lanes in their chips.

use crate::app::theme;
use egui_macroquad::egui::{self, RichText, Ui};

/// Width in points reserved for the verdict beside a long name.
const LEAST_VERDICT: f32 = 72.0;
/// Font sizes of a lane's name in points. The largest size at which the name fits is used.
const NAME_SIZES: [f32; 4] = [14.0, 13.0, 12.0, 11.0];

/// Number of last letters that a shortened name keeps. They usually distinguish a copy from its
/// original.
const END_OF_NAME: usize = 8;

/// Draws the name of a lane. If even the smallest size does not fit, an ellipsis replaces the
/// middle of the name. The tooltip of the chip has the whole name.
pub fn name_ui(ui: &mut Ui, name: &str) {
    let room = ui.available_width();
    name_in_ui(ui, name, room);
}

/// Draws the name of a lane and its verdict in one line. `verdicts` contains versions of the
/// verdict, longest first; the first that fits is drawn. The chip's tooltip has the whole verdict.
pub fn name_beside_verdict_ui(ui: &mut Ui, name: &str, verdicts: &[String]) {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let layout = |text: &str| {
        ui.painter().layout_no_wrap(text.to_owned(), font.clone(), theme::warning()).size().x
    };
    let widths: Vec<f32> = verdicts.iter().map(|verdict| layout(verdict)).collect();
    let widest = widths.first().copied().unwrap_or(0.0);
    let beside = widest.min(LEAST_VERDICT) + ui.spacing().item_spacing.x;
    let room = (ui.available_width() - beside).max(0.0);
    name_in_ui(ui, name, room);
    let room = ui.available_width();
    let fits = widths.iter().position(|width| *width <= room);
    let Some(verdict) = fits.map_or(verdicts.last(), |index| verdicts.get(index)) else { return };
    ui.add(egui::Label::new(RichText::new(verdict).color(theme::warning())).truncate());
}

fn name_in_ui(ui: &mut Ui, name: &str, room: f32) {
    let width = |name: &str, size: f32| {
        let font = egui::FontId::proportional(size);
        ui.painter().layout_no_wrap(name.to_owned(), font, theme::text()).size().x
    };
    let [first, .., last] = NAME_SIZES;
    let size = NAME_SIZES.into_iter().find(|size| width(name, *size) <= room);
    let shown = match size {
        Some(_) => name.to_owned(),
        None => shortened(name, |name| width(name, last) <= room),
    };
    let text = RichText::new(shown).color(theme::text());
    let is_first = size == Some(first);
    let text = if is_first { text } else { text.size(size.unwrap_or(last)) };
    ui.add(egui::Label::new(text).truncate());
}

/// Returns the longest shortened form of a name that fits: its beginning, an ellipsis and its last
/// letters.
fn shortened(name: &str, fits: impl Fn(&str) -> bool) -> String {
    let letters: Vec<char> = name.chars().collect();
    let end = letters.len().saturating_sub(END_OF_NAME);
    let tail: String = letters[end..].iter().collect();
    let form = |count: usize| letters[..count].iter().collect::<String>() + "…" + tail.trim_start();
    (1..end).rev().map(form).find(|name| fits(name)).unwrap_or_else(|| form(end.min(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_smaller_and_stays_in_its_picture() {
        let app = |ui: &mut Ui, (name, width, used): &mut (&str, f32, egui::Vec2)| {
            ui.horizontal(|ui| {
                ui.set_max_width(*width);
                name_ui(ui, name);
                *used = ui.min_rect().size();
            });
        };
        let used = |name, width| {
            let state = (name, width, egui::Vec2::ZERO);
            let mut harness = egui_kittest::Harness::new_ui_state(app, state);
            harness.run_steps(2);
            harness.state().2
        };
        let name = "Dormand–Prince reference";
        let whole = used(name, 600.0);
        for part in [1.0, 0.9, 0.8, 0.4] {
            let width = part * whole.x;
            assert!(used(name, width).x <= width + 1.0, "{part} of {whole}");
        }
        assert!(used(name, 0.85 * whole.x).x > 0.7 * whole.x, "all letters, but smaller");
        let short =
            |most: usize| shortened("velocity Verlet copy 2", |name| name.chars().count() <= most);
        assert_eq!(short(18), "velocity …t copy 2");
        assert_eq!(short(12), "vel…t copy 2");
    }

    #[test]
    fn a_long_name_leaves_room_for_the_verdict() {
        let app = |ui: &mut Ui, (width, used): &mut (f32, egui::Vec2)| {
            ui.horizontal(|ui| {
                ui.set_max_width(*width);
                let verdicts = ["exploded at 1.785 s", "exploded 1.785 s", "exploded"];
                let verdicts = verdicts.map(str::to_owned);
                name_beside_verdict_ui(ui, "explicit Euler copy 4", &verdicts);
                *used = ui.min_rect().size();
            });
        };
        for width in [160.0, 200.0, 260.0, 400.0] {
            let mut harness = egui_kittest::Harness::new_ui_state(app, (width, egui::Vec2::ZERO));
            harness.run_steps(2);
            let (_, used) = *harness.state();
            assert!(used.x <= width + 1.0, "{used} in {width}");
            assert!(used.y < 30.0, "one line in {width}: {used}");
            let texts = harness.output().shapes.iter().filter_map(|it| match &it.shape {
                egui::Shape::Text(text) => Some(&text.galley),
                _ => None,
            });
            let mut verdicts = texts.filter(|galley| galley.text().starts_with("exploded"));
            let is_whole = verdicts.next().is_some_and(|galley| !galley.elided);
            assert!(is_whole, "a verdict without an ellipsis in {width}");
        }
    }
}
