//! Study of accuracy: error against step size and against cost, for the integrators of all lanes.

use super::computation::{Computation, quiet_text_ui, title_of};
use crate::analysis::converge;
use crate::analysis::job::JobPool;
use crate::analysis::{Convergence, ConvergenceCurve};
use crate::app::charts::{study_chart_ui, to_rgb};
use crate::app::laboratory::Laboratory;
use crate::app::panel::si_ui;
use crate::app::plots::save_ui;
use crate::app::theme;
use crate::app::timing::wall_clock::wall_seconds;
use crate::app::widgets::marks::Marked;
use crate::export::convergence_charts::{convergence_charts, draw_convergence, reference_name};
use crate::integrate::Method;
use crate::quantity::on_screen::si_tight;
use egui_macroquad::egui::{self, RichText, Ui};
use egui_plot::Corner;

/// Number of step sizes. Each is half the one before.
const STEP_SIZES: u32 = 7;

pub struct OrderStudy {
    longest: f64,
    duration: f64,
    computation: Computation<ConvergenceCurve, Vec<ConvergenceCurve>>,
    /// Measured curves, each with its lane's colour number.
    curves: Vec<(usize, ConvergenceCurve)>,
    colors: Vec<usize>,
    against_cost: bool,
}

impl Default for OrderStudy {
    fn default() -> Self {
        Self {
            longest: 0.004,
            duration: 1.0,
            computation: Computation::default(),
            curves: Vec::new(),
            colors: Vec::new(),
            against_cost: false,
        }
    }
}

impl OrderStudy {
    pub fn orders_ui(&mut self, ui: &mut Ui, pool: &JobPool, laboratory: &Laboratory) {
        quiet_text_ui(
            ui,
            "Runs the integrator of every lane with seven step sizes, with all other settings \
            from the selected lane, and measures the distance from a nearly exact run.",
        );
        ui.horizontal(|ui| {
            ui.label("longest dt");
            si_ui(ui, &mut self.longest, 1e-5..=0.1, "s").marked("orders: longest dt");
            ui.label("run for");
            si_ui(ui, &mut self.duration, 0.1..=20.0, "s");
            ui.checkbox(&mut self.against_cost, "against cost");
        });
        if self.computation.begin_ui(ui, "orders") {
            self.start(pool, laboratory);
        }
        if let Some(curves) = self.computation.take_result() {
            self.curves = self.colors.iter().copied().zip(curves).collect();
        }
        if !self.curves.is_empty() {
            self.table_ui(ui);
            let curves = || self.curves.iter().map(|(_, curve)| curve.clone()).collect::<Vec<_>>();
            let scene = &laboratory.session().scene().name;
            let drawing = || Some(draw_convergence(scene, &curves()));
            ui.horizontal(|ui| save_ui(ui, "orders: ", "orders", drawing));
            self.convergence_chart_ui(ui);
        }
    }

    fn start(&mut self, pool: &JobPool, laboratory: &Laboratory) {
        let mut integrators: Vec<Method> = Vec::new();
        self.colors.clear();
        for lane in laboratory.session().lanes() {
            let method = lane.simulation.settings().integrator;
            if !integrators.contains(&method) {
                integrators.push(method);
                self.colors.push(lane.color);
            }
        }
        let half = |i: u32| self.longest / f64::from(1_u32 << i);
        let dts = (0..STEP_SIZES).map(half).collect();
        let question = Convergence { integrators, dts, duration: self.duration };
        let settings = *laboratory.selected().simulation.settings();
        let parts = laboratory.session().scene().parts.clone();
        self.curves.clear();
        self.computation.begin(
            pool.start(move |work| converge(&parts, &settings, &question, &wall_seconds, work)),
        );
    }

    fn table_ui(&self, ui: &mut Ui) {
        egui::Grid::new("orders").num_columns(4).spacing([18.0, 3.0]).show(ui, |ui| {
            for name in ["integrator", "order", "published", "valid for dt"] {
                ui.label(RichText::new(name).color(theme::quiet()));
            }
            ui.end_row();
            for (color, curve) in &self.curves {
                ui.colored_label(theme::lane_color(*color), title_of(curve.integrator));
                let order = ui.label(curve.order.map_or("–".to_owned(), |it| format!("{it:.2}")));
                if let Some(why) = curve.why_no_order.as_ref().or(curve.why_less.as_ref()) {
                    order.on_hover_text(why);
                }
                ui.label(curve.published());
                ui.label(curve.holds.map_or("–".to_owned(), |[from, to]| {
                    format!("{} to {}", si_tight(from, "s"), si_tight(to, "s"))
                }));
                ui.end_row();
            }
        });
        if let Some((_, curve)) = self.curves.first() {
            quiet_text_ui(ui, &format!("Measured against {}.", reference_name(curve.truth)));
        }
    }

    fn convergence_chart_ui(&self, ui: &mut Ui) {
        let curves: Vec<ConvergenceCurve> = self.curves.iter().map(|it| it.1.clone()).collect();
        let [by_step, _, by_cost] = convergence_charts(&curves);
        let (mut chart, legend) = match self.against_cost {
            true => (by_cost, Corner::RightTop),
            // Errors grow with dt, so the lower right corner is free.
            false => (by_step, Corner::RightBottom),
        };
        for (drawn, (color, curve)) in chart.curves.iter_mut().zip(&self.curves) {
            drawn.name = title_of(curve.integrator).into();
            drawn.colour = to_rgb(theme::lane_color(*color));
        }
        study_chart_ui(ui, &chart, ui.available_height().max(200.0), legend);
    }
}
