//! Layout of the lanes in the window: a grid of viewports, or one viewport for all lanes.

use super::room::{Arrangement, Room, RoomLimits};
use crate::app::laboratory::Laboratory;
use crate::app::view::{Fit, Viewport};
use egui_macroquad::egui;
use macroquad::math::{Rect, Vec2};

/// Width of a viewport in points below which the values in a lane's chip move to a second line.
pub const NARROW: f32 = 540.0;
/// Number of lanes in a viewport above which their chips become single lines with only name and
/// verdict.
pub const MOST_CHIPS: usize = 3;

const GAP: f32 = 1.0;

#[derive(Clone, Debug)]
pub struct ViewCell {
    /// Rectangle in points.
    pub rect: egui::Rect,
    /// The same rectangle in pixels.
    pub viewport: Viewport,
    /// Indices of the lanes in the session.
    pub lanes: Vec<usize>,
    pub colors: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct Stage {
    pub cells: Vec<ViewCell>,
    /// Rectangles of the grid that contain no lane, in points.
    pub empty: Vec<egui::Rect>,
    /// Room for readings and microscope at the lower edge of every viewport.
    pub room: Room,
}

/// Height of a viewport in points below which a chip is a single line with only name and verdict.
pub const LOW_VIEWPORT: f32 = 170.0;
const LOW_CHIP: f32 = 32.0;
/// Largest fraction of a low viewport that the readings at its lower edge may cover.
const MOST_COVERED_BY_READINGS_IN_LOW: f32 = 0.45;
/// Height in points of the first chip, and of each further line of chips.
const FIRST_CHIP: f32 = 40.0;
const CHIP_LINE: f32 = 24.0;
/// Height in points of the upper edge of the scale bar's text if a viewport has no readings.
const SCALE_BAR: f32 = 44.0;
/// Largest fraction of a viewport that is reserved for chips. Further chips overlap the scene
/// instead of making it smaller.
const MOST_COVERED_BY_CHIPS: f32 = 0.4;
/// Largest fraction of a viewport that the readings at its lower edge may cover.
const MOST_COVERED_BY_READINGS: f32 = 0.3;
/// Largest fraction of a viewport that chips and the microscope's bars may cover together.
const MOST_COVERED_BY_CHIPS_AND_BARS: f32 = 0.75;
/// Width of a viewport in points below which a lane's chips and readings are cut off or wrapped.
const LEAST_WIDTH: f32 = 220.0;
/// Relative reduction of a grid's score for each rectangle without a lane.
const EMPTY_PENALTY: f64 = 0.06;

impl Stage {
    /// Arranges the shown lanes in the rectangle `rect`, which is in points. A point has `scale`
    /// pixels.
    pub fn arrange(
        rect: egui::Rect,
        scale: f32,
        laboratory: &Laboratory,
        wanted: Arrangement,
    ) -> Self {
        let lanes = laboratory.session().lanes().iter().enumerate();
        let shown: Vec<(usize, usize)> = lanes
            .filter(|(_, lane)| laboratory.shows(lane.color))
            .map(|(index, lane)| (index, lane.color))
            .collect();
        let groups: Vec<Vec<(usize, usize)>> = if wanted.overlay {
            vec![shown]
        } else {
            shown.into_iter().map(|lane| vec![lane]).collect()
        };
        let lanes = groups.iter().map(|group| group.iter().map(|(lane, _)| *lane).collect());
        let lanes: Vec<Vec<usize>> = lanes.collect();
        let in_a_cell = groups.first().map_or(0, Vec::len);
        let room = |cell: egui::Rect| {
            let chips = height_of_chips(cell, in_a_cell);
            let limits = RoomLimits {
                width: cell.width(),
                readings: most_covered_by_readings(cell) * cell.height(),
                bars: MOST_COVERED_BY_CHIPS_AND_BARS * cell.height() - chips,
            };
            Room::new(laboratory, lanes.iter().map(|it| &it[..]), limits, wanted)
        };
        let picture = laboratory.session().scene().camera.aspect();
        let (columns, rows) = best_grid(groups.len(), |columns, rows| {
            let cell = grid_rect(rect, 0, columns, 0, rows);
            let fit = fit(cell, in_a_cell, room(cell));
            f64::from(cell.height() * legibility(cell.width())) / fit.scale(picture)
        });
        let cell = |(k, group): (usize, Vec<(usize, usize)>)| {
            let rect = grid_rect(rect, k % columns, columns, k / columns, rows);
            let pixels = Rect::new(rect.min.x, rect.min.y, rect.width(), rect.height());
            let pixels =
                Rect::new(pixels.x * scale, pixels.y * scale, pixels.w * scale, pixels.h * scale);
            let (lanes, colors) = group.into_iter().unzip();
            ViewCell { rect, viewport: Viewport::new(pixels, scale), lanes, colors }
        };
        let shown = groups.len();
        let empty = (shown..columns * rows)
            .map(|k| grid_rect(rect, k % columns, columns, k / columns, rows));
        let empty = if shown == 0 { vec![rect] } else { empty.collect() };
        let cells: Vec<ViewCell> = groups.into_iter().enumerate().map(cell).collect();
        let room = room(cells.first().map_or(egui::Rect::ZERO, |cell| cell.rect));
        Self { cells, empty, room }
    }

