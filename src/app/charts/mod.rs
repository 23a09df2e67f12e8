//! Charts.
//!
//! A live chart has the curves of the running lanes (the simulations of the scene that run side by
//! side). It is created in every frame, e.g. for the column of plots. A
//! [`Chart`](crate::export::chart::Chart) is the result of an analysis. A figure is an image of
//! charts for a file.

mod axis_choice;
mod chart_ui;
mod fewer_points;
mod live_chart;
mod live_chart_figure;
pub mod live_chart_ui;
pub mod over_time;

pub use axis_choice::AxisChoice;
pub use chart_ui::{axes_ui, emptiest_corner, study_chart_ui};
pub use live_chart::{LiveChart, LiveChartAxis, lane_curve, plain_curve, to_rgb};
pub use live_chart_figure::live_chart_figure;
