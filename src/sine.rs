//! stub
/// sin(2π turns).
pub fn sin_turns(turns: f64) -> f64 {
    (turns * std::f64::consts::TAU).sin()
}
