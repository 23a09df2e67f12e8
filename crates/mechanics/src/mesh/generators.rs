//! Mesh generators: particles, links, bends and faces of ropes, nets and cloths.

use super::bends::{Bend, Bends};
use super::faces::Faces;
use super::grid::Grid;
use super::link::{Link, LinkKind};
use super::links::Links;
use glam::DVec3;

/// Particles with their links, bends and triangles, as built by the mesh generators.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Initial positions in metres, one per particle.
    pub positions: Vec<DVec3>,
    /// Masses in kilograms, all positive, one per particle. Pins are declared separately.
    pub masses: Vec<f64>,
    /// Links, in the generators' order.
    pub links: Links,
    /// Bends: triples of consecutive particles that resist bending.
    pub bends: Bends,
    /// Triangles of cloths, for wind.
    pub faces: Faces,
    /// Particle chains to be drawn as ropes.
    pub ropes: Vec<Chain>,
    /// Particle grids to be drawn as cloths.
    pub cloths: Vec<Grid>,
}

/// Particles to be drawn as one rope.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// Indices of the particles, from one end of the rope to the other.
    pub particles: Vec<u32>,
    /// Radius of the rope in metres.
    pub radius: f64,
}

/// Material of a rope or net.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RopeMaterial {
    /// Mass per length in kg/m.
    pub mass_per_metre: f64,
    /// Axial stiffness EA in newtons. A link of rest length L has the stiffness EA/L in N/m.
    pub stiffness: f64,
    /// Axial damping in N·s. A link of rest length L has the damping coefficient damping/L in
    /// N·s/m.
    pub damping: f64,
    /// Axial stiffness in newtons of additional links between second neighbours, which resist
    /// bending; 0 = no such links.
    pub bend_stiffness: f64,
    /// Flexural rigidity EI of the bends in N·m²; 0 = no bends.
    pub flexural_rigidity: f64,
    /// True if constraint solvers treat the links as inextensible. Springs always use `stiffness`.
    pub rigid: bool,
    /// True if the links resist stretch but not compression.
    pub one_sided: bool,
    /// Radius in metres, used for drawing only.
    pub radius: f64,
}

impl RopeMaterial {
    /// Returns a link of this material between two particles. `rest` is the rest length in metres.
    pub fn link(&self, [a, b]: [u32; 2], rest: f64, kind: LinkKind) -> Link {
        let is_structural = kind == LinkKind::Structural;
        let stiffness = if is_structural { self.stiffness } else { self.bend_stiffness };
        Link {
            a,
            b,
            rest,
            stiffness: stiffness / rest,
            damping: self.damping / rest,
            kind,
            one_sided: self.one_sided && is_structural,
            rigid: self.rigid && is_structural,
        }
    }
}

/// Material of a cloth. Stiffnesses are in N/m per link, as in the mass-spring model of Provot
/// (1995), "Deformation constraints in a mass-spring model".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothMaterial {
    /// Mass per area in kg/m².
    pub areal_density: f64,
    /// Stiffness of links along rows and columns, in N/m.
    pub stretch_stiffness: f64,
    /// Stiffness of the diagonals of cells, in N/m; 0 = no diagonals.
    pub shear_stiffness: f64,
    /// Stiffness of links between second neighbours along rows and columns, in N/m; 0 = no such
    /// links.
    pub bend_stiffness: f64,
    /// Flexural rigidity EI of bends along rows and columns, per metre of width, in N·m; 0 = no
    /// bends.
    pub flexural_rigidity: f64,
    /// Damping coefficient of every link in N·s/m.
    pub damping: f64,
    /// True if structural and shear links are inextensible for constraint solvers.
    pub rigid: bool,
    /// True if structural and shear links resist stretch but not compression.
    pub one_sided: bool,
}

impl Default for RopeMaterial {
    /// Soft cord: a rope of 1.5 m with twenty links is stable under explicit integrators at dt = 1
    /// ms.
    fn default() -> Self {
        Self {
            mass_per_metre: 0.1,
            stiffness: 200.0,
            damping: 0.02,
            bend_stiffness: 0.0,
            flexural_rigidity: 0.0,
            rigid: false,
            one_sided: false,
            radius: 0.015,
        }
    }
}

impl Default for ClothMaterial {
    /// Light cloth: a cloth with cells of 5 cm is stable under explicit integrators at dt = 1 ms.
    fn default() -> Self {
        Self {
            areal_density: 0.3,
            stretch_stiffness: 150.0,
            shear_stiffness: 30.0,
            bend_stiffness: 2.0,
            flexural_rigidity: 0.0,
            damping: 0.01,
            rigid: false,
            one_sided: false,
        }
    }
}

