//! Source of the frame times of the selected lane: the window's display, or a simulated one.

use crate::app::input::actions::{Action, LaneAction, RequestActions};
use crate::app::laboratory::Laboratory;
use crate::app::panel::fields::{
    Entry, FieldHelp, count_ui, explanation_ui, list_ui, row_ui, si_ui, slider_ui,
};
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::quantity::on_screen::si_tight;
use crate::simulation::timing::frame_source::{
    FrameSource, LONGEST_FRAME, MOST_JITTER, RATES, Spiral,
};
use egui_macroquad::egui::{Label, RichText, TextEdit, Ui};

const FRAMES: FieldHelp = FieldHelp {
    label: "frames",
    unit: "",
    text: "Source of this lane's frame times: the real display or a simulated one. The lane runs \
        in real time with each of them; watch how unevenly its steps then follow each other.",
    source: "articles A, B and C; Fiedler 2004, Fix Your Timestep!",
};
const RATE: FieldHelp = FieldHelp {
    label: "frame rate",
    unit: "Hz",
    text: "Frames per second of this lane's simulated display. With frame-coupled stepping, lower \
        the rate and watch a rope explode that is stable at a higher rate.",
    source: "",
};
const JITTER: FieldHelp = FieldHelp {
    label: "jitter",
    unit: "of a frame",
    text: "Largest random deviation of a frame time, as a fraction of it, uniformly distributed. \
        Watch a lane with one step per frame stutter.",
    source: "",
};
const SEED: FieldHelp = FieldHelp {
    label: "seed",
    unit: "",
    text: "Seed of the random frame times. The same seed gives the same frames after a restart: \
        try another seed to see whether an explosion was chance.",
    source: "xorshift64: Marsaglia 2003",
};
const EVERY: FieldHelp = FieldHelp {
    label: "spike every",
    unit: "frames",
    text: "Number of frames from one spike to the next. A spike is one long frame, as when a \
        shader is compiled or a file is read. Watch how much time the guards drop.",
    source: "",
};
const SPIKE: FieldHelp = FieldHelp {
    label: "spike",
    unit: "s",
    text: "Length of the long frame. Make it longer than the frame clamp and watch the lane fall \
        behind.",
    source: "",
};
const TRACE: FieldHelp = FieldHelp {
    label: "trace",
    unit: "ms",
    text: "Frame times in milliseconds, repeated forever, e.g. 16.7 16.7 33.3. Press Enter to \
        apply them.",
    source: "",
};
const REST: FieldHelp = FieldHelp {
    label: "rest R",
    unit: "s",
    text: "Time of a frame without its steps, for drawing and input. While a step costs less than \
        dt, frame times converge to R/(1 − c/dt), so doubling R doubles them.",
    source: "",
};
const STEP: FieldHelp = FieldHelp {
    label: "a step c",
    unit: "s",
    text: "Computing time of a step on this simulated computer. A frame lasts R + c · (steps of \
        the frame before). From c = dt on, each frame needs more steps than the last: the spiral \
        of death.",
    source: "Fiedler 2004, Fix Your Timestep!",
};

/// Returns a source of each kind with its description. The initial parameters suit steps of `dt`
/// seconds.
fn sources(dt: f64) -> [(FrameSource, &'static str); 6] {
    let trace = FrameSource::Trace([0.0167, 0.0167, 0.0333].into());
    [
        (FrameSource::Measured, "The real display of this window"),
        (FrameSource::Constant { rate: 30.0 }, "A display that never misses a frame"),
        (
            FrameSource::Jitter { rate: 60.0, jitter: 0.3, seed: 1 },
            "A display whose frame lengths vary at random",
        ),
        (
            FrameSource::Spike { rate: 60.0, every: 60, spike: 0.2 },
            "A display on which every n-th frame is long",
        ),
        (trace, "Frame times that you type or record from this window"),
        (
            FrameSource::Load { rest: 0.01, step: 0.5 * dt },
            "A computer on which a frame takes R + c · steps",
        ),
    ]
}

fn title_of(source: &FrameSource) -> &'static str {
    match source {
        FrameSource::Measured => "measured",
        FrameSource::Constant { .. } => "constant",
        FrameSource::Jitter { .. } => "jitter",
        FrameSource::Spike { .. } => "spike",
        FrameSource::Trace(_) => "trace",
        FrameSource::Load { .. } => "load",
    }
}

/// Draws the rows for the source of frame times. `shows_seed` is true if a simulated display of the
/// scene has random frame times.
pub fn frames_ui(ui: &mut Ui, laboratory: &Laboratory, shows_seed: bool) {
    let lane = laboratory.selected();
    let settings = lane.simulation.settings();
    let mut source = lane.display.source().clone();
    row_ui(ui, &FRAMES, |ui| {
        let entry = |(source, text)| {
            let title = title_of(&source);
            Entry::listed(source, title, title, text, "")
        };
        let title = title_of(&source);
        let entries = || sources(settings.dt).map(entry).into();
        list_ui(ui, "frames", title, title, &mut source, entries)
    });
    source_ui(ui, &mut source, shows_seed);
    if settings.stepping.uses_dt()
        && let Some(spiral) = source.spiral(settings.dt, laboratory.session().speed())
    {
        spiral_ui(ui, spiral);
    }
    let show =
        |color: usize| Action::Lane(LaneAction::SetFrameSource { color, source: source.clone() });
    if source != *lane.display.source() {
        ui.request(show(lane.color));
    }
    if !lane.display.is_real() && laboratory.session().lanes().len() > 1 {
        let button = ui.small_button("These frames for all lanes").marked("frames for all lanes");
        if button.clicked() {
            ui.request_all(laboratory.session().lanes().iter().map(|lane| show(lane.color)));
        }
    }
}

