//! Source code of one step as a plain loop, in several languages.

use super::no_plain_loop::NoPlainLoop;
use super::templates::{LoopTemplates, SolverTemplate};
use super::{csharp, gdscript, memory, motion, rust};
use crate::constraint::{NoLoop, PlainLoop};
use crate::integrate::Method;
use crate::names::{UnknownName, same_name};
use crate::simulation::settings::Settings;
use std::borrow::Cow;
use strum::{EnumIter, IntoEnumIterator, IntoStaticStr};

/// Programming language of the exported code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Language {
    /// Rust with glam's `DVec3`.
    Rust,
    /// C# with Unity's `Vector3`.
    CSharp,
    /// Godot's GDScript.
    GdScript,
}

impl Language {
    /// Returns all languages.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the language with this name. Case and separators do not matter.
    pub fn from_name(name: &str) -> Result<Self, UnknownName> {
        Self::all()
            .find(|language| same_name(language.name(), name))
            .ok_or_else(|| UnknownName::new("language", name, Self::all().map(Self::name)))
    }

    /// Returns the name in menus.
    pub fn title(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::CSharp => "C# (Unity)",
            Self::GdScript => "GDScript",
        }
    }

    fn templates(self) -> &'static LoopTemplates {
        match self {
            Self::Rust => &rust::TEMPLATES,
            Self::CSharp => &csharp::TEMPLATES,
            Self::GdScript => &gdscript::TEMPLATES,
        }
    }
}

/// True if the code contains tethers. A solver with its own stiffness computes velocities before
/// tethers act, so its code cannot contain them.
pub(super) fn has_tethers(settings: &Settings) -> bool {
    settings.tethers.limit().is_some() && !settings.solver().has_own_stiffness()
}

/// Returns the source code of one step with these settings, for particles, links and gravity.
/// Contact, drag and wind are left out. If the solver is the direct one, the code is valid only for
/// a single rope whose links follow each other.
pub fn plain_loop(settings: &Settings, language: Language) -> Result<String, NoPlainLoop> {
    let templates = language.templates();
    let solver_code = solver_code(templates, settings)?;
    let moves_particles = solver_code.as_ref().is_some_and(|code| code.moves_particles);
    let projects = solver_code.is_some();
    let is_tethered = has_tethers(settings);
    let mut parts = motion::free_motion(templates, settings, moves_particles)?;
    let [memory, memory_says] = match &solver_code {
        Some(SolverCode { memory: [parameter, comment], .. }) if !parameter.is_empty() => {
            [*parameter, *comment].map(str::to_owned)
        }
        _ => memory::memory(templates, settings),
    };
    parts.extend(solver_code.map(|code| Cow::from(code.text)));
    if is_tethered {
        parts.push(templates.tethers.into());
    }
    let velocities_follow = !has_velocities_in_positions(settings) && !moves_particles;
    if (projects || is_tethered) && velocities_follow {
        let held = usize::from(projects) + usize::from(is_tethered);
        parts.insert(parts.len() - held, templates.free.into());
        parts.push(templates.velocities.into());
    }
    let lines = parts.iter().flat_map(|part| part.trim_matches('\n').lines());
    let body: Vec<String> = lines.map(|line| format!("{}{line}", templates.indent)).collect();
    let springs = if projects { "" } else { templates.springs };
    let is_damped = settings.stiffness_damping > 0.0;
    let springs = springs.replace("{damping}", templates.damping[usize::from(is_damped)]);
    let text = templates.frame.replace("{body}", body.join("\n").trim_start()) + &springs;
    let text = text.replace("{memory}", &memory).replace("{memory_says}", &memory_says);
    Ok(fill_placeholders(text.trim_start_matches('\n'), templates, settings))
}

/// True if the integrator stores the positions of the previous substep instead of velocities.
fn has_velocities_in_positions(settings: &Settings) -> bool {
    matches!(settings.integrator, Method::PositionVerlet(_))
}

