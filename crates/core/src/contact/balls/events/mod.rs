//! Event loop for balls, from article E (docs/sources.md): find the earliest collision of the step,
//! move its bodies there, apply the impulse, and repeat until no collision remains or the event
//! limit is reached.
//!
//! The integrator has computed the positions at the end of the step. Balls move to these positions
//! on straight lines or, with the acceleration of the step, on parabolas. A collision changes the
//! rest of their path. The impulse is computed once, from the displacement, and applied to
//! displacement and velocity. If it were computed twice, from the displacement and from the
//! velocity, a bouncing ball would gain energy under some integrators.

pub mod ball;
mod collision;
pub mod overlap;
mod prediction;
pub mod rules;

#[cfg(test)]
mod tests;

use super::resting::Resting;
use crate::contact::bodies::collider::{Collider, Obstacles, Placed};
use crate::contact::contact_force::ContactForce;
use crate::contact::method::{BallPath, PairSearch};
use crate::contact::report::ContactReport;
use crate::contact::resolve::position_level::{Contact, recovered_length};
use crate::contact::resolve::response::{Body, impulse};
use crate::contact::search::broad_phase::{BoundingCube, CellGrid};
use crate::contact::search::crowd::{TooManyPairs, all_pairs};
use ball::Ball;
use collision::{Collision, Other};
use glam::DVec3;
use itertools::izip;
use overlap::{deepest_overlap, overlap};
use rules::Rules;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Smallest distance in metres by which two bodies must approach between contact and the end of the
/// step to count as colliding. It is less than the rounding error of a position some metres from
/// the origin.
const LEAST_APPROACH: f64 = 1e-15;

/// Fraction of the gap between two bodies that remains if they must stop before contact because the
/// event limit is reached.
const REMAINING_GAP: f64 = 1e-9;

/// Number of events in a step after which slight collisions are ignored. Until then impulses travel
/// through a row of balls to its end. In a heap, where each event causes others, only large
/// impulses travel further.
const EVENTS_BEFORE_IGNORING_SLIGHT: u32 = 500;

/// Margin around the path of a ball in the grid, as a multiple of 2 g h². A ball that is pushed
/// about in a heap stays within this margin, so the grid still finds it.
const GRID_MARGIN: f64 = 4.0;

/// Largest overlap in metres at which two balls do not count as overlapping.
const OVERLAP_TOLERANCE: f64 = 1e-9;

/// Returns half the constant force, in kg·m per step squared, that keeps two bodies in contact from
/// accelerating into each other; `None` if they separate. `motions` contains the displacement of
/// each body and half its acceleration. `inverse_mass` is the sum of both inverse masses. `normal`
/// points from the first body to the second.
fn supporting_force(motions: [[DVec3; 2]; 2], inverse_mass: f64, normal: DVec3) -> Option<DVec3> {
    let [leaving, parting] = [0, 1].map(|k| normal.dot(motions[1][k] - motions[0][k]));
    (leaving <= LEAST_APPROACH && parting < 0.0).then(|| normal * (-parting / inverse_mass))
}

#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct EventLoop {
    pub balls: Vec<Ball>,
    /// Half the acceleration of each ball in metres per step squared, also for balls on straight
    /// paths.
    pub half_accelerations: Vec<DVec3>,
    /// Collisions in this step so far, with their forces.
    pub contact_forces: Vec<ContactForce>,
    queue: BinaryHeap<Reverse<Collision>>,
    /// Bounding cube of each ball's motion in the step. For a ball in `moved_balls`, it bounds the
    /// motion after the last collision of that ball.
    cubes: Vec<BoundingCube>,
    grid: CellGrid,
    /// True for each ball whose cube in `cubes` may touch a collider.
    near_colliders: Vec<bool>,
    /// Balls that have left their cube in the grid, so that the grid no longer finds them.
    moved_balls: Vec<u32>,
    is_moved: Vec<bool>,
    pairs: Vec<(u32, u32)>,
    candidates: Vec<u32>,
    /// Buffer with a value per ball: the fraction of the displacement that remains after the last
    /// event, or the displacement in metres due to overlaps.
    per_ball: Vec<f64>,
}