impl Mesh {
    /// Appends a particle. Returns its index.
    pub fn particle(&mut self, position: DVec3, mass: f64) -> u32 {
        self.positions.push(position);
        self.masses.push(mass);
        self.positions.len() as u32 - 1
    }

    /// Appends a straight rope of `segments` links between the points `from` and `to`. `length` is
    /// its rest length in metres, which may differ from the distance between the points. Each end
    /// particle has half the mass of a segment. Returns the particle indices from `from` to `to`.
    pub fn rope(
        &mut self,
        from: DVec3,
        to: DVec3,
        length: f64,
        segments: u32,
        material: &RopeMaterial,
    ) -> Vec<u32> {
        let point = |i| from.lerp(to, f64::from(i) / f64::from(segments));
        let points: Vec<DVec3> = (0..=segments).map(point).collect();
        self.rope_through(&points, [None, None], length, material)
    }

    /// Appends a rope of rest length `length` (in metres) through `points`, with one particle per
    /// point. If `tied` gives an existing particle for an end, the rope uses it as this end and
    /// adds half the mass of a segment to it. Returns the particle indices from end to end.
    pub fn rope_through(
        &mut self,
        points: &[DVec3],
        tied: [Option<u32>; 2],
        length: f64,
        material: &RopeMaterial,
    ) -> Vec<u32> {
        let segments = points.len() - 1;
        let rest = length / segments as f64;
        let segment_mass = material.mass_per_metre * length / segments as f64;
        let mut particles = Vec::with_capacity(points.len());
        for (i, &point) in points.iter().enumerate() {
            let end = i == 0 || i == segments;
            let mass = if end { 0.5 * segment_mass } else { segment_mass };
            match tied[usize::from(i == segments)].filter(|_| end) {
                Some(particle) => {
                    self.masses[particle as usize] += mass;
                    particles.push(particle);
                }
                None => particles.push(self.particle(point, mass)),
            }
        }
        self.chain_links(&particles, rest, material);
        self.ropes.push(Chain { particles: particles.clone(), radius: material.radius });
        particles
    }

    /// Links consecutive particles at a rest distance of `rest` metres. Adds links between second
    /// neighbours if the material has a bend stiffness, and bends if it has a flexural rigidity.
    fn chain_links(&mut self, particles: &[u32], rest: f64, material: &RopeMaterial) {
        for pair in particles.windows(2) {
            self.links.push(material.link([pair[0], pair[1]], rest, LinkKind::Structural));
        }
        if material.bend_stiffness > 0.0 {
            for trio in particles.windows(3) {
                self.links.push(material.link([trio[0], trio[2]], 2.0 * rest, LinkKind::Bend));
            }
        }
        if material.flexural_rigidity > 0.0 {
            self.bends.extend(particles.windows(3).map(|trio| Bend {
                particles: [trio[0], trio[1], trio[2]],
                rest: [rest; 2],
                rigidity: material.flexural_rigidity,
            }));
        }
    }

    /// Appends a cloth of `columns` × `rows` cells on the parallelogram with the corner `corner`
    /// and the sides `u` and `v`. Each particle has a quarter of the mass of each adjacent cell.
    pub fn cloth(
        &mut self,
        corner: DVec3,
        u: DVec3,
        v: DVec3,
        [columns, rows]: [u32; 2],
        material: &ClothMaterial,
    ) -> Grid {
        let cell_area = u.cross(v).length() / (f64::from(columns) * f64::from(rows));
        let quarter = 0.25 * cell_area * material.areal_density;
        let grid = self.grid_particles(corner, u, v, [columns, rows], quarter);
        self.grid_links(grid, material);
        let cell = [u.length() / f64::from(columns), v.length() / f64::from(rows)];
        self.grid_bends(grid, cell, cell_area, material);
        self.faces.push_grid(grid);
        self.cloths.push(grid);
        grid
    }

    /// Appends a net of crossing ropes: links along rows and columns, no diagonals, no faces. Each
    /// row and each column has the masses and stiffnesses of a rope of this material.
    pub fn net(
        &mut self,
        corner: DVec3,
        u: DVec3,
        v: DVec3,
        cells: [u32; 2],
        material: &RopeMaterial,
    ) -> Grid {
        let grid = self.grid_particles(corner, u, v, cells, 0.0);
        let across = u.length() / f64::from(cells[0]);
        let down = v.length() / f64::from(cells[1]);
        let rows: Vec<Vec<u32>> = (0..grid.rows)
            .map(|row| (0..grid.columns).map(|column| grid.at(column, row)).collect())
            .collect();
        let columns: Vec<Vec<u32>> = (0..grid.columns)
            .map(|column| (0..grid.rows).map(|row| grid.at(column, row)).collect())
            .collect();
        for (runs, rest) in [(rows, across), (columns, down)] {
            for particles in runs {
                for pair in particles.windows(2) {
                    for &end in pair {
                        self.masses[end as usize] += 0.5 * material.mass_per_metre * rest;
                    }
                }
                self.chain_links(&particles, rest, material);
                self.ropes.push(Chain { particles, radius: material.radius });
            }
        }
        grid
    }

