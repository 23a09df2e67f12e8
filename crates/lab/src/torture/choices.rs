//! Random settings, commands and acts for a session.

use super::act::Act;
use crate::constraint::ConstraintSolver;
use crate::contact::{BallPath, ContactMethod, SelfContact, Swept};
use crate::integrate::Method;
use crate::model::{Blow, Throw};
use crate::numerics::random::Random;
use crate::preset::Preset;
use crate::scene::dials::Dial;
use crate::scene::{LaneSetup, Scene};
use crate::simulation::scene_edit::{RopeEnd, SceneEdit};
use crate::simulation::settings::{Command, GrabMode, LinkMode, SceneNumber, Settings, Tear};
use crate::simulation::timing::frame_source::FrameSource;
use crate::simulation::timing::stepper::{Guard, Stepping};
use glam::DVec3;

/// Shortest step of a case in seconds.
const SHORTEST_DT: f64 = 5e-4;
const MOST_SUBSTEPS: u32 = 8;
const MOST_SWEEPS: u32 = 20;

/// Scene for which random commands are chosen.
pub(super) struct CommandScene<'a> {
    pub scene: &'a Scene,
    /// Dials of the scene: values that the window can change while the scene runs.
    pub dials: Vec<Dial>,
    /// True if self-contact must keep linked rings linked. Cuts, pins, edits, and dials that change
    /// the number of links are then excluded.
    pub keeps_links: bool,
}

impl CommandScene<'_> {
    /// Returns a lane (one simulation) with the settings of one of the scene's lanes, or with
    /// random settings.
    pub fn random_lane(&self, random: &mut Random, number: usize) -> LaneSetup {
        let own = random.pick(&self.scene.lanes).settings;
        let settings = if random.chance(0.4) {
            self.within_limits(own)
        } else {
            self.random_settings(random, own)
        };
        let (rate, seed) = (random.between(20.0, 150.0), 7);
        let frames = match random.below(8) {
            0 => FrameSource::Constant { rate },
            1 => FrameSource::Jitter { rate, jitter: 0.5, seed },
            _ => FrameSource::Measured,
        };
        LaneSetup { name: format!("lane {number}"), settings, frames }
    }

    fn random_settings(&self, random: &mut Random, own: Settings) -> Settings {
        let mut settings = own;
        let methods: Vec<Method> = Method::all().collect();
        settings.integrator = random.pick(&methods);
        settings.dt = random.magnitude(1e-3, 2e-2);
        settings.substeps = 1 + random.below(4) as u32;
        if random.chance(0.6) {
            let solvers: Vec<ConstraintSolver> = ConstraintSolver::all().collect();
            settings.constraints = random.pick(&solvers);
            settings.links = if settings.constraints.is_none() {
                LinkMode::Springs
            } else {
                LinkMode::Constraints
            };
        }
        if settings.constraints.iterations().is_some() {
            settings.constraints.set_iterations(1 + random.below(MOST_SWEEPS as usize) as u32);
        }
        if random.chance(0.5) {
            settings.contact = random_contact(random);
        }
        let steppings: Vec<Stepping> = Stepping::all().collect();
        settings.stepping = random.pick(&steppings);
        settings.stiffness_damping =
            if random.chance(0.2) { random.magnitude(1e-5, 1e-2) } else { 0.0 };
        if random.chance(0.1) {
            settings.tear = Tear::AboveStrain(random.magnitude(0.02, 1.0));
        }
        if random.chance(0.1) {
            settings.tethers = Guard::On(random.between(1.0, 1.2));
        }
        if random.chance(0.1) {
            settings.strain_limit = Guard::On(random.magnitude(0.001, 0.5));
        }
        self.within_limits(settings)
    }

    /// Returns the settings with limited step, substeps and sweeps, so that they compute quickly.
    /// For linked rings, the contact method in the result keeps them linked, and links cannot tear.
    fn within_limits(&self, mut settings: Settings) -> Settings {
        settings.dt = settings.dt.max(SHORTEST_DT);
        settings.substeps = settings.substeps.min(MOST_SUBSTEPS);
        if let Some(sweeps) = settings.constraints.iterations() {
            settings.constraints.set_iterations(sweeps.min(MOST_SWEEPS));
        }
        if self.keeps_links {
            settings.tear = Tear::Never;
            settings.contact =
                ContactMethod::Swept(Swept { itself: SelfContact::Guarantee, ..Swept::default() });
        }
        settings
    }

    pub fn random_act(&self, random: &mut Random) -> Act {
        match random.below(100) {
            0..45 => {
                let seconds = random.pick(&[1.0 / 60.0, 1.0 / 60.0, 1.0 / 144.0, 0.033, 0.1]);
                let steps = random.chance(0.15).then(|| random.below(12) as u32);
                Act::Frame { seconds, steps }
            }
            45..82 => Act::Command(Box::new(self.random_command(random))),
            82..88 => Act::Seek(random.fraction()),
            88..90 => Act::StepBack(1 + random.below(8)),
            90 => Act::Compare(random.pick(&Preset::ALL), random.below(3)),
            91..94 => Act::Undo(random.fraction()),
            94 => Act::Redo,
            95..97 => Act::SwitchBranch,
            97 => Act::Reload,
            _ => Act::Save,
        }
    }

    fn random_command(&self, random: &mut Random) -> Command {
        let mesh = &self.scene.parts.mesh;
        // Some of the indices do not exist. A session must ignore commands with such indices.
        let particle = random.below(mesh.positions.len() + 3) as u32;
        let somewhere = mesh.positions.get(particle as usize).copied().unwrap_or_default();
        let at = somewhere + random.point(0.4);
        let lane = random.below(4);
        match random.below(22) {
            0 | 1 => {
                let hard = random.chance(0.4);
                let mode = if hard { GrabMode::Hard } else { GrabMode::Spring };
                Command::Grab { particle, mode, at }
            }
            2 => Command::GrabCollider { collider: random.below(3) as u32, at },
            3..6 => Command::MoveHand(at),
            6 => Command::Release,
            7 => Command::Blow(random.chance(0.7).then(|| Blow {
                at,
                along: random.point(1.0) + DVec3::Z * 2.0,
                radius: random.between(0.1, 1.0),
                velocity: random.point(10.0),
            })),
            8 => Command::Throw(Throw {
                at: at + random.point(1.0),
                velocity: random.point(6.0),
                mass: random.magnitude(0.005, 1.0),
                radius: random.between(0.02, 0.1),
            }),
            9 if !self.keeps_links => Command::TogglePin(particle),
            10 if !self.keeps_links => {
                let links = mesh.links.len() + 1;
                Command::Cut((0..=random.below(3)).map(|_| random.below(links) as u32).collect())
            }
            11 => Command::SingleStep,
            12 => Command::Pause(random.chance(0.3)),
            13 => Command::Speed(random.magnitude(0.2, 3.0)),
            14 => {
                let own = random.pick(&self.scene.lanes).settings;
                Command::Configure { lane, settings: self.random_settings(random, own) }
            }
            15 => match random.below(4) {
                0 => {
                    let LaneSetup { name, settings, .. } = self.random_lane(random, 9);
                    Command::AddLane { name, settings }
                }
                1 => Command::DuplicateLane(lane),
                2 => Command::RemoveLane(lane),
                _ => Command::Reset,
            },
            16 | 17 if !self.keeps_links => Command::EditScene(random_edit(random, particle, at)),
            18 | 19 if !self.dials.is_empty() => {
                let dial = random.pick(&self.dials);
                Command::ChangeScene(turn_dial(random, &dial))
            }
            _ => Command::Release,
        }
    }
}

