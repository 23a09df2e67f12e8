//! Article E's loop: find the earliest collision of the step, go there, respond, repeat until none
//! is left or there were as many as allowed.
//!
//! The integrator has said where everything would be at the end of the step. Balls go there on
//! straight lines; a collision changes the rest of their way. The impulse is computed once, from
//! the way, and goes to way and velocity alike: position and velocity schemes feel the same.
//! Computed apart for each, a ball that bounces gains energy.

use super::broad_phase::{CellGrid, Reach};
use super::collider::{Collider, Obstacles, Placed};
use super::position_level::RECOVERY;
use super::report::ContactReport;
use super::response::{Body, impulse};
use super::resting::Resting;
use super::swept::{sphere_to_shape, spheres};
use super::{PairSearch, Skin, Touch};
use glam::DVec3;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Bodies that come this much closer in the rest of a step do not collide: less than rounding
/// makes of a place some metres from the origin, in metres.
const STILL: f64 = 1e-15;

/// What is left after the last event stops this share of its gap before it touches.
const SHORT: f64 = 1e-9;

/// Balls that rest on each other and come nearer by less than this share of 2 g h², as far as they
/// go without bouncing, are in the end left to the sweeps of the next step.
const SLIGHT: f64 = 0.1;

/// As [`SLIGHT`], for what is left alone at once.
const NOTHING: f64 = 1e-6;

/// Events in a step after which slight ones are left alone: impulses go through a rack of balls to
/// the end, and through a heap, where each calls forth others, only while they are large.
const MOST_SLIGHT: u32 = 500;

/// Overlap of two balls in metres that is not counted.
const TOLERATED: f64 = 1e-9;

/// A ball in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    /// Its particle.
    pub particle: u32,
    /// Where it was at `since`, in metres.
    pub x: DVec3,
    /// How far it would go in a whole step, in metres.
    pub way: DVec3,
    /// Velocity in m/s, spin in rad/s.
    pub v: DVec3,
    /// Spin in rad/s.
    pub spin: DVec3,
    /// Inverse mass in 1/kg.
    pub w: f64,
    /// Radius, bounce and friction.
    pub skin: Skin,
    /// When its way last changed, in steps.
    pub since: f64,
    /// How often it has changed.
    pub version: u32,
}

impl Ball {
    pub(super) fn at(&self, t: f64) -> DVec3 {
        self.x + self.way * (t - self.since)
    }

    pub(super) fn body(&self, h: f64) -> Body {
        let Self { way, spin, w, skin, .. } = *self;
        Body { v: way / h, spin, w, radius: skin.radius, rolls: true }
    }

    /// Its collision with another ball, which pushes it with a force in newtons.
    pub(super) fn touch(&self, other: u32, normal: DVec3, force: DVec3) -> Touch {
        let (mut particles, shares) = ([self.particle; 4], [1.0, -1.0, 0.0, 0.0]);
        particles[1] = other;
        Touch { particles, shares, count: 2, collider: None, at: self.x, normal, force }
    }

    /// Its collision with a collider, which pushes it with a force in newtons.
    pub(super) fn touch_collider(&self, collider: u32, normal: DVec3, force: DVec3) -> Touch {
        let (particles, shares) = ([self.particle; 4], [1.0, 0.0, 0.0, 0.0]);
        let collider = Some(collider);
        Touch { particles, shares, count: 1, collider, at: self.x, normal, force }
    }

    /// Takes an impulse in N·s at the point of its surface in the direction `outward`.
    pub(super) fn push(&mut self, outward: DVec3, impulse: DVec3, h: f64) {
        self.spin += self.body(h).spin_by(outward, impulse);
        self.v += impulse * self.w;
        self.way += impulse * (self.w * h);
        self.version += 1;
    }
}

/// What a ball meets: another one, or a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Other {
    Ball(u32, u32),
    Collider(u32),
}

