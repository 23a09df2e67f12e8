//! Section of the panel that is always visible: integrator, time step, stepping, frame clamp and
//! solver of the selected lane.
//!
//! The height of the section stays constant while a scene runs.

use super::fields::{
    Entry, FieldHelp, count_ui, fixed_number_ui, list_ui, quiet_ui, row_ui, typed_ui,
};
use super::integrator::{entry_of, published_facts, published_sentences};
use super::time_and_frames::guards::clamp_ui;
use crate::app::answers::{Answers, limit_ui};
use crate::app::input::actions::{Action, LaneAction, RequestActions};
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::widgets::lines_ui;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::swatch_ui;
use crate::constraint::ConstraintSolver;
use crate::integrate::Method;
use crate::names::CatalogueEntry;
use crate::quantity::magnitude::rounded;
use crate::quantity::on_screen::si_tight;
use crate::quantity::reading::read_step;
use crate::simulation::settings::{LinkMode, Settings};
use crate::simulation::timing::stepper::{FrameSubsteps, LONGEST_DT, SHORTEST_DT, Stepping};
use egui_macroquad::egui::{self, Slider, Ui};
use std::mem::discriminant;
use std::ops::RangeInclusive;

const INTEGRATOR: FieldHelp = FieldHelp {
    label: "integrator",
    unit: "",
    text: "Rule that advances positions and velocities by one step. Change it while you drag the \
        rope and watch whether the energy grows, decays or stays constant.",
    source: "Keys 1 to 8 · Hairer, Lubich and Wanner 2006, Geometric Numerical Integration",
};
const DT: FieldHelp = FieldHelp {
    label: "time step",
    unit: "s",
    text: "Simulated time of one step. Drag the slider into the red and watch the fastest \
        vibration of the scene grow until the lane explodes.",
    source: "D halves it, Shift+D doubles it; type 1 ms, 1e-3 or 240 Hz · Courant, Friedrichs and \
             Lewy 1928",
};
const SLIDER: FieldHelp = FieldHelp {
    label: "dt slider",
    unit: "s",
    text: "Time step from 10 µs to 0.1 s on a logarithmic scale: equal distances are equal \
        ratios. The band is red where a step is so long that the lane would explode.",
    source: "D halves it, Shift+D doubles it",
};
const FRAME_PARTS: FieldHelp = FieldHelp {
    label: "parts a frame",
    unit: "steps",
    text: "Number of equal steps into which each frame is divided. Watch the step length vary \
        from frame to frame as the frame time does.",
    source: "article B, NumSimulationStepsPerFrame",
};
const STEPPING: FieldHelp = FieldHelp {
    label: "stepping",
    unit: "",
    text: "Rule that divides the uneven frame times into steps. Choose a rule that throws \
        remainders away and watch the lane's time fall behind.",
    source: "Fiedler 2004, Fix Your Timestep!",
};
const SOLVER: FieldHelp = FieldHelp {
    label: "solver",
    unit: "",
    text: "Without a solver, links are springs. A solver instead corrects the lengths of links in \
        each substep: watch the stretch fall and the limit on dt disappear.",
    source: "Provot 1995; Jakobsen 2001, Advanced Character Physics",
};
const SWEEPS: FieldHelp = FieldHelp {
    label: "sweeps",
    unit: "a substep",
    text: "Passes of the solver over all links in a substep. A correction travels along a rope \
        from link to link, so with few sweeps watch a long rope stretch.",
    source: "Keys 9 and 0 · Jakobsen 2001, Advanced Character Physics",
};
const SUBSTEPS: FieldHelp = FieldHelp {
    label: "substeps",
    unit: "parts of a step",
    text: "Equal parts of a step, each integrated and projected separately. A rope stretches less \
        with ten substeps of one sweep than with one step of ten sweeps.",
    source: "Macklin et al. 2019, Small Steps in Physics Simulation",
};

const SLIDER_RANGE: RangeInclusive<f64> = 1e-5..=0.1;
const MOST_SWEEPS: u32 = 100_000;

pub fn basics_ui(ui: &mut Ui, settings: &mut Settings, laboratory: &Laboratory, answers: &Answers) {
    lane_ui(ui, laboratory);
    integrator_ui(ui, settings, laboratory, answers);
    step_ui(ui, settings, laboratory, answers);
    stepping_ui(ui, &mut settings.stepping);
    clamp_ui(ui, &mut settings.guards.frame_clamp);
    solver_ui(ui, settings);
    sweeps_ui(ui, settings);
    row_ui(ui, &SUBSTEPS, |ui| count_ui(ui, &mut settings.substeps, 1..=1000));
}

