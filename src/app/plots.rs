//! The drawer of plots: all lanes on one axis, each in its colour and line style.

use super::clock::FrameClock;
use super::laboratory::Laboratory;
use super::quantity::{self, si_tight};
use super::report::mark;
use super::theme;
use super::view::{LineStyle, lane_style};
use crate::measure::Sample;
use crate::session::Lane;
use crate::simulation::settings::Settings;
use egui_macroquad::egui::{self, Color32, RichText, Ui};
use egui_plot::{GridMark, HLine, Line, Plot, PlotBounds, PlotPoint, PlotPoints};
use std::ops::RangeInclusive;

/// Seconds that the plots look back.
const WINDOW: f64 = 10.0;
/// Points a curve; more than the drawer has pixels would only cost time.
const POINTS: f64 = 320.0;

/// What the energy plot shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnergyPart {
    /// ½ m v².
    Kinetic,
    /// Of gravity and other laws with a potential.
    Potential,
    /// In links.
    Elastic,
    /// The sum.
    #[default]
    Total,
    /// Change of the sum since the start, in percent of the energy in play.
    Drift,
    /// What the scheme made or lost, by the books of energy.
    Made,
}

/// What the stretch plot shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StretchPart {
    /// Of the longest link.
    #[default]
    Greatest,
    /// Mean of all links.
    Mean,
}

/// What the drawer shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plots {
    energy: EnergyPart,
    stretch: StretchPart,
}

/// One quantity over time.
struct PlottedQuantity {
    title: &'static str,
    unit: &'static str,
    tip: &'static str,
    /// The axis reaches down (or up) to 0, so that sizes can be compared.
    from_zero: bool,
    of: fn(&Sample) -> f64,
}

const STEPS: PlottedQuantity = PlottedQuantity {
    title: "Steps a frame",
    unit: "",
    tip: "Steps taken in each frame",
    from_zero: true,
    of: |s| s.steps.into(),
};
const BLEND: PlottedQuantity = PlottedQuantity {
    title: "Blend",
    unit: "",
    tip: "How far the picture lies between the previous state (0) and the current one (1)",
    from_zero: true,
    of: |s| s.blend,
};
const OWED: PlottedQuantity = PlottedQuantity {
    title: "Owed time",
    unit: "s",
    tip: "Time that waits in the accumulator. When it only grows, computing cannot keep up.",
    from_zero: true,
    of: |s| s.owed,
};
const DROPPED: PlottedQuantity = PlottedQuantity {
    title: "Dropped time",
    unit: "s",
    tip: "Time given up by guards or by the stepping scheme; below 0, time was gained",
    from_zero: true,
    of: |s| s.dropped,
};

/// Marks whose values are more steps than this away from 0 need more than four digits.
const MOST_STEPS_AWAY: f64 = 1e3;
/// Least height of a plot, as a fraction of what it shows: less is rounding.
const LEAST_HEIGHT: f64 = 1e-9;

/// Margin around the curves, as a fraction of the plot.
const MARGIN: egui::Vec2 = egui::vec2(0.05, 0.08);

