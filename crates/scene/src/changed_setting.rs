//! Change of one parameter of the settings, e.g. by the command-line option `--set PATH=VALUE`.

use super::error::translate_ron_error;
use super::ron_options::ron_options;
use super::text::brackets::Bracketed;
use super::text::nesting;
use super::vary::{VaryError, hint, place};
use ropelab_core::simulation::settings::Settings;
use serde_json::Value;
use std::ops::Range;

/// Changes one parameter of the settings, checks the result and returns it. `path` consists of
/// field names of the scene file, e.g. `integrator.rho_inf`. `value` is written as in a scene file:
/// a number, a word, or a word with values such as `On(1.01)` or `PositionVerlet(start: Article)`.
/// An optional number may also be written as `None` or `Some(3)`, as in printed settings. A method
/// without brackets gets its default parameters.
pub fn settings_with(settings: &Settings, path: &str, value: &str) -> Result<Settings, String> {
    let mut root = serde_json::to_value(settings).map_err(|error| error.to_string())?;
    let old = place(&mut root, path).map_err(|error| match error {
        VaryError::NoSuchPart { part, nearest, known, .. } => {
            format!("found no \"{part}\" here{}", hint(&nearest, &known))
        }
        other => other.to_string(),
    })?;
    let text = ron_options().to_string(settings).map_err(|error| error.to_string())?;
    let range = range_at(&text, path).ok_or_else(|| format!("found no \"{path}\""))?;
    let with = |value: &str| {
        read_settings(&format!("{}{value}{}", &text[..range.start], &text[range.end..]))
    };
    nesting::check(value).map_err(|(_, problem)| problem)?;
    let is_name = !value.is_empty() && value.chars().all(char::is_alphanumeric);
    let typed = as_number_like(old, value);
    let read = with(typed.as_deref().unwrap_or(value));
    let read = read.or_else(|error| match is_name {
        true => with(&format!("{value}()")),
        false => Err(error),
    });
    let changed = read.map_err(|error| {
        let is_optional = old.is_null() || old.is_number() && with("None").is_ok();
        match describe_expected(old, is_optional) {
            Some(expected) => format!("found \"{value}\", expected {expected}"),
            None => error,
        }
    })?;
    changed.check()?;
    Ok(changed)
}

fn read_settings(text: &str) -> Result<Settings, String> {
    let bracketed = Bracketed::new(text);
    let read = ron_options().from_str::<Settings>(&bracketed.text);
    read.map_err(|error| translate_ron_error(&bracketed.text, &error).1)
}

/// Returns the byte range of the value at a path. `text` is RON without spaces or strings, such as
/// `(tethers:Off(1.01),dt:0.001)`. The path may omit the names of enum variants.
fn range_at(text: &str, path: &str) -> Option<Range<usize>> {
    let mut range = 0..text.len();
    let mut parts = path.split(['.', '[', ']']).filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let value = &text[range.clone()];
        let open = value.find('(')?;
        let inside = range.start + open + 1..range.end - 1;
        if &value[..open] != part {
            let name = format!("{part}:");
            let field = fields(text, inside).find(|it| text[it.clone()].starts_with(&name))?;
            range = field.start + name.len()..field.end;
        } else if parts.peek().is_none() {
            range = inside;
        }
    }
    Some(range)
}

/// Returns the byte ranges between the commas that are outside brackets.
fn fields(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = range.start;
    std::iter::from_fn(move || {
        let mut depth = 0_u32;
        let length = text[start.min(range.end)..range.end].find(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        });
        let end = length.map_or(range.end, |length| start + length);
        let field = (start < range.end).then_some(start..end);
        start = end + 1;
        field
    })
}

/// Rewrites a typed number that replaces the whole number `old`: `1e3` becomes `1000`, because RON
/// does not read exponents in whole numbers. `None` if the typed text needs no change.
fn as_number_like(old: &Value, typed: &str) -> Option<String> {
    let number = typed.parse::<f64>().ok().filter(|number| number.is_finite())?;
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    match old.is_u64() && is_whole {
        true => Some((number as u64).to_string()),
        false => None,
    }
}