/// Draws the text field for the name of the selected lane.
fn lane_ui(ui: &mut Ui, laboratory: &Laboratory) {
    let lane = laboratory.selected();
    ui.horizontal(|ui| {
        swatch_ui(ui, lane.color);
        let mut name = lane.name.clone();
        let field = egui::TextEdit::singleline(&mut name).char_limit(60);
        let field = ui.add(field.desired_width(ui.available_width() - 8.0)).marked("lane name");
        let tip = "Name of the selected lane, whose settings are below. Type to rename the lane.";
        if field.changed() {
            ui.request(Action::Lane(LaneAction::Rename(lane.color, name)));
        }
        if field.lost_focus() {
            ui.request(Action::Lane(LaneAction::CompleteName(lane.color)));
        }
        field.on_hover_text(tip);
    });
}

fn integrator_ui(ui: &mut Ui, settings: &mut Settings, laboratory: &Laboratory, answers: &Answers) {
    row_ui(ui, &INTEGRATOR, |ui| {
        let (now, shown) =
            (settings.integrator.info().name, short_integrator(&settings.integrator));
        let entries = || Method::all().map(entry_of).collect();
        list_ui(ui, "integrator", now, shown, &mut settings.integrator, entries)
    });
    let limit = answers.limit(laboratory.selected().color);
    let about = (&settings.integrator.info(), &settings.solver());
    lines_ui(ui, &published_facts(about.0, about.1, limit), theme::accent(), 1)
        .marked("published")
        .on_hover_ui(|ui| {
            ui.label(published_sentences(about.0, about.1, limit));
        });
}

/// Draws the time step, its slider and its limit. If frames determine the step, the rows are
/// disabled but keep their height.
fn step_ui(ui: &mut Ui, settings: &mut Settings, laboratory: &Laboratory, answers: &Answers) {
    let uses_dt = settings.stepping.uses_dt();
    match &mut settings.stepping {
        Stepping::FrameSubsteps(FrameSubsteps { n }) => {
            row_ui(ui, &FRAME_PARTS, |ui| count_ui(ui, n, 1..=1000));
        }
        _ if uses_dt => {
            row_ui(ui, &DT, |ui| dt_ui(ui, &mut settings.dt));
        }
        _ => {
            row_ui(ui, &DT, |ui| fixed_number_ui(ui, "frame".to_owned()));
        }
    }
    ui.add_enabled_ui(uses_dt, |ui| {
        let slider = slider_ui(ui, &mut settings.dt);
        limit_ui(ui, &slider, SLIDER_RANGE, uses_dt, answers, laboratory);
    });
}

/// Draws the field of the time step, and the steps per second beside it.
fn dt_ui(ui: &mut Ui, dt: &mut f64) -> egui::Response {
    let rate = format!("= {}", si_tight(1.0 / *dt, "Hz"));
    let field = typed_ui(ui, dt, SHORTEST_DT..=LONGEST_DT, "s", read_step);
    quiet_ui(ui, &rate);
    field
}

fn slider_ui(ui: &mut Ui, dt: &mut f64) -> egui::Response {
    ui.spacing_mut().slider_width = ui.available_width();
    // A slider would clamp a value outside its range to the nearest end.
    let mut shown = dt.clamp(*SLIDER_RANGE.start(), *SLIDER_RANGE.end());
    let slider = ui.add(Slider::new(&mut shown, SLIDER_RANGE).logarithmic(true).show_value(false));
    let slider = SLIDER.with_tooltip(slider);
    if slider.dragged() || slider.clicked() || (slider.has_focus() && slider.changed()) {
        // Dragging rounds values to two digits.
        *dt = rounded(shown, 2);
    }
    slider
}

fn stepping_ui(ui: &mut Ui, stepping: &mut Stepping) {
    row_ui(ui, &STEPPING, |ui| {
        let (now, shown) = (stepping.info().name, short_stepping(stepping));
        let entries = || Stepping::all().map(|it| Entry::of(it, it.info())).collect();
        list_ui(ui, "stepping", now, shown, stepping, entries)
    });
}

fn solver_ui(ui: &mut Ui, settings: &mut Settings) {
    row_ui(ui, &SOLVER, |ui| {
        let entry = |value: ConstraintSolver| {
            Entry::of(value, CatalogueEntry { title: solver_title(&value), ..value.info() })
        };
        let mut solver = settings.solver();
        let (now, shown) = (solver.info().name, short_solver(&solver));
        let entries = || ConstraintSolver::all().map(entry).collect();
        let list = list_ui(ui, "solver", now, shown, &mut solver, entries);
        if discriminant(&solver) != discriminant(&settings.solver()) {
            choose_solver(settings, solver);
        }
        list
    });
}

