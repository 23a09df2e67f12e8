//! Warning about solvers that replace the stiffness of the material.

use crate::model::Parts;
use crate::simulation::settings::Settings;

/// Relative difference above which two stiffnesses count as different.
const STIFFNESS_RATIO: f64 = 0.01;

/// Returns a sentence that says how the solver replaces the stiffness of links that are elastic in
/// the scene. `None` if the links keep the stiffness of their material.
pub(super) fn describe_replaced_stiffness(parts: &Parts, settings: &Settings) -> Option<String> {
    let solver = settings.solver();
    let h = settings.dt / f64::from(settings.substeps);
    let inverse_mass = |i: u32| {
        let is_pinned = parts.pins.iter().any(|pin| pin.particle == i);
        if is_pinned { 0.0 } else { 1.0 / parts.mesh.masses[i as usize] }
    };
    let elastic = parts.mesh.links.iter().filter(|link| !link.rigid && solver.constrains(link));
    let mut replaced = elastic.filter_map(|link| {
        let spring = solver.as_spring(&link, inverse_mass(link.a) + inverse_mass(link.b), h);
        let ratio = spring.map_or(f64::INFINITY, |spring| spring.stiffness / link.stiffness);
        ((ratio - 1.0).abs() > STIFFNESS_RATIO).then_some(ratio)
    });
    let ratio = replaced.next()?;
    let title = solver.info().title;
    let effect = match (ratio.is_finite(), solver.has_tolerance()) {
        (true, _) => "the solver's own stiffness decides how far links stretch",
        (false, true) => "it holds every link at its rest length",
        (false, false) => "sweeps and substeps decide how far links stretch",
    };
    Some(format!("Caution: {title} replaces the stiffness of the material; {effect}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::ConstraintSolver;
    use crate::simulation::settings::LinkMode;
    use crate::support;

    fn caution(rigid: bool, solver: &str) -> Option<String> {
        let text = format!(
            r#"(version: 1, name: "rope",
                materials: [Rope(name: "m", mass_per_metre: 1, stiffness: 200, rigid: {rigid})],
                ropes: [(name: "r", from: (0, 2, 0), to: (1, 2, 0), segments: 5, material: "m")])"#
        );
        let scene = support::scene(&text);
        let constraints = ConstraintSolver::from_name(solver).expect("a solver");
        let links = LinkMode::Constraints;
        let settings = Settings { links, constraints, ..scene.lanes[0].settings };
        describe_replaced_stiffness(&scene.parts, &settings)
    }

    #[test]
    fn solvers_that_ignore_an_elastic_material_are_told() {
        for (solver, effect) in [
            ("relaxation", "sweeps and substeps decide how far links stretch"),
            ("shake", "holds every link at its rest length"),
        ] {
            let said = caution(false, solver).expect(solver);
            assert!(said.contains("replaces the stiffness of the material"), "{said}");
            assert!(said.contains(effect), "{said}");
            assert_eq!(caution(true, solver), None, "a rigid link has no stiffness to replace");
        }
        for solver in ["xpbd", "direct", "vbd"] {
            assert_eq!(caution(false, solver), None, "{solver}");
        }
    }
}