/// A collision to come: of a ball in its present version.
#[derive(Clone, Copy, Debug)]
struct Collision {
    t: f64,
    ball: u32,
    version: u32,
    other: Other,
    /// Balls that rest on each other come slightly nearer.
    is_slight: bool,
}

impl Collision {
    fn key(&self) -> (u32, Other) {
        (self.ball, self.other)
    }
}

impl Ord for Collision {
    /// By time, ties by number: so the result does not depend on the order of the search.
    fn cmp(&self, other: &Self) -> Ordering {
        self.t.total_cmp(&other.t).then_with(|| self.key().cmp(&other.key()))
    }
}

impl PartialOrd for Collision {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Collision {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Collision {}

/// What the loop needs to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<'a> {
    /// Length of the step in seconds.
    pub h: f64,
    /// Most events.
    pub most_events: u32,
    /// How pairs are found.
    pub search: PairSearch,
    /// Approach speed in m/s up to which nothing bounces.
    pub resting: f64,
    /// Obstacles, and what passes through what.
    pub obstacles: Obstacles<'a>,
}

impl Rules<'_> {
    /// Whether two balls touch at all.
    pub fn touch(&self, a: &Ball, b: &Ball) -> bool {
        self.obstacles.layers.touch(a.skin.layer, b.skin.layer)
    }
}

/// The loop and its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct EventLoop {
    pub balls: Vec<Ball>,
    /// The collisions so far.
    pub touches: Vec<Touch>,
    queue: BinaryHeap<Reverse<Collision>>,
    reaches: Vec<Reach>,
    grid: CellGrid,
    /// Balls that have left their reach.
    strays: Vec<u32>,
    is_stray: Vec<bool>,
    pairs: Vec<(u32, u32)>,
    found: Vec<u32>,
    /// Share of the rest of its way that a ball may go after the last event.
    shares: Vec<f64>,
}

impl EventLoop {
    /// Moves the balls through the step. Those at rest are held already.
    pub fn run(&mut self, rules: &Rules, resting: &Resting, report: &mut ContactReport) {
        self.find_pairs(rules, report);
        self.queue.clear();
        for k in 0..self.pairs.len() {
            let (i, j) = self.pairs[k];
            self.foresee_balls(i, j, 0.0, rules, resting);
        }
        for i in 0..self.balls.len() {
            self.foresee_colliders(i as u32, 0.0, rules, report);
        }
        let mut events = 0;
        while let Some(Reverse(event)) = self.queue.pop() {
            if !self.is_valid(&event) || event.is_slight && events >= MOST_SLIGHT {
                continue;
            }
            if events == rules.most_events {
                self.stop(event.t, rules, report);
                break;
            }
            events += 1;
            self.respond(&event, rules);
            self.look_again(&event, rules, resting, report);
        }
        report.events += u64::from(events);
        for ball in self.balls.iter_mut().filter(|ball| ball.version > 0) {
            ball.x = ball.at(1.0);
            ball.since = 1.0;
        }
        report.see_overlap(deepest_overlap(&self.balls, &self.pairs, rules));
        self.recover(rules, report);
    }

