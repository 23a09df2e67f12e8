//! Parameters of links: of the constraint solver, of damping, and of breaking.

use crate::analysis::best_omega;
use crate::app::panel::fields::{
    Entry, FieldHelp, choice_ui, explanation_ui, list_ui, row_ui, scientific_ui, si_ui, slider_ui,
    still_ui,
};
use crate::app::quantity;
use crate::app::widgets::marks::mark;
use crate::constraint::{
    ConstraintSolver, Direct, Rattle, Relaxation, Root, Shake, SoftStep, SweepOrder, Vbd, Xpbd,
};
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, MOST_STIFFNESS_DAMPING, Tear};
use egui_macroquad::egui::Ui;
use std::ops::RangeInclusive;

const STIFFNESS_DAMPING: FieldHelp = FieldHelp {
    label: "damping β",
    unit: "s",
    text: "Every link gets additional damping of β times its stiffness: a vibration of angular \
           frequency ω gets the damping ratio βω/2, so the fastest is damped most. A large β \
           shortens the stable step of explicit schemes. Relaxation and SHAKE ignore damping.",
    source: "Rayleigh 1877, The Theory of Sound: C = βK",
};
/// β when it is switched on, in seconds.
const FIRST_STIFFNESS_DAMPING: f64 = 1e-4;
const LONGEST_LINK: FieldHelp = FieldHelp {
    label: "soft beyond",
    unit: "rest lengths",
    text: "A lane with a longer link is soft, or exploded if the energy came from nothing. A soft \
           lane goes on.",
    source: "",
};
const LARGEST_RESIDUAL: FieldHelp = FieldHelp {
    label: "residual",
    unit: "of a link's length",
    text: "A step in which the sweeps of XPBD or VBD leave more than this counts as \
           unconverged: links are softer than their material.",
    source: "Macklin, Müller and Chentanez 2016, XPBD",
};
const ORDER: FieldHelp = FieldHelp {
    label: "sweep order",
    unit: "",
    text: "Order in which a sweep visits the links. Coloured links do not wait for each other \
           and run fast; end to end carries a correction along the whole rope.",
    source: "Gauss–Seidel and Jacobi iteration",
};
const JACOBI_DAMPING: FieldHelp = FieldHelp {
    label: "Jacobi factor",
    unit: "share",
    text: "Share of every correction that is applied. 1 is undamped; less calms errors that \
           change sign in every sweep.",
    source: "",
};
const ROOT: FieldHelp = FieldHelp {
    label: "square root",
    unit: "",
    text: "Exact restores a link's length in one visit. The article's form without a square root \
           saved time in 2001 and leaves a small error.",
    source: "Jakobsen 2001, Advanced Character Physics",
};
const STIFFNESS: FieldHelp = FieldHelp {
    label: "stiffness",
    unit: "share a visit",
    text: "Fraction of the error that one visit removes. The known defect of the method: the \
           resulting stiffness depends on sweeps and dt.",
    source: "Müller et al. 2007, Position Based Dynamics",
};
const COMPLIANCE: FieldHelp = FieldHelp {
    label: "compliance",
    unit: "m/N",
    text: "Stretch in metres per newton, the inverse of stiffness, of every link that is not \
           rigid. Off: each link's own. Its meaning does not depend on dt or sweeps.",
    source: "Macklin, Müller and Chentanez 2016, XPBD",
};
const DAMPING: FieldHelp = FieldHelp {
    label: "damping",
    unit: "N·s/m",
    text: "Damping along every link. Off: each link's own. Without compliance it has no effect.",
    source: "Macklin, Müller and Chentanez 2016, XPBD",
};
const LENGTH_TOLERANCE: FieldHelp = FieldHelp {
    label: "tolerance",
    unit: "of the length",
    text: "Error of a link's length up to which it counts as converged.",
    source: "Ryckaert, Ciccotti and Berendsen 1977",
};
const OMEGA: FieldHelp = FieldHelp {
    label: "over-relaxation",
    unit: "",
    text: "Factor ω on every correction. On a hanging rope of N links 2/(1 + sin(π/2N)) needs far \
           fewer sweeps; a rope that whips may be worse off.",
    source: "Young 1954, Trans. AMS 76, 92",
};
const FORGETS: FieldHelp = FieldHelp {
    label: "forgets λ",
    unit: "",
    text: "XPBD as it is often written, without the memory of earlier sweeps: more sweeps make every \
           link stiffer, whatever its compliance.",
    source: "Newton, issue 2933",
};
const HERTZ: FieldHelp = FieldHelp {
    label: "frequency",
    unit: "Hz",
    text: "Frequency of every link at the mass of its ends, so that it is softer under lighter \
           ones. At most a quarter of the rate of substeps. Off: that of each link's own stiffness.",
    source: "Box2D v3, b2MakeSoft",
};
const DAMPING_RATIO: FieldHelp = FieldHelp {
    label: "damping ratio",
    unit: "",
    text: "Damping ratio, 1 = critical: of every link if a frequency is set, otherwise of rigid links.",
    source: "Box2D v3, b2MakeSoft",
};
const RELAX: FieldHelp = FieldHelp {
    label: "relax passes",
    unit: "",
    text: "Sweeps over velocities at the end of a substep, which take out the speed that only \
           corrected positions.",
    source: "Catto 2024, Solver2D",
};
const LIMITED: FieldHelp = FieldHelp {
    label: "at most",
    unit: "",
    text: "Box2D limits the frequency of joints to a quarter of its substeps a second; Rapier does \
           not.",
    source: "Box2D v3, src/joint.c",
};
const TEAR: FieldHelp = FieldHelp {
    label: "tears",
    unit: "",
    text: "Load at which a link tears by itself, as if it were cut. Of overloaded links that share \
           a particle only the one with the largest load tears, so a crack runs on.",
    source: "Terzopoulos and Fleischer 1988",
};
const TEAR_STRAIN: FieldHelp = FieldHelp {
    label: "tears above",
    unit: "% of the length",
    text: "Strain at which a link tears.",
    source: "",
};
const TEAR_FORCE: FieldHelp = FieldHelp {
    label: "tears above",
    unit: "N",
    text: "Tension at which a link tears. For links held by a solver it is the force that keeps \
           them at their length.",
    source: "",
};

