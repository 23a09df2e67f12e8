//! Charts with axes and ticks, curves, cells and a legend.

pub mod ticks;

use super::drawing::{Anchor, Drawing, DrawingElement, FAINT, INK, Rgb};
use crate::quantity::on_screen::si_tight;
use std::borrow::Cow;
use ticks::AxisTicks;

/// Colours of curves (Okabe and Ito 2008, "Color universal design"), in an order that suits a white
/// background.
const COLOURS: [Rgb; 8] = [
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [230, 159, 0],
    [86, 180, 233],
    [120, 120, 120],
    [38, 42, 48],
];

/// Returns the colour of curve `i`; colours repeat after eight curves.
pub fn curve_colour(i: usize) -> Rgb {
    COLOURS[i % COLOURS.len()]
}

/// Width and height of one chart in points.
const CHART_SIZE: [f64; 2] = [472.0, 340.0];
/// Left, top, right and bottom margins between a chart's edges and its plot area, in points. Half
/// of the last tick's label fits in the right margin.
const MARGINS: [f64; 4] = [84.0, 34.0, 26.0, 48.0];
/// Distance in points from the plot area to the centre of the label of the vertical axis.
const Y_LABEL_DISTANCE: f64 = 66.0;
/// Height of a row of the legend in points.
const LEGEND_ROW: f64 = 18.0;

/// Axis of a chart: its label, unit, range and scale.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartAxis {
    /// Label: the quantity without its unit, e.g. `dt`.
    pub label: String,
    /// Unit of the values, which is written at the ticks; empty for a quantity without a unit.
    pub unit: &'static str,
    /// Smallest and largest value on the axis.
    pub range: [f64; 2],
    /// True for a logarithmic axis, which needs a positive range.
    pub log: bool,
}

impl ChartAxis {
    /// Creates an axis whose range contains all values, with a margin. Values that are not finite,
    /// or not positive on a logarithmic axis, are ignored.
    pub fn around(
        label: &str,
        unit: &'static str,
        values: impl Iterator<Item = f64>,
        log: bool,
    ) -> Self {
        let shown = |value: &f64| value.is_finite() && (!log || *value > 0.0);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(shown) {
            (least, most) = (least.min(value), most.max(value));
        }
        if least > most {
            (least, most) = if log { (0.1, 1.0) } else { (0.0, 1.0) };
        }
        let range = if log {
            [least / 1.3, most * 1.3]
        } else {
            let slack = if most > least { 0.05 * (most - least) } else { 1.0 };
            [least - slack, most + slack]
        };
        Self { label: label.to_owned(), unit, range, log }
    }

    /// Returns the coordinate of a value on the axis: the value itself, or its log₁₀ on a
    /// logarithmic axis. It is not finite if the axis cannot show the value.
    pub fn coordinate(&self, value: f64) -> f64 {
        if self.log { value.log10() } else { value }
    }

    /// Returns the coordinates of both ends.
    pub fn ends(&self) -> [f64; 2] {
        self.range.map(|end| self.coordinate(end))
    }

    /// Returns the position of a coordinate on the axis: 0 at the start, 1 at the end.
    pub fn fraction(&self, coordinate: f64) -> f64 {
        let [from, to] = self.ends();
        (coordinate - from) / (to - from)
    }

    /// Returns the ticks for an axis of `length` points.
    pub fn ticks(&self, horizontal: bool, length: f64) -> AxisTicks {
        AxisTicks { horizontal, length: length.max(1.0), log: self.log, unit: self.unit }
    }

    /// Returns the position of each tick on the axis (0 at the start, 1 at the end) and its label.
    fn labelled_ticks(&self, horizontal: bool, length: f64) -> Vec<(f64, String)> {
        let (axis, [from, to]) = (self.ticks(horizontal, length), self.ends());
        let text = |tick: ticks::Tick| (self.fraction(tick.value), axis.label(tick, &(from..=to)));
        axis.ticks((from, to)).into_iter().map(text).collect()
    }
}

/// Dashed line for curves that must not be confused with solid ones.
pub const DASHED: CurveStyle = CurveStyle::Dashed([5.0, 5.0]);
/// Width of curves in points.
pub const CURVE_WIDTH: f64 = 1.8;

