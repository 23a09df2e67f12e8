//! Parts of a scene and of its settings that the exported code leaves out.

use super::frame::{FRAME, steps_of_a_frame};
use super::plain_loop::{Language, has_tethers};
use crate::contact::ContactMethod;
use crate::force::Force;
use crate::integrate::{Method, PositionVerlet};
use crate::model::{Parts, TargetedForce};
use crate::numerics::trajectory::Trajectory;
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::{Guards, Stepping};

/// Returns the names of everything that acts in the scene, but not in the source code. The function
/// names every field of the settings, so a new field causes a compile error until the code or this
/// list contains it. `ConstraintSolver::plain_loop` does the same for the fields of a solver.
pub(super) fn omissions(parts: &Parts, settings: &Settings, language: Language) -> Vec<String> {
    let Settings {
        integrator,
        // `settings.solver()` depends on `links` and `constraints`.
        links: _,
        constraints: _,
        stiffness_damping: _,
        contact,
        tear,
        tethers,
        strain_limit,
        dt: _,
        substeps: _,
        // `differing_stepping` compares the stepping scheme.
        stepping: _,
        guards,
        // These limits affect only verdicts, not the motion.
        longest_link: _,
        largest_residual: _,
    } = *settings;
    let solver = settings.solver();
    let links = &parts.mesh.links;
    let laws = parts.forces.iter().filter(|force| !matches!(force.law, Force::Gravity(_)));
    let mut all: Vec<String> = laws.map(|force| force.law.law().title().to_owned()).collect();
    let acts_on_few = |force: &TargetedForce| {
        matches!(force.law, Force::Gravity(_)) && force.targets.len() < parts.mesh.positions.len()
    };
    let facts = [
        (parts.forces.iter().any(acts_on_few), "gravity that acts on some particles only"),
        (!parts.contact.is_empty() && !matches!(contact, ContactMethod::Off), "contact"),
        (!parts.mesh.bends.is_empty(), "bending"),
        (links.iter().any(|link| link.one_sided), "links that resist stretching only"),
        (
            !solver.is_none() && links.iter().any(|link| !solver.constrains(&link)),
            "links that the solver does not constrain",
        ),
        (parts.pins.iter().any(|pin| pin.path != Trajectory::Still), "pins that move"),
        (!parts.throws.is_empty(), "balls that are thrown"),
        (tear.acts_on(parts), "links that tear"),
        (tethers.limit().is_some() && !has_tethers(settings), "tethers"),
        (strain_limit.limit().is_some(), "the strain limit"),
        (rounds_positions(&integrator, language), "positions in single precision"),
        (
            omits_reaction(settings),
            "the reaction of the solver in the first step and in the velocities at the end of steps",
        ),
        (limits_frames(&guards, settings.dt), "limits on the time or the steps of a frame"),
    ];
    all.extend(facts.into_iter().filter(|(is, _)| *is).map(|(_, what)| what.to_owned()));
    all.dedup();
    all
}

/// True if the lane stores positions in single precision, but the code in double precision. The
/// vectors of Unity and Godot have single precision anyway.
fn rounds_positions(integrator: &Method, language: Language) -> bool {
    let is_double = matches!(language, Language::Rust);
    match *integrator {
        Method::PositionVerlet(PositionVerlet { start: _, single }) => single && is_double,
        _ => false,
    }
}

/// True if the integrator computes velocities without the forces of constraints, and the lane adds
/// these forces afterwards (`docs/design/integration.md`). The code does not add them: at rest, its
/// velocities are those of free fall during part of a step.
fn omits_reaction(settings: &Settings) -> bool {
    let integrator = settings.integrator.as_integrator();
    let solver = settings.solver();
    !solver.is_none()
        && !solver.has_own_stiffness()
        && integrator.rules().later.omitted_fraction != 0.0
}

/// True if a guard may drop steps in a frame of 1/60 s with steps of `dt` seconds.
fn limits_frames(guards: &Guards, dt: f64) -> bool {
    let Guards { frame_clamp, accumulator_cap, most_steps, time_budget } = *guards;
    let steps = steps_of_a_frame(dt);
    frame_clamp.limit().is_some_and(|most| most < FRAME)
        || accumulator_cap.limit().is_some_and(|most| most < FRAME.max(dt))
        || most_steps.limit().is_some_and(|most| f64::from(most) < steps)
        || time_budget.limit().is_some()
}

