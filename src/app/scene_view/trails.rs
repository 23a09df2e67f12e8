//! Trails of particles: lines through the computed positions, ending at the drawn position.

use crate::measure::{MotionRecord, Thinning};
use crate::scene::typed::annotation::Annotations;
use crate::simulation::Simulation;
use glam::DVec3;

/// Maximum number of points of a trail, and of all trails of a lane together. Every frame copies
/// and draws all points.
const MOST_POINTS: usize = 1000;
const MOST_POINTS_OF_LANE: usize = 3000;

/// Returns the particles with trails and the spacing of their points.
pub fn trails_of(annotations: &Annotations) -> Vec<(u32, Thinning)> {
    let trails = &annotations.trails;
    let points = (MOST_POINTS_OF_LANE / trails.len().max(1)).clamp(2, MOST_POINTS);
    let thinned = |&(particle, seconds): &(u32, f64)| {
        // Rounding of times may add a point.
        let thinning = Thinning { spacing: seconds / points as f64, capacity: points + 1 };
        (particle, thinning)
    };
    trails.iter().map(thinned).collect()
}

#[derive(Clone, Debug, Default)]
pub struct DrawnTrails(Vec<Vec<DVec3>>);

impl DrawnTrails {
    /// Copies the trails up to the drawn positions `positions` at time `t` in seconds.
    pub fn update(
        &mut self,
        annotations: &Annotations,
        simulation: &Simulation,
        t: f64,
        positions: &[DVec3],
    ) {
        let trails = simulation.trails();
        self.0.resize_with(trails.len(), Vec::new);
        let wanted = annotations.trails.iter().map(|(_, seconds)| *seconds);
        for ((points, trail), seconds) in self.0.iter_mut().zip(trails).zip(wanted) {
            points.clear();
            points.extend(positions_between(trail, t - seconds, t));
            points.extend(positions.get(trail.particle() as usize));
            points.retain(|place| place.is_finite());
        }
    }

    /// Returns the positions of each trail, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &[DVec3]> {
        self.0.iter().map(Vec::as_slice)
    }
}

