//! Search for the particles that a selection in a scene file names.

use super::bodies::{CheckedBodies, NamedBody};
use super::unknown;
use crate::mesh::Grid;
use crate::typed::located::{Fault, Located};
use crate::typed::particles::{Corner, Edge, Particles};

/// Upper limit of the number of particles in all selections of a file, repetitions included. They
/// need 128 MiB of memory and a second of work.
const MOST_SELECTED: u64 = 1 << 25;

impl CheckedBodies {
    pub(super) fn find_one(&self, which: &Located<Particles>) -> Result<u32, Fault> {
        if let Particles::Particle(i) = **which {
            which.blame(self.exist(&[i]))?;
            return Ok(i);
        }
        match self.find(which)?[..] {
            [particle] => Ok(particle),
            ref several => {
                Err(which.fault(format!("found {} particles, expected one", several.len())))
            }
        }
    }

    /// Returns the selected particles in ascending order.
    pub(super) fn find(&self, which: &Located<Particles>) -> Result<Vec<u32>, Fault> {
        let mut found = Vec::new();
        which.blame(self.collect(which, &mut found))?;
        // The stable sort is faster here, because the list consists of ascending runs.
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn collect(&self, which: &Particles, found: &mut Vec<u32>) -> Result<(), String> {
        match which {
            Particles::All => self.select(found, 0..self.mesh.positions.len() as u32)?,
            Particles::Particle(i) => {
                self.exist(&[*i])?;
                found.push(*i);
            }
            Particles::Numbers(numbers) => {
                self.exist(numbers)?;
                self.select(found, numbers.iter().copied())?;
            }
            Particles::Body(name) => match self.body(name)? {
                NamedBody::Particle(i) => found.push(*i),
                NamedBody::Balls(balls) => self.select(found, balls.clone())?,
                NamedBody::Rope(particles) => self.select(found, particles.iter().copied())?,
                NamedBody::Sheet(grid) => self.select(found, grid.first..grid.at(0, grid.rows))?,
            },
            Particles::Start(name) => found.extend(self.rope_named(name)?.first()),
            Particles::End(name) => found.extend(self.rope_named(name)?.last()),
            Particles::Node(name, k) => {
                let rope = self.rope_named(name)?;
                found.push(*rope.get(*k as usize).ok_or_else(|| {
                    format!(
                        "found node {k} of \"{name}\", expected 0 to {}: it has {} particles",
                        rope.len() - 1,
                        rope.len()
                    )
                })?);
            }
            Particles::Corner(name, which) => found.push(corner(self.sheet_named(name)?, *which)),
            Particles::Edge(name, which) => found.extend(edge(self.sheet_named(name)?, *which)),
            Particles::Knot(name, column, row) => {
                let grid = self.sheet_named(name)?;
                if *column >= grid.columns || *row >= grid.rows {
                    return Err(format!(
                        "found knot ({column}, {row}) of \"{name}\", expected columns 0 to {} and \
                         rows 0 to {}",
                        grid.columns - 1,
                        grid.rows - 1
                    ));
                }
                found.push(grid.at(*column, *row));
            }
            Particles::Any(list) => {
                for which in list {
                    self.collect(which, found)?;
                }
            }
        }
        Ok(())
    }

    /// Adds particles to the selection; returns an error if all selections of the file have too
    /// many.
    fn select(
        &self,
        found: &mut Vec<u32>,
        particles: impl ExactSizeIterator<Item = u32>,
    ) -> Result<(), String> {
        let before = self.selected.get();
        let total = before + particles.len() as u64;
        if total > MOST_SELECTED {
            return Err(format!(
                "this selects {} particles and what stands before it {before}, expected at most \
                 {MOST_SELECTED} in a file",
                particles.len()
            ));
        }
        self.selected.set(total);
        found.extend(particles);
        Ok(())
    }

    pub(super) fn exist(&self, particles: &[u32]) -> Result<(), String> {
        let count = self.mesh.positions.len();
        match particles.iter().find(|&&i| i as usize >= count) {
            None => Ok(()),
            Some(i) if count == 0 => Err(format!("found particle {i}, but there is none yet")),
            Some(i) => Err(format!("found particle {i}, expected 0 to {}", count - 1)),
        }
    }

    fn body(&self, name: &str) -> Result<&NamedBody, String> {
        let names = self.named.keys().map(String::as_str);
        let place = self.named.get(name).map(|place| &self.list[*place]);
        place.ok_or_else(|| unknown("rope, net, cloth or particle", name, names))
    }

    fn rope_named(&self, name: &str) -> Result<&[u32], String> {
        match self.body(name)? {
            NamedBody::Rope(particles) => Ok(particles),
            other => Err(format!("\"{name}\" is {}, expected a rope", other.kind())),
        }
    }

    fn sheet_named(&self, name: &str) -> Result<Grid, String> {
        match self.body(name)? {
            NamedBody::Sheet(grid) => Ok(*grid),
            other => Err(format!("\"{name}\" is {}, expected a net or cloth", other.kind())),
        }
    }
}

/// Returns the particle at a corner of a net or cloth.
fn corner(grid: Grid, corner: Corner) -> u32 {
    let (right, bottom) = (grid.columns - 1, grid.rows - 1);
    match corner {
        Corner::TopLeft => grid.at(0, 0),
        Corner::TopRight => grid.at(right, 0),
        Corner::BottomLeft => grid.at(0, bottom),
        Corner::BottomRight => grid.at(right, bottom),
    }
}

/// Returns the particles along an edge of a net or cloth.
fn edge(grid: Grid, edge: Edge) -> Vec<u32> {
    let (right, bottom) = (grid.columns - 1, grid.rows - 1);
    match edge {
        Edge::Top => (0..=right).map(|column| grid.at(column, 0)).collect(),
        Edge::Bottom => (0..=right).map(|column| grid.at(column, bottom)).collect(),
        Edge::Left => (0..=bottom).map(|row| grid.at(0, row)).collect(),
        Edge::Right => (0..=bottom).map(|row| grid.at(right, row)).collect(),
    }
}
