//! Edits of a scene by the user: bodies are added, tied or deleted.

mod adopt;
mod counterpart;
mod delete;
mod draft;
mod own_material;
mod references;

use super::geometry::catenary::catenary;
use super::scene::Scene;
use super::typed::contact_file::BallsFile;
use super::typed::file::{LinkFile, PinFile, SceneFile, SheetFile, StartFile};
use super::typed::located::Located;
use super::typed::material_file::Material;
use super::typed::number::{Count, NonNegative, Point, Positive};
use super::typed::particles::{Corner, Particles};
use super::typed::rope_file::RopeFile;
pub use adopt::AdoptedBall;
use adopt::Ties;
use draft::{Bodies, Draft};
use glam::DVec3;
use references::Renumbering;
use ropelab_core::mesh::LinkKind;
use ropelab_core::numerics::trajectory::Trajectory;
use ropelab_core::simulation::PartsMapping;
use ropelab_core::simulation::scene_edit::{RopeEnd, SceneEdit};

/// Number of cells along the longer edge of a new cloth. If the scene already has a cloth, the new
/// cloth gets cells of the same size instead.
const CELLS: f64 = 12.0;
const LINKS: f64 = 20.0;
/// Largest number of cells along an edge of a new cloth.
const MOST_CELLS: f64 = 60.0;
const MOST_LINKS: f64 = 200.0;
/// Stiffness of a tie between two particles without links, in N/m.
const TIE_STIFFNESS: f64 = 1000.0;

/// Scene after an edit, with the relation between old and new indices.
#[derive(Clone, Debug)]
pub struct EditedScene {
    /// The new scene.
    pub scene: Scene,
    /// Old index of each particle of the new scene; `None` if the particle is new.
    particles: Vec<Option<u32>>,
    /// New index of each old particle, then of the thrown balls up to the one that became a ball of
    /// the file. `None` for a removed particle, and for a ball that remains a thrown one.
    numbers: Vec<Option<u32>>,
    /// Old index of each collider of the new scene; `None` if the collider is new.
    colliders: Vec<Option<u32>>,
    /// Index of the thrown ball that was removed or became a ball of the file; `None` if there is
    /// none.
    lost_ball: Option<usize>,
}

impl Scene {
    /// Returns the scene after an edit. If the edit is impossible, returns a sentence with the
    /// reason. `thrown` returns the ball with the given index among the balls that the user has
    /// thrown. If the edit ties something to such a ball, it becomes a ball of the scene file.
    pub fn edited(
        &self,
        edit: &SceneEdit,
        thrown: impl Fn(usize) -> Option<AdoptedBall>,
    ) -> Result<EditedScene, String> {
        edit.check()?;
        let bodies = self.bodies()?;
        let mut draft = match edit {
            SceneEdit::AddRope { ends, length } => {
                let tied = ends.map(|end| match end {
                    RopeEnd::At(_) => None,
                    RopeEnd::Particle(particle) => Some(particle),
                });
                let ties = self.ties(&bodies, tied, thrown)?;
                Ok(self.with_rope(&bodies, ties, ends, *length))
            }
            SceneEdit::AddCloth { corner, across, down } => {
                self.with_cloth(&bodies, [*corner, *across, *down])
            }
            SceneEdit::AddBall { at, radius, mass } => {
                Ok(self.with_ball(&bodies, *at, [*radius, *mass]))
            }
            SceneEdit::Tie { ends, length } => {
                let ties = self.ties(&bodies, ends.map(Some), thrown)?;
                Ok(self.with_tie(ties, *ends, *length))
            }
            SceneEdit::DeleteBody(particle) => self.without_body(&bodies, *particle),
            SceneEdit::DeleteCollider(collider) => self.without_collider(*collider),
            SceneEdit::OwnMaterial(particle) => self.with_own_material(&bodies, *particle),
        }?;
        let Draft { file, numbers, removed_name, .. } = &mut draft;
        Renumbering { numbers, removed_name: removed_name.as_deref() }.apply(file);
        self.check_draft(draft)
    }

