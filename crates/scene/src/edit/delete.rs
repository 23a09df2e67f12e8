//! Deletion of a body or an obstacle from a scene.

use super::draft::{Bodies, Draft};
use super::references::remove_collider_references;
use crate::scene::Scene;
use crate::typed::file::SceneFile;
use crate::typed::located::Located;
use crate::typed::made_bodies::BodyPlace;
use crate::typed::number::Point;
use std::collections::BTreeSet;

fn remove_body(file: &mut SceneFile, at: BodyPlace) -> Option<String> {
    let BodyPlace { list, index } = at;
    let name = match list {
        "particles" => file.particles.remove(index).name,
        "balls" => file.balls.remove(index).name.clone(),
        "nets" => file.nets.remove(index).name,
        "cloths" => file.cloths.remove(index).name,
        _ => file.ropes.remove(index).name.clone(),
    };
    name.map(|name| (*name).clone())
}

impl Scene {
    /// Returns a draft without the body that contains a particle. Ropes that were tied to this body
    /// get free ends at the initial positions of the tied particles.
    pub(super) fn without_body(&self, bodies: &Bodies, particle: u32) -> Result<Draft, String> {
        let mut draft = self.draft();
        let own_count = bodies.end_of(bodies.particles.len());
        if let Some(ball) = (particle as usize).checked_sub(bodies.count) {
            draft.lost_ball = Some(ball);
            return Ok(draft);
        }
        if particle >= own_count {
            self.remove_thrown(&mut draft, particle - own_count);
            draft.remove_particles(&BTreeSet::from([particle]), Vec::new());
            return Ok(draft);
        }
        let body = bodies.particles.iter().position(|those| those.contains(&particle));
        let body = body.ok_or("there is no such particle")?;
        // The end particles of a tied rope belong to earlier bodies, so they remain when the rope
        // is deleted.
        let before: BTreeSet<u32> = bodies.particles[..body].iter().flatten().copied().collect();
        let own = bodies.particles[body].iter().filter(|i| !before.contains(i));
        let own: BTreeSet<u32> = own.copied().collect();
        if own.len() == bodies.count {
            return Err("this is the last body of the scene. Add another body first.".to_owned());
        }
        let mut taken_over = Vec::new();
        let first_rope = bodies.particles.len() - self.file.ropes.len();
        for (place, rope) in draft.file.ropes.iter_mut().enumerate() {
            let nodes = &bodies.particles[first_rope + place];
            let [Some(&first), Some(&last)] = [nodes.first(), nodes.last()] else { continue };
            let is_tied = own.contains(&first) || own.contains(&last);
            if !is_tied || first_rope + place == body {
                continue;
            }
            // A new first particle of a rope comes before the rope's own particles, a new last
            // particle after them.
            let start = bodies.end_of(first_rope + place);
            let end = nodes.iter().map(|i| i + 1).max().unwrap_or(0).max(start);
            let mut free = (**rope).clone();
            let at = |i: u32| {
                let start = self.parts.mesh.positions[i as usize];
                Some(Located::new(Point::checked(start)))
            };
            if own.contains(&first) && free.tie_from.take().is_some() {
                free.from = at(first);
                taken_over.push((start, first));
            }
            if own.contains(&last) && free.tie_to.take().is_some() {
                free.to = at(last);
                taken_over.push((end, last));
            }
            rope.replace(free);
        }
        draft.removed_name =
            self.place_of_body(body).and_then(|at| remove_body(&mut draft.file, at));
        draft.remove_particles(&own, taken_over);
        Ok(draft)
    }

    /// Removes a ball thrown at time 0. `ball` is its index among these balls.
    fn remove_thrown(&self, draft: &mut Draft, ball: u32) {
        let at_once = |ball: &&crate::typed::contact_file::ThrownFile| f64::from(ball.after) == 0.0;
        let places = self.file.thrown.iter().enumerate();
        let place = places.filter(|(_, it)| at_once(&&***it)).nth(ball as usize);
        if let Some((place, _)) = place {
            draft.file.thrown.remove(place);
        }
    }

    pub(super) fn without_collider(&self, collider: u32) -> Result<Draft, String> {
        let mut draft = self.draft();
        if collider as usize >= draft.file.colliders.len() {
            return Err("there is no such obstacle".to_owned());
        }
        remove_collider_references(&mut draft.file, collider)?;
        draft.file.colliders.remove(collider as usize);
        draft.colliders.remove(collider as usize);
        Ok(draft)
    }
}

impl Draft {
    /// Removes particles. `ends` lists the new end particles of ropes, each with the old index of
    /// the particle that follows it and the removed particle whose state it copies.
    fn remove_particles(&mut self, removed: &BTreeSet<u32>, ends: Vec<(u32, u32)>) {
        let old = self.particles.len() as u32;
        self.particles.clear();
        self.numbers.clear();
        for particle in 0..=old {
            let ends = ends.iter().filter(|(before, _)| *before == particle);
            self.particles.extend(ends.map(|(_, place)| Some(*place)));
            if particle == old {
                break;
            }
            let stays = !removed.contains(&particle);
            self.numbers.push(stays.then_some(self.particles.len() as u32));
            if stays {
                self.particles.push(Some(particle));
            }
        }
    }
}