impl Plots {
    /// The drawer: plots of time if `time`, of energy and stretch if `energy`. Returns true when
    /// the samples should be written to a file.
    pub fn plots_ui(
        &mut self,
        ui: &mut Ui,
        (time, energy): (bool, bool),
        clock: &FrameClock,
        laboratory: &Laboratory,
    ) -> bool {
        let lanes: Vec<&Lane> = laboratory
            .session()
            .lanes()
            .iter()
            .filter(|lane| laboratory.shows(lane.color))
            .collect();
        let mut export = false;
        ui.horizontal(|ui| {
            ui.label(RichText::new("Plots").heading());
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let button = ui.button("Export CSV");
                mark(&button, "export csv");
                export =
                    button.on_hover_text("Writes the samples of all lanes to a file").clicked();
            });
        });
        let count = if energy { 2 } else { 0 } + if time { 5 } else { 0 };
        let height = (ui.available_height() / count.max(1) as f32 - 30.0).clamp(84.0, 190.0);
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            if energy {
                if laboratory.reference().is_some() {
                    laboratory.distances().distances_ui(ui, laboratory, height);
                }
                self.energy_ui(ui, &lanes, height);
                self.stretch_ui(ui, &lanes, height);
            }
            if time {
                frame_time_ui(ui, clock, height);
                if lanes.iter().any(|lane| !lane.display.is_real()) {
                    own_frames_ui(ui, &lanes, laboratory.session().speed(), height);
                }
                for quantity in [STEPS, BLEND, OWED, DROPPED] {
                    title_ui(ui, quantity.title, quantity.tip);
                    lanes_plot_ui(ui, &quantity, &lanes, height);
                }
            }
        });
        export
    }

    fn energy_ui(&mut self, ui: &mut Ui, lanes: &[&Lane], height: f32) {
        use EnergyPart::{Drift, Elastic, Kinetic, Made, Potential, Total};
        ui.horizontal(|ui| {
            title_ui(
                ui,
                "Energy",
                "Of all particles and links; drift is the change of the total \
                since the start, relative to the greatest kinetic + elastic energy so far; \
                made is what the scheme made of nothing or lost, since this plot was opened: what \
                dampers took out and hand, wind and pins put in does not count",
            );
            ui.spacing_mut().item_spacing.x = 0.0;
            for (part, name) in [
                (Kinetic, "kinetic"),
                (Potential, "potential"),
                (Elastic, "elastic"),
                (Total, "total"),
                (Drift, "drift"),
                (Made, "made"),
            ] {
                let text = RichText::new(name).small();
                ui.selectable_value(&mut self.energy, part, text);
            }
        });
        let (unit, of): (_, fn(&Sample) -> f64) = match self.energy {
            Kinetic => ("J", |s| s.energy.kinetic),
            Potential => ("J", |s| s.energy.potential),
            Elastic => ("J", |s| s.energy.elastic),
            Total => ("J", |s| s.energy.total()),
            Drift => ("%", |s| 100.0 * s.drift),
            Made => ("J", |s| s.made),
        };
        let from_zero = !matches!(self.energy, Potential | Total);
        lanes_plot_ui(
            ui,
            &PlottedQuantity { title: "Energy", unit, tip: "", from_zero, of },
            lanes,
            height,
        );
    }

    fn stretch_ui(&mut self, ui: &mut Ui, lanes: &[&Lane], height: f32) {
        ui.horizontal(|ui| {
            title_ui(ui, "Stretch", "Length over rest length − 1, over all links");
            ui.spacing_mut().item_spacing.x = 0.0;
            for (part, name) in [(StretchPart::Greatest, "greatest"), (StretchPart::Mean, "mean")] {
                ui.selectable_value(&mut self.stretch, part, RichText::new(name).small());
            }
        });
        let of: fn(&Sample) -> f64 = match self.stretch {
            StretchPart::Greatest => |s| 100.0 * s.stretch.max,
            StretchPart::Mean => |s| 100.0 * s.stretch.mean,
        };
        lanes_plot_ui(
            ui,
            &PlottedQuantity { title: "Stretch", unit: "%", tip: "", from_zero: true, of },
            lanes,
            height,
        );
    }
}

pub(super) fn title_ui(ui: &mut Ui, title: &str, tip: &str) {
    ui.label(RichText::new(title).color(theme::QUIET)).on_hover_text(tip);
}

