//! Drawn states of the lanes: the positions drawn in a frame, and the calls to the renderer.

use super::ball_rotations::BallRotations;
use super::microscope::{ArticleBlend, Ghosts, Microscope};
use super::stage::{Stage, ViewCell};
use super::target::{DrawnHand, Target};
use super::trails::{DrawnTrails, trails_of};
use super::weights::Weights;
use crate::app::laboratory::Laboratory;
use crate::app::view::{
    Bounds, Boxes, Camera, DrawnBall, DrawnShape, GrabMark, LanePicture, Marks, Obstacle, Torn,
    TrailMark, View, ViewOptions, lane_color,
};
use crate::measure::Verdict;
use crate::mesh::Links;
use crate::scene::Scene;
use crate::session::Lane;
use glam::DVec3;
use std::sync::Arc;

#[derive(Debug)]
pub struct Pictures {
    scene: Arc<Scene>,
    shape: DrawnShape,
    weights: Weights,
    lanes: Vec<Picture>,
}

#[derive(Clone, Debug, Default)]
struct Picture {
    /// Time of the positions in seconds.
    t: f64,
    drawn: LanePicture,
    /// Rotations of the balls since the start of the scene.
    ball_rotations: BallRotations,
    /// Links for which `drawn.torn` was computed.
    links: Links,
    /// Blend of article C, while the microscope shows it.
    as_coded: Option<ArticleBlend>,
    /// Both blended states, while the microscope shows them.
    ghosts: Option<Ghosts>,
    /// Position of the failure in metres: the middle of the failed link, or the exploded particle.
    /// `None` if nothing failed or if the position is unknown.
    failure: Option<DVec3>,
    trails: DrawnTrails,
}

impl Pictures {
    /// Creates drawn states without positions, which `update` adds.
    pub fn new(scene: &Arc<Scene>) -> Self {
        let shape = DrawnShape::new(&scene.parts.mesh);
        let shape = shape.with_patterns(&scene.annotations.patterns);
        Self { scene: scene.clone(), shape, weights: Weights::new(scene), lanes: Vec::new() }
    }

    /// Updates the drawn state of every lane, and the two blended states if the microscope is on.
    pub fn update(&mut self, laboratory: &mut Laboratory, microscope: Microscope) {
        if !Arc::ptr_eq(&self.scene, laboratory.session().scene()) {
            *self = Self::new(laboratory.session().scene());
        }
        let annotations = &self.scene.annotations;
        laboratory.record_trails(&trails_of(annotations));
        let session = laboratory.session_to_draw();
        self.lanes.resize_with(session.lanes().len(), Picture::default);
        for (index, picture) in self.lanes.iter_mut().enumerate() {
            picture.t = session.picture(index, &mut picture.drawn.positions);
            if microscope.on {
                picture.ghosts.get_or_insert_default().copy_states(&session.lanes()[index]);
            } else {
                picture.ghosts = None;
            }
            if microscope.as_coded {
                let drawn = picture.as_coded.get_or_insert_default();
                drawn.draw(&session.lanes()[index], &mut picture.drawn.positions);
            } else {
                picture.as_coded = None;
            }
            let lane = &session.lanes()[index];
            picture.update(lane, &self.weights, &self.shape);
            let Picture { t, drawn, trails, .. } = picture;
            trails.update(annotations, &lane.simulation, *t, &drawn.positions);
        }
    }

    pub fn particles(&self) -> usize {
        self.lanes.iter().map(|picture| picture.drawn.positions.len()).sum()
    }

    pub fn shape(&self) -> &DrawnShape {
        &self.shape
    }

    /// Returns the time of the drawn state in seconds, for the lane with this index in the session.
    pub fn time(&self, lane: usize) -> f64 {
        self.lanes.get(lane).map_or(0.0, |picture| picture.t)
    }

    pub fn positions(&self, lane: usize) -> &[DVec3] {
        self.lanes.get(lane).map_or(&[], |picture| &picture.drawn.positions)
    }

    /// Returns the blend of article C for a lane; `None` unless the microscope is showing it.
    pub fn as_coded(&self, lane: usize) -> Option<&ArticleBlend> {
        self.lanes.get(lane).and_then(|picture| picture.as_coded.as_ref())
    }

    /// Returns the trails of a lane in the order of the scene. Each begins with its oldest
    /// position.
    #[cfg(test)]
    pub fn trails(&self, lane: usize) -> impl Iterator<Item = &[DVec3]> {
        self.lanes.get(lane).into_iter().flat_map(|picture| picture.trails.iter())
    }

    pub fn boxes(&self, lane: usize) -> Option<&Boxes> {
        self.lanes.get(lane).map(|picture| &picture.drawn.boxes)
    }

    pub fn balls(&self, lane: usize) -> &[DrawnBall] {
        self.lanes.get(lane).map_or(&[], |picture| &picture.drawn.balls)
    }

    pub fn obstacles(&self, lane: usize) -> &[Obstacle] {
        self.lanes.get(lane).map_or(&[], |picture| &picture.drawn.obstacles)
    }

    /// True if the drawn lane has exploded, so its particles cannot be dragged.
    pub fn has_exploded(&self, lane: usize) -> bool {
        self.lanes.get(lane).is_some_and(|picture| picture.drawn.exploded)
    }

