//! Dials of the scene: gravity, wind, friction and materials, which all lanes share.

use super::dial_help::help_of;
use super::fields::{
    Entry, FieldHelp, LABEL_WIDTH, NUMBER_WIDTH, choice_ui, count_ui, list_ui, row_ui, scaled_ui,
};
use super::link_parameters::engines::{engines_ui, solver_steps_of};
use crate::app::input::actions::{Action, RequestActions};
use crate::app::laboratory::Laboratory;
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::pressed;
use crate::quantity::magnitude::rounded;
use crate::scene::Scene;
use crate::scene::dials::{Dial, DialBody, DialGroup, DialKind, dials_of, with_bodies_of};
use crate::scene::typed::made_bodies::BodyPlace;
use crate::scene::typed::reading::Validity;
use crate::scene::vary::VariableScene;
use crate::simulation::scene_edit::SceneEdit;
use crate::simulation::settings::SceneNumber;
use crate::stiffness::{SoftLink, typical_link};
use egui_macroquad::egui::{self, PointerButton, Response, RichText, Slider, Stroke, Ui};
use std::sync::Arc;

/// Distance within which a dragged handle snaps to the mark of the scene's own value, as a fraction
/// of the slider's length.
const SNAP: f64 = 0.015;
/// Fraction of a logarithmic slider at its left end that stands for 0, if 0 is permitted.
const ZERO_RANGE: f64 = 0.06;

const GRAVITIES: [(f64, &str); 4] =
    [(0.0, "none"), (1.62, "Moon"), (9.81, "Earth"), (24.79, "Jupiter")];

/// Dials of the scene (values with a slider), and their current values.
#[derive(Debug, Default)]
pub struct SceneDials {
    origin: Option<Arc<Scene>>,
    /// Scene whose values are marked on the sliders: the opened scene, or a later version that has
    /// the current bodies.
    base: Option<Arc<Scene>>,
    /// True if the scene still has its original bodies.
    has_own_bodies: bool,
    groups: Vec<DialGroup>,
    scene: Option<Arc<Scene>>,
    /// Current values of the dials, in the order of `groups`.
    values: Vec<Vec<f64>>,
    /// For each dial that sets the stiffness of links, a representative link of the material;
    /// `None` for other dials.
    links: Vec<Vec<Option<SoftLink>>>,
}

impl SceneDials {
    /// Reads the dials again if the scene has changed.
    pub fn follow(&mut self, laboratory: &Laboratory) {
        let is = |known: &Option<Arc<Scene>>, scene: &Arc<Scene>| {
            known.as_ref().is_some_and(|known| Arc::ptr_eq(known, scene))
        };
        let (origin, scene) = (laboratory.origin(), laboratory.session().scene());
        if is(&self.scene, scene) {
            return;
        }
        if !is(&self.origin, origin) {
            (self.origin, self.base) = (Some(origin.clone()), None);
        }
        let bases = [self.base.as_ref(), Some(origin), Some(scene)];
        let base = bases.into_iter().flatten().find_map(|base| with_bodies_of(base, scene));
        let base = base.unwrap_or_else(|| scene.clone());
        if !is(&self.base, &base) {
            self.has_own_bodies = with_bodies_of(origin, scene).is_some();
            self.groups = dials_of(&base);
            self.base = Some(base);
            self.scene = None;
        }
        if !is(&self.scene, scene) {
            self.scene = Some(scene.clone());
            let now = VariableScene::spelled_out(scene);
            for dial in self.groups.iter_mut().flat_map(|group| &mut group.dials) {
                dial.range[0] = dial.least_valid_value(&now);
            }
            let values = |group: &DialGroup| group.dials.iter().map(|it| it.value(&now)).collect();
            self.values = self.groups.iter().map(values).collect();
            let link = |(dial, value): (&Dial, &f64)| typical_link(&scene.parts, dial.kind, *value);
            let rows = self.groups.iter().zip(&self.values);
            self.links = rows
                .map(|(group, values)| group.dials.iter().zip(values).map(link).collect())
                .collect();
        }
    }

    /// Describes the scene's own values if the user has replaced some of them. The caption and
    /// closed forms are valid only for the scene's own values.
    pub fn replaced(&self) -> Option<String> {
        let dials = self.groups.iter().zip(&self.values);
        let dials = dials.flat_map(|(group, values)| group.dials.iter().zip(values));
        let mut changed = dials.filter(|(dial, value)| **value != dial.own).map(|(dial, _)| dial);
        match (changed.next(), changed.next()) {
            (None, _) if self.has_own_bodies || self.scene.is_none() => None,
            (Some(dial), None) if self.has_own_bodies => Some(own_text(dial)),
            _ => Some("the scene as it was opened".to_owned()),
        }
    }

