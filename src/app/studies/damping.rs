//! The study of numerical damping and period error: theoretical curves of every lane's integrator,
//! and measured modes of the scene as dots.

use super::{Computation, picture_ui, quiet, title_of};
use crate::analysis::job::{Cancelled, JobPool, Work};
use crate::analysis::vibration::damping::{Dissipation, LONGEST_STEP, SHORTEST_STEP};
use crate::analysis::{MEASURING_ERROR, ModalScene, SchemeDissipation};
use crate::app::graph::power_text;
use crate::app::input::actions::Action;
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::widgets::marks::mark;
use crate::export::damping_figure::damping_figure;
use crate::simulation::settings::Settings;
use egui_macroquad::egui::{Response, Ui};
use egui_plot::{Corner, GridMark, Legend, Line, Plot, PlotPoints, Points};

/// Modes of the scene that are measured for each lane.
const MODES: usize = 12;
/// A frame, where frames decide the step.
const FRAME: f64 = 1.0 / 60.0;
/// Damping ratios below this are not drawn.
const LEAST_RATIO: f64 = 1e-7;

/// Numerical damping of the lanes.
#[derive(Default)]
pub struct DampingStudy {
    computation: Computation<(), Study>,
    study: Option<Study>,
}

/// One of the two plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DampingPlot {
    DampingRatio,
    PeriodError,
}

/// Result of the study.
struct Study {
    /// Curve and modes of every lane, with the colour of the lane.
    schemes: Vec<(usize, SchemeDissipation)>,
    /// The scene has modes that can be measured.
    has_modes: bool,
}

impl DampingStudy {
    pub fn damping_ui(
        &mut self,
        ui: &mut Ui,
        pool: &JobPool,
        laboratory: &Laboratory,
        actions: &mut Vec<Action>,
    ) {
        quiet(
            ui,
            "Damping and period error that each lane's integrator gives an undamped vibration, \
             against dt over its period. Lines: theory. Dots: modes of this scene, excited one by \
             one without its own dampers and with links as springs.",
        );
        if self.computation.measure_ui(ui, "damping") {
            self.start(pool, laboratory);
        }
        if let Some(study) = self.computation.result() {
            self.study = Some(study);
        }
        let Some(study) = &self.study else { return };
        let scene = &laboratory.session().scene().name;
        let figure = || {
            let schemes = study.schemes.iter().map(|(_, scheme)| scheme);
            Some(damping_figure(schemes, &format!("ropelab · {scene}; dots: its modes, measured")))
        };
        ui.horizontal(|ui| picture_ui(ui, "damping", figure, actions));
        mark(&count_ui(ui, study), "damping: measured");
        undrawn_ui(ui, study);
        let height = ((ui.available_height() - 12.0) / 2.0).max(140.0);
        plot_ui(ui, study, height, DampingPlot::DampingRatio);
        plot_ui(ui, study, height, DampingPlot::PeriodError);
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
                let mut scheme = SchemeDissipation::of(&settings.integrator);
                if let Some(modes) = &modes {
                    scheme.modes = modes.measure(&settings, MODES, &|| work.check())?;
                }
                work.done(1).map(|()| (color, scheme))
            };
            let schemes = lanes.into_iter().map(scheme).collect::<Result<_, Cancelled>>()?;
            Ok(Study { schemes, has_modes: modes.is_some() })
        }));
    }
}

/// Shows the number of measured modes, or why there are none.
fn count_ui(ui: &mut Ui, study: &Study) -> Response {
    let dots = study.schemes.iter().map(|(_, scheme)| scheme.measured().count()).sum::<usize>();
    let text = match (study.has_modes, dots) {
        (false, _) => {
            "No dots: modes can be measured where a scene comes to rest and has links and at most \
             150 free particles."
                .to_owned()
        }
        (true, 0) => {
            "No dots: no mode has a period of 2 to 200 steps, or the lanes explode.".to_owned()
        }
        (true, 1) => "1 mode measured.".to_owned(),
        (true, dots) => format!("{dots} modes measured, of all lanes together."),
    };
    quiet(ui, &text)
}

