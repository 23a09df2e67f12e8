//! PNG files of drawings, drawn pixel by pixel with smooth (anti-aliased) edges.

use super::drawing::{Anchor, Drawing, DrawingElement, Rgb};
use ab_glyph::{Font, FontRef, ScaleFont, point};
use epaint_default_fonts::UBUNTU_LIGHT;
use thiserror::Error;

/// Pixels per point.
const DENSITY: f64 = 2.0;

/// Reason why a drawing cannot be written as PNG.
#[derive(Debug, Error)]
pub enum RasterError {
    /// The PNG cannot be encoded.
    #[error("the image cannot be encoded: {0}")]
    Encoding(#[from] png::EncodingError),
    /// The built-in font cannot be read.
    #[error("the font cannot be read: {0}")]
    Font(#[from] ab_glyph::InvalidFont),
}

impl Drawing {
    /// Returns the drawing as a PNG file with two pixels per point.
    pub fn to_png(&self) -> Result<Vec<u8>, RasterError> {
        let font = FontRef::try_from_slice(UBUNTU_LIGHT)?;
        let [columns, rows] = self.size.map(|length| (length * DENSITY).ceil() as usize);
        let mut canvas = Canvas { columns, rows, pixels: vec![255; 3 * columns * rows] };
        for element in &self.elements {
            canvas.draw(element, &font);
        }
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, columns as u32, rows as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&canvas.pixels)?;
        Ok(file)
    }
}

struct Canvas {
    columns: usize,
    rows: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn draw(&mut self, element: &DrawingElement, font: &FontRef) {
        match element {
            DrawingElement::Box { rectangle, fill } => self.cells(*rectangle, 1, &[*fill]),
            DrawingElement::Cells { rectangle, columns, colours } => {
                self.cells(*rectangle, *columns, colours)
            }
            DrawingElement::Line { points, width, colour, dash } => {
                let scaled = |[x, y]: &[f64; 2]| [x * DENSITY, y * DENSITY];
                let points: Vec<[f64; 2]> = points.iter().map(scaled).collect();
                let strokes = dash.map_or(vec![points.clone()], |dash| {
                    dashes(&points, dash.map(|length| length * DENSITY))
                });
                for stroke in strokes {
                    self.stroke(&stroke, 0.5 * width * DENSITY, *colour);
                }
            }
            DrawingElement::Dot { at: [x, y], radius, colour } => {
                let at = [x * DENSITY, y * DENSITY];
                self.stroke(&[at, at], radius * DENSITY, *colour);
            }
            DrawingElement::Text { at, text, size, anchor, upright, colour } => {
                self.text(font, *at, text, *size, *anchor, *upright, *colour);
            }
        }
    }

    /// Mixes a colour into a pixel. `coverage` is the fraction of the pixel that the colour covers.
    fn blend(&mut self, column: i64, row: i64, coverage: f64, colour: Rgb) {
        let inside =
            (0..self.columns as i64).contains(&column) && (0..self.rows as i64).contains(&row);
        if !inside || coverage <= 0.0 {
            return;
        }
        let at = 3 * (row as usize * self.columns + column as usize);
        for (pixel, wanted) in self.pixels[at..at + 3].iter_mut().zip(colour) {
            let mixed = f64::from(*pixel) * (1.0 - coverage) + f64::from(wanted) * coverage;
            *pixel = mixed.round() as u8;
        }
    }

    fn cells(&mut self, rectangle: [f64; 4], columns: usize, colours: &[Rgb]) {
        let [left, top, width, height] = rectangle.map(|length| length * DENSITY);
        let rows = colours.len() / columns;
        for y in top.round() as i64..(top + height).round() as i64 {
            for x in left.round() as i64..(left + width).round() as i64 {
                let index = |at: i64, from: f64, length: f64, count: usize| {
                    (((at as f64 + 0.5 - from) / length * count as f64) as usize).min(count - 1)
                };
                let cell = index(y, top, height, rows) * columns + index(x, left, width, columns);
                self.blend(x, y, 1.0, colours[cell]);
            }
        }
    }

    /// Draws a polyline with round ends and joints. The coverage of a pixel is approximately the
    /// fraction of its area within `half_width` of the nearest segment.
    fn stroke(&mut self, points: &[[f64; 2]], half_width: f64, colour: Rgb) {
        let mut coverages = std::collections::BTreeMap::new();
        for pair in points.windows(2) {
            let ([x0, y0], [x1, y1]) = (pair[0], pair[1]);
            let reach = half_width + 1.0;
            let (dx, dy) = (x1 - x0, y1 - y0);
            let squared = dx * dx + dy * dy;
            for row in (y0.min(y1) - reach).floor() as i64..=(y0.max(y1) + reach).ceil() as i64 {
                for column in
                    (x0.min(x1) - reach).floor() as i64..=(x0.max(x1) + reach).ceil() as i64
                {
                    let (px, py) = (column as f64 + 0.5 - x0, row as f64 + 0.5 - y0);
                    let along = if squared > 0.0 {
                        ((px * dx + py * dy) / squared).clamp(0.0, 1.0)
                    } else {
                        0.0
                    };
                    let distance = (px - along * dx).hypot(py - along * dy);
                    let coverage = (half_width + 0.5 - distance).clamp(0.0, 1.0);
                    if coverage > 0.0 {
                        let best = coverages.entry((row, column)).or_insert(0.0_f64);
                        *best = best.max(coverage);
                    }
                }
            }
        }
        for ((row, column), coverage) in coverages {
            self.blend(column, row, coverage, colour);
        }
    }