/// A quantity of all lanes over simulated time.
fn lanes_plot_ui(ui: &mut Ui, quantity: &PlottedQuantity, lanes: &[&Lane], height: f32) {
    let newest = |lane: &&Lane| lane.simulation.record().last().map_or(0.0, |s| s.t);
    let end = lanes.iter().map(newest).fold(0.0, f64::max);
    let mut axes = plot(ui, quantity.title, quantity.unit, end, height);
    axes = axes.label_formatter(|_, point| values_at(quantity, lanes, point.x));
    if quantity.from_zero {
        axes = axes.include_y(0.0);
    }
    let start = start_of(end);
    let is_exploded = |lane: &&&Lane| lane.simulation.explosion().is_some();
    let range_of = |exploded: bool| {
        let chosen = lanes.iter().filter(|lane| is_exploded(lane) == exploded);
        let samples = chosen.flat_map(|lane| lane.simulation.record().iter());
        let values = samples.filter(|s| s.t >= start).map(quantity.of);
        range(values.chain(quantity.from_zero.then_some(0.0)))
    };
    let mixed =
        lanes.iter().any(|lane| is_exploded(&lane)) && !lanes.iter().all(|lane| is_exploded(&lane));
    let shown = if mixed { range_beside_explosions(range_of(false), range_of(true)) } else { None };
    if let Some([low, high]) = range_of(false) {
        let least = LEAST_HEIGHT * low.abs().max(high.abs());
        if high - low < least {
            axes = axes.include_y(low - least).include_y(high + least);
        }
    }
    axes.show(ui, |plot| {
        for lane in lanes {
            let samples = lane.simulation.record().iter();
            let points = samples.map(|s| [s.t, (quantity.of)(s)]);
            let line = Line::new(thinned(points, start));
            plot.line(styled(line, lane.color).name(&lane.name));
        }
        plot.set_auto_bounds(shown.is_none());
        if let Some([low, high]) = shown {
            let mut bounds = PlotBounds::from_min_max([start, low], [start + WINDOW, high]);
            bounds.add_relative_margin_x(MARGIN);
            bounds.add_relative_margin_y(MARGIN);
            plot.set_plot_bounds(bounds);
        }
    });
}

/// What every lane had at a time, for the cursor; a lane that died before has nothing.
fn values_at(quantity: &PlottedQuantity, lanes: &[&Lane], t: f64) -> String {
    let value = |lane: &&Lane| {
        let after = lane.simulation.record().iter().find(|sample| sample.t >= t)?;
        Some(format!("{}  {}", with_unit((quantity.of)(after), quantity.unit), lane.name))
    };
    let lines: Vec<String> = lanes.iter().filter_map(value).collect();
    format!("at {t:.2} s\n{}", lines.join("\n"))
}

/// Least and greatest of the finite values.
fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.filter(|value| value.is_finite()).fold(None, |range, value| {
        let [low, high] = range.unwrap_or([value; 2]);
        Some([value.min(low), value.max(high)])
    })
}

/// What to show of values beside those of lanes that have exploded, which would flatten all other
/// curves: these leave the plot when they are as far from it as it is high. `None` = everything.
fn range_beside_explosions(
    living: Option<[f64; 2]>,
    exploded: Option<[f64; 2]>,
) -> Option<[f64; 2]> {
    let ([low, high], [lowest, highest]) = (living?, exploded?);
    let room = high - low;
    let is_far = lowest < low - room || highest > high + room;
    (room > 0.0 && is_far)
        .then(|| [lowest.clamp(low - room, low), highest.clamp(high, high + room)])
}

/// Frame time and work of the window; all lanes share them.
fn frame_time_ui(ui: &mut Ui, clock: &FrameClock, height: f32) {
    title_ui(ui, "Frame time", "Length of each frame (bright) and the work in it (accent)");
    let end = clock.history().next_back().map_or(0.0, |frame| frame.at);
    plot(ui, "Frame time", "s", end, height).include_y(0.0).show(ui, |plot| {
        let frames = clock.history().map(|f| [f.at, f.frame]);
        plot.line(Line::new(thinned(frames, start_of(end))).color(theme::TEXT).name("frame"));
        let work = clock.history().map(|f| [f.at, f.work]);
        plot.line(Line::new(thinned(work, start_of(end))).color(theme::ACCENT).name("work"));
    });
}

/// Frames of the lanes, which have displays of their own, and the length at which they settle under
/// a load.
fn own_frames_ui(ui: &mut Ui, lanes: &[&Lane], speed: f64, height: f32) {
    title_ui(
        ui,
        "Frames of the lanes",
        "Length of each frame that a lane lived through; thin, F* = R/(1 − c/dt), at which frames \
        under a load settle while c is below dt",
    );
    let newest = |lane: &&Lane| lane.simulation.record().last().map_or(0.0, |s| s.t);
    let end = lanes.iter().map(newest).fold(0.0, f64::max);
    plot(ui, "Frames of the lanes", "s", end, height).include_y(0.0).show(ui, |plot| {
        for lane in lanes {
            let frames = lane.simulation.record().iter().map(|s| [s.t, s.frame]);
            let line = Line::new(thinned(frames, start_of(end)));
            plot.line(styled(line, lane.color).name(&lane.name));
            let Settings { dt, stepping, .. } = *lane.simulation.settings();
            let spiral = lane.display.source().spiral(dt, speed).filter(|_| stepping.uses_dt());
            if let Some(settles_at) = spiral.and_then(|spiral| spiral.settles_at) {
                let line = HLine::new(settles_at).color(theme::lane_color(lane.color)).width(0.8);
                plot.hline(line.name(format!("F* of {}", lane.name)));
            }
        }
    });
}

