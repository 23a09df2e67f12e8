//! Drawing of the convergence of integrators.

use super::chart::{Chart, ChartAxis, Curve, CurveStyle, arrange_charts, curve_colour};
use super::drawing::Drawing;
use crate::analysis::{ConvergenceCurve, ConvergencePoint, ReferenceKind};

/// Returns the name of the reference motion from which errors are measured.
pub fn reference_name(truth: ReferenceKind) -> &'static str {
    match truth {
        ReferenceKind::ClosedForm => "the exact motion",
        ReferenceKind::DormandPrince => "Dormand–Prince at 1e-12",
        ReferenceKind::SameSchemeFiner => "itself at 1/64 of the shortest step",
    }
}

/// Returns three charts of the error: as a function of the step in seconds, of the number of
/// evaluations, and of the computing time in seconds.
pub fn convergence_charts(curves: &[ConvergenceCurve]) -> [Chart<'static>; 3] {
    let errors = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.error);
    let chart = |title: &str, label: &str, unit, x: &dyn Fn(&ConvergencePoint) -> f64| {
        let line = |(i, curve): (usize, &ConvergenceCurve)| {
            let name = match curve.order {
                Some(order) => format!("{}, order {order:.2}", curve.integrator),
                None => curve.integrator.to_owned(),
            };
            let points: Vec<_> = curve.points.iter().map(|it| [x(it), it.error]).collect();
            Curve::new(name, points, CurveStyle::LineWithDots, curve_colour(i))
        };
        Chart {
            title: title.to_owned(),
            x: ChartAxis::around(label, unit, curves.iter().flat_map(|c| &c.points).map(x), true),
            y: ChartAxis::around("error", "m", errors(), true),
            cells: None,
            curves: curves.iter().enumerate().map(line).collect(),
        }
    };
    [
        chart("Error against step", "dt", "s", &|point| point.dt),
        chart("Error against forces", "force evaluations", "", &|point| point.evaluations as f64),
        chart("Error against cost", "computing time", "s", &|point| point.cost_s),
    ]
}

/// Draws the charts side by side.
pub fn draw_convergence(title: &str, curves: &[ConvergenceCurve]) -> Drawing {
    let truth = curves.first().map_or("", |curve| reference_name(curve.truth));
    arrange_charts(&convergence_charts(curves), 3, &[], &format!("{title}: distance from {truth}"))
}