    fn bodies(&self) -> Result<Bodies, String> {
        let particles = self.file.particles_of_bodies().map_err(|fault| fault.message)?;
        Ok(Bodies { particles, count: self.parts.mesh.positions.len() })
    }

    /// Checks the new file. If it has a start state, which lists all particles, new particles are
    /// added to the list.
    fn check_draft(&self, draft: Draft) -> Result<EditedScene, String> {
        let Draft { mut file, particles, numbers, colliders, lost_ball, .. } = draft;
        let start = file.start.take();
        let mut scene = file.clone().check().map_err(|fault| fault.message)?;
        if let Some(start) = start {
            file.start = Some(Located::new(self.extend_start(&start, &particles, &scene)));
            scene = file.check().map_err(|fault| fault.message)?;
        }
        if particles.len() != scene.parts.mesh.positions.len() {
            return Err("the particles of the edited scene have an unexpected order".to_owned());
        }
        Ok(EditedScene { scene, particles, numbers, colliders, lost_ball })
    }

    fn extend_start(&self, start: &StartFile, from: &[Option<u32>], new: &Scene) -> StartFile {
        let parts = &new.parts;
        let column = |old: &[Point], own: &dyn Fn(usize) -> DVec3| {
            if old.is_empty() {
                return Vec::new();
            }
            let value = |(i, from): (usize, &Option<u32>)| {
                // The old start state does not contain a thrown ball, so the ball's initial state
                // in the new scene is used.
                let old = from.and_then(|from| old.get(from as usize).copied());
                old.unwrap_or_else(|| Point::checked(own(i)))
            };
            from.iter().enumerate().map(value).collect()
        };
        let old_ball = |particle: u32| {
            let from = from[particle as usize]?;
            self.parts.contact.balls.iter().position(|ball| ball.particle == from)
        };
        let spin = |ball: &ropelab_core::contact::BallSetup| {
            let old = old_ball(ball.particle).and_then(|place| start.spins.get(place).copied());
            old.unwrap_or(Point::checked(ball.spin))
        };
        let has_spins = !start.spins.is_empty();
        let spins = parts.contact.balls.iter().filter(|_| has_spins).map(spin).collect();
        StartFile {
            positions: column(&start.positions, &|i| parts.mesh.positions[i]),
            velocities: column(&start.velocities, &|i| parts.velocity(i)),
            spins,
        }
    }

    fn draft(&self) -> Draft {
        let all = |count: usize| (0..count as u32).map(Some).collect::<Vec<_>>();
        let count = self.parts.mesh.positions.len();
        Draft {
            file: SceneFile::clone(&self.file),
            particles: all(count),
            numbers: all(count),
            colliders: all(self.parts.contact.colliders.len()),
            lost_ball: None,
            removed_name: None,
        }
    }

    fn with_rope(
        &self,
        bodies: &Bodies,
        Ties { mut draft, ends: tied, adopted }: Ties,
        ends: &[RopeEnd; 2],
        length: f64,
    ) -> Draft {
        let place = |end: &RopeEnd| match end {
            RopeEnd::At(at) => Some(Located::new(Point::checked(*at))),
            RopeEnd::Particle(_) => None,
        };
        let name = free_name(&self.file, "new rope");
        let [from, to] = ends;
        let [tie_from, tie_to] = tied;
        let first = draft.file.ropes.first();
        let link = first.and_then(|_| {
            let chain = self.parts.mesh.ropes.iter().find(|chain| chain.particles.len() > 1)?;
            let [a, b] = [chain.particles[0], chain.particles[1]];
            let is_it = |link: &ropelab_core::mesh::Link| [link.a, link.b] == [a, b];
            self.parts.mesh.links.iter().find(is_it).map(|link| link.rest)
        });
        let segments = link.map_or(LINKS, |link| (length / link).round().clamp(2.0, MOST_LINKS));
        let material = first.and_then(|rope| rope.material.clone()).or_else(|| {
            let rope = self.file.materials.iter().find(|it| matches!(it, Material::Rope(_)));
            rope.map(|it| it.name().clone())
        });
        let rope = RopeFile {
            name: Some(Located::new(name.clone())),
            from: place(from),
            to: place(to),
            tie_from,
            tie_to,
            through: Vec::new(),
            closed: false,
            length: Some(Positive::checked(length)),
            sag: Located::new(Point::checked(DVec3::NEG_Y)),
            segments: Located::new(Count::checked(segments as u32)),
            material,
            layer: None,
        };
        let pins = [(from, Particles::Start(name.clone())), (to, Particles::End(name))];
        let free = pins.into_iter().filter(|(end, _)| matches!(end, RopeEnd::At(_)));
        let free: Vec<PinFile> = free.map(|(_, of)| still_pin(of)).collect();
        let own = segments as usize - 1 + free.len();
        draft.file.pins.extend(free);
        draft.file.ropes.push(Located::new(rope));
        draft.insert(bodies.end_of(bodies.particles.len()) + adopted, own);
        draft
    }

