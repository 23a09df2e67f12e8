//! Controls of two speeds: that of simulated time, and the largest frame rate of the window.

use crate::app::laboratory::SPEEDS;
use crate::app::panel::fields::{FieldHelp, number_ui, row_ui, switched_ui};
use crate::quantity::on_screen::rounded_percent;
use egui_macroquad::egui::{DragValue, Ui};

const SPEED: FieldHelp = FieldHelp {
    label: "speed",
    unit: "% of real time",
    text: "Simulated time per real time. Slow motion shows how an explosion begins; it does not \
        change the time step.",
    source: "Keys - and =",
};
const DISPLAY: FieldHelp = FieldHelp {
    label: "slow display",
    unit: "Hz",
    text: "Slows the whole window to the frame rate of a slower display. With frame-coupled \
        stepping the same rope explodes at 60 Hz and is stable at 75 Hz.",
    source: "off whenever the program starts · article A",
};

const SLOW_RATE: f64 = 30.0;

/// Draws the row of the speed. Returns the new speed if the user set one.
pub fn speed_ui(ui: &mut Ui, speed: f64) -> Option<f64> {
    let mut percent = speed * 100.0;
    let range = SPEEDS.start() * 100.0..=SPEEDS.end() * 100.0;
    let drag_speed = percent * 0.01;
    let response = row_ui(ui, &SPEED, |ui| {
        let number = DragValue::new(&mut percent).range(range).speed(drag_speed);
        number_ui(ui, number.custom_formatter(|percent, _| rounded_percent(percent)).suffix(" %"))
    });
    response.changed().then_some(percent / 100.0)
}

/// Draws the row for slowing down the display. `limit` is the largest number of frames per second.
pub fn slow_display_ui(ui: &mut Ui, limit: &mut Option<f64>) {
    let (mut on, mut value) = (limit.is_some(), limit.unwrap_or(SLOW_RATE).round() as u32);
    let format = |value: u32| format!("{value} Hz");
    switched_ui(ui, &DISPLAY, &mut on, &mut value, format, |ui, value| {
        let speed = (f64::from(*value) * 0.02).max(0.05);
        number_ui(ui, DragValue::new(value).range(5..=240).speed(speed).suffix(" Hz"))
    });
    *limit = on.then_some(f64::from(value));
}
