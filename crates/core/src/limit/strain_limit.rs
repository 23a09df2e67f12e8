//! Strain limit: at the end of a substep the length of every link is from (1 − s) l₀ to (1 + s) l₀,
//! with the rest length l₀ and the limit s.
//!
//! One round brings the links that are out of bounds to their bounds, by end displacements d with
//! the least Σ m d²/2 (Provot 1995, with the mass norm of Goldenthal 2007), so momentum is
//! conserved. The links on paths to pins form a tree. One elimination from the tips to the pins
//! solves the whole tree: the particles beyond a particle p add to its mass matrix M and its
//! right-hand side g. For a link along n from p to a particle c beyond it, which is too long by C:
//!
//! k = 1/(n·M_c⁻¹n),   M_p += k n nᵀ,   g_p += k (n·M_c⁻¹g_c − C) n
//!
//! Then, from the pins outward, d_c = M_c⁻¹(n λ − g_c) with λ = k (n·d_p − C + n·M_c⁻¹g_c). Other
//! links, and bodies without a pin, get one sweep per round. A last pass from the pins outward
//! removes the excess that remains in the tree, so that the bounds are satisfied exactly on ropes
//! and trees with a pin. This pass moves only the end of a link that is further from the pin.

use super::paths::PathStep;
use glam::{DMat3, DVec3};
use ropelab_mechanics::mesh::{Link, Links};

/// Largest number of rounds. A round that moves no particle is the last.
const MOST_ROUNDS: u32 = 8;

/// Elimination data of one particle of the tree: sums over the particles beyond it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Branch {
    /// Mass matrix M in kg, and later its inverse.
    mass: DMat3,
    pull: DVec3,
    displacement: DVec3,
    /// Unit vector along the link to the parent if this link was out of bounds in this substep;
    /// otherwise zero.
    normal: DVec3,
    /// Excess length of the link to the parent, in metres along `normal`.
    excess: f64,
    is_out: bool,
}

/// Structure that the strain limit works on: all links, paths to pins, inverse masses.
#[derive(Clone, Copy)]
pub(super) struct Structure<'a> {
    pub links: &'a Links,
    pub steps: &'a [PathStep],
    pub w: &'a [f64],
}

/// Moves positions `x` so that the absolute strain of every link is at most `strain`, in at most
/// [`MOST_ROUNDS`] rounds. Adds displacement times mass to `mass_times_displacement`. `branches`
/// has one entry per particle. Returns true if any particle moved.
pub(super) fn enforce(
    strain: f64,
    structure: Structure,
    branches: &mut [Branch],
    x: &mut [DVec3],
    mass_times_displacement: &mut [DVec3],
) -> bool {
    let Structure { links, steps, w } = structure;
    let mut moved = false;
    branches.iter_mut().for_each(|branch| branch.is_out = false);
    for round in 0..MOST_ROUNDS {
        let mut out_of_bounds = solve_tree(strain, structure, branches, x, mass_times_displacement);
        let mut visit = |number: usize| {
            out_of_bounds |=
                bring_within_bounds(strain, &links.at(number), w, x, mass_times_displacement);
        };
        // Sweeps alternate their direction, so that corrections travel along a rope in either order
        // of its links.
        match round % 2 {
            0 => (0..links.len()).for_each(&mut visit),
            _ => (0..links.len()).rev().for_each(&mut visit),
        }
        moved |= out_of_bounds;
        if !out_of_bounds {
            return moved;
        }
    }
    for step in steps {
        let (i, parent, pin) = (step.particle as usize, step.parent as usize, step.pin as usize);
        let excess = excess(strain, &links.at(step.link as usize), x[i] - x[parent]);
        let push = excess / w[i];
        x[i] -= excess;
        mass_times_displacement[i] -= push;
        mass_times_displacement[pin] += push;
    }
    moved
}

/// Runs one elimination over the path links that are out of bounds or were so earlier in this
/// substep. Returns true if any link is out of bounds.
fn solve_tree(
    strain: f64,
    Structure { links, steps, w }: Structure,
    branches: &mut [Branch],
    x: &mut [DVec3],
    mass_times_displacement: &mut [DVec3],
) -> bool {
    let mut any_out = false;
    for step in steps {
        let i = step.particle as usize;
        let offset = x[i] - x[step.parent as usize];
        let link = links.at(step.link as usize);
        let excess = excess(strain, &link, offset);
        let branch = &mut branches[i];
        any_out |= excess != DVec3::ZERO;
        branch.is_out |= excess != DVec3::ZERO;
        branch.normal = if branch.is_out { offset.normalize_or_zero() } else { DVec3::ZERO };
        branch.excess = excess.dot(branch.normal);
        branch.mass = DMat3::from_diagonal(DVec3::splat(1.0 / w[i]));
        branch.pull = DVec3::ZERO;
    }
    if !any_out {
        return false;
    }
    for step in steps.iter().rev() {
        let (i, parent) = (step.particle as usize, step.parent as usize);
        branches[i].mass = branches[i].mass.inverse();
        let Branch { mass: inverse, pull, normal: n, excess, .. } = branches[i];
        if n != DVec3::ZERO && step.parent != step.pin {
            let k = 1.0 / n.dot(inverse * n);
            branches[parent].mass += DMat3::from_cols(n * n.x, n * n.y, n * n.z) * k;
            branches[parent].pull += n * (k * (n.dot(inverse * pull) - excess));
        }
    }
    for step in steps {
        let (i, pin) = (step.particle as usize, step.pin as usize);
        let before = match step.parent == step.pin {
            true => DVec3::ZERO,
            false => branches[step.parent as usize].displacement,
        };
        let Branch { mass: inverse, pull, normal: n, excess, .. } = branches[i];
        let mut force = -pull;
        if n != DVec3::ZERO {
            let k = 1.0 / n.dot(inverse * n);
            force += n * (k * (n.dot(before) - excess + n.dot(inverse * pull)));
        }
        let displacement = inverse * force;
        branches[i].displacement = displacement;
        x[i] += displacement;
        let push = displacement / w[i];
        mass_times_displacement[i] += push;
        mass_times_displacement[pin] -= push;
    }
    true
}

/// Moves both ends of a link until its strain is within bounds, the lighter end further. Returns
/// true if the link was out of bounds.
fn bring_within_bounds(
    strain: f64,
    link: &Link,
    w: &[f64],
    x: &mut [DVec3],
    mass_times_displacement: &mut [DVec3],
) -> bool {
    let (a, b) = (link.a as usize, link.b as usize);
    let sum = w[a] + w[b];
    if link.is_cut() || sum == 0.0 {
        return false;
    }
    let push = excess(strain, link, x[b] - x[a]) / sum;
    x[a] += push * w[a];
    x[b] -= push * w[b];
    mass_times_displacement[a] += push;
    mass_times_displacement[b] -= push;
    push != DVec3::ZERO
}

/// Returns the excess of a link's length over its bound, as a vector along `offset`, the vector
/// between the ends. The excess points against `offset` if the link is too short, and is zero
/// within bounds.
fn excess(strain: f64, link: &Link, offset: DVec3) -> DVec3 {
    let squared = offset.length_squared();
    let (shortest, longest) = ((1.0 - strain).max(0.0) * link.rest, (1.0 + strain) * link.rest);
    let bound = if squared > longest * longest {
        longest
    } else if squared < shortest * shortest && squared > 0.0 && !link.one_sided {
        shortest
    } else {
        return DVec3::ZERO;
    };
    offset * (1.0 - bound / squared.sqrt())
}