    /// Takes back a share of what still overlaps, without velocity.
    fn recover(&mut self, rules: &Rules, report: &mut ContactReport) {
        let Self { balls, pairs, shares, .. } = self;
        shares.clear();
        shares.resize(balls.len(), 0.0);
        pairs.retain(|&(i, j)| overlap(&balls[i as usize], &balls[j as usize]) > TOLERATED);
        pairs.sort_unstable();
        pairs.dedup();
        report.left_over += pairs.len() as u64;
        for &(i, j) in pairs.iter() {
            let (a, b) = (&balls[i as usize], &balls[j as usize]);
            let back = RECOVERY * overlap(a, b).max(0.0);
            let normal = (b.at(1.0) - a.at(1.0)).normalize_or(DVec3::Y);
            let weight = a.w + b.w;
            for (number, side) in [(i, -1.0), (j, 1.0)] {
                let ball = &mut balls[number as usize];
                let moved = back * ball.w / weight;
                shares[number as usize] += moved;
                ball.x = ball.at(1.0) + normal * (side * moved);
                ball.since = 1.0;
                ball.version += 1;
            }
        }
        for (ball, moved) in balls.iter_mut().zip(shares).filter(|(ball, _)| ball.w > 0.0) {
            for (_, collider, placed) in rules.obstacles.of(ball.skin.layer) {
                let (distance, normal) = collider.shape.distance(ball.at(1.0) - placed.at(1.0));
                let depth = ball.skin.radius - distance;
                if depth > TOLERATED {
                    report.left_over += u64::from(depth - *moved > TOLERATED);
                    // What others have pushed into a wall comes out of it at once.
                    let back = moved.min(depth).max(RECOVERY * depth);
                    ball.x = ball.at(1.0) + normal * back;
                    ball.since = 1.0;
                    ball.version += 1;
                }
            }
        }
    }