/// Describes the values that a parameter accepts. `None` for enums and groups of fields, because
/// the error message of the RON reader lists their values.
fn describe_expected(old: &Value, is_optional: bool) -> Option<&'static str> {
    match old {
        Value::Null => Some("a number or None"),
        Value::Number(_) if is_optional => Some("a number or None"),
        Value::Number(number) if number.is_u64() => Some("a whole number"),
        Value::Number(_) => Some("a number"),
        Value::Bool(_) => Some("true or false"),
        Value::Object(guard) if guard.contains_key("On") || guard.contains_key("Off") => {
            Some("a limit such as On(0.05) or Off(0.05)")
        }
        Value::String(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use ropelab_core::constraint::{ConstraintSolver, SweepOrder, Xpbd};
    use ropelab_core::integrate::Method;
    use ropelab_core::simulation::settings::LinkMode;

    #[test]
    fn every_parameter_of_settings_has_a_path() {
        let constraints = ConstraintSolver::Xpbd(Xpbd::default());
        let links = LinkMode::Constraints;
        let settings = Settings { links, constraints, ..Settings::default() };
        let with = |path: &str, value: &str| settings_with(&settings, path, value);
        let sweeps = with("constraints.iterations", "7").unwrap().constraints.iterations();
        assert_eq!(sweeps, Some(7));
        assert_eq!(with("integrator", "ImplicitEuler").unwrap().integrator, Method::ImplicitEuler);
        assert_eq!(with("contact.itself", "Off").unwrap().contact.info().name, "swept");
        assert_eq!(with("contact.most_events", "1e3"), with("contact.most_events", "1000"));
        assert_eq!(with("tethers.Off", "2"), with("tethers", "Off(2)"));
        let unknown = with("integrator.rho", "1").unwrap_err();
        assert!(unknown.contains("found no \"rho\" here"), "{unknown}");
        // Every setting whose value is a word with a number in brackets, written as in the scene
        // format.
        let with_value = [
            ("tethers", "On(1.01)", "tethers: On(1.01)"),
            ("tethers", "Off(2)", "tethers: Off(2)"),
            ("strain_limit", "On( 0.05 )", "strain_limit: On(0.05)"),
            ("guards.frame_clamp", "On(0.02)", "guards: (frame_clamp: On(0.02))"),
            ("guards.frame_clamp", "Off(0.02)", "guards: (frame_clamp: Off(0.02))"),
            ("guards.accumulator_cap", "On(0.1)", "guards: (accumulator_cap: On(0.1))"),
            ("guards.most_steps", "On(2)", "guards: (most_steps: On(2))"),
            ("guards.time_budget", "On(0.01)", "guards: (time_budget: On(0.01))"),
            ("tear", "AboveStrain(0.2)", "tear: AboveStrain(0.2)"),
            ("tear", "AboveForce(5)", "tear: AboveForce(5)"),
            // Values with named fields, and methods with their default parameters.
            (
                "integrator",
                "PositionVerlet(start:Article)",
                "integrator: PositionVerlet(start: Article)",
            ),
            ("integrator", "PositionVerlet", "integrator: PositionVerlet"),
            ("integrator", "ImplicitEuler()", "integrator: ImplicitEuler"),
            ("contact", "Penalty", "contact: Penalty()"),
            ("contact", "Penalty(stiffness:3)", "contact: Penalty(stiffness: 3)"),
            ("contact", "Swept", "contact: Swept()"),
            ("contact", "Swept(itself: Swept)", "contact: Swept(itself: Swept)"),
            ("contact", "Off", "contact: Off"),
            ("stepping", "FrameSubsteps(n: 3)", "stepping: FrameSubsteps(n: 3)"),
            (
                "constraints",
                "Xpbd(order: Jacobi(damping: 0.5), compliance: 1e-3)",
                "links: Springs, constraints: Xpbd(order: Jacobi(damping: 0.5), compliance: 1e-3)",
            ),
            ("guards", "(most_steps: On(2))", "guards: (most_steps: On(2))"),
        ];
        for (path, value, typed) in with_value {
            let text = format!(
                "(version: 1, name: \"x\", particles: [(at: (0, 0, 0))],
                  settings: ({typed}))"
            );
            let of_file = Scene::parse(&text, "x").unwrap().lanes[0].settings;
            let changed = settings_with(&Settings::default(), path, value);
            assert_eq!(changed, Ok(of_file), "{path} = {value}");
        }
        for (path, value) in [
            ("tethers", "On(0.5)"),
            ("tethers", "Up(2)"),
            ("tear", "On(2)"),
            ("guards.most_steps", "On(2.5)"),
            ("dt", "On(2)"),
        ] {
            assert!(with(path, value).is_err(), "{path} = {value}");
        }
        let jacobi = with("constraints.order", "Jacobi(damping: 0.5)").unwrap().constraints;
        let order = SweepOrder::Jacobi { damping: 0.5 };
        assert_eq!(jacobi, ConstraintSolver::Xpbd(Xpbd { order, ..Xpbd::default() }));
        for (path, value, message) in [
            ("integrator", "Euler", "unknown integrator \"Euler\""),
            ("constraints.order", "Jacobi(dampng: 1)", "\"dampng\""),
            ("contact", "Penalty(stiffness: -3)", "contact: stiffness is -3"),
            ("dt", "0.1, substeps: 3", "found \"0.1, substeps: 3\", expected a number"),
            ("guards", "", "expected"),
            ("stepping", "frame-coupled", "found `frame-coupled`, expected a name of letters"),
            ("constraints.order", "Jacobi", "\"damping\""),
        ] {
            let error = with(path, value).unwrap_err();
            assert!(error.contains(message), "{path} = {value}: {error}");
        }
        assert!(with("dt", "0").is_err());
        assert!(with("constraints.iterations", "many").is_err());
    }
}
