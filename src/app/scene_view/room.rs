//! Room for readings and for the microscope at the lower edge of a picture. A lane is one of the
//! scene's simulations that run side by side.
//!
//! The room depends on the scene alone: it is free from the first frame on, and nothing moves when
//! a number gets more digits.

use super::microscope::bar_height;
use super::stage::Arrangement;
use crate::app::laboratory::Laboratory;
use crate::scene::typed::annotation::Annotations;
use crate::scene::typed::reading::Reading;

/// Font sizes of readings in points: the largest size is used whose lines fit the width of the
/// picture.
const SIZES: [f32; 3] = [15.0, 13.0, 11.0];
/// Width and height of a letter divided by the font size, in the font of readings.
const LETTER: (f32, f32) = (0.603, 1.2);
/// Returns the width of a letter in points. The layout rounds it to whole pixels.
fn letter_width(size: f32) -> f32 {
    (size * LETTER.0).round()
}

/// Number of letters of a measured number.
const NUMBER_LETTERS: usize = 7;
/// Number of letters of a period, and of the ratio of a period to the first one.
const PERIOD: usize = NUMBER_LETTERS + 2;
const RATIO: usize = " = 0.000 × the first".len();
/// Width in points on each side of the readings from which scale bar and clock face fit beside
/// them.
const ROOM_FOR_SCALE_BAR: f32 = 172.0;
/// Width in points on each side of the readings from which a clock face fits beside them.
const ROOM_FOR_FACE: f32 = 98.0;
/// Upper edge of a clock face, in points above the lower edge of the picture.
pub const FACE_TOP: f32 = 114.0;
/// Height of notes in points in a picture without readings, and distance of notes from the items
/// below.
const NOTES: (f32, f32) = (54.0, 8.0);
/// Distances in points of readings from the lower edge of a picture: with the scale bar beside
/// them, and with the scale bar above them.
const EDGES: (f32, f32) = (14.0, 8.0);
/// Points by which the scale bar may be nearer to the readings than to the edge of a picture.
const CLOSE: f32 = 12.0;
/// Distance in points between the scene and the item below it.
const GAP: f32 = 6.0;

/// Heights of the items at the lower edge of a picture, in points above that edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Room {
    /// Font size of readings in points.
    pub size: f32,
    /// Width of the longest reading in points.
    pub width: f32,
    /// Height in points of the lower edge of the readings.
    pub edge: f32,
    /// Height in points of the upper edge of the readings; 0 without readings.
    pub readings: f32,
    /// Height in points of the upper edge of the microscope's bars.
    pub bars: f32,
    /// Points by which the scale bar is raised above readings and bars.
    pub lift: f32,
    /// Height in points of the lower edge of notes, which are above readings, clocks and bars.
    pub notes: f32,
    /// True if clocks have a face beside the readings. Otherwise the clock's time is the last
    /// reading.
    pub has_face: bool,
}

