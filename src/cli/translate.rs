//! `ropelab translate`: the same stiffness of a link in the parameters of several engines.

use crate::cli::error::Error;
use crate::cli::output::{Output, Overwrite};
use crate::cli::streams::{print, print_json};
use clap::Args;
use ropelab::analysis::in_words::count_in_words;
use ropelab::export::is_standard_output;
use ropelab::names::table::Table;
use ropelab::quantity::{argument, four_digits};
use ropelab::scene::Scene;
use ropelab::stiffness::{EngineRope, EngineStiffness, SoftLink, SolverSteps, StiffnessLanguage};
use serde::Serialize;
use std::path::PathBuf;

/// Translate the stiffness of a link between N/m, compliance, hertz and engines' coefficients
///
/// An engine's parameter determines a stiffness only together with masses, substeps and sweeps. The
/// column "really" is the stiffness of a single link after the engine's own limits.
///
/// Examples:
///   ropelab translate --stiffness 1000 --mass 0.05 --dt 1/60 --substeps 4
///   ropelab translate --from box2d --value 60 --damping-ratio 2 --mass 0.05 --substeps 4
///   ropelab translate --from godot --value 0.5 --mass 0.0083 --substeps 5 --to jolt,unreal
///   ropelab translate --from box2d --value 60 --damping-ratio 2 --mass 0.05 --length 0.1 \
///       --substeps 4 --segments 20 --scene my-rope.ron
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Translate {
    /// Stiffness in N/m; the same as --from newton --value
    #[arg(long, value_name = "N/M")]
    #[arg(conflicts_with_all = ["from", "value"])]
    stiffness: Option<f64>,
    /// Engine or quantity in whose terms --value is given (`newton`, `box2d`, `godot`, …)
    #[arg(long, value_name = "LANGUAGE", requires = "value", value_parser = parse_language)]
    from: Option<StiffnessLanguage>,
    /// Stiffness in the terms of --from: N/m, m/N, hertz or a coefficient
    #[arg(long, value_name = "NUMBER", requires = "from")]
    value: Option<f64>,
    /// Damping ratio ζ [default: 0]
    #[arg(long, value_name = "ZETA", conflicts_with = "damping")]
    damping_ratio: Option<f64>,
    /// Damping in N·s/m
    #[arg(long, value_name = "N·S/M")]
    damping: Option<f64>,
    /// Mass of each end in kilograms: one number for both ends, or two numbers; `inf` for a pinned
    /// end, as in `0.05,inf`
    #[arg(long, value_name = "KG[,KG]", value_delimiter = ',', num_args = 1..=2)]
    #[arg(default_value = "1")]
    mass: Vec<f64>,
    /// Rest length of the link in metres
    #[arg(long, value_name = "M", default_value_t = 1.0)]
    length: f64,
    /// Step (`1/60`, `16ms`, `60hz`)
    #[arg(long, value_name = "TIME", default_value = "1/60", value_parser = argument::parse_step)]
    dt: f64,
    /// Substeps per step; in Godot the simulation precision
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    substeps: u32,
    /// Sweeps per substep
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    iterations: u32,
    /// Languages to translate into [default: all]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', value_parser = parse_language)]
    to: Vec<StiffnessLanguage>,
    /// Write a scene for explain, limit and advise (- is standard output): a hanging rope of these
    /// links, stepped as in the engine's solver
    #[arg(long, value_name = "FILE")]
    scene: Option<PathBuf>,
    /// Number of links of the rope in --scene
    #[arg(long, value_name = "N", default_value_t = 20, requires = "scene",
        value_parser = clap::value_parser!(u32).range(1..=EngineRope::MOST_SEGMENTS as i64))]
    segments: u32,
    /// Overwrite a scene file that has the name of --scene
    #[arg(long, requires = "scene")]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Translation {
    /// The link: `stiffness` in N/m, `damping` in N·s/m, `inverse_mass` (sum of both ends) in 1/kg,
    /// `length` in m.
    link: SoftLink,
    /// Step of the engine: `dt` in seconds, `substeps` per step, `sweeps` per substep.
    pace: SolverSteps,
    /// Limit of the engine that changed the given value, and the new value; null if no limit
    /// changed it.
    limited: Option<String>,
    /// Values to type in each engine.
    phrases: Vec<EngineStiffness>,
}

fn parse_language(text: &str) -> Result<StiffnessLanguage, String> {
    StiffnessLanguage::from_name(text).map_err(|error| {
        let names: Vec<_> = StiffnessLanguage::all().map(StiffnessLanguage::name).collect();
        format!("{error}; the languages are {}", names.join(", "))
    })
}

impl Translate {
    pub fn run(self) -> Result<(), Error> {
        let outputs = [("--scene", self.scene.as_deref())];
        let overwrite = Overwrite { force: self.force };
        let output = Output::check(Vec::new(), &outputs, self.json, overwrite)?;
        let translation = self.translation()?;
        if let Some(file) = &self.scene {
            output.write(file, self.scene_text(&translation)?)?;
            if is_standard_output(file) {
                return Ok(());
            }
        }
        if self.json { print_json(&translation) } else { print(&translation.to_text()) }
    }

