//! Layout of the lanes in the window: a grid of viewports, or one viewport for all.

use super::room::Room;
use crate::app::laboratory::Laboratory;
use crate::app::view::{Fit, Viewport};
use egui_macroquad::egui;
use macroquad::math::{Rect, Vec2};

/// Width of a viewport in points below which a chip has its numbers in a second line.
pub const NARROW: f32 = 540.0;
/// Number of lanes in a viewport beyond which their chips are the lines of a legend: name and
/// verdict only.
pub const MOST_CHIPS: usize = 3;

/// Points between neighbouring viewports.
const GAP: f32 = 1.0;

/// A viewport and the lanes in it.
#[derive(Clone, Debug)]
pub struct ViewCell {
    /// Rectangle of the viewport, in points.
    pub rect: egui::Rect,
    /// The same rectangle in pixels.
    pub viewport: Viewport,
    /// Places of the lanes in the session.
    pub lanes: Vec<usize>,
    /// Colours of the lanes.
    pub colors: Vec<usize>,
}

/// Sizes of the viewports that decide what they show.
#[derive(Clone, Copy, Debug)]
pub struct Arrangement {
    /// All lanes in one viewport.
    pub overlay: bool,
    /// Readings of the scene.
    pub readings: bool,
    /// Bars of the microscope.
    pub microscope: bool,
}

/// All viewports of a frame.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// The viewports.
    pub cells: Vec<ViewCell>,
    /// Parts of the grid for which there is no lane, in points.
    pub empty: Vec<egui::Rect>,
    /// Room at the lower edge of every viewport.
    pub room: Room,
}

/// Height of a viewport in points below which a chip is one line: name and verdict only.
pub const LOW: f32 = 170.0;
/// Points from the upper edge of a low viewport that a lane chip takes.
const LOW_CHIP: f32 = 32.0;
/// Share of a low viewport for the readings below it.
const MOST_BELOW_LOW: f32 = 0.45;
/// Points from the upper edge of a viewport that lane chips take, and each further line of them.
const CHIP: f32 = 40.0;
const CHIP_LINE: f32 = 24.0;
/// Share of a viewport for labels; above it the scene does not shrink further.
const MOST_COVERED: f32 = 0.4;
/// Share of the viewport for the readings below it.
const MOST_BELOW: f32 = 0.3;
/// Width in points below which chips and readings of a lane are cut or wrapped.
const LEAST_WIDTH: f32 = 220.0;
/// Part of the scale for which an empty part of the grid is avoided.
const WORTH_AN_EMPTY_PART: f64 = 0.06;

impl Stage {
    /// Arranges the lanes that are shown in `rect` (points).
    pub fn arrange(
        (rect, scale): (egui::Rect, f32),
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
        let room =
            |width: f32| Room::new(laboratory, lanes.iter().map(|it| &it[..]), width, wanted);
        let picture = laboratory.session().scene().camera.aspect();
        let in_a_cell = groups.first().map_or(0, Vec::len);
        let (columns, rows) = grid(groups.len(), |columns, rows| {
            let cell = part(rect, 0, columns, 0, rows);
            let fit = fit(cell, in_a_cell, room(cell.width()));
            f64::from(cell.height() * legible(cell.width())) / fit.scale(picture)
        });
        let cell = |(k, group): (usize, Vec<(usize, usize)>)| {
            let rect = part(rect, k % columns, columns, k / columns, rows);
            let pixels = Rect::new(rect.min.x, rect.min.y, rect.width(), rect.height());
            let pixels =
                Rect::new(pixels.x * scale, pixels.y * scale, pixels.w * scale, pixels.h * scale);
            let (lanes, colors) = group.into_iter().unzip();
            ViewCell { rect, viewport: Viewport::new(pixels, scale), lanes, colors }
        };
        let shown = groups.len();
        let empty =
            (shown..columns * rows).map(|k| part(rect, k % columns, columns, k / columns, rows));
        let empty = if shown == 0 { vec![rect] } else { empty.collect() };
        let cells: Vec<ViewCell> = groups.into_iter().enumerate().map(cell).collect();
        let room = room(cells.first().map_or(0.0, |cell| cell.rect.width()));
        Self { cells, empty, room }
    }

