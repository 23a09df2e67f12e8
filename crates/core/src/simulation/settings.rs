//! Settings of a lane ([`Settings`]: state, compared and applied between steps) and commands to a
//! session ([`Command`]: events, consumed once). Nothing else changes a simulation.

use crate::constraint::ConstraintSolver;
use crate::contact::ContactMethod;
use crate::integrate::Method;
use crate::limit::{InForce, LONGEST_TETHER, MOST_STRAIN};
use crate::model::{Blow, Throw};
use crate::numerics::magnitude::{is_moderate_positive, short};
use crate::simulation::change::scene_edit::SceneEdit;
use crate::simulation::timing::stepper::{Guard, Guards, LONGEST_DT, SHORTEST_DT, Stepping};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Most lanes at a time: as many as the palette has colours.
pub const MOST_LANES: usize = 8;
/// Most stiffness damping in seconds: a link that is stretched then creeps back in ten.
pub const MOST_STIFFNESS_DAMPING: f64 = 10.0;

/// Whether links act as springs or as constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkMode {
    /// Every link is a spring; the constraint solver is off.
    #[default]
    Springs,
    /// The constraint solver holds the links that it can; the others remain springs.
    Constraints,
}

/// Loads at which links tear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Tear {
    /// Limits of each link's material; without a limit it does not tear.
    #[default]
    AsMaterial,
    /// No link tears.
    Never,
    /// Every link tears above this strain, 0.2 = at 1.2 rest lengths.
    AboveStrain(f64),
    /// Every link tears above this tension in newtons.
    AboveForce(f64),
}

impl Tear {
    /// Says what is wrong, if anything.
    pub fn check(&self) -> Result<(), String> {
        match *self {
            Self::AboveStrain(strain) if !is_moderate_positive(strain) => {
                Err(format!("AboveStrain({}); expected a strain above 0", short(strain)))
            }
            Self::AboveForce(force) if !is_moderate_positive(force) => {
                Err(format!("AboveForce({}); expected newtons above 0", short(force)))
            }
            _ => Ok(()),
        }
    }
}

/// Everything that one lane is compared by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Integrator with its parameters.
    pub integrator: Method,
    /// Whether links act as springs or as constraints.
    pub links: LinkMode,
    /// Subject to what: the constraint solver, in force when `links` is `Constraints`.
    pub constraints: ConstraintSolver,
    /// Stiffness damping β in seconds, the part of Rayleigh's that is proportional to stiffness:
    /// every link has β times its stiffness in N·s/m besides its own damping, so that a vibration
    /// of angular frequency ω gets the damping ratio βω/2.
    pub stiffness_damping: f64,
    /// Contact method.
    pub contact: ContactMethod,
    /// Links that tear.
    pub tear: Tear,
    /// Longest distance of a particle to its nearest pin over the way along the links at rest.
    pub tethers: Guard<f64>,
    /// Greatest strain of links at the end of a substep, on both sides of their length.
    pub strain_limit: Guard<f64>,
    /// Fixed step in seconds.
    pub dt: f64,
    /// Equal parts into which a step is cut, each integrated and projected.
    pub substeps: u32,
    /// Stepping scheme: from frame time to steps.
    pub stepping: Stepping,
    /// Guards against long frames.
    pub guards: Guards,
    /// A link longer than this many rest lengths has given way, or exploded if energy came from
    /// nothing.
    pub longest_link: f64,
    /// Residual of a projection, over a link's rest length, above which a step of XPBD or VBD counts as
    /// unconverged: then links are softer than their material.
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
            // Ropes that a person would call intact stay below 2; a diverging chain of springs
            // passes 10 within a few steps.
            longest_link: 10.0,
            largest_residual: 1e-3,
        }
    }
}

