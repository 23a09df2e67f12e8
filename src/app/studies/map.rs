//! The stability map of the selected lane.

use super::super::actions::Action;
use super::super::laboratory::Laboratory;
use super::super::quantity::si_tight;
use super::super::report::mark;
use super::super::theme;
use super::{progress_ui, quiet};
use crate::analysis::job::{Job, JobPool};
use crate::analysis::map::{Axis, Cell, Line, MapPlan, Quantity, Shown, Subject};
use crate::export::shade::{key, shade};
use crate::simulation::settings::{Command, Settings};
use egui_macroquad::egui::{self, Color32, ColorImage, TextureHandle, TextureOptions, Ui};
use egui_plot::{GridMark, HLine, Plot, PlotImage, PlotPoint, Points, VLine};

/// Cells along each axis.
const CELLS: u32 = 64;
/// Seconds of a run and greatest stretch that holds, where a solver holds the links.
const STRETCH: Shown = Shown::Stretch { duration: 1.0, most: 0.1 };
/// From the shortest to the longest step.
const STEPS: [f64; 2] = [1e-4, 1e-1];

/// What is varied upwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Upwards {
    #[default]
    Stiffness,
    Damping,
    MassRatio,
    Sweeps,
    Substeps,
}

impl Upwards {
    const ALL: [Self; 5] =
        [Self::Stiffness, Self::Damping, Self::MassRatio, Self::Sweeps, Self::Substeps];

    fn name(self) -> &'static str {
        match self {
            Self::Stiffness => "stiffness",
            Self::Damping => "damping",
            Self::MassRatio => "mass ratio",
            Self::Sweeps => "sweeps",
            Self::Substeps => "substeps",
        }
    }

    /// The axis around what the scene has now, and where it is now.
    fn axis(self, laboratory: &Laboratory, settings: &Settings) -> (Quantity, [f64; 2], f64) {
        let links = &laboratory.session().scene().parts.mesh.links;
        let around = |value: f64, factor: f64| [value / factor, value * factor];
        match self {
            Self::Stiffness => {
                let now = links.iter().map(|link| link.stiffness).fold(0.0, f64::max).max(1e-6);
                (Quantity::Stiffness, around(now, 1000.0), now)
            }
            Self::Damping => {
                let now = links.iter().map(|link| link.damping).fold(0.0, f64::max);
                let middle = if now > 0.0 { now } else { 1.0 };
                (Quantity::Damping, around(middle, 1000.0), now)
            }
            Self::MassRatio => (Quantity::MassRatio, [1.0, 1000.0], f64::NAN),
            Self::Sweeps => {
                let now = settings.solver().iterations().map_or(f64::NAN, f64::from);
                (Quantity::Iterations, [1.0, 200.0], now)
            }
            Self::Substeps => (Quantity::Substeps, [1.0, 100.0], f64::from(settings.substeps)),
        }
    }
}

/// What a map was made for: another wish makes another map.
#[derive(Clone, Debug, PartialEq)]
struct Wish {
    settings: Settings,
    upwards: Upwards,
}

/// The map of the selected lane, computed anew when its settings change.
#[derive(Default)]
pub struct MapStudy {
    upwards: Upwards,
    wish: Option<Wish>,
    plan: Option<MapPlan>,
    job: Option<Job<Line, Vec<Line>>>,
    lines: Vec<Option<Line>>,
    problem: Option<String>,
    texture: Option<TextureHandle>,
    stale: bool,
}

impl MapStudy {
    pub fn map_ui(
        &mut self,
        ui: &mut Ui,
        pool: &JobPool,
        laboratory: &Laboratory,
        actions: &mut Vec<Action>,
    ) {
        let settings = *laboratory.selected().simulation.settings();
        ui.horizontal_wrapped(|ui| {
            ui.label("dt against");
            for upwards in Upwards::ALL {
                let is_there = upwards != Upwards::Sweeps || !settings.solver().is_none();
                let button = egui::SelectableLabel::new(self.upwards == upwards, upwards.name());
                let button = ui.add_enabled(is_there, button);
                mark(&button, format_args!("map: {}", upwards.name()));
                if button.clicked() {
                    self.upwards = upwards;
                }
            }
        });
        let settings_but_dt = Settings { dt: 1e-3, ..settings };
        let wish = Wish { settings: settings_but_dt, upwards: self.upwards };
        if self.wish.as_ref() != Some(&wish) {
            self.start(pool, laboratory, wish);
        }
        self.listen();
        if let Some(problem) = &self.problem {
            ui.colored_label(theme::WARNING, problem);
            return;
        }
        let lane = laboratory.selected();
        let title = lane.simulation.settings().integrator.info().title;
        quiet(
            ui,
            match self.plan.as_ref().map(|plan| plan.shown) {
                Some(Shown::Stretch { .. }) => {
                    "Colour: how far the longest link stretches in one second from the start."
                }
                _ => "Colour: how fast a tiny push on the resting scene grows, each step.",
            },
        );
        quiet(ui, &format!("Lane {}, {title}. Click a cell: the lane takes its dt.", lane.name));
        self.plot_ui(ui, laboratory, &settings, actions);
        self.legend_ui(ui);
        if let Some(job) = &self.job {
            if progress_ui(ui, job) {
                self.job = None;
            }
        } else if ui.button("Compute again").clicked() {
            self.wish = None;
        }
    }

