//! Colours, sizes and type of everything that is not the scene.

use egui_macroquad::egui::{self, Color32, CornerRadius, FontFamily, FontId, Stroke, TextStyle};

/// Ground of panels: a shade lighter than the scene's #15171c, so that the scene lies deeper.
pub const PANEL: Color32 = Color32::from_rgb(0x1b, 0x1e, 0x24);
/// Thin lines between parts.
pub const SEPARATOR: Color32 = Color32::from_rgb(0x2b, 0x2f, 0x38);
/// The one accent.
pub const ACCENT: Color32 = Color32::from_rgb(0x8a, 0xb4, 0xf8);
/// Text that matters.
pub const TEXT: Color32 = Color32::from_rgb(0xdf, 0xe3, 0xea);
/// Text that explains; 5.2 : 1 on the panel.
pub const QUIET: Color32 = Color32::from_rgb(0x93, 0x9b, 0xa8);
/// Something went wrong.
pub const WARNING: Color32 = Color32::from_rgb(0xff, 0x9e, 0x64);

/// Dresses the user interface.
pub fn apply(ctx: &egui::Context) {
    ctx.set_theme(egui::Theme::Dark);
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
        style.interaction.tooltip_delay = 0.35;
        style.interaction.selectable_labels = false;
        style.animation_time = 0.12;
        style.visuals = visuals();
    });
    ctx.options_mut(|options| {
        // A frame is built once: what a pass changes must not happen twice.
        options.max_passes = std::num::NonZeroUsize::MIN;
        options.zoom_with_keyboard = false;
        options.line_scroll_speed = 40.0 * wheel_divisor();
    });
}

/// egui-macroquad divides every turn of the wheel by 90, which fits neither X11 (1 a notch) nor
/// Windows (120 a notch).
fn wheel_divisor() -> f32 {
    90.0 / crate::app::shell::input::WHEEL_NOTCH
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
    let mut visuals = egui::Visuals::dark();
    visuals.panel_fill = PANEL;
    visuals.window_fill = PANEL;
    visuals.extreme_bg_color = Color32::from_rgb(0x12, 0x14, 0x18);
    visuals.faint_bg_color = Color32::from_rgb(0x20, 0x23, 0x2a);
    visuals.hyperlink_color = ACCENT;
    visuals.warn_fg_color = WARNING;
    visuals.error_fg_color = WARNING;
    visuals.window_stroke = Stroke::new(1.0, SEPARATOR);
    visuals.window_corner_radius = CornerRadius::same(8);
    visuals.menu_corner_radius = CornerRadius::same(6);
    visuals.selection.bg_fill = Color32::from_rgb(0x2f, 0x45, 0x6b);
    visuals.selection.stroke = Stroke::new(1.0, TEXT);
    visuals.slider_trailing_fill = true;
    visuals.collapsing_header_frame = false;
    visuals.indent_has_left_vline = false;
    visuals.override_text_color = None;
    let widgets = &mut visuals.widgets;
    for (state, fill, text) in [
        (&mut widgets.noninteractive, PANEL, TEXT),
        (&mut widgets.inactive, Color32::from_rgb(0x28, 0x2c, 0x35), TEXT),
        (&mut widgets.hovered, Color32::from_rgb(0x33, 0x39, 0x45), Color32::WHITE),
        (&mut widgets.active, Color32::from_rgb(0x3d, 0x45, 0x54), Color32::WHITE),
        (&mut widgets.open, Color32::from_rgb(0x2d, 0x32, 0x3c), TEXT),
    ] {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.fg_stroke = Stroke::new(1.0, text);
        state.bg_stroke = Stroke::NONE;
        state.corner_radius = CornerRadius::same(4);
        state.expansion = 0.0;
    }
    widgets.noninteractive.bg_stroke = Stroke::new(1.0, SEPARATOR);
    widgets.hovered.bg_stroke = Stroke::new(1.0, Color32::from_rgb(0x45, 0x4c, 0x5a));
    visuals
}

/// A lane's colour for egui.
pub fn lane_color(color: usize) -> Color32 {
    let c = super::view::lane_color(color);
    let byte = |channel: f32| (channel * 255.0).round() as u8;
    Color32::from_rgb(byte(c.r), byte(c.g), byte(c.b))
}
