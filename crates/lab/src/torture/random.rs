//! Pseudo-random numbers that depend on a seed alone.

use glam::{DVec3, dvec3};

/// Generator of pseudo-random numbers, SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns a generator; equal seeds give equal numbers.
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

    /// Returns a number from 0 to 1 (excluded), uniformly distributed.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number from `least` to `most`, uniformly distributed.
    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.share()
    }

    /// Returns a number from `least` to `most`, whose logarithm is uniformly distributed.
    pub fn magnitude(&mut self, least: f64, most: f64) -> f64 {
        self.between(least.ln(), most.ln()).exp()
    }

    /// Returns a whole number below `count`; 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.share() * count as f64) as usize
    }

    /// Returns true with the probability `share`.
    pub fn chance(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// Returns a random element of a list that is not empty.
    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// Returns a point in a cube with its centre at 0 and edges of 2 × `size`.
    pub fn point(&mut self, size: f64) -> DVec3 {
        dvec3(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }
}