    /// Returns whether the scene's closed forms are valid for the current values.
    pub fn validity(&self) -> Validity {
        let dials = self.groups.iter().zip(&self.values);
        let mut dials = dials.flat_map(|(group, values)| group.dials.iter().zip(values));
        let counts = dials.any(|(dial, value)| dial.kind.is_whole() && *value != dial.own);
        match self.replaced() {
            None => Validity::Full,
            Some(_) if counts => Validity::OtherParticles,
            Some(_) => Validity::OtherNumbers,
        }
    }

    /// Draws the sliders. A slider changes all lanes at once.
    pub fn scene_ui(&mut self, ui: &mut Ui, laboratory: &Laboratory) {
        self.follow(laboratory);
        let mut is_other = false;
        let solver_steps = solver_steps_of(laboratory.selected().simulation.settings());
        for (number, (group, values)) in self.groups.iter().zip(&self.values).enumerate() {
            if let Some(material) = &group.material {
                ui.add_space(2.0);
                let name =
                    egui::Label::new(RichText::new(material).color(theme::text())).truncate();
                ui.add(name).on_hover_text("A material. Its sliders change every body made of it.");
                if let Some(at) = own_material_ui(ui, group) {
                    let particle = laboratory.session().scene().own_particle(at);
                    let edit = particle.map(SceneEdit::OwnMaterial);
                    ui.request_all(edit.map(Action::EditScene));
                }
            }
            for ((dial, value), link) in group.dials.iter().zip(values).zip(&self.links[number]) {
                is_other |= *value != dial.own;
                let new = ui
                    .push_id((number, dial.kind as u8), |ui| dial_ui(ui, group, dial, *value))
                    .inner;
                if let Some(new) = new.filter(|new| new != value) {
                    ui.request(Action::ChangeScene(dial.turned_to(new)));
                }
                let material = group.material.as_deref().unwrap_or_default();
                let typed_link =
                    link.and_then(|link| engines_ui(ui, material, &link, &solver_steps));
                if let (Some(link), Some(typed_link)) = (link, typed_link) {
                    let mut numbers =
                        dial.turned_to(value * (typed_link.stiffness / link.stiffness));
                    if typed_link.damping != link.damping {
                        numbers.extend(numbers_of_damping(group, &typed_link));
                    }
                    ui.request(Action::ChangeScene(numbers));
                }
            }
        }
        ui.add_space(2.0);
        let button = egui::Button::new("Restore scene values");
        let button = ui.add_enabled(is_other, button);
        let all = || self.groups.iter().flat_map(|group| &group.dials);
        let tip = "Restores all values of this section from the scene file";
        if pressed(button, "scene's own numbers", tip) {
            let numbers = all().flat_map(|dial| dial.turned_to(dial.own)).collect();
            ui.request(Action::ChangeScene(numbers));
        }
    }
}

/// Returns the scene's own value of a dial as text, e.g. `20 segments` or `gravity 9.81 m/s²`.
fn own_text(dial: &Dial) -> String {
    let FieldHelp { label, unit, .. } = help_of(dial.kind);
    if dial.kind.is_whole() {
        return format!("{} {label}", dial.own);
    }
    let scale = if unit.starts_with('g') { 1e3 } else { 1.0 };
    format!("{label} {} {unit}", rounded(dial.own * scale, 3)).trim_end().to_owned()
}

/// Draws a list of the bodies that share a material. Returns the index of a clicked body, which is
/// to get its own copy of the material.
fn own_material_ui(ui: &mut Ui, group: &DialGroup) -> Option<BodyPlace> {
    let material = group.material.as_ref().filter(|_| group.bodies.len() > 1)?;
    let entry = |DialBody { at, label, .. }: &DialBody| {
        let text = format!(
            "Gives \"{label}\" a copy of the material \"{material}\", and its own sliders."
        );
        Entry::listed(Some(*at), label, label, &text, "")
    };
    let id = format!("{material}: own sliders");
    let entries = || group.bodies.iter().map(entry).collect();
    let shown = format!("Own sliders for one of {}", group.bodies.len());
    let mut chosen = None;
    list_ui(ui, &id, "", &shown, &mut chosen, entries).marked(&id);
    chosen
}

