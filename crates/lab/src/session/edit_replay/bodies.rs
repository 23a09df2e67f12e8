//! Bodies of the recorded run of a session, and their counterparts in the repeated run (the parent
//! module explains both). If a body was added or removed in only one of the runs, particles, links
//! and obstacles have different indices in the two runs.

use super::body_change::BodyChange;
use crate::model::{MOST_THROWN, Thrown};
use crate::scene::Scene;
use crate::scene::edit::{AdoptedBall, EditedScene};
use crate::scene::vary::VariableScene;
use crate::session::side_by_side::Session;
use crate::simulation::scene_edit::{RopeEnd, SceneEdit};
use crate::simulation::settings::{Command, SceneNumber};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Placeholder for a thrown ball. Its position, radius and mass have no effect on indices.
const SOME_BALL: AdoptedBall = AdoptedBall { at: glam::DVec3::ZERO, radius: 0.1, mass: 1.0 };

#[derive(Debug)]
pub(super) struct Bodies {
    /// Differences between the bodies of the two runs; `None` while both runs have the same bodies.
    differences: Option<BodyDifferences>,
    old: ThrownBalls,
    new: ThrownBalls,
    /// Number of throws so far in either run. A throw in both runs counts once.
    throws: u64,
}

#[derive(Debug)]
struct BodyDifferences {
    scene: Arc<Scene>,
    /// Index in the repeated run of each particle of the recorded run; `None` = missing in the
    /// repeated run.
    particles: Vec<Option<u32>>,
    /// Index in the repeated run of each obstacle of the recorded run; `None` = missing in the
    /// repeated run.
    colliders: Vec<Option<u32>>,
}

/// Thrown balls of a run. The number of a ball is the same in both runs.
#[derive(Clone, Debug, Default)]
struct ThrownBalls {
    balls: Vec<u64>,
    throws: u64,
}

impl ThrownBalls {
    fn throw(&mut self, ball: u64) {
        let slot = (self.throws % MOST_THROWN as u64) as usize;
        if self.balls.len() < MOST_THROWN {
            self.balls.push(ball);
        } else {
            self.balls[slot] = ball;
        }
        self.throws += 1;
    }

    /// Removes the ball at index `lost`. Afterwards, the oldest ball is the first in the list.
    fn remove(&mut self, lost: usize) {
        if self.balls.len() == MOST_THROWN {
            let oldest = (self.throws % MOST_THROWN as u64) as usize;
            self.balls.rotate_left(oldest);
            let count = self.balls.len();
            self.balls.remove((lost + count - oldest) % count);
        } else if lost < self.balls.len() {
            self.balls.remove(lost);
        }
        self.throws = self.balls.len() as u64;
    }

    fn after(mut self, edited: &EditedScene) -> Self {
        edited.parts_mapping(&[]).lost_ball.into_iter().for_each(|lost| self.remove(lost));
        self
    }
}

impl Bodies {
    /// Creates the bodies of two runs that both start at the current state of a session.
    pub(super) fn of(session: &Session) -> Self {
        let thrown = session.lanes().first().map(|lane| lane.simulation.model().thrown().clone());
        let Thrown { balls, throws } = thrown.unwrap_or_default();
        let balls = ThrownBalls { balls: (0..balls.len() as u64).collect(), throws };
        let throws = balls.balls.len() as u64;
        Self { differences: None, old: balls.clone(), new: balls, throws }
    }

