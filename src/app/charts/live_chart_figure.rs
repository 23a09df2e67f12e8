//! Image file of a live chart, on a white background.

use super::axis_choice::AxisChoice;
use super::live_chart::LiveChart;
use crate::export::chart::arrange_charts;
use crate::export::drawing::{Drawing, INK, Rgb};

/// Brightness from 0 to 1 above which a colour is darkened for a white background.
const BRIGHTEST: f64 = 0.55;

/// Returns the figure of a chart in its current state. The name `scene` of the scene is printed at
/// the foot of the figure.
pub fn live_chart_figure(live_chart: &LiveChart, choice: &AxisChoice, scene: &str) -> Drawing {
    let mut chart = live_chart.chart(choice);
    for curve in &mut chart.curves {
        curve.colour = on_white(curve.colour);
    }
    arrange_charts(&[chart], 1, &[], &format!("ropelab · {scene}"))
}

/// Darkens a colour of the dark theme for use on white.
fn on_white(colour: Rgb) -> Rgb {
    let [r, g, b] = colour.map(|byte| f64::from(byte) / 255.0);
    let brightness = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let is_grey = colour[0].abs_diff(colour[2]) < 16 && colour[0].abs_diff(colour[1]) < 16;
    if is_grey && brightness > 0.85 {
        return INK;
    }
    let factor = (BRIGHTEST / brightness.max(1e-6)).min(1.0);
    [r, g, b].map(|channel| (255.0 * channel * factor).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::charts::live_chart::{LiveChartAxis, lane_curve};

    fn live_chart(points: Vec<[f64; 2]>) -> LiveChart {
        let curves = vec![lane_curve("RK4", 0, points)];
        let x = LiveChartAxis::new("simulated time", "s");
        let y = LiveChartAxis::new("total energy", "J");
        LiveChart { name: "Total energy", x, y, curves, marks: vec![], function: true }
    }

    #[test]
    fn a_picture_has_axes_with_units_a_legend_and_the_colours_of_the_lanes() {
        let live_chart = live_chart(vec![[0.0, 196.2], [1.0, 196.20003]]);
        let svg = live_chart_figure(&live_chart, &AxisChoice::default(), "Rope").to_svg();
        for text in
            ["simulated time", "total energy", "196.2 J", "+10 µJ", "RK4", "Rope", "#c68900"]
        {
            assert!(svg.contains(text), "{text} is missing:\n{svg}");
        }
    }

    #[test]
    fn lanes_have_dashes_of_their_own_and_lost_signs_are_told() {
        let mut live_chart = live_chart(vec![[0.0, 1.0], [1.0, -2.0]]);
        live_chart.curves.push(lane_curve("RK3", 1, vec![[0.0, 2.0], [1.0, 3.0]]));
        live_chart.curves.push(lane_curve("Heun", 2, vec![[0.0, 3.0], [1.0, 4.0]]));
        let svg = |log| {
            live_chart_figure(&live_chart, &AxisChoice { log, ..AxisChoice::default() }, "")
                .to_svg()
        };
        for dashes in ["stroke-dasharray=\"10.00 6.20\"", "stroke-dasharray=\"1.80 3.20\""] {
            // The dashes occur twice: for the curve and for the legend.
            assert_eq!(svg(false).matches(dashes).count(), 2, "{dashes}");
        }
        assert!(svg(true).contains("|total energy|") && !svg(false).contains("|total energy|"));
    }

    #[test]
    fn a_fixed_range_is_that_of_the_picture_and_a_lane_that_exploded_says_when() {
        let mut live_chart = live_chart(vec![[0.0, 1.0], [1.0, 3.0]]);
        live_chart.curves[0].exploded = Some(1.5);
        for log in [false, true] {
            let typed = Some(["2".to_owned(), "4".to_owned()]);
            let choice = AxisChoice { log, typed_range: typed, unit: "J" };
            let [low, high] = live_chart.chart(&choice).y.range;
            assert!((low - 2.0).abs() < 1e-12 && (high - 4.0).abs() < 1e-12, "{low} to {high}");
            let svg = live_chart_figure(&live_chart, &choice, "").to_svg();
            assert!(svg.contains("RK4, exploded at 1.50 s"), "{svg}");
        }
    }

    #[test]
    fn a_picture_of_nothing_or_of_what_is_no_number_is_drawn() {
        for points in [vec![], vec![[f64::NAN, 1.0], [0.0, f64::INFINITY]], vec![[0.0, -1e300]]] {
            for log in [false, true] {
                let choice = AxisChoice { log, ..AxisChoice::default() };
                let figure = live_chart_figure(&live_chart(points.clone()), &choice, "");
                assert!(!figure.to_svg().contains("NaN"));
                assert!(figure.to_png().is_ok());
            }
        }
    }
}
