//! Chips: labels of the lanes in a viewport, with colour, name, integrator, dt, cost and verdict.
//! Lanes are the simulations of the scene that run side by side.

mod failure;
mod names;
mod separators;

pub use separators::separators;

use crate::analysis::in_words::{percent, percent_to, share_of};
use crate::app::answers::{Answers, SolverError};
use crate::app::input::actions::{Action, LaneAction, RequestActions};
use crate::app::laboratory::Laboratory;
use crate::app::scene_view::stage::{LOW_VIEWPORT, MOST_CHIPS, NARROW, Stage, ViewCell};
use crate::app::theme;
use crate::app::view::{LineStyle, lane_color_name, lane_style};
use crate::app::widgets::marks::Marked;
use crate::app::widgets::{digit_width, note_open_menu, pressed, swatch_ui};
use crate::constraint::Projection;
use crate::contact;
use crate::measure::{Balance, Extreme, Stretch};
use crate::numerics::state::SolveReport;
use crate::quantity::on_screen::{si_change, si_tight};
use crate::session::Lane;
use crate::simulation::Simulation;
use egui_macroquad::egui::{self, Align2, Color32, RichText, Sense, Stroke, Ui};
use failure::{FailureText, changed_settings_clause, failure_text};
use itertools::Itertools;
use names::{name_beside_verdict_ui, name_ui};

/// Smallest delay of a lane behind the session that its chip shows, in seconds.
const LATE_SECONDS: f64 = 0.25;
/// Smallest error that the tooltip shows, as a fraction of a link's length. A smaller error appears
/// as an upper bound.
const LEAST_FRACTION: f64 = 1e-5;

/// Widths in points reserved beside a chip: for the button *Why?* alone, and for both buttons about
/// an explosion.
const WHY_BUTTON: f32 = 64.0;
const BOTH_BUTTONS: f32 = 290.0;

const SEPARATOR: &str = " · ";

fn chips_id(viewport: usize) -> egui::Id {
    egui::Id::new(("chips", viewport))
}

pub fn chips_ui(ctx: &egui::Context, stage: &Stage, laboratory: &Laboratory, answers: &Answers) {
    let selected = laboratory.selected().color;
    for (index, cell) in stage.cells.iter().enumerate() {
        egui::Area::new(chips_id(index))
            .order(egui::Order::Background)
            .pivot(Align2::LEFT_TOP)
            .fixed_pos(cell.rect.min + egui::vec2(10.0, 8.0))
            .constrain(false)
            // `Sense::click()` would make the Tab key stop at the area of chips.
            .sense(Sense::CLICK)
            .show(ctx, |ui| {
                ui.set_clip_rect(cell.rect);
                ui.set_max_width(cell.rect.width() - 20.0);
                let is_low = cell.rect.height() < LOW_VIEWPORT;
                let is_one_line = cell.lanes.len() > MOST_CHIPS || is_low;
                ui.spacing_mut().item_spacing.y = if is_one_line { 0.0 } else { 3.0 };
                for lane in lanes_of(cell, laboratory) {
                    let has_many = is_one_line && cell.lanes.len() > 1;
                    let style = ChipStyle {
                        is_selected: lane.color == selected,
                        is_one_line,
                        has_buttons_beside: has_many,
                        has_card: answers.has_card(lane.color),
                        solver_error: answers.lasting_error(lane.color),
                    };
                    chip_ui(ui, lane, style, laboratory);
                }
            });
    }
}

fn lanes_of<'a>(cell: &ViewCell, laboratory: &'a Laboratory) -> impl Iterator<Item = &'a Lane> {
    let lanes = laboratory.session().lanes();
    cell.lanes.clone().into_iter().filter_map(|index| lanes.get(index))
}

#[derive(Clone, Copy)]
struct ChipStyle {
    is_selected: bool,
    /// True if the chip is a single line, because the viewport is low or has many lanes.
    is_one_line: bool,
    /// True if buttons about an explosion are beside the chip instead of below it, where other
    /// lanes have their chips.
    has_buttons_beside: bool,
    has_card: bool,
    solver_error: Option<SolverError>,
}

