//! Studies of the scene and its lanes (simulations that run side by side), computed in the
//! background: stability map, orders of convergence, damping, sweeps and advice.

mod advice;
mod computation;
mod damping;
mod map;
mod orders;
mod sweeps;

use crate::app::answers::Answers;
use crate::app::laboratory::Laboratory;
use crate::app::timing::job_pools::JobPools;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::{close_ui, pressed};
use crate::scene::Scene;
use advice::AdviceStudy;
use damping::DampingStudy;
use egui_macroquad::egui::{self, RichText, Ui};
use map::MapStudy;
use orders::OrderStudy;
use std::sync::Arc;
use sweeps::SweepStudy;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tab {
    #[default]
    Map,
    Orders,
    Damping,
    Sweeps,
    Advice,
}

/// Tabs with their titles and tooltips.
const TABS: [(Tab, &str, &str); 5] = [
    (
        Tab::Map,
        "Where stable?",
        "Stability map: dt on one axis and another quantity on the other; every cell is computed \
        with its own values",
    ),
    (
        Tab::Orders,
        "How accurate?",
        "Error of the integrators of all lanes against dt, where the slope is the order, and \
        against cost",
    ),
    (
        Tab::Damping,
        "What damps?",
        "Numerical damping and period error of the integrators, in theory and measured on this \
        scene",
    ),
    (
        Tab::Sweeps,
        "Sweeps converge?",
        "Error that is left after each sweep of a solver, compared \
        with theory",
    ),
    (
        Tab::Advice,
        "What to use?",
        "Searches for the cheapest settings that meet your goal by \
        running the scene",
    ),
];

#[derive(Default)]
pub struct Studies {
    pub open: bool,
    tab: Tab,
    /// Scene to which the results belong.
    scene: Option<Arc<Scene>>,
    map: MapStudy,
    orders: OrderStudy,
    damping: DampingStudy,
    sweeps: SweepStudy,
    advice: AdviceStudy,
}

/// Width of the contents of the answers' window in points, and their initial distance from the
/// right edge. The window's frame is within this distance.
const WIDTH: f32 = 560.0;
const MARGIN: f32 = 36.0;
/// Height of the window in points below which its contents scroll.
const LOW_WINDOW: f32 = 480.0;

impl Studies {
    /// Draws the studies in a window. `docked` becomes true when the user docks the window in place
    /// of the plots.
    pub fn window_ui(
        &mut self,
        ctx: &egui::Context,
        laboratory: &Laboratory,
        answers: &Answers,
        pools: &JobPools,
        docked: Option<&mut bool>,
    ) {
        let mut open = self.open;
        let screen = ctx.screen_rect();
        let room = screen.size() - egui::vec2(48.0, 110.0);
        let width = WIDTH.min(room.x);
        // The upper left corner of the window is fixed. New contents change only its height;
        // contents that do not fit scroll.
        egui::Window::new("Answers")
            .open(&mut open)
            .default_size([width, 600.0_f32.min(room.y)])
            .default_pos([screen.right() - width - MARGIN, 60.0])
            .max_size(room)
            .collapsible(false)
            .scroll([true, room.y < LOW_WINDOW])
            .show(ctx, |ui| {
                ui.set_width(ui.available_width());
                self.contents_ui(ui, laboratory, answers, pools, docked);
            });
        self.open = open;
    }

    /// Draws the studies in place of the plots.
    pub fn docked_ui(
        &mut self,
        ui: &mut Ui,
        laboratory: &Laboratory,
        answers: &Answers,
        pools: &JobPools,
        docked: Option<&mut bool>,
    ) {
        ui.horizontal(|ui| {
            ui.label(RichText::new("Answers").heading());
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                self.open &= !close_ui(ui, "close answers", "Close (Esc)");
            });
        });
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            self.contents_ui(ui, laboratory, answers, pools, docked);
        });
    }

    /// Draws the tabs and the chosen study. A change of the scene cancels running computations.
    fn contents_ui(
        &mut self,
        ui: &mut Ui,
        laboratory: &Laboratory,
        answers: &Answers,
        pools: &JobPools,
        docked: Option<&mut bool>,
    ) {
        let scene = laboratory.session().scene();
        if self.scene.as_ref().is_none_or(|known| !Arc::ptr_eq(known, scene)) {
            self.scene = Some(scene.clone());
            (self.map, self.orders, self.sweeps, self.advice) = Default::default();
            self.damping = DampingStudy::default();
        }
        self.tabs_ui(ui, laboratory, docked);
        ui.separator();
        match self.tab {
            Tab::Map => self.map.map_ui(ui, &pools.map, laboratory, answers),
            Tab::Orders => {
                self.orders.orders_ui(ui, &pools.orders, laboratory);
            }
            Tab::Damping => self.damping.damping_ui(ui, &pools.damping, laboratory),
            Tab::Sweeps => self.sweeps.sweeps_ui(ui, &pools.sweeps, laboratory),
            Tab::Advice => {
                self.advice.advice_ui(ui, &pools.advice, laboratory);
            }
        }
    }

    /// Draws a tab for each study that applies to the lanes, and the button that docks or undocks
    /// the window.
    fn tabs_ui(&mut self, ui: &mut Ui, laboratory: &Laboratory, docked: Option<&mut bool>) {
        let lanes = laboratory.session().lanes();
        let solves = lanes.iter().any(|lane| !lane.simulation.settings().solver().is_none());
        if self.tab == Tab::Sweeps && !solves {
            self.tab = Tab::Map;
        }
        ui.horizontal_wrapped(|ui| {
            for (tab, name, tip) in TABS {
                if tab == Tab::Sweeps && !solves {
                    continue;
                }
                let button = ui.selectable_label(self.tab == tab, name);
                if pressed(button, format_args!("study: {name}"), tip) {
                    self.tab = tab;
                }
            }
            dock_ui(ui, docked);
        });
    }
}

/// Draws the button that docks or undocks the answers. `docked` is `None` if there is no room
/// beside the scene.
fn dock_ui(ui: &mut Ui, docked: Option<&mut bool>) {
    let (name, tip) = match &docked {
        Some(true) => ("Undock", "Shows the answers in a window over the scene"),
        Some(false) | None => ("Dock", "Shows the answers in place of the plots"),
    };
    let button = ui.add_enabled(docked.is_some(), egui::Button::new(name)).marked("dock answers");
    let narrow = "This window is too narrow for answers next to the scene";
    let clicked = button.on_hover_text(tip).on_disabled_hover_text(narrow).clicked();
    if let Some(docked) = docked.filter(|_| clicked) {
        *docked = !*docked;
    }
}