    /// Returns a command with the indices of the repeated run, and the part of the command whose
    /// targets are missing in that run. The translated command is `None` if all targets are
    /// missing.
    pub(super) fn translate(
        &self,
        command: &Command,
        session: &Session,
    ) -> (Option<Command>, Option<Command>) {
        let particle = |old: u32| self.new_particle(old, session);
        let kept = match command {
            Command::Grab { particle: old, mode, at } => {
                particle(*old).map(|particle| Command::Grab { particle, mode: *mode, at: *at })
            }
            Command::TogglePin(old) => particle(*old).map(Command::TogglePin),
            Command::GrabCollider { collider, at } => {
                let collider = self.new_collider(*collider);
                collider.map(|collider| Command::GrabCollider { collider, at: *at })
            }
            Command::EditScene(edit) => self.translate_edit(edit, session).map(Command::EditScene),
            Command::Cut(links) => {
                let (kept, lost) = self.translate_links(links, session);
                let cut = |links: Vec<u32>| (!links.is_empty()).then_some(Command::Cut(links));
                let nothing = links.is_empty().then(|| command.clone());
                return (cut(kept).or(nothing), cut(lost));
            }
            Command::ChangeScene(numbers) => {
                let new = |number: &SceneNumber| self.translate_number(number, session);
                let (kept, lost): (Vec<_>, Vec<_>) =
                    numbers.iter().map(|it| (new(it), it)).partition(|(new, _)| new.is_some());
                let kept: Vec<_> = kept.into_iter().filter_map(|(new, _)| new).collect();
                let lost: Vec<_> = lost.into_iter().map(|(_, old)| old.clone()).collect();
                let change = |it: Vec<_>| (!it.is_empty()).then_some(Command::ChangeScene(it));
                return (change(kept), change(lost));
            }
            other @ (Command::MoveHand(_)
            | Command::Release
            | Command::Blow(_)
            | Command::Throw(_)
            | Command::Reset
            | Command::Pause(_)
            | Command::SingleStep
            | Command::Speed(_)
            | Command::Configure { .. }
            | Command::AddLane { .. }
            | Command::DuplicateLane(_)
            | Command::RemoveLane(_)
            | Command::NameLane { .. }) => Some(other.clone()),
        };
        (kept, None)
    }

    /// Applies a command that happens only in the recorded run to its bodies.
    pub(super) fn apply_to_old(&mut self, command: &Command, session: &Session) {
        let Some(change) = BodyChange::of(command) else { return };
        match change {
            BodyChange::Throw => {
                self.old.throw(self.throws);
                self.throws += 1;
            }
            BodyChange::Reset => self.old = ThrownBalls::default(),
            BodyChange::Edit(edit) => self.edit_old(edit, session),
            BodyChange::Numbers(numbers) => {
                let new = session.scene().clone();
                self.track_differences(session);
                let Some(differences) = &mut self.differences else { return };
                let changed = VariableScene::spelled_out(&differences.scene).changed(numbers);
                if let Ok(changed) = changed {
                    differences.update_particles([&new, &new], Arc::new(changed));
                    self.old = ThrownBalls::default();
                }
            }
        }
    }

    /// Applies a command that happens only in the repeated run to its bodies.
    pub(super) fn apply_to_new(&mut self, command: &Command, session: &Session) {
        let Some(change) = BodyChange::of(command) else { return };
        match change {
            BodyChange::Throw => {
                self.new.throw(self.throws);
                self.throws += 1;
            }
            BodyChange::Reset => self.new = ThrownBalls::default(),
            BodyChange::Edit(edit) => {
                let Ok(edited) = session.edited_scene(edit) else { return };
                self.track_differences(session);
                let after = self.new.clone().after(&edited);
                let indices = EditedIndices { edited: &edited, before: &self.new, after: &after };
                if let Some(differences) = &mut self.differences {
                    differences.renumber(session, &indices);
                }
                self.new = after;
            }
            BodyChange::Numbers(numbers) => {
                let before = session.scene().clone();
                let changed = VariableScene::spelled_out(&before).changed(numbers);
                let Ok(after) = changed else { return };
                self.track_differences(session);
                if let Some(differences) = &mut self.differences {
                    differences.update_particles([&before, &after], differences.scene.clone());
                }
                self.new = ThrownBalls::default();
            }
        }
    }

    /// Applies a command that happens in both runs to their bodies. Returns false if the repeated
    /// run cannot carry it out.
    pub(super) fn apply_to_both(
        &mut self,
        old: &Command,
        new: &Command,
        session: &Session,
    ) -> bool {
        match (BodyChange::of(old), new) {
            (Some(BodyChange::Throw), _) => {
                self.old.throw(self.throws);
                self.new.throw(self.throws);
                self.throws += 1;
            }
            (Some(BodyChange::Reset), _) => self.remove_thrown(),
            (Some(BodyChange::Edit(old)), Command::EditScene(new)) => {
                return self.edit_both(old, new, session);
            }
            (Some(BodyChange::Numbers(old)), Command::ChangeScene(new)) => {
                self.update_particles_of_both([old, new], session);
            }
            (None | Some(BodyChange::Edit(_) | BodyChange::Numbers(_)), _) => {}
        }
        true
    }

