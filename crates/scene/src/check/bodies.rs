//! Assembly of all bodies of a scene (particles, balls, nets, cloths and ropes) into one mesh.

use super::materials::Materials;
use crate::geometry::catenary::catenary;
use crate::typed::file::{MassFile, ParticleFile, SheetFile};
use crate::typed::located::{Fault, Located};
use crate::typed::number::Point;
use crate::typed::particles::Particles;
use crate::typed::rope_file::RopeFile;
use glam::DVec3;
use ropelab_core::contact::{Geometry, Layer};
use ropelab_core::mesh::{Grid, Link, Mesh};
use ropelab_core::model::{ScheduledThrow, Strength};
use ropelab_core::quantity::magnitude::{
    GREATEST, LEAST, format_six_digits, is_moderate, is_moderate_positive,
};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;

/// Smallest area of a cloth or net, as a fraction of the product of its edge lengths. A sheet with
/// a smaller area is nearly a line and is rejected.
const THINNEST_PARALLELOGRAM: f64 = 1e-9;

/// Mesh under construction, with the names of its bodies.
#[derive(Default)]
pub(super) struct CheckedBodies {
    pub mesh: Mesh,
    pub contact: Geometry,
    /// Balls that are thrown after time 0, sorted by time.
    pub throws: Vec<ScheduledThrow>,
    /// Ranges of links that can tear, each with the strength of its links.
    pub strengths: Vec<(Range<u32>, Strength)>,
    /// Initial velocities of single particles and balls, in m/s.
    pub velocities: Vec<DVec3>,
    /// All bodies, in the order of their creation.
    pub list: Vec<NamedBody>,
    /// Index of each named body in `list`.
    pub named: BTreeMap<String, usize>,
    /// Names of layers, in the order of their first use.
    pub layer_names: Vec<String>,
    /// Layers of the particles, starting with particle 0. Particles that the list lacks are in the
    /// default layer.
    pub layers: Vec<Layer>,
    /// Number of particles in all selections so far. Limiting it limits the time for reading a
    /// file.
    pub selected: Cell<u64>,
}

pub(super) enum NamedBody {
    Particle(u32),
    Balls(Range<u32>),
    Rope(Vec<u32>),
    Sheet(Grid),
}

impl NamedBody {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Particle(_) => "a particle",
            Self::Balls(_) => "a row of balls",
            Self::Rope(_) => "a rope",
            Self::Sheet(_) => "a net or cloth",
        }
    }

    /// Returns the particles of the body. A rope's particles are in order from end to end.
    pub(super) fn particles(self) -> Vec<u32> {
        match self {
            Self::Particle(particle) => vec![particle],
            Self::Balls(balls) => balls.collect(),
            Self::Rope(particles) => particles,
            Self::Sheet(grid) => (grid.first..grid.at(0, grid.rows)).collect(),
        }
    }
}

impl CheckedBodies {
    pub(super) fn add_particles(&mut self, particles: &[ParticleFile]) -> Result<(), Fault> {
        for particle in particles {
            let index = self.mesh.particle(particle.at.into(), particle.mass.into());
            self.velocities.push(particle.velocity.into());
            self.put_in_layer(index as usize, &particle.layer)?;
            if let Some(ball) = &particle.ball {
                self.add_ball(index, ball)?;
            }
            self.register_body(&particle.name, NamedBody::Particle(index))?;
        }
        Ok(())
    }

    pub(super) fn add_nets(
        &mut self,
        nets: &[SheetFile],
        materials: &Materials,
    ) -> Result<(), Fault> {
        nets.iter().try_for_each(|net| {
            let material = materials.rope(&net.material)?;
            self.add_sheet(net, materials, |mesh, [corner, u, v]| {
                mesh.net(corner, u, v, cell_counts(net), &material)
            })
        })
    }

