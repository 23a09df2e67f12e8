//! Contacts of particles with colliders, held at position level in the same sweeps as links.
//!
//! Each contact is a plane that its particle may not cross, with multipliers for the normal and for
//! friction that add up over the sweeps of a substep (as XPBD's do). What sticks has moved by
//! exactly nothing when the sweeps end: friction that is bounded by the correction of a single
//! sweep creeps instead.

use super::collider::{Collider, Placed};
use super::report::Report;
use super::swept::sphere_to_shape;
use super::{PointSetup, Surface, Touch};
use glam::DVec3;
use itertools::izip;

/// Share of an overlap at the start of a substep that the substep takes back: slowly, without a
/// bang.
const RECOVERY: f64 = 0.1;

/// A particle at a collider.
#[derive(Clone, Copy, Debug)]
struct Contact {
    particle: u32,
    /// Out of the collider.
    normal: DVec3,
    /// A place of the particle's centre where it just touches, in metres.
    touch: DVec3,
    /// How far the collider's surface moves in the substep, in metres.
    carried: DVec3,
    surface: Surface,
    /// Speed in m/s with which it came.
    approach: f64,
    /// Multiplier of the normal in kg·m: at least 0.
    push: f64,
    /// Multiplier of friction in kg·m, along the surface.
    rub: DVec3,
    /// It slides.
    slides: bool,
}

/// What stays the same in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings<'a> {
    /// Length of the substep in seconds.
    pub h: f64,
    /// Obstacles.
    pub colliders: &'a [Collider],
    /// Where they are, one each.
    pub placed: &'a [Placed],
    /// Looks only where particles are at the end.
    pub discrete: bool,
    /// Approach speed in m/s up to which nothing bounces.
    pub resting: f64,
}

/// The contacts of one substep.
#[derive(Clone, Debug, Default)]
pub(super) struct PositionContacts {
    contacts: Vec<Contact>,
}

impl PositionContacts {
    /// Finds the contacts on the way from `start` to `x`, or close to it: links may yet move the
    /// particles. Answers with the number of pairs that were tested.
    pub fn find(
        &mut self,
        points: &[PointSetup],
        [start, x]: [&[DVec3]; 2],
        w: &[f64],
        surroundings: &Surroundings,
    ) -> u64 {
        let Surroundings { h, colliders, placed, discrete, .. } = *surroundings;
        self.contacts.clear();
        // Links hand on the motion of others: nothing moves much further than the fastest.
        let margin = 2.0
            * x.iter()
                .zip(start)
                .map(|(x, start)| x.distance_squared(*start))
                .fold(0.0, f64::max)
                .sqrt();
        for (collider, placed) in colliders.iter().zip(placed) {
            for point in points {
                let i = point.particle as usize;
                if w[i] == 0.0 {
                    continue;
                }
                let radius = point.skin.radius;
                let from = start[i] - placed.start;
                let to = x[i] - placed.at(1.0);
                let (distance, mut normal) = collider.shape.distance(to);
                let way = to - from;
                let mut touch = to + normal * (radius - distance);
                if discrete {
                    if distance > radius {
                        continue;
                    }
                } else if distance > radius + margin {
                    // Convex, and too far for what links do: the guarantee looks again.
                    match sphere_to_shape(&collider.shape, from, way, radius) {
                        Some((t, n)) => (touch, normal) = (from + way * t, n),
                        None => continue,
                    }
                } else if let Some((t, n)) = sphere_to_shape(&collider.shape, from, way, radius) {
                    (touch, normal) = (from + way * t, n);
                    let depth = radius - collider.shape.distance(from).0;
                    touch += normal * (RECOVERY * depth.max(0.0));
                }
                let v = collider.surface_velocity(to - normal * radius);
                let carried = placed.way + v * h;
                self.contacts.push(Contact {
                    particle: point.particle,
                    normal,
                    touch: touch + placed.at(1.0),
                    carried,
                    surface: collider.surface.with(&point.skin.surface),
                    approach: -(x[i] - start[i] - carried).dot(normal) / h,
                    push: 0.0,
                    rub: DVec3::ZERO,
                    slides: false,
                });
            }
        }
        (points.len() * colliders.len()) as u64
    }

    /// Forgets the contacts of the substep before.
    pub fn clear(&mut self) {
        self.contacts.clear();
    }

    /// Those that push, in a substep of `h` seconds. A multiplier moves by λ w, so it is a force
    /// of λ/h².
    pub fn touches(&self, h: f64) -> impl Iterator<Item = Touch> {
        self.contacts.iter().filter(|contact| contact.push > 0.0).map(move |contact| {
            let Contact { particle, normal, touch, push, rub, .. } = *contact;
            Touch { particle, at: touch, normal, force: (normal * push + rub) / (h * h) }
        })
    }

