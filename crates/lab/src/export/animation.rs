//! Writers of animations, frame by frame: GIF and animated PNG.

use super::palette::Palette;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, Write};
use strum::{EnumIter, IntoStaticStr};

/// Largest width and height of a GIF in pixels: the format stores them in 16 bits.
const LONGEST_SIDE: u32 = 65_535;

/// File format of an animation.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, EnumIter, IntoStaticStr, Serialize, Deserialize,
)]
pub enum AnimationFormat {
    /// GIF: 256 colours per frame. Every program shows it.
    #[default]
    #[strum(serialize = "gif")]
    Gif,
    /// Animated PNG: all colours. Browsers play it; other programs show its first frame.
    #[strum(serialize = "png")]
    Apng,
}

/// Size and speed of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnimationSpec {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Number of frames.
    pub frames: u32,
    /// Frames per second.
    pub rate: f64,
}

/// Animation that is being written to a file.
pub struct AnimationWriter<W: Write>(FormatWriter<W>);

enum FormatWriter<W: Write> {
    Gif(Box<GifWriter<W>>),
    Apng(Box<PngWriter<W>>),
}

struct PngWriter<W: Write> {
    writer: png::Writer<W>,
    width: usize,
    previous_frame: Vec<u8>,
}

struct GifWriter<W: Write> {
    encoder: gif::Encoder<W>,
    spec: AnimationSpec,
    /// Total duration of the frames so far, in hundredths of a second.
    elapsed_hundredths: u64,
    frames_written: u64,
    previous_frame: Vec<u8>,
}

impl<W: Write> AnimationWriter<W> {
    /// Creates an animation of exactly `spec.frames` frames, which repeats forever.
    pub fn new(format: AnimationFormat, spec: AnimationSpec, out: W) -> io::Result<Self> {
        let [width, height] = spec.size;
        if width == 0 || height == 0 || width > LONGEST_SIDE || height > LONGEST_SIDE {
            let problem = format!("an animation cannot have {width} × {height} pixels");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        Ok(Self(match format {
            AnimationFormat::Gif => {
                let encoder = gif::Encoder::new(out, width as u16, height as u16, &[]);
                let mut encoder = encoder.map_err(io::Error::other)?;
                encoder.set_repeat(gif::Repeat::Infinite).map_err(io::Error::other)?;
                let previous_frame = Vec::new();
                FormatWriter::Gif(Box::new(GifWriter {
                    encoder,
                    spec,
                    elapsed_hundredths: 0,
                    frames_written: 0,
                    previous_frame,
                }))
            }
            AnimationFormat::Apng => {
                let mut encoder = png::Encoder::new(out, width, height);
                encoder.set_color(png::ColorType::Rgba);
                encoder.set_depth(png::BitDepth::Eight);
                encoder.set_animated(spec.frames.max(1), 0)?;
                // The delay in milliseconds has 16 bits, enough for a minute.
                let delay = (1000.0 / spec.rate).round().clamp(1.0, 60_000.0) as u16;
                encoder.set_frame_delay(delay, 1000)?;
                let (writer, previous_frame) = (encoder.write_header()?, Vec::new());
                FormatWriter::Apng(Box::new(PngWriter {
                    writer,
                    width: width as usize,
                    previous_frame,
                }))
            }
        }))
    }

    /// Adds a frame: rows of red, green and blue bytes, the top row first.
    pub fn add(&mut self, rgb: &[u8]) -> io::Result<()> {
        match &mut self.0 {
            FormatWriter::Gif(gif) => gif.add(rgb),
            FormatWriter::Apng(png) => png.add(rgb).map_err(io::Error::from),
        }
    }

    /// Completes the file.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            FormatWriter::Gif(gif) => gif.encoder.into_inner().map(drop),
            FormatWriter::Apng(png) => png.writer.finish().map_err(io::Error::from),
        }
    }
}