    fn start(&mut self, pool: &JobPool, laboratory: &Laboratory, wish: Wish) {
        // Dropping the job before ends it at its next slice.
        *self = Self { upwards: self.upwards, texture: self.texture.take(), ..Self::default() };
        let (quantity, range, _) = wish.upwards.axis(laboratory, &wish.settings);
        let springs = wish.settings.solver().is_none();
        let axes = Axis::new(Quantity::Dt, STEPS, CELLS)
            .and_then(|x| Axis::new(quantity, range, CELLS).map(|y| (x, y)));
        self.wish = Some(wish.clone());
        let (x, y) = match axes {
            Ok(axes) => axes,
            Err(error) => {
                self.problem = Some(error.to_string());
                return;
            }
        };
        let plan = MapPlan {
            x,
            y,
            integrators: vec![wish.settings.integrator],
            shown: if springs { Shown::Growth } else { STRETCH },
            boundary: false,
        };
        let parts = laboratory.session().scene().parts.clone();
        let subject = Subject { parts, settings: wish.settings, file: None, lane: 0 };
        if let Err(error) = plan.check(&subject) {
            self.problem = Some(error.to_string());
            return;
        }
        self.lines = vec![None; plan.lines()];
        self.plan = Some(plan.clone());
        self.job = Some(pool.start(move |work| plan.compute(&subject, (0, 1), work)));
        self.stale = true;
    }

    fn listen(&mut self) {
        let Some(job) = &mut self.job else { return };
        for line in job.partials() {
            let number = line.number;
            self.lines[number] = Some(line);
            self.stale = true;
        }
        match job.result() {
            None => {}
            Some(Ok(_)) => self.job = None,
            Some(Err(error)) => {
                self.problem = Some(error.to_string());
                self.job = None;
            }
        }
    }

    /// The cell in a column and row from below; of a line that is not there yet, that of the
    /// nearest line below.
    fn cell(&self, column: usize, row: usize) -> Option<Cell> {
        let plan = self.plan.as_ref()?;
        let (line, cell) = if plan.by_columns() { (column, row) } else { (row, column) };
        self.lines[..=line].iter().rev().flatten().next().map(|line| line.cells[cell])
    }

    fn paint(&mut self, ui: &Ui) {
        let Some(plan) = &self.plan else { return };
        if !std::mem::take(&mut self.stale) && self.texture.is_some() {
            return;
        }
        let count = CELLS as usize;
        let colour = |i: usize| match self.cell(i % count, count - 1 - i / count) {
            Some(cell) => {
                let [r, g, b] = shade(plan.shown, &cell);
                Color32::from_rgb(r, g, b)
            }
            None => theme::PANEL,
        };
        let pixels = (0..count * count).map(colour).collect();
        let image = ColorImage { size: [count, count], pixels };
        match &mut self.texture {
            Some(texture) => texture.set(image, TextureOptions::NEAREST),
            None => {
                let texture = ui.ctx().load_texture("map", image, TextureOptions::NEAREST);
                self.texture = Some(texture);
            }
        }
    }