/// Returns a particle's positions between two times in seconds. The trail may contain later steps,
/// because the drawn state may be older than the newest step.
fn positions_between(trail: &MotionRecord, from: f64, to: f64) -> impl Iterator<Item = DVec3> {
    let moments = trail.iter().skip_while(move |moment| moment.t < from);
    moments.take_while(move |moment| moment.t < to).map(|moment| moment.x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::laboratory::Laboratory;
    use crate::app::scene_view::microscope::Microscope;
    use crate::app::scene_view::pictures::Pictures;
    use crate::session::History;
    use crate::simulation::settings::Command;

    const VELOCITY: DVec3 = DVec3::new(2.0, 8.0, 0.0);
    const G: f64 = 9.81;
    const FRAME: f64 = 1.0 / 60.0;

    /// Returns a scene with a ball that is thrown at the start and has a trail of 2 s. Steps take
    /// `dt` seconds. Velocity Verlet computes free flight exactly.
    fn throw(dt: f64) -> (Laboratory, Pictures) {
        throw_shown(dt, "Interpolated")
    }

    /// Returns the scene of [`throw`] with another stepping scheme.
    fn throw_shown(dt: f64, stepping: &str) -> (Laboratory, Pictures) {
        let text = format!(
            "(version: 1, name: \"throw\", balls: [(name: \"ball\", at: (0, 0, 0), radius: 0.1, \
             velocity: (2, 8, 0))], forces: [(law: Gravity(g: (0, -9.81, 0)))], \
             annotations: (trails: [(of: Body(\"ball\"), seconds: 2)]), \
             lanes: [(name: \"Verlet\", settings: (integrator: VelocityVerlet, dt: {dt:?}, \
             stepping: {stepping}))])"
        );
        let mut laboratory = Laboratory::of_text(&text);
        let mut pictures = Pictures::new(laboratory.session().scene());
        pictures.update(&mut laboratory, Microscope::default());
        (laboratory, pictures)
    }

    fn frame(laboratory: &mut Laboratory, pictures: &mut Pictures) {
        laboratory.whole_frame(FRAME);
        pictures.update(laboratory, Microscope::default());
    }

    /// Returns the largest vertical distance in metres between a position and the parabola.
    fn distance_from_parabola(points: &[DVec3]) -> f64 {
        let height = |x: f64| {
            let t = x / VELOCITY.x;
            (VELOCITY.y - 0.5 * G * t) * t
        };
        points.iter().map(|place| (place.y - height(place.x)).abs()).fold(0.0, f64::max)
    }

    /// The cases are two frames per step, one step per frame, twenty steps per frame, and more
    /// steps than a trail can have points.
    #[test]
    fn the_trail_of_a_thrown_ball_lies_on_its_parabola() {
        for (dt, most_between) in
            [(2.0 * FRAME, 1), (FRAME, 1), (FRAME / 20.0, 3), (FRAME / 1000.0, 120)]
        {
            let (mut laboratory, mut pictures) = throw(dt);
            for _ in 0..60 {
                frame(&mut laboratory, &mut pictures);
                let points = pictures.trails(0).next().expect("a trail");
                let (drawn, computed) = points.split_last().expect("places");
                assert_eq!(Some(drawn), pictures.positions(0).first(), "it ends at the ball");
                let off = distance_from_parabola(computed);
                assert!(off < 1e-9, "{off} m beside the parabola at {dt} s a step");
            }
            let points = pictures.trails(0).next().expect("a trail");
            assert_eq!(points[0], DVec3::ZERO, "it begins where the ball began");
            let steps = laboratory.selected().simulation.steps() as usize;
            assert!(points.len() * most_between + 1 >= steps, "{} of {steps}", points.len());
            assert!(points.len() <= MOST_POINTS + 2);
        }
    }

    /// With a render tick, the stepping scheme computes each drawn state in a separate step.
    #[test]
    fn pictures_that_are_computed_between_steps_belong_to_the_trail() {
        let (mut laboratory, mut pictures) = throw_shown(0.2, "RenderTick");
        (0..60).for_each(|_| frame(&mut laboratory, &mut pictures));
        let points = pictures.trails(0).next().expect("a trail");
        let steps = laboratory.selected().simulation.steps();
        assert!(steps <= 6 && points.len() > 40, "{} places in {steps} steps", points.len());
        assert!(points.is_sorted_by(|a, b| a.x <= b.x) && distance_from_parabola(points) < 1e-9);
    }

    #[test]
    fn the_trail_goes_back_with_the_session_and_starts_again_with_the_scene() {
        let (mut laboratory, mut pictures) = throw(FRAME / 4.0);
        (0..60).for_each(|_| frame(&mut laboratory, &mut pictures));
        let last = |pictures: &Pictures| *pictures.trails(0).next().unwrap().last().unwrap();
        for _ in 0..20 {
            assert!(laboratory.travel_by(History::frame_before));
            frame(&mut laboratory, &mut pictures);
        }
        let points = pictures.trails(0).next().unwrap();
        assert_eq!(points[0], DVec3::ZERO, "what came before is kept");
        assert!(points.is_sorted_by(|a, b| a.x <= b.x) && distance_from_parabola(points) < 1e-9);
        let t = pictures.time(0);
        assert!((last(&pictures).x - VELOCITY.x * t).abs() < 1e-9, "it ends at the ball");
        assert!((0.6..0.7).contains(&t), "{t} s");
        laboratory.command(Command::Reset);
        frame(&mut laboratory, &mut pictures);
        let points = pictures.trails(0).next().unwrap();
        assert!(points.len() < 7 && points[0] == DVec3::ZERO, "{points:?}");
    }

    #[test]
    fn many_trails_share_the_room_of_a_lane() {
        let trails = |count: u32| Annotations {
            trails: (0..count).map(|particle| (particle, 3.0)).collect(),
            ..Annotations::default()
        };
        for count in [1, 3, 100, 256] {
            let wanted = trails_of(&trails(count));
            let points: usize = wanted.iter().map(|(_, thinning)| thinning.capacity).sum();
            assert!(points <= MOST_POINTS_OF_LANE + count as usize, "{points} of {count} trails");
            let covered = wanted[0].1.spacing * wanted[0].1.capacity as f64;
            assert!(covered >= 3.0, "{covered} s");
        }
        assert!(trails_of(&trails(0)).is_empty());
    }
}
