//! The longest stable step, under the slider of dt: a band from green to red, and a sentence.

use super::Answers;
use crate::analysis::limit::Limit;
use crate::app::laboratory::Laboratory;
use crate::app::panel::lines_ui;
use crate::app::quantity::si_tight;
use crate::app::report::mark;
use crate::app::theme;
use crate::simulation::settings::Settings;
use egui_macroquad::egui::{self, Color32, RichText, Ui, pos2};
use std::ops::RangeInclusive;

/// Well below the limit.
const SAFE: Color32 = Color32::from_rgb(0x4c, 0xaf, 0x6e);
/// Within a factor of two of it.
const NEAR: Color32 = Color32::from_rgb(0xd9, 0xa4, 0x41);
/// Above it.
const OVER: Color32 = Color32::from_rgb(0xd9, 0x53, 0x4f);
/// Height of the band in points.
const BAND: f32 = 4.0;

/// The limit of a lane under its settings.
#[derive(Clone, Debug)]
pub struct LaneLimit {
    /// The settings that it was computed for.
    pub settings: Settings,
    /// The least of what was predicted along the scene from its start, and as the lane stands.
    pub limit: Limit,
    /// How the whole step makes a perturbation grow, for lanes that project, where a run ahead
    /// confirmed that the lane gains energy.
    pub growth: Option<f64>,
}

impl LaneLimit {
    /// Step in seconds over the longest stable one: above 1 the lane is about to gain energy.
    fn excess(&self) -> f64 {
        self.settings.dt / self.limit.longest()
    }

    /// Whether something pushes as a spring, so that its vibration bounds the step.
    pub fn is_bound_by_springs(&self) -> bool {
        self.limit.mode.is_some()
    }

    /// The same limit for another step, if nothing else of the settings differs: it does not depend
    /// on the step. What grows with it does.
    pub fn at_step_of(self, settings: &Settings) -> Option<Self> {
        let same = Settings { dt: settings.dt, ..self.settings } == *settings;
        let Self { settings: own, mut limit, mut growth } = self;
        if own.dt != settings.dt {
            (limit.doubling, growth) = (None, None);
        }
        same.then_some(Self { settings: *settings, limit, growth })
    }

    /// The longest stable step, by itself.
    fn longest_step(&self) -> String {
        match self.limit.longest() {
            0.0 => "none".to_owned(),
            dt if dt.is_infinite() => "any".to_owned(),
            dt => si_tight(dt, "s"),
        }
    }

    fn sentence(&self) -> (String, bool) {
        let over = self.settings.stepping.uses_dt() && self.excess() > 1.0;
        let projects = !self.settings.solver().is_none();
        let mut sentence = if projects && !self.limit.has_springs && !self.limit.colliders_push {
            "No limit: the constraint solver holds all links.".to_owned()
        } else {
            self.limit.verdict()
        };
        if over && self.limit.longest() > 0.0 {
            sentence += &format!(" This step is {:.2} times as long", self.excess());
            sentence += &match self.limit.doubling {
                Some(seconds) => format!("; vibrations double every {}.", si_tight(seconds, "s")),
                None => ".".to_owned(),
            };
        }
        if let Some(growth) = self.growth {
            sentence += &format!(
                " The whole step makes a push grow {growth:.2}-fold, and a run ahead gains energy."
            );
        }
        (sentence, over || self.growth.is_some())
    }
}

/// Paints the band of the selected lane over the lower edge of the slider of dt, a tick for each
/// lane's limit, and says the limit below, in a place of two lines.
pub fn limit_ui(
    ui: &mut Ui,
    (slider, range): (&egui::Response, RangeInclusive<f64>),
    uses_dt: bool,
    answers: &Answers,
    laboratory: &Laboratory,
) {
    let lanes = laboratory.session().lanes();
    let limits = lanes.iter().filter_map(|lane| Some((lane.color, answers.limit(lane.color)?)));
    // As egui places the handle: from half of it to half of it.
    let track = slider.rect.x_range().shrink(slider.rect.height() / 2.5);
    let place = |dt: f64| {
        let part = (dt / range.start()).ln() / (range.end() / range.start()).ln();
        egui::lerp(track.min..=track.max, part.clamp(0.0, 1.0) as f32)
    };
    let (top, bottom) = (slider.rect.bottom() - BAND, slider.rect.bottom());
    let selected = laboratory.selected().color;
    let painter = ui.painter();
    if let Some(LaneLimit { limit, .. }) = answers.limit(selected) {
        let (safe, most) = (place(0.5 * limit.longest()), place(limit.longest()));
        let parts = [(track.min, safe, SAFE), (safe, most, NEAR), (most, track.max, OVER)];
        for (from, to, color) in parts {
            let part = egui::Rect::from_min_max(pos2(from, top), pos2(to, bottom));
            painter.rect_filled(part, 0.0, color);
        }
    }
    for (color, LaneLimit { limit, .. }) in limits {
        let longest = limit.longest();
        if longest > *range.start() && longest < *range.end() {
            let x = place(longest);
            let stroke = egui::Stroke::new(2.0, theme::lane_color(color));
            painter.line_segment([pos2(x, top - 5.0), pos2(x, bottom + 1.0)], stroke);
        }
    }
    let (text, alarming) = match answers.limit(selected) {
        _ if !uses_dt => ("dt is not used: the frame decides the step".to_owned(), false),
        Some(limit) => limit.sentence(),
        None => ("computing the longest stable step …".to_owned(), false),
    };
    let color = if alarming { theme::WARNING } else { theme::QUIET };
    let label = lines_ui(ui, &text, color, 2);
    mark(&label, "limit");
    label.on_hover_text(
        "The longest dt with which no vibration of the springs grows, damping and drag included: \
         the least along the scene from its start and as the lane stands now. ω is the angular \
         frequency of the fastest vibration, h the length of a substep. Ticks: the limits of all \
         lanes.",
    );
}

/// The longest step of every lane, in a line.
pub fn longest_steps_ui(ui: &mut Ui, answers: &Answers, laboratory: &Laboratory) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Longest stable step:").color(theme::QUIET));
        for lane in laboratory.session().lanes() {
            let known = answers.limit(lane.color);
            let step = known.map_or("…".to_owned(), LaneLimit::longest_step);
            let text = format!("{} {step}", lane.name);
            let text = RichText::new(text).color(theme::lane_color(lane.color));
            let label = ui.add(egui::Label::new(text).extend());
            mark(&label, format_args!("longest step of {}", lane.name));
            if let Some(known) = known {
                label.on_hover_text(known.sentence().0);
            }
        }
    });
}