    fn with_cloth(
        &self,
        bodies: &Bodies,
        [corner, across, down]: [DVec3; 3],
    ) -> Result<Draft, String> {
        let mut draft = self.draft();
        let file = &mut draft.file;
        let (like, edges) = (file.cloths.first(), [across.length(), down.length()]);
        let cell = like.map(|cloth| {
            let columns = f64::from(u32::from(cloth.cells.0));
            DVec3::from(*cloth.across).length() / columns
        });
        let cell = cell.unwrap_or(edges[0].max(edges[1]) / CELLS);
        let count = |edge: f64| (edge / cell).round().clamp(1.0, MOST_CELLS) as u32;
        let [columns, rows] = edges.map(count);
        let material = like.and_then(|cloth| cloth.material.clone()).or_else(|| {
            let cloth = file.materials.iter().find(|it| matches!(it, Material::Cloth(_)));
            cloth.map(|it| it.name().clone())
        });
        let name = free_name(file, "new cloth");
        let corner_of = |which| Particles::Corner(name.clone(), which);
        let upper = [Corner::TopLeft, Corner::TopRight].map(corner_of);
        file.pins.push(still_pin(Particles::Any(upper.into())));
        file.cloths.push(SheetFile {
            name: Some(Located::new(name)),
            corner: Point::checked(corner),
            across: Located::new(Point::checked(across)),
            down: Located::new(Point::checked(down)),
            cells: Located::new((Count::checked(columns), Count::checked(rows))),
            material,
            layer: None,
        });
        let before = bodies.before_ropes(&self.file);
        draft.insert(before, (columns as usize + 1) * (rows as usize + 1));
        Ok(draft)
    }

    fn with_ball(&self, bodies: &Bodies, at: DVec3, [radius, mass]: [f64; 2]) -> Draft {
        let mut draft = self.draft();
        let one = Count::checked(1);
        draft.file.balls.push(Located::new(BallsFile {
            name: Some(Located::new(free_name(&self.file, "new ball"))),
            at: Point::checked(at),
            radius: Positive::checked(radius),
            mass: Positive::checked(mass),
            velocity: Point::default(),
            spin: Point::default(),
            surface: super::typed::contact_file::default_surface(),
            count: Located::new((one, one, one)),
            spacing: None,
            jitter: NonNegative::default(),
            speed: NonNegative::default(),
            seed: 0,
            layer: None,
        }));
        draft.insert(bodies.before_sheets(&self.file), 1);
        draft
    }

    fn with_tie(
        &self,
        Ties { mut draft, ends: tied, .. }: Ties,
        ends: [u32; 2],
        length: f64,
    ) -> Draft {
        let links = self.parts.mesh.links.iter();
        let there = links.filter(|link| ends.contains(&link.a) || ends.contains(&link.b));
        let like = there.max_by(|a, b| a.stiffness.total_cmp(&b.stiffness));
        let [Some(a), Some(b)] = tied else { return draft };
        draft.file.links.push(LinkFile {
            a,
            b,
            rest: Some(Positive::checked(length)),
            stiffness: Positive::checked(like.map_or(TIE_STIFFNESS, |link| link.stiffness)),
            damping: NonNegative::checked(like.map_or(0.0, |link| link.damping)),
            kind: LinkKind::Structural,
            one_sided: true,
            rigid: like.is_some_and(|link| link.rigid),
        });
        draft
    }
}

