//! The drawer of plots: all lanes on one axis, each in its colour and line style.

mod axis_choice;
mod figure;
mod graph;
mod graph_ui;
mod menu;
mod over_time;
mod table;
mod ticks;

pub use graph::{Curve, Graph};
pub use over_time::{over_time, start_of, thinned};
pub use table::csv;

use super::actions::Action;
use super::clock::FrameClock;
use super::laboratory::Laboratory;
use super::report::mark;
use super::theme;
use crate::session::Lane;
use axis_choice::AxisChoice;
use egui_macroquad::egui::{self, RichText, Ui};
use graph::GraphAxis;
use over_time::Quantity;
use std::collections::BTreeMap;

/// What the energy plot can show.
const ENERGIES: [Quantity; 6] = {
    const fn energy(
        title: &'static str,
        tip: &'static str,
        of: fn(&crate::measure::Sample) -> f64,
    ) -> Quantity {
        Quantity { title, unit: "J", tip, from_zero: true, of }
    }
    [
        Quantity {
            from_zero: false,
            ..energy("Total energy", "Of all particles and links", |s| s.energy.total())
        },
        energy("Kinetic energy", "½ m v² of all particles", |s| s.energy.kinetic),
        Quantity {
            from_zero: false,
            ..energy("Potential energy", "Of gravity and other laws with a potential", |s| {
                s.energy.potential
            })
        },
        energy("Elastic energy", "Of all links", |s| s.energy.elastic),
        Quantity {
            unit: "%",
            ..energy(
                "Energy drift",
                "Change of the total since the start, relative to the greatest kinetic + elastic \
                 energy so far",
                |s| 100.0 * s.drift,
            )
        },
        energy(
            "Energy made",
            "What the scheme made of nothing or lost, since this plot was opened: what dampers \
             took out and hand, wind and pins put in does not count",
            |s| s.made,
        ),
    ]
};

/// What the stretch plot can show.
const STRETCHES: [Quantity; 2] = [
    Quantity {
        title: "Greatest stretch",
        unit: "%",
        tip: "Length over rest length − 1, of the longest link",
        from_zero: true,
        of: |s| 100.0 * s.stretch.max,
    },
    Quantity {
        title: "Mean stretch",
        unit: "%",
        tip: "Length over rest length − 1, mean of all links",
        from_zero: true,
        of: |s| 100.0 * s.stretch.mean,
    },
];

/// What the drawer shows.
#[derive(Clone, Debug, Default)]
pub struct Plots {
    energy: usize,
    stretch: usize,
    /// By the name of the plot.
    choices: BTreeMap<&'static str, AxisChoice>,
}

/// Draws plots one below the other.
struct Drawer<'a> {
    choices: &'a mut BTreeMap<&'static str, AxisChoice>,
    scene: &'a str,
    height: f32,
    actions: &'a mut Vec<Action>,
}

impl Plots {
    /// The drawer: plots of time if `time`, of energy and stretch if `energy`.
    pub fn plots_ui(
        &mut self,
        ui: &mut Ui,
        (time, energy): (bool, bool),
        clock: &FrameClock,
        laboratory: &Laboratory,
        actions: &mut Vec<Action>,
    ) {
        let session = laboratory.session();
        let lanes: Vec<&Lane> =
            session.lanes().iter().filter(|lane| laboratory.shows(lane.color)).collect();
        ui.horizontal(|ui| {
            ui.label(RichText::new("Plots").heading());
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let button = ui.button("Export CSV");
                mark(&button, "export csv");
                if button.on_hover_text("Writes the samples of all lanes to a file").clicked() {
                    actions.push(Action::ExportCsv);
                }
            });
        });
        ui.spacing_mut().item_spacing.y = 2.0;
        let distances = energy.then(|| laboratory.distances().graph(laboratory)).flatten();
        let displays = time && lanes.iter().any(|lane| !lane.display.is_real());
        let count = if energy { 2 } else { 0 } + if time { 5 } else { 0 };
        let count = count + usize::from(distances.is_some()) + usize::from(displays);
        let height = (ui.available_height() / count.max(1) as f32 - 28.0).clamp(66.0, 190.0);
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let Self { energy: shown_energy, stretch, choices } = self;
            let scene = &session.scene().name;
            let mut drawer = Drawer { choices, scene, height, actions };
            if let Some((graph, tip, slope)) = distances {
                drawer.graph_ui(ui, &graph, |ui| {
                    title_ui(ui, graph.name, tip);
                    ui.label(RichText::new(slope).small().color(theme::QUIET));
                });
            }
            if energy {
                drawer.chosen_ui(ui, &ENERGIES, shown_energy, &lanes);
                drawer.chosen_ui(ui, &STRETCHES, stretch, &lanes);
            }
            if time {
                let tip = "Length of each frame (bright) and the work in it (accent)";
                let graph = over_time::frame_time(clock);
                drawer.graph_ui(ui, &graph, |ui| title_ui(ui, graph.name, tip));
                if displays {
                    let tip = "Length of each frame that a lane lived through; thin, \
                               F* = R/(1 − c/dt), at which frames under a load settle while c is \
                               below dt";
                    let graph = over_time::own_frames(&lanes, session.speed());
                    drawer.graph_ui(ui, &graph, |ui| title_ui(ui, graph.name, tip));
                }
                for quantity in &over_time::CLOCK {
                    let graph = over_time::of_lanes(quantity, &lanes);
                    drawer.graph_ui(ui, &graph, |ui| title_ui(ui, graph.name, quantity.tip));
                }
            }
        });
    }
}

impl Drawer<'_> {
    /// A plot of one of several quantities, chosen from a list.
    fn chosen_ui(&mut self, ui: &mut Ui, all: &[Quantity], chosen: &mut usize, lanes: &[&Lane]) {
        let graph = over_time::of_lanes(&all[*chosen], lanes);
        self.graph_ui(ui, &graph, |ui| {
            let list = egui::ComboBox::from_id_salt(all[0].title).selected_text(all[*chosen].title);
            let list = list.show_ui(ui, |ui| {
                for (i, quantity) in all.iter().enumerate() {
                    ui.selectable_value(chosen, i, quantity.title).on_hover_text(quantity.tip);
                }
            });
            mark(&list.response, all[0].title);
            list.response.on_hover_text(all[*chosen].tip);
        });
    }

    /// A plot below its title, with its menu on a button and on the right mouse button.
    fn graph_ui(&mut self, ui: &mut Ui, graph: &Graph, title: impl FnOnce(&mut Ui)) {
        let GraphAxis { unit, log, .. } = graph.y;
        let first = || AxisChoice { log, unit, typed: None };
        let choice = self.choices.entry(graph.name).or_insert_with(first);
        let (scene, actions) = (self.scene, &mut *self.actions);
        ui.horizontal(|ui| {
            title(ui);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let menu = ui.menu_button(RichText::new("⚙").color(theme::QUIET), |ui| {
                    menu::menu_ui(ui, graph, choice, scene, actions);
                });
                mark(&menu.response, format_args!("menu of {}", graph.name));
                menu.response.on_hover_text("Axis, range, picture (or right-click the plot)");
            });
        });
        let plot = graph_ui::graph_ui(ui, graph, choice, self.height);
        mark(&plot, format_args!("plot of {}", graph.name));
        plot.context_menu(|ui| menu::menu_ui(ui, graph, choice, scene, actions));
    }
}

fn title_ui(ui: &mut Ui, title: &str, tip: &str) {
    ui.label(RichText::new(title).color(theme::QUIET)).on_hover_text(tip);
}
