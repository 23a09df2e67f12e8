//! Forces drawn over the scene, in newtons: at contacts, pins and colliders, and the tension of a
//! clicked link.

use super::arrows;
use super::pen::{Pen, fit_reference};
use super::sight::Sight;
use super::stage::ViewCell;
use crate::app::theme;
use crate::app::timing::wall_clock::wall_seconds;
use crate::app::view::Projector;
use crate::measure::Tensions;
use crate::quantity::on_screen::{percent_change, si_tight};
use crate::scene::Scene;
use crate::session::Lane;
use crate::simulation::settings::MOST_LANES;
use egui_macroquad::egui::{self, Color32, Stroke, vec2};
use glam::{DVec3, Vec2};

/// Largest distance in points between a click and the link that it selects.
const REACH: f32 = 8.0;
const NORMAL_LENGTH: f32 = 12.0;
const MOST_CONTACTS: usize = 2000;
const MOST_LABELS: usize = 12;
const LABEL_SPACING: f32 = 46.0;
/// Largest fraction of wall-clock time that the measurement of tensions may take.
const MEASURED_FRACTION: f64 = 0.1;

fn push() -> Color32 {
    theme::either(0xf2a65a, 0xa85400)
}
fn pull() -> Color32 {
    theme::either(0x8ed081, 0x2f7a22)
}

#[derive(Debug)]
pub struct Forces {
    /// Clicked link, with the numbers of particles and links of its scene.
    selected_link: Option<(u32, [usize; 2])>,
    lanes: [LaneForces; MOST_LANES],
    /// Force in newtons that is drawn as an arrow of length
    /// [`LONGEST_ARROW`](super::pen::LONGEST_ARROW).
    reference: f64,
}

#[derive(Debug, Default)]
struct LaneForces {
    tensions: Tensions,
    tensions_of_links: Vec<f64>,
    /// Error of the tensions in newtons: the part of the force required by the motion that the
    /// tensions do not supply, summed over the particles. `None` if the tensions explain the
    /// motion.
    missing: Option<f64>,
    /// Time of the next measurement of tensions in seconds, by [`wall_seconds`].
    due: f64,
}

impl Default for Forces {
    fn default() -> Self {
        Self { selected_link: None, lanes: Default::default(), reference: 1.0 }
    }
}