    pub(super) fn add_cloths(
        &mut self,
        cloths: &[SheetFile],
        materials: &Materials,
    ) -> Result<(), Fault> {
        cloths.iter().try_for_each(|cloth| {
            let material = materials.cloth(&cloth.material)?;
            self.add_sheet(cloth, materials, |mesh, [corner, u, v]| {
                mesh.cloth(corner, u, v, cell_counts(cloth), &material)
            })
        })
    }

    fn add_sheet(
        &mut self,
        sheet: &SheetFile,
        materials: &Materials,
        build: impl FnOnce(&mut Mesh, [DVec3; 3]) -> Grid,
    ) -> Result<(), Fault> {
        let corner_and_edges = parallelogram(sheet)?;
        let links = self.mesh.links.len();
        let grid = build(&mut self.mesh, corner_and_edges);
        let particles = grid.first as usize..grid.at(0, grid.rows) as usize;
        sheet.across.blame(self.check_magnitudes(particles.clone(), links))?;
        self.set_strength(links, materials.strength(&sheet.material));
        self.put_in_layer(particles.start, &sheet.layer)?;
        self.register_body(&sheet.name, NamedBody::Sheet(grid))
    }

    /// Adds the ropes in order, because a rope may be tied to earlier ropes.
    pub(super) fn add_ropes(
        &mut self,
        ropes: &[Located<RopeFile>],
        materials: &Materials,
    ) -> Result<(), Fault> {
        ropes.iter().try_for_each(|rope| self.add_rope(rope, materials))
    }

    fn add_rope(&mut self, rope: &Located<RopeFile>, materials: &Materials) -> Result<(), Fault> {
        let material = materials.rope(&rope.material)?;
        let (first, from) =
            self.rope_end(rope, ["tie_from", "from"], &rope.tie_from, &rope.from)?;
        let (last, to) = if rope.closed {
            rope.check_closed()?;
            if rope.through.is_empty() {
                return Err(rope.fault("a closed rope has no route, expected `through`"));
            }
            (None, from)
        } else {
            self.rope_end(rope, ["tie_to", "to"], &rope.tie_to, &rope.to)?
        };
        let (before, links) = (self.mesh.positions.len(), self.mesh.links.len());
        let particles = if rope.through.is_empty() {
            let distance = from.distance(to);
            let length = rope.length.map_or(distance, f64::from);
            if length == 0.0 || (first.is_some() && first == last) {
                let problem = "the rope's ends are at the same position, expected two positions \
                               or a `length`";
                return Err(rope.fault(problem));
            }
            let (sag, segments) = ((*rope.sag).into(), u32::from(*rope.segments));
            let points = catenary([from, to], length, sag, segments);
            self.mesh.rope_through(&points, [first, last], length, &material)
        } else {
            let points = self.places_along(rope, [from, to])?;
            let length = rope.length.map(f64::from);
            self.add_routed(&points, [first, last], length, &material, rope.closed)
        };
        rope.blame(self.check_magnitudes(before..self.mesh.positions.len(), links))?;
        self.set_strength(links, materials.strength(&rope.material));
        self.put_in_layer(before, &rope.layer)?;
        for end in [first, last].into_iter().flatten().map(|end| end as usize) {
            rope.blame(self.check_magnitudes(end..end + 1, self.mesh.links.len()))?;
        }
        self.register_body(&rope.name, NamedBody::Rope(particles))
    }

    /// Sets the strength of all links from link `first` on; `None` = unbreakable.
    fn set_strength(&mut self, first: usize, strength: Option<Strength>) {
        let links = first as u32..self.mesh.links.len() as u32;
        self.strengths.extend(strength.map(|strength| (links, strength)));
    }

    /// Returns the particle that holds a tied end of a rope (`None` if the end is free), and the
    /// position of the end.
    fn rope_end(
        &self,
        rope: &Located<RopeFile>,
        [tie_field, place_field]: [&str; 2],
        tie: &Option<Located<Particles>>,
        place: &Option<Located<Point>>,
    ) -> Result<(Option<u32>, DVec3), Fault> {
        match (tie, place) {
            (Some(tie), None) => {
                let particle = self.find_particle(tie)?;
                Ok((Some(particle), self.mesh.positions[particle as usize]))
            }
            (None, Some(place)) => Ok((None, (**place).into())),
            (Some(_), Some(place)) => {
                let problem = format!("found both `{place_field}` and `{tie_field}`, expected one");
                Err(place.fault(problem))
            }
            (None, None) => {
                let problem =
                    format!("the rope has neither `{place_field}` nor `{tie_field}`, expected one");
                Err(rope.fault(problem))
            }
        }
    }