    /// Returns the part of a viewport between the chips at the top and the readings at the bottom.
    pub fn fit(&self) -> Fit {
        let of = |cell: &ViewCell| fit(cell.rect, cell.lanes.len(), self.room);
        self.cells.first().map_or_else(Fit::default, of)
    }

    /// True if the scale bar fits between the chips and the readings, or beside the readings.
    pub fn has_room_for_scale_bar(&self) -> bool {
        let fits = |cell: &ViewCell| {
            // The buttons about an explosion are below the chip of a single lane.
            let buttons = if cell.lanes.len() == 1 { CHIP_LINE } else { 0.0 };
            let chips = height_of_chips(cell.rect, cell.lanes.len()) + buttons;
            chips + self.room.lift + SCALE_BAR <= cell.rect.height()
        };
        self.cells.first().is_some_and(fits)
    }

    pub fn cell_at(&self, pixel: Vec2) -> Option<usize> {
        self.cells.iter().position(|cell| cell.viewport.contains(pixel))
    }

    /// Returns the viewport of the lane with this colour number; `None` if the lane is not shown.
    pub fn cell_of(&self, color: usize) -> Option<&ViewCell> {
        self.cells.iter().find(|cell| cell.colors.contains(&color))
    }
}

/// Returns the part of a viewport that the readings and the chips of `lanes` lanes leave free.
fn fit(rect: egui::Rect, lanes: usize, room: Room) -> Fit {
    let covered = (height_of_chips(rect, lanes) / rect.height()).min(MOST_COVERED_BY_CHIPS);
    let below = (room.height() / rect.height()).min(most_covered_by_readings(rect));
    let aspect = f64::from(rect.width() / rect.height());
    Fit { aspect, covered: covered.into(), below: below.into() }
}

/// Returns the largest fraction of a viewport that the readings at its lower edge may cover.
fn most_covered_by_readings(rect: egui::Rect) -> f32 {
    if rect.height() < LOW_VIEWPORT {
        MOST_COVERED_BY_READINGS_IN_LOW
    } else {
        MOST_COVERED_BY_READINGS
    }
}

fn height_of_chips(rect: egui::Rect, lanes: usize) -> f32 {
    let (first, is_low) =
        if rect.height() < LOW_VIEWPORT { (LOW_CHIP, true) } else { (FIRST_CHIP, false) };
    let is_narrow = rect.width() < NARROW + 20.0;
    let second_line = if is_narrow && !is_low && lanes <= MOST_CHIPS { 1 } else { 0 };
    let lines = lanes * (1 + second_line);
    first + CHIP_LINE * lines.saturating_sub(1) as f32
}

/// Returns a factor for the legibility of texts in a viewport of this width, at most 1.
fn legibility(width: f32) -> f32 {
    (width / LEAST_WIDTH).min(1.0).powi(2)
}

/// Returns the columns and rows for `n` viewports. The grid with the largest `scale` wins, unless
/// another has nearly the same scale and fewer empty rectangles.
fn best_grid(n: usize, scale: impl Fn(usize, usize) -> f64) -> (usize, usize) {
    let n = n.max(1);
    let rows = |columns: usize| n.div_ceil(columns);
    let worth = |columns: usize| {
        let empty = (rows(columns) * columns - n) as f64;
        scale(columns, rows(columns)) * (1.0 - EMPTY_PENALTY * empty)
    };
    let columns = (1..=n).max_by(|a, b| worth(*a).total_cmp(&worth(*b))).unwrap_or(1);
    (columns, rows(columns))
}

fn grid_rect(
    all: egui::Rect,
    column: usize,
    columns: usize,
    row: usize,
    rows: usize,
) -> egui::Rect {
    let (w, h) = (
        (all.width() - GAP * (columns - 1) as f32) / columns as f32,
        (all.height() - GAP * (rows - 1) as f32) / rows as f32,
    );
    let min = all.min + egui::vec2(column as f32 * (w + GAP), row as f32 * (h + GAP));
    egui::Rect::from_min_size(min, egui::vec2(w.max(1.0), h.max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the grid for `n` viewports with the aspect ratio `picture` (width/height) in an area
    /// of this size.
    fn grid_for(n: usize, picture: f64, (width, height): (f32, f32)) -> (usize, usize) {
        let all = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width, height));
        best_grid(n, |columns, rows| {
            let cell = grid_rect(all, 0, columns, 0, rows);
            let fit = fit(cell, 1, Room::default());
            f64::from(cell.height() * legibility(cell.width())) / fit.scale(picture)
        })
    }

    #[test]
    fn a_low_viewport_has_no_scale_bar_under_the_buttons_about_an_explosion() {
        let all = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(328.0, 345.0));
        let wanted = Arrangement { overlay: false, readings: false, microscope: false };
        for (lanes, has_room) in [(1, true), (3, true), (7, false), (8, false)] {
            let lanes: Vec<String> =
                (0..lanes).map(|lane| format!("(name: \"lane {lane}\")")).collect();
            let laboratory = Laboratory::of_text(&format!(
                "(version: 1, name: \"rope\", ropes: [(name: \"rope\", from: (0, 0, 0), \
                 to: (1, 0, 0))], lanes: [{}])",
                lanes.join(", ")
            ));
            let stage = Stage::arrange(all, 1.0, &laboratory, wanted);
            let height = stage.cells[0].rect.height();
            assert_eq!(stage.has_room_for_scale_bar(), has_room, "{lanes:?}: {height} points");
        }
    }

