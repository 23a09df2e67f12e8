//! Vector drawings of lines and texts, and their SVG files. `raster.rs` turns them into PNG files.

use std::fmt::Write;

/// Colour: red, green and blue.
pub type Rgb = [u8; 3];

/// Colour of text: dark enough to read, but softer than black.
pub const INK: Rgb = [38, 42, 48];
/// Colour of grid lines and other auxiliary lines.
pub const FAINT: Rgb = [222, 225, 229];

/// Point of a text that lies at the given position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Start of the text.
    Start,
    /// Middle of the text.
    Middle,
    /// End of the text.
    End,
}

/// Element of a drawing. Lengths are in points; y grows downwards.
#[derive(Clone, Debug, PartialEq)]
pub enum DrawingElement {
    /// Filled rectangle.
    Box {
        /// Left, top, width and height.
        rectangle: [f64; 4],
        /// Colour of the rectangle.
        fill: Rgb,
    },
    /// Polyline.
    Line {
        /// Points of the line.
        points: Vec<[f64; 2]>,
        /// Width of the line.
        width: f64,
        /// Colour of the line.
        colour: Rgb,
        /// Lengths of a dash and a gap; `None` = continuous.
        dash: Option<[f64; 2]>,
    },
    /// Filled circle.
    Dot {
        /// Centre of the circle.
        at: [f64; 2],
        /// Radius of the circle.
        radius: f64,
        /// Colour of the circle.
        colour: Rgb,
    },
    /// Text on a horizontal or vertical base line.
    Text {
        /// Position of the anchor on the base line.
        at: [f64; 2],
        /// Content of the text.
        text: String,
        /// Height of the font.
        size: f64,
        /// Point of the text that is at `at`.
        anchor: Anchor,
        /// True to write upwards, rotated by 90° to the left.
        upright: bool,
        /// Colour of the text.
        colour: Rgb,
    },
    /// Grid of cells, each in one colour.
    Cells {
        /// Left, top, width and height.
        rectangle: [f64; 4],
        /// Number of cells in a row.
        columns: usize,
        /// Colours, row by row, the top row first.
        colours: Vec<Rgb>,
    },
}

/// Vector drawing on a white background.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Width and height in points.
    pub size: [f64; 2],
    /// Elements, from the back to the front.
    pub elements: Vec<DrawingElement>,
}

impl Drawing {
    /// Returns the drawing as an SVG file.
    pub fn to_svg(&self) -> String {
        let [width, height] = self.size;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Ubuntu, sans-serif\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
        );
        for element in &self.elements {
            write_element(&mut svg, element).expect("a string takes all that is written");
        }
        svg + "</svg>\n"
    }
}

fn write_element(svg: &mut String, element: &DrawingElement) -> std::fmt::Result {
    match element {
        DrawingElement::Box { rectangle: [x, y, width, height], fill } => writeln!(
            svg,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
             fill=\"{}\"/>",
            hex(*fill)
        ),
        DrawingElement::Line { points, width, colour, dash } => {
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
        DrawingElement::Dot { at: [x, y], radius, colour } => {
            let colour = hex(*colour);
            writeln!(svg, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{colour}\"/>")
        }
        DrawingElement::Text { at: [x, y], text, size, anchor, upright, colour } => {
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
        DrawingElement::Cells { rectangle, columns, colours } => {
            write_cells(svg, *rectangle, *columns, colours)
        }
    }
}

/// Writes cells. Neighbours of equal colour in a row become one rectangle.
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
