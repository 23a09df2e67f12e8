//! Drawing of the numerical damping and the period error of integrators.

use super::chart::{Chart, ChartAxis, Curve, CurveStyle, arrange_charts, curve_colour};
use super::drawing::Drawing;
use crate::analysis::vibration::damping::{Dissipation, LONGEST_STEP, SHORTEST_STEP};
use crate::analysis::{IntegratorDissipation, MEASURING_ERROR};

/// Smallest damping ratio that is drawn.
pub const LEAST_RATIO: f64 = 1e-7;

/// Returns charts of damping ratio and of period error as functions of step / period. Each chart
/// has one theoretical curve per integrator. It also has one set of dots per integrator, for the
/// measured modes of a scene.
pub fn damping_charts<'a>(
    dissipations: impl Iterator<Item = &'a IntegratorDissipation>,
) -> [Chart<'static>; 2] {
    let dissipations: Vec<&IntegratorDissipation> = dissipations.collect();
    let chart = |title: &str, label: &str, unit, log: bool, y: &dyn Fn(&Dissipation) -> f64| {
        let point = |at: &Dissipation| [at.step_over_period, y(at)];
        let line = |(i, dissipation): (usize, &&IntegratorDissipation)| {
            let points: Vec<_> = dissipation.curve.iter().map(point).collect();
            Curve::new(dissipation.integrator, points, CurveStyle::Line, curve_colour(i))
        };
        let dots = |(i, dissipation): (usize, &&IntegratorDissipation)| {
            let points = dissipation.measured().map(point);
            let shown: Vec<_> = points.filter(|[_, y]| !log || *y > MEASURING_ERROR).collect();
            Curve::new("", shown, CurveStyle::Dots, curve_colour(i))
        };
        let lines = dissipations.iter().enumerate().map(line);
        let curves: Vec<Curve> = lines.chain(dissipations.iter().enumerate().map(dots)).collect();
        let values = curves.iter().flat_map(|curve| curve.points.iter()).map(|point| point[1]);
        let mut axis = ChartAxis::around(label, unit, values.filter(|y| !log || *y > 1e-9), log);
        if log {
            axis.range[0] = axis.range[0].max(LEAST_RATIO);
        }
        Chart {
            title: title.to_owned(),
            x: ChartAxis {
                label: "dt over period".to_owned(),
                unit: "",
                range: [SHORTEST_STEP, LONGEST_STEP],
                log: true,
            },
            y: axis,
            cells: None,
            curves,
        }
    };
    [
        chart("Numerical damping", "algorithmic damping ratio", "", true, &|point| {
            point.damping_ratio
        }),
        chart("Period error", "period error", "%", false, &|point| 100.0 * point.period_error),
    ]
}

/// Draws the charts side by side, with a note below.
pub fn draw_damping<'a>(
    dissipations: impl Iterator<Item = &'a IntegratorDissipation>,
    note: &str,
) -> Drawing {
    arrange_charts(&damping_charts(dissipations), 2, &[], note)
}