impl<W: Write> GifWriter<W> {
    /// Writes the rectangle that changed since the previous frame, with its own palette.
    fn add(&mut self, rgb: &[u8]) -> io::Result<()> {
        let width = self.spec.size[0] as usize;
        let [left, top, right, bottom] = changed_rectangle(&self.previous_frame, rgb, width);
        let has_changed = |at: usize| self.previous_frame.get(at..at + 3) != Some(&rgb[at..at + 3]);
        let places =
            || (top..bottom).flat_map(move |y| (left..right).map(move |x| 3 * (y * width + x)));
        let color = |at: usize| [rgb[at], rgb[at + 1], rgb[at + 2]];
        let mut palette = Palette::of(places().filter(|at| has_changed(*at)).map(color));
        let transparent = palette.unused_index();
        let index = |at| if has_changed(at) { palette.index(color(at)) } else { transparent };
        let buffer: Vec<u8> = places().map(index).collect();
        self.frames_written += 1;
        // A frame lasts a whole number of hundredths of a second. The rest of its duration is added
        // to the next frame.
        let end = (100.0 * self.frames_written as f64 / self.spec.rate).round() as u64;
        let delay =
            end.saturating_sub(self.elapsed_hundredths).clamp(1, u64::from(u16::MAX)) as u16;
        self.elapsed_hundredths += u64::from(delay);
        let frame = gif::Frame {
            delay,
            dispose: gif::DisposalMethod::Keep,
            transparent: Some(transparent),
            left: left as u16,
            top: top as u16,
            width: (right - left) as u16,
            height: (bottom - top) as u16,
            palette: Some(palette.bytes()),
            buffer: Cow::Owned(buffer),
            ..gif::Frame::default()
        };
        self.previous_frame.clear();
        self.previous_frame.extend_from_slice(rgb);
        self.encoder.write_frame(&frame).map_err(io::Error::other)
    }
}

impl<W: Write> PngWriter<W> {
    /// Writes the rectangle that changed since the previous frame. Unchanged pixels in it are
    /// transparent. Complete frames of a rope would need about 30 times the memory.
    fn add(&mut self, rgb: &[u8]) -> Result<(), png::EncodingError> {
        let Self { writer, width, previous_frame } = self;
        let width = *width;
        let [left, top, right, bottom] = changed_rectangle(previous_frame, rgb, width);
        if !previous_frame.is_empty() {
            let [x, y, w, h] = [left, top, right - left, bottom - top].map(|side| side as u32);
            // The rectangle must lie inside the frame after every call. A single pixel fits
            // everywhere, so the rectangle shrinks to one pixel before it moves.
            writer.set_frame_dimension(1, 1)?;
            writer.set_frame_position(x, y)?;
            writer.set_frame_dimension(w, h)?;
            writer.set_blend_op(png::BlendOp::Over)?;
        }
        let places = (top..bottom).flat_map(|y| (left..right).map(move |x| 3 * (y * width + x)));
        let pixel = |at: usize| match &rgb[at..at + 3] {
            same if previous_frame.get(at..at + 3) == Some(same) => [0; 4],
            other => [other[0], other[1], other[2], u8::MAX],
        };
        let rgba: Vec<u8> = places.flat_map(pixel).collect();
        previous_frame.clear();
        previous_frame.extend_from_slice(rgb);
        writer.write_image_data(&rgba)
    }
}

