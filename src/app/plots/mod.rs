//! Column of plots. All lanes (simulations of the scene that run side by side) share the axes of a
//! plot; each has its own colour and line style.

mod menu;
mod phase;
mod picked;
mod spectra;
mod table;

pub use menu::save_ui;
pub use picked::draw_picked;
pub use table::csv;

use crate::analysis::Signal;
use crate::analysis::job::JobPool;
use crate::app::charts::over_time::{self, PlottedQuantity};
use crate::app::charts::{AxisChoice, LiveChart, LiveChartAxis, live_chart_ui};
use crate::app::input::actions::{Action, RequestActions, WindowAction};
use crate::app::laboratory::{DistanceChart, Laboratory};
use crate::app::preferences::Preferences;
use crate::app::theme;
use crate::app::timing::clock::FrameClock;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::{pick_ui, pressed};
use crate::measure::Sample;
use crate::model::Energy;
use crate::quantity::on_screen::si_tight;
use crate::session::Lane;
use egui_macroquad::egui::{self, RichText, Ui};
use picked::Picked;
use spectra::Spectra;
use std::collections::BTreeMap;

/// Quantities that the plot of energy can show.
const ENERGIES: [PlottedQuantity; 6] =
    {
        let total = PlottedQuantity::new("Total energy", "J", |s| s.energy.total());
        let kinetic = PlottedQuantity::new("Kinetic energy", "J", |s| s.energy.kinetic);
        let potential = PlottedQuantity::new("Potential energy", "J", |s| s.energy.potential);
        let elastic = PlottedQuantity::new("Elastic energy", "J", |s| s.energy.elastic);
        let drift = PlottedQuantity::new("Energy drift", "%", |s| 100.0 * s.drift);
        let made = PlottedQuantity::new("Energy made", "J", |s| s.made);
        [
        total.with_scale(greatest_term).without_zero().with_tip("Kinetic + potential + elastic \
            energy of all particles and links"),
        kinetic.with_scale(greatest_term).with_tip("Sum of ½ m v² over all particles"),
        potential
            .with_scale(greatest_term)
            .without_zero()
            .with_tip("Energy of gravity and of other forces that have a potential"),
        elastic.with_scale(greatest_term).with_tip("Energy stored in the deformation of all links"),
        drift.with_scale(|_| 100.0).with_tip(
            "Change of the total energy since the start, relative to the largest kinetic + \
            elastic energy so far",
        ),
        made.with_scale(greatest_term).with_tip(
            "Energy created by the integrator and the solver since this plot was opened (negative: \
            lost). Energy that dampers removed and that mouse, wind and pins added does not count",
        ),
    ]
    };

/// Returns the largest of a lane's energies in joules, to which the rounding errors of all its
/// energies are proportional.
fn greatest_term(sample: &Sample) -> f64 {
    let Energy { kinetic, potential, elastic } = sample.energy;
    kinetic.max(potential.abs()).max(elastic)
}

/// Quantities that the plot of stretch can show.
const STRETCHES: [PlottedQuantity; 3] = {
    // A strain is a difference of lengths divided by a length, so its scale is 100 %.
    const WHOLE: fn(&Sample) -> f64 = |_| 100.0;
    let max = PlottedQuantity::new("Greatest stretch", "%", |s| 100.0 * s.stretch.max);
    let min = PlottedQuantity::new("Least stretch", "%", |s| 100.0 * s.stretch.min);
    let mean = PlottedQuantity::new("Mean stretch", "%", |s| 100.0 * s.stretch.mean);
    [
        max.with_scale(WHOLE).with_tip(
            "Strain (length / rest length − 1) of the most stretched link at the end of each \
            frame. Steps within a frame may have higher peaks; `ropelab run` reports the peak of \
            all steps",
        ),
        min.with_scale(WHOLE).without_zero().with_tip(
            "Strain (length / rest length − 1) of the most compressed link at the end of each \
            frame",
        ),
        mean.with_scale(WHOLE).with_tip(
            "Mean strain (length / rest length − 1) of all links at the end of each \
                frame",
        ),
    ]
};

