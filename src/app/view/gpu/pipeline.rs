//! Shaders and pipelines, and the buffers that are written in every frame.

use super::driver::Driver;
use crate::app::theme::palette::VIRIDIS;
use crate::app::view::shapes::cloth::ClothVertex;
use crate::app::view::shapes::marks::MarkVertex;
use crate::app::view::shapes::shadow;
use crate::app::view::shapes::tube::TubeVertex;
use glam::{Mat4, Vec3, Vec4};
use macroquad::miniquad::{
    BlendFactor, BlendState, BlendValue, BufferId, BufferLayout, BufferSource, BufferType,
    BufferUsage, Comparison, Equation, FilterMode, FrontFaceOrder, MipmapFilterMode, Pipeline,
    PipelineParams, PrimitiveType, ShaderError, ShaderId, ShaderMeta, ShaderSource, TextureFormat,
    TextureId, TextureKind, TextureParams, TextureWrap, UniformBlockLayout, UniformDesc,
    UniformType, VertexAttribute, VertexFormat,
};

/// Version line and macros of each GLSL dialect. The same source is compiled with the first dialect
/// that the driver accepts.
const DIALECTS: [(&str, &str); 4] = [
    ("#version 330\n", MODERN),
    ("#version 150\n", MODERN),
    ("#version 130\n", MODERN),
    (
        "#version 100\n#extension GL_OES_standard_derivatives : enable\nprecision highp float;\n",
        "#define ATTRIBUTE attribute\n#define OUT varying\n#define IN varying\n\
         #define SAMPLE texture2D\n#define FRAGMENT gl_FragColor\n",
    ),
];
const MODERN: &str = "#define ATTRIBUTE in\n#define OUT out\n#define IN in\n\
    #define SAMPLE texture\n";

const LIGHT: &str = include_str!("shaders/light.glsl");