fn source_ui(ui: &mut Ui, source: &mut FrameSource, shows_seed: bool) {
    match source {
        FrameSource::Measured => {}
        FrameSource::Constant { rate } => rate_ui(ui, rate),
        FrameSource::Jitter { rate, jitter, seed } => {
            rate_ui(ui, rate);
            row_ui(ui, &JITTER, |ui| slider_ui(ui, jitter, 0.0..=MOST_JITTER));
            let mut small = u32::try_from(*seed).unwrap_or(u32::MAX);
            if shows_seed
                && row_ui(ui, &SEED, |ui| count_ui(ui, &mut small, 0..=u32::MAX)).changed()
            {
                *seed = small.into();
            }
        }
        FrameSource::Spike { rate, every, spike } => {
            rate_ui(ui, rate);
            row_ui(ui, &EVERY, |ui| count_ui(ui, every, 1..=10_000));
            row_ui(ui, &SPIKE, |ui| si_ui(ui, spike, 1e-3..=LONGEST_FRAME, "s"));
        }
        FrameSource::Trace(_) => trace_ui(ui, source),
        FrameSource::Load { rest, step } => {
            row_ui(ui, &REST, |ui| si_ui(ui, rest, 1e-3..=1.0, "s"));
            row_ui(ui, &STEP, |ui| si_ui(ui, step, 0.0..=1.0, "s"));
        }
    }
}

fn rate_ui(ui: &mut Ui, rate: &mut f64) {
    row_ui(ui, &RATE, |ui| si_ui(ui, rate, RATES, "Hz"));
}

/// Draws a sentence that compares the cost of a step with dt and states the resulting frame time.
fn spiral_ui(ui: &mut Ui, Spiral { ratio, converged_length }: Spiral) {
    let text = match converged_length {
        Some(seconds) => format!(
            "c = {ratio:.2} dt: below dt. Frame times converge to F* = R/(1 − c/dt) = {}.",
            si_tight(seconds, "s")
        ),
        None => format!(
            "c = {ratio:.2} dt: not below dt. Each frame becomes longer than the last, finally by \
            a factor of {ratio:.2}, until a guard drops time: the spiral of death."
        ),
    };
    let ink = if converged_length.is_some() { theme::quiet() } else { theme::warning() };
    ui.add(Label::new(RichText::new(text).small().color(ink)).wrap());
}

/// Draws the trace as a text field. The text is read when the user presses Enter or leaves the
/// field.
fn trace_ui(ui: &mut Ui, source: &mut FrameSource) {
    let FrameSource::Trace(seconds) = source else { return };
    let id = ui.id().with("trace");
    let typed: Option<String> = ui.data(|data| data.get_temp(id));
    let mut text = typed.clone().unwrap_or_else(|| trace_text(seconds));
    let field = row_ui(ui, &TRACE, |ui| {
        ui.add(TextEdit::singleline(&mut text).desired_width(ui.available_width()))
    });
    if field.changed() {
        ui.data_mut(|data| data.insert_temp(id, text.clone()));
    }
    let read = typed.map(|_| trace_of(&text));
    if let Some(Err(problem)) = &read {
        ui.add(Label::new(RichText::new(problem).small().color(theme::warning())).wrap());
    }
    if field.lost_focus()
        && let Some(Ok(trace)) = read
    {
        ui.data_mut(|data| data.remove::<String>(id));
        *source = trace;
    }
    if ui.small_button("Take the last 10 s of this window").marked("record trace").clicked() {
        ui.data_mut(|data| data.remove::<String>(id));
        ui.request(Action::Lane(LaneAction::RecordTrace));
    }
    if let FrameSource::Trace(seconds) = source {
        let total = si_tight(seconds.iter().sum(), "s");
        explanation_ui(ui, &format!("{} frames, {total} in all", seconds.len()));
    }
}

/// Returns the first 200 frame times in milliseconds as text.
fn trace_text(seconds: &[f64]) -> String {
    const SHOWN: usize = 200;
    let shown = seconds.iter().take(SHOWN).map(|s| format!("{:.2}", 1e3 * s));
    shown.collect::<Vec<_>>().join(" ")
}

fn trace_of(text: &str) -> Result<FrameSource, String> {
    let numbers = text.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
    let seconds = numbers.filter(|number| !number.is_empty()).map(|number| {
        let ms = number.trim_end_matches("ms").parse::<f64>();
        ms.map(|ms| 1e-3 * ms).map_err(|_| format!("found \"{number}\"; expected milliseconds"))
    });
    let trace = FrameSource::Trace(seconds.collect::<Result<Vec<f64>, String>>()?.into());
    trace.check().map(|()| trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_typed_in_milliseconds() {
        let read = trace_of("16.7, 20ms;33.5").unwrap();
        assert_eq!(read, FrameSource::Trace([1e-3 * 16.7, 1e-3 * 20.0, 1e-3 * 33.5].into()));
        assert!(trace_of("16.7 x").unwrap_err().contains("\"x\""));
        assert!(trace_of("").unwrap_err().starts_with("found 0 frames"));
        assert!(trace_of("-3").is_err());
    }
}