/// Returns the title of the lane's stepping scheme if the scheme divides frames into other steps
/// than the exported code, which uses the settings `framed`.
pub(super) fn differing_stepping(lane: &Settings, framed: &Settings) -> Option<&'static str> {
    let differs = match lane.stepping {
        Stepping::FrameCoupled | Stepping::FrameSubsteps(_) | Stepping::DiscardRemainder => true,
        Stepping::FixedPerFrame => framed.dt != lane.dt,
        Stepping::Accumulator
        | Stepping::Interpolated
        | Stepping::RenderTick
        | Stepping::Extrapolated => false,
    };
    differs.then(|| lane.stepping.info().title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{ConstraintSolver, Relaxation, Root};
    use crate::export::code::scene_loop::loop_of_scene;
    use crate::integrate::VerletStart;
    use crate::simulation::settings::{LinkMode, Tear};
    use crate::simulation::timing::stepper::{FrameSubsteps, Guard};
    use crate::support;

    const ROPE: &str = r#"(version: 1, name: "rope",
        materials: [Rope(name: "cord", mass_per_metre: 1, stiffness: 200, tear_force: 50)],
        ropes: [(name: "rope", from: (0, 2, 0), to: (1, 1.8, 0), segments: 5, material: "cord")],
        pins: [(of: Start("rope"))])"#;

    fn code(settings: Settings, language: Language) -> String {
        let scene = support::scene(ROPE);
        loop_of_scene(&scene.parts, &settings, language).expect("a plain loop")
    }

    fn verlet(start: VerletStart, single: bool) -> Settings {
        let integrator = Method::PositionVerlet(PositionVerlet { start, single });
        Settings { integrator, tear: Tear::Never, ..Settings::default() }
    }

    #[test]
    fn settings_that_the_code_leaves_out_are_named() {
        let plain = Settings { tear: Tear::Never, ..Settings::default() };
        assert!(!code(plain, Language::Rust).contains("eft out"), "nothing is left out");
        let guards = Guards { most_steps: Guard::On(5), ..Guards::default() };
        let frames = Stepping::FrameSubsteps(FrameSubsteps { n: 3 });
        let (links, constraints) =
            (LinkMode::Constraints, ConstraintSolver::Relaxation(Relaxation::default()));
        let held = |integrator| Settings { integrator, links, constraints, ..plain };
        let symplectic = code(held(Method::SymplecticEuler), Language::Rust);
        assert!(!symplectic.contains("reaction"), "its velocities contain the reaction");
        for (settings, named) in [
            (Settings { tear: Tear::AboveStrain(0.05), ..plain }, "scene: links that tear."),
            (Settings { tear: Tear::AboveForce(5.0), ..plain }, "scene: links that tear."),
            (Settings { tear: Tear::AsMaterial, ..plain }, "scene: links that tear."),
            (Settings { strain_limit: Guard::On(0.05), ..plain }, "scene: the strain limit."),
            (held(Method::VelocityVerlet), "scene: the reaction of the solver in the first step"),
            (verlet(VerletStart::Proper, true), "scene: positions in single precision."),
            (Settings { guards, ..plain }, "scene: limits on the time or the steps of a frame."),
            (Settings { stepping: frames, ..plain }, "left out: n substeps of the frame."),
            (
                Settings { stepping: Stepping::FrameCoupled, ..plain },
                "left out: frame-coupled (variable dt).",
            ),
        ] {
            let text = code(settings, Language::Rust);
            assert!(text.contains(named), "{named}: {text}");
        }
        // The engine's vectors are as precise as the lane's positions.
        let single = code(verlet(VerletStart::Proper, true), Language::CSharp);
        assert!(!single.contains("Left out"), "{single}");
    }

    /// Position Verlet has no velocities, so a comment in the code says which initial values `old`
    /// needs.
    #[test]
    fn first_old_positions_are_said() {
        let constraints = ConstraintSolver::Relaxation(Relaxation::default());
        let links = LinkMode::Constraints;
        for language in Language::all() {
            let springs = code(verlet(VerletStart::Proper, false), language);
            assert!(
                springs.contains(" old: at first x - v*h + a*h*h/2, with velocities v and their")
            );
            assert!(springs.contains(" in the previous substep; a at first."), "{springs}");
            let article = code(verlet(VerletStart::Article, false), language);
            assert!(article.contains(" old: at first x - v*h, with velocities v."), "{article}");
            let held = Settings { links, constraints, ..verlet(VerletStart::Proper, false) };
            let held = code(held, language);
            assert!(
                held.contains(" x - v*h + a*h*h/2, with velocities v and gravity a."),
                "{held}"
            );
        }
    }

    #[test]
    fn the_root_of_relaxation_is_that_of_the_lane() {
        for language in Language::all() {
            let with = |root| {
                let relaxation = Relaxation { root, ..Relaxation::default() };
                let constraints = ConstraintSolver::Relaxation(relaxation);
                let links = LinkMode::Constraints;
                code(Settings { links, constraints, ..Settings::default() }, language)
            };
            let [exact, free] = [Root::Exact, Root::RootFree].map(with);
            assert!(!exact.contains("rest2") && exact.contains("(l - link.rest) /"), "{exact}");
            assert!(free.contains("(l2 - rest2) / ((l2 + rest2) * (w[i] + w[j]))"), "{free}");
        }
    }
}