pub struct Plots {
    energy: usize,
    stretch: usize,
    pub picked: Picked,
    /// Indices in [`phase::COORDINATES`] of the horizontal and the vertical quantity of the phase
    /// portrait.
    portrait: [usize; 2],
    spectra: Spectra,
    signal: Signal,
    /// Upper end of the spectrum's frequency axis in Hz.
    spectrum_end: f64,
    /// The user's choices for the y axes, by the name of the chart.
    choices: BTreeMap<&'static str, AxisChoice>,
}

impl Default for Plots {
    fn default() -> Self {
        Self {
            energy: 0,
            stretch: 0,
            picked: Picked::default(),
            portrait: phase::FIRST_AXES,
            spectra: Spectra::default(),
            signal: Signal::default(),
            spectrum_end: 10.0,
            choices: BTreeMap::new(),
        }
    }
}

/// Width in points that the label of the strongest vibration needs beside the lists of signals and
/// frequencies.
const ROOM_FOR_PEAK: f32 = 110.0;

/// Height in points that is reserved above a chart for the labels of its y axis.
const TOP_LABEL: f32 = 6.0;
/// Distance in points of a text from the left and right edges of its chart.
const TEXT_MARGIN: f32 = 24.0;

/// Column of plots: the user's choices for the y axes, the name of the scene, and the height of a
/// plot in points.
struct PlotColumn<'a> {
    choices: &'a mut BTreeMap<&'static str, AxisChoice>,
    scene: &'a str,
    height: f32,
}

impl Plots {
    pub fn plots_ui(
        &mut self,
        ui: &mut Ui,
        preferences: &Preferences,
        laboratory: &Laboratory,
        clock: &FrameClock,
        pool: &JobPool,
    ) {
        let Preferences { time_plots: time, energy_plots: energy, motion_plots: motion, .. } =
            *preferences;
        let session = laboratory.session();
        let lanes: Vec<&Lane> =
            session.lanes().iter().filter(|lane| laboratory.shows(lane.color)).collect();
        ui.horizontal(|ui| {
            ui.label(RichText::new("Plots").heading());
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let tip = "Writes the samples of all plotted quantities of all lanes to a CSV file";
                if pressed(ui.button("Export CSV"), "export csv", tip) {
                    ui.request(Action::Window(WindowAction::ExportCsv));
                }
            });
        });
        ui.spacing_mut().item_spacing.y = 2.0;
        let distances = energy.then(|| laboratory.distance_chart()).flatten();
        let displays = time && lanes.iter().any(|lane| !lane.display.is_real());
        let has_links = !session.scene().parts.mesh.links.is_empty();
        let energies = if has_links { 2 } else { 1 };
        let counts =
            [(energy, energies), (time, 5), (motion, 4), (distances.is_some(), 1), (displays, 1)];
        let count: usize = counts.iter().filter(|(is_shown, _)| *is_shown).map(|(_, n)| n).sum();
        let height = (ui.available_height() / count.max(1) as f32 - 28.0).clamp(66.0, 190.0);
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let Self { energy: shown_energy, stretch, choices, .. } = self;
            let scene = &session.scene().name;
            let mut drawer = PlotColumn { choices, scene, height };
            if motion {
                self.spectra.update_oldest(&lanes, session.scene(), self.signal, pool);
                // Portrait and spectrum are taller than plots over time, because both of their axes
                // matter equally.
                drawer.height = (2.0 * height + 28.0).clamp(150.0, 300.0);
                drawer.portrait_ui(ui, &mut self.portrait, &lanes);
                let selected = self.spectra.strongest(laboratory.selected(), self.signal);
                let chart = self.spectra.chart(&lanes, self.signal, self.spectrum_end);
                let missing = self.spectra.reason_for_none(&lanes, self.signal);
                let (signal, end) = (&mut self.signal, &mut self.spectrum_end);
                let place = drawer.spectrum_ui(ui, &chart, signal, end, selected);
                missing.into_iter().for_each(|text| write_over_chart(ui, place, text));
                drawer.height = height;
            }
            if let Some(DistanceChart { chart, tip, slope }) = distances {
                drawer.live_chart_ui(ui, &chart, |ui| {
                    title_ui(ui, chart.name, tip);
                    ui.label(RichText::new(slope).small().color(theme::quiet()));
                });
            }
            if energy {
                drawer.chosen_plot_ui(ui, &ENERGIES, shown_energy, &lanes);
                if has_links {
                    drawer.chosen_plot_ui(ui, &STRETCHES, stretch, &lanes);
                }
            }
            if time {
                let speed = displays.then_some(session.speed());
                drawer.times_ui(ui, clock, &lanes, speed);
            }
        });
    }
}

