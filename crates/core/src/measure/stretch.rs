//! Strains of links.

use glam::DVec3;
use ropelab_mechanics::mesh::Links;
use ropelab_mechanics::mesh::link_sums::{LinkSum, strain, sum_over_links};
use serde::Serialize;

/// Strain of links: length over rest length − 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stretch {
    /// Strain of the most stretched link; 0 if none is stretched.
    pub max: f64,
    /// Strain of the most compressed link, below 0; 0 if none is compressed.
    pub min: f64,
    /// Mean strain of all links that are not cut.
    pub mean: f64,
}

/// Returns the largest, smallest and mean strain of the links that are not cut. `cut` is the number
/// of cut links.
pub fn stretch(links: &Links, cut: usize, x: &[DVec3]) -> Stretch {
    let all = (0..links.len()).map(|i| links.at(i));
    let LinkSum { sum, greatest, least } = sum_over_links(all, x, strain);
    Stretch { max: greatest, min: least, mean: sum / (links.len() - cut).max(1) as f64 }
}