impl EventLoop {
    /// Computes the accelerations of the balls. If `path` is `Parabola`, balls then move on
    /// parabolas.
    ///
    /// The acceleration is (v′ − v)/h, with the velocities v at the start and v′ at the end. The
    /// parabola ends at the position that the integrator computed, but does not start with v. If it
    /// did, a ball at rest would sink below its support under Verlet, whose integrator velocity
    /// lacks ½ g h, and the path of a falling ball would have twice the curvature under symplectic
    /// Euler. A ball with a contact in `held` moves straight, because the contact has changed its
    /// velocity.
    pub fn set_accelerations<'a>(
        &mut self,
        path: BallPath,
        v_start: &[DVec3],
        held: impl Iterator<Item = &'a Contact>,
        h: f64,
    ) {
        let Self { balls, half_accelerations, .. } = self;
        half_accelerations.clear();
        let half_acceleration =
            |ball: &Ball| (ball.v - v_start[ball.particle as usize]) * (0.5 * h);
        half_accelerations.extend(balls.iter().map(half_acceleration));
        for rolling in held
            .filter(|held| held.normal_multiplier > 0.0)
            .flat_map(|held| held.rolling_balls)
            .flatten()
        {
            half_accelerations[rolling.ball as usize] = DVec3::ZERO;
        }
        if path == BallPath::Parabola {
            for (ball, half_acceleration) in balls.iter_mut().zip(half_accelerations) {
                ball.displacement -= *half_acceleration;
                ball.half_acceleration = *half_acceleration;
            }
        }
    }

    /// Moves the balls through the step and its collisions. Contacts in `resting` have already been
    /// resolved by sweeps.
    pub fn run(
        &mut self,
        rules: &Rules,
        resting: &Resting,
        report: &mut ContactReport,
    ) -> Result<(), TooManyPairs> {
        self.find_pairs(rules, report)?;
        self.queue.clear();
        for k in 0..self.pairs.len() {
            let (i, j) = self.pairs[k];
            self.predict_ball_collision(i, j, 0.0, rules, resting);
        }
        for i in 0..self.balls.len() {
            if self.near_colliders[i] {
                self.predict_collider_collisions(i as u32, 0.0, rules, report);
            }
        }
        let mut events = 0;
        while let Some(Reverse(event)) = self.queue.pop() {
            if !self.is_valid(&event) || event.is_slight && events >= EVENTS_BEFORE_IGNORING_SLIGHT
            {
                continue;
            }
            if events == rules.most_events {
                self.stop_before_overlap(event.t, rules, report)?;
                break;
            }
            events += 1;
            self.apply_collision(&event, rules, report);
            self.predict_next_collisions(&event, rules, resting, report);
        }
        report.events += u64::from(events);
        self.balls.iter_mut().filter(|ball| ball.version > 0).for_each(|ball| ball.advance_to(1.0));
        let at_colliders = self.balls.iter().zip(&self.near_colliders);
        // Only balls that are near a collider, or whose path has changed, can touch a collider.
        let at_colliders =
            at_colliders.filter(|(ball, near_colliders)| **near_colliders || ball.version > 0);
        let at_colliders = at_colliders.map(|(ball, _)| ball);
        report.record_overlap(deepest_overlap(&self.balls, &self.pairs, at_colliders, rules));
        self.remove_overlaps(rules, report);
        Ok(())
    }

    /// Shrinks each remaining overlap by `recovered_length`, without changing velocities.
    fn remove_overlaps(&mut self, rules: &Rules, report: &mut ContactReport) {
        let Self { balls, pairs, per_ball, near_colliders, .. } = self;
        per_ball.clear();
        per_ball.resize(balls.len(), 0.0);
        pairs.retain(|&(i, j)| overlap(&balls[i as usize], &balls[j as usize]) > OVERLAP_TOLERANCE);
        pairs.sort_unstable();
        pairs.dedup();
        report.left_over += pairs.len() as u64;
        for &(i, j) in pairs.iter() {
            let (a, b) = (&balls[i as usize], &balls[j as usize]);
            let back = recovered_length(overlap(a, b), rules.h);
            let normal = (b.at(1.0) - a.at(1.0)).normalize_or(DVec3::Y);
            let inverse_mass = a.w + b.w;
            for (number, side) in [(i, -1.0), (j, 1.0)] {
                let ball = &mut balls[number as usize];
                let moved = back * ball.w / inverse_mass;
                per_ball[number as usize] += moved;
                ball.advance_to(1.0);
                ball.x += normal * (side * moved);
                ball.version += 1;
            }
        }
        for (ball, moved, near_colliders) in izip!(balls, per_ball, near_colliders) {
            if ball.w == 0.0 || !*near_colliders && ball.version == 0 {
                continue;
            }
            for (_, collider, placed) in rules.obstacles.colliders_for(ball.properties.layer) {
                let (distance, normal) = collider.shape.distance(ball.at(1.0) - placed.at(1.0));
                let depth = ball.properties.radius - distance;
                if depth > OVERLAP_TOLERANCE {
                    report.left_over += u64::from(depth - *moved > OVERLAP_TOLERANCE);
                    // A ball that other balls have pushed into a wall leaves the wall at once.
                    let back = moved.min(depth).max(recovered_length(depth, rules.h));
                    ball.advance_to(1.0);
                    ball.x += normal * back;
                    ball.version += 1;
                }
            }
        }
    }

    fn find_pairs(
        &mut self,
        rules: &Rules,
        report: &mut ContactReport,
    ) -> Result<(), TooManyPairs> {
        let Self { balls, cubes, grid, near_colliders, moved_balls, is_moved, pairs, .. } = self;
        moved_balls.clear();
        is_moved.clear();
        is_moved.resize(balls.len(), false);
        pairs.clear();
        cubes.clear();
        near_colliders.clear();
        let room = GRID_MARGIN * rules.resting_speed * rules.h;
        let half = |ball: &Ball| ball.properties.radius + ball.path_length_bound(0.0) + room;
        cubes.extend(balls.iter().map(|ball| BoundingCube { centre: ball.x, half: half(ball) }));
        match rules.search {
            PairSearch::Grid => {
                grid.build(cubes);
                grid.collect_pairs(pairs)?;
                near_colliders.extend(
                    izip!(&*balls, &*cubes).map(|(ball, reach)| rules.is_near(ball, reach)),
                );
                report.pairs_tested += (balls.len() * rules.obstacles.colliders.len()) as u64;
            }
            PairSearch::AllPairs => {
                all_pairs(balls.len(), pairs)?;
                near_colliders.resize(balls.len(), true);
            }
        }
        report.pairs_tested += pairs.len() as u64;
        pairs.retain(|&(i, j)| rules.may_collide(&balls[i as usize], &balls[j as usize]));
        Ok(())
    }

    fn is_valid(&self, event: &Collision) -> bool {
        let is_of = |ball: u32, version: u32| self.balls[ball as usize].version == version;
        is_of(event.ball, event.version)
            && match event.other {
                Other::Ball(ball, version) => is_of(ball, version),
                Other::Collider(_) => true,
            }
    }

    /// Moves the balls to the time of a collision and applies its impulse.
    fn apply_collision(&mut self, event: &Collision, rules: &Rules, report: &mut ContactReport) {
        let Self { balls, half_accelerations, contact_forces, .. } = self;
        let Rules { h, resting_speed, obstacles, .. } = *rules;
        let Obstacles { colliders, placed, .. } = obstacles;
        let (t, i) = (event.t, event.ball as usize);
        balls[i].advance_to(t);
        let mut a = balls[i];
        match event.other {
            Other::Ball(j, _) => {
                let b = &mut balls[j as usize];
                b.advance_to(t);
                report.record_chord_error(half_accelerations[i] - half_accelerations[j as usize]);
                let normal = (b.x - a.x).normalize_or(DVec3::Y);
                let surface = a.properties.surface.with(&b.properties.surface);
                let push = impulse(&a.body(h), &b.body(h), normal, &surface, resting_speed);
                b.apply_impulse(-normal, push, b.body(h).v, h);
                a.apply_impulse(normal, -push, a.body(h).v, h);
                let motions =
                    [[a.displacement, a.half_acceleration], [b.displacement, b.half_acceleration]];
                if let Some(held) = supporting_force(motions, a.w + b.w, normal) {
                    b.add_support(held, h);
                    a.add_support(-held, h);
                }
                contact_forces.push(b.as_contact_force(a.particle, normal, push / h));
            }
            Other::Collider(k) => {
                let (collider, placed) = (&colliders[k as usize], &placed[k as usize]);
                report.record_chord_error(half_accelerations[i]);
                let (normal, push) = collider_impulse(&a, collider, placed, t, rules);
                a.apply_impulse(-normal, push, a.body(h).v, h);
                let motions =
                    [[placed.displacement, DVec3::ZERO], [a.displacement, a.half_acceleration]];
                if let Some(held) = supporting_force(motions, a.w, normal) {
                    a.add_support(held, h);
                }
                contact_forces.push(a.as_collider_force(k, normal, push / h));
            }
        }
        balls[i] = a;
    }

    fn predict_next_collisions(
        &mut self,
        event: &Collision,
        rules: &Rules,
        resting: &Resting,
        report: &mut ContactReport,
    ) {
        let second = match event.other {
            Other::Ball(j, _) => Some(j),
            Other::Collider(_) => None,
        };
        for i in [Some(event.ball), second].into_iter().flatten() {
            let t = event.t;
            let ball = &self.balls[i as usize];
            let half = ball.properties.radius + ball.path_length_bound(t);
            let reach = BoundingCube { centre: ball.x, half };
            let Self { candidates, grid, cubes, moved_balls, is_moved, balls, .. } = self;
            candidates.clear();
            match rules.search {
                PairSearch::Grid => {
                    let home = cubes[i as usize];
                    let out = (reach.centre - home.centre).abs().max_element() + half > home.half;
                    if out && !is_moved[i as usize] {
                        is_moved[i as usize] = true;
                        moved_balls.push(i);
                    }
                    if is_moved[i as usize] {
                        cubes[i as usize] = reach;
                    }
                    let mut others = |j: u32| {
                        if j != i && !is_moved[j as usize] {
                            candidates.push(j);
                        }
                    };
                    grid.query(&reach, &mut others);
                    let meets = |j: &&u32| **j != i && cubes[**j as usize].intersects(&reach);
                    candidates.extend(moved_balls.iter().filter(meets));
                }
                PairSearch::AllPairs => {
                    candidates.extend((0..balls.len() as u32).filter(|&j| j != i));
                }
            }
            report.pairs_tested += candidates.len() as u64;
            candidates.retain(|&j| rules.may_collide(&balls[i as usize], &balls[j as usize]));
            for k in 0..self.candidates.len() {
                let j = self.candidates[k];
                // Pairs without a ball in `moved_balls` have been in `pairs` since the start of the
                // step.
                if self.is_moved[i as usize] || self.is_moved[j as usize] {
                    self.pairs.push((i.min(j), i.max(j)));
                }
                self.predict_ball_collision(i.min(j), i.max(j), t, rules, resting);
            }
            if self.near_colliders[i as usize] || self.is_moved[i as usize] {
                self.predict_collider_collisions(i, t, rules, report);
            }
        }
    }

    /// Ends the step at `t`, after the last permitted event. No ball crosses a plane between it and
    /// each of its neighbours, so no balls overlap. Velocities do not change, so the next step
    /// finds the remaining collisions.
    fn stop_before_overlap(
        &mut self,
        t: f64,
        rules: &Rules,
        report: &mut ContactReport,
    ) -> Result<(), TooManyPairs> {
        for ball in &mut self.balls {
            ball.advance_to(t);
            // The path after `t` is replaced by its chord.
            ball.displacement += ball.half_acceleration * (1.0 - t);
            ball.half_acceleration = DVec3::ZERO;
        }
        let Self { balls, per_ball, grid, cubes, pairs, .. } = self;
        per_ball.clear();
        per_ball.resize(balls.len(), 1.0);
        let rest = 1.0 - t;
        cubes.clear();
        cubes.extend(balls.iter().map(|ball| BoundingCube {
            centre: ball.x,
            half: ball.properties.radius + ball.displacement.length() * rest,
        }));
        grid.build(cubes);
        pairs.clear();
        grid.collect_pairs(pairs)?;
        pairs.retain(|&(i, j)| rules.may_collide(&balls[i as usize], &balls[j as usize]));
        for &(i, j) in pairs.iter() {
            let (a, b) = (&balls[i as usize], &balls[j as usize]);
            let apart = b.x - a.x;
            let gap = apart.length() - a.properties.radius - b.properties.radius;
            let normal = apart.normalize_or(DVec3::Y);
            let towards =
                [a.displacement.dot(normal).max(0.0), (-b.displacement.dot(normal)).max(0.0)];
            let closing = (towards[0] + towards[1]) * rest;
            if closing > gap {
                let fraction = (gap / closing * (1.0 - REMAINING_GAP)).max(0.0);
                for (ball, towards) in [(i, towards[0]), (j, towards[1])] {
                    if towards > 0.0 {
                        per_ball[ball as usize] = per_ball[ball as usize].min(fraction);
                    }
                }
            }
        }
        for (ball, fraction) in balls.iter_mut().zip(per_ball) {
            for (_, collider, placed) in rules.obstacles.colliders_for(ball.properties.layer) {
                let path = ball.path(t, placed.at(t), placed.displacement, DVec3::ZERO);
                if let Some((part, _)) = path.meets_shape(&collider.shape, ball.properties.radius) {
                    *fraction = fraction.min(part * (1.0 - REMAINING_GAP));
                }
            }
            if *fraction < 1.0 {
                report.left_over += 1;
                ball.x += ball.displacement * (rest * *fraction);
                (ball.since, ball.displacement) = (1.0, DVec3::ZERO);
                ball.version += 1;
            }
        }
        Ok(())
    }
}

/// Returns the normal of a collider where a ball touches it at time `t`, and the impulse of the
/// collider on the ball in N·s.
pub(in crate::contact) fn collider_impulse(
    ball: &Ball,
    collider: &Collider,
    placed: &Placed,
    t: f64,
    rules: &Rules,
) -> (DVec3, DVec3) {
    let Rules { h, resting_speed, .. } = *rules;
    let out = ball.x - placed.at(t);
    let (_, normal) = collider.shape.distance(out);
    let point = out - normal * ball.properties.radius;
    let v = placed.displacement / h + collider.surface_velocity(point);
    let wall = Body { v, spin: DVec3::ZERO, w: 0.0, radius: 0.0, rolls: false };
    let surface = collider.surface.with(&ball.properties.surface);
    (normal, impulse(&wall, &ball.body(h), normal, &surface, resting_speed))
}