    /// True without contacts.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// One sweep: normals, then friction.
    /// ```text
    /// λ_n ← max(0, λ_n − C/w),            C = n·(x − touch)
    /// λ_t ← λ_t − s/w within μ λ_n,       s = what has slid along the surface since the start
    /// ```
    pub fn sweep(&mut self, start: &[DVec3], x: &mut [DVec3], w: &[f64]) {
        for contact in &mut self.contacts {
            let i = contact.particle as usize;
            let Contact { normal, touch, carried, surface, push, rub, .. } = *contact;
            let error = normal.dot(x[i] - touch);
            contact.push = (push - error / w[i]).max(0.0);
            x[i] += normal * (w[i] * (contact.push - push));
            let moved = x[i] - start[i] - carried;
            let slid = moved - normal * normal.dot(moved);
            let wanted = rub - slid / w[i];
            let most = contact.push * surface.static_friction;
            contact.slides = wanted.length_squared() > most * most;
            contact.rub = if contact.slides {
                wanted.normalize_or_zero() * (contact.push * surface.friction)
            } else {
                wanted
            };
            x[i] += (contact.rub - rub) * w[i];
        }
    }

    /// After the velocities were made consistent with the positions: what touched leaves with its
    /// restitution, and what sticks has the velocity of the surface.
    pub fn finish(&self, v: &mut [DVec3], surroundings: &Surroundings, report: &mut Report) {
        let Surroundings { h, resting, .. } = *surroundings;
        for contact in self.contacts.iter().filter(|contact| contact.push > 0.0) {
            let Contact { normal, carried, surface, approach, slides, .. } = *contact;
            let v = &mut v[contact.particle as usize];
            report.events += u64::from(approach > resting);
            let own = carried / h;
            let bounce = if approach > resting { surface.restitution * approach } else { 0.0 };
            let relative = *v - own;
            let along = relative - normal * normal.dot(relative);
            let sticks = !slides && surface.static_friction > 0.0;
            let along = if sticks { DVec3::ZERO } else { along };
            *v = own + along + normal * bounce;
        }
    }

    /// Lets nothing pass: a particle that crosses a collider after all stops at its surface and
    /// slides on along it.
    pub fn guarantee(
        &self,
        points: &[PointSetup],
        start: &[DVec3],
        x: &mut [DVec3],
        w: &[f64],
        surroundings: &Surroundings,
    ) {
        for (collider, placed) in izip!(surroundings.colliders, surroundings.placed) {
            for point in points {
                let i = point.particle as usize;
                let radius = point.skin.radius;
                let (from, to) = (start[i] - placed.start, x[i] - placed.at(1.0));
                if w[i] == 0.0 || collider.shape.distance(from).0 < radius {
                    continue;
                }
                let Some((t, normal)) = sphere_to_shape(&collider.shape, from, to - from, radius)
                else {
                    continue;
                };
                let rest = (to - from) * (1.0 - t);
                let depth = -normal.dot(rest);
                if depth > TOLERATED {
                    x[i] += normal * depth;
                }
            }
        }
    }
}

/// Of all particles with colliders at the end of a substep, in metres.
pub(super) fn deepest_overlap(
    points: &[PointSetup],
    x: &[DVec3],
    w: &[f64],
    surroundings: &Surroundings,
) -> f64 {
    let Surroundings { colliders, placed, .. } = *surroundings;
    let depth = |point: &PointSetup| {
        let i = point.particle as usize;
        let overlap = |(collider, placed): (&Collider, &Placed)| {
            point.skin.radius - collider.shape.distance(x[i] - placed.at(1.0)).0
        };
        let deepest = colliders.iter().zip(placed).map(overlap).fold(0.0, f64::max);
        if w[i] > 0.0 { deepest } else { 0.0 }
    };
    points.iter().map(depth).fold(0.0, f64::max)
}

