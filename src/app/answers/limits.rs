//! Longest stable step of a lane, shown under the slider of dt as a coloured band and as a
//! sentence.

use super::lane_answers::Answers;
use super::lane_limit::{LaneLimit, LimitSentence};
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::widgets::lines_ui;
use crate::app::widgets::marks::Marked;
use egui_macroquad::egui::{self, RichText, Ui, pos2};
use std::ops::RangeInclusive;

const BAND_HEIGHT: f32 = 4.0;
/// Number of lines of the longest sentence about the limit.
pub const LINES: usize = 3;

/// Draws the band of the selected lane at the lower edge of the slider of dt, with a tick at the
/// longest stable step of each lane. Below the slider, writes the limit in [`LINES`] lines.
pub fn limit_ui(
    ui: &mut Ui,
    slider: &egui::Response,
    range: RangeInclusive<f64>,
    uses_dt: bool,
    answers: &Answers,
    laboratory: &Laboratory,
) {
    let lanes = laboratory.session().lanes();
    let limits = lanes.iter().filter_map(|lane| Some((lane.color, answers.limit(lane.color)?)));
    // Range of positions of the centre of egui's slider handle, which stays inside the slider.
    let track = slider.rect.x_range().shrink(slider.rect.height() / 2.5);
    let x_of = |dt: f64| {
        let part = (dt / range.start()).ln() / (range.end() / range.start()).ln();
        egui::lerp(track.min..=track.max, part.clamp(0.0, 1.0) as f32)
    };
    let (top, bottom) = (slider.rect.bottom() - BAND_HEIGHT, slider.rect.bottom());
    let selected = laboratory.selected().color;
    let painter = ui.painter();
    let simulation = &laboratory.selected().simulation;
    let failure = answers.limit(selected).and_then(|known| known.unexplained_failure(simulation));
    // After a failure that the limit does not explain, a green band would be misleading.
    let is_safe = failure.is_none();
    if let Some(known) = answers.limit(selected).filter(|_| uses_dt && is_safe) {
        let mut from = track.min;
        for (until, color) in known.band() {
            let to = x_of(until);
            let part = egui::Rect::from_min_max(pos2(from, top), pos2(to, bottom));
            painter.rect_filled(part, 0.0, color);
            from = to;
        }
    }
    for (color, LaneLimit { limit, .. }) in limits {
        let longest = limit.longest();
        if longest > *range.start() && longest < *range.end() {
            let x = x_of(longest);
            let stroke = egui::Stroke::new(2.0, theme::lane_color(color));
            painter.line_segment([pos2(x, top - 5.0), pos2(x, bottom + 1.0)], stroke);
        }
    }
    let plain = |text: &str| LimitSentence { text: text.to_owned(), is_warning: false };
    let LimitSentence { text, is_warning } = match (failure, answers.limit(selected)) {
        (Some(text), _) => LimitSentence { text, is_warning: true },
        _ if !uses_dt => plain("dt is not used: the frame determines the step"),
        (_, Some(limit)) => limit.sentence(),
        (_, None) => plain("computing the longest stable step …"),
    };
    let color = if is_warning { theme::warning() } else { theme::quiet() };
    lines_ui(ui, &text, color, LINES).marked("limit").on_hover_text(
        "Longest dt at which no vibration of the springs grows, with damping and drag. It is the \
        smaller of two limits: during the scene's first seconds, and in the present state. ω is \
        the angular frequency of the fastest vibration, h the length of a substep. The ticks mark \
        the limits of all lanes.",
    );
}