/// Style of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CurveStyle {
    /// Line through the points, with a dot at each point.
    LineWithDots,
    /// Line through the points.
    Line,
    /// Dashed line through the points, with the lengths of dash and gap in points.
    Dashed([f64; 2]),
    /// Dotted line through the points, with the distance of the dots in points.
    Dotted(f64),
    /// Dots without a line.
    Dots,
}

impl CurveStyle {
    fn draw(
        self,
        colour: Rgb,
        width: f64,
        pieces: Vec<Vec<[f64; 2]>>,
        dots: impl Iterator<Item = [f64; 2]>,
        elements: &mut Vec<DrawingElement>,
    ) {
        let dash = match self {
            CurveStyle::Dashed(dash) => Some(dash),
            CurveStyle::Dotted(distance) => Some([width, (distance - width).max(1.0)]),
            CurveStyle::LineWithDots | CurveStyle::Line | CurveStyle::Dots => None,
        };
        let line = |points| DrawingElement::Line { points, width, colour, dash };
        if self != CurveStyle::Dots {
            elements.extend(pieces.into_iter().map(line));
        }
        if matches!(self, CurveStyle::LineWithDots | CurveStyle::Dots) {
            elements.extend(dots.map(|at| DrawingElement::Dot { at, radius: 3.0, colour }));
        }
    }
}

/// Curve, or a set of dots.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<'a> {
    /// Name in the legend; a curve with an empty name is not listed.
    pub name: Cow<'a, str>,
    /// Points in units of the axes. Points that are not finite interrupt the line.
    pub points: Cow<'a, [[f64; 2]]>,
    /// Style of the curve.
    pub style: CurveStyle,
    /// Width of the line in points.
    pub width: f64,
    /// Colour of the curve.
    pub colour: Rgb,
    /// Time in seconds at which the shown motion exploded.
    pub exploded: Option<f64>,
}

impl<'a> Curve<'a> {
    /// Creates a curve of width [`CURVE_WIDTH`].
    pub fn new(
        name: impl Into<Cow<'a, str>>,
        points: impl Into<Cow<'a, [[f64; 2]]>>,
        style: CurveStyle,
        colour: Rgb,
    ) -> Self {
        let (name, points) = (name.into(), points.into());
        Self { name, points, style, width: CURVE_WIDTH, colour, exploded: None }
    }

    /// Returns the same curve with other points.
    pub fn with_points<'b>(&'b self, points: Cow<'b, [[f64; 2]]>) -> Curve<'b> {
        let &Self { style, width, colour, exploded, .. } = self;
        Curve { name: Cow::Borrowed(&self.name), points, style, width, colour, exploded }
    }

    fn legend_text(&self) -> String {
        match self.exploded {
            Some(t) => format!("{}, exploded at {}", self.name, si_tight(t, "s")),
            None => self.name.clone().into_owned(),
        }
    }
}

/// Coloured cells that fill the plot area of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    /// Number of cells in a row.
    pub columns: usize,
    /// Colours, row by row, the top row first.
    pub colours: Vec<Rgb>,
}

/// Chart with axes, cells and curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart<'a> {
    /// Title above the plot area.
    pub title: String,
    /// Horizontal axis.
    pub x: ChartAxis,
    /// Vertical axis.
    pub y: ChartAxis,
    /// Cells behind the curves; `None` for a chart of curves alone.
    pub cells: Option<Cells>,
    /// Curves, from the back to the front.
    pub curves: Vec<Curve<'a>>,
}

/// Arranges charts in a grid of `columns` columns. Below the grid are a legend of `cell_entries`
/// and of the curves of all charts, and a note of one line.
pub fn arrange_charts(
    charts: &[Chart],
    columns: usize,
    cell_entries: &[(String, Rgb)],
    note: &str,
) -> Drawing {
    let columns = columns.clamp(1, charts.len().max(1));
    let rows = charts.len().div_ceil(columns);
    let patch = |(name, colour): &(String, Rgb)| (name.clone(), *colour, None);
    let mut entries: Vec<LegendEntry> = cell_entries.iter().map(patch).collect();
    for curve in charts.iter().flat_map(|chart| &chart.curves) {
        let (text, colour) = (curve.legend_text(), curve.colour);
        let is_listed = |entry: &LegendEntry| entry.0 == text && entry.1 == colour;
        if !curve.name.is_empty() && !entries.iter().any(is_listed) {
            entries.push((text, colour, Some(curve.style)));
        }
    }
    let width = CHART_SIZE[0] * columns as f64;
    let laid_out = legend(&entries, width, CHART_SIZE[1] * rows as f64 + 10.0);
    let legend_end = CHART_SIZE[1] * rows as f64 + 10.0 + LEGEND_ROW * laid_out.1 as f64;
    let mut elements = Vec::new();
    for (i, chart) in charts.iter().enumerate() {
        let corner = [CHART_SIZE[0] * (i % columns) as f64, CHART_SIZE[1] * (i / columns) as f64];
        chart.draw(corner, &mut elements);
    }
    elements.extend(laid_out.0);
    elements.push(text_element([14.0, legend_end + 14.0], note, 11.0, Anchor::Start));
    Drawing { size: [width, legend_end + 24.0], elements }
}