impl Settings {
    /// Says what is wrong, if anything: name of the field, finding, expectation.
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
                short(*stiffness_damping)
            ));
        }
        contact.check().map_err(|e| format!("contact: {e}"))?;
        tear.check().map_err(|e| format!("tear: {e}"))?;
        if !(1.0..=LONGEST_TETHER).contains(&tethers.value()) {
            return Err(format!(
                "tethers are {}; expected 1 to {LONGEST_TETHER} times the way to the pin",
                short(tethers.value())
            ));
        }
        if !(is_moderate_positive(strain_limit.value()) && strain_limit.value() <= MOST_STRAIN) {
            return Err(format!(
                "strain_limit is {}; expected a strain above 0, at most {MOST_STRAIN}",
                short(strain_limit.value())
            ));
        }
        if !(dt.is_finite() && (SHORTEST_DT..=LONGEST_DT).contains(dt)) {
            return Err(format!(
                "dt is {}; expected {SHORTEST_DT} to {LONGEST_DT} seconds",
                short(*dt)
            ));
        }
        if !(1..=1000).contains(substeps) {
            return Err(format!("substeps is {substeps}; expected 1 to 1000"));
        }
        stepping.check().map_err(|e| format!("stepping: {e}"))?;
        guards.check().map_err(|e| format!("guards: {e}"))?;
        if !(longest_link.is_finite() && (1.001..=1e6).contains(longest_link)) {
            return Err(format!(
                "longest_link is {longest_link}; expected 1.001 to 1e6 rest lengths"
            ));
        }
        if !(largest_residual.is_finite() && *largest_residual > 0.0) {
            return Err(format!(
                "largest_residual is {largest_residual}; expected a share of a link's length above 0"
            ));
        }
        Ok(())
    }

    /// Whether the same links hold as constraints, by the same solver, with the same damping, as
    /// under other settings.
    pub fn solves_as(&self, other: &Self) -> bool {
        self.links == other.links
            && self.constraints == other.constraints
            && self.stiffness_damping == other.stiffness_damping
    }

    /// The limits of length that are in force.
    pub fn limits(&self) -> InForce {
        InForce { tethers: self.tethers.limit(), strain: self.strain_limit.limit() }
    }

    /// The constraint solver that is in force.
    pub fn solver(&self) -> ConstraintSolver {
        match self.links {
            LinkMode::Springs => ConstraintSolver::None,
            LinkMode::Constraints => self.constraints,
        }
    }

    /// Reason why the solver in force does not go with the integrator: together they make energy of
    /// nothing, at every step or at some.
    ///
    /// Schemes that move particles before the force of the step acts (explicit Euler, position-first
    /// Euler), and BDF2, which keeps a third of it for the steps that follow, leave Soft Step's impulses
    /// and the links of SHAKE and RATTLE without the displacement that belongs to them. Found by running
    /// all pairs on two ropes that fall (`tests/physics/pairs.rs`); under relaxation, XPBD, VBD and the direct
    /// solver, which take energy, these schemes gain none.
    pub fn misfit(&self) -> Option<&'static str> {
        let is_energy_keeping = matches!(
            self.solver(),
            ConstraintSolver::SoftStep(_)
                | ConstraintSolver::Rattle(_)
                | ConstraintSolver::Shake(_)
        );
        let scheme = self.integrator.scheme();
        if !is_energy_keeping {
            None
        } else if scheme.late_share() > 0.5 {
            Some(
                "the integrator moves particles before the force of the step acts, and the solver \
                 counts on that motion",
            )
        } else if scheme.undone_share() != 1.0 {
            Some(
                "the integrator keeps a third of the motion for later steps, and the solver counts on \
                 all of it",
            )
        } else {
            None
        }
    }
}

/// Hold of the hand on a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GrabMode {
    /// A damped spring from the hand to the particle.
    #[default]
    Spring,
    /// The particle goes exactly where the hand goes.
    Hard,
}

/// Everything that can happen to a session. A list of commands and frame times is a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// The hand takes a particle, in every lane.
    Grab {
        /// Index of the particle.
        particle: u32,
        /// Hold on the particle.
        mode: GrabMode,
        /// Position of the hand in metres.
        at: DVec3,
    },
    /// The hand takes a collider, in every lane. A new start puts it back.
    GrabCollider {
        /// Its number in the scene.
        collider: u32,
        /// Position of the hand in metres.
        at: DVec3,
    },
    /// The hand moves to a place, over the steps of the frame that follows.
    MoveHand(DVec3),
    /// The hand lets go. A collider goes on to where it did.
    Release,
    /// The hand blows from now on, in every lane, or ends to.
    Blow(Option<Blow>),
    /// Throws a ball, in every lane. A new start takes it away.
    Throw(Throw),
    /// Pins a free particle where it is, or frees a pinned one, in every lane.
    TogglePin(u32),
    /// Cuts links, named by their numbers in the scene, in every lane. A new start makes them whole.
    Cut(Vec<u32>),
    /// Restarts the scene, keeping the lanes' settings.
    Reset,
    /// Stops or continues time.
    Pause(bool),
    /// Takes one step in every lane.
    SingleStep,
    /// Speed of simulated time; 1 = real time.
    Speed(f64),
    /// Sets a lane (counted from 0).
    Configure {
        /// Number of the lane.
        lane: usize,
        /// New settings.
        settings: Settings,
    },
    /// Appends a lane that starts the scene anew, in step with the others only if they are reset.
    AddLane {
        /// Its name.
        name: String,
        /// Its settings.
        settings: Settings,
    },
    /// Appends a copy of a lane in its present state.
    DuplicateLane(usize),
    /// Removes a lane; the last one stays.
    RemoveLane(usize),
    /// Puts numbers in the place of others in the scene, and so in all lanes. Where particles and
    /// links are then others, the scene restarts; else it goes on.
    ChangeScene(Vec<SceneNumber>),
    /// Adds a body, a tie or a ball to the scene or takes one out of it, in all lanes, which go on.
    EditScene(SceneEdit),
}

/// A number of a scene and where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneNumber {
    /// Path by field names, in lists by number: `materials[0].stiffness`.
    pub path: String,
    /// The number; `None` = not mentioned, which gives the default.
    pub value: Option<f64>,
}

/// Most numbers that one command changes.
const MOST_NUMBERS: usize = 100_000;

impl SceneNumber {
    /// Says what is wrong with numbers of a recording, if anything.
    pub fn check(numbers: &[Self]) -> Result<(), String> {
        if numbers.len() > MOST_NUMBERS {
            return Err(format!(
                "found {} numbers, expected at most {MOST_NUMBERS}",
                numbers.len()
            ));
        }
        match numbers.iter().find(|it| it.value.is_some_and(|value| !value.is_finite())) {
            Some(Self { path, .. }) => Err(format!("{path} is not finite, expected a number")),
            None => Ok(()),
        }
    }
}
