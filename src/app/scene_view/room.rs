//! Room for readings and for the microscope at the lower edge of a viewport.
//!
//! The room depends on the scene and the size of the viewport, not on measured values. It is
//! reserved from the first frame, so nothing moves when a value gets more digits.

use crate::app::laboratory::Laboratory;
use crate::scene::typed::annotation::Annotations;
use crate::scene::typed::reading::{Measure, Reading};
use egui_macroquad::egui::{Vec2, vec2};

/// Text between the name of a reading and its value.
pub const MEASURED: &str = ": measured";
/// Text instead of [`MEASURED`] for a value that is measured once per frame.
pub const SAMPLED: &str = ": at frames";
/// Font sizes of readings in points. The largest size at which the lines fit the viewport's width
/// is used.
const SIZES: [f32; 3] = [15.0, 13.0, 11.0];
/// Width and height of a letter divided by the font size, in the font of readings.
const LETTER: (f32, f32) = (0.603, 1.2);
/// Returns the width of a letter in points, rounded by the layout to whole pixels.
fn letter_width(size: f32) -> f32 {
    (size * LETTER.0).round()
}

/// Number of letters of a measured number.
const NUMBER_LETTERS: usize = 7;
/// Number of letters for a period, or for the ratio of a period to the first one.
const PERIOD: usize = NUMBER_LETTERS + 2;
const RATIO: usize = " = 0.000 × the first".len();
/// Smallest width in points on each side of the readings at which the scale bar and a clock face
/// fit beside them.
const ROOM_FOR_SCALE_BAR: f32 = 176.0;
/// Smallest width in points on each side of the readings at which a clock face fits beside them.
const ROOM_FOR_FACE: f32 = 98.0;
/// Distance in points between the clock faces of overlaid lanes.
pub const BETWEEN_FACES: f32 = 110.0;
/// Upper edge of a clock face, in points above the lower edge of the viewport.
pub const FACE_TOP: f32 = 114.0;
/// Height in points of the lower edge of legends and instructions in a viewport without readings,
/// and their distance from the items below them.
const HINTS: (f32, f32) = (54.0, 8.0);
/// Distances in points between the readings and the lower edge of a viewport: with the scale bar
/// beside the readings, and with the scale bar above them.
const EDGES: (f32, f32) = (14.0, 8.0);
/// Height in points by which the scale bar's distance from readings below it is smaller than its
/// distance from the lower edge of a viewport.
const CLOSE: f32 = 12.0;
/// Gap in points between the scene and the item below it, and between readings and the faces of
/// overlaid lanes.
const GAP: f32 = 6.0;

/// Size in points of a bar of the microscope. A full bar stands for one step.
pub const BAR: Vec2 = vec2(180.0, 10.0);
/// Distance in points between the left edge of a viewport and a bar.
pub const BAR_LEFT: f32 = 16.0;
/// Width in points of the unwrapped text beside a bar, and height in points of a line.
pub const BAR_TEXT_WIDTH: f32 = 330.0;
pub const BAR_LINE: f32 = 16.0;
/// Height in points of the text above a bar, and of the gap below the bar.
pub const ABOVE_BAR: f32 = BAR_LINE + 4.0;
pub const BAR_GAP: f32 = 2.0;

/// Largest number of rows into which a line of readings may wrap. A longer line is shortened.
const MOST_ROWS: usize = 2;

/// Amount of text in readings. A small viewport has less text, which leaves more space for the
/// scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadingDetail {
    /// All lines, with predictions.
    #[default]
    Full,
    /// One short line for each reading, without predictions.
    Brief,
    /// Only the first reading, in a short line.
    First,
}

impl ReadingDetail {
    const ALL: [Self; 3] = [Self::Full, Self::Brief, Self::First];

    pub fn is_full(self) -> bool {
        self == Self::Full
    }

    /// Removes the lines that exceed this amount of text.
    pub fn truncate<T>(self, lines: &mut Vec<T>) {
        if self == Self::First {
            lines.truncate(1);
        }
    }
}