    fn find_pairs(&mut self, rules: &Rules, report: &mut ContactReport) {
        let Self { balls, reaches, grid, strays, is_stray, pairs, .. } = self;
        strays.clear();
        is_stray.clear();
        is_stray.resize(balls.len(), false);
        pairs.clear();
        reaches.clear();
        reaches.extend(
            balls
                .iter()
                .map(|ball| Reach { centre: ball.x, half: ball.skin.radius + ball.way.length() }),
        );
        match rules.search {
            PairSearch::Grid => {
                grid.build(reaches);
                grid.pairs(&mut |i, j| pairs.push((i, j)));
            }
            PairSearch::AllPairs => {
                let n = balls.len() as u32;
                pairs.extend((0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))));
            }
        }
        report.pairs_tested += pairs.len() as u64;
        pairs.retain(|&(i, j)| rules.touch(&balls[i as usize], &balls[j as usize]));
    }

    /// Queues the next collision of two balls after `t`. What is at rest may come as near as sweeps
    /// have left it.
    fn foresee_balls(&mut self, i: u32, j: u32, t: f64, rules: &Rules, resting: &Resting) {
        let (a, b) = (&self.balls[i as usize], &self.balls[j as usize]);
        if a.w + b.w == 0.0 {
            return;
        }
        let rest = 1.0 - t;
        let (apart, way) = (a.at(t) - b.at(t), (a.way - b.way) * rest);
        let reach = a.skin.radius + b.skin.radius;
        let Some(part) = spheres(apart, way, reach) else { return };
        let contact = apart + way * part;
        let closing = -contact.dot(way) * (1.0 - part);
        if closing <= STILL * contact.length() {
            return;
        }
        let slow = rules.resting * rules.h * contact.length();
        let is_slight = closing <= SLIGHT * slow && resting.holds(i, j);
        // Before anything has happened, sweeps have done what they could.
        if is_slight && (t == 0.0 || closing <= NOTHING * slow) {
            return;
        }
        let event = Collision {
            t: t + part * rest,
            ball: i,
            version: a.version,
            other: Other::Ball(j, b.version),
            is_slight,
        };
        self.queue.push(Reverse(event));
    }

    /// Queues the next collisions of a ball with colliders after `t`.
    fn foresee_colliders(&mut self, i: u32, t: f64, rules: &Rules, report: &mut ContactReport) {
        let ball = &self.balls[i as usize];
        if ball.w == 0.0 {
            return;
        }
        let rest = 1.0 - t;
        for (number, collider, placed) in rules.obstacles.of(ball.skin.layer) {
            report.pairs_tested += 1;
            let start = ball.at(t) - placed.at(t);
            let way = (ball.way - placed.way) * rest;
            let hit = sphere_to_shape(&collider.shape, start, way, ball.skin.radius);
            let Some((part, normal)) = hit else { continue };
            let closing = -normal.dot(way) * (1.0 - part);
            if closing <= STILL.max(NOTHING * rules.resting * rules.h) {
                continue;
            }
            let event = Collision {
                t: t + part * rest,
                ball: i,
                version: ball.version,
                other: Other::Collider(number),
                is_slight: false,
            };
            self.queue.push(Reverse(event));
        }
    }

    fn is_valid(&self, event: &Collision) -> bool {
        let is_of = |ball: u32, version: u32| self.balls[ball as usize].version == version;
        is_of(event.ball, event.version)
            && match event.other {
                Other::Ball(ball, version) => is_of(ball, version),
                Other::Collider(_) => true,
            }
    }

    /// Goes to a collision and applies its impulse.
    fn respond(&mut self, event: &Collision, rules: &Rules) {
        let Rules { h, resting, obstacles, .. } = *rules;
        let Obstacles { colliders, placed, .. } = obstacles;
        let t = event.t;
        let ball = &mut self.balls[event.ball as usize];
        (ball.x, ball.since) = (ball.at(t), t);
        match event.other {
            Other::Ball(j, _) => {
                let a = *ball;
                let b = &mut self.balls[j as usize];
                (b.x, b.since) = (b.at(t), t);
                let normal = (b.x - a.x).normalize_or(DVec3::Y);
                let surface = a.skin.surface.with(&b.skin.surface);
                let push = impulse(&a.body(h), &b.body(h), normal, &surface, resting);
                b.push(-normal, push, h);
                self.touches.push(b.touch(a.particle, normal, push / h));
                self.balls[event.ball as usize].push(normal, -push, h);
            }
            Other::Collider(k) => {
                let (collider, placed) = (&colliders[k as usize], &placed[k as usize]);
                let (normal, push) = against(ball, collider, placed, t, rules);
                ball.push(-normal, push, h);
                self.touches.push(ball.touch_collider(k, normal, push / h));
            }
        }
    }

    /// Looks again what the balls of an event meet next, and only these.
    fn look_again(
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
            let half = ball.skin.radius + ball.way.length() * (1.0 - t);
            let reach = Reach { centre: ball.x, half };
            let Self { found, grid, reaches, strays, is_stray, balls, .. } = self;
            found.clear();
            match rules.search {
                PairSearch::Grid => {
                    let home = reaches[i as usize];
                    let out = (reach.centre - home.centre).abs().max_element() + half > home.half;
                    if out && !is_stray[i as usize] {
                        is_stray[i as usize] = true;
                        strays.push(i);
                    }
                    let mut others = |j: u32| {
                        if j != i && !is_stray[j as usize] {
                            found.push(j);
                        }
                    };
                    grid.query(&reach, &mut others);
                    found.extend(strays.iter().filter(|&&j| j != i));
                }
                PairSearch::AllPairs => {
                    found.extend((0..balls.len() as u32).filter(|&j| j != i));
                }
            }
            report.pairs_tested += found.len() as u64;
            found.retain(|&j| rules.touch(&balls[i as usize], &balls[j as usize]));
            for k in 0..self.found.len() {
                let j = self.found[k];
                self.pairs.push((i.min(j), i.max(j)));
                self.foresee_balls(i.min(j), i.max(j), t, rules, resting);
            }
            self.foresee_colliders(i, t, rules, report);
        }
    }

    /// What is left at the last event, at `t`: every ball goes on only as far as a plane between it
    /// and each of its neighbours, so nothing overlaps whatever the others do. The velocities stay:
    /// the next step looks again.
    fn stop(&mut self, t: f64, rules: &Rules, report: &mut ContactReport) {
        for ball in &mut self.balls {
            (ball.x, ball.since) = (ball.at(t), t);
        }
        let Self { balls, shares, grid, reaches, pairs, .. } = self;
        shares.clear();
        shares.resize(balls.len(), 1.0);
        let rest = 1.0 - t;
        reaches.clear();
        reaches.extend(balls.iter().map(|ball| Reach {
            centre: ball.x,
            half: ball.skin.radius + ball.way.length() * rest,
        }));
        grid.build(reaches);
        pairs.clear();
        grid.pairs(&mut |i, j| pairs.push((i, j)));
        pairs.retain(|&(i, j)| rules.touch(&balls[i as usize], &balls[j as usize]));
        for &(i, j) in pairs.iter() {
            let (a, b) = (&balls[i as usize], &balls[j as usize]);
            let apart = b.x - a.x;
            let gap = apart.length() - a.skin.radius - b.skin.radius;
            let normal = apart.normalize_or(DVec3::Y);
            let towards = [a.way.dot(normal).max(0.0), (-b.way.dot(normal)).max(0.0)];
            let closing = (towards[0] + towards[1]) * rest;
            if closing > gap {
                let share = (gap / closing * (1.0 - SHORT)).max(0.0);
                for (ball, towards) in [(i, towards[0]), (j, towards[1])] {
                    if towards > 0.0 {
                        shares[ball as usize] = shares[ball as usize].min(share);
                    }
                }
            }
        }
        for (ball, share) in balls.iter_mut().zip(shares) {
            for (_, collider, placed) in rules.obstacles.of(ball.skin.layer) {
                let start = ball.x - placed.at(t);
                let way = (ball.way - placed.way) * rest;
                let hit = sphere_to_shape(&collider.shape, start, way, ball.skin.radius);
                if let Some((part, _)) = hit {
                    *share = share.min(part * (1.0 - SHORT));
                }
            }
            if *share < 1.0 {
                report.left_over += 1;
                ball.x += ball.way * (rest * *share);
                (ball.since, ball.way) = (1.0, DVec3::ZERO);
                ball.version += 1;
            }
        }
    }
}

