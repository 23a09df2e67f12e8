//! Drawing of the recommended settings among all the settings that were tried.

use super::chart::{Chart, ChartAxis, Curve, CurveStyle, arrange_charts, curve_colour};
use super::drawing::Drawing;
use crate::analysis::advise::{Advice, AdviceQuestion, FRAMES_A_SECOND, Trial};

/// Returns a chart of error or stretch against cost. It has three curves, in this order: commonly
/// used settings, the best settings at each cost, and the recommended settings.
pub fn advice_chart(title: &str, question: &AdviceQuestion, advice: &Advice) -> Chart<'static> {
    let point = |trial: &Trial| {
        [trial.cost_per_second / FRAMES_A_SECOND, 100.0 * trial.measure(question.goal)]
    };
    let curve =
        |name, points: Vec<[f64; 2]>, style, i| Curve::new(name, points, style, curve_colour(i));
    let rejected = advice.rejected.iter().map(|rejected| point(&rejected.trial)).collect();
    let curves = vec![
        curve("well known, not chosen", rejected, CurveStyle::Dots, 6),
        curve(
            "best at this cost",
            advice.front.iter().map(point).collect(),
            CurveStyle::LineWithDots,
            0,
        ),
        curve("recommended", advice.best.iter().map(point).collect(), CurveStyle::Dots, 1),
    ];
    let values = |i| curves.iter().flat_map(|curve| curve.points.iter()).map(move |p| p[i]);
    let x = ChartAxis::around("computing time per frame of 1/60 s", "s", values(0), true);
    let y = ChartAxis::around(question.goal.name(), "%", values(1), true);
    Chart { title: title.to_owned(), x, y, cells: None, curves }
}

/// Draws the chart, with the number of tried settings below it.
pub fn draw_advice(title: &str, question: &AdviceQuestion, advice: &Advice) -> Drawing {
    let note = format!("{} settings tried", advice.tried);
    arrange_charts(&[advice_chart(title, question, advice)], 1, &[], &note)
}
