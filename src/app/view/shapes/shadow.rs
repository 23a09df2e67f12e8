//! Soft shadows on the floor. Samples of the bodies above the floor are added to a small map, which
//! is blurred. This takes a hundredth of the time of drawing the scene again for shadows.

use super::shape::DrawnShape;
use glam::{DVec3, Vec2};
use std::array;
use std::f64::consts::TAU;

/// Number of texels along an edge of the map.
pub const SIZE: usize = 96;
/// Largest number of particles of a rope or cloth that cast shadows.
const MOST_SAMPLES: usize = 4096;

#[derive(Debug)]
pub struct Shadow {
    stage: ShadowStage,
    /// Shadows of samples close to the floor, by texel. They are blurred only slightly.
    near: Vec<f32>,
    /// Shadows of samples higher above the floor, by texel. They are blurred more strongly.
    far: Vec<f32>,
    scratch: Vec<f32>,
    samples: Vec<ShadowSample>,
    /// Pixels of the texture, four bytes each.
    pub texels: Vec<u8>,
}

/// Piece of a body that casts a shadow.
#[derive(Clone, Copy, Debug)]
struct ShadowSample {
    /// Horizontal coordinates x and z relative to the centre of the view, in metres.
    at: Vec2,
    above_floor: f32,
    /// Area in square metres.
    area: f32,
}

/// Square of the floor that the map covers, in metres relative to the centre of the view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowArea {
    pub centre: Vec2,
    pub half: f32,
}

/// Position and size of the view, and the floor, all in metres.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShadowStage {
    pub centre: DVec3,
    pub height: f64,
    pub floor: f64,
}

impl Shadow {
    pub fn new() -> Shadow {
        Shadow {
            stage: ShadowStage::default(),
            near: vec![0.0; SIZE * SIZE],
            far: vec![0.0; SIZE * SIZE],
            scratch: vec![0.0; SIZE * SIZE],
            samples: Vec::new(),
            texels: vec![0; SIZE * SIZE * 4],
        }
    }

    /// Removes all bodies, for another drawing.
    pub fn begin(&mut self, stage: ShadowStage) {
        self.stage = stage;
        self.samples.clear();
    }

    pub fn add_bodies(&mut self, shape: &DrawnShape, positions: &[DVec3]) {
        let least_radius = 0.012 * self.stage.height as f32;
        for strand in &shape.strands {
            let width = (2.0 * strand.radius).max(least_radius);
            let step = strand.particles.len().div_ceil(MOST_SAMPLES);
            let kept: Vec<u32> = strand.particles.iter().copied().step_by(step).collect();
            for pair in kept.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|end| positions[end as usize]);
                self.add_segment(a, b, width);
            }
        }
        for rod in &shape.rods {
            let [a, b] = rod.ends.map(|end| positions[end as usize]);
            self.add_segment(a, b, least_radius);
        }
        for patch in &shape.patches {
            let (columns, rows) = (patch.grid.columns as usize, patch.grid.rows as usize);
            let step = ((columns * rows) as f64 / MOST_SAMPLES as f64).sqrt().ceil() as usize;
            let area = patch.across[0] * patch.down[0] * (step * step) as f32;
            for row in (0..rows).step_by(step) {
                for column in (0..columns).step_by(step) {
                    let i = patch.grid.first as usize + row * columns + column;
                    self.add_sample(positions[i], area);
                }
            }
        }
    }

    /// Adds a ball as samples on the lower half of its surface.
    pub fn add_ball(&mut self, centre: DVec3, radius: f64) {
        const RINGS: u32 = 6;
        for ring in 0..RINGS {
            let spots = 6 * ring + 1;
            let out = radius * (f64::from(ring) + 0.5) / f64::from(RINGS);
            let area = TAU * out * radius / f64::from(RINGS * spots);
            for spot in 0..spots {
                let (sin, cos) = (TAU * f64::from(spot) / f64::from(spots)).sin_cos();
                let below = (radius * radius - out * out).max(0.0).sqrt();
                let at = centre + DVec3::new(out * cos, -below, out * sin);
                self.add_sample(at, area as f32);
            }
        }
    }

    fn add_segment(&mut self, a: DVec3, b: DVec3, width: f32) {
        let length = a.distance(b);
        if !length.is_finite() {
            return;
        }
        let parts = (40.0 * length / self.stage.height).ceil().clamp(1.0, 64.0);
        let area = width * (length / parts) as f32;
        for part in 0..parts as u32 {
            self.add_sample(a.lerp(b, (f64::from(part) + 0.5) / parts), area);
        }
    }

    fn add_sample(&mut self, position: DVec3, area: f32) {
        let p = position - self.stage.centre;
        let reach = 4.0 * self.stage.height;
        if p.x.abs() < reach && p.z.abs() < reach && p.y.abs() < reach {
            let above_floor = (position.y - self.stage.floor).max(0.0) as f32;
            let at = Vec2::new(p.x as f32, p.z as f32);
            self.samples.push(ShadowSample { at, above_floor, area });
        }
    }

    /// Fills the texels and returns the area that the map covers; `None` if there are no samples.
    pub fn render(&mut self) -> Option<ShadowArea> {
        let area = self.covered_area()?;
        let texel = 2.0 * area.half / SIZE as f32;
        let reach = 0.5 * area.half;
        self.near.fill(0.0);
        self.far.fill(0.0);
        for sample in &self.samples {
            let weight = sample.area / (texel * texel);
            let at = (sample.at - area.centre + area.half) / texel - 0.5;
            distribute(&mut self.near, at, weight * (-8.0 * sample.above_floor / reach).exp());
            distribute(&mut self.far, at, 0.7 * weight * (-1.2 * sample.above_floor / reach).exp());
        }
        blur(&mut self.near, &mut self.scratch, 1);
        for _ in 0..2 {
            blur(&mut self.far, &mut self.scratch, 4);
        }
        for (texel, (near, far)) in
            self.texels.chunks_exact_mut(4).zip(self.near.iter().zip(&self.far))
        {
            // Approximates 1 − exp(−depth) at a tenth of the cost.
            let depth = near + far;
            texel[0] = (255.0 * (1.0 - 1.0 / (1.0 + depth + 0.5 * depth * depth))) as u8;
        }
        Some(area)
    }

    fn covered_area(&self) -> Option<ShadowArea> {
        let first = self.samples.first()?.at;
        let (min, max) = self
            .samples
            .iter()
            .fold((first, first), |(min, max), s| (min.min(s.at), max.max(s.at)));
        let half = 0.5 * (max - min).max_element();
        Some(ShadowArea { centre: 0.5 * (min + max), half: (1.3 * half).max(0.4) })
    }
}

