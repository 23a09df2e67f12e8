//! Settings of each solver for typical use, for searches, for comparisons, and as remedies for
//! defects of a lane. Also the solver's loop as source code. A *lane* is one of several simulations
//! of a scene that run side by side, each with its own settings.

use super::choice::ConstraintSolver;

/// Integrator of the free motion that precedes a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeIntegrator {
    /// Symplectic Euler.
    SymplecticEuler,
    /// Velocity Verlet.
    VelocityVerlet,
}

impl FreeIntegrator {
    const BOTH: &'static [Self] = &[Self::SymplecticEuler, Self::VelocityVerlet];
    /// Symplectic Euler only, for solvers that are themselves of first order.
    pub(crate) const FIRST_ORDER: &'static [Self] = &[Self::SymplecticEuler];
}

/// Typical settings of a solver: parameters and number of substeps, with a name in words.
#[derive(Clone, Debug, PartialEq)]
pub struct CommonSettings {
    /// Name with the number of sweeps, e.g. "XPBD, 10 sweeps".
    pub name: &'static str,
    /// Solver with its parameters.
    pub solver: ConstraintSolver,
    /// Number of substeps per frame.
    pub substeps: u32,
}

/// Solver with parameters for comparisons at equal computing time.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonSettings {
    /// Name with the number of sweeps, e.g. "XPBD, 10 sweeps".
    pub name: &'static str,
    /// Solver with its parameters.
    pub solver: ConstraintSolver,
    /// Integrator of the free motion.
    pub integrator: FreeIntegrator,
}

impl ComparisonSettings {
    /// Creates settings with symplectic Euler as the integrator of the free motion.
    pub(super) fn of(name: &'static str, solver: ConstraintSolver) -> Self {
        Self { name, solver, integrator: FreeIntegrator::SymplecticEuler }
    }
}

/// Range of settings of one solver that a search tries.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// Solver with its parameters.
    pub solver: ConstraintSolver,
    /// Numbers of sweeps that the search tries first. If the list is empty, the search tries only
    /// the solver's own number.
    pub sweeps: &'static [u32],
    /// Integrators of the free motion that the search tries.
    pub integrators: &'static [FreeIntegrator],
    /// True if the search skips meshes other than ropes and trees.
    pub only_trees: bool,
}

impl SearchSettings {
    /// Creates a search over meshes of any kind with all integrators.
    pub(super) fn of(solver: ConstraintSolver, sweeps: &'static [u32]) -> Self {
        Self { solver, sweeps, integrators: FreeIntegrator::BOTH, only_trees: false }
    }
}

/// Numbers of sweeps to try. Links become stiffer with each sweep.
pub(super) const SWEEPS: &[u32] = &[1, 2, 5, 10, 20, 50, 100, 200];

/// Defect of a lane that another solver may cure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Springs that are unstable at the lane's step.
    UnstableSprings,
    /// Springs that are unstable because they turn far within a step.
    TurningSprings,
    /// Constraints that explode.
    UnstableConstraints,
    /// Springs that stretch too far.
    SoftSprings,
    /// Constraints that stretch too far.
    SoftConstraints,
    /// Sweeps that leave a large residual.
    UnconvergedSweeps,
    /// Undamped swing whose energy changes.
    ChangedEnergy,
}

/// Trials of a solver against defects of a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct RemedyTrials {
    /// Defects that the trials may cure.
    pub cures: &'static [Defect],
    /// Trials of increasing strength.
    pub trials: Vec<RemedyTrial>,
    /// True if a lane that already uses this solver skips the trials.
    pub skips_current_solver: bool,
    /// True if meshes other than ropes and trees skip the trials.
    pub only_trees: bool,
    /// Largest number of links for which the trials run. With more links, they would take too long.
    pub most_links: usize,
}

impl RemedyTrials {
    pub(super) fn of(
        cures: &'static [Defect],
        trials: impl IntoIterator<Item = RemedyTrial>,
    ) -> Self {
        let trials = trials.into_iter().collect();
        Self {
            cures,
            trials,
            skips_current_solver: false,
            only_trees: false,
            most_links: usize::MAX,
        }
    }
}

/// Settings for a trial of a solver in a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct RemedyTrial {
    /// Description in words, without the integrator.
    pub words: String,
    /// Solver with its parameters.
    pub solver: ConstraintSolver,
    /// Integrator of the free motion; `None` = the lane's integrator.
    pub integrator: Option<FreeIntegrator>,
    /// Number of substeps.
    pub substeps: TrialSubsteps,
}

/// Number of substeps in a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialSubsteps {
    /// Same number as in the lane.
    AsInLane,
    /// Exactly this number, which [`RemedyTrial::words`] states.
    Exactly(u32),
    /// At least this number, or the lane's number if that is larger.
    AtLeast(u32),
}

/// Source code of a solver as a loop of about thirty lines. `export::code` has the templates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlainLoop {
    /// Form of the template, 0 or 1, for solvers with two formulas.
    pub form: usize,
    /// Placeholders of the template with their values.
    pub numbers: Vec<(&'static str, String)>,
    /// True if the lane's solver damps links as their material does, but the loop does not.
    pub lacks_link_damping: bool,
    /// True if the lane's solver uses `stiffness_damping`, but the loop does not.
    pub lacks_stiffness_damping: bool,
    /// True if the loop needs a single rope with links in order.
    pub needs_one_rope: bool,
    /// True if the loop changes velocities by impulses that it keeps from substep to substep, and
    /// moves the particles itself.
    pub moves_particles: bool,
    /// Safeguards that the loop leaves out. They act only in violent motion.
    pub omission: Option<&'static str>,
}

/// Reason why a solver has no [`PlainLoop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLoop {
    /// The loop would be too long.
    Solver,
    /// The loop does not support this parameter. The text follows the word "with".
    Parameter(&'static str),
}

/// Reason for sweeps in an order other than end to end.
pub(super) const OTHER_ORDER: NoLoop = NoLoop::Parameter("sweeps in another order than end to end");
