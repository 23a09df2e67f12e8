//! Stiffness of a material in the parameters of other physics engines.

use crate::app::panel::fields::{self, FieldHelp, label_ui, tooltip_ui, typed_ui};
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::quantity::on_screen::si;
use crate::quantity::reading::read_quantity;
use crate::simulation::settings::Settings;
use crate::stiffness::{EngineStiffness, Parameter, SoftLink, SolverSteps, StiffnessLanguage};
use egui_macroquad::egui::{CollapsingHeader, DragValue, Response, RichText, Ui};

/// Relative difference above which the table also shows the stiffness that the engine really
/// applies.
const NOTABLE: f64 = 1e-6;
const MOST_TYPED: f64 = 1e12;
/// Largest accepted value of a typed coefficient that ranges from 0 to 1. A coefficient of 1 means
/// a rigid link, which no finite stiffness describes.
const MOST_COEFFICIENT: f64 = 0.9999;
const MOST_DAMPING_RATIO: f64 = 1e3;
const DAMPING_RATIO: &str = "Damping ratio of this link alone between its two masses; 1 is \
    critical. It sets the damping of the material: ζ = c (w₁ + w₂)/(2 ω) with ω = √(k (w₁ + \
    w₂)).";

fn help_of(stiffness_language: StiffnessLanguage) -> FieldHelp {
    let (label, unit, text) = match stiffness_language {
        StiffnessLanguage::Newton => (
            "links",
            "N/m",
            "Stiffness k of one link. Change the number of segments and watch k change while the \
            material stays the same.",
        ),
        StiffnessLanguage::Material => (
            "material",
            "N",
            "Axial stiffness E·A of the material, independent of the length of a link. Double it \
            and watch the stretch under a load halve.",
        ),
        StiffnessLanguage::Xpbd => (
            "XPBD",
            "m/N",
            "Compliance 1/k of one link. Give the solver few sweeps and watch the rope stretch \
            more than its compliance says.",
        ),
        StiffnessLanguage::Box2d => (
            "Box2D",
            "Hz",
            "Frequency of this link between its two masses; Box2D limits it to a quarter of the \
            substeps per second. Lengthen the step beyond this limit and watch the link act \
            softer.",
        ),
        StiffnessLanguage::Rapier => (
            "Rapier",
            "Hz",
            "Frequency of this link between its two masses, without Box2D's limit. Between \
            lighter masses, the same frequency means a softer link.",
        ),
        StiffnessLanguage::Jolt => (
            "Jolt",
            "m/N",
            "Compliance of an edge of a soft body. Halve it and watch the stretch halve, if the \
            number of sweeps suffices.",
        ),
        StiffnessLanguage::Godot => (
            "Godot",
            "",
            "Stiffness coefficient of a soft body. It depends on the number of substeps (Godot's \
            simulation precision): change the substeps and watch this value change for the same \
            stiffness.",
        ),
        StiffnessLanguage::Unity => (
            "Unity",
            "N/m",
            "Spring constant of a spring joint, equal to the stiffness of the link. Raise it and \
            watch whether the limit on dt falls below Unity's fixed step.",
        ),
        StiffnessLanguage::Obi => (
            "Obi",
            "m/N",
            "Stretch compliance of a rod or rope; 0 is rigid. Lower it and watch the number of \
            sweeps determine the stretch instead.",
        ),
        StiffnessLanguage::Unreal => (
            "Unreal",
            "",
            "Edge stiffness of Chaos cloth, from 0 to 1. It depends on the step: change dt and \
            watch this value change for the same stiffness.",
        ),
        StiffnessLanguage::Pbd => (
            "PBD",
            "",
            "Fraction of the error that a sweep removes. It depends on sweeps and substeps: change \
            them and watch this value change for the same stiffness.",
        ),
        StiffnessLanguage::Mujoco => (
            "MuJoCo",
            "s",
            "Time constant of MuJoCo's solref, at least two steps. Lengthen the step until this \
            limit is reached and watch the link act softer.",
        ),
    };
    FieldHelp { label, unit, text, source: "" }
}

/// Returns a lane's step, substeps and sweeps, on which other engines' parameters depend.
pub fn solver_steps_of(settings: &Settings) -> SolverSteps {
    let sweeps = settings.constraints.iterations().unwrap_or(1);
    SolverSteps { dt: settings.dt, substeps: settings.substeps, sweeps }
}

