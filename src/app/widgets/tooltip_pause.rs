//! Pause of tooltips after a key has opened a window. The mouse still rests on a widget that the
//! window may cover, and egui would keep showing this widget's tooltip above the window.

use crate::app::theme::TOOLTIP_DELAY;
use egui_macroquad::egui::{Context, PointerState, Vec2};

/// Delay of tooltips in seconds during a pause.
const LONG: f32 = 1e6;
/// Time in seconds after a tooltip within which the next tooltip appears without delay: egui's
/// default.
const GRACE: f32 = 0.2;

/// Number of frames without a pointer. A new window receives the mouse in its third frame.
const FRAMES: u8 = 4;

/// Pause of all tooltips until the mouse moves.
#[derive(Debug, Default)]
pub struct TooltipPause {
    /// Number of remaining frames in which egui has no pointer and therefore closes the open
    /// tooltip.
    frames: u8,
    is_paused: bool,
    /// Pointer state that is hidden from egui during such a frame.
    pointer: Option<PointerState>,
}

impl TooltipPause {
    /// Begins a pause with the next frame.
    pub fn begin(&mut self) {
        self.frames = FRAMES;
    }

    /// Must be called before the widgets of a frame.
    pub fn begin_frame(&mut self, ctx: &Context) {
        // After a move or a click, egui closes the tooltip itself.
        let is_used = ctx.input(|input| {
            let pointer = &input.pointer;
            pointer.delta() != Vec2::ZERO || pointer.any_down() || pointer.any_released()
        });
        if is_used {
            self.frames = 0;
            if std::mem::take(&mut self.is_paused) {
                set_delays(ctx, TOOLTIP_DELAY, GRACE);
            }
        }
        if self.frames > 0 {
            self.frames -= 1;
            self.is_paused = true;
            set_delays(ctx, LONG, 0.0);
            self.pointer = Some(ctx.input_mut(|input| std::mem::take(&mut input.pointer)));
        }
    }

    /// Must be called after the widgets of a frame.
    pub fn end_frame(&mut self, ctx: &Context) {
        if let Some(pointer) = self.pointer.take() {
            ctx.input_mut(|input| input.pointer = pointer);
        }
    }
}

fn set_delays(ctx: &Context, delay: f32, grace: f32) {
    ctx.style_mut(|style| {
        style.interaction.tooltip_delay = delay;
        style.interaction.tooltip_grace_time = grace;
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui_macroquad::egui::{self, Event, pos2, vec2};

    #[derive(Default)]
    struct Shown {
        pause: TooltipPause,
        /// Upper edge of a window in points.
        window: Option<f32>,
        has_pointer: bool,
    }

    fn app(ctx: &Context, shown: &mut Shown) {
        shown.pause.begin_frame(ctx);
        egui::CentralPanel::default().show(ctx, |ui| {
            ui.button("a button of some width").on_hover_text("the tip");
        });
        if let Some(top) = shown.window {
            egui::Window::new("a window").fixed_pos(pos2(0.0, top)).show(ctx, |ui| {
                ui.label("its text");
            });
        }
        shown.pause.end_frame(ctx);
        shown.has_pointer = ctx.input(|input| input.pointer.hover_pos().is_some());
    }

    /// The window opens over the button or beside it. In slow frames, egui does not notice that the
    /// mouse has moved, and shows tooltips without a delay.
    #[test]
    fn a_window_opened_by_a_key_closes_the_tooltip_until_the_mouse_moves() {
        for (top, seconds) in [(60.0, 1.0 / 60.0), (0.0, 1.0 / 60.0), (0.0, 0.25)] {
            let harness = egui_kittest::Harness::builder().with_step_dt(seconds);
            let mut harness =
                harness.with_size(vec2(400.0, 300.0)).build_state(app, Shown::default());
            let has_tip = |harness: &egui_kittest::Harness<Shown>| {
                harness.output().shapes.iter().any(|it| match &it.shape {
                    egui::Shape::Text(text) => text.galley.text() == "the tip",
                    _ => false,
                })
            };
            let moves_and_rests = |harness: &mut egui_kittest::Harness<Shown>| {
                for x in [40.0, 45.0, 50.0, 55.0] {
                    harness.input_mut().events.push(Event::PointerMoved(pos2(x, 20.0)));
                    harness.step();
                }
                harness.run_steps(60);
            };
            moves_and_rests(&mut harness);
            assert!(has_tip(&harness), "the mouse rests on the button");
            harness.state_mut().window = Some(top);
            harness.state_mut().pause.begin();
            for _ in 0..120 {
                harness.step();
                assert!(!has_tip(&harness), "window at {top}, {seconds} s a frame");
            }
            assert!(harness.state().has_pointer, "the wheel acts on what is below the mouse");
            harness.state_mut().window = None;
            moves_and_rests(&mut harness);
            assert!(has_tip(&harness), "the mouse has moved");
        }
    }
}
