//! Rope with the values of an engine, as a scene whose lane (simulation) imitates the engine's
//! solver.

use super::language::StiffnessLanguage;
use super::soft_link::{SoftLink, SolverSteps};

/// Rope of equal bodies as in an engine: a chain that hangs from a hook and starts horizontally.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineRope {
    /// Engine or notation of the typed value, which determines the lane's solver.
    pub stiffness_language: StiffnessLanguage,
    /// Value that the user types into the engine, before the engine limits it.
    pub typed: f64,
    /// Link between two neighbouring bodies of the rope.
    pub link: SoftLink,
    /// Step, substeps and sweeps of the engine's solver.
    pub steps: SolverSteps,
    /// Mass of each body in kilograms.
    pub mass: f64,
    /// Number of links, and of bodies besides the hook.
    pub segments: u32,
}

impl EngineRope {
    /// Largest number of segments.
    pub const MOST_SEGMENTS: u32 = 10_000;

    /// Returns the lane's solver, substeps and sweeps as text: "Soft Step at 60 Hz, substeps 4,
    /// sweeps 1".
    pub fn solver(&self) -> String {
        let SolverSteps { substeps, sweeps, .. } = self.steps;
        let how = match self.stiffness_language {
            StiffnessLanguage::Newton | StiffnessLanguage::Material => {
                "symplectic Euler on springs".to_owned()
            }
            StiffnessLanguage::Box2d | StiffnessLanguage::Rapier => {
                let hertz = format!("Soft Step at {} Hz", self.typed);
                let limited = self.stiffness_language.limit_in_words(self.typed, &self.steps);
                limited.map_or(hertz.clone(), |limit| format!("{hertz} ({limit})"))
            }
            StiffnessLanguage::Unity => "Soft Step of a spring".to_owned(),
            StiffnessLanguage::Mujoco => "all links solved at once".to_owned(),
            StiffnessLanguage::Xpbd
            | StiffnessLanguage::Jolt
            | StiffnessLanguage::Godot
            | StiffnessLanguage::Obi => "XPBD".to_owned(),
            StiffnessLanguage::Unreal | StiffnessLanguage::Pbd => {
                "position-based dynamics".to_owned()
            }
        };
        format!("{how}, substeps {substeps}, sweeps {sweeps}")
    }

    /// True if the engine's links are rigid joints that a frequency softens.
    fn is_rigid(&self) -> bool {
        matches!(self.stiffness_language, StiffnessLanguage::Box2d | StiffnessLanguage::Rapier)
    }

    /// Returns the height of the camera's centre above the floor, and the height of the area that
    /// the camera shows, in metres. The swinging, stretched rope fits in this area.
    fn camera(&self) -> [f64; 2] {
        let length = self.link.length * f64::from(self.segments);
        [2.0 - 0.55 * length, 1.4 * length]
    }

    /// Returns the text of the scene file.
    pub fn to_ron(&self) -> String {
        let Self { stiffness_language, link, steps, mass, segments, .. } = self;
        let length = link.length * f64::from(*segments);
        // A material with EA = k l and damping c l gives a link of length l the stiffness k and the
        // damping c.
        let [ea, damping] = [link.stiffness, link.damping].map(|number| number * link.length);
        let (name, solver) = (stiffness_language.name(), self.solver());
        let rope_mass = mass / link.length;
        let [centre, height] = self.camera();
        format!(
            r#"// Rope with the values of {name}: {segments} bodies of {mass} kg,
// links of {stiffness} N/m.
(
    version: 1,
    name: "Rope from {name}",
    look_for: "A horizontal rope falls and swings, computed as in {name}: {solver}.",
    materials: [Rope(name: "link", mass_per_metre: {rope_mass:?}, stiffness: {ea:?}, damping: {damping:?}{rigid})],
    ropes: [(name: "rope", from: (0, 2, 0), to: ({length:?}, 2, 0), segments: {segments}, material: "link")],
    masses: [(of: Body("rope"), mass: {mass:?})],
    pins: [(of: Start("rope"))],
    forces: [(law: Gravity())],
    camera: Side(centre: (0, {centre:?}, 0), height: {height:?}, aspect: 1.8),
    settings: ({settings}, contact: Off, dt: {dt:?}, substeps: {substeps}),
    lanes: [(name: "{name}")],
)
"#,
            stiffness = link.stiffness,
            rigid = if self.is_rigid() { ", rigid: true" } else { "" },
            settings = self.settings(),
            dt = steps.dt,
            substeps = steps.substeps,
        )
    }

    /// Returns the integrator and the solver as text of the scene file.
    fn settings(&self) -> String {
        let sweeps = self.steps.sweeps;
        let solver = match self.stiffness_language {
            StiffnessLanguage::Newton | StiffnessLanguage::Material => "None".to_owned(),
            StiffnessLanguage::Box2d | StiffnessLanguage::Rapier => format!(
                "SoftStep(iterations: {sweeps}, hertz: Some({:?}), damping_ratio: {:?}, limited: {})",
                self.typed,
                self.damping_ratio(),
                self.stiffness_language == StiffnessLanguage::Box2d
            ),
            StiffnessLanguage::Unity => {
                format!("SoftStep(iterations: {sweeps}, hertz: None, limited: false)")
            }
            StiffnessLanguage::Mujoco => format!("Direct(iterations: {})", sweeps.max(2)),
            StiffnessLanguage::Xpbd
            | StiffnessLanguage::Jolt
            | StiffnessLanguage::Godot
            | StiffnessLanguage::Obi => {
                format!("Xpbd(iterations: {sweeps})")
            }
            StiffnessLanguage::Pbd => {
                format!("Relaxation(iterations: {sweeps}, stiffness: {:?})", self.typed)
            }
            StiffnessLanguage::Unreal => {
                // Fraction that one sweep corrects. All sweeps of a substep then leave the same
                // error as in the engine.
                let sweeps_of_120_hertz = 120.0 * self.steps.h() / f64::from(sweeps);
                let share = 1.0 - (1.0 - self.typed).powf(sweeps_of_120_hertz);
                format!("Relaxation(iterations: {sweeps}, stiffness: {share:?})")
            }
        };
        format!("integrator: SymplecticEuler, constraints: {solver}")
    }

    /// Returns the damping ratio of a link; 0 if its angular frequency is 0.
    fn damping_ratio(&self) -> f64 {
        let ratio = self.link.damping_ratio();
        if ratio.is_finite() { ratio } else { 0.0 }
    }
}
