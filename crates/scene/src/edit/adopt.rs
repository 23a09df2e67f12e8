//! Adoption of thrown balls. Ties can only name bodies of the scene file, so a thrown ball becomes
//! a ball of the file when the user ties something to it.

use super::draft::{Bodies, Draft};
use crate::scene::Scene;
use crate::typed::located::Located;
use crate::typed::particles::Particles;
use glam::DVec3;

/// Thrown ball that becomes a ball of the scene file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdoptedBall {
    /// Position of the centre at the start of the scene, in metres.
    pub at: DVec3,
    /// Radius in metres.
    pub radius: f64,
    /// Mass in kilograms.
    pub mass: f64,
}

/// Scene file under construction, and how it names the two particles that are tied. Both belong to
/// bodies of the file. `None` means that the end is free.
pub(super) struct Ties {
    pub draft: Draft,
    pub ends: [Option<Located<Particles>>; 2],
    /// Number of thrown balls that became balls of the file: 0 or 1.
    pub adopted: u32,
}

impl Scene {
    /// Returns a draft of the scene file in which the particles `ends` can be tied. If one of them
    /// is a thrown ball, it becomes a ball of the file.
    pub(super) fn ties(
        &self,
        bodies: &Bodies,
        ends: [Option<u32>; 2],
        thrown: impl Fn(usize) -> Option<AdoptedBall>,
    ) -> Result<Ties, String> {
        let number = |end: &u32| (*end as usize).checked_sub(bodies.count);
        let mut balls = ends.iter().flatten().filter_map(number);
        let (ball, other) = (balls.next(), balls.next());
        if ball.is_some() && other.is_some() {
            let why =
                "a thrown ball cannot be tied to another one, expected a particle of the scene";
            return Err(why.to_owned());
        }
        let (draft, name) = match ball {
            None => (self.draft(), None),
            Some(number) => {
                let found = thrown(number).ok_or(
                    "this thrown ball cannot be tied, expected a ball that is the same in all \
                     lanes",
                )?;
                let (draft, name) = self.with_thrown_ball(bodies, number, found);
                (draft, Some(name))
            }
        };
        let named = |end: u32| {
            let particle = Particles::Particle(end);
            let ball = name.clone().filter(|_| number(&end).is_some()).map(Particles::Body);
            Located::new(ball.unwrap_or(particle))
        };
        let adopted = u32::from(name.is_some());
        Ok(Ties { draft, ends: ends.map(|end| end.map(named)), adopted })
    }

    /// Returns a draft in which the thrown ball `number` is a ball of the scene file, and the name
    /// of this ball.
    fn with_thrown_ball(
        &self,
        bodies: &Bodies,
        number: usize,
        AdoptedBall { at, radius, mass }: AdoptedBall,
    ) -> (Draft, String) {
        let mut draft = self.with_ball(bodies, at, [radius, mass]);
        let place = bodies.before_sheets(&self.file) as usize;
        draft.particles[place] = Some((bodies.count + number) as u32);
        draft.lost_ball = Some(number);
        draft.numbers.resize(bodies.count + number, None);
        draft.numbers.push(Some(place as u32));
        let ball = draft.file.balls.last().and_then(|ball| ball.name.as_ref());
        let name = ball.map(|name| String::clone(name)).unwrap_or_default();
        (draft, name)
    }
}