/// Initial value of each tear criterion, with its name and meaning.
const TEARS: [(Tear, &str, &str); 4] = [
    (Tear::AsMaterial, "as the material", "At the strain or tension that its material gives."),
    (Tear::Never, "never", "No link tears."),
    (Tear::AboveStrain(0.25), "above a strain", "Every link, at the same strain."),
    (Tear::AboveForce(20.0), "above a force", "Every link, at the same tension."),
];

/// Damping of all links in proportion to their stiffness.
pub fn stiffness_damping_ui(ui: &mut Ui, beta: &mut f64) {
    let mut chosen = (*beta > 0.0).then_some(*beta);
    let range = 0.0..=MOST_STIFFNESS_DAMPING;
    optional_ui(ui, &STIFFNESS_DAMPING, &mut chosen, FIRST_STIFFNESS_DAMPING, (range, "s"));
    *beta = chosen.unwrap_or(0.0);
}

/// Shows the length beyond which a link is overstretched.
pub fn longest_link_ui(ui: &mut Ui, longest_link: &mut f64) {
    row_ui(ui, &LONGEST_LINK, |ui| si_ui(ui, longest_link, 1.001..=1e6, "×"));
}

/// The residual above which a step counts as unconverged.
pub fn largest_residual_ui(ui: &mut Ui, largest_residual: &mut f64) {
    row_ui(ui, &LARGEST_RESIDUAL, |ui| si_ui(ui, largest_residual, 1e-12..=1.0, "×"));
}

/// Shows the choice of links that tear, and its limit.
pub fn tear_ui(ui: &mut Ui, tear: &mut Tear) {
    row_ui(ui, &TEAR, |ui| {
        let entries = TEARS.map(|(value, title, text)| Entry {
            value,
            name: title.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            source: String::new(),
        });
        let title = tear_title(tear);
        let is_chosen = |other: &Tear| tear_title(other) == title;
        let (response, chosen) = list_ui(ui, "tear", title, entries.into_iter(), is_chosen);
        *tear = chosen.unwrap_or(*tear);
        response
    });
    match tear {
        Tear::AsMaterial | Tear::Never => {}
        Tear::AboveStrain(strain) => {
            row_ui(ui, &TEAR_STRAIN, |ui| {
                let mut percent = 100.0 * *strain;
                let field = si_ui(ui, &mut percent, 0.1..=1e6, "%");
                *strain = if field.changed() { percent / 100.0 } else { *strain };
                field
            });
        }
        Tear::AboveForce(force) => {
            row_ui(ui, &TEAR_FORCE, |ui| si_ui(ui, force, 1e-6..=1e12, "N"));
        }
    }
}

fn tear_title(tear: &Tear) -> &'static str {
    let [(_, material, _), (_, never, _), (_, strain, _), (_, force, _)] = TEARS;
    match tear {
        Tear::AsMaterial => material,
        Tear::Never => never,
        Tear::AboveStrain(_) => strain,
        Tear::AboveForce(_) => force,
    }
}

/// Parameters of the current solver, and the effect of its limit on them. `root`: the scene has use
/// for relaxation without a root.
pub fn solver_parameters_ui(
    ui: &mut Ui,
    (links, solver): (LinkMode, &mut ConstraintSolver),
    simulation: &Simulation,
    root: bool,
) {
    if links == LinkMode::Constraints && !solver.is_none() {
        explanation_ui(ui, solver.info().verdict);
        if let Some(limit) = simulation.solver_limit() {
            explanation_ui(ui, &limit);
        }
        parameters_ui(ui, solver, (simulation, root));
    }
}

