//! Calls of the graphics driver that macroquad does not provide. This file contains all `unsafe`
//! code of the view.
//!
//! The view anti-aliases on a canvas with four samples per pixel, because not every driver offers a
//! window with several samples (Mesa's software renderer does not).
#![allow(unsafe_code)]

use crate::app::view::projection::viewport::Viewport;
use crate::app::view::shapes::extent::{Window, whole};
use macroquad::miniquad::raw_gl::*;
use macroquad::miniquad::{
    FilterMode, PassAction, RawId, RenderingBackend, TextureAccess, TextureFormat, TextureId,
    TextureParams, TextureSource,
};

const SAMPLES: i32 = 4;
/// The canvas's width and height are multiples of this number of pixels.
const CANVAS_STEP: i32 = 128;

pub type Driver = dyn RenderingBackend;

/// Calls `f` with the driver after macroquad has drawn everything in its queue.
pub fn with_driver<R>(f: impl FnOnce(&mut Driver) -> R) -> R {
    // SAFETY: macroquad requires that its context exist, and a `View` is created only inside its
    // main loop. It also requires that no reference outlive this call on its thread: `f` gets a
    // borrow that ends with the call, and nothing in this crate nests such calls.
    let mut gl = unsafe { macroquad::window::get_internal_gl() };
    gl.flush();
    f(gl.quad_context)
}

/// Canvas with several samples per pixel, at least as large as the largest viewport so far.
pub struct MultisampledPicture {
    samples: GLuint,
    color: GLuint,
    depth: GLuint,
    resolved: GLuint,
    /// Resolved image with one sample per pixel.
    pub texture: TextureId,
    width: i32,
    height: i32,
}

impl MultisampledPicture {
    /// Creates the canvas. Returns `None` if the driver cannot resolve samples; the view then draws
    /// directly into the window.
    pub fn new(driver: &mut Driver) -> Option<MultisampledPicture> {
        if !driver.info().features.resolve_attachments {
            return None;
        }
        let texture = driver.new_texture(
            TextureAccess::RenderTarget,
            TextureSource::Empty,
            TextureParams {
                width: CANVAS_STEP as u32,
                height: CANVAS_STEP as u32,
                format: TextureFormat::RGBA8,
                min_filter: FilterMode::Nearest,
                mag_filter: FilterMode::Nearest,
                ..TextureParams::default()
            },
        );
        let mut canvas = MultisampledPicture {
            samples: 0,
            color: 0,
            depth: 0,
            resolved: 0,
            texture,
            width: 0,
            height: 0,
        };
        // SAFETY: these functions exist wherever resolve attachments do (OpenGL 3), the context is
        // current, and each function writes one name through its pointer.
        unsafe {
            glGenFramebuffers(1, &mut canvas.samples);
            glGenRenderbuffers(1, &mut canvas.color);
            glGenRenderbuffers(1, &mut canvas.depth);
            glGenFramebuffers(1, &mut canvas.resolved);
        }
        canvas.grow(driver, CANVAS_STEP, CANVAS_STEP).then_some(canvas)
    }

    /// Enlarges the canvas if necessary. Returns false if the driver refuses.
    fn grow(&mut self, driver: &mut Driver, width: i32, height: i32) -> bool {
        if width <= self.width && height <= self.height {
            return true;
        }
        let round = |size: i32| (size + CANVAS_STEP - 1) / CANVAS_STEP * CANVAS_STEP;
        (self.width, self.height) = (round(width.max(self.width)), round(height.max(self.height)));
        driver.texture_resize(self.texture, self.width as u32, self.height as u32, None);
        // SAFETY: the names come from this context, the texture exists as long as `self`, and no
        // memory of this process is passed.
        unsafe {
            #[cfg_attr(not(target_vendor = "apple"), expect(irrefutable_let_patterns))]
            let RawId::OpenGl(texture) = driver.texture_raw_id(self.texture) else {
                return false;
            };
            for (buffer, format) in [(self.color, GL_RGBA8), (self.depth, GL_DEPTH_COMPONENT32)] {
                glBindRenderbuffer(GL_RENDERBUFFER, buffer);
                glRenderbufferStorageMultisample(
                    GL_RENDERBUFFER,
                    SAMPLES,
                    format,
                    self.width,
                    self.height,
                );
            }
            glBindFramebuffer(GL_FRAMEBUFFER, self.samples);
            for (place, buffer) in
                [(GL_COLOR_ATTACHMENT0, self.color), (GL_DEPTH_ATTACHMENT, self.depth)]
            {
                glFramebufferRenderbuffer(GL_FRAMEBUFFER, place, GL_RENDERBUFFER, buffer);
            }
            let whole = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
            glBindFramebuffer(GL_FRAMEBUFFER, self.resolved);
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
            whole && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE
        }
    }

    /// Directs drawing to the lower left part of the canvas, at the size of the viewport. Returns
    /// false if the canvas cannot be made large enough.
    pub fn begin(&mut self, driver: &mut Driver, viewport: &Viewport) -> bool {
        let [_, _, width, height] = whole(viewport);
        if !self.grow(driver, width, height) {
            return false;
        }
        driver.begin_default_pass(PassAction::Nothing);
        // SAFETY: this is a complete framebuffer of this context.
        unsafe { glBindFramebuffer(GL_FRAMEBUFFER, self.samples) };
        driver.apply_viewport(0, 0, width, height);
        true
    }

    /// Resolves the samples inside the windows into the texture, and directs drawing to the screen
    /// again.
    pub fn end(&mut self, driver: &mut Driver, windows: &[Window]) {
        // SAFETY: both framebuffers are complete, and the windows are inside them, because they are
        // inside the viewport of `begin`.
        unsafe {
            glBindFramebuffer(GL_READ_FRAMEBUFFER, self.samples);
            glBindFramebuffer(GL_DRAW_FRAMEBUFFER, self.resolved);
            // Mesa's software renderer sometimes omits the last column or row, so pixels of another
            // viewport remain there. Therefore one more pixel is copied on each side.
            for &[x, y, w, h] in windows {
                let (right, top) = ((x + w + 1).min(self.width), (y + h + 1).min(self.height));
                let (x, y) = ((x - 1).max(0), (y - 1).max(0));
                let color = GL_COLOR_BUFFER_BIT;
                glBlitFramebuffer(x, y, right, top, x, y, right, top, color, GL_NEAREST);
            }
        }
        driver.end_render_pass();
    }

    pub fn size(&self) -> [f32; 2] {
        [self.width as f32, self.height as f32]
    }
}