impl Forces {
    /// Removes all measurements, because the scene was replaced.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Selects the link at a clicked pixel. A click elsewhere clears the selection.
    pub fn select_link(&mut self, cursor: Vec2, sight: &Sight) {
        self.selected_link = sight.stage.cell_at(cursor).and_then(|cell| {
            let cell = &sight.stage.cells[cell];
            let project = sight.camera.projector(&cell.viewport);
            let scale = cell.viewport.scale;
            let found = cell
                .lanes
                .iter()
                .filter_map(|&lane| link_at(cursor, sight, lane, &project, REACH * scale));
            let counts = counts(sight.laboratory.session().scene());
            found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, link)| (link, counts))
        });
    }

    /// Clears the selection if bodies were added or deleted, because the indices of links may then
    /// have changed.
    fn follow(&mut self, scene: &Scene) {
        self.selected_link = self.selected_link.filter(|(_, known)| *known == counts(scene));
    }

    /// Draws the tension of the selected link and, if `all` is true, all forces.
    pub fn draw(&mut self, painter: &egui::Painter, all: bool, sight: &Sight) {
        self.follow(sight.laboratory.session().scene());
        if !all && self.selected_link.is_none() {
            return;
        }
        let lanes = sight.laboratory.session().lanes();
        let mut largest = 0.0_f64;
        for cell in &sight.stage.cells {
            let painter = painter.with_clip_rect(cell.rect);
            for &index in &cell.lanes {
                let Some(lane) = lanes.get(index) else { continue };
                self.measure_lane(lane);
                if all {
                    largest = largest.max(self.draw_lane(&painter, cell, lane, index, sight));
                }
                self.draw_selected_link(&painter, cell, lane, index, sight);
            }
        }
        if all {
            fit_reference(&mut self.reference, largest);
            let text = format!("longest arrow {}", si_tight(self.reference, "N"));
            arrows::draw_key(painter, sight, 0, text, theme::quiet());
        }
    }

    /// Measures the tensions of a lane if the next measurement is due.
    fn measure_lane(&mut self, lane: &Lane) {
        let own = &mut self.lanes[lane.color];
        let began = wall_seconds();
        let links = lane.simulation.model().topology().links().len();
        if began < own.due && own.tensions_of_links.len() == links {
            return;
        }
        own.tensions_of_links.clear();
        own.tensions_of_links.extend(lane.simulation.pulls(&mut own.tensions));
        own.missing = own.tensions.missing_force();
        let now = wall_seconds();
        own.due = now + (now - began) * (1.0 / MEASURED_FRACTION - 1.0);
    }

    /// Draws contacts, and the forces on pins and colliders. Returns the largest force in newtons.
    fn draw_lane(
        &self,
        painter: &egui::Painter,
        cell: &ViewCell,
        lane: &Lane,
        index: usize,
        sight: &Sight,
    ) -> f64 {
        let project = sight.camera.projector(&cell.viewport);
        let simulation = &lane.simulation;
        let pen = Pen { painter, project, reference: self.reference };
        let mut largest = 0.0_f64;
        for touch in simulation.last_contacts().take(MOST_CONTACTS) {
            pen.line(touch.at, touch.normal, NORMAL_LENGTH, theme::quiet());
            pen.arrow(touch.at, touch.force, push());
            largest = largest.max(touch.force.length());
        }
        let positions = sight.pictures.positions(index);
        let model = simulation.model();
        let own = &self.lanes[lane.color];
        let pulls = &own.tensions_of_links;
        let forces = simulation.forces_of_structure(pulls);
        let mut pins: Vec<(f64, DVec3, DVec3)> = model
            .pins()
            .iter()
            .filter_map(|pin| {
                let (at, force) =
                    (positions.get(pin.particle as usize)?, forces.get(pin.particle as usize)?);
                Some((force.length(), *at, *force))
            })
            .collect();
        pins.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut labels: Vec<egui::Pos2> = Vec::new();
        for (newtons, at, force) in pins {
            pen.arrow(at, force, pull());
            largest = largest.max(newtons);
            let Some(place) = pen.project.point(at) else { continue };
            let free = labels.iter().all(|label| label.distance(place) > LABEL_SPACING);
            if free && labels.len() < MOST_LABELS && newtons > 0.0 {
                labels.push(place);
                pen.label(place + vec2(0.0, -14.0), &newtons_in_words(newtons, own), pull());
            }
        }
        for (number, force) in simulation.forces_on_colliders().into_iter().enumerate() {
            let at = simulation.collider_place(number, simulation.state().t);
            if let Some(place) = pen.project.point(at).filter(|_| force != DVec3::ZERO) {
                pen.label(place, &si_tight(force.length(), "N"), push());
            }
        }
        largest
    }

    fn draw_selected_link(
        &self,
        painter: &egui::Painter,
        cell: &ViewCell,
        lane: &Lane,
        index: usize,
        sight: &Sight,
    ) {
        let Some((number, _)) = self.selected_link else { return };
        let Some(link) = lane.simulation.model().topology().links().get(number as usize) else {
            return;
        };
        let positions = sight.pictures.positions(index);
        let ends = [link.a, link.b].map(|end| positions.get(end as usize).copied());
        let [Some(a), Some(b)] = ends else { return };
        let project = sight.camera.projector(&cell.viewport);
        let pen = Pen { painter, project, reference: self.reference };
        let (Some(from), Some(to)) = (pen.project.point(a), pen.project.point(b)) else { return };
        let text = if link.is_cut() {
            format!("link {}–{}: cut", link.a, link.b)
        } else {
            let own = &self.lanes[lane.color];
            let pull = own.tensions_of_links.get(number as usize).copied().unwrap_or(0.0);
            let strain = 100.0 * (a.distance(b) / link.rest - 1.0);
            let pull = newtons_in_words(pull, own);
            format!("link {}–{}: {pull}, {}", link.a, link.b, percent_change(strain))
        };
        let color = theme::lane_color(lane.color);
        painter.line_segment([from, to], Stroke::new(4.0, theme::warning()));
        // Labels of lanes in the same viewport are drawn below each other.
        let row = cell.lanes.iter().position(|other| *other == index).unwrap_or(0) as f32;
        let place = from.lerp(to, 0.5) + vec2(0.0, -18.0 - 18.0 * row);
        pen.label(place, &text, color);
    }
}

