//! Study of sweeps: residual of the constraints after each sweep, starting from the lanes' current
//! states.

use super::computation::{Computation, quiet_text_ui};
use crate::analysis::SweepConvergence;
use crate::analysis::job::JobPool;
use crate::app::charts::{AxisChoice, LiveChart, LiveChartAxis, lane_curve, plain_curve};
use crate::app::laboratory::Laboratory;
use crate::app::plots::plot_ui;
use crate::app::theme;
use crate::export::chart::{Curve, DASHED};
use egui_macroquad::egui::{self, RichText, Ui};

const SWEEP_RANGE: std::ops::RangeInclusive<u32> = 5..=2000;

struct LaneSweeps {
    name: String,
    color: usize,
    convergence: Option<SweepConvergence>,
}

pub struct SweepStudy {
    sweeps: u32,
    computation: Computation<(), Vec<LaneSweeps>>,
    lanes: Vec<LaneSweeps>,
    choice: AxisChoice,
}

impl Default for SweepStudy {
    fn default() -> Self {
        let choice = AxisChoice { log: true, ..AxisChoice::default() };
        Self { sweeps: 100, computation: Computation::default(), lanes: Vec::new(), choice }
    }
}

impl SweepStudy {
    pub fn sweeps_ui(&mut self, ui: &mut Ui, pool: &JobPool, laboratory: &Laboratory) {
        quiet_text_ui(
            ui,
            "Moves every lane freely for a substep from its present state, and measures the \
            largest relative length error of a link after 1, 2, 3 … sweeps. On a straight rope of \
            N links a sweep leaves cos²(π/(2N)) of the error in theory.",
        );
        ui.horizontal(|ui| {
            ui.label("up to");
            ui.add(egui::DragValue::new(&mut self.sweeps).range(SWEEP_RANGE).suffix(" sweeps"));
        });
        if self.computation.begin_ui(ui, "sweeps") {
            self.start(pool, laboratory);
        }
        if let Some(lanes) = self.computation.take_result() {
            self.lanes = lanes;
        }
        if self.lanes.is_empty() {
            return;
        }
        self.table_ui(ui);
        if self.lanes.iter().any(|lane| lane.convergence.is_some()) {
            let chart = residual_chart(&self.lanes);
            let height = (ui.available_height() - 30.0).max(180.0);
            let scene = &laboratory.session().scene().name;
            plot_ui(ui, &chart, &mut self.choice, height, scene, |ui| {
                quiet_text_ui(ui, chart.name);
            });
        }
    }

    fn start(&mut self, pool: &JobPool, laboratory: &Laboratory) {
        let lanes = laboratory.session().lanes().iter();
        let lanes: Vec<_> =
            lanes.map(|lane| (lane.name.clone(), lane.color, lane.simulation.clone())).collect();
        let sweeps = self.sweeps;
        self.computation.begin(pool.start(move |work| {
            let each = lanes.into_iter().map(|(name, color, simulation)| {
                let convergence = SweepConvergence::of(&simulation, sweeps, work)?;
                Ok(LaneSweeps { name, color, convergence })
            });
            each.collect()
        }));
    }

    fn table_ui(&self, ui: &mut Ui) {
        egui::Grid::new("sweeps").num_columns(3).spacing([18.0, 3.0]).show(ui, |ui| {
            for name in ["lane", "a sweep leaves", "theory"] {
                ui.label(RichText::new(name).color(theme::quiet()));
            }
            ui.end_row();
            for lane in &self.lanes {
                ui.colored_label(theme::lane_color(lane.color), &lane.name);
                let Some(convergence) = &lane.convergence else {
                    quiet_text_ui(ui, "no solver");
                    ui.end_row();
                    continue;
                };
                let text = |factor: Option<f64>| {
                    factor.map_or("–".to_owned(), |factor| format!("{factor:.5}"))
                };
                ui.label(text(convergence.factor));
                ui.label(text(convergence.theory));
                ui.end_row();
            }
        });
    }
}

fn residual_chart(lanes: &[LaneSweeps]) -> LiveChart {
    let mut curves = Vec::new();
    for lane in lanes {
        let Some(SweepConvergence { residuals, theory, .. }) = &lane.convergence else { continue };
        let number = |i: usize| (i + 1) as f64;
        let points = residuals.iter().enumerate().filter(|(_, r)| r.is_finite());
        let points = points.map(|(i, r)| [number(i), *r]).collect();
        curves.push(lane_curve(&lane.name, lane.color, points));
        // Theory does not describe the first sweeps, so its line passes through the middle sweep's
        // residual.
        let middle = residuals.len() / 2;
        if let (Some(theory), Some(through)) = (theory, residuals.get(middle)) {
            let value = |i: usize| through * theory.powi(i as i32 - middle as i32);
            let points = (0..residuals.len()).map(|i| [number(i), value(i)]).collect();
            let color = theme::lane_color(lane.color).gamma_multiply(0.6);
            curves.push(Curve { style: DASHED, ..plain_curve("theory", color, points) });
        }
    }
    let x = LiveChartAxis::new("sweeps", "");
    let y = LiveChartAxis { log: true, ..LiveChartAxis::new("worst error over length", "") };
    LiveChart { name: "Residual per sweep", x, y, curves, marks: Vec::new(), function: true }
}
