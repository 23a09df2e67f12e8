//! Scale and range that the user chose for the y axis of a plot.

use crate::quantity::reading::read_number;

#[derive(Clone, Debug, Default)]
pub struct AxisChoice {
    pub log: bool,
    /// Both ends of the range as typed; `None` if the curves determine the range.
    pub typed_range: Option<[String; 2]>,
    /// Unit assumed for values typed without a unit.
    pub unit: &'static str,
}

impl AxisChoice {
    /// Returns the typed range. Returns `None` unless both ends are numbers in ascending order; on
    /// a logarithmic axis they must also be positive.
    pub fn fixed_range(&self) -> Option<[f64; 2]> {
        let [low, high] =
            self.typed_range.as_ref()?.each_ref().map(|text| read_number(text, self.unit));
        let (low, high) = (low?, high?);
        (low < high && (low > 0.0 || !self.log)).then_some([low, high])
    }
}