/// Returns the values of the scene after a dial was turned to a random value or back to its
/// original one.
fn turn_dial(random: &mut Random, dial: &Dial) -> Vec<SceneNumber> {
    let [least, most] = dial.range;
    let value = match random.below(4) {
        0 => dial.own,
        _ if dial.own > 0.0 => (dial.own * random.magnitude(0.3, 3.0)).clamp(least, most),
        _ => random.between(least, most),
    };
    // More than 1.5 times as many segments as in the scene would take too much computing time.
    let value = if dial.kind.is_whole() { value.min(1.5 * dial.own) } else { value };
    dial.turned_to(value)
}

/// Returns an edit that adds or removes a body. Some of the ends and bodies in such edits do not
/// exist. A session must ignore these edits.
fn random_edit(random: &mut Random, particle: u32, at: DVec3) -> SceneEdit {
    let end = |random: &mut Random| match random.chance(0.5) {
        true => RopeEnd::Particle(random.below(particle as usize + 4) as u32),
        false => RopeEnd::At(at + random.point(0.8)),
    };
    let length = random.between(0.05, 1.5);
    match random.below(9) {
        0 | 1 => SceneEdit::AddRope { ends: [end(random), end(random)], length },
        2 => SceneEdit::AddCloth {
            corner: at,
            across: DVec3::X * random.between(0.1, 0.5),
            down: random.point(0.5) - DVec3::Y,
        },
        3 => SceneEdit::AddBall { at, radius: random.between(0.02, 0.1), mass: length },
        4 => {
            SceneEdit::Tie { ends: [particle, random.below(particle as usize + 4) as u32], length }
        }
        5 | 6 => SceneEdit::DeleteBody(particle),
        7 => SceneEdit::OwnMaterial(particle),
        _ => SceneEdit::DeleteCollider(random.below(3) as u32),
    }
}

fn random_contact(random: &mut Random) -> ContactMethod {
    if random.chance(0.5) {
        let methods: Vec<ContactMethod> = ContactMethod::all().collect();
        return random.pick(&methods);
    }
    use SelfContact::{Guarantee, Off, Particles, Repulsion, Swept as Sweeping};
    let itself = random.pick(&[Off, Particles, Repulsion, Sweeping, Guarantee]);
    let path = random.pick(&[BallPath::Chord, BallPath::Parabola]);
    ContactMethod::Swept(Swept { itself, path, rest: random.chance(0.7), ..Swept::default() })
}