/// Row of the over-relaxation, with a button that sets the best one for the lane as it is.
fn omega_ui(ui: &mut Ui, omega: &mut f64, simulation: &Simulation) {
    row_ui(ui, &OMEGA, |ui| {
        let mut field = si_ui(ui, omega, 0.01..=1.99, "");
        let best = ui.button("best").on_hover_text(
            "ω for the links as they lie now: by theory for a rope, elsewhere from the residuals of \
             sixty sweeps",
        );
        mark(&best, "best over-relaxation");
        if best.clicked()
            && let Some(found) = best_omega(simulation)
        {
            *omega = (found * 1e3).round() / 1e3;
            field.mark_changed();
        }
        field
    });
}

fn parameters_ui(
    ui: &mut Ui,
    solver: &mut ConstraintSolver,
    (simulation, shows_root): (&Simulation, bool),
) {
    match solver {
        ConstraintSolver::None => {}
        ConstraintSolver::Relaxation(Relaxation {
            iterations: _,
            order,
            root,
            stiffness,
            omega,
        }) => {
            order_ui(ui, order);
            omega_ui(ui, omega, simulation);
            if shows_root {
                let roots = [(Root::Exact, "exact"), (Root::RootFree, "root-free")];
                row_ui(ui, &ROOT, |ui| choice_ui(ui, root, &roots));
            }
            row_ui(ui, &STIFFNESS, |ui| slider_ui(ui, stiffness, 0.01..=1.0));
        }
        ConstraintSolver::Xpbd(Xpbd {
            iterations: _,
            order,
            compliance,
            damping,
            omega,
            forgets,
        }) => {
            order_ui(ui, order);
            omega_ui(ui, omega, simulation);
            row_ui(ui, &FORGETS, |ui| ui.checkbox(forgets, "in every sweep"));
            optional_ui(ui, &COMPLIANCE, compliance, 1e-5, (0.0..=1e3, "m/N"));
            optional_ui(ui, &DAMPING, damping, 0.1, (0.0..=1e3, "N·s/m"));
        }
        ConstraintSolver::Direct(Direct { iterations: _ })
        | ConstraintSolver::Vbd(Vbd { iterations: _ }) => {}
        ConstraintSolver::SoftStep(SoftStep {
            iterations: _,
            hertz,
            damping_ratio,
            relax,
            limited,
        }) => {
            optional_ui(ui, &HERTZ, hertz, 60.0, (1e-3..=1e9, "Hz"));
            row_ui(ui, &LIMITED, |ui| ui.checkbox(limited, "0.25 of the substeps a second"));
            row_ui(ui, &DAMPING_RATIO, |ui| si_ui(ui, damping_ratio, 0.0..=1e6, ""));
            row_ui(ui, &RELAX, |ui| {
                let mut passes = f64::from(*relax);
                let field = si_ui(ui, &mut passes, 0.0..=1e5, "");
                *relax = if field.changed() { passes.round() as u32 } else { *relax };
                field
            });
        }
        ConstraintSolver::Shake(Shake { tolerance, max_iterations: _ })
        | ConstraintSolver::Rattle(Rattle { tolerance, max_iterations: _ }) => {
            row_ui(ui, &LENGTH_TOLERANCE, |ui| scientific_ui(ui, tolerance, 1e-15..=0.1));
        }
    }
}

fn order_ui(ui: &mut Ui, order: &mut SweepOrder) {
    row_ui(ui, &ORDER, |ui| {
        let entries = SweepOrder::ALL.into_iter().map(|value| Entry {
            value,
            name: order_title(&value).to_owned(),
            title: order_title(&value).to_owned(),
            text: ORDER.text.to_owned(),
            source: ORDER.source.to_owned(),
        });
        let title = order_title(order);
        let is_chosen = |other: &SweepOrder| order_title(other) == title;
        let (response, chosen) = list_ui(ui, "sweep order", title, entries, is_chosen);
        *order = chosen.unwrap_or(*order);
        response
    });
    if let SweepOrder::Jacobi { damping } = order {
        row_ui(ui, &JACOBI_DAMPING, |ui| slider_ui(ui, damping, 0.01..=1.0));
    }
}

fn order_title(order: &SweepOrder) -> &'static str {
    match order {
        SweepOrder::EndToEnd => "end to end",
        SweepOrder::BackAndForth => "back and forth",
        SweepOrder::Coloured => "coloured (red-black)",
        SweepOrder::Jacobi { .. } => "Jacobi",
    }
}

/// A value that takes the place of each link's own while it is on.
fn optional_ui(
    ui: &mut Ui,
    help: &FieldHelp,
    value: &mut Option<f64>,
    first: f64,
    (range, unit): (RangeInclusive<f64>, &'static str),
) {
    row_ui(ui, help, |ui| {
        let mut on = value.is_some();
        let mut number = value.unwrap_or(first);
        let switch = ui.checkbox(&mut on, "");
        mark(&switch, format_args!("{} on", help.label));
        let field = if on {
            si_ui(ui, &mut number, range, unit)
        } else {
            still_ui(ui, quantity::si_field(number, unit))
        };
        *value = on.then_some(number);
        switch.union(field)
    });
}