    #[test]
    fn chips_leave_most_of_a_picture_free_with_any_number_of_lanes() {
        for window in [(488.0, 460.0), (648.0, 600.0)] {
            let all = egui::Rect::from_min_size(egui::Pos2::ZERO, window.into());
            for n in 2..=8 {
                for picture in [0.6, 1.0, 2.0, 4.0] {
                    let (columns, rows) = grid_for(n, picture, window);
                    let cell = grid_rect(all, 0, columns, 0, rows);
                    let covered = height_of_chips(cell, 1) / cell.height();
                    assert!(
                        covered <= MOST_COVERED_BY_CHIPS,
                        "{n} lanes in {window:?}: chips cover {covered} of {cell}"
                    );
                }
            }
        }
    }

    #[test]
    fn grids_show_the_scene_as_large_as_they_can() {
        let (small, common) = ((488.0, 460.0), (648.0, 600.0));
        for window in [small, common] {
            assert_eq!(grid_for(0, 1.6, window), (1, 1));
            assert_eq!(grid_for(1, 1.6, window), (1, 1));
            assert_eq!(grid_for(2, 0.6, window), (2, 1), "a rope that hangs, in tall parts");
            assert_eq!(grid_for(2, 2.8, window), (1, 2), "a taut rope, in flat ones");
            assert_eq!(grid_for(4, 1.0, window), (2, 2));
            assert_eq!(grid_for(4, 6.0, window), (1, 4));
        }
        assert_eq!(grid_for(3, 0.6, common), (3, 1), "no part is empty");
        assert_eq!(grid_for(3, 0.6, small), (2, 2), "three columns are too narrow for chips");
        assert_eq!(grid_for(8, 1.0, (1300.0, 800.0)), (4, 2));
    }
}
