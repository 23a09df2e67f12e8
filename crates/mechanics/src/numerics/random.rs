//! Pseudo-random numbers that depend on a seed alone.

use glam::{DVec3, dvec3};

/// Increment of SplitMix64: 2⁶⁴ divided by the golden ratio.
pub const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Scrambles a number, as the output function of SplitMix64: every bit of the result depends on
/// every bit of `z`. Steele, Lea and Flood (2014), "Fast splittable pseudorandom number
/// generators".
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns a number in [−1, 1) from the upper 53 of 64 random bits.
pub fn signed(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Generator of numbers in [−1, 1), xorshift64 (Marsaglia 2003, J. Stat. Softw. 8, 14). Recordings
/// depend on its bits.
#[derive(Clone, Debug)]
pub struct Xorshift(u64);

impl Xorshift {
    /// Returns a generator; equal seeds give equal numbers. Seed 0 counts as 1, because a state of
    /// 0 would stay 0.
    pub fn new(seed: u64) -> Self {
        Self(seed.max(1))
    }

    /// Returns a number in [−1, 1), uniformly distributed.
    pub fn signed(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        signed(self.0)
    }
}

/// Generator of pseudo-random numbers, SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns a generator; equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mix(self.0)
    }

    /// Returns a number from 0 to 1 (excluded), uniformly distributed.
    pub fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number from `least` to `most`, uniformly distributed.
    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.fraction()
    }

    /// Returns a number from `least` to `most`, whose logarithm is uniformly distributed.
    pub fn magnitude(&mut self, least: f64, most: f64) -> f64 {
        self.between(least.ln(), most.ln()).exp()
    }

    /// Returns a whole number below `count`; 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.fraction() * count as f64) as usize
    }

    /// Returns true with the probability `share`.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.fraction() < probability
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