impl PlotColumn<'_> {
    fn portrait_ui(&mut self, ui: &mut Ui, axes: &mut [usize; 2], lanes: &[&Lane]) {
        let [across, up] = axes.map(|axis| &phase::COORDINATES[axis]);
        let chart = phase::portrait(lanes, across, up);
        self.live_chart_ui(ui, &chart, |ui| {
            let [across, up] = axes;
            for (axis, id) in [(up, "portrait up"), (across, "portrait across")] {
                let names = phase::COORDINATES.iter().map(|it| it.name.to_owned());
                let choices = names.enumerate().map(|(i, name)| (i, name, ""));
                pick_ui(ui, id, 104.0, axis, choices).on_hover_text(phase::TIP);
                if id == "portrait up" {
                    ui.label(RichText::new("over").color(theme::quiet()));
                }
            }
        });
    }

    fn spectrum_ui(
        &mut self,
        ui: &mut Ui,
        chart: &LiveChart,
        signal: &mut Signal,
        end: &mut f64,
        strongest: Option<[f64; 2]>,
    ) -> egui::Rect {
        self.live_chart_ui(ui, chart, |ui| {
            let unit = spectra::unit_of(*signal);
            let signals = spectra::SIGNALS.map(|(choice, name)| (choice, name.to_owned(), ""));
            let list = pick_ui(ui, "spectrum signal", 104.0, signal, signals);
            list.on_hover_text(spectra::TIP);
            let ends = spectra::ENDS.map(|choice| (choice, format!("{choice} Hz"), ""));
            pick_ui(ui, "spectrum end", 64.0, end, ends);
            if let Some([frequency, amplitude]) = strongest {
                let [frequency, amplitude] = [si_tight(frequency, "Hz"), si_tight(amplitude, unit)];
                let has_room = ui.available_width() > ROOM_FOR_PEAK;
                let text =
                    if has_room { format!("{frequency}, {amplitude}") } else { frequency.clone() };
                let label = RichText::new(text).small().color(theme::quiet());
                let tip =
                    format!("Strongest vibration of the selected lane: {amplitude} at {frequency}");
                ui.add(egui::Label::new(label).truncate())
                    .marked("strongest vibration")
                    .on_hover_text(tip);
            }
        })
    }

    /// Draws the plots of the window's frame times and of the lanes' stepping. If lanes have
    /// simulated displays, `speed` is given and their frame times are plotted, too.
    fn times_ui(&mut self, ui: &mut Ui, clock: &FrameClock, lanes: &[&Lane], speed: Option<f64>) {
        let tip = "Duration of each frame (curve frame), and the time in it for computing and \
            drawing (curve work)";
        let chart = over_time::frame_time_chart(clock);
        self.live_chart_ui(ui, &chart, |ui| title_ui(ui, chart.name, tip));
        if let Some(speed) = speed {
            let tip = "Frame times of the lanes. Thin line: F* = R/(1 − c/dt), to which the frame \
                times of a lane with a simulated load converge while a step costs c < dt";
            let chart = over_time::frames_chart(lanes, speed);
            self.live_chart_ui(ui, &chart, |ui| title_ui(ui, chart.name, tip));
        }
        for quantity in &over_time::CLOCK {
            let chart = over_time::lanes_chart(quantity, lanes);
            self.live_chart_ui(ui, &chart, |ui| title_ui(ui, chart.name, quantity.tip));
        }
    }

    /// Draws the plot that the user has chosen from the list `all`.
    fn chosen_plot_ui(
        &mut self,
        ui: &mut Ui,
        all: &[PlottedQuantity],
        chosen: &mut usize,
        lanes: &[&Lane],
    ) {
        let chart = over_time::lanes_chart(&all[*chosen], lanes);
        self.live_chart_ui(ui, &chart, |ui| {
            let choice = |(i, it): (usize, &PlottedQuantity)| (i, it.title.to_owned(), it.tip);
            let choices = all.iter().enumerate().map(choice);
            let width = ui.spacing().combo_width;
            let list = pick_ui(ui, all[0].title, width, chosen, choices);
            list.on_hover_text(all[*chosen].tip);
        });
    }

    /// Draws a plot below its title, with the user's choices for its y axis. Returns the rectangle
    /// of the chart.
    fn live_chart_ui(
        &mut self,
        ui: &mut Ui,
        chart: &LiveChart,
        title: impl FnOnce(&mut Ui),
    ) -> egui::Rect {
        let LiveChartAxis { unit, log, .. } = chart.y;
        let first = || AxisChoice { log, unit, typed_range: None };
        let choice = self.choices.entry(chart.name).or_insert_with(first);
        plot_ui(ui, chart, choice, self.height, self.scene, title)
    }
}

