//! Settings of a simulation ([`Settings`]: values, compared and applied between steps) and inputs
//! of a session ([`Command`]: events, consumed once). Nothing else changes a simulation. A session
//! runs several simulations of one scene side by side, each with its own settings; `Command` calls
//! such a simulation a *lane*. The *hand* is the user's mouse in the scene.

use super::scene_edit::SceneEdit;
use super::timing::stepper::{Guard, Guards, LONGEST_DT, SHORTEST_DT, Stepping};
use crate::contact::ContactMethod;
use crate::integrate::Method;
use crate::limit::{LONGEST_TETHER, LengthLimits, MOST_STRAIN};
use crate::model::{Blow, Throw};
use glam::DVec3;
use ropelab_mechanics::constraint::{ConstraintSolver, RequiredMotion};
use ropelab_mechanics::quantity::magnitude::{format_six_digits, is_moderate_positive};
use serde::{Deserialize, Serialize};

/// Largest number of simulations in a session: the number of colours in the palette.
pub const MOST_LANES: usize = 8;
/// Largest stiffness damping β in seconds. At this value the strain of a link decays with a time
/// constant of ten seconds.
pub const MOST_STIFFNESS_DAMPING: f64 = 10.0;

/// Role of links: springs or constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkMode {
    /// Every link is a spring.
    #[default]
    Springs,
    /// The constraint solver keeps links at their rest length or stiffness. Links that it does not
    /// support remain springs.
    Constraints,
}

/// Loads at which links tear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Tear {
    /// At the limits of each link's material.
    #[default]
    AsMaterial,
    /// No link tears.
    Never,
    /// Links tear above this strain.
    AboveStrain(f64),
    /// Links tear above this tension in newtons.
    AboveForce(f64),
}

impl Tear {
    /// Checks the range of the limit.
    pub fn check(&self) -> Result<(), String> {
        match *self {
            Self::AboveStrain(strain) if !is_moderate_positive(strain) => Err(format!(
                "AboveStrain({}); expected a strain above 0",
                format_six_digits(strain)
            )),
            Self::AboveForce(force) if !is_moderate_positive(force) => {
                Err(format!("AboveForce({}); expected newtons above 0", format_six_digits(force)))
            }
            _ => Ok(()),
        }
    }
}

/// Settings of one simulation. The simulations of a session may have different settings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Integrator.
    pub integrator: Method,
    /// Role of links: springs or constraints.
    pub links: LinkMode,
    /// Constraint solver, used when `links` is `Constraints`.
    pub constraints: ConstraintSolver,
    /// Stiffness damping β in seconds (Rayleigh damping proportional to stiffness). In addition to
    /// its own damping, every link gets β times its stiffness, in N·s/m. A vibration of angular
    /// frequency ω then has the damping ratio βω/2.
    pub stiffness_damping: f64,
    /// Contact method.
    pub contact: ContactMethod,
    /// Loads at which links tear.
    pub tear: Tear,
    /// Largest distance between a particle and its nearest pin, as a multiple of the rest length of
    /// the links between them.
    pub tethers: Guard<f64>,
    /// Largest absolute strain of links at the end of a substep.
    pub strain_limit: Guard<f64>,
    /// Length of a fixed step in seconds.
    pub dt: f64,
    /// Number of equal substeps of a step. Each substep is integrated and projected separately.
    pub substeps: u32,
    /// Scheme that turns frame time into steps.
    pub stepping: Stepping,
    /// Limits that keep a long frame from causing too many steps.
    pub guards: Guards,
    /// Largest length of a link in rest lengths. If a link is longer and the total energy has grown
    /// by more than half of the kinetic and elastic energy, the simulation counts as exploded.
    pub longest_link: f64,
    /// Largest residual at which a step under XPBD or VBD counts as converged, as a fraction of a
    /// link's rest length. With a larger residual, links are softer than their material.
    pub largest_residual: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            integrator: Method::VelocityVerlet,
            links: LinkMode::Springs,
            constraints: ConstraintSolver::None,
            stiffness_damping: 0.0,
            contact: ContactMethod::default(),
            tear: Tear::default(),
            tethers: Guard::Off(1.01),
            strain_limit: Guard::Off(0.05),
            dt: 1e-3,
            substeps: 1,
            stepping: Stepping::Interpolated,
            guards: Guards::default(),
            // Limit in rest lengths. Links of ropes that look intact stay below 2 rest lengths. In
            // a diverging chain of springs, links exceed 10 rest lengths within a few steps.
            longest_link: 10.0,
            largest_residual: 1e-3,
        }
    }
}

