//! Position projection of SHAKE in ropes and trees, by the elimination of the direct solver.

use super::{CONVERGED, DirectSystem, Equation};
use crate::constraint::multiplier::Multiplier;
use crate::constraint::particles::Particles;
use crate::mesh::Link;
use glam::DVec3;

/// Largest fraction of the error that a solve may leave. If it leaves more, sweeps take over.
const SHAKE_GAIN: f64 = 0.5;

/// Number of solves that restore lengths along the links' current directions. On a rope two solves
/// leave a relative error of 1e-7, four leave rounding errors.
const LENGTH_SOLVES: u32 = 4;
/// Largest number of further solves for lengths alone, if solves for the force balance have left
/// errors of lengths.
const MOST_LENGTH_SOLVES: u32 = 30;
/// Largest relative error of a length at which the free motion is not divided.
const LENGTH_ERROR: f64 = 1e-6;

/// True if the distance of two pins exceeds the length of the rope between them, so that no solve
/// can restore the lengths. `w` are the inverse masses (0 = pinned) and `x` the positions, with the
/// pins at their final positions.
fn is_too_short(links: &[Link], w: &[f64], x: &[DVec3]) -> bool {
    // Rope from a pin, followed link by link: index of the pin, and sum of the rest lengths so far.
    let mut row: Option<(usize, f64)> = None;
    let mut end = None;
    links.iter().any(|link| {
        let (a, b) = (link.a as usize, link.b as usize);
        let before = row.filter(|_| end == Some(a) && w[a] != 0.0);
        let begins = before.or((w[a] == 0.0).then_some((a, 0.0)));
        row = begins.map(|(pin, length)| (pin, length + link.rest));
        end = Some(b);
        let distance = |(pin, length): (usize, f64)| (x[b].distance(x[pin]), length);
        w[b] == 0.0
            && row.map(distance).is_some_and(|(far, length)| far > length * (1.0 + LENGTH_ERROR))
    })
}

impl DirectSystem {
    /// Projects the positions by SHAKE: finds multipliers along the links' directions at the start
    /// of the step for which all lengths are within the tolerance. Uses Newton's method with the
    /// matrix J W Jᵀ (J: these directions, W: inverse masses). Returns the number of solves. `None`
    /// if the method does not converge within `most` solves or a link turns by a right angle; `x`
    /// is then undefined.
    pub fn shake(&mut self, tolerance: f64, most: u32, particles: &mut Particles) -> Option<u32> {
        let &mut Particles { w, start, ref mut x, .. } = particles;
        if !self.can_reach_lengths() {
            return None;
        }
        self.multipliers.fill(Multiplier::default());
        self.times = None;
        self.set_directions(w, start);
        self.assemble(w);
        self.elimination.factor();
        let mut old_residual = f64::INFINITY;
        for solve in 0..=most {
            let new_residual = self.evaluate_squared_lengths(start, x)?;
            if new_residual <= 2.0 * tolerance {
                return Some(solve.max(1));
            }
            if new_residual.is_nan() || new_residual > SHAKE_GAIN * old_residual {
                return None;
            }
            old_residual = new_residual;
            self.elimination.solve(&self.right, &mut self.work, &mut self.change);
            self.compute_displacement(w, x);
            x.iter_mut().zip(&self.displacement).for_each(|(x, displacement)| *x += *displacement);
        }
        None
    }

    /// Restores the lengths of all links along their current directions, as the direct solver does
    /// with rigid links. Used if links turn so far that multipliers along their initial directions
    /// fail. Returns the number of solves. `None` on failure; `x` is then undefined.
    pub fn restore_lengths(&mut self, particles: &mut Particles) -> Option<u32> {
        if !self.can_reach_lengths() || is_too_short(&self.links, particles.w, particles.x) {
            return None;
        }
        let mut solves = self.project(LENGTH_SOLVES, None, LENGTH_ERROR, particles);
        // The solves below restore lengths only. Forces on light particles may remain unbalanced.
        let mut known = None;
        for _ in 0..MOST_LENGTH_SOLVES {
            if self.greatest <= LENGTH_ERROR {
                break;
            }
            known = self.solve(known, particles);
            solves += 1;
            if known.is_none() {
                break;
            }
        }
        (self.greatest <= CONVERGED).then_some(solves)
    }

    /// True if all links are two-sided and solved together.
    fn can_reach_lengths(&self) -> bool {
        !self.sweeps_some() && !self.links.iter().any(|link| link.one_sided)
    }

    /// Sets the direction in each link's equation to the link's direction at the start of the step.
    fn set_directions(&mut self, w: &[f64], start: &[DVec3]) {
        for (equation, &number) in self.equations.iter_mut().zip(&self.solved) {
            let link = &self.links[number as usize];
            let (a, b) = (link.a as usize, link.b as usize);
            let direction = (start[b] - start[a]).try_normalize();
            let is_active = direction.is_some() && w[a] + w[b] > 0.0 && !link.is_cut();
            let normal = direction.unwrap_or(DVec3::ZERO);
            *equation = Equation { normal, residual: 0.0, is_active };
        }
    }

    /// Computes the right-hand side −(l² − L²)/(2L) of all rows. Returns the largest |l² − L²|/L².
    /// `None` if a link has turned by a right angle or a length is not finite.
    fn evaluate_squared_lengths(&mut self, start: &[DVec3], x: &[DVec3]) -> Option<f64> {
        let mut greatest: f64 = 0.0;
        self.right.clear();
        for (equation, &number) in self.equations.iter().zip(&self.solved) {
            let link = &self.links[number as usize];
            let (a, b) = (link.a as usize, link.b as usize);
            let d = x[b] - x[a];
            let excess = d.length_squared() - link.rest * link.rest;
            if !equation.is_active {
                self.right.push(0.0);
                continue;
            }
            if (start[b] - start[a]).dot(d) <= 0.0 {
                return None;
            }
            let relative = excess.abs() / (link.rest * link.rest);
            greatest = if relative > greatest || relative.is_nan() { relative } else { greatest };
            self.right.push(-0.5 * excess / link.rest);
        }
        greatest.is_finite().then_some(greatest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `is_too_short` for a chain of links of 1 m between particles 0, 1, 2 …, with some
    /// particles pinned.
    fn too_short(pinned: &[usize], at: &[f64], cut: Option<usize>) -> bool {
        let x: Vec<DVec3> = at.iter().map(|x| DVec3::new(*x, 0.0, 0.0)).collect();
        let w: Vec<f64> = (0..x.len()).map(|i| f64::from(!pinned.contains(&i))).collect();
        let link = |k: usize| Link {
            rest: if cut == Some(k) { f64::NAN } else { 1.0 },
            a: k as u32,
            b: k as u32 + 1,
            ..Link::UNIT
        };
        let links: Vec<Link> = (0..x.len() - 1).map(link).collect();
        is_too_short(&links, &w, &x)
    }

    #[test]
    fn a_rope_is_too_short_between_pins_that_are_further_apart_than_its_links() {
        let taut = [0.0, 1.0, 2.0, 3.0];
        assert!(!too_short(&[0, 3], &taut, None));
        let long = [0.0, 1.5, 3.0, 4.0];
        assert!(too_short(&[0, 3], &long, None));
        assert!(too_short(&[0, 2], &long, None));
        assert!(!too_short(&[0, 3], &long, Some(1)));
        assert!(!too_short(&[0], &long, None) && !too_short(&[2, 3], &long, None));
    }
}
