//! Study of numerical damping and period error. Curves show the theory for every lane's integrator;
//! dots show measured modes of the scene.

use super::computation::{Computation, quiet_text_ui, title_of};
use crate::analysis::job::{Cancelled, JobPool, Work};
use crate::analysis::vibration::damping::DAMPING_RATIO;
use crate::analysis::{IntegratorDissipation, ModalScene};
use crate::app::charts::{study_chart_ui, to_rgb};
use crate::app::laboratory::Laboratory;
use crate::app::plots::save_ui;
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::export::damping_charts::{LEAST_RATIO, damping_charts, draw_damping};
use crate::simulation::settings::Settings;
use egui_macroquad::egui::{Response, Ui};
use egui_plot::Corner;
use itertools::Itertools;

const MODES: usize = 12;
/// Assumed step in seconds of lanes that take one step per frame: a frame at 60 Hz.
const FRAME: f64 = 1.0 / 60.0;

#[derive(Default)]
pub struct DampingStudy {
    computation: Computation<(), DampingResults>,
    results: Option<DampingResults>,
}

struct DampingResults {
    /// For each lane: its colour number, and its integrator's theoretical curve and measured modes.
    schemes: Vec<(usize, IntegratorDissipation)>,
    /// True if modes of the scene can be measured.
    has_modes: bool,
}

impl DampingStudy {
    pub fn damping_ui(&mut self, ui: &mut Ui, pool: &JobPool, laboratory: &Laboratory) {
        quiet_text_ui(
            ui,
            "Hughes' algorithmic damping ratio and the period error of each lane's integrator for \
            an undamped vibration, against dt / period. Lines: theory. Dots: modes of this scene, \
            excited one by one, without the scene's dampers and with springs as links.",
        )
        .on_hover_text(DAMPING_RATIO);
        if self.computation.begin_ui(ui, "damping") {
            self.start(pool, laboratory);
        }
        if let Some(results) = self.computation.take_result() {
            self.results = Some(results);
        }
        let Some(results) = &self.results else { return };
        let scene = &laboratory.session().scene().name;
        let drawing = || {
            let schemes = results.schemes.iter().map(|(_, scheme)| scheme);
            Some(draw_damping(
                schemes,
                &format!("ropelab · {scene}; dots: measured modes of the scene"),
            ))
        };
        ui.horizontal(|ui| save_ui(ui, "damping: ", "damping", drawing));
        count_ui(ui, results).marked("damping: measured");
        undrawn_ui(ui, results);
        charts_ui(ui, results);
    }

    fn start(&mut self, pool: &JobPool, laboratory: &Laboratory) {
        let mut lanes: Vec<(usize, Settings)> = Vec::new();
        for lane in laboratory.session().lanes() {
            let settings = *lane.simulation.settings();
            let dt = if settings.stepping.uses_dt() { settings.dt } else { FRAME };
            lanes.push((lane.color, Settings { dt, ..settings }));
        }
        let parts = laboratory.session().scene().parts.clone();
        self.computation.begin(pool.start(move |work: &Work<()>| {
            work.expect(lanes.len() as u64);
            let modes = ModalScene::of(&parts);
            let scheme = |(color, settings): (usize, Settings)| {
                let mut scheme = IntegratorDissipation::of(&settings.integrator);
                if let Some(modes) = &modes {
                    scheme.modes = modes.measure(&settings, MODES, &|| work.check())?;
                }
                work.done(1).map(|()| (color, scheme))
            };
            let schemes = lanes.into_iter().map(scheme).collect::<Result<_, Cancelled>>()?;
            Ok(DampingResults { schemes, has_modes: modes.is_some() })
        }));
    }
}

/// Draws the number of measured modes, or the reason why no mode was measured.
fn count_ui(ui: &mut Ui, results: &DampingResults) -> Response {
    let dots = results.schemes.iter().map(|(_, scheme)| scheme.measured().count()).sum::<usize>();
    let text = match (results.has_modes, dots) {
        (false, _) => {
            "No dots: modes can be measured only in a scene that comes to rest and has links and \
            at most 150 free particles."
                .to_owned()
        }
        (true, 0) => {
            "No dots: no mode has a period of 2 to 200 steps, or the lanes explode.".to_owned()
        }
        (true, 1) => "1 mode measured.".to_owned(),
        (true, dots) => format!("{dots} modes measured in all lanes together."),
    };
    quiet_text_ui(ui, &text)
}

/// Names the integrators whose damping is zero or negative, which a logarithmic axis cannot show.
fn undrawn_ui(ui: &mut Ui, results: &DampingResults) {
    let all = |what: fn(f64) -> bool| {
        let schemes = results.schemes.iter().map(|(_, scheme)| scheme);
        let is_such =
            |scheme: &&IntegratorDissipation| scheme.curve.iter().all(|at| what(at.damping_ratio));
        schemes.filter(is_such).map(|scheme| title_of(scheme.integrator)).unique().join(", ")
    };
    let none = all(|ratio| ratio.abs() <= LEAST_RATIO);
    let negative = all(|ratio| ratio < -LEAST_RATIO);
    for (which, why) in [(none, "no damping"), (negative, "below 0: vibrations grow")] {
        if !which.is_empty() {
            quiet_text_ui(
                ui,
                &format!(
                    "Not drawn in the chart of damping ratios: {which} \
                ({why})."
                ),
            );
        }
    }
}

/// Draws the chart of damping ratios above the chart of period errors.
fn charts_ui(ui: &mut Ui, results: &DampingResults) {
    let height = ((ui.available_height() - 12.0) / 2.0).max(140.0);
    let charts = damping_charts(results.schemes.iter().map(|(_, scheme)| scheme));
    for (mut chart, legend) in charts.into_iter().zip([Corner::LeftTop, error_legend(results)]) {
        let schemes = results.schemes.iter().cycle();
        for (curve, (color, scheme)) in chart.curves.iter_mut().zip(schemes) {
            curve.name = title_of(scheme.integrator).into();
            curve.colour = to_rgb(theme::lane_color(*color));
        }
        study_chart_ui(ui, &chart, height, legend);
    }
}

/// Returns the corner that is free in the chart of period errors: all curves begin at 0 on the
/// left, then rise or fall.
fn error_legend(results: &DampingResults) -> Corner {
    let curves = results.schemes.iter().flat_map(|(_, scheme)| &scheme.curve);
    let [down, up] = curves
        .fold([0.0_f64; 2], |[down, up], at| [down.max(-at.period_error), up.max(at.period_error)]);
    if down > up { Corner::LeftBottom } else { Corner::LeftTop }
}
