//! A rope in an engine's terms as a scene, with a lane that steps it as the engine's solver does.

use super::{Language, Pace, SoftLink};

/// A rope of equal bodies, as an engine has it: a chain from a hook, level at first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineRope {
    /// Engine or notation that describes it, and whose solver steps it.
    pub language: Language,
    /// The number that is typed into the engine, as it was typed: before the engine's own limits.
    pub typed: f64,
    /// Link between two neighbouring bodies of the rope.
    pub link: SoftLink,
    /// Step, substeps and sweeps of the engine.
    pub pace: Pace,
    /// Mass of each body in kilograms.
    pub mass: f64,
    /// Links, and bodies besides the hook.
    pub segments: u32,
}

impl EngineRope {
    /// Greatest number of segments.
    pub const MOST_SEGMENTS: u32 = 10_000;

    /// Solver, substeps and sweeps of the lane, in a clause: "Soft Step at 60 Hz".
    pub fn solver(&self) -> String {
        let Pace { substeps, sweeps, .. } = self.pace;
        let how = match self.language {
            Language::Newton | Language::Material => "symplectic Euler on springs".to_owned(),
            Language::Box2d | Language::Rapier => {
                let hertz = format!("Soft Step at {} Hz", self.typed);
                let limited = self.language.limited(self.typed, &self.pace);
                limited.map_or(hertz.clone(), |limit| format!("{hertz} ({limit})"))
            }
            Language::Unity => "Soft Step of a spring".to_owned(),
            Language::Mujoco => "all links solved at once".to_owned(),
            Language::Xpbd | Language::Jolt | Language::Godot | Language::Obi => "XPBD".to_owned(),
            Language::Unreal | Language::Pbd => "position-based dynamics".to_owned(),
        };
        format!("{how}, substeps {substeps}, sweeps {sweeps}")
    }

    /// True if the engine's links are rigid joints, softened by a frequency.
    fn is_rigid(&self) -> bool {
        matches!(self.language, Language::Box2d | Language::Rapier)
    }

    /// Centre and height in metres of a picture that contains the swinging rope with its stretch.
    fn camera(&self) -> [f64; 2] {
        let length = self.link.length * f64::from(self.segments);
        [2.0 - 0.55 * length, 1.4 * length]
    }

    /// The scene file.
    pub fn to_ron(&self) -> String {
        let Self { language, link, pace, mass, segments, .. } = self;
        let length = link.length * f64::from(*segments);
        // A material gives links of length l the stiffness EA = k l and the damping c l.
        let [ea, damping] = [link.stiffness, link.damping].map(|number| number * link.length);
        let (name, solver) = (language.name(), self.solver());
        let rope_mass = mass / link.length;
        let [centre, height] = self.camera();
        format!(
            r#"// A rope as {name} has it: {segments} bodies of {mass} kg, {stiffness} N/m between them.
(
    version: 1,
    name: "Rope from {name}",
    look_for: "A rope swings down from level as {name} steps it: {solver}.",
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
            dt = pace.dt,
            substeps = pace.substeps,
        )
    }

    /// Integrator and solver.
    fn settings(&self) -> String {
        let sweeps = self.pace.sweeps;
        let solver = match self.language {
            Language::Newton | Language::Material => "None".to_owned(),
            Language::Box2d | Language::Rapier => format!(
                "SoftStep(iterations: {sweeps}, hertz: Some({:?}), damping_ratio: {:?}, limited: {})",
                self.typed,
                self.damping_ratio(),
                self.language == Language::Box2d
            ),
            Language::Unity => {
                format!("SoftStep(iterations: {sweeps}, hertz: None, limited: false)")
            }
            Language::Mujoco => format!("Direct(iterations: {})", sweeps.max(2)),
            Language::Xpbd | Language::Jolt | Language::Godot | Language::Obi => {
                format!("Xpbd(iterations: {sweeps})")
            }
            Language::Pbd => {
                format!("Relaxation(iterations: {sweeps}, stiffness: {:?})", self.typed)
            }
            Language::Unreal => {
                // One sweep, so that all leave the same error as the engine's substep.
                let sweeps_of_120_hertz = 120.0 * self.pace.h() / f64::from(sweeps);
                let share = 1.0 - (1.0 - self.typed).powf(sweeps_of_120_hertz);
                format!("Relaxation(iterations: {sweeps}, stiffness: {share:?})")
            }
        };
        format!("integrator: SymplecticEuler, constraints: {solver}")
    }

    /// ζ = c (w₁ + w₂)/(2 ω) at the frequency that the engine uses after its limits.
    fn damping_ratio(&self) -> f64 {
        let ratio = self.link.damping_ratio();
        if ratio.is_finite() { ratio } else { 0.0 }
    }
}
