//! Window with the settings of an animation or of a file of positions.

use super::camera::{FilmCamera, FilmProgress};
use super::plan::{FilmFormat, FilmPlan};
use crate::app::input::actions::{Action, RequestActions, WindowAction};
use crate::app::widgets::marks::Marked;
use crate::app::widgets::pressed;
use crate::quantity::on_screen::si_tight;
use egui_macroquad::egui::{self, Align2, Slider, Ui};

const PICTURES: [(FilmFormat, &str, &str); 3] = [
    (
        FilmFormat::Gif,
        "GIF",
        "Animated picture with 256 colours per frame; every program can show \
        it",
    ),
    (
        FilmFormat::Apng,
        "APNG",
        "Animated PNG with all colours in a larger file; browsers can show \
        it",
    ),
    (FilmFormat::Pictures, "PNG sequence", "A folder with one image per frame, for video programs"),
];
const POSITIONS: [(FilmFormat, &str, &str); 3] = [
    (
        FilmFormat::Csv,
        "CSV",
        "Table with one row per instant and the positions of all particles; a second file has the \
        triangles",
    ),
    (FilmFormat::Npy, "NPY", "Three NumPy arrays for Python: positions, times, triangles"),
    (
        FilmFormat::Pc2,
        "PC2 + OBJ",
        "Mesh (OBJ) and its motion (PC2), for Blender's Mesh Cache \
        modifier",
    ),
];
const WIDTHS: [(u32, &str); 4] = [(480, "480"), (640, "640"), (960, "960"), (u32::MAX, "whole")];
const RATES: [(u32, &str); 4] = [(10, "10"), (25, "25"), (30, "30"), (50, "50")];

pub fn film_ui(ctx: &egui::Context, camera: &mut FilmCamera, looped: Option<[f64; 2]>) {
    let FilmCamera { open, plan, .. } = camera;
    egui::Window::new("Save an animation or positions")
        .open(open)
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .show(ctx, |ui| plan_ui(ui, plan, looped));
}

fn plan_ui(ui: &mut Ui, plan: &mut FilmPlan, looped: Option<[f64; 2]>) {
    let FilmPlan { format, seconds, rate, width, speed } = plan;
    egui::Grid::new("film").num_columns(2).spacing([12.0, 6.0]).show(ui, |ui| {
        for (title, formats) in [("animation", PICTURES), ("positions", POSITIONS)] {
            ui.label(title);
            ui.horizontal(|ui| {
                for (value, name, tip) in formats {
                    ui.selectable_value(format, value, name).on_hover_text(tip).marked(name);
                }
            });
            ui.end_row();
        }
        ui.label("duration").on_hover_text(
            "Length of the filmed interval, in seconds of session time. The interval ends at the \
            shown moment",
        );
        if let Some([from, to]) = looped {
            ui.label(format!("the loop of the time bar, {:.2} s", to - from));
        } else {
            let slider = Slider::new(seconds, 0.5..=60.0).logarithmic(true).suffix(" s");
            ui.add(slider).marked("film: stretch");
        }
        ui.end_row();
        let tip = "Session time per film time: at 0.1, one second of session time lasts ten \
            seconds in the film";
        ui.label("speed").on_hover_text(tip);
        ui.add(Slider::new(speed, 0.01..=4.0).logarithmic(true).suffix(" ×"));
        ui.end_row();
        ui.label("frames").on_hover_text("Frames per second: 25 look smooth, 10 make a small file");
        choice_ui(ui, rate, &RATES, "/s");
        ui.end_row();
        if format.positions().is_none() {
            ui.label("width").on_hover_text(
                "Largest width of the film in pixels; a wider scene \
                is scaled down",
            );
            choice_ui(ui, width, &WIDTHS, "px");
            ui.end_row();
        }
    });
    ui.add_space(4.0);
    ui.label(match format.positions() {
        None => {
            "The film shows the scene as you see it, with the same camera, lanes and colours, but \
            without panels."
        }
        Some(_) => {
            "Saves the positions of all particles of the selected lane. Positions between two \
            steps are linearly interpolated."
        }
    });
    ui.add_space(4.0);
    if ui.button("Save").marked("film: save").clicked() {
        ui.request(Action::Window(WindowAction::BeginFilm));
    }
}

pub fn film_progress_ui(ui: &mut Ui, progress: FilmProgress) {
    let FilmProgress { taken, count, bytes } = progress;
    ui.horizontal_centered(|ui| {
        if pressed(ui.button("Cancel"), "film: cancel", "Cancels the film (Esc)") {
            ui.request(Action::Window(WindowAction::Close));
        }
        let text = match bytes {
            None => format!("saving: moment {taken} of {count}"),
            Some(bytes) => {
                let size = si_tight(bytes as f64, "B");
                format!("filming: frame {taken} of {count}, {size} so far")
            }
        };
        let bar = egui::ProgressBar::new(taken as f32 / count.max(1) as f32).text(text);
        ui.add(bar).marked("film: progress");
    });
}

fn choice_ui(ui: &mut Ui, value: &mut u32, choices: &[(u32, &str)], unit: &str) {
    ui.horizontal(|ui| {
        for (choice, name) in choices {
            ui.selectable_value(value, *choice, *name);
        }
        ui.label(unit);
    });
}
