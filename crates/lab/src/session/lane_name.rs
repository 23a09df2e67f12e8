//! Names of lanes (simulations of the scene, side by side). A duplicate gets the suffix "copy".
//! Words for integrator, solver, sweeps, substeps or step change with the settings.

use crate::quantity::in_words::{count_in_words, without_zeros};
use crate::simulation::settings::Settings;

const COPY: &str = " copy";

/// Returns the first name of the form `name copy`, `name copy 2`, … that is not taken.
pub fn name_copy(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let base = without_copy_suffix(name);
    let numbered = |number: u32| match number {
        1 => format!("{base}{COPY}"),
        number => format!("{base}{COPY} {number}"),
    };
    (1..).map(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

/// Returns the first name of the form `name`, `name 2`, … that is not taken, e.g. `XPBD 2`.
pub fn free_name(name: String, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number: u32| format!("{name} {number}"));
    let free_name = std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name));
    free_name.unwrap_or(name)
}

/// Returns the name of a lane after a change of its settings. Words for changed settings are
/// replaced. The suffix of a copy and the number of a repeated name are removed, because the
/// changed words already distinguish the lane.
pub fn rename_after_change(name: &str, old: &Settings, new: &Settings) -> String {
    let (before, now) = (wordings(old), wordings(new));
    let mut name = without_copy_suffix(name).to_owned();
    if before != now {
        name = without_number(&name, &before).to_owned();
    }
    for (before, now) in before.iter().zip(&now) {
        let known = before.iter().find_map(|words| Some((find_words(&name, words)?, words)));
        // The last of the words for a setting are the shortest.
        if let (Some((start, known)), false, Some(now)) = (known, before == now, now.last()) {
            name.replace_range(start..start + known.len(), now);
        }
    }
    name
}

fn without_copy_suffix(name: &str) -> &str {
    let number_less = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let copy = if number_less.len() < name.len() { number_less.trim_end() } else { name };
    copy.strip_suffix(COPY).unwrap_or(name)
}

/// Returns the name without a number at its end, provided that the number follows one of
/// `wordings`.
fn without_number<'a>(name: &'a str, wordings: &[Vec<String>]) -> &'a str {
    let number_less = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let base = number_less.strip_suffix(' ').filter(|_| number_less.len() < name.len());
    let is_worded =
        |base: &&str| wordings.iter().flatten().any(|words| base.ends_with(words.as_str()));
    base.filter(is_worded).unwrap_or(name)
}

/// Returns the words that a name may contain for each of five settings: integrator, solver, sweeps,
/// substeps, step. The words for a setting are sorted from the longest to the shortest.
fn wordings(settings: &Settings) -> [Vec<String>; 5] {
    let integrator = settings.integrator.info().title;
    let short = integrator.split(" (").next().unwrap_or(integrator);
    let short = short.strip_prefix("classical ").unwrap_or(short);
    let solver = settings.solver();
    let sweeps = solver.iterations();
    let sweeps = sweeps.map(|iterations| count_in_words(iterations, "sweep"));
    let step = |(scale, unit): (f64, &str)| {
        format!("{} {unit}", without_zeros(format!("{:.6}", settings.dt * scale)))
    };
    let unit = if settings.dt < 1.0 { (1e3, "ms") } else { (1.0, "s") };
    [
        vec![integrator.to_owned(), short.to_owned()],
        vec![solver.info().title.to_owned(), solver.short_name().to_owned()],
        sweeps.into_iter().collect(),
        vec![count_in_words(settings.substeps, "substep")],
        vec![step(unit)],
    ]
}

/// Returns the byte index at which `words` begin in a name, as whole words. `None` if the name does
/// not contain them.
fn find_words(name: &str, words: &str) -> Option<usize> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '.');
    name.match_indices(words).map(|(start, _)| start).find(|&start| {
        let (before, after) = (&name[..start], &name[start + words.len()..]);
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::settings_from_ron;

    fn settings(text: &str) -> Settings {
        settings_from_ron(text, Settings::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn copies_are_numbered() {
        let mut names = vec!["10 sweeps".to_owned()];
        for expected in ["10 sweeps copy", "10 sweeps copy 2", "10 sweeps copy 3"] {
            let newest = names[names.len() - 1].clone();
            names.push(name_copy(&newest, |name| names.iter().any(|taken| taken == name)));
            assert_eq!(names.last().map(String::as_str), Some(expected));
        }
        assert_eq!(without_copy_suffix("rope 2"), "rope 2");
        assert_eq!(without_copy_suffix("copy"), "copy");
    }

    #[test]
    fn what_a_name_says_follows_the_settings() {
        let xpbd = "constraints: Xpbd(iterations: 1)";
        for (name, old, new, expected) in [
            (
                "velocity Verlet + SHAKE copy 2",
                "(constraints: Shake())",
                "(integrator: Rk4, constraints: Shake())",
                "RK4 + SHAKE",
            ),
            ("RK4", "(integrator: Rk4)", "(integrator: Heun)", "Heun"),
            ("classical RK4", "(integrator: Rk4)", "(integrator: ImplicitEuler)", "implicit Euler"),
            ("SHAKE", "(constraints: Shake())", &format!("({xpbd})"), "XPBD"),
            (
                "XPBD, 10 substeps",
                &format!("({xpbd}, substeps: 10)"),
                &format!("({xpbd}, substeps: 4)"),
                "XPBD, 4 substeps",
            ),
            (
                "10 sweeps",
                "(constraints: Relaxation(iterations: 10))",
                "(constraints: Relaxation(iterations: 1))",
                "1 sweep",
            ),
            ("chord, 1 ms", "(dt: 0.001)", "(dt: 0.0005)", "chord, 0.5 ms"),
            ("0.1 ms", "(dt: 0.001)", "(dt: 0.0005)", "0.1 ms"),
            ("guess", "(dt: 0.001)", "(dt: 0.0005)", "guess"),
            ("RK4 2", "(integrator: Rk4)", "(integrator: Heun)", "Heun"),
            ("RK4 2", "(integrator: Rk4)", "(integrator: Rk4, dt: 0.002)", "RK4"),
            ("rope 2", "(integrator: Rk4)", "(integrator: Heun)", "rope 2"),
        ] {
            assert_eq!(
                rename_after_change(name, &settings(old), &settings(new)),
                expected,
                "{name}"
            );
        }
    }
}