/// An empty plot of the last seconds.
pub(super) fn plot<'a>(ui: &Ui, title: &'a str, unit: &'a str, end: f64, height: f32) -> Plot<'a> {
    Plot::new(("plot", title))
        .height(height)
        .width(ui.available_width())
        .show_background(false)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .auto_bounds(egui::Vec2b::TRUE)
        .include_x(start_of(end))
        .include_x(start_of(end) + WINDOW)
        .set_margin_fraction(MARGIN)
        .y_axis_min_width(54.0)
        .x_grid_spacer(|input| round_marks(input.bounds, 2.0))
        .y_grid_spacer(move |input| round_marks(input.bounds, f64::from(height / 48.0)))
        .grid_spacing(egui::Rangef::new(0.0, 5000.0))
        .cursor_color(theme::QUIET)
        .label_formatter(move |name, point| hover_text(name, point, unit))
        .x_axis_formatter(|mark, _| format!("{} s", mark.value))
        .y_axis_formatter(move |mark, range| mark_text(mark, range, unit))
}

/// About `count` marks at multiples of 1, 2 or 5 times a power of ten.
fn round_marks((low, high): (f64, f64), count: f64) -> Vec<GridMark> {
    let rough = (high - low) / count;
    if !(rough.is_finite() && rough > 0.0) {
        return Vec::new();
    }
    let power = 10f64.powf(rough.log10().floor());
    let step_size = match rough / power {
        r if r < 1.5 => power,
        r if r < 3.5 => 2.0 * power,
        r if r < 7.5 => 5.0 * power,
        _ => 10.0 * power,
    };
    let first = (low / step_size).ceil() as i64;
    let last = (high / step_size).floor() as i64;
    (first..=last).map(|i| GridMark { value: i as f64 * step_size, step_size }).collect()
}

/// Where the window of time begins that ends at `end`.
pub(super) fn start_of(end: f64) -> f64 {
    (end - WINDOW).max(0.0)
}

/// A mark of the axis, with one prefix for the whole axis and as many digits as tell it from the
/// next, at most four. Where values differ in later digits only, the lowest mark tells its value
/// and the others how far they are above it.
fn mark_text(mark: GridMark, range: &RangeInclusive<f64>, unit: &str) -> String {
    let (low, high) = (*range.start(), *range.end());
    let greatest = low.abs().max(high.abs());
    let lowest = (low / mark.step_size).ceil() * mark.step_size;
    let text = if greatest < MOST_STEPS_AWAY * mark.step_size {
        number_text(mark.value, mark.step_size, greatest, unit)
    } else if mark.value < lowest + 0.5 * mark.step_size {
        number_text(mark.value, 1e-3 * greatest, greatest, unit)
    } else {
        let above = mark.value - lowest;
        format!("+{}", number_text(above, mark.step_size, high - low, unit))
    };
    text.replace('-', "−").trim_end().to_owned()
}

/// A number to the digit of `step`, in the prefix in which `greatest` is read. What has no prefix
/// gets a power of ten when it is small.
fn number_text(value: f64, step: f64, greatest: f64, unit: &str) -> String {
    let value = if value == 0.0 { 0.0 } else { value };
    let has_prefix = !matches!(unit, "" | "%");
    if !has_prefix && greatest < 0.01 {
        return format!("{value:.0e} {unit}");
    }
    let (scale, prefix) = if has_prefix { quantity::prefix_of(greatest) } else { (1.0, "") };
    let digits = (-(step / scale).log10() - 1e-9).ceil().clamp(0.0, 3.0) as usize;
    format!("{:.digits$} {prefix}{unit}", value / scale)
}