impl Room {
    /// Creates the room for pictures of this width. All pictures get the same room, so that the
    /// lanes can be compared.
    pub fn new<'a>(
        laboratory: &Laboratory,
        cells: impl Iterator<Item = &'a [usize]>,
        width: f32,
        wanted: Arrangement,
    ) -> Self {
        let lanes = laboratory.session().lanes();
        let annotations = &laboratory.session().scene().annotations;
        let mut most = 0;
        let lines: Vec<Vec<usize>> = cells
            .inspect(|cell| most = most.max(cell.len()))
            .filter_map(|cell| {
                Some(letters_of_lines(annotations, &lanes.get(*cell.first()?)?.name))
            })
            .collect();
        let lines = if wanted.readings { lines } else { Vec::new() };
        let mut readings = Self::of_readings(&lines, width, annotations.clock);
        let has_face = annotations.clock && readings.has_face;
        let face = if has_face { FACE_TOP } else { 0.0 };
        readings.notes = NOTES.0.max(readings.readings.max(face) + NOTES.1);
        let bars = if wanted.microscope { most as f32 * bar_height(width) } else { 0.0 };
        if bars == 0.0 {
            return readings;
        }
        let bars = readings.readings.max(EDGES.1) + bars;
        Self { bars, lift: bars, notes: readings.notes.max(bars + NOTES.1), ..readings }
    }

    fn of_readings(lanes: &[Vec<usize>], width: f32, clock: bool) -> Self {
        let longest = lanes.iter().flatten().max().copied().unwrap_or(0);
        let free = width - 16.0;
        let needs = |size: f32| longest as f32 * letter_width(size);
        let size = SIZES.into_iter().find(|size| needs(*size) <= free).unwrap_or(SIZES[2]);
        let beside = 0.5 * (width - needs(size).min(free));
        let has_face = longest == 0 || beside >= ROOM_FOR_FACE;
        let is_beside = beside >= ROOM_FOR_SCALE_BAR;
        let a_line = (free / letter_width(size)).max(1.0) as usize;
        let rows = |lines: &Vec<usize>| lines.iter().map(|n| n.div_ceil(a_line)).sum();
        let rows: usize = lanes.iter().map(rows).max().unwrap_or(0);
        if rows == 0 {
            return Self { has_face, ..Self::default() };
        }
        let rows = rows + usize::from(clock && !has_face);
        let edge = if is_beside { EDGES.0 } else { EDGES.1 };
        let readings = edge + rows as f32 * size * LETTER.1 + 2.0;
        let lift = if is_beside { 0.0 } else { readings - CLOSE };
        let width = needs(size).min(free);
        Self { size, width, edge, readings, lift, has_face, ..Self::default() }
    }

    /// Returns the height in points of the room. The scene must not cover it.
    pub fn height(&self) -> f32 {
        let top = self.readings.max(self.bars);
        if top > 0.0 { top + GAP } else { 0.0 }
    }
}

/// Returns the number of letters of each line of a lane's readings.
fn letters_of_lines(wanted: &Annotations, lane: &str) -> Vec<usize> {
    let period = |(index, (_, name)): (usize, &(u32, String))| {
        name.chars().count() + PERIOD + if index > 0 { RATIO } else { 0 }
    };
    let mut lines: Vec<usize> = wanted.periods.iter().enumerate().map(period).collect();
    let phases = wanted.phases.iter().flat_map(|phases| &phases.words);
    lines.extend(phases.map(|words| words.chars().count() + PERIOD));
    let readings = wanted.readings.iter().filter(|reading| reading.is_shown_in(lane));
    lines.extend(readings.flat_map(letters_of_reading));
    lines
}

fn letters_of_reading(reading: &Reading) -> impl Iterator<Item = usize> {
    let count = |text: &str| text.chars().count();
    let value = NUMBER_LETTERS + 1 + count(&reading.unit);
    let measured = count(&reading.name) + count(": measured ") + value;
    let formula = count(&reading.formula) + count(" = ") + value;
    std::iter::once(measured).chain(reading.value.is_some().then_some(formula))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_lie_beside_the_scale_bar_where_there_is_room_and_below_it_elsewhere() {
        let lines = [vec![28, 20]];
        let wide = Room::of_readings(&lines, 900.0, true);
        assert_eq!((wide.size, wide.edge, wide.lift), (15.0, EDGES.0, 0.0));
        assert!(wide.has_face && wide.readings > 50.0 && wide.readings < 56.0);
        let narrow = Room::of_readings(&lines, 245.0, true);
        assert_eq!((narrow.size, narrow.edge), (13.0, EDGES.1));
        assert!(!narrow.has_face, "the time is a third line");
        assert!(narrow.lift > 40.0 && narrow.readings > narrow.lift, "{narrow:?}");
        let tiny = Room::of_readings(&lines, 120.0, false);
        assert!(tiny.readings > EDGES.1 + 4.0 * 11.0, "both lines wrap: {tiny:?}");
        assert_eq!(Room::of_readings(&[], 245.0, false).height(), 0.0);
    }
}
