//! The picture of the laboratory: ropes, cloths, floor and marks, drawn by pipelines of our own.
//!
//! Positions arrive in f64 and leave as f32 relative to the centre of the view, nowhere else.
//! All pixels are physical.
//!
//! Each frame: [`View::begin_frame`], then [`View::draw`] for each viewport, then the panels.

mod camera;
mod cloth;
mod driver;
mod ground;
mod marks;
mod palette;
mod pick;
mod pipeline;
mod rope;
mod scale_bar;
mod shadow;
mod shape;

pub use camera::{Bounds, Camera, Kind, Projector, Viewport};
pub use marks::{Grab, Marks};
pub use palette::{LineStyle, lane_color, lane_color_name, lane_style, strain_color};
pub use pick::nearest;
pub use shape::Shape;

use cloth::ClothVertex;
use driver::{Canvas, with_driver};
use glam::{DVec3, Mat4, Vec2, Vec3, Vec4};
use macroquad::color::Color;
use macroquad::miniquad::{
    BufferId, BufferType, PassAction, RenderingBackend, ShaderError, TextureId, UniformsSource,
};
use macroquad::text::{Font, TextParams, draw_text_ex, load_ttf_font_from_bytes, measure_text};
use marks::{Drawing, Page};
use pipeline::{LineUniforms, Pipelines, Streams, SurfaceUniforms, lasting};
use rope::{Lens, Tubes};
use scale_bar::ScaleBar;
use shadow::{Cover, Shadow, Stage};

/// Frames after which the buffers of a shape that is no longer drawn are freed.
const FORGET_AFTER: u64 = 120;
/// Depth between overlaid lanes, so that equal surfaces do not fight.
const LANE_DEPTH: f32 = 2e-5;
const WIRE: Color = Color::new(0.75, 0.82, 0.92, 0.35);

/// A lane, as it is drawn this frame.
#[derive(Clone, Copy, Debug)]
pub struct LanePicture<'a> {
    /// A position for each particle in metres.
    pub positions: &'a [DVec3],
    /// Which particles are pinned; may be shorter.
    pub pinned: &'a [bool],
    /// Which links still hold; `None` = all.
    pub alive: Option<&'a [bool]>,
    /// Usually [`lane_color`].
    pub color: Color,
    /// Exploded: drawn in grey.
    pub faded: bool,
}

/// What is shown and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewOptions {
    /// Strain as colour instead of the colours of the lanes.
    pub strain_colors: bool,
    /// Strain at the end of the colour map.
    pub strain_range: f64,
    /// Particles as dots.
    pub dots: bool,
    /// The grid on the floor.
    pub grid: bool,
    /// Shadows on the floor.
    pub shadows: bool,
    /// All links as lines.
    pub links: bool,
    /// The scale bar.
    pub scale_bar: bool,
    /// Height of the floor in metres; `None` = no floor is drawn.
    pub floor: Option<f64>,
}

impl Default for ViewOptions {
    fn default() -> ViewOptions {
        ViewOptions {
            strain_colors: false,
            strain_range: 0.05,
            dots: false,
            grid: true,
            shadows: true,
            links: false,
            scale_bar: true,
            floor: Some(0.0),
        }
    }
}

/// Draws lanes. Holds the buffers of the graphics driver.
pub struct View {
    pipelines: Pipelines,
    streams: Streams,
    canvas: Option<Canvas>,
    screen: (BufferId, BufferId),
    stores: Vec<Store>,
    frame: u64,
    font: Option<Font>,
    tubes: Tubes,
    cloth: Vec<ClothVertex>,
    shadow: Shadow,
    drawing: Drawing,
    points: Vec<Vec3>,
}

/// Buffers of a shape that never change.
struct Store {
    shape: u64,
    last_used: u64,
    patches: Vec<PatchStore>,
    wires: Option<BufferId>,
}

struct PatchStore {
    cells: BufferId,
    faces: BufferId,
}

/// Something to draw: buffers and how many indices.
struct Part {
    vertices: Vec<BufferId>,
    indices: BufferId,
    count: usize,
}

/// A lane in the buffers of the driver.
struct Uploaded {
    cloths: Vec<(Part, Vec4)>,
    tubes: Option<Part>,
    wires: Option<Part>,
    uniforms: SurfaceUniforms,
}

