//! Source code of a scene's time step, divided into the substeps of a frame, with a list of
//! omissions.

use super::frame::{FRAME, steps_of_a_frame};
use super::no_plain_loop::NoPlainLoop;
use super::omissions::{differing_stepping, omissions};
use super::plain_loop::{Language, plain_loop};
use crate::analysis::in_words::seconds_in_words;
use crate::constraint::ConstraintSolver;
use crate::mesh::Link;
use crate::model::Parts;
use crate::simulation::settings::Settings;

/// Returns the source code of one step with these settings, for the particles, links and gravity of
/// a scene. If the scene's steps are shorter than a frame, the code must be called once per frame
/// of 1/60 s. Comments at its top name everything that acts in the scene but not in the code.
/// Returns an error if the settings do not fit into a plain loop, e.g. if the links are damped, but
/// the solver's code has no damping.
pub fn loop_of_scene(
    parts: &Parts,
    settings: &Settings,
    language: Language,
) -> Result<String, NoPlainLoop> {
    let solver = settings.solver();
    let is_damped = |link: Link| link.damping > 0.0 && !link.rigid && solver.constrains(&link);
    let written = solver.plain_loop().unwrap_or_default();
    let title = solver.info().title;
    if written.lacks_link_damping && parts.mesh.links.iter().any(is_damped) {
        return Err(NoPlainLoop::Parameter { solver: title, parameter: "damping" });
    }
    if written.needs_one_rope && !is_one_rope(parts, &solver) {
        return Err(NoPlainLoop::NotOneRope(title));
    }
    let framed = for_a_frame(settings);
    let code = plain_loop(&framed, language)?;
    let mark = if matches!(language, Language::GdScript) { "#" } else { "//" };
    let mut comments = String::new();
    let omissions = omissions(parts, settings, language);
    if !omissions.is_empty() {
        comments = format!(
            "{mark} Left out, although it acts in the scene: {}.\n{mark} Therefore the motion \
             differs.\n",
            omissions.join(", ")
        );
    }
    let [own, shown] = [settings, &framed].map(|it| it.dt / f64::from(it.substeps));
    if (shown / own - 1.0).abs() > 1e-6 {
        comments += &format!(
            "{mark} Substeps here last {}, so that a frame contains a whole number of them. In the \
             lane they last {}.\n",
            seconds_in_words(shown),
            seconds_in_words(own),
        );
    }
    if let Some(measures) = written.omission {
        comments += &format!(
            "{mark} The solver's measures for hard steps are left out: {measures}.\n{mark} The \
             motion differs where links rotate far in a substep.\n"
        );
    }
    if let Some(scheme) = differing_stepping(settings, &framed) {
        comments += &format!(
            "{mark} The lane's stepping scheme is left out: {scheme}. Its frames contain other \
             steps than this code.\n"
        );
    }
    Ok(comments + &code)
}

/// True if each link begins at the end of the previous link, and the solver constrains all links.
fn is_one_rope(parts: &Parts, solver: &ConstraintSolver) -> bool {
    let links: Vec<Link> = parts.mesh.links.iter().collect();
    links.iter().all(|link| solver.constrains(link))
        && links.windows(2).all(|pair| pair[0].b == pair[1].a)
}

/// Returns the settings with one step per frame. Steps shorter than a frame become substeps.
fn for_a_frame(settings: &Settings) -> Settings {
    let steps = steps_of_a_frame(settings.dt);
    if !(2.0..=1000.0).contains(&steps) {
        return *settings;
    }
    Settings { dt: FRAME, substeps: settings.substeps.saturating_mul(steps as u32), ..*settings }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support;

    fn code(text: &str) -> Result<String, NoPlainLoop> {
        let scene = support::scene(text);
        loop_of_scene(&scene.parts, &scene.lanes[0].settings, Language::CSharp)
    }

    const ROPE: &str = r#"version: 1, name: "rope",
        materials: [Rope(name: "cord", mass_per_metre: 1, stiffness: 200, damping: 0.1)],
        ropes: [(name: "rope", from: (0, 2, 0), to: (1, 1.8, 0), segments: 5, material: "cord")],
        pins: [(of: Start("rope"))]"#;

    #[test]
    fn what_a_loop_leaves_out_is_named() {
        let with = |more: &str| code(&format!("({ROPE}, {more})"));
        let drag = with("forces: [(law: Gravity()), (law: LinearDrag(coefficient: 1))]");
        let drag = drag.expect("drag is named, not refused");
        assert!(drag.starts_with("// Left out, although it acts in the scene: "), "{drag}");
        let floor = "colliders: [(shape: Plane())], surfaces: [(of: All, radius: 0.01)]";
        assert!(with(floor).expect("contact is named").contains("scene: contact"));
        assert!(!with("look_for: \"\"").expect("nothing is left out").contains("Left out"));
    }

    #[test]
    fn substeps_of_another_length_than_the_scene_has_are_said() {
        let with = |dt: &str| code(&format!("({ROPE}, settings: (dt: {dt}))")).expect("a loop");
        let comments = "// Substeps here last 980 µs, so that a frame contains a whole number of them. \
                    In the lane they last 1 ms.\n";
        assert!(with("0.001").starts_with(comments), "{}", with("0.001"));
        assert!(
            !with("0.0016666666666666668").contains("Substeps here last"),
            "ten of them are a frame"
        );
        assert!(!with("0.02").contains("Substeps here last"), "a step is longer than a frame");
    }

    #[test]
    fn xpbd_whose_links_are_damped_is_refused() {
        let damped = code(&format!("({ROPE}, settings: (constraints: Xpbd()))"));
        assert!(matches!(damped, Err(NoPlainLoop::Parameter { parameter: "damping", .. })));
        let rope = ROPE.replace("damping: 0.1", "damping: 0");
        assert!(code(&format!("({rope}, settings: (constraints: Xpbd()))")).is_ok());
    }

    #[test]
    fn the_direct_solver_is_a_plain_loop_on_one_rope_only() {
        let rope = ROPE.replace("damping: 0.1", "damping: 0");
        let direct = "settings: (constraints: Direct())";
        let text = code(&format!("({rope}, {direct})")).expect("a loop");
        assert!(text.contains("all links of the rope at once"), "{text}");
        let left_out = "// The solver's measures for hard steps are left out: halving of solves \
                        that increase the residual, ";
        assert!(text.contains(left_out), "{text}");
        let xpbd = code(&format!("({rope}, settings: (constraints: Xpbd()))")).expect("a loop");
        assert!(!xpbd.contains("left out"), "{xpbd}");
        let tied = r#"links: [(a: Node("rope", 1), b: Node("rope", 4), stiffness: 100)]"#;
        let tied = code(&format!("({rope}, {tied}, {direct})"));
        assert!(matches!(tied, Err(NoPlainLoop::NotOneRope(_))), "{tied:?}");
    }

    #[test]
    fn short_steps_become_substeps_of_a_frame() {
        let text = code(&format!("({ROPE}, settings: (dt: 0.001))")).expect("a loop");
        assert!(text.contains("s < 17"), "{text}");
    }
}
