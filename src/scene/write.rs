//! A checked scene as RON: every particle and link by itself, nothing left to a default.

use super::file::{
    DrawnCloth, DrawnRope, ForceFile, GuardsFile, LaneFile, LinkFile, ParticleFile, Particles,
    PinFile, SceneFile, SettingsFile, VERSION,
};
use super::located::Located;
use super::number::{Finite, NonNegative, Point, Positive};
use super::{LaneSetup, Scene, TargetedForce};
use crate::constraint::Link;
use crate::mesh::{Chain, Grid, Mesh};
use crate::settings::Settings;
use crate::stepper::Guards;

impl Scene {
    /// The scene as RON that [`Scene::parse`] reads back to an equal scene.
    pub fn to_ron(&self) -> String {
        let pretty = ron::ser::PrettyConfig::new()
            .depth_limit(2)
            .new_line("\n")
            .extensions(super::extensions());
        super::options()
            .to_string_pretty(&SceneFile::from(self), pretty)
            .expect("a scene file has no map keys or other values that RON cannot write")
    }
}

impl From<&Scene> for SceneFile {
    fn from(scene: &Scene) -> Self {
        let Scene { name, look_for, mesh, velocities: _, pins, forces, camera, floor, lanes } =
            scene;
        let Mesh { positions, masses, links, faces, ropes, cloths } = mesh;
        let particle = |i: usize| ParticleFile {
            name: None,
            at: Point::checked(positions[i]),
            mass: Positive::checked(masses[i]),
            velocity: Point::checked(scene.velocity(i)),
        };
        let pin = |pin: &super::Pin| PinFile {
            of: Located::new(Particles::Particle(pin.particle)),
            path: Located::new(pin.path.clone()),
        };
        let force = |TargetedForce { law, targets }: &TargetedForce| ForceFile {
            law: Located::new(*law),
            on: Located::new(if targets.len() == positions.len() {
                Particles::All
            } else {
                Particles::Numbers(targets.clone())
            }),
        };
        let lane = |LaneSetup { name, settings }: &LaneSetup| {
            Located::new(LaneFile { name: name.clone(), settings: settings.into() })
        };
        let drawn_rope = |Chain { particles, radius }: &Chain| DrawnRope {
            particles: Located::new(particles.clone()),
            radius: Positive::checked(*radius),
        };
        let drawn_cloth = |&Grid { first, columns, rows }: &Grid| {
            Located::new(DrawnCloth { first, columns, rows })
        };
        Self {
            version: Located::new(VERSION),
            name: name.clone(),
            look_for: look_for.clone(),
            materials: Vec::new(),
            particles: (0..positions.len()).map(particle).collect(),
            ropes: Vec::new(),
            nets: Vec::new(),
            cloths: Vec::new(),
            links: links.iter().map(LinkFile::from).collect(),
            masses: Vec::new(),
            velocities: Vec::new(),
            pins: pins.iter().map(pin).collect(),
            forces: forces.iter().map(force).collect(),
            floor: Finite::checked(*floor),
            camera: Some(Located::new(*camera)),
            settings: SettingsFile::default(),
            lanes: lanes.iter().map(lane).collect(),
            faces: faces.iter().map(Located::new).collect(),
            drawn_ropes: ropes.iter().map(drawn_rope).collect(),
            drawn_cloths: cloths.iter().map(drawn_cloth).collect(),
        }
    }
}

impl From<Link> for LinkFile {
    fn from(link: Link) -> Self {
        let Link { a, b, rest, stiffness, damping, kind, one_sided, rigid } = link;
        Self {
            a: Located::new(Particles::Particle(a)),
            b: Located::new(Particles::Particle(b)),
            rest: Some(Positive::checked(rest)),
            stiffness: Positive::checked(stiffness),
            damping: NonNegative::checked(damping),
            kind,
            one_sided,
            rigid,
        }
    }
}

impl From<&Settings> for SettingsFile {
    fn from(settings: &Settings) -> Self {
        let Settings { integrator, links, constraints, dt, substeps, stepping, guards } = *settings;
        let Guards { frame_clamp, accumulator_cap, most_steps, time_budget } = guards;
        Self {
            integrator: Some(Located::new(integrator)),
            links: Some(Located::new(links)),
            constraints: Some(Located::new(constraints)),
            dt: Some(Located::new(dt)),
            substeps: Some(Located::new(substeps)),
            stepping: Some(Located::new(stepping)),
            guards: Some(GuardsFile {
                frame_clamp: Some(Located::new(frame_clamp)),
                accumulator_cap: Some(Located::new(accumulator_cap)),
                most_steps: Some(Located::new(most_steps)),
                time_budget: Some(Located::new(time_budget)),
            }),
        }
    }
}