    #[allow(clippy::too_many_arguments)] // the fields of a text element
    fn text(
        &mut self,
        font: &FontRef,
        [x, y]: [f64; 2],
        text: &str,
        size: f64,
        anchor: Anchor,
        upright: bool,
        colour: Rgb,
    ) {
        let font = font.as_scaled((size * DENSITY) as f32);
        let advance = |c: char| f64::from(font.h_advance(font.glyph_id(c)));
        let length: f64 = text.chars().map(advance).sum();
        let mut pen = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * length,
            Anchor::End => -length,
        };
        let (x, y) = (x * DENSITY, y * DENSITY);
        for c in text.chars() {
            let glyph = font.glyph_id(c).with_scale_and_position(font.scale(), point(0.0, 0.0));
            if let Some(outline) = font.outline_glyph(glyph) {
                let bounds = outline.px_bounds();
                outline.draw(|column, row, coverage| {
                    let right = pen + f64::from(bounds.min.x) + f64::from(column);
                    let down = f64::from(bounds.min.y) + f64::from(row);
                    let (px, py) =
                        if upright { (x + down, y - right) } else { (x + right, y + down) };
                    self.blend(px.round() as i64, py.round() as i64, f64::from(coverage), colour);
                });
            }
            pen += advance(c);
        }
    }
}

/// Splits a polyline into dashes with gaps between them.
fn dashes(points: &[[f64; 2]], [dash, gap]: [f64; 2]) -> Vec<Vec<[f64; 2]>> {
    let mut pieces = Vec::new();
    let (mut left, mut drawn) = (dash, true);
    let mut piece: Vec<[f64; 2]> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let ([x0, y0], [x1, y1]) = (pair[0], pair[1]);
        let total = (x1 - x0).hypot(y1 - y0);
        let mut done = 0.0;
        while total - done > left {
            done += left;
            let fraction = done / total;
            let at = [x0 + fraction * (x1 - x0), y0 + fraction * (y1 - y0)];
            if drawn {
                piece.push(at);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![at];
            }
            drawn = !drawn;
            left = if drawn { dash } else { gap };
        }
        left -= total - done;
        if drawn {
            piece.push([x1, y1]);
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::super::drawing::INK;
    use super::*;

    fn pixels(drawing: &Drawing) -> (usize, Vec<u8>) {
        let file = drawing.to_png().expect("the drawing is good");
        let mut reader = png::Decoder::new(&file[..]).read_info().expect("a PNG");
        let mut rgb = vec![0; reader.output_buffer_size()];
        let columns = reader.next_frame(&mut rgb).expect("one picture").width as usize;
        (columns, rgb)
    }

    #[test]
    fn a_line_is_where_it_should_be_and_ends_smoothly() {
        let line = DrawingElement::Line {
            points: vec![[2.0, 5.0], [8.0, 5.0]],
            width: 1.0,
            colour: [0; 3],
            dash: None,
        };
        let (columns, rgb) = pixels(&Drawing { size: [10.0, 10.0], elements: vec![line] });
        let at = |x: usize, y: usize| rgb[3 * (y * columns + x)];
        assert_eq!(columns, 20);
        assert_eq!([at(10, 9), at(10, 10)], [0, 0]);
        assert_eq!([at(10, 7), at(10, 12), at(1, 9), at(18, 9)], [255; 4]);
    }

    #[test]
    fn words_leave_ink_also_greek_ones() {
        for text in ["dt", "ωh", "×", "−"] {
            let word = DrawingElement::Text {
                at: [5.0, 15.0],
                text: text.into(),
                size: 12.0,
                anchor: Anchor::Start,
                upright: false,
                colour: INK,
            };
            let (_, rgb) = pixels(&Drawing { size: [40.0, 20.0], elements: vec![word] });
            assert!(rgb.iter().any(|&value| value < 120), "{text}");
        }
    }

    #[test]
    fn dashes_and_gaps_have_their_lengths() {
        let pieces = dashes(&[[0.0, 0.0], [7.0, 0.0]], [2.0, 1.0]);
        let [first, second] = [vec![[0.0, 0.0], [2.0, 0.0]], vec![[3.0, 0.0], [5.0, 0.0]]];
        assert_eq!(pieces, [first, second, vec![[6.0, 0.0], [7.0, 0.0]]]);
    }
}