/// Entry of a legend: name, colour, and style of the curve. An entry without a style, e.g. for
/// cells, shows a patch of the colour.
type LegendEntry = (String, Rgb, Option<CurveStyle>);

/// Returns the drawing elements of the legend, and its number of rows.
fn legend(entries: &[LegendEntry], width: f64, top: f64) -> (Vec<DrawingElement>, usize) {
    let (mut elements, mut x, mut row) = (Vec::new(), 14.0, 0);
    for (name, colour, style) in entries {
        let length = 44.0 + 6.3 * name.chars().count() as f64;
        if x + length > width && x > 14.0 {
            (x, row) = (14.0, row + 1);
        }
        let y = top + LEGEND_ROW * row as f64;
        match style {
            Some(style) => {
                let ends = vec![[x, y + 5.0], [x + 24.0, y + 5.0]];
                let dot = [[x + 12.0, y + 5.0]].into_iter();
                style.draw(*colour, CURVE_WIDTH, vec![ends], dot, &mut elements);
            }
            None => {
                elements.push(DrawingElement::Box {
                    rectangle: [x + 5.0, y, 14.0, 10.0],
                    fill: *colour,
                });
            }
        }
        elements.push(text_element([x + 29.0, y + 9.5], name, 12.0, Anchor::Start));
        x += length;
    }
    (elements, if entries.is_empty() { 0 } else { row + 1 })
}

fn text_element(at: [f64; 2], text: &str, size: f64, anchor: Anchor) -> DrawingElement {
    DrawingElement::Text { at, text: text.to_owned(), size, anchor, upright: false, colour: INK }
}

impl Chart<'_> {
    fn draw(&self, [left, top]: [f64; 2], elements: &mut Vec<DrawingElement>) {
        let plot_area = [
            left + MARGINS[0],
            top + MARGINS[1],
            CHART_SIZE[0] - MARGINS[0] - MARGINS[2],
            CHART_SIZE[1] - MARGINS[1] - MARGINS[3],
        ];
        let [x0, y0, width, height] = plot_area;
        let place = |[x, y]: [f64; 2]| {
            let (x, y) = (self.x.coordinate(x), self.y.coordinate(y));
            [x0 + width * self.x.fraction(x), y0 + height * (1.0 - self.y.fraction(y))]
        };
        if let Some(Cells { columns, colours }) = &self.cells {
            let (columns, colours) = (*columns, colours.clone());
            elements.push(DrawingElement::Cells { rectangle: plot_area, columns, colours });
        }
        self.draw_ticks(plot_area, elements);
        for curve in &self.curves {
            let points: Vec<[f64; 2]> = curve.points.iter().map(|point| place(*point)).collect();
            let pieces = clip_polyline(&points, plot_area);
            let dots = points.iter().filter(|point| is_inside(**point, plot_area)).copied();
            curve.style.draw(curve.colour, curve.width, pieces, dots, elements);
        }
        elements.push(text_element([x0, y0 - 10.0], &self.title, 14.0, Anchor::Start));
    }

    fn draw_ticks(&self, [x0, y0, width, height]: [f64; 4], elements: &mut Vec<DrawingElement>) {
        let (x1, y1) = (x0 + width, y0 + height);
        let line = |from: [f64; 2], to: [f64; 2], colour: Rgb| DrawingElement::Line {
            points: vec![from, to],
            width: 1.0,
            colour,
            dash: None,
        };
        let grid = self.cells.is_none();
        for (fraction, text) in self.x.labelled_ticks(true, width) {
            let x = x0 + width * fraction;
            if grid {
                elements.push(line([x, y0], [x, y1], FAINT));
            }
            elements.push(line([x, y1], [x, y1 + 4.0], INK));
            elements.push(text_element([x, y1 + 17.0], &text, 11.0, Anchor::Middle));
        }
        for (fraction, text) in self.y.labelled_ticks(false, height) {
            let y = y0 + height * (1.0 - fraction);
            if grid {
                elements.push(line([x0, y], [x1, y], FAINT));
            }
            elements.push(line([x0 - 4.0, y], [x0, y], INK));
            elements.push(text_element([x0 - 7.0, y + 4.0], &text, 11.0, Anchor::End));
        }
        let frame = vec![[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]];
        elements.push(DrawingElement::Line { points: frame, width: 1.0, colour: INK, dash: None });
        elements.push(text_element(
            [0.5 * (x0 + x1), y1 + 36.0],
            &self.x.label,
            12.0,
            Anchor::Middle,
        ));
        elements.push(DrawingElement::Text {
            at: [x0 - Y_LABEL_DISTANCE, 0.5 * (y0 + y1)],
            text: self.y.label.clone(),
            size: 12.0,
            anchor: Anchor::Middle,
            upright: true,
            colour: INK,
        });
    }
}

