//! Menu of settings for a copy of the selected lane that continues from a past moment.

use crate::app::input::actions::{Action, LaneAction, RequestActions};
use crate::app::laboratory::{FAVOURITES, favourite};
use crate::app::theme;
use crate::app::widgets::marks::Marked;
use crate::constraint::{ConstraintSolver, Xpbd};
use crate::quantity::on_screen::si_tight;
use crate::session::Lane;
use crate::simulation::settings::{LinkMode, Settings};
use crate::simulation::timing::stepper::SHORTEST_DT;
use egui_macroquad::egui::{
    self, AboveOrBelow, Button, PopupCloseBehavior, Response, RichText, Ui,
};

const MENU_WIDTH: f32 = 200.0;
/// Number of substeps of the choice "XPBD". Each substep has one sweep.
const XPBD_SUBSTEPS: u32 = 20;

/// Returns the settings to choose from for the copied lane, with their titles.
fn choices(own: &Settings) -> Vec<(String, Settings)> {
    let integrators = (0..FAVOURITES.len()).filter_map(favourite);
    let others = integrators.filter(|it| it.info().name != own.integrator.info().name);
    let mut choices: Vec<_> = others
        .map(|integrator| (integrator.info().title.to_owned(), Settings { integrator, ..*own }))
        .collect();
    if own.stepping.uses_dt() && own.dt >= 2.0 * SHORTEST_DT {
        let dt = own.dt / 2.0;
        choices.push((format!("time step {}", si_tight(dt, "s")), Settings { dt, ..*own }));
    }
    if own.links == LinkMode::Springs {
        let constraints = ConstraintSolver::Xpbd(Xpbd { iterations: 1, ..Xpbd::default() });
        let (links, substeps) = (LinkMode::Constraints, XPBD_SUBSTEPS);
        let held = Settings { links, constraints, substeps, ..*own };
        let solver = constraints.short_name();
        choices.push((format!("{solver}, {XPBD_SUBSTEPS} substeps"), held));
    }
    choices.retain(|(_, settings)| settings.check().is_ok());
    choices
}

/// Draws the menu above its button. The button opens and closes the menu.
pub fn lane_from_here_ui(ui: &Ui, button: &Response, lane: &Lane) {
    let id = ui.id().with("go on from here");
    if button.clicked() {
        ui.memory_mut(|memory| memory.toggle_popup(id));
    }
    let close = PopupCloseBehavior::CloseOnClick;
    egui::popup_above_or_below_widget(ui, id, button, AboveOrBelow::Above, close, |ui| {
        ui.set_min_width(MENU_WIDTH);
        let title = format!("A copy of {} with", lane.name);
        ui.add(egui::Label::new(RichText::new(title).small().color(theme::quiet())).wrap());
        let mut entry_ui = |name: &str, settings: Option<Settings>| {
            let entry =
                ui.add(Button::new(name).frame(false).min_size(egui::vec2(MENU_WIDTH, 0.0)));
            let entry = entry.marked(format_args!("go on: {name}"));
            if entry.clicked() {
                let (color, settings) = (lane.color, settings.map(Box::new));
                ui.request(Action::Lane(LaneAction::BranchOff { color, settings }));
            }
        };
        entry_ui("the same settings", None);
        for (name, settings) in choices(lane.simulation.settings()) {
            entry_ui(&name, Some(settings));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::Method;

    #[test]
    fn a_lane_can_go_on_with_other_integrators_a_shorter_step_and_another_solver() {
        let own = Settings { integrator: Method::ExplicitEuler, dt: 1e-3, ..Settings::default() };
        let springs = choices(&Settings { links: LinkMode::Springs, ..own });
        let names = |choices: &[(String, Settings)]| -> Vec<String> {
            choices.iter().map(|(name, _)| name.clone()).collect()
        };
        let has = |name: &str| names(&springs).iter().any(|it| it == name);
        assert!(has("symplectic Euler") && !has("explicit Euler"), "{:?}", names(&springs));
        assert!(has("time step 500 µs") && has("XPBD, 20 substeps"), "{:?}", names(&springs));
        let held = choices(&Settings { links: LinkMode::Constraints, ..own });
        assert!(held.iter().all(|(name, _)| !name.starts_with("XPBD")), "{:?}", names(&held));
        let short = choices(&Settings { dt: SHORTEST_DT, ..own });
        assert!(short.iter().all(|(name, _)| !name.starts_with("time step")), "{short:?}");
    }
}