/// Heights of the items at the lower edge of a viewport, in points above that edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Room {
    /// Font size of readings in points.
    pub size: f32,
    /// Width of the longest reading in points.
    pub width: f32,
    /// Distance in points by which the readings are moved left of the centre, to make room for
    /// clocks.
    pub shift: f32,
    /// Width in points at which readings wrap to leave clocks uncovered.
    pub most_width: f32,
    /// Height in points of the lower edge of the readings.
    pub edge: f32,
    /// Height in points of the upper edge of the readings; 0 without readings.
    pub readings: f32,
    /// Height in points of the upper edge of the microscope's bars.
    pub bars: f32,
    /// Height in points of the upper edge of the clock faces if several lanes are overlaid;
    /// otherwise 0.
    pub faces: f32,
    /// Distance in points by which the scale bar is moved up to clear readings and bars.
    pub lift: f32,
    /// Height in points of the lower edge of legends and tool instructions, which are above
    /// readings, clocks and bars.
    pub hints: f32,
    /// True if clock faces are beside the readings. Otherwise the last readings show the clocks'
    /// times.
    pub has_face: bool,
    pub detail: ReadingDetail,
    /// Maximum number of rows per reading.
    rows_of_a_line: usize,
}

/// Items that need room in the viewports.
#[derive(Clone, Copy, Debug)]
pub struct Arrangement {
    /// True for all lanes in one viewport.
    pub overlay: bool,
    /// True for readings of the scene.
    pub readings: bool,
    /// True for bars of the microscope.
    pub microscope: bool,
}

/// Limits in points for the items at the lower edge of a viewport.
#[derive(Clone, Copy, Debug)]
pub struct RoomLimits {
    pub width: f32,
    /// Largest height of readings.
    pub readings: f32,
    /// Largest height of the microscope's bars, with the readings below them.
    pub bars: f32,
}

impl Room {
    /// Creates the room for viewports with these limits. It has the most detailed readings that
    /// fit, and bars if they fit. All viewports get the same room, so the lanes can be compared.
    pub fn new<'a>(
        laboratory: &Laboratory,
        cells: impl Iterator<Item = &'a [usize]>,
        limits: RoomLimits,
        wanted: Arrangement,
    ) -> Self {
        let RoomLimits { width, readings, bars } = limits;
        let lanes = laboratory.session().lanes();
        let annotations = &laboratory.session().scene().annotations;
        let mut most = 0;
        let names: Vec<&str> = cells
            .inspect(|cell| most = most.max(cell.len()))
            .filter_map(|cell| Some(&*lanes.get(*cell.first()?)?.first_name))
            .collect();
        let room = |(detail, has_bars): (ReadingDetail, bool)| {
            let lines = names.iter().map(|name| letters_of_lines(annotations, name, detail));
            let lines: Vec<Vec<usize>> = if wanted.readings { lines.collect() } else { Vec::new() };
            let clocks = if annotations.clock && wanted.readings { most } else { 0 };
            let bars = if has_bars { most as f32 * bar_height(width) } else { 0.0 };
            Self { detail, ..Self::of_items(&lines, width, clocks, bars) }
        };
        let fits = |room: &Self| {
            let has_room = room.readings <= readings && room.bars <= bars;
            has_room && room.rows_of_a_line <= MOST_ROWS
        };
        let [with_bars, without_bars] = [wanted.microscope, false]
            .map(|has_bars| ReadingDetail::ALL.map(|detail| (detail, has_bars)));
        let mut smaller = Self::default();
        for choice in with_bars.into_iter().chain(without_bars) {
            smaller = room(choice);
            if fits(&smaller) {
                break;
            }
        }
        smaller
    }

    /// Lays out readings, clocks, and the microscope's bars, which are `bars` points high.
    fn of_items(lines: &[Vec<usize>], width: f32, clocks: usize, bars: f32) -> Self {
        let mut readings = Self::of_readings(lines, width, clocks);
        let has_face = clocks > 0 && readings.has_face;
        let face = if has_face { FACE_TOP } else { 0.0 };
        readings.hints = HINTS.0.max(readings.readings.max(face) + HINTS.1);
        // Several faces cover much of the lower edge, so the scene is drawn above them.
        readings.faces = if clocks > 1 { face } else { 0.0 };
        if bars == 0.0 {
            return readings;
        }
        let bars = readings.readings.max(EDGES.1) + bars;
        Self { bars, lift: bars, hints: readings.hints.max(bars + HINTS.1), ..readings }
    }

    /// Lays out readings, scale bar and `clocks` faces beside each other, or above each other if
    /// the width is too small.
    fn of_readings(lanes: &[Vec<usize>], width: f32, clocks: usize) -> Self {
        let longest = lanes.iter().flatten().max().copied().unwrap_or(0);
        let free = width - 16.0;
        let needs = |size: f32| longest as f32 * letter_width(size);
        let size = SIZES.into_iter().find(|size| needs(*size) <= free).unwrap_or(SIZES[2]);
        let needed = needs(size).min(free);
        let beside = 0.5 * (width - needed);
        let further = clocks.saturating_sub(1) as f32;
        let faces = ROOM_FOR_FACE + BETWEEN_FACES * further + GAP * further.min(1.0);
        // The clock faces of overlaid lanes are beside each other, to the right of the readings.
        // The readings move left if the width suffices.
        let has_room_at_left = clocks > 1 && needed <= free - faces;
        let has_face = longest == 0 && faces <= free || beside >= faces || has_room_at_left;
        let shift = if has_face && clocks > 1 { (faces - beside).max(0.0) } else { 0.0 };
        let most_width = if has_face && clocks > 0 {
            2.0 * (0.5 * width - faces).max(0.5 * needed)
        } else {
            free
        };
        // Without faces, text lines of unknown width show the times of overlaid lanes.
        let is_beside = beside - shift >= ROOM_FOR_SCALE_BAR && (has_face || clocks < 2);
        let a_line = (free / letter_width(size)).max(1.0) as usize;
        let rows_of_a_line = longest.div_ceil(a_line);
        let rows = |lines: &Vec<usize>| lines.iter().map(|n| n.div_ceil(a_line)).sum();
        let rows: usize = lanes.iter().map(rows).max().unwrap_or(0);
        let rows = rows + if has_face { 0 } else { clocks };
        if rows == 0 {
            return Self { has_face, ..Self::default() };
        }
        let edge = if is_beside { EDGES.0 } else { EDGES.1 };
        let readings = edge + rows as f32 * size * LETTER.1 + 2.0;
        let lift = if is_beside { 0.0 } else { readings - CLOSE };
        Self {
            size,
            width: needed,
            shift,
            most_width,
            edge,
            readings,
            lift,
            has_face,
            rows_of_a_line,
            ..Self::default()
        }
    }

    /// Returns the height of the room in points. The scene must stay above it.
    pub fn height(&self) -> f32 {
        let top = self.readings.max(self.bars).max(self.faces);
        if top > 0.0 { top + GAP } else { 0.0 }
    }
}