/// Returns [left, top, right, bottom] of the rectangle that differs between two frames with rows of
/// `width` pixels. It is one pixel if nothing differs, and the whole frame if the previous frame is
/// empty.
fn changed_rectangle(previous_frame: &[u8], rgb: &[u8], width: usize) -> [usize; 4] {
    let row = 3 * width;
    if previous_frame.is_empty() {
        return [0, 0, width, rgb.len() / row];
    }
    let rows = previous_frame.chunks_exact(row).zip(rgb.chunks_exact(row)).enumerate();
    let mut area = [usize::MAX, usize::MAX, 0, 0];
    for (y, (before, now)) in rows.filter(|(_, (before, now))| before != now) {
        let differs = |x: &usize| before[3 * x..3 * x + 3] != now[3 * x..3 * x + 3];
        let first = (0..width).find(differs).unwrap_or(0);
        let last = (0..width).rev().find(differs).unwrap_or(0);
        let [left, top, right, bottom] = area;
        area = [left.min(first), top.min(y), right.max(last + 1), bottom.max(y + 1)];
    }
    if area[2] == 0 { [0, 0, 1, 1] } else { area }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a frame with a square that moves to the right over a grey ramp.
    fn frame(number: usize) -> Vec<u8> {
        let pixel = |x: usize, y: usize| match x.wrapping_sub(4 * number) {
            0..6 if (4..10).contains(&y) => [220, 40, 10],
            _ => [x as u8 * 2, x as u8 * 2, y as u8],
        };
        (0..24).flat_map(|y| (0..64).flat_map(move |x| pixel(x, y))).collect()
    }

    fn frames_written(format: AnimationFormat) -> Vec<u8> {
        let mut file = Vec::new();
        let spec = AnimationSpec { size: [64, 24], frames: 5, rate: 30.0 };
        let mut writer = AnimationWriter::new(format, spec, &mut file).expect("it begins");
        (0..5).for_each(|number| writer.add(&frame(number)).expect("a frame"));
        writer.finish().expect("it ends");
        file
    }

    #[test]
    fn a_gif_shows_its_frames_and_is_as_long_as_they_last() {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        let file = frames_written(AnimationFormat::Gif);
        let mut decoder = options.read_info(&file[..]).expect("a GIF");
        let mut canvas = vec![0u8; 64 * 24 * 3];
        let mut hundredths = 0;
        let mut number = 0;
        while let Some(part) = decoder.read_next_frame().expect("a frame") {
            let palette = part.palette.as_ref().expect("its own colours");
            for (k, index) in part.buffer.iter().enumerate() {
                let [x, y] = [k % part.width as usize, k / part.width as usize];
                let at = 3 * ((y + part.top as usize) * 64 + x + part.left as usize);
                if Some(*index) != part.transparent {
                    let color = 3 * *index as usize;
                    canvas[at..at + 3].copy_from_slice(&palette[color..color + 3]);
                }
            }
            let off = canvas.iter().zip(frame(number)).map(|(a, b)| a.abs_diff(b)).max();
            assert!(off < Some(9), "frame {number} is off by {off:?}");
            hundredths += part.delay;
            number += 1;
        }
        assert_eq!((number, hundredths), (5, 17));
    }

    #[test]
    fn an_animated_png_has_every_pixel_of_every_frame() {
        let file = frames_written(AnimationFormat::Apng);
        let mut reader = png::Decoder::new(&file[..]).read_info().expect("a PNG");
        assert_eq!(reader.info().animation_control.map(|it| it.num_frames), Some(5));
        let mut canvas = vec![0; 64 * 24 * 3];
        let mut rgba = vec![0; reader.output_buffer_size()];
        let mut sizes = Vec::new();
        for number in 0..5 {
            let info = reader.next_frame(&mut rgba).expect("a frame");
            let part = reader.info().frame_control.expect("its place");
            let [left, top] = [part.x_offset, part.y_offset].map(|side| side as usize);
            let width = info.width as usize;
            for (k, pixel) in rgba[..info.buffer_size()].chunks_exact(4).enumerate() {
                let at = 3 * ((k / width + top) * 64 + k % width + left);
                if pixel[3] > 0 {
                    canvas[at..at + 3].copy_from_slice(&pixel[..3]);
                }
            }
            assert_eq!(canvas, frame(number), "frame {number}");
            sizes.push([info.width, info.height]);
        }
        assert_eq!(sizes, [[64, 24], [10, 6], [10, 6], [10, 6], [10, 6]], "only what has changed");
    }

    #[test]
    fn a_picture_without_pixels_is_refused() {
        let spec = AnimationSpec { size: [0, 5], frames: 1, rate: 10.0 };
        assert!(AnimationWriter::new(AnimationFormat::Gif, spec, Vec::new()).is_err());
    }
}