    fn translation(&self) -> Result<Translation, Error> {
        let pace = SolverSteps { dt: self.dt, substeps: self.substeps, sweeps: self.iterations };
        let is_step = self.dt.is_finite() && self.dt > 0.0;
        let is_length = self.length.is_finite() && self.length > 0.0;
        check_argument("--dt", self.dt, is_step, "a step above 0 such as 1/60")?;
        check_argument("--length", self.length, is_length, "metres above 0 such as 0.1")?;
        for &mass in &self.mass {
            check_argument("--mass", mass, mass > 0.0, "kilograms above 0 such as 0.05, or inf")?;
        }
        for (option, value, unit) in [
            ("--damping-ratio", self.damping_ratio, "0 or more"),
            ("--damping", self.damping, "N·s/m of 0 or more"),
        ] {
            let value = value.unwrap_or(0.0);
            check_argument(option, value, value.is_finite() && value >= 0.0, unit)?;
        }
        if self.mass.len() > 2 {
            let message = format!("--mass has {} numbers; a link has two ends", self.mass.len());
            return Err(Error::Settings(message));
        }
        let [first, last] = [self.mass[0], *self.mass.last().unwrap_or(&self.mass[0])];
        let inverse_mass = 1.0 / first + 1.0 / last;
        let is_free = inverse_mass.is_finite() && inverse_mass > 0.0;
        check_argument("--mass", first, is_free, "at least one end with a mass")?;
        let ends = SoftLink { stiffness: 1.0, damping: 0.0, inverse_mass, length: self.length };
        let link = self.read_link(&ends, &pace)?;
        let stiffness_languages =
            if self.to.is_empty() { StiffnessLanguage::all().collect() } else { self.to.clone() };
        let phrases = stiffness_languages.iter().map(|it| it.write(&link, &pace)).collect();
        let limited =
            self.from.zip(self.value).and_then(|(from, value)| from.limit_in_words(value, &pace));
        Ok(Translation { link, pace, limited, phrases })
    }

    /// Returns the text of a scene of a hanging rope of these links. It is stepped as the engine's
    /// solver does.
    fn scene_text(&self, translation: &Translation) -> Result<String, Error> {
        let Translation { link, pace, .. } = *translation;
        let stiffness_language = self.from.unwrap_or(StiffnessLanguage::Newton);
        let typed = self.stiffness.or(self.value).unwrap_or(link.stiffness);
        let mass = self.mass.iter().copied().find(|mass| mass.is_finite());
        let Some(mass) = mass else { return Err(Error::Settings("--mass is inf".to_owned())) };
        let segments = self.segments;
        let text =
            EngineRope { stiffness_language, typed, link, steps: pace, mass, segments }.to_ron();
        // Parsing the new text checks that the scene can be read again.
        Scene::parse(&text, "--scene")?;
        Ok(text)
    }

    /// Returns the link that the arguments describe.
    fn read_link(&self, ends: &SoftLink, pace: &SolverSteps) -> Result<SoftLink, Error> {
        let from = self.from.unwrap_or(StiffnessLanguage::Newton);
        let Some(value) = self.stiffness.or(self.value) else {
            let message = "expected --stiffness N/M, or --from LANGUAGE --value NUMBER";
            return Err(Error::Settings(message.to_owned()));
        };
        let second = if from.takes_damping_ratio() { self.damping_ratio } else { self.damping };
        let link = from.read(value, second, ends, pace);
        let mut link = link.map_err(|error| Error::Settings(error.to_string()))?;
        // Sets the damping in the form that the language does not use (ratio or N·s/m).
        match (self.damping_ratio, self.damping) {
            (Some(ratio), _) if !from.takes_damping_ratio() => {
                link.damping = 2.0 * ratio * link.omega() / link.inverse_mass;
            }
            (_, Some(damping)) if from.takes_damping_ratio() => link.damping = damping,
            _ => {}
        }
        Ok(link)
    }
}

fn check_argument(argument: &str, value: f64, is_good: bool, expected: &str) -> Result<(), Error> {
    match is_good {
        true => Ok(()),
        false => Err(Error::Settings(format!("{argument} is {value}; expected {expected}"))),
    }
}

impl Translation {
    fn to_text(&self) -> String {
        let Self { link, pace, limited, phrases } = self;
        let limited = limited.as_ref().map_or(String::new(), |limited| format!("{limited}\n"));
        let heading = format!(
            "{} N/m, {} N·s/m (ζ = {}), w₁ + w₂ = {} 1/kg, {} with {} of {}\n{limited}\n",
            four_digits::format_significant(link.stiffness),
            four_digits::format_significant(link.damping),
            four_digits::format_significant(link.damping_ratio()),
            four_digits::format_significant(link.inverse_mass),
            four_digits::format_seconds(pace.dt),
            count_in_words(pace.substeps, "substep"),
            four_digits::format_seconds(pace.h()),
        );
        let row = |phrase: &EngineStiffness| {
            let typed = phrase.parameters.iter().map(|parameter| {
                let value = four_digits::format_significant(parameter.value);
                format!("{} {value} {}", parameter.name, parameter.unit).trim_end().to_owned()
            });
            [
                phrase.language.to_owned(),
                typed.collect::<Vec<_>>().join(", "),
                format!("{} N/m", four_digits::format_significant(phrase.effective)),
                phrase.note.clone().unwrap_or_default(),
            ]
        };
        let table = Table::new(["language", "type", "really", "note"], phrases.iter().map(row));
        heading + &table.to_text()
    }
}