impl Settings {
    /// Checks the ranges of all fields. The error contains the name of the field, the value found
    /// and the values expected.
    pub fn check(&self) -> Result<(), String> {
        let Self {
            integrator,
            links: _,
            constraints,
            stiffness_damping,
            contact,
            tear,
            tethers,
            strain_limit,
            dt,
            substeps,
            stepping,
            guards,
            longest_link,
            largest_residual,
        } = self;
        integrator.check().map_err(|e| format!("integrator: {e}"))?;
        constraints.check().map_err(|e| format!("constraints: {e}"))?;
        if !(0.0..=MOST_STIFFNESS_DAMPING).contains(stiffness_damping) {
            return Err(format!(
                "stiffness_damping is {}; expected 0 to {MOST_STIFFNESS_DAMPING} seconds",
                format_six_digits(*stiffness_damping)
            ));
        }
        contact.check().map_err(|e| format!("contact: {e}"))?;
        tear.check().map_err(|e| format!("tear: {e}"))?;
        if !(1.0..=LONGEST_TETHER).contains(&tethers.value()) {
            return Err(format!(
                "tethers are {}; expected 1 to {LONGEST_TETHER} times the distance to the pin \
                 along the links",
                format_six_digits(tethers.value())
            ));
        }
        if !(is_moderate_positive(strain_limit.value()) && strain_limit.value() <= MOST_STRAIN) {
            return Err(format!(
                "strain_limit is {}; expected a strain above 0, at most {MOST_STRAIN}",
                format_six_digits(strain_limit.value())
            ));
        }
        if !(dt.is_finite() && (SHORTEST_DT..=LONGEST_DT).contains(dt)) {
            return Err(format!(
                "dt is {}; expected {SHORTEST_DT} to {LONGEST_DT} seconds",
                format_six_digits(*dt)
            ));
        }
        if !(1..=1000).contains(substeps) {
            return Err(format!("substeps is {substeps}; expected 1 to 1000"));
        }
        stepping.check().map_err(|e| format!("stepping: {e}"))?;
        guards.check().map_err(|e| format!("guards: {e}"))?;
        if !(longest_link.is_finite() && (1.001..=1e6).contains(longest_link)) {
            return Err(format!(
                "longest_link is {}; expected 1.001 to 1e6 rest lengths",
                format_six_digits(*longest_link)
            ));
        }
        if !(largest_residual.is_finite() && *largest_residual > 0.0) {
            return Err(format!(
                "largest_residual is {}; expected a fraction of a link's length above 0",
                format_six_digits(*largest_residual)
            ));
        }
        Ok(())
    }

    /// True if both settings treat the same links as constraints, with the same solver and the same
    /// stiffness damping.
    pub fn solves_as(&self, other: &Self) -> bool {
        self.links == other.links
            && self.constraints == other.constraints
            && self.stiffness_damping == other.stiffness_damping
    }

    /// Returns the length limits that are switched on.
    pub fn limits(&self) -> LengthLimits {
        LengthLimits { tethers: self.tethers.limit(), strain: self.strain_limit.limit() }
    }

    /// Returns the constraint solver in use; [`ConstraintSolver::None`] if all links are springs.
    pub fn solver(&self) -> ConstraintSolver {
        match self.links {
            LinkMode::Springs => ConstraintSolver::None,
            LinkMode::Constraints => self.constraints,
        }
    }

    /// Returns why integrator and solver together create energy, at all step sizes or at some;
    /// `None` if they do not.
    ///
    /// Energy-conserving solvers rely on the displacement that a force causes within its step.
    /// Explicit Euler and position-first Euler move particles before the force acts, and BDF2
    /// leaves a third of the effect to later steps. Runs of all pairs on two falling ropes
    /// (`tests/physics/integrators/pairs.rs`) found these misfits. The other solvers dissipate
    /// energy, so they create none with any integrator. SHAKE changes positions only, so it fits
    /// explicit Euler and position-first Euler.
    pub fn misfit(&self) -> Option<&'static str> {
        let counted = self.solver().required_motion()?;
        let rule = self.integrator.as_integrator().rules().later;
        if rule.omitted_fraction > 0.5 && counted == RequiredMotion::PositionsAndVelocities {
            Some(
                "the integrator moves particles before the force of the step acts, but the solver \
                 relies on the displacement by this force",
            )
        } else if rule.projected_fraction != 1.0 {
            Some(
                "the integrator leaves a third of the displacement by a force to later steps, but the \
                 solver relies on all of it",
            )
        } else {
            None
        }
    }
}