impl View {
    /// Once the window exists. `font` is TrueType; without it, text is plain.
    pub fn new(font: Option<&[u8]>) -> Result<View, ShaderError> {
        let (pipelines, canvas, screen) = with_driver(|driver| {
            let corners: [[f32; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
            let screen = (
                lasting(driver, BufferType::VertexBuffer, &corners),
                lasting(driver, BufferType::IndexBuffer, &[0u32, 1, 2, 0, 2, 3]),
            );
            Ok::<_, ShaderError>((Pipelines::new(driver)?, Canvas::new(driver), screen))
        })?;
        Ok(View {
            pipelines,
            streams: Streams::default(),
            canvas,
            screen,
            stores: Vec::new(),
            frame: 0,
            font: font.and_then(|bytes| load_ttf_font_from_bytes(bytes).ok()),
            tubes: Tubes::default(),
            cloth: Vec::new(),
            shadow: Shadow::new(),
            drawing: Drawing::default(),
            points: Vec::new(),
        })
    }

    /// Before the first viewport of a frame.
    pub fn begin_frame(&mut self) {
        self.frame += 1;
        self.streams.begin_frame();
        let oldest = self.frame.saturating_sub(FORGET_AFTER);
        let (kept, old) =
            std::mem::take(&mut self.stores).into_iter().partition(|s| s.last_used >= oldest);
        self.stores = kept;
        if !old.is_empty() {
            with_driver(|driver| old.iter().for_each(|store| store.free(driver)));
        }
    }

    /// Draws lanes into a part of the window: one, or several on top of each other.
    pub fn draw(
        &mut self,
        viewport: &Viewport,
        camera: &Camera,
        shape: &Shape,
        lanes: &[LanePicture],
        options: &ViewOptions,
        marks: &Marks,
    ) {
        let lens = Lens::new(camera, viewport);
        let window = window_around(camera, viewport, shape, lanes);
        let cover = self.cast_shadows(camera, shape, lanes, options);
        self.draw_marks(camera, viewport, shape, lanes, options, marks);
        with_driver(|driver| {
            let shadow = self.streams.shadow(driver, &self.shadow.texels);
            let store = self.store(driver, shape, options.links);
            let uploaded: Vec<Uploaded> = lanes
                .iter()
                .enumerate()
                .filter(|(_, lane)| lane.positions.len() >= shape.particles)
                .map(|(i, lane)| {
                    let uniforms = surface_uniforms(camera, viewport, &lens, lane, options, i);
                    self.upload(driver, &lens, shape, store, lane, options, uniforms)
                })
                .collect();
            self.paint_surfaces(
                driver, camera, viewport, options, cover, shadow, &uploaded, window,
            );
            self.paint_marks(driver);
            driver.end_render_pass();
        });
        if options.scale_bar {
            self.write_scale(&ScaleBar::new(camera, viewport), viewport);
        }
    }

    /// Fills the map of shadows, if there is a floor for them to fall on.
    fn cast_shadows(
        &mut self,
        camera: &Camera,
        shape: &Shape,
        lanes: &[LanePicture],
        options: &ViewOptions,
    ) -> Option<Cover> {
        let floor = options.floor.filter(|_| options.shadows)?;
        let stage = Stage { centre: camera.centre(), height: camera.height(), floor };
        self.shadow.clear();
        for lane in lanes.iter().filter(|lane| lane.positions.len() >= shape.particles) {
            self.shadow.add(&stage, shape, lane.positions);
        }
        self.shadow.render()
    }

    fn draw_marks(
        &mut self,
        camera: &Camera,
        viewport: &Viewport,
        shape: &Shape,
        lanes: &[LanePicture],
        options: &ViewOptions,
        marks: &Marks,
    ) {
        let page = Page::new(camera, viewport);
        self.drawing.clear();
        for lane in lanes.iter().filter(|lane| lane.positions.len() >= shape.particles) {
            if options.dots {
                self.drawing.dots(&page, lane.positions);
            } else if let Some(cursor) = marks.cursor {
                self.drawing.dots_near(&page, lane.positions, cursor);
            }
            self.drawing.pins(&page, lane.positions, lane.pinned);
        }
        self.drawing.marks(&page, marks);
        if options.scale_bar {
            ScaleBar::new(camera, viewport).draw(&mut self.drawing, &page, viewport);
        }
    }

    /// The place of the lasting buffers of a shape.
    fn store(&mut self, driver: &mut dyn RenderingBackend, shape: &Shape, wires: bool) -> usize {
        let known = self.stores.iter().position(|store| store.shape == shape.id);
        let at = known.unwrap_or_else(|| {
            self.stores.push(Store::new(driver, shape));
            self.stores.len() - 1
        });
        let store = &mut self.stores[at];
        store.last_used = self.frame;
        if wires && store.wires.is_none() && !shape.wires.is_empty() {
            let ends: &[u32] = shape.wires.as_flattened();
            store.wires = Some(lasting(driver, BufferType::IndexBuffer, ends));
        }
        at
    }

    #[expect(clippy::too_many_arguments, reason = "all of them come from `draw`")]
    fn upload(
        &mut self,
        driver: &mut dyn RenderingBackend,
        lens: &Lens,
        shape: &Shape,
        store: usize,
        lane: &LanePicture,
        options: &ViewOptions,
        uniforms: SurfaceUniforms,
    ) -> Uploaded {
        let torn = lane.alive.filter(|alive| alive.contains(&false));
        let range = options.strain_range as f32;
        self.tubes.draw(lens, shape, lane.positions, torn, range);
        let tubes = (!self.tubes.indices.is_empty()).then(|| Part {
            vertices: vec![self.streams.vertices(driver, &self.tubes.vertices)],
            indices: self.streams.indices(driver, &self.tubes.indices),
            count: self.tubes.indices.len(),
        });
        let measured = options.strain_colors.then_some(range);
        let mut cloths = Vec::new();
        for (i, patch) in shape.patches.iter().enumerate() {
            cloth::write(&mut self.cloth, lens, patch, lane.positions, measured);
            let PatchStore { cells, faces } = self.stores[store].patches[i];
            let (indices, count) = match torn {
                None => (faces, 3 * patch.faces.len()),
                Some(alive) => {
                    let left = patch.faces_left(&shape.wires, alive);
                    (self.streams.indices(driver, left.as_flattened()), 3 * left.len())
                }
            };
            let vertices = vec![self.streams.vertices(driver, &self.cloth), cells];
            let fabric = Vec4::new(
                (patch.grid.columns - 1) as f32,
                (patch.grid.rows - 1) as f32,
                cloth::cells_a_check(patch),
                0.0,
            );
            cloths.push((Part { vertices, indices, count }, fabric));
        }
        let wires = options.links.then(|| self.upload_wires(driver, lens, shape, store, lane));
        Uploaded { cloths, tubes, wires: wires.flatten(), uniforms }
    }

    fn upload_wires(
        &mut self,
        driver: &mut dyn RenderingBackend,
        lens: &Lens,
        shape: &Shape,
        store: usize,
        lane: &LanePicture,
    ) -> Option<Part> {
        let indices = self.stores[store].wires?;
        self.points.clear();
        let drawable = |&p: &DVec3| lens.relative(p);
        let whole = lane.alive.is_none_or(|alive| !alive.contains(&false))
            && lane.positions.iter().all(|p| drawable(p).is_some());
        self.points.extend(lane.positions.iter().map(|p| drawable(p).unwrap_or(Vec3::ZERO)));
        let vertices = vec![self.streams.vertices(driver, &self.points)];
        if whole {
            return Some(Part { vertices, indices, count: 2 * shape.wires.len() });
        }
        let left: Vec<[u32; 2]> = shape
            .wires
            .iter()
            .enumerate()
            .filter(|(i, _)| shape::holds(*i as u32, lane.alive))
            .map(|(_, ends)| *ends)
            .filter(|ends| ends.iter().all(|&i| drawable(&lane.positions[i as usize]).is_some()))
            .collect();
        let indices = self.streams.indices(driver, left.as_flattened());
        Some(Part { vertices, indices, count: 2 * left.len() })
    }

    #[expect(clippy::too_many_arguments, reason = "all of them come from `draw`")]
    fn paint_surfaces(
        &mut self,
        driver: &mut dyn RenderingBackend,
        camera: &Camera,
        viewport: &Viewport,
        options: &ViewOptions,
        cover: Option<Cover>,
        shadow: TextureId,
        lanes: &[Uploaded],
        window: [i32; 4],
    ) {
        let on_canvas =
            self.canvas.as_mut().is_some_and(|canvas| canvas.begin(driver, viewport, window));
        if on_canvas {
            driver.apply_pipeline(&self.pipelines.backdrop);
            driver.clear(Some((0.0, 0.0, 0.0, 0.0)), Some(1.0), None);
            lanes.iter().for_each(|lane| self.paint(driver, lane));
        }
        if let (true, Some(canvas)) = (on_canvas, &mut self.canvas) {
            canvas.end(driver, window);
        }
        begin(driver, viewport);
        self.paint_ground(driver, camera, viewport, options, cover, shadow);
        scissor(driver, viewport, window);
        if on_canvas {
            self.paint_canvas(driver, viewport);
        } else {
            driver.clear(None, Some(1.0), None);
            lanes.iter().for_each(|lane| self.paint(driver, lane));
        }
        scissor(driver, viewport, whole(viewport));
    }

    fn paint_ground(
        &self,
        driver: &mut dyn RenderingBackend,
        camera: &Camera,
        viewport: &Viewport,
        options: &ViewOptions,
        cover: Option<Cover>,
        shadow: TextureId,
    ) {
        let (vertices, indices) = self.screen;
        let [_, _, width, height] = whole(viewport);
        let rows = ground::floor_rows(camera, viewport, options.floor);
        if rows < height {
            driver.apply_pipeline(&self.pipelines.backdrop);
            scissor(driver, viewport, [0, rows, width, height - rows]);
            driver.apply_bindings_from_slice(&[vertices], indices, &[]);
            driver.draw(0, 6, 1);
        }
        if rows > 0 {
            let uniforms = ground::uniforms(camera, viewport, options.floor, options.grid, cover);
            driver.apply_pipeline(&self.pipelines.ground);
            scissor(driver, viewport, [0, 0, width, rows]);
            driver.apply_bindings_from_slice(&[vertices], indices, &[shadow]);
            driver.apply_uniforms(UniformsSource::table(&uniforms));
            driver.draw(0, 6, 1);
        }
    }

    fn paint(&self, driver: &mut dyn RenderingBackend, lane: &Uploaded) {
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
            let color = Vec4::from(WIRE.to_vec().to_array());
            let uniforms = LineUniforms { projection: lane.uniforms.projection, color };
            part.paint(driver, UniformsSource::table(&uniforms));
        }
    }

    /// Lays what is on the canvas over the floor.
    fn paint_canvas(&self, driver: &mut dyn RenderingBackend, viewport: &Viewport) {
        let Some(canvas) = &self.canvas else { return };
        let [width, height] = canvas.size();
        let [x, y, _, _] = on_screen(viewport, [0; 4]);
        let part = Vec4::new(1.0 / width, 1.0 / height, -x as f32 / width, -y as f32 / height);
        let (vertices, indices) = self.screen;
        driver.apply_pipeline(&self.pipelines.canvas);
        driver.apply_bindings_from_slice(&[vertices], indices, &[canvas.texture]);
        driver.apply_uniforms(UniformsSource::table(&part));
        driver.draw(0, 6, 1);
    }

    fn paint_marks(&mut self, driver: &mut dyn RenderingBackend) {
        if self.drawing.indices.is_empty() {
            return;
        }
        let part = Part {
            vertices: vec![self.streams.vertices(driver, &self.drawing.vertices)],
            indices: self.streams.indices(driver, &self.drawing.indices),
            count: self.drawing.indices.len(),
        };
        driver.apply_pipeline(&self.pipelines.mark);
        part.paint(driver, UniformsSource::table(&()));
    }

    /// The text of the scale bar, through macroquad: it appears when that is flushed.
    fn write_scale(&self, bar: &ScaleBar, viewport: &Viewport) {
        const POINTS: u16 = 14;
        let font = self.font.as_ref();
        let scale = viewport.scale;
        let at = bar.text_at(viewport) / macroquad::window::screen_dpi_scale();
        let font_scale = scale / macroquad::window::screen_dpi_scale();
        let width = measure_text(&bar.text, font, POINTS, font_scale).width;
        let params = TextParams {
            font,
            font_size: POINTS,
            font_scale,
            color: ScaleBar::ink(),
            ..TextParams::default()
        };
        draw_text_ex(&bar.text, (at.x - 0.5 * width).round(), at.y.round(), params);
    }
}

impl Store {
    fn new(driver: &mut dyn RenderingBackend, shape: &Shape) -> Store {
        let patches = shape.patches.iter().map(|patch| {
            let cells: Vec<[f32; 2]> = (0..patch.grid.rows)
                .flat_map(|row| (0..patch.grid.columns).map(move |c| [c as f32, row as f32]))
                .collect();
            PatchStore {
                cells: lasting(driver, BufferType::VertexBuffer, &cells),
                faces: lasting(driver, BufferType::IndexBuffer, patch.faces.as_flattened()),
            }
        });
        Store { shape: shape.id, last_used: 0, patches: patches.collect(), wires: None }
    }

