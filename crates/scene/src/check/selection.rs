//! Search for the particles that a selection in a scene file names.

use super::bodies::{CheckedBodies, NamedBody};
use crate::error::unknown_name;
use crate::typed::located::{Fault, Located};
use crate::typed::particles::{Corner, Edge, Particles};
use ropelab_core::mesh::Grid;

/// Largest number of particles in all selections of a file together, including repetitions. So many
/// particles take 128 MiB of memory and one second of computing time.
const MOST_SELECTED: u64 = 1 << 25;

impl CheckedBodies {
    pub(super) fn find_particle(&self, which: &Located<Particles>) -> Result<u32, Fault> {
        if let Particles::Particle(i) = **which {
            which.blame(self.check_exist(&[i]))?;
            return Ok(i);
        }
        match self.find_particles(which)?[..] {
            [particle] => Ok(particle),
            ref several => {
                Err(which.fault(format!("found {} particles, expected one", several.len())))
            }
        }
    }

    /// Returns the selected particles in ascending order.
    pub(super) fn find_particles(&self, which: &Located<Particles>) -> Result<Vec<u32>, Fault> {
        let mut found = Vec::new();
        which.blame(self.collect_particles(which, &mut found))?;
        // A stable sort is faster here, because the list consists of ascending runs.
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn collect_particles(&self, which: &Particles, found: &mut Vec<u32>) -> Result<(), String> {
        match which {
            Particles::All => self.add_selected(found, 0..self.mesh.positions.len() as u32)?,
            Particles::Particle(i) => {
                self.check_exist(&[*i])?;
                found.push(*i);
            }
            Particles::Numbers(numbers) => {
                self.check_exist(numbers)?;
                self.add_selected(found, numbers.iter().copied())?;
            }
            Particles::Body(name) => match self.body_named(name)? {
                NamedBody::Particle(i) => found.push(*i),
                NamedBody::Balls(balls) => self.add_selected(found, balls.clone())?,
                NamedBody::Rope(particles) => {
                    self.add_selected(found, particles.iter().copied())?
                }
                NamedBody::Sheet(grid) => {
                    self.add_selected(found, grid.first..grid.at(0, grid.rows))?
                }
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
            Particles::Corner(name, which) => {
                found.push(corner_particle(self.sheet_named(name)?, *which))
            }
            Particles::Edge(name, which) => {
                found.extend(edge_particles(self.sheet_named(name)?, *which))
            }
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
                    self.collect_particles(which, found)?;
                }
            }
        }
        Ok(())
    }

    /// Adds particles to a selection. Returns an error if all selections of the file together
    /// contain too many particles.
    fn add_selected(
        &self,
        found: &mut Vec<u32>,
        particles: impl ExactSizeIterator<Item = u32>,
    ) -> Result<(), String> {
        let before = self.selected.get();
        let total = before + particles.len() as u64;
        if total > MOST_SELECTED {
            return Err(format!(
                "this selects {} particles and earlier selections {before}, expected at most \
                 {MOST_SELECTED} in a file",
                particles.len()
            ));
        }
        self.selected.set(total);
        found.extend(particles);
        Ok(())
    }

    pub(super) fn check_exist(&self, particles: &[u32]) -> Result<(), String> {
        let count = self.mesh.positions.len();
        match particles.iter().find(|&&i| i as usize >= count) {
            None => Ok(()),
            Some(i) if count == 0 => Err(format!("found particle {i}, but there is none yet")),
            Some(i) => Err(format!("found particle {i}, expected 0 to {}", count - 1)),
        }
    }

    fn body_named(&self, name: &str) -> Result<&NamedBody, String> {
        let names = self.named.keys().map(String::as_str);
        let place = self.named.get(name).map(|place| &self.list[*place]);
        place.ok_or_else(|| unknown_name("rope, net, cloth or particle", name, names))
    }

    fn rope_named(&self, name: &str) -> Result<&[u32], String> {
        match self.body_named(name)? {
            NamedBody::Rope(particles) => Ok(particles),
            other => Err(format!("\"{name}\" is {}, expected a rope", other.kind())),
        }
    }

    fn sheet_named(&self, name: &str) -> Result<Grid, String> {
        match self.body_named(name)? {
            NamedBody::Sheet(grid) => Ok(*grid),
            other => Err(format!("\"{name}\" is {}, expected a net or cloth", other.kind())),
        }
    }
}

fn corner_particle(grid: Grid, corner: Corner) -> u32 {
    let (right, bottom) = (grid.columns - 1, grid.rows - 1);
    match corner {
        Corner::TopLeft => grid.at(0, 0),
        Corner::TopRight => grid.at(right, 0),
        Corner::BottomLeft => grid.at(0, bottom),
        Corner::BottomRight => grid.at(right, bottom),
    }
}

fn edge_particles(grid: Grid, edge: Edge) -> Vec<u32> {
    let (right, bottom) = (grid.columns - 1, grid.rows - 1);
    match edge {
        Edge::Top => (0..=right).map(|column| grid.at(column, 0)).collect(),
        Edge::Bottom => (0..=right).map(|column| grid.at(column, bottom)).collect(),
        Edge::Left => (0..=bottom).map(|row| grid.at(0, row)).collect(),
        Edge::Right => (0..=bottom).map(|row| grid.at(right, row)).collect(),
    }
}
