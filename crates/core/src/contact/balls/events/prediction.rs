//! Prediction of a ball's next collisions, with other balls and with colliders.

use super::collision::{Collision, Other};
use super::rules::Rules;
use super::{EventLoop, LEAST_APPROACH};
use crate::contact::balls::resting::Resting;
use crate::contact::report::ContactReport;
use glam::DVec3;
use std::cmp::Reverse;

/// Largest approach at which a collision of resting balls is *slight*, as a fraction of 2 g h², the
/// largest approach without a bounce. After `EVENTS_BEFORE_IGNORING_SLIGHT` events, slight
/// collisions are left to the sweeps of the next step.
const SLIGHT_APPROACH: f64 = 0.1;

/// Largest approach at which a collision is ignored, as a fraction of 2 g h².
const NEGLIGIBLE: f64 = 1e-6;

impl EventLoop {
    /// Queues the next collision of two balls after the time `t`.
    pub(super) fn predict_ball_collision(
        &mut self,
        i: u32,
        j: u32,
        t: f64,
        rules: &Rules,
        resting: &Resting,
    ) {
        let (a, b) = (&self.balls[i as usize], &self.balls[j as usize]);
        if a.w + b.w == 0.0 {
            return;
        }
        let rest = 1.0 - t;
        let path = a.path(t, b.at(t), b.rate_at(t), b.half_acceleration);
        let Some(part) = path.meets_sphere(a.properties.radius + b.properties.radius) else {
            return;
        };
        let contact = path.at(part);
        let closing = path.largest_approach(part, contact);
        if closing <= LEAST_APPROACH * contact.length() {
            return;
        }
        let slow = rules.resting_speed * rules.h * contact.length();
        let is_slight = closing <= SLIGHT_APPROACH * slow && resting.has_contact_between(i, j);
        // At t = 0, sweeps have already resolved the slight approaches of resting balls.
        if is_slight && (t == 0.0 || closing <= NEGLIGIBLE * slow) {
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

    /// Queues the next collision of a ball with each collider after the time `t`.
    pub(super) fn predict_collider_collisions(
        &mut self,
        i: u32,
        t: f64,
        rules: &Rules,
        report: &mut ContactReport,
    ) {
        let ball = &self.balls[i as usize];
        if ball.w == 0.0 {
            return;
        }
        let rest = 1.0 - t;
        for (number, collider, placed) in rules.obstacles.colliders_for(ball.properties.layer) {
            report.pairs_tested += 1;
            let path = ball.path(t, placed.at(t), placed.displacement, DVec3::ZERO);
            let hit = path.meets_shape(&collider.shape, ball.properties.radius);
            let Some((part, normal)) = hit else { continue };
            let closing = path.largest_approach(part, normal);
            if closing <= LEAST_APPROACH.max(NEGLIGIBLE * rules.resting_speed * rules.h) {
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
}