/// True if the text beside a bar needs two lines in a viewport of this width.
pub fn is_bar_narrow(width: f32) -> bool {
    width < BAR_LEFT + BAR_TEXT_WIDTH
}

/// Returns the height of a bar in points, with its text and the gap to the next bar, in a viewport
/// of this width.
fn bar_height(width: f32) -> f32 {
    let below = if is_bar_narrow(width) { 2.0 * BAR_LINE } else { BAR_LINE };
    ABOVE_BAR + BAR.y + below + 2.0 + BAR_GAP
}

/// Returns the number of letters of each line of a lane's readings.
fn letters_of_lines(wanted: &Annotations, lane: &str, detail: ReadingDetail) -> Vec<usize> {
    let period = |(index, (_, name)): (usize, &(u32, String))| {
        name.chars().count() + PERIOD + if index > 0 && detail.is_full() { RATIO } else { 0 }
    };
    let mut lines: Vec<usize> = wanted.periods.iter().enumerate().map(period).collect();
    let phases = wanted.phases.iter().flat_map(|phases| &phases.words);
    lines.extend(phases.map(|words| words.chars().count() + PERIOD));
    let readings = wanted.readings.iter().filter(|reading| reading.is_shown_in(lane));
    lines.extend(readings.flat_map(|reading| letters_of_reading(reading, detail)));
    detail.truncate(&mut lines);
    lines
}