    fn grid_particles(
        &mut self,
        corner: DVec3,
        u: DVec3,
        v: DVec3,
        [columns, rows]: [u32; 2],
        quarter: f64,
    ) -> Grid {
        let first = self.positions.len() as u32;
        let particles = ((columns + 1) * (rows + 1)) as usize;
        self.positions.reserve_exact(particles);
        self.masses.reserve_exact(particles);
        for row in 0..=rows {
            for column in 0..=columns {
                let (s, t) =
                    (f64::from(column) / f64::from(columns), f64::from(row) / f64::from(rows));
                let cells_beside = |i: u32, n: u32| if i == 0 || i == n { 1.0 } else { 2.0 };
                let cells = cells_beside(column, columns) * cells_beside(row, rows);
                self.particle(corner + s * u + t * v, quarter * cells);
            }
        }
        Grid { first, columns: columns + 1, rows: rows + 1 }
    }

    fn grid_links(&mut self, grid: Grid, material: &ClothMaterial) {
        self.links.reserve(grid_links(grid, material));
        let mut join = |a: u32, b: u32, stiffness: f64, kind: LinkKind| {
            if stiffness <= 0.0 {
                return;
            }
            self.links.push(Link {
                a,
                b,
                rest: self.positions[a as usize].distance(self.positions[b as usize]),
                stiffness,
                damping: material.damping,
                kind,
                one_sided: material.one_sided && kind != LinkKind::Bend,
                rigid: material.rigid && kind != LinkKind::Bend,
            });
        };
        for row in 0..grid.rows {
            for column in 0..grid.columns {
                let (right, down) = (column + 1 < grid.columns, row + 1 < grid.rows);
                let here = grid.at(column, row);
                let stretch = material.stretch_stiffness;
                if right {
                    join(here, grid.at(column + 1, row), stretch, LinkKind::Structural);
                }
                if down {
                    join(here, grid.at(column, row + 1), stretch, LinkKind::Structural);
                }
                if right && down {
                    let [a, b, c, d] = grid.cell(column, row);
                    join(a, d, material.shear_stiffness, LinkKind::Shear);
                    join(b, c, material.shear_stiffness, LinkKind::Shear);
                }
                if column + 2 < grid.columns {
                    let far = grid.at(column + 2, row);
                    join(here, far, material.bend_stiffness, LinkKind::Bend);
                }
                if row + 2 < grid.rows {
                    let far = grid.at(column, row + 2);
                    join(here, far, material.bend_stiffness, LinkKind::Bend);
                }
            }
        }
    }

    /// Appends bends along each row and each column. Each of these lines represents a strip of
    /// cloth that extends half a cell to either side, i.e. has the width (cell area)/(cell length).
    /// A line at an edge represents half of that width.
    fn grid_bends(
        &mut self,
        grid: Grid,
        [across, down]: [f64; 2],
        cell_area: f64,
        material: &ClothMaterial,
    ) {
        if material.flexural_rigidity <= 0.0 {
            return;
        }
        let Grid { columns, rows, .. } = grid;
        let rigidity = |line: u32, lines: u32, length: f64| {
            let part = if line == 0 || line + 1 == lines { 0.5 } else { 1.0 };
            part * material.flexural_rigidity * (cell_area / length)
        };
        for row in 0..rows {
            self.bends.extend((2..columns).map(|column| Bend {
                particles: [column - 2, column - 1, column].map(|column| grid.at(column, row)),
                rest: [across; 2],
                rigidity: rigidity(row, rows, across),
            }));
        }
        for row in 2..rows {
            self.bends.extend((0..columns).map(|column| Bend {
                particles: [row - 2, row - 1, row].map(|row| grid.at(column, row)),
                rest: [down; 2],
                rigidity: rigidity(column, columns, down),
            }));
        }
    }
}

/// Returns how many links `Mesh::grid_links` appends, to reserve memory for them.
fn grid_links(Grid { columns, rows, .. }: Grid, material: &ClothMaterial) -> usize {
    let links_of = |stiffness: f64, links: u32| if stiffness > 0.0 { links as usize } else { 0 };
    let along =
        |step: u32| columns.saturating_sub(step) * rows + columns * rows.saturating_sub(step);
    links_of(material.stretch_stiffness, along(1))
        + links_of(material.shear_stiffness, 2 * (columns - 1) * (rows - 1))
        + links_of(material.bend_stiffness, along(2))
}
