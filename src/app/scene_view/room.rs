//! Room that readings and the microscope take at the lower edge of a picture.
//!
//! It follows from the scene alone, before anything is measured: the picture leaves it free, and
//! nothing moves when a number grows.

use super::microscope::bar_height;
use super::stage::Arrangement;
use crate::app::laboratory::Laboratory;
use crate::scene::typed::annotation::Annotations;
use crate::scene::typed::reading::Reading;

/// Sizes of readings in points: the first one whose lines fit the width of the picture.
const SIZES: [f32; 3] = [15.0, 13.0, 11.0];
/// Width and height of a letter over its size, in the font of readings.
const LETTER: (f32, f32) = (0.603, 1.2);
/// Width of a letter of a size, which is drawn at whole pixels.
fn letter(size: f32) -> f32 {
    (size * LETTER.0).round()
}

/// Letters of a number that is measured.
const DIGITS: usize = 7;
/// Letters of a period, and of its ratio to the first.
const PERIOD: usize = DIGITS + 2;
const RATIO: usize = " = 0.000 × the first".len();
/// Room beside readings for the scale bar on one side and the face of a clock on the other.
const BESIDE: f32 = 172.0;
/// Room for the face of a clock beside readings.
const FACE: f32 = 98.0;
/// Upper edge of the face of a clock.
pub const FACE_TOP: f32 = 114.0;
/// Height of notes in an empty picture, and their distance from the items below them.
const NOTES: (f32, f32) = (54.0, 8.0);
/// Distance of readings from the lower edge of a picture beside the scale bar, and below it.
const EDGES: (f32, f32) = (14.0, 8.0);
/// Points by which the scale bar may be nearer to readings than to the edge of a picture.
const CLOSE: f32 = 12.0;
/// Distance between the scene and the item below it.
const GAP: f32 = 6.0;

/// Lengths from the lower edge of a picture upwards, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Room {
    /// Size of the letters of readings.
    pub size: f32,
    /// Width of the readings, at most.
    pub width: f32,
    /// Lower edge of the readings.
    pub edge: f32,
    /// Upper edge of the readings; 0 without any.
    pub readings: f32,
    /// Upper edge of the microscope's bars.
    pub bars: f32,
    /// Height to which the scale bar rises so that it covers nothing.
    pub lift: f32,
    /// Lower edge of notes, which cover neither readings nor clocks.
    pub notes: f32,
    /// Clocks have a face beside the readings. Otherwise their time is the last line of them.
    pub has_face: bool,
}

impl Room {
    /// The room in pictures of a width. All of them have the same, so that they can be compared.
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
            .filter_map(|cell| Some(letters(annotations, &lanes.get(*cell.first()?)?.name)))
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
        let needs = |size: f32| longest as f32 * letter(size);
        let size = SIZES.into_iter().find(|size| needs(*size) <= free).unwrap_or(SIZES[2]);
        let beside = 0.5 * (width - needs(size).min(free));
        let has_face = longest == 0 || beside >= FACE;
        let is_beside = beside >= BESIDE;
        let a_line = (free / letter(size)).max(1.0) as usize;
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

    /// Room that the scene leaves free.
    pub fn height(&self) -> f32 {
        let top = self.readings.max(self.bars);
        if top > 0.0 { top + GAP } else { 0.0 }
    }
}

/// Letters of each line of the readings of a lane.
fn letters(wanted: &Annotations, lane: &str) -> Vec<usize> {
    let period = |(index, (_, name)): (usize, &(u32, String))| {
        name.chars().count() + PERIOD + if index > 0 { RATIO } else { 0 }
    };
    let mut lines: Vec<usize> = wanted.periods.iter().enumerate().map(period).collect();
    let phases = wanted.phases.iter().flat_map(|phases| &phases.words);
    lines.extend(phases.map(|words| words.chars().count() + PERIOD));
    let readings = wanted.readings.iter().filter(|reading| reading.is_of(lane));
    lines.extend(readings.flat_map(lines_of));
    lines
}

fn lines_of(reading: &Reading) -> impl Iterator<Item = usize> {
    let count = |text: &str| text.chars().count();
    let value = DIGITS + 1 + count(&reading.unit);
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
