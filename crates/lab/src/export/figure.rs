//! Pictures of lines and words, as SVG; `raster.rs` makes PNG of the same.

use std::fmt::Write;

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// Black enough to read, softer than black.
pub const INK: Rgb = [38, 42, 48];
/// Lines that lead the eye and mean nothing.
pub const FAINT: Rgb = [222, 225, 229];

/// Anchor of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Anchor at its first letter.
    Start,
    /// Anchor in its middle.
    Middle,
    /// Anchor at its last letter.
    End,
}

/// One thing in a picture. Lengths are in points; y grows downwards.
#[derive(Clone, Debug, PartialEq)]
pub enum FigureShape {
    /// A filled rectangle.
    Box {
        /// Left, top, width, height.
        place: [f64; 4],
        /// Its colour.
        fill: Rgb,
    },
    /// A line through points.
    Line {
        /// Points on it.
        points: Vec<[f64; 2]>,
        /// Its width.
        width: f64,
        /// Its colour.
        colour: Rgb,
        /// Lengths of a dash and of a gap; `None` = unbroken.
        dash: Option<[f64; 2]>,
    },
    /// A filled circle.
    Dot {
        /// Its centre.
        at: [f64; 2],
        /// Its radius.
        radius: f64,
        /// Its colour.
        colour: Rgb,
    },
    /// A word on a line.
    Word {
        /// Position of its anchor on the base line.
        at: [f64; 2],
        /// Text.
        text: String,
        /// Height of the font.
        size: f64,
        /// Anchor of the text.
        anchor: Anchor,
        /// Read from below upwards.
        upright: bool,
        /// Its colour.
        colour: Rgb,
    },
    /// Cells of one colour each.
    Cells {
        /// Left, top, width, height.
        place: [f64; 4],
        /// Cells in a row.
        columns: usize,
        /// Row by row from the top.
        colours: Vec<Rgb>,
    },
}

/// A picture on white ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Width and height in points.
    pub size: [f64; 2],
    /// Shapes from the back to the front.
    pub shapes: Vec<FigureShape>,
}

impl Figure {
    /// The picture as an SVG file.
    pub fn to_svg(&self) -> String {
        let [width, height] = self.size;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Ubuntu, sans-serif\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
        );
        for shape in &self.shapes {
            write_shape(&mut svg, shape).expect("a string takes all that is written");
        }
        svg + "</svg>\n"
    }
}

fn write_shape(svg: &mut String, shape: &FigureShape) -> std::fmt::Result {
    match shape {
        FigureShape::Box { place: [x, y, width, height], fill } => writeln!(
            svg,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
             fill=\"{}\"/>",
            hex(*fill)
        ),
        FigureShape::Line { points, width, colour, dash } => {
            let places: Vec<String> =
                points.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
            let dashes = dash.map_or(String::new(), |[length, gap]| {
                format!(" stroke-dasharray=\"{length:.2} {gap:.2}\"")
            });
            writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" \
                 stroke-linejoin=\"round\"{dashes}/>",
                places.join(" "),
                hex(*colour)
            )
        }
        FigureShape::Dot { at: [x, y], radius, colour } => {
            let colour = hex(*colour);
            writeln!(svg, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{colour}\"/>")
        }
        FigureShape::Word { at: [x, y], text, size, anchor, upright, colour } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let turn = if *upright {
                format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"")
            } else {
                String::new()
            };
            let text = text.replace('&', "&amp;").replace('<', "&lt;");
            writeln!(
                svg,
                "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
                 fill=\"{}\"{turn}>{text}</text>",
                hex(*colour)
            )
        }
        FigureShape::Cells { place, columns, colours } => {
            write_cells(svg, *place, *columns, colours)
        }
    }
}

/// Equal neighbours in a row are one rectangle.
fn write_cells(
    svg: &mut String,
    [left, top, width, height]: [f64; 4],
    columns: usize,
    colours: &[Rgb],
) -> std::fmt::Result {
    let rows = colours.len() / columns;
    let (w, h) = (width / columns as f64, height / rows as f64);
    writeln!(svg, "<g shape-rendering=\"crispEdges\">")?;
    for (row, cells) in colours.chunks_exact(columns).enumerate() {
        let mut column = 0;
        for run in cells.chunk_by(|a, b| a == b) {
            let (x, y) = (left + column as f64 * w, top + row as f64 * h);
            let run_width = run.len() as f64 * w;
            let colour = hex(run[0]);
            writeln!(
                svg,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{run_width:.2}\" height=\"{h:.2}\" \
                 fill=\"{colour}\"/>"
            )?;
            column += run.len();
        }
    }
    writeln!(svg, "</g>")
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