    /// Removes the thrown balls of both runs, because both restart.
    pub(super) fn remove_thrown(&mut self) {
        (self.old, self.new) = <(ThrownBalls, ThrownBalls)>::default();
    }

    /// Starts to track differences when the bodies of the two runs begin to differ.
    fn track_differences(&mut self, session: &Session) {
        if self.differences.is_none() {
            let parts = &session.scene().parts;
            let same = |count: usize| (0..count as u32).map(Some).collect();
            self.differences = Some(BodyDifferences {
                scene: session.scene().clone(),
                particles: same(parts.mesh.positions.len()),
                colliders: same(parts.contact.colliders.len()),
            });
        }
    }

    fn new_particle(&self, old: u32, session: &Session) -> Option<u32> {
        let count = session.scene().parts.mesh.positions.len();
        let old_count =
            self.differences.as_ref().map_or(count, |differences| differences.particles.len());
        let Some(thrown) = (old as usize).checked_sub(old_count) else {
            return self
                .differences
                .as_ref()
                .map_or(Some(old), |differences| differences.particles[old as usize]);
        };
        let same = self.old.balls == self.new.balls;
        let place = if same {
            // `balls` contains only balls that the user threw. A ball that the scene throws has the
            // same index in both runs.
            Some(thrown)
        } else {
            let ball = self.old.balls.get(thrown)?;
            self.new.balls.iter().position(|it| it == ball)
        };
        place.map(|place| (count + place) as u32)
    }

    fn new_collider(&self, old: u32) -> Option<u32> {
        match &self.differences {
            None => Some(old),
            Some(differences) => differences.colliders.get(old as usize).copied().flatten(),
        }
    }

    /// Returns the new indices of links, and the old indices of the links that are missing in the
    /// repeated run.
    fn translate_links(&self, links: &[u32], session: &Session) -> (Vec<u32>, Vec<u32>) {
        let Some(differences) = &self.differences else { return (links.to_vec(), Vec::new()) };
        let new = differences.new_links(session.scene());
        let (mut kept, mut lost) = (Vec::new(), Vec::new());
        for &link in links {
            match new.get(link as usize).copied().flatten() {
                Some(link) => kept.push(link),
                None => lost.push(link),
            }
        }
        (kept, lost)
    }

    fn translate_edit(&self, edit: &SceneEdit, session: &Session) -> Option<SceneEdit> {
        let particle = |old: u32| self.new_particle(old, session);
        let end = |end: RopeEnd| match end {
            RopeEnd::At(at) => Some(RopeEnd::At(at)),
            RopeEnd::Particle(old) => particle(old).map(RopeEnd::Particle),
        };
        let edit = match *edit {
            SceneEdit::AddRope { ends: [a, b], length } => {
                SceneEdit::AddRope { ends: [end(a)?, end(b)?], length }
            }
            SceneEdit::Tie { ends: [a, b], length } => {
                SceneEdit::Tie { ends: [particle(a)?, particle(b)?], length }
            }
            SceneEdit::DeleteBody(old) => SceneEdit::DeleteBody(particle(old)?),
            SceneEdit::DeleteCollider(old) => SceneEdit::DeleteCollider(self.new_collider(old)?),
            SceneEdit::OwnMaterial(old) => SceneEdit::OwnMaterial(particle(old)?),
            other @ (SceneEdit::AddCloth { .. } | SceneEdit::AddBall { .. }) => other,
        };
        Some(session.long_enough(&edit))
    }