fn is_inside([x, y]: [f64; 2], [x0, y0, width, height]: [f64; 4]) -> bool {
    (x0..=x0 + width).contains(&x) && (y0..=y0 + height).contains(&y)
}

/// Returns the parts of a polyline that lie inside a rectangle (left, top, width, height). Points
/// that are not finite interrupt the line.
pub fn clip_polyline(points: &[[f64; 2]], plot_area: [f64; 4]) -> Vec<Vec<[f64; 2]>> {
    let mut pieces: Vec<Vec<[f64; 2]>> = Vec::new();
    for pair in points.windows(2) {
        let Some([from, to]) = clip_segment(pair[0], pair[1], plot_area) else { continue };
        match pieces.last_mut() {
            Some(piece) if piece.last() == Some(&from) => piece.push(to),
            _ => pieces.push(vec![from, to]),
        }
    }
    pieces
}

/// Returns the part of a line segment inside a rectangle (Liang and Barsky 1984, ACM Trans. Graph.
/// 3, 1). `None` if the segment is outside the rectangle or not finite.
fn clip_segment(from: [f64; 2], to: [f64; 2], [x0, y0, w, h]: [f64; 4]) -> Option<[[f64; 2]; 2]> {
    let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    if !(dx.is_finite() && dy.is_finite()) {
        return None;
    }
    let sides =
        [(-dx, from[0] - x0), (dx, x0 + w - from[0]), (-dy, from[1] - y0), (dy, y0 + h - from[1])];
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (step, room) in sides {
        if step == 0.0 && room < 0.0 {
            return None;
        }
        if step < 0.0 {
            enter = enter.max(room / step);
        } else if step > 0.0 {
            leave = leave.min(room / step);
        }
    }
    let at = |t: f64| [from[0] + t * dx, from[1] + t * dy];
    let end = if leave == 1.0 { to } else { at(leave) };
    (enter <= leave).then(|| [at(enter), end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_the_edges_of_its_field() {
        let plot_area = [0.0, 0.0, 10.0, 10.0];
        assert_eq!(
            clip_segment([-5.0, 5.0], [15.0, 5.0], plot_area),
            Some([[0.0, 5.0], [10.0, 5.0]])
        );
        assert_eq!(clip_segment([-5.0, 11.0], [15.0, 11.0], plot_area), None);
        assert_eq!(clip_segment([f64::NAN, 5.0], [1.0, 5.0], plot_area), None);
        let bend = [[1.0, 1.0], [2.0, 2.0], [20.0, 2.0], [2.0, 3.0]];
        assert_eq!(clip_polyline(&bend, plot_area).len(), 2);
    }

    #[test]
    fn ticks_are_round_numbers_inside_the_range() {
        let texts = |unit: &'static str, range: [f64; 2], log: bool| -> Vec<String> {
            let axis = ChartAxis { label: String::new(), unit, range, log };
            axis.labelled_ticks(true, 362.0).into_iter().map(|(_, text)| text).collect()
        };
        let decades = [2e-5, 3e-1];
        assert_eq!(texts("s", decades, true), ["100 µs", "1 ms", "10 ms", "100 ms"]);
        assert_eq!(texts("%", decades, true), ["1 ppm", "10 ppm", "0.01 %", "0.1 %"]);
        assert_eq!(texts("", [0.0, 1.0], false), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }
}