/// The normal of a collider where a ball touches it at `t`, and its impulse on the ball in N·s.
pub(super) fn against(
    ball: &Ball,
    collider: &Collider,
    placed: &Placed,
    t: f64,
    rules: &Rules,
) -> (DVec3, DVec3) {
    let Rules { h, resting, .. } = *rules;
    let out = ball.x - placed.at(t);
    let (_, normal) = collider.shape.distance(out);
    let point = out - normal * ball.skin.radius;
    let v = placed.way / h + collider.surface_velocity(point);
    let wall = Body { v, spin: DVec3::ZERO, w: 0.0, radius: 0.0, rolls: false };
    let surface = collider.surface.with(&ball.skin.surface);
    (normal, impulse(&wall, &ball.body(h), normal, &surface, resting))
}

/// Of two balls at the end of a step, in metres; none of two that nothing moves.
fn overlap(a: &Ball, b: &Ball) -> f64 {
    let overlap = a.skin.radius + b.skin.radius - a.at(1.0).distance(b.at(1.0));
    if a.w + b.w > 0.0 { overlap } else { 0.0 }
}

/// Of some pairs of balls, and of all balls with colliders, at the end of a step, in metres.
pub(super) fn deepest_overlap(balls: &[Ball], pairs: &[(u32, u32)], rules: &Rules) -> f64 {
    let both = |&(i, j): &(u32, u32)| overlap(&balls[i as usize], &balls[j as usize]);
    let between = pairs.iter().map(both).fold(0.0, f64::max);
    let with_colliders = |ball: &Ball| {
        let depth = |(_, collider, placed): (u32, &Collider, &Placed)| {
            let (distance, _) = collider.shape.distance(ball.at(1.0) - placed.at(1.0));
            ball.skin.radius - distance
        };
        rules.obstacles.of(ball.skin.layer).map(depth).fold(0.0, f64::max)
    };
    balls.iter().filter(|ball| ball.w > 0.0).map(with_colliders).fold(between, f64::max)
}

#[cfg(test)]
mod tests;