/// Schemes of which the logarithm has nothing to show.
fn undrawn_ui(ui: &mut Ui, study: &Study) {
    let all = |what: fn(f64) -> bool| {
        let schemes = study.schemes.iter().map(|(_, scheme)| scheme);
        let is_such =
            |scheme: &&SchemeDissipation| scheme.curve.iter().all(|at| what(at.damping_ratio));
        schemes
            .filter(is_such)
            .map(|scheme| title_of(scheme.integrator))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let none = all(|ratio| ratio.abs() <= LEAST_RATIO);
    let feeds = all(|ratio| ratio < -LEAST_RATIO);
    for (which, why) in [(none, "no damping"), (feeds, "below 0: vibrations are fed")] {
        if !which.is_empty() {
            quiet(ui, &format!("Not among the damping ratios: {which} ({why})."));
        }
    }
}

impl DampingPlot {
    fn label(self) -> &'static str {
        match self {
            Self::DampingRatio => "damping ratio",
            Self::PeriodError => "period error in %",
        }
    }

    /// Corner for the legend that the curves leave free: period errors begin at 0 on the left.
    fn legend(self, study: &Study) -> Corner {
        let curves = study.schemes.iter().flat_map(|(_, scheme)| &scheme.curve);
        let [down, up] = curves.fold([0.0_f64; 2], |[down, up], at| {
            [down.max(-at.period_error), up.max(at.period_error)]
        });
        match self {
            Self::PeriodError if down > up => Corner::LeftBottom,
            _ => Corner::LeftTop,
        }
    }

    /// Height of a point in the plot: log₁₀ of the damping ratio, or the period error in percent;
    /// `None` for a ratio too small to draw.
    fn height(self, at: &Dissipation) -> Option<f64> {
        match self {
            Self::DampingRatio => {
                (at.damping_ratio > LEAST_RATIO).then(|| at.damping_ratio.log10())
            }
            Self::PeriodError => Some(100.0 * at.period_error),
        }
    }

    /// True if a measured dot is more than the error of measuring.
    fn tells(self, measured: &Dissipation) -> bool {
        self == Self::PeriodError || measured.damping_ratio > MEASURING_ERROR
    }

    fn mark(self, mark: GridMark) -> String {
        match self {
            Self::DampingRatio => power_text(mark.value, ""),
            Self::PeriodError if mark.value == 0.0 => "0".to_owned(),
            Self::PeriodError => format!("{:+}", mark.value),
        }
    }

    fn text(self, height: f64) -> String {
        match self {
            Self::DampingRatio => format!("damping ratio {:.3e}", 10f64.powf(height)),
            Self::PeriodError => format!("period error {height:+.3} %"),
        }
    }
}

/// One of the two against the logarithm of step over period.
fn plot_ui(ui: &mut Ui, study: &Study, height: f32, shown: DampingPlot) {
    let plot = Plot::new(("damping", shown.label()))
        .height(height)
        .legend(Legend::default().position(shown.legend(study)))
        .x_axis_label("dt over period")
        .y_axis_label(shown.label())
        .include_x(SHORTEST_STEP.log10())
        .include_x(LONGEST_STEP.log10())
        .x_axis_formatter(|mark: GridMark, _: &_| power_text(mark.value, ""))
        .y_axis_formatter(move |mark: GridMark, _: &_| shown.mark(mark))
        .allow_drag(false)
        .allow_scroll(false)
        .label_formatter(move |name, point| {
            let x = 10f64.powf(point.x);
            format!("{name}\ndt over period {x:.4}\n{}", shown.text(point.y))
        });
    let point = |at: &Dissipation| Some([at.step_over_period.log10(), shown.height(at)?]);
    plot.show(ui, |plot| {
        for (color, scheme) in &study.schemes {
            let color = theme::lane_color(*color);
            let line: Vec<[f64; 2]> = scheme.curve.iter().filter_map(point).collect();
            let told = |at: &&Dissipation| shown.tells(at);
            let dots: Vec<[f64; 2]> = scheme.measured().filter(told).filter_map(point).collect();
            let name = title_of(scheme.integrator);
            plot.line(Line::new(PlotPoints::from(line)).name(name).color(color).width(1.8));
            plot.points(Points::new(PlotPoints::from(dots)).name(name).color(color).radius(3.5));
        }
    });
}