/// Draws the chip of a lane, and the buttons about its explosion if it has exploded.
fn chip_ui(ui: &mut Ui, lane: &Lane, style: ChipStyle, laboratory: &Laboratory) {
    if lane.simulation.explosion().is_none() {
        chip_frame_ui(ui, lane, style, 0.0, laboratory);
    } else if style.has_buttons_beside {
        let has_both = ui.available_width() >= NARROW;
        let taken = if has_both { BOTH_BUTTONS } else { WHY_BUTTON };
        ui.horizontal(|ui| {
            chip_frame_ui(ui, lane, style, taken, laboratory);
            explosion_buttons_ui(ui, lane, style.has_card, has_both);
        });
    } else {
        chip_frame_ui(ui, lane, style, 0.0, laboratory);
        ui.horizontal_wrapped(|ui| explosion_buttons_ui(ui, lane, style.has_card, true));
    }
}

fn explosion_buttons_ui(ui: &mut Ui, lane: &Lane, has_card: bool, has_again: bool) {
    if has_card {
        why_ui(ui, lane);
    }
    if has_again {
        run_again_ui(ui, lane);
    }
}

/// Draws a chip that leaves `taken` points of the viewport's width unused.
fn chip_frame_ui(ui: &mut Ui, lane: &Lane, style: ChipStyle, taken: f32, laboratory: &Laboratory) {
    let ChipStyle { is_selected, is_one_line, has_card, solver_error, .. } = style;
    let edge = if is_selected { theme::lane_color(lane.color) } else { Color32::TRANSPARENT };
    let frame = egui::Frame::new()
        .fill(theme::panel().gamma_multiply(0.86))
        .stroke(Stroke::new(1.0, edge.gamma_multiply(0.7)))
        .corner_radius(6.0)
        .inner_margin(egui::Margin::symmetric(8, if is_one_line { 0 } else { 4 }));
    let inner = frame.show(ui, |ui| {
        ui.set_max_width(ui.available_width() - taken);
        let narrow = ui.available_width() < NARROW;
        let failure = failure_text(lane, solver_error);
        ui.horizontal(|ui| {
            swatch_ui(ui, lane.color);
            match failure.as_ref().filter(|_| is_one_line) {
                Some(failure) => name_beside_verdict_ui(ui, &lane.name, &failure.briefs),
                None => name_ui(ui, &lane.name),
            }
            if !is_one_line && !narrow {
                facts_ui(ui, lane, laboratory.session().time());
            }
        });
        match failure.filter(|_| !is_one_line) {
            Some(FailureText { briefs, whole }) => {
                // In a narrow viewport, only the tooltip contains the whole sentence.
                let brief = briefs.into_iter().next().filter(|_| has_card || narrow);
                let text = RichText::new(brief.unwrap_or(whole));
                ui.add(egui::Label::new(text.color(theme::warning())).wrap());
            }
            None if narrow && !is_one_line => facts_ui(ui, lane, laboratory.session().time()),
            None => {}
        }
    });
    // The chip needs its own id. If the frame and the chip shared one, egui would remove the
    // keyboard focus from the chip.
    let frame = inner.response;
    let chip = ui.interact(frame.rect, frame.id.with("chip"), Sense::click());
    let chip = chip.marked(format_args!("chip {}", lane.color));
    if chip.has_focus() {
        let stroke = ui.visuals().selection.stroke;
        ui.painter().rect_stroke(chip.rect, 6.0, stroke, egui::StrokeKind::Outside);
    }
    if chip.clicked() {
        ui.request(Action::Lane(LaneAction::Select(lane.color)));
    }
    chip.context_menu(|ui| menu_ui(ui, lane, laboratory));
    chip.on_hover_ui(|ui| chip_tooltip_ui(ui, lane, solver_error));
}

