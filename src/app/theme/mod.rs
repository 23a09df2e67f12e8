//! Colours, sizes and fonts of the user interface.

pub mod palette;

use egui_macroquad::egui::{self, Color32, CornerRadius, FontFamily, FontId, Stroke, TextStyle};

use std::sync::atomic::{AtomicBool, Ordering};

/// Value that miniquad reports for one notch of the mouse wheel.
pub const WHEEL_NOTCH: f32 = if cfg!(windows) { 120.0 } else { 1.0 };

/// Time in seconds for which the mouse must rest before a tooltip is shown.
pub const TOOLTIP_DELAY: f32 = 0.35;

#[derive(Clone, Copy, Debug)]
pub struct Theme {
    /// Background of panels, slightly different from that of the scene.
    panel: Color32,
    /// Thin lines between panels and between viewports.
    separator: Color32,
    accent: Color32,
    text: Color32,
    /// Explanations and other minor text.
    quiet: Color32,
    warning: Color32,
    /// Backgrounds of text fields, stripes and selections.
    fields: [Color32; 3],
    /// Backgrounds of a button at rest, under the mouse, pressed and open; then the edge of a
    /// button under the mouse.
    buttons: [Color32; 5],
    /// Text on a button under the mouse.
    hovered_text: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// Dark theme, for screens.
const DARK: Theme = Theme {
    panel: rgb(0x1b1e24),
    separator: rgb(0x2b2f38),
    accent: rgb(0x8ab4f8),
    text: rgb(0xdfe3ea),
    quiet: rgb(0x939ba8),
    warning: rgb(0xff9e64),
    fields: [rgb(0x121418), rgb(0x20232a), rgb(0x2f456b)],
    buttons: [rgb(0x282c35), rgb(0x333945), rgb(0x3d4554), rgb(0x2d323c), rgb(0x454c5a)],
    hovered_text: Color32::WHITE,
};

/// Light theme, for projectors, daylight and paper.
const LIGHT: Theme = Theme {
    panel: rgb(0xf3f4f7),
    separator: rgb(0xcdd2da),
    accent: rgb(0x1457a8),
    text: rgb(0x16191f),
    quiet: rgb(0x4c5462),
    warning: rgb(0xa63a00),
    fields: [rgb(0xffffff), rgb(0xe9ebef), rgb(0xbcd4f5)],
    buttons: [rgb(0xe0e3e9), rgb(0xd2d7e0), rgb(0xc2c9d5), rgb(0xd8dce4), rgb(0xa9b1bf)],
    hovered_text: Color32::BLACK,
};

static IS_LIGHT: AtomicBool = AtomicBool::new(false);

/// Chooses the light or the dark theme. Must be followed by a call of [`apply`].
pub fn set_light(light: bool) {
    IS_LIGHT.store(light, Ordering::Relaxed);
}

pub fn is_light() -> bool {
    IS_LIGHT.load(Ordering::Relaxed)
}

fn theme() -> &'static Theme {
    if is_light() { &LIGHT } else { &DARK }
}

/// Returns the colour `dark` on a dark background and `light` on a light one. The arguments are RGB
/// in hexadecimal, e.g. 0x8ab4f8.
pub fn either(dark: u32, light: u32) -> Color32 {
    rgb(if is_light() { light } else { dark })
}

pub fn panel() -> Color32 {
    theme().panel
}

pub fn separator() -> Color32 {
    theme().separator
}

pub fn accent() -> Color32 {
    theme().accent
}

pub fn text() -> Color32 {
    theme().text
}

pub fn quiet() -> Color32 {
    theme().quiet
}

pub fn warning() -> Color32 {
    theme().warning
}

pub fn text_background() -> Color32 {
    if is_light() { Color32::from_white_alpha(190) } else { Color32::from_black_alpha(120) }
}

pub fn apply(ctx: &egui::Context) {
    ctx.set_theme(if is_light() { egui::Theme::Light } else { egui::Theme::Dark });
    ctx.all_styles_mut(|style| {
        style.text_styles = text_styles();
        style.drag_value_text_style = TextStyle::Monospace;
        style.spacing.item_spacing = egui::vec2(8.0, 5.0);
        style.spacing.button_padding = egui::vec2(7.0, 3.0);
        style.spacing.interact_size = egui::vec2(36.0, 22.0);
        style.spacing.slider_width = 150.0;
        style.spacing.indent = 10.0;
        style.spacing.scroll = egui::style::ScrollStyle::thin();
        style.spacing.tooltip_width = 320.0;
        style.interaction.tooltip_delay = TOOLTIP_DELAY;
        style.interaction.selectable_labels = false;
        style.animation_time = 0.12;
        style.visuals = visuals();
    });
    ctx.options_mut(|options| {
        // One layout pass per frame. The panels change settings during the layout, so a second pass
        // would apply each change twice.
        options.max_passes = std::num::NonZeroUsize::MIN;
        options.zoom_with_keyboard = false;
        options.line_scroll_speed = 40.0 * wheel_divisor();
    });
}

