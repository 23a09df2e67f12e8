//! What is drawn: the positions of each lane at this instant, and the call of the renderer.

use super::bobs::Bobs;
use super::hand::Hand;
use super::laboratory::Laboratory;
use super::stage::{Cell, Stage};
use super::view::{
    Ball, Bounds, Camera, Grab, LanePicture, Marks, Shape, View, ViewOptions, lane_color,
};
use crate::scene::Scene;
use glam::DVec3;
use std::sync::Arc;

/// Positions and pins of all lanes, as they are on the screen.
#[derive(Debug)]
pub struct Pictures {
    scene: Arc<Scene>,
    shape: Shape,
    bobs: Bobs,
    lanes: Vec<Picture>,
}

#[derive(Clone, Debug, Default)]
struct Picture {
    positions: Vec<DVec3>,
    pinned: Vec<bool>,
    bobs: Vec<Ball>,
    failure: Option<DVec3>,
}

impl Pictures {
    /// For a scene; `take` fills it.
    pub fn new(scene: &Arc<Scene>) -> Self {
        let mesh = &scene.mesh;
        let shape =
            Shape::new(mesh.positions.len(), &mesh.ropes, &mesh.cloths, &mesh.faces, &mesh.links);
        Self { scene: scene.clone(), shape, bobs: Bobs::new(scene), lanes: Vec::new() }
    }

    /// Takes the picture of every lane.
    pub fn take(&mut self, laboratory: &mut Laboratory) {
        if !Arc::ptr_eq(&self.scene, laboratory.session().scene()) {
            *self = Self::new(laboratory.session().scene());
        }
        let lanes = laboratory.lanes_to_draw();
        self.lanes.resize_with(lanes.len(), Picture::default);
        for (picture, lane) in self.lanes.iter_mut().zip(lanes) {
            let Picture { positions, pinned, bobs, failure } = picture;
            lane.simulation.picture(positions);
            *bobs = self.bobs.at(positions);
            pinned.clear();
            pinned.resize(positions.len(), false);
            for pin in lane.simulation.model().pins() {
                pinned[pin.particle as usize] = true;
            }
            *failure = lane
                .simulation
                .explosion()
                .and_then(|e| positions.get(e.particle as usize).copied());
        }
    }

    /// Positions of a lane by its place.
    pub fn positions(&self, lane: usize) -> &[DVec3] {
        self.lanes.get(lane).map_or(&[], |picture| &picture.positions)
    }

    /// Around all particles of the lanes that are shown and have not exploded.
    pub fn bounds(&self, stage: &Stage) -> Option<Bounds> {
        let shown = stage.cells().iter().flat_map(|cell| &cell.lanes);
        let calm = shown.filter(|i| self.lanes.get(**i).is_some_and(|p| p.failure.is_none()));
        calm.filter_map(|i| Bounds::around(self.positions(*i))).reduce(Bounds::union)
    }

    /// Draws every viewport.
    pub fn draw(
        &self,
        view: &mut View,
        camera: &Camera,
        stage: &Stage,
        laboratory: &Laboratory,
        options: &ViewOptions,
        hand: &Hand,
    ) {
        let options = ViewOptions { floor: Some(self.scene.floor), ..*options };
        view.begin_frame();
        for (index, cell) in stage.cells().iter().enumerate() {
            let lanes: Vec<LanePicture> =
                cell.lanes.iter().filter_map(|i| self.lane_picture(*i, laboratory)).collect();
            let marks = self.marks(cell, index, hand);
            view.draw(&cell.viewport, camera, &self.shape, &lanes, &options, &marks);
        }
    }

    fn lane_picture(&self, index: usize, laboratory: &Laboratory) -> Option<LanePicture<'_>> {
        let Picture { positions, pinned, bobs, failure: _ } = self.lanes.get(index)?;
        let lane = laboratory.session().lanes().get(index)?;
        Some(LanePicture {
            positions,
            pinned,
            balls: bobs,
            alive: None,
            color: lane_color(lane.color),
            faded: lane.simulation.explosion().is_some(),
        })
    }

    fn marks(&self, cell: &Cell, index: usize, hand: &Hand) -> Marks {
        let lanes = || cell.lanes.iter().filter_map(|i| self.lanes.get(*i));
        let place = |particle: u32| {
            lanes().filter_map(move |lane| lane.positions.get(particle as usize).copied())
        };
        let grabs = hand.held().into_iter().flat_map(|(particle, hand)| {
            place(particle).map(move |particle| Grab { particle, hand })
        });
        let hovered = hand
            .hovered()
            .filter(|hover| hover.cell == index)
            .and_then(|hover| self.positions(hover.lane).get(hover.particle as usize).copied());
        Marks {
            hovered,
            grabs: grabs.collect(),
            failures: lanes().filter_map(|lane| lane.failure).collect(),
            cursor: hand.cursor().filter(|cursor| cell.viewport.contains(*cursor)),
            cut: None,
        }
    }
}