    /// Returns a changed value of the scene, with the path that its body, obstacle or material has
    /// in the repeated run. `None` if this element is missing there.
    fn translate_number(&self, number: &SceneNumber, session: &Session) -> Option<SceneNumber> {
        let Some(differences) = &self.differences else { return Some(number.clone()) };
        let new = session.scene();
        let parts = || {
            let (list, rest) = number.path.split_once('[')?;
            let (place, rest) = rest.split_once(']')?;
            Some((list, place.parse::<usize>().ok()?, rest))
        };
        let Some((list, place, rest)) = parts() else { return Some(number.clone()) };
        let (list, place) = match list {
            "colliders" => (list, *differences.colliders.get(place)?.as_ref()? as usize),
            "materials" => {
                let name = differences.scene.all_materials().into_iter().nth(place)?;
                (list, new.all_materials().iter().position(|it| *it == name)?)
            }
            "surfaces" => (list, differences.scene.surface_in(place, new)?),
            _ => match differences.scene.body_at(list, place) {
                Some(body) => {
                    let targets = differences.counterparts(new);
                    let at = new.place_of_body(targets.get(body).copied().flatten()?)?;
                    (at.list, at.index)
                }
                None => (list, place),
            },
        };
        Some(SceneNumber { path: format!("{list}[{place}]{rest}"), value: number.value })
    }

    fn edit_old(&mut self, edit: &SceneEdit, session: &Session) {
        self.track_differences(session);
        let Some(differences) = &self.differences else { return };
        let Ok(edited) = differences.scene.edited(edit, |_| Some(SOME_BALL)) else { return };
        let mapping = edited.parts_mapping(&[]);
        let new = |from: &Option<u32>| from.and_then(|old| self.new_particle(old, session));
        let particles = mapping.particles.iter().map(new).collect();
        let new = |from: &Option<u32>| from.and_then(|old| self.new_collider(old));
        let colliders = mapping.colliders.iter().map(new).collect();
        self.old = self.old.clone().after(&edited);
        self.differences =
            Some(BodyDifferences { scene: Arc::new(edited.scene), particles, colliders });
    }

    fn edit_both(&mut self, old: &SceneEdit, new: &SceneEdit, session: &Session) -> bool {
        if self.differences.is_none() && old == new && self.old.balls == self.new.balls {
            if let SceneEdit::DeleteBody(particle) = old {
                let count = session.scene().parts.mesh.positions.len();
                let ball = (*particle as usize).checked_sub(count);
                for thrown in [&mut self.old, &mut self.new] {
                    ball.into_iter().for_each(|ball| thrown.remove(ball));
                }
                return true;
            }
            let ties = matches!(old, SceneEdit::Tie { .. } | SceneEdit::AddRope { .. });
            if !ties || self.old.balls.is_empty() {
                return true;
            }
        }
        let Ok(edited) = session.edited_scene(new) else { return false };
        self.track_differences(session);
        let Some(differences) = &self.differences else { return false };
        let Ok(before) = differences.scene.edited(old, |_| Some(SOME_BALL)) else { return false };
        let after = self.new.clone().after(&edited);
        let indices = EditedIndices { edited: &edited, before: &self.new, after: &after };
        let count = session.scene().parts.mesh.positions.len();
        let new = edited.parts_mapping(&[]);
        let is_fresh = |i: &usize| new.particles[*i].is_none();
        let mut fresh = (0..new.particles.len()).filter(is_fresh).map(|i| i as u32);
        let old = before.parts_mapping(&[]);
        let particles = old.particles.iter().map(|from| match from {
            Some(from) => indices.after_edit(self.new_particle(*from, session)?, count),
            None => fresh.next(),
        });
        let particles = particles.collect();
        let collider = |from: &Option<u32>| {
            let here = self.new_collider((*from)?);
            new.colliders.iter().position(|it| *it == here).map(|place| place as u32)
        };
        let colliders = old.colliders.iter().map(collider).collect();
        self.old = self.old.clone().after(&before);
        self.differences =
            Some(BodyDifferences { scene: Arc::new(before.scene), particles, colliders });
        self.new = after;
        true
    }