/// Draws a table, folded at first, of the stiffness of one link in other engines' parameters.
/// Returns the link described by a value that the user typed.
pub fn engines_ui(
    ui: &mut Ui,
    material: &str,
    link: &SoftLink,
    solver_steps: &SolverSteps,
) -> Option<SoftLink> {
    let mut typed_link = None;
    let title = RichText::new("in engines' numbers").color(theme::quiet());
    let table = CollapsingHeader::new(title).id_salt(("engines", material)).show(ui, |ui| {
        for stiffness_language in StiffnessLanguage::all() {
            typed_link =
                typed_link.or(language_ui(ui, material, stiffness_language, link, solver_steps));
        }
        let SolverSteps { dt, substeps, sweeps } = *solver_steps;
        let dt = si(dt, "s");
        let of = format!("one link at dt {dt}, substeps {substeps}, sweeps {sweeps}");
        ui.label(RichText::new(of).small().color(theme::quiet()));
    });
    table.header_response.marked(format_args!("{material}: in engines' numbers")).on_hover_text(
        "Values that make a link in another engine as stiff as a link here, and the stiffness that \
        the engine then applies. A value typed here changes the material.",
    );
    typed_link
}

fn language_ui(
    ui: &mut Ui,
    material: &str,
    stiffness_language: StiffnessLanguage,
    link: &SoftLink,
    solver_steps: &SolverSteps,
) -> Option<SoftLink> {
    let phrase = stiffness_language.write(link, solver_steps);
    let first = phrase.parameters.first()?;
    let help = help_of(stiffness_language);
    let mut typed = first.value;
    let mut ratio = link.damping_ratio();
    ui.horizontal(|ui| {
        label_ui(ui, &help);
        let field = field_ui(ui, &mut typed, help.unit)
            .marked(format_args!("{material}: {} number", help.label));
        if (phrase.effective / link.stiffness - 1.0).abs() > NOTABLE {
            let real = format!("acts as {}", si(phrase.effective, "N/m"));
            ui.label(RichText::new(real).small().color(theme::warning()));
        } else if let Some(limit) = limit_of(stiffness_language, &phrase) {
            ui.label(RichText::new("at its limit").small().color(theme::warning()))
                .on_hover_text(limit);
        }
        field.on_hover_ui(|ui| {
            tooltip_ui(ui, help.label, help.text, "");
            source_ui(ui, &phrase);
        });
    });
    if stiffness_language.takes_damping_ratio() {
        ui.horizontal(|ui| {
            let source = phrase.source;
            let help = FieldHelp { label: "with ζ", unit: "", text: DAMPING_RATIO, source };
            label_ui(ui, &help);
            number_ui(ui, &mut ratio, MOST_DAMPING_RATIO)
                .marked(format_args!("{material}: {} damping ratio", stiffness_language.name()))
                .on_hover_ui(|ui| {
                    tooltip_ui(ui, help.label, help.text, "");
                    source_ui(ui, &phrase);
                });
        });
    }
    link_from_number(
        stiffness_language,
        link,
        solver_steps,
        (typed != first.value).then_some(typed),
        ratio,
    )
}

/// Returns the engine's note about its limit if the limit reduced a typed value.
fn limit_of(stiffness_language: StiffnessLanguage, phrase: &EngineStiffness) -> Option<&str> {
    phrase.note.as_deref().filter(|_| stiffness_language.limits_first_number())
}

/// Returns the link with a typed value and the damping ratio. Without a typed value, only the
/// damping ratio changes. Returns `None` if nothing has changed or the value has no meaning.
fn link_from_number(
    stiffness_language: StiffnessLanguage,
    link: &SoftLink,
    solver_steps: &SolverSteps,
    typed: Option<f64>,
    ratio: f64,
) -> Option<SoftLink> {
    let is_new = ratio != link.damping_ratio();
    let Some(typed) = typed else {
        return is_new.then(|| link.with_damping_ratio(ratio));
    };
    if stiffness_language.takes_damping_ratio() {
        return stiffness_language.read(typed, Some(ratio), link, solver_steps).ok();
    }
    // Other engines' parameters do not describe damping, so the damping stays.
    let read = stiffness_language.read(typed, None, link, solver_steps).ok()?;
    Some(SoftLink { damping: link.damping, ..read })
}