pub fn longest_steps_ui(ui: &mut Ui, answers: &Answers, laboratory: &Laboratory) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Longest stable step:").color(theme::quiet()));
        for lane in laboratory.session().lanes() {
            let known = answers.limit(lane.color);
            let failure = known.and_then(|known| known.unexplained_failure(&lane.simulation));
            let step = match (known, &failure) {
                (None, _) => "…".to_owned(),
                (_, Some(_)) => "unknown".to_owned(),
                (Some(known), None) => known.longest_step(),
            };
            let text = format!("{} {step}", lane.name);
            let text = RichText::new(text).color(theme::lane_color(lane.color));
            let label = ui.add(egui::Label::new(text).extend());
            let label = label.marked(format_args!("longest step of {}", lane.name));
            if let Some(known) = known {
                label.on_hover_text(failure.unwrap_or_else(|| known.sentence().text));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::explain::{ExplainQuestion, explain};
    use crate::analysis::job::Work;
    use crate::analysis::stability::{Limit, SceneSamples, find_limit};
    use crate::app::answers::lane_limit::{OVER, SAFE};
    use crate::app::disk::scene_source::{Source, entries};
    use crate::app::laboratory::{FAVOURITES, favourite};
    use crate::app::panel::{TEXT_WIDTH, published_facts};
    use crate::app::timing::job_pools::JobPools;
    use crate::constraint::{ConstraintSolver, Relaxation, Xpbd};
    use crate::integrate::Method;
    use crate::scene::{Scene, library};
    use crate::session::Inputs;
    use crate::simulation::Simulation;
    use crate::simulation::settings::{LinkMode, Settings};
    use egui::{Color32, Context, TextStyle};
    use rayon::prelude::*;
    use std::convert::Infallible;

    /// Largest number of particles for which a scene is tested with all integrators. Larger scenes
    /// are tested with the integrators of the digit keys.
    const MANY: usize = 100;

    fn limits(index: usize) -> Vec<LaneLimit> {
        let loaded = Source::Listed(index).load().unwrap_or_else(|e| panic!("{e}"));
        let scene = &loaded.scene;
        let own = scene.lanes[0].settings;
        let many = scene.parts.mesh.positions.len() > MANY;
        let few = || (0..FAVOURITES.len()).filter_map(favourite).collect::<Vec<_>>();
        let methods = if many { few() } else { Method::all().collect() };
        let solvers = [
            (LinkMode::Springs, own.constraints),
            (LinkMode::Constraints, ConstraintSolver::Xpbd(Xpbd::default())),
            (LinkMode::Constraints, ConstraintSolver::Relaxation(Relaxation::default())),
        ];
        let limits = solvers.into_iter().flat_map(|(links, constraints)| {
            let settings = Settings { links, constraints, ..own };
            let samples =
                SceneSamples::of_current_state(&Simulation::new(scene.parts.clone(), settings));
            methods.clone().into_iter().map(move |integrator| {
                let settings = Settings { integrator, ..settings };
                // The test uses the longest sentence, about a scene sampled for 5 s.
                let limit = Limit { sampled_seconds: 5.0, ..samples.limit(&settings) };
                LaneLimit { settings, limit, growth: None }
            })
        });
        limits.collect()
    }

    fn color_at(known: &LaneLimit, dt: f64) -> Color32 {
        let part = known.band().into_iter().find(|(until, _)| dt <= *until);
        part.expect("the band goes on for ever").1
    }

    fn is_cut(ctx: &Context, text: &str, lines: usize) -> bool {
        let font = TextStyle::Small.resolve(&ctx.style());
        let mut job =
            egui::text::LayoutJob::simple(text.to_owned(), font, Color32::WHITE, TEXT_WIDTH);
        job.wrap.max_rows = lines;
        ctx.fonts(|fonts| fonts.layout_job(job)).elided
    }

    #[test]
    fn band_and_sentence_agree_and_fit_in_every_scene() {
        let indices: Vec<usize> = (0..entries().len()).collect();
        let known: Vec<_> = indices.par_iter().map(|index| limits(*index)).collect();
        let ctx = Context::default();
        theme::apply(&ctx);
        let _ = ctx.run(egui::RawInput::default(), |_| ());
        for (scene, known) in entries().iter().zip(known) {
            for mut known in known {
                let (dt, longest) = (known.settings.dt, known.limit.longest());
                for dt in [dt, 3.0 * longest].into_iter().filter(|dt| *dt > 0.0 && dt.is_finite()) {
                    known.settings.dt = dt;
                    let LimitSentence { text: sentence, is_warning: alarms } = known.sentence();
                    let at = format!("{} {:?}: {sentence}", scene.name, known.settings.integrator);
                    let is_red = color_at(&known, dt) == OVER;
                    assert_eq!(alarms, is_red && known.uses_dt(), "{at}");
                    if sentence.starts_with("No limit") {
                        assert!(!alarms && color_at(&known, 1e9) == SAFE, "{at}");
                    }
                    assert!(!sentence.contains("inf") && !sentence.contains("NaN"), "{at}");
                    assert!(!is_cut(&ctx, &sentence, LINES), "{at}");
                }
                let Settings { integrator, .. } = known.settings;
                let line =
                    published_facts(&integrator.info(), &known.settings.solver(), Some(&known));
                assert!(!is_cut(&ctx, &line, 1), "{}: {line}", scene.name);
            }
        }
    }

    /// The exploded state vibrates faster than the scene, so its limit must not be shown.
    #[test]
    fn the_limit_of_an_exploded_lane_is_that_of_its_scene() {
        let entry = library::find("four-integrators").expect("it is in the library");
        let mut laboratory = Laboratory::of_text(entry.text());
        let start = laboratory.selected().simulation.clone();
        let Ok(expected) = find_limit(&start, || Ok::<(), Infallible>(()));
        while laboratory.selected().simulation.explosion().is_none() {
            laboratory.whole_frame(0.016);
        }
        let (mut answers, pools) = (Answers::default(), JobPools::default());
        let color = laboratory.selected().color;
        while answers.limit(color).is_none() {
            answers.refresh(&laboratory, &pools);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let known = answers.limit(color).expect("it is known");
        assert!(expected.doubling.is_some());
        assert_eq!(known.limit.doubling, expected.doubling);
    }

    /// The explanation and the slider describe the longest step in the same words.
    #[test]
    fn card_and_slider_say_the_same_of_the_longest_step() {
        let block = r#"(version: 1, name: "block", balls: [(name: "b", at: (0, 0.1, 0))],
            particles: [(name: "wall", at: (-1, 0.1, 0))],
            links: [(a: Body("wall"), b: Body("b"), rest: 1, stiffness: 100)],
            pins: [(of: Body("wall"))],
            colliders: [(shape: Plane(), belt: (0.5, 0, 0), surface: (friction: 0.5))])"#;
        let scene = Scene::parse(block, "test").unwrap_or_else(|error| panic!("{error}"));
        let mut shortened = 0;
        for integrator in [Method::VelocityVerlet, Method::SymplecticEulerPositionFirst] {
            for dt in [0.01, 0.3] {
                let settings = Settings { integrator, dt, ..scene.lanes[0].settings };
                let start = Simulation::new(scene.parts.clone(), settings);
                let Ok(limit) = find_limit(&start, || Ok::<(), Infallible>(()));
                shortened += usize::from(limit.shortened().is_some());
                let question = ExplainQuestion {
                    start,
                    inputs: Inputs::default(),
                    dt,
                    frames: [].into(),
                    duration: 1.0,
                    scene: None,
                };
                let card = explain(&question, &|| 0.0, &Work::unwatched()).expect("an answer");
                assert_eq!(card.longest_step, Some(limit.longest()));
                let sentence = LaneLimit { settings, limit, growth: None }.sentence().text;
                assert!(card.reason.ends_with(&sentence), "{}, {sentence}", card.reason);
            }
        }
        assert!(shortened > 0);
    }

    #[test]
    fn a_whole_step_that_grows_is_red_and_said() {
        let limit = |growth| {
            let known = limits(0).into_iter().find(|known| known.limit.solver_constrains_links);
            LaneLimit { growth, ..known.expect("a solver") }
        };
        let healthy = limit(None);
        assert!(!healthy.sentence().is_warning);
        assert_eq!(color_at(&healthy, healthy.settings.dt), SAFE);
        let grows = limit(Some(1.5));
        let LimitSentence { text: sentence, is_warning: alarms } = grows.sentence();
        assert!(alarms && !sentence.contains("No limit"), "{sentence}");
        assert_eq!(color_at(&grows, grows.settings.dt * 1.01), OVER);
    }
    /// A solver constrains the strings of the cradle, so no vibration limits the step, but a step
    /// of 0.1 s gains energy in impacts.
    #[test]
    fn a_lane_that_failed_is_not_called_free_of_limits() {
        let text = library::find("cradle").expect("it is in the library").text();
        let mut laboratory = Laboratory::of_text(text);
        let settings = Settings { dt: 0.1, ..*laboratory.selected().simulation.settings() };
        laboratory.configure_selected(settings).expect("a step of 0.1 s");
        laboratory.keep_energy_accounts(true);
        let samples = SceneSamples::of_current_state(&laboratory.selected().simulation);
        let known = LaneLimit { settings, limit: samples.limit(&settings), growth: None };
        let sentence = known.sentence().text;
        assert!(sentence.starts_with("No limit"), "{sentence}");
        assert_eq!(known.unexplained_failure(&laboratory.selected().simulation), None);
        for _ in 0..300 {
            laboratory.whole_frame(1.0 / 60.0);
        }
        let simulation = &laboratory.selected().simulation;
        let failure = known.unexplained_failure(simulation).expect("a verdict");
        assert!(failure.starts_with("This lane gains energy after "), "{failure}");
    }
}