/// Returns the scene values that give a material's links the damping of this link.
fn numbers_of_damping(group: &DialGroup, link: &SoftLink) -> Vec<SceneNumber> {
    let numbers = |dial: &Dial| match dial.kind {
        DialKind::AxialDamping => Some(dial.turned_to(link.damping * link.length)),
        DialKind::LinkDamping => Some(dial.turned_to(link.damping)),
        _ => None,
    };
    group.dials.iter().find_map(numbers).unwrap_or_default()
}

/// Draws the rows of a dial. Returns the new value if the user has changed it.
fn dial_ui(ui: &mut Ui, group: &DialGroup, dial: &Dial, value: f64) -> Option<f64> {
    let mut new = None;
    let help = help_of(dial.kind);
    let row = row_ui(ui, &help, |ui| {
        let of = group.material.as_ref().map_or(String::new(), |material| format!("{material}: "));
        let slider = slider_ui(ui, dial, value, &mut new);
        let slider = slider.marked(format_args!("{of}{} slider", help.label));
        let number = number_ui(ui, dial, value, help.unit, &mut new);
        let number = number.marked(format_args!("{of}{} number", help.label));
        slider.union(number)
    });
    let row = match dial.range[0] {
        least if dial.kind.is_whole() && least > 1.0 => row.on_hover_text(format!(
            "At least {least}: pins, weights, labels or ties of the scene are attached to \
            particles that a coarser body would not have."
        )),
        _ => row,
    };
    let twice = ui.input(|input| input.pointer.button_double_clicked(PointerButton::Primary));
    if row.contains_pointer() && twice {
        new = Some(dial.own);
    }
    if dial.kind == DialKind::Gravity {
        let mut chosen = value;
        let choice = ui.horizontal(|ui| {
            ui.add_space(LABEL_WIDTH + ui.spacing().item_spacing.x);
            ui.spacing_mut().button_padding.x = 4.0;
            choice_ui(ui, &mut chosen, &GRAVITIES)
        });
        if choice.inner.changed() {
            new = Some(chosen);
        }
    }
    new
}

fn slider_ui(ui: &mut Ui, dial: &Dial, value: f64, new: &mut Option<f64>) -> Response {
    let room = ui.available_width() - NUMBER_WIDTH - ui.spacing().item_spacing.x;
    ui.spacing_mut().slider_width = room.max(40.0);
    let mut at = position_on_slider(dial, value);
    let slider = ui.add(Slider::new(&mut at, 0.0..=1.0).show_value(false));
    let own = position_on_slider(dial, dial.own);
    let rect = slider.rect;
    // egui computes the position of the handle in the same way.
    let handle = rect.height() / 2.5;
    let x = egui::lerp(rect.left() + handle..=rect.right() - handle, own as f32);
    let stroke = Stroke::new(2.0, theme::accent());
    for side in [rect.top()..=rect.top() + 4.0, rect.bottom() - 4.0..=rect.bottom()] {
        ui.painter().vline(x, egui::Rangef::new(*side.start(), *side.end()), stroke);
    }
    if slider.changed() {
        let snaps = slider.dragged() && (at - own).abs() < SNAP;
        *new = Some(if snaps { dial.own } else { value_at(dial, at) });
    }
    slider
}

fn number_ui(
    ui: &mut Ui,
    dial: &Dial,
    value: f64,
    unit: &'static str,
    new: &mut Option<f64>,
) -> Response {
    let [least, most] = dial.range;
    let least = if dial.kind.may_be_zero() { 0.0 } else { least };
    if dial.kind.is_whole() {
        let mut count = value.round() as u32;
        let number = count_ui(ui, &mut count, least as u32..=most as u32);
        if number.changed() {
            *new = Some(f64::from(count));
        }
        return number;
    }
    // Masses are edited in grams, because "kg" already has an SI prefix.
    let scale = if unit.starts_with('g') { 1e3 } else { 1.0 };
    let mut shown = value;
    let number = scaled_ui(ui, &mut shown, least..=most, scale, unit);
    if number.changed() {
        *new = Some(shown);
    }
    number
}

