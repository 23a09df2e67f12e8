//! Colours that can be distinguished with any colour vision.

use super::is_light;
use macroquad::color::Color;

/// Lane colours by Okabe and Ito (2008), "Color universal design", in an order for a dark
/// background.
const LANES: [(&str, u32); 8] = [
    ("orange", 0xE69F00),
    ("sky blue", 0x56B4E9),
    ("bluish green", 0x009E73),
    ("yellow", 0xF0E442),
    ("blue", 0x0072B2),
    ("vermilion", 0xD55E00),
    ("reddish purple", 0xCC79A7),
    ("light grey", 0xC8CCD2),
];

/// Darker shades of the hues of `LANES` for a light background; light grey becomes grey.
const ON_LIGHT: [u32; 8] =
    [0xB36B00, 0x2A86BD, 0x00805D, 0x7C8400, 0x005C9E, 0xA83200, 0xB0558A, 0x6B7078];

/// Returns the colour of a lane on the current background. Colours repeat after eight lanes.
pub fn lane_color(lane: usize) -> Color {
    lane_color_on(is_light(), lane)
}

fn lane_color_on(light: bool, lane: usize) -> Color {
    let index = lane % LANES.len();
    Color::from_hex(if light { ON_LIGHT[index] } else { LANES[index].1 })
}

pub fn lane_color_name(lane: usize) -> &'static str {
    let name = LANES[lane % LANES.len()].0;
    if is_light() { name.trim_start_matches("light ") } else { name }
}

/// Line style of a lane's curves, which distinguishes lanes without colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LineStyle {
    Solid,
    /// Dashes of this length in points.
    Dashed(f32),
    /// Dots at intervals of this length in points.
    Dotted(f32),
}

pub fn lane_style(lane: usize) -> LineStyle {
    use LineStyle::{Dashed, Dotted, Solid};
    [
        Solid,
        Dashed(10.0),
        Dotted(5.0),
        Dashed(5.0),
        Dotted(9.0),
        Dashed(18.0),
        Dotted(3.0),
        Dashed(2.5),
    ][lane % LANES.len()]
}

/// Coefficients of a polynomial of degree 6 in t that approximates the Viridis colour map (van der
/// Walt and Smith, 2015), fitted by M. Zucker (public domain). Its error is invisible.
pub(in crate::app) const VIRIDIS: [[f32; 3]; 7] = [
    [0.277_727_33, 0.005_407_344, 0.334_099_8],
    [0.105_093_04, 1.404_613_5, 1.384_590_1],
    [-0.330_861_83, 0.214_847_56, 0.095_095_16],
    [-4.634_230_5, -5.799_101, -19.332_441],
    [6.228_27, 14.179_933, 56.690_55],
    [4.776_385, -13.745_145, -65.353_03],
    [-5.435_456, 4.645_852_6, 26.312_435],
];

/// Position of zero strain in the colour map, from 0 to 1. The darkest fifth of the map would not
/// stand out from a dark background, so it is not used. The rest is still perceptually uniform.
const DARKEST: f32 = 0.2;

/// Returns the position of a strain in the colour map, from 0 to 1. `range` is the strain at the
/// bright end of the map.
pub(in crate::app) fn strain_position(strain: f32, range: f32) -> f32 {
    let t = (strain / range.max(1e-9)).clamp(0.0, 1.0);
    if t.is_finite() { DARKEST + (1.0 - DARKEST) * t } else { 1.0 }
}

/// Returns the colour of a strain for the legend, by the same map as in the shader that draws the
/// scene.
pub fn strain_color(strain: f64, range: f64) -> Color {
    let t = strain_position(strain as f32, range as f32);
    let channel =
        |c: usize| VIRIDIS.iter().rev().fold(0.0, |sum, row| sum * t + row[c]).clamp(0.0, 1.0);
    Color::new(channel(0), channel(1), channel(2), 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: Color, b: Color) -> f32 {
        ((a.r - b.r).powi(2) + (a.g - b.g).powi(2) + (a.b - b.b).powi(2)).sqrt()
    }

    fn luminance(c: Color) -> f32 {
        0.2126 * c.r.powf(2.2) + 0.7152 * c.g.powf(2.2) + 0.0722 * c.b.powf(2.2)
    }

    #[test]
    fn lanes_differ_from_each_other_and_from_the_ground() {
        for a in 0..8 {
            assert!(luminance(lane_color_on(false, a)) > 0.1, "{}", lane_color_name(a));
            assert!(luminance(lane_color_on(true, a)) < 0.26, "{}", lane_color_name(a));
            for b in 0..a {
                for light in [false, true] {
                    let [a, b] = [a, b].map(|lane| lane_color_on(light, lane));
                    assert!(distance(a, b) > 0.2, "colours {a:?} and {b:?}");
                }
                assert_ne!(lane_style(a), lane_style(b));
            }
        }
    }

    #[test]
    fn more_strain_is_always_brighter() {
        let light: Vec<f32> =
            (0..=20).map(|i| luminance(strain_color(f64::from(i) * 0.0025, 0.05))).collect();
        assert!(light.windows(2).all(|w| w[1] > w[0]), "lightness along the map {light:?}");
    }

    #[test]
    fn any_strain_has_a_colour() {
        for strain in [-1.0, 0.0, 1e9, f64::NAN, f64::INFINITY] {
            let color = strain_color(strain, 0.05);
            assert!(color.r.is_finite() && color.g.is_finite() && color.b.is_finite());
        }
    }
}
