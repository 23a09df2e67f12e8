//! Bends: triples of consecutive particles that resist bending. Bends with equal properties share
//! memory.

use super::faces::ascending;
use itertools::Itertools;

/// Three consecutive particles of a rope or cloth that resist bending. At rest they lie on a
/// straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Indices of the three particles, from one end of the bend to the other. The angle of the bend
    /// is at the second particle.
    pub particles: [u32; 3],
    /// Rest lengths in metres, positive: first to second particle, second to third particle.
    pub rest: [f64; 2],
    /// Flexural rigidity EI in N·m², positive.
    pub rigidity: f64,
}

/// Bends with equal rest lengths and rigidity. The particle indices increase by 1 from bend to
/// bend, e.g. (0, 1, 2), (1, 2, 3) in a rope or (0, 10, 20), (1, 11, 21) in a cloth of 10 columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BendRun {
    /// First bend of this run (bends with equal properties and consecutive particle indices).
    pub first: Bend,
    /// Number of bends, at least 1.
    pub count: u32,
}

/// List of bends, stored as runs. A run contains consecutive bends with equal properties, whose
/// particle indices increase by 1 from bend to bend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bends(Vec<BendRun>);

impl Bend {
    /// Returns a bend whose particle indices are larger by `by`.
    fn shifted(self, by: u32) -> Self {
        Self { particles: self.particles.map(|i| i.wrapping_add(by)), ..self }
    }

    /// Returns 1/L₁ and 1/L₂ in 1/m. These are the weights of the two links' vectors in the chord D
    /// = (x_k − x_j)/L₂ − (x_j − x_i)/L₁ of particles i, j, k.
    pub fn weights(&self) -> [f64; 2] {
        self.rest.map(|rest| 1.0 / rest)
    }

    /// Returns EI/l in N·m, where l = (L₁ + L₂)/2 is the mean of the two rest lengths.
    pub fn stiffness(&self) -> f64 {
        self.rigidity / (0.5 * (self.rest[0] + self.rest[1]))
    }

    /// Returns the particle pairs of the two links that the bend spans.
    fn sides(&self) -> [[u32; 2]; 2] {
        let [i, j, k] = self.particles;
        [[i, j], [j, k]]
    }

    /// True if rest lengths and rigidity of both bends have the same bits.
    fn has_same_properties(&self, other: &Self) -> bool {
        let numbers = |bend: &Self| [bend.rest[0], bend.rest[1], bend.rigidity].map(f64::to_bits);
        numbers(self) == numbers(other)
    }
}

impl BendRun {
    /// Yields the bends, in ascending order of their particles.
    pub fn iter(self) -> impl Iterator<Item = Bend> {
        (0..self.count).map(move |e| self.first.shifted(e))
    }

    /// Returns the bends with these indices within the run.
    fn part(self, places: std::ops::Range<u32>) -> Self {
        Self { first: self.first.shifted(places.start), count: places.len() as u32 }
    }
}

impl Bends {
    /// Returns the number of bends.
    pub fn len(&self) -> usize {
        self.0.iter().map(|run| run.count as usize).sum()
    }

    /// True if there are no bends.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Yields the bends, in insertion order.
    pub fn iter(&self) -> impl Iterator<Item = Bend> {
        self.0.iter().flat_map(|run| run.iter())
    }

    /// Returns the runs (bends with equal properties and consecutive particle indices), in the
    /// order of the list.
    pub fn runs(&self) -> &[BendRun] {
        &self.0
    }

    /// Appends a bend. If the bend has the properties of the last run, and its particle indices are
    /// larger by 1 than those of the run's last bend, it extends this run. Otherwise it starts a
    /// new run.
    pub fn push(&mut self, bend: Bend) {
        if let Some(BendRun { first, count }) = self.0.last_mut()
            && first.has_same_properties(&bend)
            && first.shifted(*count).particles == bend.particles
        {
            *count += 1;
        } else {
            self.0.push(BendRun { first: bend, count: 1 });
        }
    }

    /// Removes the bends that span a cut link. `pairs` are the ends of the cut links, in either
    /// order.
    pub fn cut(&mut self, pairs: &[[u32; 2]]) {
        let pairs = pairs.iter().copied().map(ascending).sorted().dedup().collect_vec();
        let mut kept = Vec::with_capacity(self.0.len());
        for run in &self.0 {
            let side_places = run.first.sides().map(ascending).into_iter().flat_map(|[a, b]| {
                let begins_in_run = pairs.iter().skip(pairs.partition_point(|pair| pair[0] < a));
                begins_in_run
                    .map(move |pair| (pair[0] - a, pair[1].wrapping_sub(pair[0]) == b - a))
                    .take_while(|(place, _)| *place < run.count)
                    .filter_map(|(place, has_length)| has_length.then_some(place))
            });
            let mut from = 0;
            for place in side_places.sorted().dedup().chain([run.count]) {
                if from < place {
                    kept.push(run.part(from..place));
                }
                from = place + 1;
            }
        }
        self.0 = kept;
    }
}

impl Extend<Bend> for Bends {
    fn extend<I: IntoIterator<Item = Bend>>(&mut self, bends: I) {
        bends.into_iter().for_each(|bend| self.push(bend));
    }
}

impl FromIterator<Bend> for Bends {
    fn from_iter<I: IntoIterator<Item = Bend>>(bends: I) -> Self {
        let mut list = Self::default();
        list.extend(bends);
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bend(particles: [u32; 3]) -> Bend {
        Bend { particles, rest: [0.1, 0.1], rigidity: 2.0 }
    }

    fn particles(bends: &Bends) -> Vec<[u32; 3]> {
        bends.iter().map(|bend| bend.particles).collect()
    }

    #[test]
    fn bends_come_back_in_their_order_and_share_a_run_where_they_can() {
        let rope = (3..9).map(|i| bend([i, i + 1, i + 2]));
        let tied = [bend([90, 3, 4]), bend([7, 2, 5])];
        let columns = (10..14).map(|i| bend([i, i + 4, i + 8]));
        let stiff = Bend { rigidity: 3.0, ..bend([14, 18, 22]) };
        let all: Vec<Bend> = tied.into_iter().chain(rope).chain(columns).chain([stiff]).collect();
        let bends: Bends = all.iter().copied().collect();
        assert_eq!(bends.iter().collect::<Vec<_>>(), all);
        assert_eq!((bends.len(), bends.runs().len()), (all.len(), 5));
    }

    #[test]
    fn a_cut_takes_the_bends_that_span_it_and_no_others() {
        let mut rope: Bends = (0..6).map(|i| bend([i, i + 1, i + 2])).collect();
        rope.cut(&[[4, 3], [0, 2], [7, 9]]);
        assert_eq!(particles(&rope), [[0, 1, 2], [1, 2, 3], [4, 5, 6], [5, 6, 7]]);
        rope.cut(&[[0, 1], [6, 7]]);
        assert_eq!(particles(&rope), [[1, 2, 3], [4, 5, 6]]);
        let mut backwards: Bends = [bend([90, 3, 4]), bend([91, 2, 1])].into_iter().collect();
        backwards.cut(&[[1, 2], [3, 5]]);
        assert_eq!(particles(&backwards), [[90, 3, 4]]);
        let mut columns: Bends = (0..8).map(|i| bend([i, i + 4, i + 8])).collect();
        columns.cut(&[[5, 9], [5, 6]]);
        let kept: Vec<u32> = columns.iter().map(|bend| bend.particles[0]).collect();
        assert_eq!(kept, [0, 2, 3, 4, 6, 7]);
    }
}