    /// The part of a viewport that chips above and readings below leave free.
    pub fn fit(&self) -> Fit {
        let of = |cell: &ViewCell| fit(cell.rect, cell.lanes.len(), self.room);
        self.cells.first().map_or_else(Fit::default, of)
    }

    /// The viewport under a pixel.
    pub fn cell_at(&self, pixel: Vec2) -> Option<usize> {
        self.cells.iter().position(|cell| cell.viewport.contains(pixel))
    }

    /// The viewport of a lane, named by its colour, if it is shown.
    pub fn cell_of(&self, color: usize) -> Option<&ViewCell> {
        self.cells.iter().find(|cell| cell.colors.contains(&color))
    }
}

/// Part of a viewport that the chips of this many lanes and the readings leave free.
fn fit(rect: egui::Rect, lanes: usize, room: Room) -> Fit {
    let most_below = if rect.height() < LOW { MOST_BELOW_LOW } else { MOST_BELOW };
    let covered = (chips(rect, lanes) / rect.height()).min(MOST_COVERED);
    let below = (room.height() / rect.height()).min(most_below);
    let aspect = f64::from(rect.width() / rect.height());
    Fit { aspect, covered: covered.into(), below: below.into() }
}

/// Height in points of the chips of this many lanes, from the upper edge of a viewport.
fn chips(rect: egui::Rect, lanes: usize) -> f32 {
    let (first, is_low) = if rect.height() < LOW { (LOW_CHIP, true) } else { (CHIP, false) };
    let is_narrow = rect.width() < NARROW + 20.0;
    let second_line = if is_narrow && !is_low && lanes <= MOST_CHIPS { 1 } else { 0 };
    let lines = lanes * (1 + second_line);
    first + CHIP_LINE * lines.saturating_sub(1) as f32
}

/// Worth of a viewport of a width for its words, at most 1.
fn legible(width: f32) -> f32 {
    (width / LEAST_WIDTH).min(1.0).powi(2)
}

/// Columns and rows for `n` viewports: the grid in which the scene is largest by `scale`, or one of
/// nearly the same scale with fewer empty parts.
fn grid(n: usize, scale: impl Fn(usize, usize) -> f64) -> (usize, usize) {
    let n = n.max(1);
    let rows = |columns: usize| n.div_ceil(columns);
    let worth = |columns: usize| {
        let empty = (rows(columns) * columns - n) as f64;
        scale(columns, rows(columns)) * (1.0 - WORTH_AN_EMPTY_PART * empty)
    };
    let columns = (1..=n).max_by(|a, b| worth(*a).total_cmp(&worth(*b))).unwrap_or(1);
    (columns, rows(columns))
}

fn part(all: egui::Rect, column: usize, columns: usize, row: usize, rows: usize) -> egui::Rect {
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

    /// The grid for `n` pictures of a width over height in a part of the window of such a size.
    fn grid_for(n: usize, picture: f64, (width, height): (f32, f32)) -> (usize, usize) {
        let all = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width, height));
        grid(n, |columns, rows| {
            let cell = part(all, 0, columns, 0, rows);
            let fit = fit(cell, 1, Room::default());
            f64::from(cell.height() * legible(cell.width())) / fit.scale(picture)
        })
    }

    #[test]
    fn chips_leave_most_of_a_picture_free_with_any_number_of_lanes() {
        for window in [(488.0, 460.0), (648.0, 600.0)] {
            let all = egui::Rect::from_min_size(egui::Pos2::ZERO, window.into());
            for n in 2..=8 {
                for picture in [0.6, 1.0, 2.0, 4.0] {
                    let (columns, rows) = grid_for(n, picture, window);
                    let cell = part(all, 0, columns, 0, rows);
                    let covered = chips(cell, 1) / cell.height();
                    assert!(covered <= MOST_COVERED, "{n} in {window:?}: {covered} of {cell}");
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