/// Distributes a weight among the four texels around a position.
fn distribute(map: &mut [f32], at: Vec2, weight: f32) {
    let corner = at.floor();
    let part = at - corner;
    for (dx, wx) in [(0.0, 1.0 - part.x), (1.0, part.x)] {
        for (dy, wy) in [(0.0, 1.0 - part.y), (1.0, part.y)] {
            let (x, y) = (corner.x + dx, corner.y + dy);
            if x >= 0.0 && y >= 0.0 && x < SIZE as f32 && y < SIZE as f32 {
                map[y as usize * SIZE + x as usize] += weight * wx * wy;
            }
        }
    }
}

/// Blurs the map: each texel becomes the mean of 2 · radius + 1 texels along rows, then along
/// columns.
fn blur(map: &mut [f32], scratch: &mut [f32], radius: usize) {
    blur_rows_into_columns(map, scratch, radius);
    blur_rows_into_columns(scratch, map, radius);
}

fn blur_rows_into_columns(from: &[f32], to: &mut [f32], radius: usize) {
    // Within a row, each sum depends on the previous one. Therefore eight independent rows are
    // summed at once.
    const ROWS: usize = 8;
    let scale = 1.0 / (2 * radius + 1) as f32;
    for (group, rows) in from.chunks_exact(ROWS * SIZE).enumerate() {
        let column = |x: usize| array::from_fn::<f32, ROWS, _>(|row| rows[row * SIZE + x]);
        let mut sums = [0.0; ROWS];
        for x in 0..radius {
            sums.iter_mut().zip(column(x)).for_each(|(sum, enters)| *sum += enters);
        }
        for x in 0..SIZE {
            if x + radius < SIZE {
                sums.iter_mut().zip(column(x + radius)).for_each(|(sum, enters)| *sum += enters);
            }
            if x > radius {
                let leaves = column(x - radius - 1);
                sums.iter_mut().zip(leaves).for_each(|(sum, leaves)| *sum -= leaves);
            }
            let first = x * SIZE + group * ROWS;
            to[first..first + ROWS].copy_from_slice(&sums.map(|sum| sum * scale));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Chain, Mesh};

    fn shadow_of_rope(ends: [DVec3; 2]) -> Shadow {
        let ropes = vec![Chain { particles: vec![0, 1], radius: 0.02 }];
        let mesh = Mesh { positions: ends.to_vec(), ropes, ..Mesh::default() };
        let mut shadow = Shadow::new();
        shadow.begin(ShadowStage { centre: DVec3::ZERO, height: 3.0, floor: 0.0 });
        shadow.add_bodies(&DrawnShape::new(&mesh), &ends);
        shadow
    }

    fn darkness(height: f64) -> f32 {
        let ends = [-1.0, 1.0].map(|x| DVec3::new(x, height, 0.0));
        let mut shadow = shadow_of_rope(ends);
        shadow.render().unwrap();
        f32::from(*shadow.texels.iter().max().unwrap())
    }

    #[test]
    fn the_nearer_the_floor_the_darker() {
        let dark = [0.0, 0.1, 0.5, 2.0].map(darkness);
        assert!(dark.windows(2).all(|w| w[0] > w[1]), "darkness by height {dark:?}");
        assert!(dark[0] > 100.0);
    }

    #[test]
    fn a_blur_keeps_the_light_away_from_the_edges() {
        let mut map = vec![0.0; SIZE * SIZE];
        let mut scratch = map.clone();
        map[40 * SIZE + 60] = 3.0;
        blur(&mut map, &mut scratch, 5);
        assert!((map.iter().sum::<f32>() - 3.0).abs() < 1e-4);
        assert!((map[40 * SIZE + 60] - 3.0 / 121.0).abs() < 1e-5);
    }

    #[test]
    fn explosions_cast_no_shadow() {
        assert_eq!(shadow_of_rope([DVec3::NAN, DVec3::splat(1e300)]).render(), None);
    }
}
