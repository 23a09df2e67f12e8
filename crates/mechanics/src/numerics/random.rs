//! Deterministic pseudo-random numbers: equal seeds give equal numbers on every platform.

use glam::{DVec3, dvec3};

/// Increment of SplitMix64: 2⁶⁴ divided by the golden ratio.
pub const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Scrambles a number by the output function of SplitMix64: every bit of the result depends on
/// every bit of `z`. Steele, Lea and Flood (2014), "Fast splittable pseudorandom number
/// generators".
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Maps the upper 53 of 64 random bits to a number in [−1, 1).
pub fn signed(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Generator xorshift64 (Marsaglia 2003, J. Stat. Softw. 8, 14) of numbers in [−1, 1). Recordings
/// depend on its exact sequence.
#[derive(Clone, Debug)]
pub struct Xorshift(u64);

impl Xorshift {
    /// Creates a generator. Seed 0 counts as 1, because xorshift would only produce 0 from it.
    pub fn new(seed: u64) -> Self {
        Self(seed.max(1))
    }

    /// Returns the next number, uniformly distributed in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        signed(self.0)
    }
}

/// Knuth's linear congruential generator with the constants of MMIX (The Art of Computer
/// Programming, vol. 2). The positions of balls in scene files depend on its exact sequence.
#[derive(Clone, Debug)]
pub struct LinearCongruence(u64);

impl LinearCongruence {
    /// Creates a generator. Drops the first four numbers, because they hardly depend on a small
    /// seed.
    pub fn new(seed: u32) -> Self {
        let mut noise = Self(u64::from(seed));
        for _ in 0..4 {
            noise.signed();
        }
        noise
    }

    /// Returns the next number, uniformly distributed in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        signed(self.0)
    }

    /// Returns a vector of three numbers from [`Self::signed`].
    pub fn vector(&mut self) -> DVec3 {
        let [x, y, z] = [self.signed(), self.signed(), self.signed()];
        dvec3(x, y, z)
    }
}

/// Generator SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mix(self.0)
    }

    /// Returns a number uniformly distributed in [0, 1).
    pub fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number uniformly distributed between `least` and `most`.
    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.fraction()
    }

    /// Returns a number between `least` and `most` whose logarithm is uniformly distributed.
    pub fn magnitude(&mut self, least: f64, most: f64) -> f64 {
        self.between(least.ln(), most.ln()).exp()
    }

    /// Returns an integer uniformly distributed in 0..`count`; 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.fraction() * count as f64) as usize
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.fraction() < probability
    }

    /// Returns a random element of a list. The list must not be empty.
    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// Returns a point uniformly distributed in the cube with centre 0 and edge length 2 × `size`.
    pub fn point(&mut self, size: f64) -> DVec3 {
        dvec3(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }
}
