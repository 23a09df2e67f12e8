//! Windows over the scene, and the parts of the interface that can be hidden.

use crate::app::answers::CodeWindow;
use crate::app::bars::lesson::LessonProgress;
use crate::app::disk::scene_pictures::ScenePictures;
use crate::app::studies::Studies;
use crate::app::widgets::TooltipPause;

pub struct Windows {
    /// True if bars, panels and windows are shown.
    pub interface: bool,
    /// True if a narrow window shows the plots instead of the panel.
    pub plots_first: bool,
    pub fullscreen: bool,
    pub help: bool,
    pub gallery: bool,
    pub scene_pictures: ScenePictures,
    pub studies: Studies,
    pub code: CodeWindow,
    pub lesson: LessonProgress,
    pub tooltip_pause: TooltipPause,
}

impl Default for Windows {
    fn default() -> Self {
        Self {
            interface: true,
            plots_first: false,
            fullscreen: false,
            help: false,
            gallery: false,
            scene_pictures: ScenePictures::default(),
            studies: Studies::default(),
            code: CodeWindow::default(),
            lesson: LessonProgress::default(),
            tooltip_pause: TooltipPause::default(),
        }
    }
}

impl Windows {
    pub fn toggle_fullscreen(&mut self) {
        self.fullscreen = !self.fullscreen;
        macroquad::window::set_fullscreen(self.fullscreen);
    }

    /// Returns for each window whether it is open.
    pub fn open(&self) -> [bool; 4] {
        [self.help, self.gallery, self.studies.open, self.code.is_open()]
    }

    /// Closes the first of these windows that is open. Returns false if none is.
    pub fn close_topmost(&mut self) -> bool {
        for is_open in [&mut self.help, &mut self.gallery] {
            if std::mem::take(is_open) {
                return true;
            }
        }
        self.code.close() || std::mem::take(&mut self.studies.open)
    }
}
