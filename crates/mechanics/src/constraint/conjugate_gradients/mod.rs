//! Solution of all links of a net or cloth together, by conjugate gradients.

mod lines;
mod positions;
mod velocities;

use super::solver_data::SolverData;
use crate::mesh::{Bends, Link, Links};
use glam::DVec3;
use lines::Lines;

/// Row of one link in the matrices J and G.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    /// Row of J: unit vector from end a to end b, along which the multiplier acts. Zero for an
    /// inactive link.
    normal: DVec3,
    /// Row of G, the gradient of the link's equation: `normal`, or in SHAKE the link's current
    /// vector divided by its rest length.
    gradient: DVec3,
    a: u32,
    b: u32,
}

/// Links of a net in the order of its [`Lines`], with buffers for solves.
///
/// Conjugate gradients solve the velocity equations. BiCGSTAB (van der Vorst 1992, SIAM J. Sci.
/// Stat. Comput. 13, 631) solves the position equations, because their matrix is not symmetric once
/// links have turned. Both methods use the matrices of [`Lines`] as the preconditioner. Every solve starts
/// from 0, so a step does not depend on the solves of earlier steps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NetSystem {
    links: Vec<Link>,
    /// Row of each link, by the link's index in the mesh.
    row_of: Vec<u32>,
    lines: Lines,
    rows: Vec<Row>,
    /// Right-hand side of the equations; during a solve the residual.
    residual: Vec<f64>,
    /// Solution y: the multipliers of the links.
    y: Vec<f64>,
    direction: Vec<f64>,
    /// Preconditioned search direction (positions), or preconditioned residual (velocities).
    conditioned: Vec<f64>,
    /// Matrix times search direction.
    product: Vec<f64>,
    /// BiCGSTAB: the initial residual, fixed during a solve.
    shadow: Vec<f64>,
    /// BiCGSTAB: preconditioned residual.
    conditioned_residual: Vec<f64>,
    /// BiCGSTAB: matrix times preconditioned residual.
    product_of_residual: Vec<f64>,
    /// Displacements W Jᵀ y of the particles by the multipliers y.
    displacements: Vec<DVec3>,
    before: Vec<DVec3>,
}

impl SolverData for NetSystem {
    fn of(links: &Links, _bends: &Bends, particles: usize) -> Self {
        let all: Vec<Link> = links.iter().collect();
        let (order, lines) = Lines::follow_links(&all);
        let mut row_of = vec![0; all.len()];
        for (row, number) in (0..).zip(&order) {
            row_of[*number as usize] = row;
        }
        let links: Vec<Link> = order.iter().map(|number| all[*number as usize]).collect();
        let zero = DVec3::ZERO;
        let row = |link: &Link| Row { normal: zero, gradient: zero, a: link.a, b: link.b };
        let zeros = || vec![0.0; links.len()];
        Self {
            rows: links.iter().map(row).collect(),
            residual: zeros(),
            y: zeros(),
            direction: zeros(),
            conditioned: zeros(),
            product: zeros(),
            shadow: zeros(),
            conditioned_residual: zeros(),
            product_of_residual: zeros(),
            displacements: vec![DVec3::ZERO; particles],
            before: Vec::new(),
            row_of,
            lines,
            links,
        }
    }

    fn cut(&mut self, link: usize) {
        self.links[self.row_of[link] as usize].rest = f64::NAN;
    }
}

impl NetSystem {
    /// Sets each row to the direction of its link at `x`, or to zero if the link is inactive, and
    /// factors the preconditioner. `is_active` receives a link and its direction.
    fn set_directions(&mut self, w: &[f64], x: &[DVec3], is_active: impl Fn(&Link, DVec3) -> bool) {
        for (row, link) in self.rows.iter_mut().zip(&self.links) {
            let (a, b) = (link.a as usize, link.b as usize);
            let can_move = w[a] + w[b] > 0.0 && !link.is_cut();
            let normal = (x[b] - x[a]).try_normalize().filter(|_| can_move);
            row.normal = normal.filter(|n| is_active(link, *n)).unwrap_or(DVec3::ZERO);
            row.gradient = row.normal;
        }
        let rows = &self.rows;
        self.lines.factor(|number| {
            let row = &rows[number];
            let sum = (w[row.a as usize] + w[row.b as usize]) * row.normal.length_squared();
            let left = number.checked_sub(1).map_or(0.0, |before| coupling(&rows[before], row, w));
            (if sum > 0.0 { sum } else { 1.0 }, left)
        });
    }
}

/// Computes `product` = G W Jᵀ y, with G and J from `rows` and the inverse masses W.
/// `displacements` becomes W Jᵀ y.
fn apply_matrix(
    rows: &[Row],
    y: &[f64],
    w: &[f64],
    displacements: &mut [DVec3],
    product: &mut [f64],
) {
    apply_multipliers(rows, y, w, displacements);
    for (product, row) in product.iter_mut().zip(rows) {
        *product = row.gradient.dot(displacements[row.b as usize] - displacements[row.a as usize]);
    }
}

/// Computes the displacements W Jᵀ y of the particles by multipliers y (J: link directions, W:
/// inverse masses).
fn apply_multipliers(rows: &[Row], y: &[f64], w: &[f64], displacements: &mut [DVec3]) {
    displacements.fill(DVec3::ZERO);
    for (row, y) in rows.iter().zip(y) {
        let impulse = row.normal * *y;
        displacements[row.a as usize] -= impulse;
        displacements[row.b as usize] += impulse;
    }
    displacements.iter_mut().zip(w).for_each(|(displacement, w)| *displacement *= *w);
}

/// Returns the element of J W Jᵀ (J: link directions, W: inverse masses) that couples two
/// consecutive links of a line.
fn coupling(before: &Row, row: &Row, w: &[f64]) -> f64 {
    let cosine = before.normal.dot(row.normal);
    let is_one_way = before.b == row.a || before.a == row.b;
    let shared = if row.a == before.a || row.a == before.b { row.a } else { row.b };
    let sign = if is_one_way { -1.0 } else { 1.0 };
    sign * w[shared as usize] * cosine
}