pub struct Pipelines {
    pub backdrop: Pipeline,
    pub ground: Pipeline,
    pub tube: Pipeline,
    pub cloth: Pipeline,
    pub line: Pipeline,
    pub mark: Pipeline,
    pub canvas: Pipeline,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct SurfaceUniforms {
    pub projection: Mat4,
    /// Position of the eye relative to the centre of the view; w: depth offset.
    pub eye: Vec4,
    /// Colour; w: 0 for a running lane (simulation), 1 or 2 for an exploded lane on a dark or a
    /// light background.
    pub color: Vec4,
    /// Direction of the light; w: 1 if colours show the strain.
    pub key: Vec4,
    /// Cells along both edges; cells per check; number of the pattern.
    pub fabric: Vec4,
    ramp: [Vec4; 7],
}

impl SurfaceUniforms {
    pub fn new(projection: Mat4, eye: Vec4, color: Vec4, key: Vec4) -> SurfaceUniforms {
        let ramp = VIRIDIS.map(|row| Vec3::from_array(row).extend(0.0));
        SurfaceUniforms { projection, eye, color, key, fabric: Vec4::ZERO, ramp }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct LineUniforms {
    pub projection: Mat4,
    pub color: Vec4,
}

/// Uniforms of the shaders, in the order of the structs that contain their values. `projection` is
/// a matrix; the other uniforms have four numbers each.
const SURFACE: &str = "projection eye color key fabric ramp0 ramp1 ramp2 ramp3 ramp4 ramp5 ramp6";
const GROUND: &str = "eye right up forward origin shade_at";

impl Pipelines {
    pub fn new(driver: &mut Driver) -> Result<Pipelines, ShaderError> {
        let blended = blended(BlendFactor::Value(BlendValue::SourceAlpha));
        let mut build = |vertex: &str,
                         fragment: &str,
                         uniforms: &str,
                         images: &[&str],
                         attributes: &[VertexAttribute],
                         params: PipelineParams| {
            let shader = compile(driver, vertex, fragment, uniforms, images)?;
            let buffers = attributes.iter().map(|a| a.buffer_index + 1).max().unwrap_or(1);
            let layout = vec![BufferLayout::default(); buffers];
            Ok::<_, ShaderError>(driver.new_pipeline(&layout, attributes, shader, params))
        };
        Ok(Pipelines {
            backdrop: build(
                include_str!("shaders/ground.vert"),
                include_str!("shaders/backdrop.frag"),
                "tone",
                &[],
                &[VertexAttribute::new("position", VertexFormat::Float2)],
                PipelineParams::default(),
            )?,
            ground: build(
                include_str!("shaders/ground.vert"),
                include_str!("shaders/ground.frag"),
                GROUND,
                &["shadow"],
                &[VertexAttribute::new("position", VertexFormat::Float2)],
                PipelineParams::default(),
            )?,
            tube: build(
                include_str!("shaders/tube.vert"),
                include_str!("shaders/tube.frag"),
                SURFACE,
                &[],
                &TubeVertex::ATTRIBUTES,
                solid(),
            )?,
            cloth: build(
                include_str!("shaders/cloth.vert"),
                include_str!("shaders/cloth.frag"),
                SURFACE,
                &[],
                &ClothVertex::ATTRIBUTES,
                solid(),
            )?,
            line: build(
                include_str!("shaders/line.vert"),
                include_str!("shaders/line.frag"),
                "projection color",
                &[],
                &[VertexAttribute::new("position", VertexFormat::Float3)],
                PipelineParams {
                    primitive_type: PrimitiveType::Lines,
                    depth_test: Comparison::LessOrEqual,
                    depth_write: true,
                    ..blended
                },
            )?,
            mark: build(
                include_str!("shaders/mark.vert"),
                include_str!("shaders/mark.frag"),
                "",
                &[],
                &MarkVertex::ATTRIBUTES,
                blended,
            )?,
            canvas: build(
                include_str!("shaders/ground.vert"),
                include_str!("shaders/canvas.frag"),
                "part",
                &["canvas"],
                &[VertexAttribute::new("position", VertexFormat::Float2)],
                self::blended(BlendFactor::One),
            )?,
        })
    }
}

/// Returns the parameters of opaque surfaces, which hide everything behind them.
fn solid() -> PipelineParams {
    PipelineParams {
        depth_test: Comparison::LessOrEqual,
        depth_write: true,
        front_face_order: FrontFaceOrder::CounterClockwise,
        ..PipelineParams::default()
    }
}

/// Returns the parameters for drawing transparent colours over existing ones. `source` is the
/// factor by which new colours are multiplied.
fn blended(source: BlendFactor) -> PipelineParams {
    PipelineParams {
        color_blend: Some(BlendState::new(
            Equation::Add,
            source,
            BlendFactor::OneMinusValue(BlendValue::SourceAlpha),
        )),
        // The alpha of the window itself stays at 1.
        alpha_blend: Some(BlendState::new(Equation::Add, BlendFactor::Zero, BlendFactor::One)),
        ..PipelineParams::default()
    }
}

fn compile(
    driver: &mut Driver,
    vertex: &str,
    fragment: &str,
    uniforms: &str,
    images: &[&str],
) -> Result<ShaderId, ShaderError> {
    let uniform = |name: &str| {
        let is_matrix = name == "projection";
        UniformDesc::new(name, if is_matrix { UniformType::Mat4 } else { UniformType::Float4 })
    };
    let mut result = Err(ShaderError::LinkError("no dialect".into()));
    for (version, words) in DIALECTS {
        let output = if words == MODERN { "out vec4 FRAGMENT;\n" } else { "" };
        let vertex = format!("{version}{words}{vertex}");
        let fragment = format!("{version}{words}{output}{LIGHT}{fragment}");
        let meta = ShaderMeta {
            uniforms: UniformBlockLayout {
                uniforms: uniforms.split_whitespace().map(uniform).collect(),
            },
            images: images.iter().map(|&name| name.into()).collect(),
        };
        let source = ShaderSource::Glsl { vertex: &vertex, fragment: &fragment };
        result = driver.new_shader(source, meta);
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Buffers that are written in every frame. Each use within a frame gets its own buffer, so the
/// driver does not wait for the previous use.
#[derive(Default)]
pub struct FrameBuffers {
    vertices: Pool,
    indices: Pool,
    shadows: Vec<TextureId>,
    shadows_used: usize,
}

#[derive(Default)]
struct Pool {
    buffers: Vec<(BufferId, usize)>,
    used: usize,
}

impl Pool {
    fn write<T>(&mut self, driver: &mut Driver, of: BufferType, data: &[T]) -> BufferId {
        let bytes = size_of_val(data);
        if self.used == self.buffers.len() {
            self.buffers.push((stream_buffer(driver, of, bytes), bytes.next_power_of_two()));
        }
        let (buffer, room) = &mut self.buffers[self.used];
        if *room < bytes {
            driver.delete_buffer(*buffer);
            (*buffer, *room) = (stream_buffer(driver, of, bytes), bytes.next_power_of_two());
        }
        driver.buffer_update(*buffer, BufferSource::slice(data));
        self.used += 1;
        *buffer
    }
}

fn stream_buffer(driver: &mut Driver, of: BufferType, bytes: usize) -> BufferId {
    let source = match of {
        BufferType::VertexBuffer => BufferSource::empty::<u8>(bytes.next_power_of_two()),
        BufferType::IndexBuffer => BufferSource::empty::<u32>(bytes.next_power_of_two() / 4),
    };
    driver.new_buffer(of, BufferUsage::Stream, source)
}

impl FrameBuffers {
    pub fn begin_frame(&mut self) {
        self.vertices.used = 0;
        self.indices.used = 0;
        self.shadows_used = 0;
    }

    pub fn vertices<T>(&mut self, driver: &mut Driver, data: &[T]) -> BufferId {
        self.vertices.write(driver, BufferType::VertexBuffer, data)
    }

    pub fn indices(&mut self, driver: &mut Driver, data: &[u32]) -> BufferId {
        self.indices.write(driver, BufferType::IndexBuffer, data)
    }

    pub fn shadow(&mut self, driver: &mut Driver, texels: &[u8]) -> TextureId {
        if self.shadows_used == self.shadows.len() {
            self.shadows.push(driver.new_texture_from_data_and_format(
                texels,
                TextureParams {
                    kind: TextureKind::Texture2D,
                    format: TextureFormat::RGBA8,
                    wrap: TextureWrap::Clamp,
                    min_filter: FilterMode::Linear,
                    mag_filter: FilterMode::Linear,
                    mipmap_filter: MipmapFilterMode::None,
                    width: shadow::SIZE as u32,
                    height: shadow::SIZE as u32,
                    allocate_mipmaps: false,
                    sample_count: 1,
                },
            ));
        }
        let texture = self.shadows[self.shadows_used];
        driver.texture_update(texture, texels);
        self.shadows_used += 1;
        texture
    }
}

pub fn immutable_buffer<T>(driver: &mut Driver, of: BufferType, data: &[T]) -> BufferId {
    driver.new_buffer(of, BufferUsage::Immutable, BufferSource::slice(data))
}
