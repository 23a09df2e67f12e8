//! Lines of consecutive links through a net, and the tridiagonal matrices of their couplings: the
//! preconditioner of conjugate gradients.

use crate::mesh::Link;
use std::collections::BTreeMap;

/// Largest pivot that counts as a rounding error, as a fraction of the diagonal element. The
/// equation then depends on the equations before it.
const DEPENDENT: f64 = 1e-12;

/// Preconditioner: the matrix J W Jᵀ (J: link directions, W: inverse masses) without the couplings
/// between different lines. What remains is one tridiagonal matrix per line.
///
/// In a flat net with perpendicular threads, links of different lines are not coupled at all. If
/// warp and weft meet at an angle θ, the eigenvalues of the preconditioned matrix lie between 1 −
/// |cos θ| and 1 + |cos θ|, however many links there are. A fine net therefore needs as many
/// iterations as a coarse one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Lines {
    /// True for each link that continues the line of the link before it.
    continues: Vec<bool>,
    /// Inverse pivots; 0 for an equation that depends on the equations before it.
    inverse_pivots: Vec<f64>,
    /// Off-diagonal element of L in each row. It couples the link to the link before it.
    below: Vec<f64>,
}

impl Lines {
    /// Finds the lines: in a line, the link from particle i to i + s follows the link from i − s to
    /// i. The lines of a cloth are its rows, columns and diagonals; a rope is one line. Returns the
    /// indices of the links in the order of the lines, and the lines.
    pub fn follow_links(links: &[Link]) -> (Vec<u32>, Self) {
        let place = |link: &Link| {
            let [low, high] = [link.a.min(link.b), link.a.max(link.b)];
            (high - low, low)
        };
        let mut at = BTreeMap::new();
        for (number, link) in (0..).zip(links) {
            at.entry(place(link)).or_insert(number);
        }
        let mut order = Vec::with_capacity(links.len());
        let mut continues = Vec::with_capacity(links.len());
        let mut is_listed = vec![false; links.len()];
        let is_first = |&(stride, low): &(u32, u32)| {
            low.checked_sub(stride).is_none_or(|before| !at.contains_key(&(stride, before)))
        };
        for &(stride, mut low) in at.keys().filter(|place| is_first(place)) {
            let first = order.len();
            while let Some(&number) = at.get(&(stride, low)).filter(|_| stride > 0) {
                continues.push(order.len() > first);
                order.push(number);
                is_listed[number as usize] = true;
                low += stride;
            }
        }
        // A second link between the same two particles is a separate line.
        for number in (0..links.len()).filter(|number| !is_listed[*number]) {
            continues.push(false);
            order.push(number as u32);
        }
        (order, Self { continues, inverse_pivots: Vec::new(), below: Vec::new() })
    }

    /// Factors the tridiagonal matrices. `element` returns the diagonal element of a row and the
    /// element to its left.
    pub fn factor(&mut self, element: impl Fn(usize) -> (f64, f64)) {
        self.inverse_pivots.clear();
        self.below.clear();
        let mut inverse_before = 0.0;
        for (row, continues) in self.continues.iter().enumerate() {
            let (diagonal, left) = element(row);
            let left = if *continues { left } else { 0.0 };
            let below = left * inverse_before;
            let pivot = diagonal - below * left;
            inverse_before = if pivot > DEPENDENT * diagonal { 1.0 / pivot } else { 0.0 };
            self.below.push(below);
            self.inverse_pivots.push(inverse_before);
        }
    }

    /// Solves L D Lᵀ y = `right` with the factors. Returns the dot product right · y.
    pub fn solve(&self, right: &[f64], y: &mut [f64]) -> f64 {
        let mut solved = 0.0;
        for ((y, right), below) in y.iter_mut().zip(right).zip(&self.below) {
            solved = right - below * solved;
            *y = solved;
        }
        let (mut next, mut below_next, mut product) = (0.0, 0.0, 0.0);
        let factors = self.inverse_pivots.iter().zip(&self.below);
        for (((inverse, below), right), y) in factors.zip(right).zip(y).rev() {
            next = *y * inverse - below_next * next;
            *y = next;
            below_next = *below;
            product += right * next;
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(a: u32, b: u32) -> Link {
        Link { a, b, ..Link::UNIT }
    }

    #[test]
    fn rows_and_columns_of_a_net_are_its_lines() {
        // Particles 0–1–2 above 3–4–5, links in a mixed order, and a second link from 2 to 1.
        let links = [(3, 4), (0, 3), (1, 2), (0, 1), (4, 1), (5, 4), (2, 5), (2, 1)];
        let links = links.map(|(a, b)| link(a, b));
        let (order, lines) = Lines::follow_links(&links);
        assert_eq!(order, [3, 2, 0, 5, 1, 4, 6, 7]);
        let continues = [false, true, false, true, false, false, false, false];
        assert_eq!(lines.continues, continues);
    }

    #[test]
    fn lines_are_solved_to_rounding() {
        let links: Vec<Link> = (0..9).map(|i| link(i, i + 1)).collect();
        let (_, mut lines) = Lines::follow_links(&links);
        let left = |row: usize| -0.9 / (row as f64 + 1.0);
        lines.factor(|row| (2.0, left(row)));
        let right: Vec<f64> = (0..9).map(|i| (i * 7 % 5) as f64 - 2.0).collect();
        let mut y = vec![0.0; 9];
        let product = lines.solve(&right, &mut y);
        for row in 0..9 {
            let before = if row > 0 { left(row) * y[row - 1] } else { 0.0 };
            let after = if row < 8 { left(row + 1) * y[row + 1] } else { 0.0 };
            assert!((before + 2.0 * y[row] + after - right[row]).abs() < 1e-15, "{y:?}");
        }
        let sum: f64 = right.iter().zip(&y).map(|(a, b)| a * b).sum();
        assert!((product - sum).abs() < 1e-14, "product {product}, sum {sum}");
    }
}