fn field_ui(ui: &mut Ui, typed: &mut f64, unit: &'static str) -> Response {
    if unit.is_empty() {
        return number_ui(ui, typed, MOST_COEFFICIENT);
    }
    typed_ui(ui, typed, 0.0..=MOST_TYPED, unit, |text| read_quantity(text, unit))
}

fn number_ui(ui: &mut Ui, typed: &mut f64, most: f64) -> Response {
    fields::number_ui(ui, DragValue::new(typed).range(0.0..=most).speed(0.002).max_decimals(4))
}

fn source_ui(ui: &mut Ui, phrase: &EngineStiffness) {
    ui.set_max_width(300.0);
    let number = |it: &Parameter| match it.unit {
        "" => format!("{} = {:.4}", it.name, it.value),
        unit => format!("{} = {}", it.name, si(it.value, unit)),
    };
    let numbers: Vec<String> = phrase.parameters.iter().map(number).collect();
    ui.label(numbers.join(", "));
    ui.label(phrase.formula);
    if let Some(note) = &phrase.note {
        ui.label(RichText::new(note).color(theme::warning()));
    }
    ui.label(RichText::new(phrase.source).small().color(theme::quiet()));
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: SoftLink =
        SoftLink { stiffness: 1000.0, damping: 0.5, inverse_mass: 40.0, length: 0.1 };
    const PACE: SolverSteps = SolverSteps { dt: 1.0 / 60.0, substeps: 4, sweeps: 1 };

    #[test]
    fn a_typed_damping_ratio_sets_the_damping_of_all_languages() {
        for stiffness_language in StiffnessLanguage::all().filter(|it| it.takes_damping_ratio()) {
            let link = link_from_number(stiffness_language, &LINK, &PACE, None, 2.0).unwrap();
            assert_eq!(link.stiffness, LINK.stiffness, "{stiffness_language:?}");
            assert!((link.damping_ratio() - 2.0).abs() < 1e-12, "{link:?}");
            for other in
                [StiffnessLanguage::Box2d, StiffnessLanguage::Rapier, StiffnessLanguage::Mujoco]
            {
                let ratio = other.write(&link, &PACE).parameters[1].value;
                assert!((ratio - 2.0).abs() < 1e-12, "{other:?}: {ratio}");
            }
            assert_eq!(
                link_from_number(stiffness_language, &LINK, &PACE, None, LINK.damping_ratio()),
                None
            );
        }
    }

    /// With 4 substeps per 1/60 s, a typed frequency of 100 Hz is limited to 60 Hz.
    #[test]
    fn a_frequency_beyond_the_limit_leaves_a_mark_where_it_became_less() {
        let limit = |typed| {
            let link =
                link_from_number(StiffnessLanguage::Box2d, &LINK, &PACE, Some(typed), 2.0).unwrap();
            let phrase = StiffnessLanguage::Box2d.write(&link, &PACE);
            limit_of(StiffnessLanguage::Box2d, &phrase).map(str::to_owned)
        };
        let said = limit(100.0).unwrap();
        assert!(
            said.contains("the highest frequency at this step") && said.contains("60.0000 Hz"),
            "{said}"
        );
        assert_eq!(limit(50.0), None);
    }

    #[test]
    fn a_typed_frequency_keeps_the_damping_ratio_and_a_typed_stiffness_the_damping() {
        let ratio = LINK.damping_ratio();
        let link =
            link_from_number(StiffnessLanguage::Box2d, &LINK, &PACE, Some(20.0), ratio).unwrap();
        assert!((link.damping_ratio() / ratio - 1.0).abs() < 1e-12, "{link:?}");
        assert!((link.omega() / std::f64::consts::TAU - 20.0).abs() < 1e-9, "{link:?}");
        let link =
            link_from_number(StiffnessLanguage::Newton, &LINK, &PACE, Some(500.0), ratio).unwrap();
        assert_eq!((link.stiffness, link.damping), (500.0, LINK.damping));
        assert_eq!(link_from_number(StiffnessLanguage::Pbd, &LINK, &PACE, Some(1.0), ratio), None);
    }
}
