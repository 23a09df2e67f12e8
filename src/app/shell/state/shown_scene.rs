//! The scene as the window shows it: camera, viewports, pictures, and marks over the pictures.

use crate::app::annotations::AnnotationMemory;
use crate::app::laboratory::Laboratory;
use crate::app::scene_view::arrows::Arrows;
use crate::app::scene_view::forces::Forces;
use crate::app::scene_view::microscope::Microscope;
use crate::app::scene_view::pictures::Pictures;
use crate::app::scene_view::room::Arrangement;
use crate::app::scene_view::stage::Stage;
use crate::app::scene_view::target::DrawnHand;
use crate::app::view::{Camera, Fit, View, ViewOptions};
use crate::scene::Scene;
use egui_macroquad::egui;
use std::sync::Arc;

pub struct ShownScene {
    pub camera: Camera,
    /// True until the camera has been set for a new scene.
    pub needs_home_camera: bool,
    pub view: View,
    pub stage: Stage,
    pub pictures: Pictures,
    pub forces: Forces,
    pub arrows: Arrows,
    pub annotations: AnnotationMemory,
    pub microscope: Microscope,
}

impl ShownScene {
    pub fn new(view: View, scene: &Arc<Scene>) -> Self {
        Self {
            camera: Camera::from_setup(&scene.camera, Fit::default()),
            needs_home_camera: true,
            view,
            stage: Stage::default(),
            pictures: Pictures::new(scene),
            forces: Forces::default(),
            arrows: Arrows::default(),
            annotations: AnnotationMemory::default(),
            microscope: Microscope::default(),
        }
    }

    /// Removes the state that belongs to the previous scene, because another scene was opened.
    pub fn forget(&mut self) {
        self.forces.forget();
        self.needs_home_camera = true;
    }

    pub fn home_camera(&self, scene: &Scene) -> Camera {
        Camera::from_setup(&scene.camera, self.stage.fit())
    }

    /// Moves the camera so that all bodies are in sight.
    pub fn frame_all(&mut self) {
        if let (Some(bounds), Some(cell)) =
            (self.pictures.bounds(&self.stage), self.stage.cells.first())
        {
            self.camera.frame(bounds, &cell.viewport);
        }
    }

    /// Divides a rectangle of the window among the lanes. `scale` is the number of pixels per
    /// point.
    pub fn arrange(
        &mut self,
        rect: egui::Rect,
        scale: f32,
        laboratory: &Laboratory,
        wanted: Arrangement,
    ) {
        self.stage = Stage::arrange(rect, scale, laboratory, wanted);
        if std::mem::take(&mut self.needs_home_camera) {
            self.camera = self.home_camera(laboratory.session().scene());
        }
        self.camera.refit(self.stage.fit());
    }

    pub fn update_pictures(&mut self, laboratory: &mut Laboratory) {
        self.pictures.update(laboratory, self.microscope);
    }

    pub fn draw(&mut self, options: &ViewOptions, hand: &DrawnHand) {
        self.pictures.draw(&mut self.view, &self.camera, &self.stage, options, hand);
    }
}