/// Makes the selection colour legible as text on a panel.
pub fn select_by_accent(style: &mut egui::Style) {
    style.visuals.selection.bg_fill = accent();
    style.visuals.selection.stroke.color = panel();
}

/// Returns a factor that cancels a division in egui-macroquad, which divides the motion of the
/// wheel by 90, although a notch is 1 on X11 and 120 on Windows.
fn wheel_divisor() -> f32 {
    90.0 / WHEEL_NOTCH
}

fn text_styles() -> std::collections::BTreeMap<TextStyle, FontId> {
    let text = |size| FontId::new(size, FontFamily::Proportional);
    [
        (TextStyle::Small, text(11.5)),
        (TextStyle::Body, text(13.5)),
        (TextStyle::Button, text(13.5)),
        (TextStyle::Heading, text(16.0)),
        (TextStyle::Monospace, FontId::new(12.5, FontFamily::Monospace)),
    ]
    .into()
}

fn visuals() -> egui::Visuals {
    let mut visuals = if is_light() { egui::Visuals::light() } else { egui::Visuals::dark() };
    let Theme { panel, separator, accent, text, warning, fields, buttons, hovered_text, .. } =
        *theme();
    visuals.panel_fill = panel;
    visuals.window_fill = panel;
    visuals.extreme_bg_color = fields[0];
    visuals.faint_bg_color = fields[1];
    visuals.hyperlink_color = accent;
    visuals.warn_fg_color = warning;
    visuals.error_fg_color = warning;
    visuals.window_stroke = Stroke::new(1.0, separator);
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals.selection.bg_fill = fields[2];
    visuals.selection.stroke = Stroke::new(1.0, text);
    visuals.slider_trailing_fill = true;
    visuals.collapsing_header_frame = false;
    visuals.indent_has_left_vline = false;
    visuals.override_text_color = None;
    let widgets = &mut visuals.widgets;
    for (state, fill, text) in [
        (&mut widgets.noninteractive, panel, text),
        (&mut widgets.inactive, buttons[0], text),
        (&mut widgets.hovered, buttons[1], hovered_text),
        (&mut widgets.active, buttons[2], hovered_text),
        (&mut widgets.open, buttons[3], text),
    ] {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.fg_stroke = Stroke::new(1.0, text);
        state.bg_stroke = Stroke::NONE;
        state.corner_radius = CornerRadius::same(4);
        state.expansion = 0.0;
    }
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, separator);
    widgets.hovered.bg_stroke = Stroke::new(1.0, buttons[4]);
    visuals
}

pub fn lane_color(color: usize) -> Color32 {
    let c = palette::lane_color(color);
    let byte = |channel: f32| (channel * 255.0).round() as u8;
    Color32::from_rgb(byte(c.r), byte(c.g), byte(c.b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(color: Color32) -> f32 {
        let linear = |byte: u8| (f32::from(byte) / 255.0).powf(2.2);
        0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
    }

    fn contrast(a: Color32, b: Color32) -> f32 {
        let [a, b] = [a, b].map(|color| luminance(color) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn the_name_of_a_chosen_file_is_legible() {
        let mut style = egui::Style { visuals: visuals(), ..egui::Style::default() };
        select_by_accent(&mut style);
        let selection = style.visuals.selection;
        assert!(contrast(selection.bg_fill, style.visuals.window_fill) > 4.5);
        assert!(contrast(selection.bg_fill, selection.stroke.color) > 4.5);
    }

    #[test]
    fn every_text_is_legible_in_both_themes() {
        for theme in [DARK, LIGHT] {
            let Theme {
                panel, accent, text, quiet, warning, fields, buttons, hovered_text, ..
            } = theme;
            for ink in [accent, text, quiet, warning] {
                assert!(contrast(ink, panel) > 4.5, "{ink:?} on {panel:?}");
            }
            for ground in [fields[0], fields[2], buttons[0], buttons[3]] {
                assert!(contrast(text, ground) > 4.5, "{text:?} on {ground:?}");
            }
            for ground in [buttons[1], buttons[2]] {
                assert!(contrast(hovered_text, ground) > 4.5, "{hovered_text:?} on {ground:?}");
            }
        }
    }
}