    fn update_particles_of_both(&mut self, [old, new]: [&[SceneNumber]; 2], session: &Session) {
        self.remove_thrown();
        let Some(differences) = &mut self.differences else { return };
        let after = VariableScene::spelled_out(session.scene()).changed(new);
        let before = VariableScene::spelled_out(&differences.scene).changed(old);
        if let (Ok(after), Ok(before)) = (after, before) {
            differences.update_particles([session.scene(), &after], Arc::new(before));
        }
    }
}

/// How an edit in the repeated run maps the indices of particles.
struct EditedIndices<'a> {
    edited: &'a EditedScene,
    before: &'a ThrownBalls,
    after: &'a ThrownBalls,
}

impl EditedIndices<'_> {
    /// Returns the index that a particle of the repeated run has after the edit. `count` is the
    /// number of particles before the thrown balls.
    fn after_edit(&self, particle: u32, count: usize) -> Option<u32> {
        let mapping = self.edited.parts_mapping(&[]);
        let stays = mapping.numbers.get(particle as usize).copied().flatten();
        let thrown = || {
            let ball = self.before.balls.get((particle as usize).checked_sub(count)?)?;
            let place = self.after.balls.iter().position(|it| it == ball)?;
            Some((mapping.particles.len() + place) as u32)
        };
        stays.or_else(thrown)
    }
}

impl BodyDifferences {
    fn renumber(&mut self, session: &Session, indices: &EditedIndices) {
        let count = session.scene().parts.mesh.positions.len();
        for particle in &mut self.particles {
            *particle = particle.and_then(|new| indices.after_edit(new, count));
        }
        let colliders = indices.edited.parts_mapping(&[]).colliders;
        for collider in &mut self.colliders {
            let place = colliders.iter().position(|from| from.is_some() && from == collider);
            *collider = place.map(|place| place as u32);
        }
    }

    /// Returns the index in `new` of the counterpart of each body in the old scene.
    fn counterparts(&self, new: &Scene) -> Vec<Option<usize>> {
        let bodies = new.particles_of_bodies();
        let old = self.scene.particles_of_bodies();
        let body_of = |bodies: &[Vec<u32>], particle: u32| {
            bodies.iter().position(|those| those.contains(&particle))
        };
        let counterpart = |(number, particles): (usize, &Vec<u32>)| {
            // The end particles of a rope may belong to other bodies, so its middle particle is
            // compared.
            let middle = *particles.get(particles.len() / 2)?;
            let is_own = body_of(&old, middle) == Some(number);
            let new = self.particles.get(middle as usize).copied().flatten();
            body_of(&bodies, new.filter(|_| is_own)?)
        };
        old.iter().enumerate().map(counterpart).collect()
    }

    /// Updates the indices after one or both runs have changed their number of particles. `new` and
    /// `after` are the scenes of the repeated run before and after the change. `old` is the scene
    /// of the recorded run after the change.
    fn update_particles(&mut self, [new, after]: [&Scene; 2], old: Arc<Scene>) {
        let targets = self.counterparts(new);
        let (bodies, there) = (old.particles_of_bodies(), after.particles_of_bodies());
        let mut particles = vec![None; old.parts.mesh.positions.len()];
        for (body, target) in bodies.iter().zip(targets) {
            let Some(target) = target.and_then(|target| there.get(target)) else { continue };
            if target.len() == body.len() {
                for (from, to) in body.iter().zip(target) {
                    particles[*from as usize] = Some(*to);
                }
            }
        }
        (self.scene, self.particles) = (old, particles);
    }

    /// Returns the new index of each link of the recorded run. Several links between the same two
    /// particles keep their order.
    fn new_links(&self, new: &Scene) -> Vec<Option<u32>> {
        let mut numbers: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for (number, link) in (0..).zip(new.parts.mesh.links.iter()) {
            numbers.entry([link.a, link.b]).or_default().push(number);
        }
        let mut seen: BTreeMap<[u32; 2], usize> = BTreeMap::new();
        let particle = |old: u32| self.particles.get(old as usize).copied().flatten();
        let links = self.scene.parts.mesh.links.iter().map(|link| {
            let ends = [particle(link.a)?, particle(link.b)?];
            let count = seen.entry(ends).or_default();
            *count += 1;
            numbers.get(&ends)?.get(*count - 1).copied()
        });
        links.collect()
    }
}