/// Returns the position of a value on its slider, from 0 to 1.
fn position_on_slider(dial: &Dial, value: f64) -> f64 {
    let [least, most] = dial.range;
    if !dial.kind.is_logarithmic() {
        return ((value - least) / (most - least)).clamp(0.0, 1.0);
    }
    let begin = if dial.kind.may_be_zero() { ZERO_RANGE } else { 0.0 };
    if value <= 0.0 {
        return 0.0;
    }
    let part = (value / least).ln() / (most / least).ln();
    begin + (1.0 - begin) * part.clamp(0.0, 1.0)
}

/// Returns the rounded value at a position on the slider.
fn value_at(dial: &Dial, at: f64) -> f64 {
    let [least, most] = dial.range;
    let value = if !dial.kind.is_logarithmic() {
        least + (most - least) * at
    } else {
        let begin = if dial.kind.may_be_zero() { ZERO_RANGE } else { 0.0 };
        if at < begin * 0.5 {
            return 0.0;
        }
        least * (most / least).powf(((at - begin) / (1.0 - begin)).max(0.0))
    };
    if dial.kind.is_whole() { value.round() } else { rounded(value, 3) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::disk::scene_source::{entries, index_of};

    /// Opens a scene of the library and reads its dials.
    fn opened(name: &str) -> (Laboratory, SceneDials) {
        let laboratory = Laboratory::listed(index_of(name));
        let mut dials = SceneDials::default();
        dials.follow(&laboratory);
        (laboratory, dials)
    }

    #[test]
    fn the_caption_is_about_the_numbers_that_the_scene_had() {
        let (mut laboratory, mut dials) = opened("hanging-rope");
        let dial = |dials: &SceneDials, kind| {
            let mut all = dials.groups.iter().flat_map(|group| &group.dials);
            all.find(|dial| dial.kind == kind).cloned().expect("a dial")
        };
        assert_eq!(dials.replaced(), None);
        for (kind, value, expected) in [
            (DialKind::Segments, 40.0, Some("20 segments")),
            (DialKind::Segments, 20.0, None),
            (DialKind::Gravity, 1.62, Some("gravity 9.81 m/s²")),
            (DialKind::MassPerMetre, 0.1, Some("the scene as it was opened")),
        ] {
            laboratory.change_scene(dial(&dials, kind).turned_to(value)).expect("a scene");
            dials.follow(&laboratory);
            assert_eq!(dials.replaced().as_deref(), expected, "{kind:?} at {value}");
            let valid = match (expected, kind) {
                (None, _) => Validity::Full,
                (Some(_), DialKind::Segments) => Validity::OtherParticles,
                (Some(_), _) => Validity::OtherNumbers,
            };
            assert_eq!(dials.validity(), valid, "{kind:?} at {value}");
        }
    }

    #[test]
    fn every_scene_can_have_the_ends_of_the_sliders_of_counts() {
        let mut limited = 0;
        for entry in entries() {
            let (laboratory, dials) = opened(entry.name);
            let scene = VariableScene::spelled_out(laboratory.session().scene());
            let dials = dials.groups.iter().flat_map(|group| &group.dials);
            for dial in dials.filter(|dial| dial.kind.is_whole()) {
                limited += usize::from(dial.range[0] > 1.0);
                for end in dial.range {
                    let changed = scene.changed(&dial.turned_to(end));
                    assert!(changed.is_ok(), "{} at {end}: {:?}", entry.name, changed.err());
                }
            }
        }
        assert!(limited > 5, "{limited} sliders begin above 1");
    }

    #[test]
    fn a_slider_leads_to_every_value_and_back() {
        let text =
            "(version: 1, name: \"x\", ropes: [(name: \"r\", from: (0, 0, 0), to: (1, 0, 0))])";
        let scene = Scene::parse(text, "scene").expect("a scene");
        for dial in dials_of(&scene).iter().flat_map(|group| &group.dials) {
            let [least, most] = dial.range;
            assert!((least..=most).contains(&dial.own) || dial.own == 0.0, "{dial:?}");
            assert_eq!(value_at(dial, 1.0), rounded(most, 3), "{dial:?}");
            if dial.kind.may_be_zero() {
                assert_eq!(value_at(dial, 0.0), 0.0, "{dial:?}");
            }
            for at in [0.1, 0.3, 0.5, 0.9] {
                let value = value_at(dial, at);
                let back = position_on_slider(dial, value);
                // On the slider, whole numbers have gaps between them, so only the value must be
                // restored.
                let is_found = (back - at).abs() < 0.005
                    || dial.kind.is_whole() && value_at(dial, back) == value;
                assert!(is_found, "{dial:?} at {at}: {value}");
            }
        }
    }
}