/// Returns a title of an integrator that fits into the closed list. The open list and the tooltip
/// show the full title.
fn short_integrator(integrator: &Method) -> &'static str {
    match integrator {
        Method::SymplecticEulerPositionFirst => "Euler, position first",
        other => without_parenthesis(other.info().title),
    }
}

/// Returns a title of a stepping scheme that fits into the closed list.
fn short_stepping(stepping: &Stepping) -> &'static str {
    match stepping {
        Stepping::DiscardRemainder => "remainder thrown away",
        Stepping::Interpolated => "interpolated",
        Stepping::RenderTick => "with render tick",
        Stepping::Extrapolated => "extrapolated",
        Stepping::FrameCoupled
        | Stepping::FixedPerFrame
        | Stepping::FrameSubsteps(_)
        | Stepping::Accumulator => without_parenthesis(stepping.info().title),
    }
}

/// Returns a title of a solver that fits into the closed list.
fn short_solver(solver: &ConstraintSolver) -> &'static str {
    if solver.is_none() { solver_title(solver) } else { solver.short_name() }
}

fn without_parenthesis(title: &str) -> &str {
    title.split(" (").next().unwrap_or(title)
}

fn solver_title(solver: &ConstraintSolver) -> &'static str {
    if solver.is_none() { "none: links are springs" } else { solver.info().title }
}

/// Sets the solver. If the chosen solver is already set, its parameters stay. "None" turns the
/// links into springs and keeps the solver for later.
fn choose_solver(settings: &mut Settings, solver: ConstraintSolver) {
    if solver.is_none() {
        settings.links = LinkMode::Springs;
        return;
    }
    settings.links = LinkMode::Constraints;
    if discriminant(&settings.constraints) != discriminant(&solver) {
        settings.constraints = solver;
    }
}

fn sweeps_ui(ui: &mut Ui, settings: &mut Settings) {
    let sweeps = settings.solver().iterations();
    row_ui(ui, &SWEEPS, |ui| match sweeps {
        Some(mut sweeps) => {
            let field = count_ui(ui, &mut sweeps, 1..=MOST_SWEEPS);
            if field.changed() {
                settings.constraints.set_iterations(sweeps);
            }
            field
        }
        None => fixed_number_ui(ui, "none".to_owned()),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::Xpbd;

    #[test]
    fn what_is_chosen_fits_into_its_list() {
        use egui::{Color32, Context, TextStyle};
        let ctx = Context::default();
        theme::apply(&ctx);
        let _ = ctx.run(egui::RawInput::default(), |_| ());
        let room = {
            let style = ctx.style();
            let spacing = &style.spacing;
            let list = super::super::TEXT_WIDTH - super::super::fields::LABEL_WIDTH;
            let around = 2.0 * spacing.button_padding.x + 2.0 * spacing.item_spacing.x;
            list - around - spacing.icon_width
        };
        let integrators = Method::all().map(|method| short_integrator(&method));
        let steppings = Stepping::all().map(|stepping| short_stepping(&stepping));
        let solvers = ConstraintSolver::all().map(|solver| short_solver(&solver));
        let font = TextStyle::Button.resolve(&ctx.style());
        let is_cut = |title: &&str| {
            let (shown, font) = ((*title).to_owned(), font.clone());
            ctx.fonts(|fonts| fonts.layout_no_wrap(shown, font, Color32::WHITE)).size().x > room
        };
        let cut: Vec<&str> = integrators.chain(steppings).chain(solvers).filter(is_cut).collect();
        assert!(cut.is_empty(), "{cut:?}");
    }

    #[test]
    fn dragged_steps_are_round() {
        for (x, round) in [(1.234e-3, 1.2e-3), (0.0987, 0.099), (1e-5, 1e-5), (0.1, 0.1)] {
            assert!((rounded(x, 2) / round - 1.0).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn a_solver_that_is_chosen_again_has_its_parameters() {
        let mine = ConstraintSolver::Xpbd(Xpbd { iterations: 7, ..Xpbd::default() });
        let mut settings = Settings::default();
        choose_solver(&mut settings, mine);
        assert_eq!(settings.solver(), mine);
        choose_solver(&mut settings, ConstraintSolver::None);
        assert!(settings.solver().is_none());
        choose_solver(&mut settings, ConstraintSolver::Xpbd(Xpbd::default()));
        assert_eq!(settings.solver(), mine);
    }
}