fn hover_text(name: &str, point: &PlotPoint, unit: &str) -> String {
    let place = format!("{}  at {:.2} s", with_unit(point.y, unit), point.x);
    if name.is_empty() { place } else { format!("{name}\n{place}") }
}

fn with_unit(value: f64, unit: &str) -> String {
    match unit {
        "%" => format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned() + " %",
        "" => format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned(),
        unit => si_tight(value, unit),
    }
}

/// The points from `start` on, the last one of each of [`POINTS`] equal spans. Spans begin at
/// multiples of their length, so that a curve does not shimmer as it moves on.
pub(super) fn thinned(points: impl Iterator<Item = [f64; 2]>, start: f64) -> PlotPoints<'static> {
    let span = |x: f64| (x / WINDOW * POINTS).floor();
    let mut kept: Vec<[f64; 2]> = Vec::new();
    for point in points.filter(|p| p[0] >= start && p[1].is_finite()) {
        match kept.last_mut() {
            Some(last) if span(last[0]) == span(point[0]) => *last = point,
            _ => kept.push(point),
        }
    }
    kept.into()
}

pub(super) fn styled(line: Line<'_>, color: usize) -> Line<'_> {
    let style = match lane_style(color) {
        LineStyle::Solid => egui_plot::LineStyle::Solid,
        LineStyle::Dashed(length) => egui_plot::LineStyle::Dashed { length },
        LineStyle::Dotted(spacing) => egui_plot::LineStyle::Dotted { spacing },
    };
    let ink: Color32 = theme::lane_color(color);
    line.color(ink).style(style).width(1.6)
}

/// All samples of all lanes, one row each, SI units.
pub fn csv(lanes: &[Lane]) -> String {
    let mut table = String::from(
        "lane,name,wall,t,frame,steps,blend,owed,dropped,kinetic,potential,elastic,total,drift,made,\
         stretch_max,stretch_mean\n",
    );
    for (index, lane) in lanes.iter().enumerate() {
        let name = lane.name.replace('"', "\"\"");
        for sample in lane.simulation.record().iter() {
            let Sample {
                wall,
                t,
                frame,
                steps,
                blend,
                owed,
                dropped,
                energy,
                drift,
                made,
                stretch,
            } = *sample;
            let numbers = [
                wall,
                t,
                frame,
                f64::from(steps),
                blend,
                owed,
                dropped,
                energy.kinetic,
                energy.potential,
                energy.elastic,
                energy.total(),
                drift,
                made,
                stretch.max,
                stretch.mean,
            ];
            let numbers = numbers.map(|n| n.to_string()).join(",");
            table.push_str(&format!("{},\"{name}\",{numbers}\n", index + 1));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_at_most_four_digits_and_differ() {
        let marks = |low: f64, high: f64, unit: &str| -> Vec<String> {
            let range = low..=high;
            round_marks((low, high), 3.0)
                .into_iter()
                .map(|mark| mark_text(mark, &range, unit))
                .collect()
        };
        assert_eq!(marks(0.0, 0.0167, "s"), ["0 ms", "5 ms", "10 ms", "15 ms"]);
        assert_eq!(marks(196.2, 196.20003, "J"), ["196.2 J", "+10 µJ", "+20 µJ", "+30 µJ"]);
        assert_eq!(marks(0.0, 3e-7, "%"), ["0e0 %", "1e−7 %", "2e−7 %", "3e−7 %"]);
        assert_eq!(marks(-1.0, 2.0, ""), ["−1", "0", "1", "2"]);
    }

    #[test]
    fn an_explosion_leaves_the_plot_and_flattens_no_other_curve() {
        let living = Some([1.0, 3.0]);
        let shown = |exploded| range_beside_explosions(living, exploded);
        assert_eq!(shown(None), None);
        assert_eq!(shown(Some([0.0, 5.0])), None, "it is not far");
        assert_eq!(shown(Some([1.5, 1e9])), Some([1.0, 5.0]));
        assert_eq!(shown(Some([-1e9, 4.0])), Some([-1.0, 4.0]));
        assert_eq!(range_beside_explosions(None, Some([0.0, 1e9])), None, "nobody lives");
        assert_eq!(range([f64::NAN, 2.0, f64::INFINITY, -1.0].into_iter()), Some([-1.0, 2.0]));
    }
}
