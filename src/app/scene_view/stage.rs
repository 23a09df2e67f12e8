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
    /// Their colours.
    pub colors: Vec<usize>,
}

/// Choices of what the viewports have room for.
#[derive(Clone, Copy, Debug)]
pub struct Arrangement {
    /// All lanes in one viewport.
    pub overlay: bool,
    /// Readings that the scene asks for.
    pub readings: bool,
    /// Bars of the microscope.
    pub microscope: bool,
}

/// All viewports of a frame.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    cells: Vec<ViewCell>,
    /// Parts of the grid for which there is no lane, in points.
    empty: Vec<egui::Rect>,
    room: Room,
}

/// Points from the upper edge of a viewport that lane chips take, and each further line of them.
const CHIP: f32 = 40.0;
const CHIP_LINE: f32 = 24.0;
/// Labels may take so much of a viewport before the scene stops giving way.
const MOST_COVERED: f32 = 0.4;
/// Readings below may take so much of it.
const MOST_BELOW: f32 = 0.3;

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
        let (columns, rows) = grid(groups.len(), rect.width() / rect.height().max(1.0));
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
        let width = cells.first().map_or(0.0, |cell| cell.rect.width());
        let lanes = cells.iter().map(|cell| &cell.lanes[..]);
        let room = Room::new(laboratory, lanes, width, wanted);
        Self { cells, empty, room }
    }

    /// Parts of the grid for which there is no lane, in points.
    pub fn empty(&self) -> &[egui::Rect] {
        &self.empty
    }

    /// Room at the lower edge of every viewport.
    pub fn room(&self) -> Room {
        self.room
    }

    /// The part of a viewport that chips above and readings below leave free.
    pub fn fit(&self) -> Fit {
        self.cells.first().map_or_else(Fit::default, |cell| {
            let legend = cell.lanes.len() > MOST_CHIPS;
            let second_line = if cell.rect.width() < NARROW + 20.0 && !legend { 1 } else { 0 };
            let lines = cell.lanes.len() * (1 + second_line);
            let chips = CHIP + CHIP_LINE * lines.saturating_sub(1) as f32;
            let covered = (chips / cell.rect.height()).min(MOST_COVERED);
            let below = (self.room.height() / cell.rect.height()).min(MOST_BELOW);
            Fit { aspect: cell.viewport.aspect(), covered: covered.into(), below: below.into() }
        })
    }

    /// The viewports.
    pub fn cells(&self) -> &[ViewCell] {
        &self.cells
    }

    /// The viewport under a pixel.
    pub fn cell_at(&self, pixel: Vec2) -> Option<usize> {
        self.cells.iter().position(|cell| cell.viewport.contains(pixel))
    }

    /// The viewport of a lane, named by its colour, if it is shown.
    pub fn viewport_of(&self, color: usize) -> Option<&Viewport> {
        self.cells.iter().find(|cell| cell.colors.contains(&color)).map(|cell| &cell.viewport)
    }
}

/// Columns and rows for `n` viewports: of all grids without an empty row, the one whose
/// viewports come nearest to 4 : 3.
fn grid(n: usize, aspect: f32) -> (usize, usize) {
    let n = n.max(1);
    let distortion = |columns: usize| {
        let rows = n.div_ceil(columns);
        let empty = (rows * columns - n) as f32;
        (aspect * rows as f32 / columns as f32 / (4.0 / 3.0)).ln().abs() + 0.5 * empty
    };
    let columns = (1..=n).min_by(|a, b| distortion(*a).total_cmp(&distortion(*b))).unwrap_or(1);
    (columns, n.div_ceil(columns))
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

    #[test]
    fn grids_fit_the_window() {
        assert_eq!(grid(1, 1.6), (1, 1));
        assert_eq!(grid(2, 1.6), (2, 1));
        assert_eq!(grid(2, 0.6), (1, 2));
        assert_eq!(grid(4, 1.4), (2, 2));
        assert_eq!(grid(8, 1.6), (4, 2));
        assert_eq!(grid(0, 1.0), (1, 1));
    }
}