impl Bodies {
    fn end_of(&self, bodies: usize) -> u32 {
        self.particles[..bodies].iter().flatten().map(|i| i + 1).max().unwrap_or(0)
    }

    /// Returns the index of the first particle after all balls.
    fn before_sheets(&self, file: &SceneFile) -> u32 {
        self.end_of(file.particles.len() + file.balls.len())
    }

    /// Returns the index of the first particle after all cloths.
    fn before_ropes(&self, file: &SceneFile) -> u32 {
        let sheets = file.nets.len() + file.cloths.len();
        self.end_of(file.particles.len() + file.balls.len() + sheets)
    }
}

impl Draft {
    fn insert(&mut self, before: u32, count: usize) {
        let at = before as usize;
        self.particles.splice(at..at, std::iter::repeat_n(None, count));
        self.numbers.iter_mut().flatten().filter(|number| **number >= before).for_each(|number| {
            *number += count as u32;
        });
    }
}

impl EditedScene {
    /// Returns the positions of the new particles for a lane (one of several simulations of the
    /// scene) whose old particles are at `x`. A new rope hangs between the tied particles where
    /// they are in this lane.
    pub fn positions_of_new_particles(&self, edit: &SceneEdit, x: &[DVec3]) -> Vec<DVec3> {
        let mesh = &self.scene.parts.mesh;
        let is_new = |i: &usize| self.particles[*i].is_none();
        let new = (0..self.particles.len()).filter(is_new);
        let SceneEdit::AddRope { ends, length } = edit else {
            return new.map(|i| mesh.positions[i]).collect();
        };
        let place = |end: &RopeEnd| match end {
            RopeEnd::At(at) => *at,
            RopeEnd::Particle(particle) => x.get(*particle as usize).copied().unwrap_or_default(),
        };
        let is_tied = |end: &RopeEnd| usize::from(matches!(end, RopeEnd::Particle(_)));
        let [from, to] = ends;
        let (skipped, own) = (is_tied(from), new.count());
        let segments = own + skipped + is_tied(to) - 1;
        let points = catenary([place(from), place(to)], *length, DVec3::NEG_Y, segments as u32);
        points.into_iter().skip(skipped).take(own).collect()
    }

    /// Returns the data with which a simulation continues after the edit. `fresh` contains the
    /// positions of the new particles.
    pub fn parts_mapping<'a>(&'a self, fresh: &'a [DVec3]) -> PartsMapping<'a> {
        let Self { particles, numbers, colliders, lost_ball, .. } = self;
        PartsMapping { particles, numbers, fresh, colliders, lost_ball: *lost_ball }
    }
}

fn still_pin(of: Particles) -> PinFile {
    PinFile { of: Located::new(of), path: Located::new(Trajectory::Still) }
}

/// Returns a name that no body has: `wanted`, followed by a number if necessary.
fn free_name(file: &SceneFile, wanted: &str) -> String {
    let ropes = file.ropes.iter().map(|it| &it.name);
    let sheets = file.nets.iter().chain(&file.cloths).map(|it| &it.name);
    let balls = file.balls.iter().map(|it| &it.name);
    let all = ropes.chain(sheets).chain(balls).chain(file.particles.iter().map(|it| &it.name));
    let taken: Vec<&str> = all.flatten().map(|name| name.as_str()).collect();
    first_free(wanted, |name| !taken.contains(&name))
}

/// Returns `wanted` if this name is free. Otherwise appends the smallest number from 2 that makes
/// it free.
pub(crate) fn first_free(wanted: &str, is_free: impl Fn(&str) -> bool) -> String {
    let mut names = (1..).map(|n| if n == 1 { wanted.to_owned() } else { format!("{wanted} {n}") });
    names.find(|name| is_free(name)).unwrap_or_default()
}
