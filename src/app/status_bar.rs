//! The line at the bottom: what time does.

use super::clock::FrameClock;
use super::laboratory::Laboratory;
use super::overhead::Overhead;
use super::quantity::{si, si_tight};
use super::theme;
use crate::stepper::Blend;
use egui_macroquad::egui::{self, RichText, Ui};
use std::borrow::Cow;

/// A number, its unit and what it means.
type Fact = (String, Cow<'static, str>);

/// The whole line; what does not fit on a narrow window is left out from the right.
pub fn status_bar_ui(ui: &mut Ui, clock: &FrameClock, laboratory: &Laboratory) {
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let facts = frame_facts(clock).into_iter().chain(lane_facts(laboratory));
        for (i, (text, tip)) in facts.enumerate() {
            let text = if i > 0 { format!(" · {text}") } else { text };
            let width = text.chars().count() as f32 * digit_width(ui);
            if width > ui.available_width() {
                break;
            }
            ui.label(RichText::new(text).monospace().color(theme::QUIET)).on_hover_text(tip);
        }
    });
}

fn digit_width(ui: &Ui) -> f32 {
    let font = egui::TextStyle::Monospace.resolve(ui.style());
    ui.fonts(|fonts| fonts.glyph_width(&font, '0'))
}

fn frame_facts(clock: &FrameClock) -> [Fact; 3] {
    [
        (format!("{:>5.1} fps", clock.rate()), "Frames a second, smoothed".into()),
        (
            format!("frame {}", si(clock.frame(), "s")),
            "Length of the last frame, with the wait for the display".into(),
        ),
        (format!("work {}", si(clock.work(), "s")), work_tip(clock.overhead()).into()),
    ]
}

fn work_tip(overhead: &Overhead) -> String {
    let Overhead { actions, interface, hand, record, pictures, view } = *overhead;
    let parts = [
        ("actions", actions),
        ("interface", interface),
        ("hand", hand),
        ("samples", record),
        ("positions", pictures),
        ("vertices", view),
    ];
    let parts = parts.map(|(name, seconds)| format!("{name} {}", si_tight(seconds, "s")));
    format!(
        "Part of the last frame in which something was computed or drawn. Neither stepping nor \
         the graphics driver: {} ({})",
        si_tight(overhead.total(), "s"),
        parts.join(", "),
    )
}

fn lane_facts(laboratory: &Laboratory) -> [Fact; 7] {
    let simulation = &laboratory.selected().simulation;
    let (plan, ledger) = (simulation.plan(), simulation.ledger());
    let blend = match plan.blend {
        Blend::Current => "newest     ".to_owned(),
        Blend::Between(blend) => format!("blend {blend:>5.2}"),
        Blend::Ahead(seconds) => format!("ahead {}", si(seconds, "s")),
        Blend::Tick(seconds) => format!("tick {}", si(seconds, "s")),
    };
    [
        (format!("{:>3} steps", plan.steps), "Steps of the selected lane in the last frame".into()),
        (
            blend,
            "How far the picture lies between the previous state (0) and the current one (1)"
                .into(),
        ),
        (
            format!("owed {}", si(ledger.owed, "s")),
            "Time that waits in the accumulator for the next frame".into(),
        ),
        (
            format!("dropped {}", si(ledger.dropped, "s")),
            "Time given up by guards or by the stepping scheme since the start".into(),
        ),
        (
            format!("simulated {}", si(ledger.simulated, "s")),
            "Time that steps covered: simulated + owed + dropped = wall clock × speed".into(),
        ),
        (
            format!("wall {}", si(ledger.wall, "s")),
            "Wall-clock time × speed since the start".into(),
        ),
        (
            format!("drift {:>+8.3} %", simulation.drift() * 100.0),
            "Energy gained or lost since the start, relative to the greatest energy in play".into(),
        ),
    ]
}