/// Mode of the hand's grip on a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GrabMode {
    /// A damped spring from the hand to the particle.
    #[default]
    Spring,
    /// The particle follows the hand exactly.
    Hard,
}

/// Input of a session. A recording consists of commands and frame times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// The hand grabs a particle, in every simulation.
    Grab {
        /// Index of the particle.
        particle: u32,
        /// Spring or hard grip.
        mode: GrabMode,
        /// Position of the hand, in metres.
        at: DVec3,
    },
    /// The hand grabs a collider, in every simulation. A restart puts the collider back.
    GrabCollider {
        /// Index of the collider in the scene.
        collider: u32,
        /// Position of the hand, in metres.
        at: DVec3,
    },
    /// The hand moves to a position in metres, at constant velocity over the next frame.
    MoveHand(DVec3),
    /// The hand releases its body. A collider continues to the place where it was released.
    Release,
    /// Starts or stops the wind of the mouse, in every simulation.
    Blow(Option<Blow>),
    /// Throws a ball, in every simulation. A restart removes the ball.
    Throw(Throw),
    /// Pins a free particle at its position, or frees a pinned one, in every simulation.
    TogglePin(u32),
    /// Cuts links, given by their indices in the scene, in every simulation. A restart restores the
    /// links.
    Cut(Vec<u32>),
    /// Restarts the scene in every simulation and keeps the settings.
    Reset,
    /// Stops or continues time.
    Pause(bool),
    /// Takes one step in every simulation.
    SingleStep,
    /// Sets the speed of simulated time; 1 = real time.
    Speed(f64),
    /// Changes the settings of a lane. Lanes are counted from 0.
    Configure {
        /// Index of the lane.
        lane: usize,
        /// New settings.
        settings: Settings,
    },
    /// Appends a lane that starts at the beginning of the scene. Its time differs from that of the
    /// other lanes until a reset.
    AddLane {
        /// Name of the lane.
        name: String,
        /// Settings of the lane.
        settings: Settings,
    },
    /// Appends a copy of a lane, in the same state.
    DuplicateLane(usize),
    /// Removes a lane. The last remaining lane cannot be removed.
    RemoveLane(usize),
    /// Gives a lane a name, which has no effect on its simulation.
    NameLane {
        /// Index of the lane.
        lane: usize,
        /// New name.
        name: String,
    },
    /// Replaces values of the scene file, in all simulations. If its particles or links change, the
    /// scene restarts; otherwise it continues.
    ChangeScene(Vec<SceneNumber>),
    /// Adds a body, tie or ball to the scene, removes a body, or gives a body its own material. All
    /// simulations continue.
    EditScene(SceneEdit),
}

impl Command {
    /// True for commands that act on bodies. Each simulation applies them at its own time.
    pub fn acts_on_bodies(&self) -> bool {
        match self {
            Self::Grab { .. }
            | Self::GrabCollider { .. }
            | Self::MoveHand(_)
            | Self::Release
            | Self::Blow(_)
            | Self::Throw(_)
            | Self::TogglePin(_)
            | Self::Cut(_) => true,
            Self::Reset
            | Self::Pause(_)
            | Self::SingleStep
            | Self::Speed(_)
            | Self::Configure { .. }
            | Self::AddLane { .. }
            | Self::DuplicateLane(_)
            | Self::RemoveLane(_)
            | Self::NameLane { .. }
            | Self::ChangeScene(_)
            | Self::EditScene(_) => false,
        }
    }
}

/// A numeric value of the scene file, with the path to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneNumber {
    /// Field names separated by dots, with indices of list items: `materials[0].stiffness`.
    pub path: String,
    /// New value; `None` deletes the entry, so that the default applies.
    pub value: Option<f64>,
}

/// Largest number of scene values that one command may change.
const MOST_NUMBERS: usize = 100_000;

impl SceneNumber {
    /// Checks the scene values of a command, which may come from a recording.
    pub fn check(numbers: &[Self]) -> Result<(), String> {
        if numbers.len() > MOST_NUMBERS {
            return Err(format!("found {} values, expected at most {MOST_NUMBERS}", numbers.len()));
        }
        match numbers.iter().find(|it| it.value.is_some_and(|value| !value.is_finite())) {
            Some(Self { path, .. }) => Err(format!("{path} is not finite, expected a number")),
            None => Ok(()),
        }
    }
}
