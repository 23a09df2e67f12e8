//! Drawing of the laboratory: ropes, cloths, floor and marks, with our own graphics pipelines.
//!
//! Positions are f64 in metres. This module converts them to f32 in metres relative to the centre
//! of the view. Pixels are physical pixels.
//!
//! In each frame, [`View::begin_frame`] is called first, then [`View::draw`] for each viewport.
//! Panels are drawn afterwards.

mod gpu;
mod picking;
mod projection;
mod shapes;

pub use crate::app::theme::palette::{
    LineStyle, lane_color, lane_color_name, lane_style, strain_color,
};
pub use picking::cross::{FramePositions, crossed_links};
pub use picking::pick::nearest_particle;
pub use picking::pick_obstacle::obstacle_at;
pub use projection::bounds::Bounds;
pub use projection::boxes::Boxes;
pub use projection::camera::{Camera, ViewKind};
pub use projection::projector::Projector;
pub use projection::viewport::{Fit, Viewport};
pub use shapes::lane_picture::{LanePicture, ViewOptions};
pub use shapes::marks::{GrabMark, Marks, TrailMark};
pub use shapes::obstacle::Obstacle;
pub use shapes::rope::DrawnBall;
pub use shapes::shape::DrawnShape;
pub use shapes::torn::Torn;

use crate::app::theme::is_light;
use crate::app::timing::overhead::thread_seconds;
use glam::{DVec3, Mat4, Vec4};
use gpu::driver::{Driver, MultisampledPicture, with_driver};
use gpu::pipeline::{FrameBuffers, LineUniforms, Pipelines, SurfaceUniforms, immutable_buffer};
use gpu::upload::{ShapeBuffers, UploadedLane, upload_cloths, upload_part, upload_wires};
use macroquad::color::Color;
use macroquad::miniquad::{BufferId, BufferType, PassAction, ShaderError, UniformsSource};
use macroquad::text::{Font, load_ttf_font_from_bytes};
use projection::lens::Lens;
use shapes::extent::{Window, whole, windows};
use shapes::marks::Drawing;
use shapes::scale_bar::ScaleBar;
use shapes::shadow::{Shadow, ShadowArea, ShadowStage};
use shapes::vertices::Vertices;

/// Number of frames after which the buffers of a shape are freed if it is no longer drawn.
const UNUSED_FRAMES: u64 = 120;
/// Difference in depth (0 to 1) between overlaid lanes. It prevents equal surfaces from flickering.
const LANE_DEPTH: f32 = 2e-5;

/// Renderer of lanes, with its buffers in the graphics driver.
pub struct View {
    pipelines: Pipelines,
    frame_buffers: FrameBuffers,
    canvas: Option<MultisampledPicture>,
    screen: (BufferId, BufferId),
    shape_buffers: Vec<ShapeBuffers>,
    frame: u64,
    font: Option<Font>,
    vertices: Vec<Vertices>,
    shadow: Shadow,
    drawing: Drawing,
    seconds: f64,
}

#[derive(Clone, Copy)]
struct DrawArguments<'a> {
    viewport: &'a Viewport,
    camera: &'a Camera,
    shape: &'a DrawnShape,
    lanes: &'a [&'a LanePicture],
    options: &'a ViewOptions,
    lens: Lens,
}