/// Overlap in metres that the sweeps may leave by rounding.
const TOLERATED: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Skin;
    use crate::contact::shape::{Cylinder, Plane, Shape};
    use crate::numerics::trajectory::Trajectory;

    const G: f64 = 9.81;

    /// A particle on a plane that rises at `slope` = tan α, stepped by symplectic Euler.
    fn slide(slope: f64, friction: f64, seconds: f64) -> (DVec3, DVec3) {
        let normal = DVec3::new(-slope, 1.0, 0.0).normalize();
        let surface = Surface { restitution: 0.0, static_friction: friction, friction };
        let colliders = [Collider {
            shape: Shape::Plane(Plane { normal }),
            centre: DVec3::ZERO,
            surface,
            path: Trajectory::Still,
            turn: DVec3::ZERO,
            belt: DVec3::ZERO,
        }];
        let placed = [Placed { start: DVec3::ZERO, way: DVec3::ZERO }];
        let h = 0.01;
        let surroundings = Surroundings {
            h,
            colliders: &colliders,
            placed: &placed,
            discrete: false,
            resting: 2.0 * G * h,
        };
        let points = [PointSetup { particle: 0, skin: Skin { radius: 0.0, surface } }];
        let mut contacts = PositionContacts::default();
        let (mut x, mut v) = ([DVec3::ZERO], [DVec3::ZERO]);
        for _ in 0..(seconds / h).round() as u64 {
            let start = x;
            v[0].y -= G * h;
            x[0] += v[0] * h;
            let free = x;
            contacts.find(&points, [&start, &x], &[1.0], &surroundings);
            contacts.sweep(&start, &mut x, &[1.0]);
            v[0] += (x[0] - free[0]) / h;
            contacts.finish(&mut v, &surroundings, &mut Report::default());
            contacts.guarantee(&points, &start, &mut x, &[1.0], &surroundings);
        }
        (x[0], v[0])
    }

    #[test]
    fn what_holds_on_an_incline_does_not_move_in_an_hour_and_a_millionth_more_slides() {
        let slope = 0.3;
        let (x, _) = slide(slope, slope * (1.0 + 1e-6), 3600.0);
        assert!(x.length() < 1e-12, "{x}");
        let (x, _) = slide(slope, slope * (1.0 - 1e-6), 3600.0);
        assert!(x.length() > 1.0, "{x}");
    }

    #[test]
    fn what_slides_down_an_incline_has_the_published_acceleration() {
        // 30°, μ = 0.3: a = g (sin α − μ cos α) = 2.3562872 m/s².
        let (_, v) = slide((1.0_f64 / 3.0).sqrt(), 0.3, 1.0);
        assert!((v.length() - 2.3562872).abs() < 1e-7, "{}", v.length());
    }

    /// Beads on rigid links round the upper half of a drum, with a force on each end: how far the
    /// beads on it have crept in the last of three seconds. One sweep a step, as small steps have it.
    fn capstan(beads: usize, friction: f64, ratio: f64) -> f64 {
        let surface = Surface { restitution: 0.0, static_friction: friction, friction };
        let radius = 0.2;
        let colliders = [Collider {
            shape: Shape::Cylinder(Cylinder { axis: DVec3::Z, half: 1.0, radius }),
            centre: DVec3::ZERO,
            surface,
            path: Trajectory::Still,
            turn: DVec3::ZERO,
            belt: DVec3::ZERO,
        }];
        let placed = [Placed { start: DVec3::ZERO, way: DVec3::ZERO }];
        let h = 1e-3;
        let surroundings = Surroundings {
            h,
            colliders: &colliders,
            placed: &placed,
            discrete: false,
            resting: 0.0,
        };
        // Each bead turns the rope by the same angle: ends hang straight down.
        let turn = std::f64::consts::PI / beads as f64;
        let on_drum = |k: usize| {
            let angle = (k as f64 + 0.5) * turn;
            DVec3::new(-angle.cos(), angle.sin(), 0.0) * radius
        };
        let mut x: Vec<DVec3> = (0..beads).map(on_drum).collect();
        x.insert(0, x[0] - DVec3::Y * 0.1);
        x.push(x[beads] - DVec3::Y * 0.1);
        let n = x.len();
        let rest: Vec<f64> = x.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
        let points: Vec<PointSetup> = (1..=beads)
            .map(|i| PointSetup { particle: i as u32, skin: Skin { radius: 0.0, surface } })
            .collect();
        let w = vec![1.0; n];
        let mut v = vec![DVec3::ZERO; n];
        let mut contacts = PositionContacts::default();
        let mut before = Vec::new();
        for step in 0..3000 {
            if step == 2000 {
                before = x.clone();
            }
            let start = x.clone();
            v[0].y -= 10.0 * h;
            v[n - 1].y -= 10.0 * ratio * h;
            for (x, v) in izip!(&mut x, &mut v) {
                *v *= 1.0 - 2.0 * h;
                *x += *v * h;
            }
            let free = x.clone();
            contacts.find(&points, [&start, &x], &w, &surroundings);
            for (i, rest) in rest.iter().enumerate() {
                let d = x[i + 1] - x[i];
                let p = d * (0.5 * (d.length() - rest) / d.length());
                x[i] += p;
                x[i + 1] -= p;
            }
            contacts.sweep(&start, &mut x, &w);
            for (x, free, v) in izip!(&x, &free, &mut v) {
                *v += (*x - *free) / h;
            }
            contacts.finish(&mut v, &surroundings, &mut Report::default());
            contacts.guarantee(&points, &start, &mut x, &w, &surroundings);
        }
        izip!(&x, &before)
            .skip(1)
            .take(beads)
            .map(|(x, before)| x.distance(*before))
            .fold(0.0, f64::max)
    }

    #[test]
    fn beads_round_a_drum_hold_up_to_their_own_capstan_limit_and_slip_beyond() {
        // T₂/T₁ = Π (1 + μ tan δ/2)/(1 − μ tan δ/2)
        for (beads, limit) in [(8, 2.601049711), (16, 2.574853857)] {
            let creep = capstan(beads, 0.3, limit * 0.995);
            let slip = capstan(beads, 0.3, limit * 1.005);
            assert!(creep < 1e-9, "{beads} beads creep by {creep} m");
            assert!(slip > 1e-3, "{beads} beads slip by {slip} m");
        }
    }
}