    /// Checks the values of a new body. Masses, rest lengths and stiffnesses must be 1e-15 to 1e15;
    /// coordinates and dampings must be at most 1e15 in absolute value. The values in the file are
    /// within these limits, but their products and quotients may exceed them.
    pub(super) fn check_magnitudes(
        &self,
        particles: Range<usize>,
        first_link: usize,
    ) -> Result<(), String> {
        let limits = format!("expected {LEAST:e} to {GREATEST:e}");
        let Mesh { positions, masses, links, .. } = &self.mesh;
        for i in particles {
            let (place, mass) = (positions[i], masses[i]);
            if !place.to_array().into_iter().all(is_moderate) {
                return Err(format!("this gives particle {i} a coordinate beyond {GREATEST:e} m"));
            }
            if !is_moderate_positive(mass) {
                return Err(format!(
                    "this makes a particle of {} kg, {limits}",
                    format_six_digits(mass)
                ));
            }
        }
        for i in first_link..links.len() {
            let Link { rest, stiffness, damping, .. } = links.at(i);
            for (what, value, unit) in [("length", rest, "m"), ("stiffness", stiffness, "N/m")] {
                if !is_moderate_positive(value) {
                    return Err(format!(
                        "this makes links of {what} {} {unit}, {limits}",
                        format_six_digits(value)
                    ));
                }
            }
            if !is_moderate(damping) {
                return Err(format!(
                    "this makes links of damping {} N·s/m, {limits}",
                    format_six_digits(damping)
                ));
            }
        }
        Ok(())
    }

    pub(super) fn register_body(
        &mut self,
        name: &Option<Located<String>>,
        body: NamedBody,
    ) -> Result<(), Fault> {
        self.list.push(body);
        let Some(name) = name else { return Ok(()) };
        match self.named.insert(name.to_string(), self.list.len() - 1) {
            None => Ok(()),
            Some(other) => Err(name.fault(format!(
                "\"{}\" is already the name of {}, expected a new name",
                **name,
                self.list[other].kind()
            ))),
        }
    }

    pub(super) fn replace_masses(&mut self, masses: &[MassFile]) -> Result<(), Fault> {
        for MassFile { of, mass } in masses {
            for i in self.find_particles(of)? {
                self.mesh.masses[i as usize] = (*mass).into();
            }
        }
        Ok(())
    }
}

pub(super) fn cell_counts(sheet: &SheetFile) -> [u32; 2] {
    let (columns, rows) = *sheet.cells;
    [columns.into(), rows.into()]
}

/// Returns the corner and the two edges of a sheet. Returns an error if the sheet has no area.
fn parallelogram(sheet: &SheetFile) -> Result<[DVec3; 3], Fault> {
    let [corner, u, v] = [sheet.corner, *sheet.across, *sheet.down].map(DVec3::from);
    for (edge, vector) in [(&sheet.across, u), (&sheet.down, v)] {
        if vector == DVec3::ZERO {
            return Err(edge.fault("found an edge of length 0, expected a length above 0"));
        }
        if !is_moderate_positive(vector.length()) {
            return Err(edge.fault(format!(
                "found an edge of {} m, expected {LEAST:e} to {GREATEST:e} m",
                format_six_digits(vector.length())
            )));
        }
    }
    let area = u.cross(v).length();
    if area > THINNEST_PARALLELOGRAM * u.length() * v.length() {
        Ok([corner, u, v])
    } else {
        Err(sheet.down.fault("`down` is parallel to `across`, expected a sheet with an area"))
    }
}