struct SolverCode {
    text: String,
    memory: [&'static str; 2],
    moves_particles: bool,
}

/// Returns the code of the solver; `None` if all links are springs.
fn solver_code(
    templates: &LoopTemplates,
    settings: &Settings,
) -> Result<Option<SolverCode>, NoPlainLoop> {
    let solver = settings.solver();
    if solver.is_none() {
        return Ok(None);
    }
    let title = solver.info().title;
    let PlainLoop { form, numbers, lacks_stiffness_damping, moves_particles, .. } =
        solver.plain_loop().map_err(|why| match why {
            NoLoop::Solver => NoPlainLoop::Solver(title),
            NoLoop::Parameter(parameter) => NoPlainLoop::Parameter { solver: title, parameter },
        })?;
    if lacks_stiffness_damping && settings.stiffness_damping > 0.0 {
        return Err(NoPlainLoop::Parameter { solver: title, parameter: "damping" });
    }
    let template = templates.solvers.iter().find(|template| template.name == solver.info().name);
    let SolverTemplate { text, forms, memory, .. } = template.ok_or(NoPlainLoop::Solver(title))?;
    let formed = forms.iter().fold((*text).to_owned(), |text, (placeholder, forms)| {
        text.replace(placeholder, forms[form])
    });
    let text = numbers
        .into_iter()
        .fold(formed, |text, (placeholder, number)| text.replace(placeholder, &number));
    Ok(Some(SolverCode { text, memory: *memory, moves_particles }))
}

fn fill_placeholders(text: &str, templates: &LoopTemplates, settings: &Settings) -> String {
    let [state, states] = match has_velocities_in_positions(settings) {
        true => ["old", "positions in the previous substep"],
        false => ["v", "velocities"],
    };
    let is_tethered = has_tethers(settings);
    let [tethers, types] = if is_tethered { templates.tether } else { ["", ""] };
    let mut title = settings.integrator.info().title.to_owned();
    if !settings.solver().is_none() {
        title += &format!(", {}", settings.solver().info().title);
    }
    if is_tethered {
        title += " with tethers";
    }
    text.replace("{tethers}", tethers)
        .replace("{types}", types)
        .replace("{multiplier}", &format!("{:?}", settings.tethers.limit().unwrap_or_default()))
        .replace("{title}", &title)
        .replace("{states}", states)
        .replace("{state}", state)
        .replace("{beta}", &format!("{:?}", settings.stiffness_damping))
        .replace("{dt} s", &format!("{} s", in_words(settings.dt)))
        .replace("{dt}f", &number_as_code(settings.dt, "f"))
        .replace("{dt}", &number_as_code(settings.dt, ""))
        .replace("{substeps}", &settings.substeps.to_string())
}

/// Longest decimal notation in characters. A longer number becomes a fraction if possible.
const MOST_CHARACTERS: usize = 8;
const MOST_DENOMINATOR: u32 = 1000;

/// Returns n if the number equals 1/n and its decimal notation is long; otherwise `None`.
fn denominator(number: f64) -> Option<u32> {
    let is_long = format!("{number:?}").len() > MOST_CHARACTERS;
    (2..=MOST_DENOMINATOR).find(|it| is_long && 1.0 / f64::from(*it) == number)
}

/// Returns a number as source code that gives the same bits. A number with a long decimal notation
/// becomes a fraction if possible: `1.0 / 60.0`. The suffix is appended to each literal.
fn number_as_code(number: f64, suffix: &str) -> String {
    match denominator(number) {
        Some(denominator) => format!("1.0{suffix} / {denominator}.0{suffix}"),
        None => format!("{number:?}{suffix}"),
    }
}

/// Returns a number as text for a comment. A number with a long decimal notation becomes a fraction
/// if possible: `1/60`.
fn in_words(number: f64) -> String {
    denominator(number).map_or_else(|| format!("{number:?}"), |it| format!("1/{it}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{
        ConstraintSolver, Direct, Relaxation, Root, Shake, SoftStep, Vbd, Xpbd,
    };
    use crate::simulation::settings::LinkMode;

    #[test]
    fn steps_that_are_fractions_are_written_as_such() {
        assert_eq!(number_as_code(1.0 / 60.0, ""), "1.0 / 60.0");
        assert_eq!(number_as_code(1.0 / 60.0, "f"), "1.0f / 60.0f");
        assert_eq!([in_words(1.0 / 60.0), in_words(0.001)], ["1/60", "0.001"]);
        assert_eq!(number_as_code(0.001, ""), "0.001");
        assert_eq!(number_as_code(0.0333, "f"), "0.0333f");
        let third = 1.0 / 3.0 + f64::EPSILON;
        assert_eq!(number_as_code(third, ""), format!("{third:?}"));
        let settings = Settings { dt: 1.0 / 60.0, substeps: 17, ..Settings::default() };
        let code = |language| plain_loop(&settings, language).expect("a loop");
        assert!(code(Language::Rust).contains("let h = 1.0 / 60.0 / 17 as f64;"));
        assert!(code(Language::CSharp).contains("const float h = 1.0f / 60.0f / 17;"));
        assert!(code(Language::GdScript).contains("var h := 1.0 / 60.0 / 17\n"));
    }
    #[test]
    fn what_does_not_fit_on_a_page_is_said() {
        let with = |settings: Settings| plain_loop(&settings, Language::Rust).unwrap_err();
        let base = Settings::default();
        let implicit = Settings { integrator: Method::ImplicitEuler, ..base };
        assert!(with(implicit).to_string().starts_with("implicit Euler does not fit into a loop"));
        let projected = |constraints, integrator| Settings {
            links: LinkMode::Constraints,
            constraints,
            integrator,
            ..base
        };
        let shake = ConstraintSolver::Shake(Shake::default());
        assert!(matches!(with(projected(shake, base.integrator)), NoPlainLoop::Solver(_)));
        let blocks = with(projected(ConstraintSolver::Vbd(Vbd::default()), base.integrator));
        assert!(
            blocks.to_string().starts_with("vertex block descent (VBD) does not fit into a loop")
                && blocks.to_string().ends_with("relaxation, xpbd, direct, soft-step do"),
            "{blocks}"
        );
        let relaxed = ConstraintSolver::Xpbd(Xpbd { omega: 1.3, ..Xpbd::default() });
        let text = with(projected(relaxed, base.integrator)).to_string();
        assert!(text.contains("(XPBD) with over-relaxation does not fit"), "{text}");
        let xpbd = ConstraintSolver::Xpbd(Xpbd::default());
        for method in [Method::Rk4, Method::Beeman, Method::Heun] {
            let title = method.info().title;
            assert_eq!(with(projected(xpbd, method)), NoPlainLoop::Stages(title));
        }
        let damped = Settings { stiffness_damping: 1e-4, ..projected(xpbd, base.integrator) };
        assert!(matches!(with(damped), NoPlainLoop::Parameter { parameter: "damping", .. }));
    }

    #[test]
    fn no_placeholder_is_left_in_any_language() {
        let xpbd = ConstraintSolver::Xpbd(Xpbd::default());
        for language in Language::all() {
            let words = |text: &str| {
                ["{h", "{dt", "{s", "{t", "{b", "{i", "{m", "{z", "{r", "{c"]
                    .map(|w| text.contains(w))
            };
            let soft =
                |hertz| ConstraintSolver::SoftStep(SoftStep { hertz, ..SoftStep::default() });
            let (springs, held) = (LinkMode::Springs, LinkMode::Constraints);
            let direct = ConstraintSolver::Direct(Direct::default());
            let relaxed =
                |root| ConstraintSolver::Relaxation(Relaxation { root, ..Relaxation::default() });
            for (links, constraints, most) in [
                (springs, xpbd, 60),
                (held, relaxed(Root::Exact), 60),
                (held, relaxed(Root::RootFree), 60),
                (held, xpbd, 60),
                (held, direct, 75),
                (held, soft(Some(60.0)), 90),
                (held, soft(None), 90),
            ] {
                let integrator = Method::SymplecticEuler;
                let settings = Settings { links, constraints, integrator, ..Settings::default() };
                let text = plain_loop(&settings, language).unwrap();
                assert_eq!(words(&text), [false; 10], "{text}");
                assert!(text.contains("0.001"), "{text}");
                assert!(text.lines().count() < most, "{text}");
            }
        }
    }
}