/// Writes a text over a chart without curves.
fn write_over_chart(ui: &Ui, place: egui::Rect, text: String) {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let room = place.width() - 2.0 * TEXT_MARGIN;
    let mut text = egui::text::LayoutJob::simple(text, font, theme::text(), room);
    text.halign = egui::Align::Center;
    let text = ui.painter().layout_job(text);
    let middle = place.center();
    let back = egui::Rect::from_center_size(middle, egui::vec2(room, text.size().y + 8.0));
    ui.painter().rect_filled(back, 4.0, theme::panel());
    ui.painter().galley(middle - egui::vec2(0.0, 0.5 * text.size().y), text, theme::text());
}

/// Draws a plot below its title. A button or the right mouse button opens the plot's menu. A saved
/// image shows the scene's name `scene`. Returns the rectangle of the chart.
pub fn plot_ui(
    ui: &mut Ui,
    chart: &LiveChart,
    choice: &mut AxisChoice,
    height: f32,
    scene: &str,
    title: impl FnOnce(&mut Ui),
) -> egui::Rect {
    ui.horizontal(|ui| {
        // The layout begins at the right, so a narrow column cuts off the title but not the button.
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let menu = ui.menu_button(RichText::new("⚙").color(theme::quiet()), |ui| {
                menu::menu_ui(ui, chart, choice, scene);
            });
            menu.response.marked(format_args!("menu of {}", chart.name)).on_hover_text(
                "Sets the y axis and its range, and saves the plot as an image (also by a right \
                    click on the plot)",
            );
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                title(ui);
                live_chart_ui::exploded_before_ui(ui, chart);
                live_chart_ui::late_start_ui(ui, chart);
            });
        });
    });
    // The upper half of the topmost label of the y axis is above the chart.
    ui.add_space(TOP_LABEL);
    let plot = live_chart_ui::live_chart_ui(ui, chart, choice, height - TOP_LABEL)
        .marked(format_args!("plot of {}", chart.name));
    plot.context_menu(|ui| menu::menu_ui(ui, chart, choice, scene));
    plot.rect
}

