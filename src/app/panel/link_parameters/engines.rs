//! A material's stiffness in the numbers that engines want typed.

use crate::app::panel::fields::{FieldHelp, NUMBERS, label_ui, tooltip_ui, typed_ui};
use crate::app::quantity;
use crate::app::theme;
use crate::app::widgets::marks::mark;
use crate::simulation::settings::Settings;
use crate::stiffness::{Language, Pace, Parameter, Phrase, SoftLink};
use egui_macroquad::egui::{CollapsingHeader, DragValue, Response, RichText, Ui};

/// Relative difference of stiffness that a limit of an engine has to make to be shown.
const NOTABLE: f64 = 1e-6;
/// Greatest number that can be typed.
const MOST: f64 = 1e12;

/// Label, unit and explanation of a row.
fn help_of(language: Language) -> FieldHelp {
    let (label, unit, text) = match language {
        Language::Newton => {
            ("links", "N/m", "Stiffness k of one link: more and shorter links are stiffer ones.")
        }
        Language::Material => ("material", "N", "E·A of the material: the same for all lengths."),
        Language::Xpbd => {
            ("XPBD", "m/N", "Compliance 1/k: sweeps that do not converge leave it softer.")
        }
        Language::Box2d => (
            "Box2D",
            "Hz",
            "Frequency of this link between its two masses: lighter links of 60 Hz are softer.",
        ),
        Language::Rapier => (
            "Rapier",
            "Hz",
            "Frequency of this link between its two masses, without Box2D's limit.",
        ),
        Language::Jolt => ("Jolt", "m/N", "Compliance of an edge of a soft body."),
        Language::Godot => (
            "Godot",
            "",
            "Coefficient of a soft body: with more vertices, ticks or precision the same number is \
             another stiffness.",
        ),
        Language::Unity => ("Unity", "N/m", "Spring of a spring joint."),
        Language::Obi => ("Obi", "m/N", "Stretch compliance of a rod or rope."),
        Language::Unreal => (
            "Unreal",
            "",
            "Edge stiffness of Chaos cloth from 0 to 1: another stiffness at another step.",
        ),
        Language::Pbd => (
            "PBD",
            "",
            "Share of the error that a sweep takes: another stiffness with other sweeps or substeps.",
        ),
        Language::Mujoco => (
            "MuJoCo",
            "s",
            "Time constant of solref, which is kept above two steps: see what is left of it.",
        ),
    };
    FieldHelp { label, unit, text, source: "" }
}

/// The step, substeps and sweeps of a lane, as an engine's.
pub fn pace_of(settings: &Settings) -> Pace {
    let sweeps = settings.constraints.iterations().unwrap_or(1);
    Pace { dt: settings.dt, substeps: settings.substeps, sweeps }
}

/// A folded table of the stiffness of one link in the languages of engines. Returns by which factor
/// the stiffness is to change where a number was typed.
pub fn engines_ui(ui: &mut Ui, material: &str, link: &SoftLink, pace: &Pace) -> Option<f64> {
    let mut factor = None;
    let title = RichText::new("in engines' numbers").color(theme::quiet());
    let table = CollapsingHeader::new(title).id_salt(("engines", material)).show(ui, |ui| {
        for language in Language::all() {
            factor = factor.or(language_ui(ui, material, language, link, pace));
        }
        let Pace { dt, substeps, sweeps } = *pace;
        let dt = quantity::si(dt, "s");
        let of = format!("one link at dt {dt}, substeps {substeps}, sweeps {sweeps}");
        ui.label(RichText::new(of).small().color(theme::quiet()));
    });
    mark(&table.header_response, format_args!("{material}: in engines' numbers"));
    table.header_response.on_hover_text(
        "What to type into an engine so that its links are as stiff as these, and what the engine makes \
         of it; a number that is typed here sets the material.",
    );
    factor
}

fn language_ui(
    ui: &mut Ui,
    material: &str,
    language: Language,
    link: &SoftLink,
    pace: &Pace,
) -> Option<f64> {
    let phrase = language.write(link, pace);
    let first = phrase.parameters.first()?;
    let help = help_of(language);
    let mut typed = first.value;
    ui.horizontal(|ui| {
        label_ui(ui, &help);
        let field = field_ui(ui, &mut typed, help.unit);
        mark(&field, format_args!("{material}: {} number", help.label));
        if (phrase.effective / link.stiffness - 1.0).abs() > NOTABLE {
            let real = format!("acts as {}", quantity::si(phrase.effective, "N/m"));
            ui.label(RichText::new(real).small().color(theme::warning()));
        }
        field.on_hover_ui(|ui| {
            tooltip_ui(ui, help.label, help.text, "");
            source_ui(ui, &phrase);
        });
    });
    if typed == first.value {
        return None;
    }
    let second = language.takes_damping_ratio().then(|| link.damping_ratio());
    let read = language.read(typed, second, link, pace).ok()?;
    Some(read.stiffness / link.stiffness)
}

/// A number with its unit, or a coefficient without one.
fn field_ui(ui: &mut Ui, typed: &mut f64, unit: &'static str) -> Response {
    if unit.is_empty() {
        let number = DragValue::new(typed).range(0.0..=1.0).speed(0.002).max_decimals(4);
        let size = [NUMBERS, ui.spacing().interact_size.y];
        return ui.add_sized(size, number);
    }
    typed_ui(ui, typed, 0.0..=MOST, unit, |text| quantity::parse(text, unit))
}

fn source_ui(ui: &mut Ui, phrase: &Phrase) {
    ui.set_max_width(300.0);
    let number = |it: &Parameter| match it.unit {
        "" => format!("{} = {:.4}", it.name, it.value),
        unit => format!("{} = {}", it.name, quantity::si(it.value, unit)),
    };
    let numbers: Vec<String> = phrase.parameters.iter().map(number).collect();
    ui.label(numbers.join(", "));
    ui.label(phrase.formula);
    if let Some(note) = &phrase.note {
        ui.label(RichText::new(note).color(theme::warning()));
    }
    ui.label(RichText::new(phrase.source).small().color(theme::quiet()));
}