/// Returns the energy account of a lane, one item per line: energy removed or added by forces, and
/// energy made by the integrator.
fn energy_account_text(balance: &Balance) -> String {
    let Balance { start, taken_out, put_in, scheme, left_by_sweeps, gain, loss, .. } = balance;
    let mut lines = vec![format!("energy {} at the start of this account", si_tight(*start, "J"))];
    let taken_out = taken_out.iter().map(|(name, j)| (*name, "took out", *j));
    let put_in = put_in.iter().map(|(name, j)| (*name, "put in", *j));
    let line = |(name, did, j): (&str, &str, f64)| format!("{name} {did} {}", si_tight(j, "J"));
    lines.extend(taken_out.chain(put_in).map(line));
    lines.push(format!("the scheme made {}", si_tight(*scheme, "J")));
    if *left_by_sweeps > 0.0 {
        lines.push(format!(
            "{} of it is in links that the sweeps left too long or short",
            si_tight(*left_by_sweeps, "J")
        ));
    }
    let most = |extreme: &Extreme| {
        format!("{} ({})", si_tight(extreme.joules, "J"), percent_to(extreme.fraction, 2))
    };
    lines.push(format!("largest gain {}, largest loss {}", most(gain), most(loss)));
    lines.join("\n")
}

/// Draws a button that restarts the scene below the chip of a failed lane.
fn run_again_ui(ui: &mut Ui, lane: &Lane) {
    let now = lane.simulation.settings();
    let then = lane.simulation.failed_under().unwrap_or(now);
    let again = ui.small_button(format!("Run again{}", changed_settings_clause(then, now)));
    let tip = "Restarts the scene in every lane (R)";
    if pressed(again, format_args!("run again {}", lane.color), tip) {
        ui.request(Action::Reset);
    }
}

fn why_ui(ui: &mut Ui, lane: &Lane) {
    let name = format_args!("why {}", lane.color);
    if pressed(
        ui.small_button("Why?"),
        name,
        "Shows the cause of the explosion, and remedies \
        that were tried",
    ) {
        ui.request(Action::Lane(LaneAction::Explain(lane.color)));
    }
}

/// Draws as many facts of a lane (integrator, dt, delay, cost) as fit in one line.
fn facts_ui(ui: &mut Ui, lane: &Lane, now: f64) {
    let letters = (ui.available_width() / digit_width(ui)).floor() as usize;
    let mut line = facts_that_fit(facts(lane, now), letters);
    if line.chars().count() > letters {
        // Trailing spaces would make the label replace the end of the last number with an ellipsis.
        line.truncate(line.trim_end().len());
    }
    let facts = RichText::new(line).monospace().color(theme::quiet());
    ui.add(egui::Label::new(facts).truncate());
}

/// Returns the facts that fit into this many letters. The integrator is left out first, because the
/// lane's name usually contains it. The cost is left out next.
fn facts_that_fit(mut facts: Facts, letters: usize) -> String {
    let length = |facts: &Facts| facts.line().trim_end().chars().count();
    if length(&facts) > letters {
        facts.scheme = None;
    }
    if length(&facts) > letters {
        facts.cost = None;
    }
    facts.line()
}

/// Facts in the chip of an intact lane.
#[derive(Clone, Debug, Default)]
struct Facts {
    scheme: Option<String>,
    dt: String,
    delay: Option<String>,
    cost: Option<String>,
}

impl Facts {
    fn line(&self) -> String {
        let Self { scheme, dt, delay, cost } = self;
        [scheme.as_ref(), Some(dt), delay.as_ref(), cost.as_ref()].iter().flatten().join(SEPARATOR)
    }
}

/// Returns the integrator, dt, the delay behind the session time `now` if the lane is late, and the
/// cost of a step. An exploded lane has stopped, so it does not count as late.
fn facts(lane: &Lane, now: f64) -> Facts {
    let settings = lane.simulation.settings();
    let dt = if settings.stepping.uses_dt() {
        si_tight(settings.dt, "s")
    } else {
        format!("{} (frame)", si_tight(lane.simulation.plan().dt, "s"))
    };
    let scheme = settings.integrator.info().title.to_owned();
    let late = now - lane.simulation.state().t;
    let runs = lane.simulation.explosion().is_none();
    let is_late = late.abs() > LATE_SECONDS.max(2.0 * lane.simulation.plan().dt);
    let delay = (runs && is_late).then(|| {
        let word = if late > 0.0 { "late" } else { "early" };
        format!("{} {word}", si_tight(late.abs(), "s"))
    });
    let cost = lane.step_cost.seconds();
    let cost = (cost > 0.0).then(|| format!("{:<12}", si_tight(cost, "s") + "/step"));
    Facts { scheme: Some(scheme).filter(|scheme| *scheme != lane.name), dt, delay, cost }
}

