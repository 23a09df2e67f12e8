//! Groups of the panel that can be folded. A group stays as the user left it, open or folded. It
//! also opens in a scene whose lanes differ in settings of the group.

use crate::app::preferences::{PanelGroup, Preferences};
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::scene::{LaneSetup, Scene};
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::Guards;
use egui_macroquad::egui::{CollapsingHeader, RichText, Ui};
use std::mem::discriminant;
use std::sync::Arc;

impl PanelGroup {
    pub const ALL: [Self; 7] = [
        Self::Scene,
        Self::Lanes,
        Self::Integrator,
        Self::Links,
        Self::Contact,
        Self::Time,
        Self::View,
    ];

    fn title(self) -> &'static str {
        match self {
            Self::Scene => "Scene",
            Self::Lanes => "Lanes",
            Self::Integrator => "Integrator",
            Self::Links => "Links and constraints",
            Self::Contact => "Contact",
            Self::Time => "Time and frames",
            Self::View => "View",
        }
    }

    /// True if the lanes of a scene differ in settings of this group. Settings that are among the
    /// panel's basics do not count.
    fn has_differences(self, scene: &Scene) -> bool {
        let Some((first, others)) = scene.lanes.split_first() else { return false };
        others.iter().any(|lane| self.differs(first, lane))
    }

    fn differs(self, a: &LaneSetup, b: &LaneSetup) -> bool {
        let (one, other) = (&a.settings, &b.settings);
        match self {
            Self::Scene | Self::Lanes | Self::View => false,
            Self::Integrator => {
                let is_same_kind = discriminant(&one.integrator) == discriminant(&other.integrator);
                is_same_kind && one.integrator != other.integrator
            }
            Self::Links => link_settings(one) != link_settings(other),
            Self::Contact => one.contact != other.contact,
            Self::Time => a.frames != b.frames || other_guards(one) != other_guards(other),
        }
    }
}

/// Returns the settings of the links except the kind of the solver and its number of sweeps, which
/// are among the panel's basics.
fn link_settings(settings: &Settings) -> impl PartialEq + use<> {
    let Settings { stiffness_damping, tear, longest_link, largest_residual, .. } = *settings;
    (stiffness_damping, tear, settings.limits(), longest_link, largest_residual)
}

/// Returns the guards (limits on the frame time and on the steps per frame). Their frame clamp is
/// set to its default, because it is among the panel's basics.
fn other_guards(settings: &Settings) -> Guards {
    Guards { frame_clamp: Guards::default().frame_clamp, ..settings.guards }
}

/// Groups that are open because the lanes of the scene differ in them. Folding a group removes it.
#[derive(Debug, Default)]
pub struct OpenedGroups {
    scene: Option<Arc<Scene>>,
    groups: Vec<PanelGroup>,
}

impl OpenedGroups {
    /// Opens the groups whose settings differ between the lanes of a newly opened scene.
    pub fn follow(&mut self, scene: &Arc<Scene>) {
        if self.scene.as_ref().is_some_and(|known| Arc::ptr_eq(known, scene)) {
            return;
        }
        self.scene = Some(scene.clone());
        self.groups.clear();
        self.groups
            .extend(PanelGroup::ALL.into_iter().filter(|group| group.has_differences(scene)));
    }

    pub fn shows(&self, group: PanelGroup, preferences: &Preferences) -> bool {
        self.groups.contains(&group) || preferences.open_groups.contains(&group)
    }

    /// Folds or opens a group in all scenes.
    fn toggle(&mut self, group: PanelGroup, preferences: &mut Preferences) {
        let is_open = self.shows(group, preferences);
        self.groups.retain(|other| *other != group);
        preferences.open_groups.retain(|other| *other != group);
        if !is_open {
            preferences.open_groups.push(group);
        }
    }

    /// Draws a group below a thin line. A click on its title opens or folds the group.
    pub fn group_ui(
        &mut self,
        ui: &mut Ui,
        group: PanelGroup,
        preferences: &mut Preferences,
        add: impl FnOnce(&mut Ui, &mut Preferences),
    ) {
        ui.separator();
        let is_open = self.shows(group, preferences);
        let title = RichText::new(group.title()).color(theme::text()).strong();
        let header = CollapsingHeader::new(title)
            .open(Some(is_open))
            .show_unindented(ui, |ui| add(ui, preferences));
        if header.header_response.marked(group.title()).clicked() {
            self.toggle(group, preferences);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(lanes: &str) -> Arc<Scene> {
        let text =
            format!("(version: 1, name: \"x\", particles: [(at: (0, 0, 0))], lanes: [{lanes}])");
        Arc::new(Scene::parse(&text, "scene").unwrap_or_else(|e| panic!("{e}")))
    }

    #[test]
    fn a_scene_opens_the_group_in_which_its_lanes_differ() {
        let guards = "(name: \"a\", settings: (guards: (most_steps: On(3)))), (name: \"b\")";
        let frames = "(name: \"a\", frames: Constant(rate: 30)), (name: \"b\")";
        let integrators = "(name: \"a\", settings: (integrator: Rk4)), (name: \"b\")";
        let cases = [
            (guards, vec![PanelGroup::Time]),
            (frames, vec![PanelGroup::Time]),
            (integrators, Vec::new()),
        ];
        for (lanes, opened) in cases {
            let mut groups = OpenedGroups::default();
            groups.follow(&scene(lanes));
            assert_eq!(groups.groups, opened, "{lanes}");
        }
    }

    #[test]
    fn a_group_stays_as_it_was_left() {
        let (mut groups, mut preferences) = (OpenedGroups::default(), Preferences::default());
        let guards = "(name: \"a\", settings: (guards: (most_steps: On(3)))), (name: \"b\")";
        groups.follow(&scene(guards));
        groups.toggle(PanelGroup::Time, &mut preferences);
        assert!(!groups.shows(PanelGroup::Time, &preferences), "folded by hand");
        groups.toggle(PanelGroup::View, &mut preferences);
        groups.follow(&scene("(name: \"a\")"));
        assert!(groups.shows(PanelGroup::View, &preferences), "open in the next scene, too");
        assert!(!groups.shows(PanelGroup::Time, &preferences));
    }
}