    fn plot_ui(
        &mut self,
        ui: &mut Ui,
        laboratory: &Laboratory,
        settings: &Settings,
        actions: &mut Vec<Action>,
    ) {
        self.paint(ui);
        let (Some(plan), Some(texture)) = (&self.plan, &self.texture) else { return };
        // Both axes are logarithmic: coordinates of the plot are powers of ten.
        let (x, y) = (&plan.x, &plan.y);
        let (left, right) = (x.from.log10(), x.to.log10());
        let (low, high) = (y.from.log10(), y.to.log10());
        let (_, _, now) = self.upwards.axis(laboratory, settings);
        let height = (ui.available_height() - 74.0).max(180.0);
        let unit = |text: &'static str| move |mark: GridMark, _: &_| tick(mark.value, text);
        let plot = Plot::new("map")
            .height(height)
            .show_grid(false)
            .allow_drag(false)
            .allow_zoom(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_double_click_reset(false)
            .include_x(left)
            .include_x(right)
            .include_y(low)
            .include_y(high)
            .set_margin_fraction(egui::Vec2::ZERO)
            .x_grid_spacer(decades)
            .y_grid_spacer(decades)
            .x_axis_label("dt")
            .y_axis_label(y.quantity.label())
            .x_axis_formatter(unit("s"))
            .y_axis_formatter(unit(""))
            .show_x(false)
            .show_y(false);
        let response = plot.show(ui, |plot| {
            let centre = PlotPoint::new(0.5 * (left + right), 0.5 * (low + high));
            let size = [(right - left) as f32, (high - low) as f32];
            plot.image(PlotImage::new(texture, centre, size));
            let colour = theme::lane_color(laboratory.selected().color);
            let edge = Color32::from_black_alpha(190);
            plot.vline(VLine::new(settings.dt.log10()).name("this lane").color(edge).width(1.0));
            if now.is_finite() && now > 0.0 {
                plot.hline(HLine::new(now.log10()).name("this lane").color(edge).width(1.0));
                let here = || vec![[settings.dt.log10(), now.log10()]];
                plot.points(Points::new(here()).name("this lane").radius(6.0).color(edge));
                plot.points(Points::new(here()).name("this lane").radius(4.0).color(colour));
            }
            plot.pointer_coordinate()
        });
        let Some(pointer) = response.inner.filter(|_| response.response.hovered()) else { return };
        let cell_of = |value: f64, from: f64, to: f64| {
            let share = (value - from) / (to - from) * f64::from(CELLS);
            (0.0..f64::from(CELLS)).contains(&share).then_some(share as u32)
        };
        let (Some(column), Some(row)) =
            (cell_of(pointer.x, left, right), cell_of(pointer.y, low, high))
        else {
            return;
        };
        let (dt, value) = (x.value(column), y.value(row));
        let says = match self.cell(column as usize, row as usize) {
            None => "not computed yet".to_owned(),
            Some(cell) => in_words(plan.shown, cell),
        };
        let text = format!("dt {}, {} {value:.4}\n{says}", si_tight(dt, "s"), self.upwards.name());
        if response.response.clicked() {
            let mut settings = Settings { dt, ..*settings };
            match self.upwards {
                Upwards::Sweeps => settings.constraints.set_iterations(value as u32),
                Upwards::Substeps => settings.substeps = value as u32,
                Upwards::Stiffness | Upwards::Damping | Upwards::MassRatio => {}
            }
            let lane = laboratory.selected_index();
            actions.push(Action::Give(Command::Configure { lane, settings }));
            actions.push(Action::Reset);
        }
        response.response.on_hover_text_at_pointer(text);
    }

    fn legend_ui(&self, ui: &mut Ui) {
        let Some(plan) = &self.plan else { return };
        ui.horizontal_wrapped(|ui| {
            for (name, [r, g, b]) in key(plan.shown) {
                let (place, _) =
                    ui.allocate_exact_size(egui::vec2(14.0, 10.0), egui::Sense::hover());
                ui.painter().rect_filled(place, 2.0, Color32::from_rgb(r, g, b));
                ui.label(name);
            }
        });
    }
}

fn in_words(shown: Shown, cell: Cell) -> String {
    let Cell { value, holds } = cell;
    match shown {
        _ if value.is_nan() => "not computed".to_owned(),
        _ if value == f64::INFINITY => "explodes".to_owned(),
        Shown::Growth if holds => format!("stable: a push changes by a factor {value:.4} a step"),
        Shown::Growth => format!("unstable: a push grows {value:.4}-fold a step"),
        Shown::Stretch { .. } => format!("stretches by {:.2} %", 100.0 * value),
    }
}

/// Marks at powers of ten.
fn decades(input: egui_plot::GridInput) -> Vec<GridMark> {
    let (from, to) = input.bounds;
    (from.ceil() as i32..=to.floor() as i32)
        .map(|decade| GridMark { value: f64::from(decade), step_size: 1.0 })
        .collect()
}

fn tick(power: f64, unit: &str) -> String {
    si_tight(10f64.powf(power), unit)
}