fn chip_tooltip_ui(ui: &mut Ui, lane: &Lane, solver_error: Option<SolverError>) {
    let simulation = &lane.simulation;
    ui.set_max_width(320.0);
    ui.label(RichText::new(&lane.name).color(theme::accent()));
    ui.label(format!(
        "{}, drawn {} in {}. A click selects the lane, a right click opens its menu.",
        simulation.settings().integrator.info().title,
        style_name(lane.color),
        lane_color_name(lane.color),
    ));
    let stretch = simulation.record().last().map_or(Stretch::default(), |sample| sample.stretch);
    ui.monospace(format!(
        "t {}  steps {}\nenergy {} since the start\nstretch {} to {}",
        si_tight(simulation.state().t, "s"),
        simulation.steps(),
        si_change(simulation.drift().joules(), "J").trim_end(),
        percent_to(stretch.min, 2),
        percent_to(stretch.max, 2)
    ));
    // The projection is measured only while the tooltip is shown, because this costs as much as a
    // sweep.
    let solver = simulation.settings().solver();
    let projection = (!solver.is_none()).then(|| simulation.projection());
    if let Some(Projection { residual, .. }) = projection.filter(|it| it.residual > 0.0) {
        let residual = share_of(&fraction_text(residual), "of", "a link's length");
        ui.monospace(format!("residual {residual}"));
    }
    contact_tooltip_ui(ui, simulation);
    if simulation.torn() > 0 {
        ui.monospace(format!("links torn {}", simulation.torn()));
    }
    if let Some(balance) = simulation.balance() {
        ui.monospace(energy_account_text(&balance));
    }
    if let Some(failure) = failure_text(lane, solver_error) {
        ui.colored_label(theme::warning(), failure.whole);
    }
    let solve = simulation.solve();
    if solve.newton > 0 {
        let SolveReport { newton, linear, .. } = solve;
        ui.label(format!("Last step: {newton} Newton iterations, {linear} of conjugate gradients"));
    }
    if solve.parts > 1 {
        ui.label(format!("Last step: divided into {} inner steps", solve.parts));
    }
    if solve.failed {
        let text = format!("The last step missed its tolerance: residual {:.1e}", solve.residual);
        ui.colored_label(theme::warning(), text);
    }
    let solver_error = projection.filter(|it| !it.converged && solver.has_tolerance());
    if let Some(Projection { iterations, residual, .. }) = solver_error {
        let text = format!(
            "The solver missed its tolerance after {iterations} sweeps: a link's length is off by \
            {}",
            share_of(&fraction_text(residual), "of", "its length")
        );
        ui.colored_label(theme::warning(), text);
    }
}

/// Returns a fraction in per cent. If it is below [`LEAST_FRACTION`], returns an upper bound.
fn fraction_text(fraction: f64) -> String {
    if fraction < LEAST_FRACTION { "less than 0.001 %".to_owned() } else { percent(fraction) }
}

/// Draws the numbers of collisions and tested pairs since the start, and the errors of contacts.
fn contact_tooltip_ui(ui: &mut Ui, simulation: &Simulation) {
    let contact::ContactReport { events, pairs_tested, left_over, deepest_overlap, chord_error } =
        simulation.contact();
    if pairs_tested == 0 {
        return;
    }
    let name = simulation.settings().contact.info().title;
    ui.monospace(format!(
        "contact {name}\ncollisions {events}  pairs tested {pairs_tested}\ndeepest overlap {}",
        si_tight(deepest_overlap, "m")
    ));
    if chord_error > 0.0 {
        let most = si_tight(chord_error, "m");
        ui.monospace(format!("chord off its parabola by at most {most}"));
    }
    if left_over > 0 {
        let text = format!(
            "{left_over} unresolved events: bodies stopped before they touched, or balls that overlap"
        );
        ui.label(RichText::new(text).color(theme::warning()));
    }
}