fn title_ui(ui: &mut Ui, title: &str, tip: &str) {
    ui.label(RichText::new(title).color(theme::quiet())).on_hover_text(tip);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::charts::lane_curve;
    use crate::app::widgets::marks;
    use crate::export::chart::Curve;
    use crate::simulation::settings::Command;

    #[test]
    fn a_plot_with_many_explosions_leaves_its_button_and_its_labels_free() {
        marks::remember_widgets(true);
        let curve = |color: usize| Curve {
            exploded: Some(1.79),
            ..lane_curve("explicit Euler", color, vec![[4.0, 1.0], [8.0, 3.0]])
        };
        let app = |ui: &mut Ui| {
            ui.set_max_width(260.0);
            ui.spacing_mut().item_spacing.y = 2.0;
            let x = LiveChartAxis {
                range: Some([3.0, 13.0]),
                ..LiveChartAxis::new("simulated time", "s")
            };
            let y = LiveChartAxis::new("total energy", "J");
            let curves = (0..8).map(curve).collect();
            let name = "Total energy";
            let chart = LiveChart { name, x, y, curves, marks: vec![], function: true };
            let typed_range = Some(["0", "4"].map(str::to_owned));
            let mut choice = AxisChoice { typed_range, unit: "J", ..AxisChoice::default() };
            plot_ui(ui, &chart, &mut choice, 150.0, "Rope", |ui| title_ui(ui, name, ""));
        };
        let mut harness = egui_kittest::Harness::new_ui(app);
        theme::apply(&harness.ctx);
        harness.run_steps(3);
        let widgets = marks::take_widgets(&harness.ctx);
        let (menu, times) =
            (widgets["menu of Total energy"], widgets["explosions of Total energy"]);
        assert!(times.right() <= menu.left(), "{times} beside {menu}");
        let tops = harness.output().shapes.iter().filter_map(|it| match &it.shape {
            egui::Shape::Text(text) if text.galley.text() == "4 J" => Some(text.pos.y),
            _ => None,
        });
        let tops: Vec<f32> = tops.collect();
        assert!(!tops.is_empty() && tops.iter().all(|top| *top >= menu.bottom() - 1.0), "{tops:?}");
    }

    #[test]
    fn a_spectrum_without_motion_says_what_is_missing() {
        let mut laboratory = Laboratory::of_text(
            "(version: 1, name: \"rope\", ropes: [(name: \"rope\", from: (0, 0, 0), \
             to: (1, 0, 0))], pins: [(of: Start(\"rope\"))], settings: (dt: 0.001))",
        );
        let preferences = Preferences { motion_plots: true, ..Preferences::default() };
        let clock = FrameClock::new(std::time::Instant::now());
        let pool = JobPool::new(1, || ());
        let texts = |laboratory: &Laboratory| -> Vec<String> {
            let mut plots = Plots::default();
            let app = |ui: &mut Ui| plots.plots_ui(ui, &preferences, laboratory, &clock, &pool);
            let mut harness = egui_kittest::Harness::new_ui(app);
            harness.run_steps(3);
            let texts = harness.output().shapes.iter().filter_map(|it| match &it.shape {
                egui::Shape::Text(text) => Some(text.galley.text().to_owned()),
                _ => None,
            });
            texts.filter(|text| text.contains("a spectrum needs")).collect()
        };
        laboratory.command(Command::Pause(true));
        laboratory.record_motion(Some(5));
        // The state of the paused scene may or may not be recorded, so 63 or 64 steps are missing.
        let before = texts(&laboratory);
        assert!(before.len() == 1 && before[0].starts_with("Run for 6"), "{before:?}");
        laboratory.command(Command::Pause(false));
        laboratory.whole_frames(10);
        assert_eq!(texts(&laboratory), [""; 0]);
        laboratory.record_motion(Some(0));
        laboratory.whole_frames(10);
        let still = ["Particle 0 does not move: a spectrum needs motion."];
        assert_eq!(texts(&laboratory), still);
    }
}