impl View {
    /// Creates the view. The window must exist. `font` is a TrueType font; `None` means macroquad's
    /// font.
    pub fn new(font: Option<&[u8]>) -> Result<View, ShaderError> {
        let corners: [[f32; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let font = font.and_then(|bytes| load_ttf_font_from_bytes(bytes).ok());
        with_driver(|driver| {
            Ok(View {
                pipelines: Pipelines::new(driver)?,
                frame_buffers: FrameBuffers::default(),
                canvas: MultisampledPicture::new(driver),
                screen: (
                    immutable_buffer(driver, BufferType::VertexBuffer, &corners),
                    immutable_buffer(driver, BufferType::IndexBuffer, &[0u32, 1, 2, 0, 2, 3]),
                ),
                shape_buffers: Vec::new(),
                frame: 0,
                font,
                vertices: Vec::new(),
                shadow: Shadow::new(),
                drawing: Drawing::default(),
                seconds: 0.0,
            })
        })
    }

    /// Begins a frame. Must be called before the first viewport is drawn.
    pub fn begin_frame(&mut self) {
        self.frame += 1;
        self.seconds = 0.0;
        self.frame_buffers.begin_frame();
        let oldest = self.frame.saturating_sub(UNUSED_FRAMES);
        let (kept, old) = std::mem::take(&mut self.shape_buffers)
            .into_iter()
            .partition(|s| s.last_used >= oldest);
        self.shape_buffers = kept;
        if !old.is_empty() {
            with_driver(|driver| old.iter().for_each(|buffers| buffers.free(driver)));
        }
    }

    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Draws lanes into a part of the window, on top of each other. A lane that has fewer positions
    /// than the shape has particles is left out.
    pub fn draw(
        &mut self,
        viewport: &Viewport,
        camera: &Camera,
        shape: &DrawnShape,
        lanes: &[&LanePicture],
        options: &ViewOptions,
        marks: &Marks,
    ) {
        let lanes: Vec<&LanePicture> =
            lanes.iter().filter(|lane| lane.positions.len() >= shape.particles).copied().collect();
        let arguments = DrawArguments {
            viewport,
            camera,
            shape,
            lanes: &lanes,
            options,
            lens: Lens::new(camera, viewport),
        };
        let began = thread_seconds();
        let shadow_area = self.cast_shadows(&arguments);
        self.draw_marks(&arguments, marks);
        self.write_vertices(&arguments);
        let windows = windows(camera, viewport, shape, &lanes);
        self.seconds += thread_seconds() - began;
        with_driver(|driver| {
            let uploaded = self.upload(driver, &arguments);
            let on_canvas = self.paint_on_canvas(driver, viewport, &uploaded, &windows);
            begin_screen_pass(driver, viewport);
            self.paint_ground(driver, &arguments, shadow_area);
            if on_canvas {
                self.paint_canvas(driver, viewport, &windows);
            } else {
                driver.clear(None, Some(1.0), None);
                self.paint_all(driver, &uploaded);
            }
            self.paint_marks(driver);
            driver.end_render_pass();
        });
        if options.scale_bar {
            ScaleBar::new(camera, viewport, options.lift).write(viewport, self.font.as_ref());
        }
    }

    /// Fills the shadow map. Returns the area that it covers; `None` if no floor is visible or no
    /// body casts a shadow.
    fn cast_shadows(&mut self, arguments: &DrawArguments) -> Option<ShadowArea> {
        let DrawArguments { camera, shape, lanes, options, .. } = *arguments;
        let floor = options.floor.filter(|_| options.shadows)?;
        if shapes::ground::floor_rows(camera, arguments.viewport, options.floor) == 0 {
            return None;
        }
        let (centre, height) = (camera.centre(), camera.height());
        self.shadow.begin(ShadowStage { centre, height, floor });
        for lane in lanes {
            self.shadow.add_bodies(shape, &lane.positions);
            let balls = lane.balls.iter().map(|ball| (ball.centre, ball.radius));
            for (centre, radius) in balls.chain(shapes::obstacle::spheres(&lane.obstacles)) {
                self.shadow.add_ball(centre, radius);
            }
        }
        self.shadow.render()
    }

    fn draw_marks(&mut self, arguments: &DrawArguments, marks: &Marks) {
        let DrawArguments { camera, viewport, options, .. } = *arguments;
        self.drawing.begin(camera.projector(viewport));
        for lane in arguments.lanes {
            if options.dots {
                self.drawing.draw_dots(&lane.positions);
            } else if let Some(cursor) = marks.cursor {
                self.drawing.dots_near(&lane.positions, cursor);
            }
            self.drawing.pins(&lane.positions, &lane.pins);
        }
        self.drawing.draw_marks(marks);
        if options.scale_bar {
            ScaleBar::new(camera, viewport, options.lift).draw(&mut self.drawing, viewport);
        }
    }

    fn write_vertices(&mut self, arguments: &DrawArguments) {
        let DrawArguments { shape, lanes, options, lens, .. } = arguments;
        self.vertices.resize_with(self.vertices.len().max(lanes.len()), Vertices::default);
        for (vertices, lane) in self.vertices.iter_mut().zip(*lanes) {
            vertices.write(lens, shape, lane, options);
        }
    }

    /// Returns the index of a shape's constant buffers, which are created if they are missing.
    fn index_of_buffers(&mut self, driver: &mut Driver, shape: &DrawnShape, wires: bool) -> usize {
        let known = self.shape_buffers.iter().position(|buffers| buffers.shape == shape.id);
        let at = known.unwrap_or_else(|| {
            self.shape_buffers.push(ShapeBuffers::new(driver, shape));
            self.shape_buffers.len() - 1
        });
        let buffers = &mut self.shape_buffers[at];
        buffers.last_used = self.frame;
        if wires && buffers.wires.is_none() && !shape.wires.is_empty() {
            let ends: &[u32] = shape.wires.as_flattened();
            buffers.wires = Some(immutable_buffer(driver, BufferType::IndexBuffer, ends));
        }
        at
    }

    fn upload(&mut self, driver: &mut Driver, arguments: &DrawArguments) -> Vec<UploadedLane> {
        let shape = arguments.shape;
        let buffers = self.index_of_buffers(driver, shape, arguments.options.links);
        let (buffers, frame_buffers) = (&self.shape_buffers[buffers], &mut self.frame_buffers);
        let lanes = arguments.lanes.iter().zip(&self.vertices).enumerate();
        lanes
            .map(|(i, (lane, vertices))| UploadedLane {
                cloths: upload_cloths(driver, frame_buffers, buffers, shape, lane, vertices),
                tubes: upload_part(
                    driver,
                    frame_buffers,
                    &vertices.tubes.vertices,
                    &vertices.tubes.indices,
                ),
                wires: upload_wires(driver, frame_buffers, buffers, shape, vertices),
                uniforms: surface_uniforms(arguments, lane, i),
                faded: lane.exploded,
            })
            .collect()
    }

    /// Draws the lanes onto the canvas. Returns false if there is no canvas.
    fn paint_on_canvas(
        &mut self,
        driver: &mut Driver,
        viewport: &Viewport,
        lanes: &[UploadedLane],
        windows: &[Window],
    ) -> bool {
        let Some(mut canvas) = self.canvas.take() else { return false };
        let room = canvas.begin(driver, viewport);
        if room {
            // Applying a pipeline switches clipping on in macroquad's driver.
            driver.apply_pipeline(&self.pipelines.backdrop);
            // One pixel more than the windows on each side, because `MultisampledPicture::end`
            // reads these pixels.
            let [x, y, w, h] = shapes::extent::around(windows);
            driver.apply_scissor_rect(x - 1, y - 1, w + 2, h + 2);
            driver.clear(Some((0.0, 0.0, 0.0, 0.0)), Some(1.0), None);
            self.paint_all(driver, lanes);
            canvas.end(driver, windows);
        }
        self.canvas = Some(canvas);
        room
    }

    fn paint_ground(
        &mut self,
        driver: &mut Driver,
        arguments: &DrawArguments,
        shadow_area: Option<ShadowArea>,
    ) {
        let DrawArguments { viewport, camera, options, .. } = *arguments;
        let (vertices, indices) = self.screen;
        let [_, _, width, height] = whole(viewport);
        let rows = shapes::ground::floor_rows(camera, viewport, options.floor);
        if rows < height {
            driver.apply_pipeline(&self.pipelines.backdrop);
            clip_to(driver, viewport, [0, rows, width, height - rows]);
            driver.apply_bindings_from_slice(&[vertices], indices, &[]);
            let tone = Vec4::new(f32::from(is_light()), 0.0, 0.0, 0.0);
            driver.apply_uniforms(UniformsSource::table(&tone));
            driver.draw(0, 6, 1);
        }
        if rows > 0 {
            let shadow = self.frame_buffers.shadow(driver, &self.shadow.texels);
            let uniforms = shapes::ground::uniforms(
                camera,
                viewport,
                options.floor,
                options.grid,
                shadow_area,
            );
            driver.apply_pipeline(&self.pipelines.ground);
            clip_to(driver, viewport, [0, 0, width, rows]);
            driver.apply_bindings_from_slice(&[vertices], indices, &[shadow]);
            driver.apply_uniforms(UniformsSource::table(&uniforms));
            driver.draw(0, 6, 1);
        }
        clip_to(driver, viewport, whole(viewport));
    }

    /// Draws exploded lanes first, then running lanes over them regardless of depth.
    fn paint_all(&self, driver: &mut Driver, lanes: &[UploadedLane]) {
        let (exploded, running): (Vec<_>, Vec<_>) = lanes.iter().partition(|lane| lane.faded);
        exploded.iter().for_each(|lane| self.paint(driver, lane));
        if !exploded.is_empty() && !running.is_empty() {
            driver.clear(None, Some(1.0), None);
        }
        running.iter().for_each(|lane| self.paint(driver, lane));
    }

    fn paint(&self, driver: &mut Driver, lane: &UploadedLane) {
        for (part, fabric) in &lane.cloths {
            driver.apply_pipeline(&self.pipelines.cloth);
            let mut uniforms = lane.uniforms;
            uniforms.fabric = *fabric;
            part.paint(driver, UniformsSource::table(&uniforms));
        }
        if let Some(part) = &lane.tubes {
            driver.apply_pipeline(&self.pipelines.tube);
            part.paint(driver, UniformsSource::table(&lane.uniforms));
        }
        if let Some(part) = &lane.wires {
            driver.apply_pipeline(&self.pipelines.line);
            let wire = if is_light() { [0.2, 0.25, 0.32, 0.5] } else { [0.75, 0.82, 0.92, 0.35] };
            let color = Vec4::from(wire);
            let uniforms = LineUniforms { projection: lane.uniforms.projection, color };
            part.paint(driver, UniformsSource::table(&uniforms));
        }
    }

    fn paint_canvas(&self, driver: &mut Driver, viewport: &Viewport, windows: &[Window]) {
        let Some(canvas) = &self.canvas else { return };
        let [width, height] = canvas.size();
        let [x, y, _, _] = on_screen(viewport, [0; 4]);
        let part = Vec4::new(1.0 / width, 1.0 / height, -x as f32 / width, -y as f32 / height);
        let (vertices, indices) = self.screen;
        driver.apply_pipeline(&self.pipelines.canvas);
        driver.apply_bindings_from_slice(&[vertices], indices, &[canvas.texture]);
        driver.apply_uniforms(UniformsSource::table(&part));
        for &window in windows {
            clip_to(driver, viewport, window);
            driver.draw(0, 6, 1);
        }
        clip_to(driver, viewport, whole(viewport));
    }

    fn paint_marks(&mut self, driver: &mut Driver) {
        let Drawing { vertices, indices, .. } = &self.drawing;
        if let Some(part) = upload_part(driver, &mut self.frame_buffers, vertices, indices) {
            driver.apply_pipeline(&self.pipelines.mark);
            part.paint(driver, UniformsSource::table(&()));
        }
    }
}

/// Restricts drawing to a viewport of the window.
fn begin_screen_pass(driver: &mut Driver, viewport: &Viewport) {
    driver.begin_default_pass(PassAction::Nothing);
    let [x, y, w, h] = on_screen(viewport, whole(viewport));
    driver.apply_viewport(x, y, w, h);
    driver.apply_scissor_rect(x, y, w, h);
}

fn clip_to(driver: &mut Driver, viewport: &Viewport, window: Window) {
    let [x, y, w, h] = on_screen(viewport, window);
    driver.apply_scissor_rect(x, y, w, h);
}

/// Returns x, y, width and height on the screen. As in OpenGL, y is measured from the lower edge.
fn on_screen(viewport: &Viewport, [x, y, w, h]: Window) -> [i32; 4] {
    let (_, screen_height) = macroquad::miniquad::window::screen_size();
    let rect = viewport.rect;
    [rect.x as i32 + x, (screen_height - rect.y - rect.h) as i32 + y, w, h]
}

fn surface_uniforms(
    arguments: &DrawArguments,
    lane: &LanePicture,
    index: usize,
) -> SurfaceUniforms {
    let DrawArguments { viewport, camera, options, lens, .. } = *arguments;
    let projection: Mat4 = camera.clip_from_relative(viewport);
    let axes = camera.axes();
    let back = DVec3::new(-axes.forward.x, 0.0, -axes.forward.z).normalize_or_zero();
    let key = (-0.75 * axes.right + 0.70 * DVec3::Y + 0.42 * back).normalize().as_vec3();
    let Color { r, g, b, .. } = lane_color(lane.color);
    // The shader fades an exploded lane into the background. 1 means a dark background, 2 a light
    // one.
    let faded = f32::from(lane.exploded) * (1.0 + f32::from(is_light()));
    SurfaceUniforms::new(
        projection,
        lens.eye.extend(-LANE_DEPTH * index as f32),
        Vec4::new(r, g, b, faded),
        key.extend(f32::from(options.strain_colors)),
    )
}