fn letters_of_reading(reading: &Reading, detail: ReadingDetail) -> impl Iterator<Item = usize> {
    let count = |text: &str| text.chars().count();
    let value = NUMBER_LETTERS + 1 + count(&reading.unit);
    let word = match (&reading.measure, detail.is_full()) {
        (Measure::PeakStretch, _) => SAMPLED,
        (_, true) => MEASURED,
        (_, false) => "",
    };
    let measured = count(&reading.name) + count(word) + 1 + value;
    let formula = count(&reading.formula) + count(" = ") + value;
    let has_formula = reading.value.is_some() && detail.is_full();
    std::iter::once(measured).chain(has_formula.then_some(formula))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::disk::scene_source::index_of;

    #[test]
    fn readings_lie_beside_the_scale_bar_where_there_is_room_and_below_it_elsewhere() {
        let lines = [vec![28, 20]];
        let wide = Room::of_readings(&lines, 900.0, 1);
        assert_eq!((wide.size, wide.edge, wide.lift), (15.0, EDGES.0, 0.0));
        assert!(wide.has_face && wide.readings > 50.0 && wide.readings < 56.0);
        let narrow = Room::of_readings(&lines, 245.0, 1);
        assert_eq!((narrow.size, narrow.edge), (13.0, EDGES.1));
        assert!(!narrow.has_face, "the time is a third line");
        assert!(narrow.lift > 40.0 && narrow.readings > narrow.lift, "{narrow:?}");
        let tiny = Room::of_readings(&lines, 120.0, 0);
        assert!(tiny.readings > EDGES.1 + 4.0 * 11.0, "both lines wrap: {tiny:?}");
        assert_eq!(Room::of_readings(&[], 245.0, 0).height(), 0.0);
    }

    #[test]
    fn readings_of_a_small_picture_are_shorter() {
        let laboratory = Laboratory::listed(index_of("three-projections"));
        let wanted = Arrangement { overlay: false, readings: true, microscope: false };
        let cells = [[0], [1], [2]];
        let room = |width: f32, readings: f32| {
            let limits = RoomLimits { width, readings, bars: 200.0 };
            Room::new(&laboratory, cells.iter().map(|cell| &cell[..]), limits, wanted)
        };
        let (large, narrow, low) = (room(400.0, 150.0), room(107.0, 150.0), room(107.0, 30.0));
        assert_eq!(large.detail, ReadingDetail::Full);
        assert_eq!(narrow.detail, ReadingDetail::Brief);
        assert_eq!(low.detail, ReadingDetail::First);
        assert!(large.height() <= 150.0 && narrow.height() < 60.0, "{large:?} {narrow:?}");
    }

    #[test]
    fn bars_of_the_microscope_are_left_out_of_a_small_picture() {
        let laboratory = Laboratory::listed(index_of("interpolation"));
        let wanted = Arrangement { overlay: false, readings: true, microscope: true };
        let room = |bars: f32| {
            let limits = RoomLimits { width: 240.0, readings: 100.0, bars };
            Room::new(&laboratory, [&[0][..]].into_iter(), limits, wanted)
        };
        assert!((50.0..100.0).contains(&room(100.0).bars));
        assert_eq!((room(40.0).bars, room(40.0).lift), (0.0, 0.0));
    }

    /// For every number of overlaid lanes and every width of viewports, the readings end before the
    /// leftmost face, or there are no faces.
    #[test]
    fn clocks_of_overlaid_lanes_and_the_scale_bar_cover_no_reading() {
        let lines = [vec![22, 20]];
        let mut layouts = [false; 3];
        for clocks in 1..=8 {
            for width in (200..1600).step_by(7).map(|width| width as f32) {
                let room = Room::of_readings(&lines, width, clocks);
                let centre = 0.5 * width - room.shift;
                let (left, right) = (centre - 0.5 * room.width, centre + 0.5 * room.width);
                let faces = ROOM_FOR_FACE + BETWEEN_FACES * (clocks - 1) as f32;
                assert!(left >= 0.0, "{clocks} clocks at {width}: {room:?}");
                assert!(
                    !room.has_face || right <= width - faces + 0.01,
                    "{clocks} at {width}: {room:?}"
                );
                assert!(room.lift > 0.0 || left >= 170.0, "{clocks} at {width}: {room:?}");
                let layout = match (room.has_face, room.shift > 0.0) {
                    (true, false) => 0,
                    (true, true) => 1,
                    (false, _) => 2,
                };
                layouts[layout] = true;
            }
        }
        assert_eq!(layouts, [true; 3], "faces beside, pushed aside, and no faces");
    }
}