fn style_name(color: usize) -> &'static str {
    match lane_style(color) {
        LineStyle::Solid => "solid",
        LineStyle::Dashed(_) => "dashed",
        LineStyle::Dotted(_) => "dotted",
    }
}

fn menu_ui(ui: &mut Ui, lane: &Lane, laboratory: &Laboratory) {
    note_open_menu(ui.ctx());
    let color = lane.color;
    let alone = laboratory.shown.solo == Some(color);
    let measured = if laboratory.shown.reference == Some(color) {
        "Measure no distances from this lane"
    } else {
        "Measure distances from this lane"
    };
    for (text, wanted) in [
        ("Hide", vec![LaneAction::ToggleHidden(color)]),
        (if alone { "Show all" } else { "Show alone" }, vec![LaneAction::ToggleSolo(color)]),
        ("Duplicate", vec![LaneAction::Select(color), LaneAction::DuplicateLane]),
        (measured, vec![LaneAction::ToggleReference(color)]),
        ("Remove", vec![LaneAction::Select(color), LaneAction::RemoveLane]),
    ] {
        let possible = text != "Remove" || laboratory.session().lanes().len() > 1;
        if ui.add_enabled(possible, egui::Button::new(text)).clicked() {
            ui.request_all(wanted.into_iter().map(Action::Lane));
            ui.close_menu();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::widgets::marks;

    #[test]
    fn facts_that_do_not_fit_are_left_out_whole() {
        let facts = Facts {
            scheme: Some("velocity Verlet".to_owned()),
            dt: "1.00 ms".to_owned(),
            delay: Some("409 ms late".to_owned()),
            cost: Some("4.16 µs/step".to_owned()),
        };
        let fitting_facts = |letters| facts_that_fit(facts.clone(), letters);
        assert_eq!(fitting_facts(60), "velocity Verlet · 1.00 ms · 409 ms late · 4.16 µs/step");
        assert_eq!(fitting_facts(40), "1.00 ms · 409 ms late · 4.16 µs/step");
        assert_eq!(fitting_facts(27), "1.00 ms · 409 ms late");
    }

    /// Four lanes, one of them exploded, share a viewport that is first wide, then narrow.
    #[test]
    fn lanes_in_one_picture_have_the_buttons_about_an_explosion() {
        marks::remember_widgets(true);
        let text = crate::scene::library::find("four-integrators").expect("a scene").text();
        let mut laboratory = Laboratory::of_text(text);
        laboratory.frames_until(|it| it.selected().simulation.explosion().is_some());
        let lane = laboratory.selected();
        let style = ChipStyle {
            is_selected: true,
            is_one_line: true,
            has_buttons_beside: true,
            has_card: true,
            solver_error: None,
        };
        for (width, has_again) in [(900.0, true), (300.0, false)] {
            let app = |ui: &mut Ui| {
                ui.set_max_width(width);
                chip_ui(ui, lane, style, &laboratory);
            };
            let mut harness = egui_kittest::Harness::new_ui(app);
            harness.set_size(egui::vec2(1000.0, 200.0));
            harness.run_steps(2);
            let widgets = marks::take_widgets(&harness.ctx);
            let chip = widgets[&format!("chip {}", lane.color)];
            let why = widgets[&format!("why {}", lane.color)];
            assert!(why.left() > chip.right() && why.right() < width + 20.0, "{why} in {width}");
            let again = widgets.get(&format!("run again {}", lane.color));
            assert_eq!(again.is_some(), has_again, "{width}");
        }
    }

    #[test]
    fn an_exploded_lane_has_stopped_and_is_not_late() {
        let text = crate::scene::library::find("four-integrators").expect("a scene").text();
        let mut laboratory = Laboratory::of_text(text);
        let delay = |laboratory: &Laboratory| facts(laboratory.selected(), 1e3).delay;
        assert!(delay(&laboratory).is_some());
        laboratory.frames_until(|it| it.selected().simulation.explosion().is_some());
        assert_eq!(delay(&laboratory), None);
    }
}