    fn free(&self, driver: &mut dyn RenderingBackend) {
        for PatchStore { cells, faces } in &self.patches {
            driver.delete_buffer(*cells);
            driver.delete_buffer(*faces);
        }
        if let Some(wires) = self.wires {
            driver.delete_buffer(wires);
        }
    }
}

impl Part {
    fn paint(&self, driver: &mut dyn RenderingBackend, uniforms: UniformsSource) {
        driver.apply_bindings_from_slice(&self.vertices, self.indices, &[]);
        driver.apply_uniforms(uniforms);
        driver.draw(0, self.count as i32, 1);
    }
}

/// Confines drawing to a viewport of the window.
fn begin(driver: &mut dyn RenderingBackend, viewport: &Viewport) {
    driver.begin_default_pass(PassAction::Nothing);
    let [x, y, w, h] = on_screen(viewport, whole(viewport));
    driver.apply_viewport(x, y, w, h);
    driver.apply_scissor_rect(x, y, w, h);
}

fn scissor(driver: &mut dyn RenderingBackend, viewport: &Viewport, window: [i32; 4]) {
    let [x, y, w, h] = on_screen(viewport, window);
    driver.apply_scissor_rect(x, y, w, h);
}

/// All pixels of a viewport, from its lower left corner.
fn whole(viewport: &Viewport) -> [i32; 4] {
    [0, 0, viewport.rect.w as i32, viewport.rect.h as i32]
}

/// OpenGL counts rows from the lower edge of the screen.
fn on_screen(viewport: &Viewport, [x, y, w, h]: [i32; 4]) -> [i32; 4] {
    let (_, screen_height) = macroquad::miniquad::window::screen_size();
    let rect = viewport.rect;
    [rect.x as i32 + x, (screen_height - rect.y - rect.h) as i32 + y, w, h]
}

/// The pixels that lanes can touch, from the lower left corner of the viewport: only these are
/// anti-aliased.
fn window_around(
    camera: &Camera,
    viewport: &Viewport,
    shape: &Shape,
    lanes: &[LanePicture],
) -> [i32; 4] {
    let all = whole(viewport);
    let boxes = lanes.iter().filter_map(|lane| Bounds::around(lane.positions));
    let Some(bounds) = boxes.reduce(Bounds::union) else { return [0; 4] };
    let (low, high) = (bounds.min - shape.reach, bounds.max + shape.reach);
    let (mut min, mut max) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    for corner in 0..8 {
        let pick = |bit: i32, low: f64, high: f64| if corner & bit == 0 { low } else { high };
        let corner =
            DVec3::new(pick(1, low.x, high.x), pick(2, low.y, high.y), pick(4, low.z, high.z));
        let Some(pixel) = camera.screen_from_world(corner, viewport) else { return all };
        min = min.min(pixel);
        max = max.max(pixel);
    }
    let rect = viewport.rect;
    let margin = 8.0 * viewport.scale;
    let within = |x: f32, size: f32| x.clamp(0.0, size) as i32;
    let left = within(min.x - rect.x - margin, rect.w);
    let right = within(max.x - rect.x + margin + 1.0, rect.w);
    let bottom = within(rect.y + rect.h - max.y - margin, rect.h);
    let top = within(rect.y + rect.h - min.y + margin + 1.0, rect.h);
    [left, bottom, right - left, top - bottom]
}

fn surface_uniforms(
    camera: &Camera,
    viewport: &Viewport,
    lens: &Lens,
    lane: &LanePicture,
    options: &ViewOptions,
    index: usize,
) -> SurfaceUniforms {
    let projection: Mat4 = camera.clip_from_relative(viewport);
    let axes = camera.axes();
    let back = DVec3::new(-axes.forward.x, 0.0, -axes.forward.z).normalize_or_zero();
    let key = (-0.75 * axes.right + 0.70 * DVec3::Y + 0.42 * back).normalize().as_vec3();
    let Color { r, g, b, .. } = lane.color;
    let switch = |on: bool| if on { 1.0 } else { 0.0 };
    SurfaceUniforms::new(
        projection,
        lens.eye.extend(-LANE_DEPTH * index as f32),
        Vec4::new(r, g, b, switch(lane.faded)),
        key.extend(switch(options.strain_colors)),
    )
}
