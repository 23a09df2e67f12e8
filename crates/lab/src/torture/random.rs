//! Pseudo-random numbers that depend on a seed alone.

use glam::{DVec3, dvec3};

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Random number from 0 up to 1, evenly distributed.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Random number from `least` up to `most`, evenly distributed.
    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.share()
    }

    /// Random number from `least` up to `most`, evenly distributed in the logarithm.
    pub fn magnitude(&mut self, least: f64, most: f64) -> f64 {
        self.between(least.ln(), most.ln()).exp()
    }

    /// A whole number below `count`; 0 if that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.share() * count as f64) as usize
    }

    /// True in so many cases out of one.
    pub fn chance(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// One of a list that is not empty.
    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// A point of a cube with its centre at 0 and sides of two `size`.
    pub fn point(&mut self, size: f64) -> DVec3 {
        dvec3(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }
}
