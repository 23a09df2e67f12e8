//! Settings of the view: colours, marks, tools.

use super::fields::{FieldHelp, choice_ui, row_ui, slider_ui};
use crate::app::input::actions::{Action, RequestActions, WindowAction};
use crate::app::preferences::Preferences;
use crate::app::tools::hand_context::Tool;
use crate::app::widgets::marks::Marked;
use crate::app::widgets::pressed;
use egui_macroquad::egui::{Response, Ui};

const STRAIN_COLORS: FieldHelp = FieldHelp {
    label: "strain colours",
    unit: "",
    text: "Colours every link by its strain (length / rest length − 1), on the same scale in all \
        lanes.",
    source: "Viridis: van der Walt and Smith 2015",
};
const STRAIN_RANGE: FieldHelp = FieldHelp {
    label: "strain range",
    unit: "%",
    text: "Strain at the bright end of the colour scale. Lower it until the links with the \
        largest load stand out.",
    source: "",
};
const DOTS: FieldHelp = FieldHelp {
    label: "particles",
    unit: "",
    text: "Draws every particle as a dot. Only particles have mass; the rope or cloth between \
        them is drawn but not simulated.",
    source: "",
};
const LINKS: FieldHelp = FieldHelp {
    label: "links",
    unit: "",
    text: "Draws every link as a line: look for the shear and bend links that keep a cloth in \
           shape.",
    source: "",
};
const GRID: FieldHelp = FieldHelp {
    label: "floor grid",
    unit: "",
    text: "Draws a floor for orientation; nothing collides with it.",
    source: "",
};
const SHADOWS: FieldHelp = FieldHelp {
    label: "shadows",
    unit: "",
    text: "Draws a soft shadow on the floor straight below each body. Lift a particle with the \
        mouse and judge its height by the distance from its shadow.",
    source: "",
};
const SCALE_BAR: FieldHelp = FieldHelp {
    label: "scale bar",
    unit: "m",
    text: "Draws a line of a round length, with the length in metres: zoom and watch it change \
        from one round length to the next.",
    source: "",
};
const CHIPS: FieldHelp = FieldHelp {
    label: "lane names",
    unit: "",
    text: "Shows name, time step, cost and verdict over each lane. Hide them to see the scene \
        alone.",
    source: "",
};
const READINGS: FieldHelp = FieldHelp {
    label: "readings",
    unit: "",
    text: "Shows the readings, labels, heights and clocks that the scene defines, over the lanes.",
    source: "",
};
const FORCES: FieldHelp = FieldHelp {
    label: "forces",
    unit: "N",
    text: "Draws contacts with their normals and forces, and writes the forces in newtons with \
        which links pull at pins and bodies press on colliders. Click a link to read its \
        tension.",
    source: "",
};
const VELOCITIES: FieldHelp = FieldHelp {
    label: "velocities",
    unit: "m/s",
    text: "Draws the velocity of every particle as an arrow, with its scale at the lower right. \
        Watch the arrows change direction from step to step before an explosion.",
    source: "",
};
const NET_FORCES: FieldHelp = FieldHelp {
    label: "net forces",
    unit: "N",
    text: "Draws the net force on every particle as an arrow: its mass times the mean \
        acceleration over the last step. Gravity, links, drag, constraints and contact are all \
        included.",
    source: "",
};
const LIGHT: FieldHelp = FieldHelp {
    label: "light theme",
    unit: "",
    text: "Draws dark lines on a light background, for projectors, daylight and printed pictures \
        (F7).",
    source: "",
};
const TEXT_SIZE: FieldHelp = FieldHelp {
    label: "text size",
    unit: "%",
    text: "Size of texts and controls relative to the display's default size (Ctrl+= and Ctrl+-). \
        Raise it for a projector. The window keeps the size for the next start.",
    source: "",
};
const DRAG: FieldHelp = FieldHelp {
    label: "drag",
    unit: "",
    text: "Effect of a left drag. A spring pulls with a force, so heavy bodies follow slowly; a \
        hard grip puts the particle exactly at the mouse; scissors cut every link that the stroke \
        crosses, in all lanes.",
    source: "Hold Shift for the other grip, C for the scissors",
};

pub fn view_ui(ui: &mut Ui, preferences: &mut Preferences) {
    let Preferences {
        size: _,
        panel: _,
        time_plots: _,
        motion_plots: _,
        energy_plots: _,
        overlay: _,
        interface_scale,
        light,
        widths: _,
        welcomed: _,
        ball: _,
        frame_limit: _,
        open_groups: _,
        answers_docked: _,
        drag,
        strain_colors,
        strain_range,
        dots,
        links,
        grid,
        shadows,
        scale_bar,
        chips,
        readings,
        forces,
        velocities,
        net_forces,
    } = preferences;
    pictures_ui(ui);
    let tools = [(Tool::Spring, "spring"), (Tool::Hard, "hard"), (Tool::Scissors, "scissors")];
    row_ui(ui, &DRAG, |ui| choice_ui(ui, drag, &tools));
    switch_ui(ui, &STRAIN_COLORS, strain_colors);
    if *strain_colors {
        row_ui(ui, &STRAIN_RANGE, |ui| strain_range_ui(ui, strain_range));
    }
    for (help, on) in [
        (&DOTS, dots),
        (&LINKS, links),
        (&GRID, grid),
        (&SHADOWS, shadows),
        (&SCALE_BAR, scale_bar),
        (&CHIPS, chips),
        (&READINGS, readings),
        (&FORCES, forces),
        (&VELOCITIES, velocities),
        (&NET_FORCES, net_forces),
    ] {
        switch_ui(ui, help, on);
    }
    theme_ui(ui, *light, *interface_scale);
}

/// Draws the buttons for the camera and for animations.
fn pictures_ui(ui: &mut Ui) {
    let film = "Saves the last seconds as an animation, or the positions of the particles \
        (Shift+F12)";
    ui.horizontal(|ui| {
        for (text, tip, action) in [
            ("Home", "Moves the camera back to the scene's view (Home)", WindowAction::HomeCamera),
            ("Frame", "Moves the camera so that it shows all bodies (F)", WindowAction::FrameAll),
            ("Film…", film, WindowAction::ToggleFilm),
        ] {
            if pressed(ui.button(text), text, tip) {
                ui.request(Action::Window(action));
            }
        }
    });
}

fn theme_ui(ui: &mut Ui, light: bool, scale: f32) {
    let mut wanted = light;
    row_ui(ui, &LIGHT, |ui| ui.checkbox(&mut wanted, "").marked("light theme"));
    if wanted != light {
        ui.request(Action::Window(WindowAction::ToggleTheme));
    }
    row_ui(ui, &TEXT_SIZE, |ui| {
        let sizes = [(0.8, "80"), (1.0, "100"), (1.25, "125"), (1.5, "150"), (2.0, "200")];
        let mut size =
            sizes.iter().map(|it| it.0).find(|it| (it - scale).abs() < 0.01).unwrap_or(scale);
        let choice = choice_ui(ui, &mut size, &sizes);
        if choice.changed() {
            ui.request(Action::Window(WindowAction::ScaleInterface(size / scale)));
        }
        choice
    });
}

fn switch_ui(ui: &mut Ui, help: &FieldHelp, on: &mut bool) {
    row_ui(ui, help, |ui| ui.checkbox(on, ""));
}

fn strain_range_ui(ui: &mut Ui, range: &mut f64) -> Response {
    let mut percent = *range * 100.0;
    let response = slider_ui(ui, &mut percent, 0.1..=100.0);
    if response.changed() {
        *range = percent / 100.0;
    }
    response
}