/// Returns the numbers of particles and links of a scene.
fn counts(scene: &Scene) -> [usize; 2] {
    let mesh = &scene.parts.mesh;
    [mesh.positions.len(), mesh.links.len()]
}

/// Returns a tension or a pin's force as text, with its error if the sweeps have not converged.
fn newtons_in_words(newtons: f64, own: &LaneForces) -> String {
    let text = si_tight(newtons, "N");
    match own.missing {
        Some(missing) => format!("{text} ± {} (not converged)", si_tight(missing, "N")),
        None => text,
    }
}

/// Returns the link of a lane that is nearest to a pixel, at most `reach` pixels away, as its
/// distance in pixels and its index. Among links at nearly the same distance, the shortest is
/// returned.
fn link_at(
    cursor: Vec2,
    sight: &Sight,
    lane: usize,
    project: &Projector,
    reach: f32,
) -> Option<(f32, u32)> {
    let positions = sight.pictures.positions(lane);
    let lane = sight.laboratory.session().lanes().get(lane)?;
    let links = lane.simulation.model().topology().links();
    let mut best: Option<(f32, f64, u32)> = None;
    for (number, link) in (0..).zip(links.iter()).filter(|(_, link)| !link.is_cut()) {
        let pixel = |end: u32| project.pixel(*positions.get(end as usize)?);
        let (Some(a), Some(b)) = (pixel(link.a), pixel(link.b)) else { continue };
        let along = (b - a).length_squared();
        let part = if along > 0.0 { (cursor - a).dot(b - a) / along } else { 0.0 };
        let distance = cursor.distance(a.lerp(b, part.clamp(0.0, 1.0)));
        let nearer = |(least, rest, _): (f32, f64, u32)| {
            distance < least - 1.0 || (distance < least + 1.0 && link.rest < rest)
        };
        if distance < reach && best.is_none_or(nearer) {
            best = Some((distance, link.rest, number));
        }
    }
    best.map(|(distance, _, number)| (distance, number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::laboratory::Laboratory;
    use crate::simulation::scene_edit::SceneEdit;

    #[test]
    fn a_force_that_sweeps_leave_unexplained_is_marked() {
        let own = |missing| LaneForces { missing, ..LaneForces::default() };
        assert_eq!(newtons_in_words(28.9, &own(None)), "28.9 N");
        let text = newtons_in_words(16.5, &own(Some(12.4)));
        assert_eq!(text, "16.5 N ± 12.4 N (not converged)");
    }

    #[test]
    fn a_clicked_link_is_deselected_when_bodies_change() {
        let rope = "(version: 1, name: \"rope\", ropes: [(name: \"rope\", from: (0, 0, 0), \
                    to: (1, 0, 0))], pins: [(of: Start(\"rope\"))])";
        let mut laboratory = Laboratory::of_text(rope);
        let selected = Some((4, counts(laboratory.session().scene())));
        let mut forces = Forces { selected_link: selected, ..Forces::default() };
        forces.follow(laboratory.session().scene());
        assert_eq!(forces.selected_link, selected);
        let ball = SceneEdit::AddBall { at: DVec3::Y, radius: 0.1, mass: 1.0 };
        laboratory.edit_scene(ball).expect("a ball");
        forces.follow(laboratory.session().scene());
        assert_eq!(forces.selected_link, None);
    }
}