    /// Returns the bounds of all particles in the shown lanes that have not failed.
    pub fn bounds(&self, stage: &Stage) -> Option<Bounds> {
        let shown = stage.cells.iter().flat_map(|cell| &cell.lanes);
        let pictures = shown.filter_map(|i| self.lanes.get(*i));
        let without_failure = pictures.filter(|picture| picture.failure.is_none());
        without_failure.filter_map(|picture| picture.drawn.boxes.all()).reduce(Bounds::union)
    }

    pub fn draw(
        &self,
        view: &mut View,
        camera: &Camera,
        stage: &Stage,
        options: &ViewOptions,
        hand: &DrawnHand,
    ) {
        let lift = stage.room.lift;
        let scale_bar = options.scale_bar && stage.has_room_for_scale_bar();
        let floor = Some(self.scene.floor);
        let options = ViewOptions { floor, lift, scale_bar, ..*options };
        view.begin_frame();
        for (index, cell) in stage.cells.iter().enumerate() {
            let lanes: Vec<&LanePicture> =
                self.pictures_in(cell).map(|picture| &picture.drawn).collect();
            let marks = self.marks(cell, index, hand);
            view.draw(&cell.viewport, camera, &self.shape, &lanes, &options, &marks);
            let ghosts = self.pictures_in(cell).filter_map(|picture| picture.ghosts.as_ref());
            ghosts.for_each(|ghosts| ghosts.draw(camera, &cell.viewport));
        }
    }

    fn pictures_in<'a>(&'a self, cell: &'a ViewCell) -> impl Iterator<Item = &'a Picture> {
        cell.lanes.iter().filter_map(|i| self.lanes.get(*i))
    }

    fn marks(&self, cell: &ViewCell, index: usize, hand: &DrawnHand) -> Marks {
        let grabs = hand.held.into_iter().flat_map(|(target, hand)| {
            let held = self.pictures_in(cell).filter_map(move |lane| match target {
                Target::Particle(_) => lane.position_of(target),
                // The mark of a collider is at the grabbed point, not at the collider's centre.
                Target::Collider(_) => Some(hand),
            });
            held.map(move |held| GrabMark { held, hand })
        });
        let hovered = hand
            .hovered
            .filter(|(cell, ..)| *cell == index)
            .and_then(|(_, lane, target)| self.lanes.get(lane)?.position_of(target));
        Marks {
            hovered,
            grabs: grabs.collect(),
            failures: self.pictures_in(cell).filter_map(|lane| lane.failure).collect(),
            cursor: hand.cursor.filter(|cursor| cell.viewport.contains(*cursor)),
            trails: self.pictures_in(cell).flat_map(Picture::trail_marks).collect(),
            cut: hand.stroke.filter(|(cell, _)| *cell == index).map(|(_, stroke)| stroke),
        }
    }
}

impl Picture {
    /// Returns the position in metres of a body that the mouse can grab.
    fn position_of(&self, target: Target) -> Option<DVec3> {
        match target {
            Target::Particle(particle) => self.drawn.positions.get(particle as usize).copied(),
            Target::Collider(number) => Some(self.drawn.obstacles.get(number as usize)?.centre),
        }
    }

    /// Updates everything that depends on the positions, which must be up to date.
    fn update(&mut self, lane: &Lane, weights: &Weights, shape: &DrawnShape) {
        let Picture { drawn, failure, links, .. } = self;
        let LanePicture { positions, boxes, pins, torn, balls, obstacles, color, exploded } = drawn;
        boxes.fit(positions);
        let simulated_balls = &lane.simulation.model().geometry().balls;
        let scene = lane.simulation.parts().contact.balls.len();
        let (own, others) =
            self.ball_rotations.follow(self.t, lane.simulation.spins()).split_at(scene);
        let thrown = simulated_balls[scene..].iter().zip(others).filter_map(|(ball, rotation)| {
            let (particle, radius) = (ball.particle, ball.properties.radius);
            let centre = *positions.get(particle as usize)?;
            let rotation = Some(*rotation);
            Some(DrawnBall { particle, centre, radius, least_radius: 0.0, rotation })
        });
        *balls = weights.at(positions, own).chain(thrown).collect();
        let colliders = lane.simulation.model().geometry().colliders.iter().enumerate();
        obstacles.clear();
        obstacles.extend(colliders.map(|(number, collider)| {
            Obstacle::new(collider, lane.simulation.collider_place(number, self.t), self.t)
        }));
        let topology = lane.simulation.model().topology();
        if !links.shares_memory(topology.links()) {
            links.clone_from(topology.links());
            *torn = Torn::new(shape, topology);
        }
        pins.clear();
        pins.extend(lane.simulation.model().pins().iter().map(|pin| pin.particle));
        pins.sort_unstable();
        *color = lane.color;
        let explosion = lane.simulation.explosion();
        *exploded = explosion.is_some();
        // The mark of a failure is at the middle of the failed link, or at the exploded particle.
        let link = match lane.simulation.verdict() {
            Verdict::Exploded(explosion) => explosion.link,
            Verdict::Soft(softness) => softness.link(),
            Verdict::Stable | Verdict::GainedEnergy(_) => None,
        };
        let at = |particle: u32| positions.get(particle as usize).copied();
        *failure = match link.map(|link| link.ends.map(at)) {
            Some([Some(a), Some(b)]) => Some((a + b) / 2.0),
            _ => explosion.and_then(|explosion| at(explosion.particle)),
        };
    }

    fn trail_marks(&self) -> impl Iterator<Item = TrailMark> {
        let color = lane_color(self.drawn.color);
        self.trails.iter().map(move |points| TrailMark { points: points.to_vec(), color })
    }
}
