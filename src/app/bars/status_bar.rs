//! The status line at the bottom: facts about time, frames and steps.

use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::timing::clock::FrameClock;
use crate::app::timing::overhead::Overhead;
use crate::app::widgets::digit_width;
use crate::quantity::on_screen::{percent_change, si, si_change, si_tight};
use crate::simulation::timing::stepper::Blend;
use egui_macroquad::egui::{RichText, Ui};
use std::borrow::Cow;

pub const CLOCK_TIP: &str = "Session time: wall-clock time × speed since the scene was opened or \
    restarted. A lane whose simulated time is behind shows its delay in its chip";

/// Text of a value with its unit, and its tooltip.
type Fact = (String, Cow<'static, str>);

/// Draws the status line. In a narrow window, items at the right end are left out.
///
/// The whole line is one label, because ten labels took 0.03 ms more per frame. The font is
/// monospaced, so the column under the cursor identifies the item whose tooltip is shown.
///
/// If `has_clock` is true, the line includes the session's time, because the top bar has no room
/// for it.
pub fn status_bar_ui(ui: &mut Ui, clock: &FrameClock, laboratory: &Laboratory, has_clock: bool) {
    let digit = digit_width(ui);
    let room = ui.available_width() / digit;
    let (mut line, mut columns, mut tips) = (String::new(), 0, Vec::new());
    let time = has_clock
        .then(|| (format!("t {}", si(laboratory.session().time(), "s")), Cow::Borrowed(CLOCK_TIP)));
    let facts = time.into_iter().chain(frame_facts(clock)).chain(computing_fact(laboratory));
    for (text, tip) in facts.chain(lane_facts(laboratory)) {
        let text = if line.is_empty() { text } else { format!(" · {text}") };
        columns += text.chars().count();
        if columns as f32 > room {
            break;
        }
        line.push_str(&text);
        tips.push((columns, tip));
    }
    let line = RichText::new(line).monospace().color(theme::quiet());
    let label = ui.horizontal_centered(|ui| ui.label(line)).inner;
    let Some(cursor) = label.hover_pos() else { return };
    let column = ((cursor.x - label.rect.left()) / digit) as usize;
    if let Some((_, tip)) = tips.into_iter().find(|(end, _)| column < *end) {
        label.on_hover_text_at_pointer(tip);
    }
}

fn frame_facts(clock: &FrameClock) -> [Fact; 3] {
    [
        (format!("{:>5.1} fps", clock.rate()), "Frames per second, smoothed".into()),
        (
            format!("frame {}", si(clock.frame, "s")),
            "Duration of the last frame, including the wait for the display".into(),
        ),
        (format!("work {}", si(clock.work, "s")), work_tip(&clock.overhead).into()),
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
        "Time in the last frame for computing and drawing, without the wait for the display. \
        Everything except stepping and the graphics driver took {} ({})",
        si_tight(overhead.total(), "s"),
        parts.join(", "),
    )
}

/// Returns the duration of stepping in the background, if it is more than 0.3 s.
fn computing_fact(laboratory: &Laboratory) -> Option<Fact> {
    let seconds = laboratory.computing().filter(|seconds| *seconds > 0.3)?;
    let tip = "A step that takes longer than a frame is computed in the background. Pausing, \
        restarting or changing settings cancels it";
    Some((format!("computing {}", si(seconds, "s")), tip.into()))
}

fn lane_facts(laboratory: &Laboratory) -> [Fact; 5] {
    let simulation = &laboratory.selected().simulation;
    let (plan, time_account) = (simulation.plan(), simulation.time_account());
    let has_exploded = simulation.explosion().is_some();
    let steps = if has_exploded { 0 } else { plan.steps };
    let blend = match plan.blend {
        _ if has_exploded => "exploded   ".to_owned(),
        Blend::Current => "no blend   ".to_owned(),
        Blend::Between(blend) => format!("blend {blend:>5.2}"),
        Blend::Ahead(seconds) => format!("ahead {}", si(seconds, "s")),
        Blend::Tick(seconds) => format!("tick {}", si(seconds, "s")),
    };
    [
        (
            // The padding keeps the width of the line constant.
            format!("{steps:>3} {:<5}", if steps == 1 { "step" } else { "steps" }),
            "Time steps that the selected lane took in the last frame".into(),
        ),
        (
            blend,
            "Blend factor: 0 draws the state before the last step, 1 the state after it".into(),
        ),
        (
            format!("owed {}", si(time_account.owed, "s")),
            "Time in the accumulator: it has passed but is not simulated yet, usually because it \
            is shorter than a step"
                .into(),
        ),
        (
            format!("dropped {}", si(time_account.dropped, "s")),
            format!(
                "Time since the start that limits on frames or the stepping scheme dropped, so \
                that it is never simulated: simulated {} + owed + dropped = {} of wall-clock time \
                × speed",
                si_tight(time_account.simulated, "s"),
                si_tight(time_account.wall, "s"),
            )
            .into(),
        ),
        (
            format!("energy {}", si_change(simulation.drift().joules(), "J")),
            format!(
                "Change of the energy since the start, caused by the integrator and by wind, mouse \
                and friction: {} of the largest kinetic + elastic energy so far. The tooltip of \
                the lane's chip lists the causes.",
                percent_change(simulation.drift().fraction() * 100.0),
            )
            .into(),
        ),
    ]
}
