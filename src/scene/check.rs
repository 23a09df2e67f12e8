//! From what was typed to what it means: numbers to particles, names to what they name.

use super::file::{
    ClothMaterialFile, Corner, DrawnCloth, Edge, GuardsFile, LaneFile, LinkFile, Material,
    Particles, RopeFile, RopeMaterialFile, SceneFile, SettingsFile, SheetFile, VERSION,
};
use super::hang::hang;
use super::located::{Fault, Located};
use super::number::{MOST_PARTICLES, Point};
use super::{CameraSetup, LaneSetup, Pin, Scene, TargetedForce};
use crate::constraint::{ConstraintSolver, Link};
use crate::mesh::{Chain, ClothMaterial, Grid, Mesh, RopeMaterial};
use crate::name::nearest;
use crate::settings::{LinkMode, MOST_LANES, Settings};
use glam::DVec3;
use std::collections::BTreeMap;

/// A cloth or net must have at least this share of the area of the rectangle of its edges:
/// below, it is a line.
const THINNEST_PARALLELOGRAM: f64 = 1e-9;

impl SceneFile {
    /// Checks everything that no single value knows, and builds the scene.
    pub(super) fn check(self) -> Result<Scene, Fault> {
        self.check_version()?;
        self.check_size()?;
        let mut builder = Builder::default();
        builder.read_materials(&self.materials)?;
        for particle in &self.particles {
            let index = builder.mesh.particle(particle.at.into(), particle.mass.into());
            builder.velocities.push(particle.velocity.into());
            builder.name(&particle.name, Body::Particle(index))?;
        }
        for net in &self.nets {
            let material = builder.rope_material(&net.material)?;
            let [corner, u, v] = parallelogram(net)?;
            let grid = builder.mesh.net(corner, u, v, cells(net), &material);
            builder.name(&net.name, Body::Sheet(grid))?;
        }
        for cloth in &self.cloths {
            let material = builder.cloth_material(&cloth.material)?;
            let [corner, u, v] = parallelogram(cloth)?;
            let grid = builder.mesh.cloth(corner, u, v, cells(cloth), &material);
            builder.name(&cloth.name, Body::Sheet(grid))?;
        }
        for rope in &self.ropes {
            builder.rope(rope)?;
        }
        builder.velocities.resize(builder.mesh.positions.len(), DVec3::ZERO);
        for link in &self.links {
            let link = builder.link(link)?;
            builder.mesh.links.push(link);
        }
        builder.read_drawing(&self)?;
        for mass in &self.masses {
            for i in builder.find(&mass.of)? {
                builder.mesh.masses[i as usize] = mass.mass.into();
            }
        }
        for velocity in &self.velocities {
            for i in builder.find(&velocity.of)? {
                builder.velocities[i as usize] = velocity.velocity.into();
            }
        }
        let pins = builder.pins(&self)?;
        let mut forces = Vec::new();
        for force in &self.forces {
            force.law.blame(force.law.check())?;
            let targets = builder.find(&force.on)?;
            forces.push(TargetedForce { law: *force.law, targets });
        }
        let camera = match &self.camera {
            Some(camera) => {
                camera.blame(camera.check())?;
                **camera
            }
            None => front_view(&builder.mesh.positions),
        };
        if builder.velocities.iter().all(|v| v.to_array().map(f64::to_bits) == [0; 3]) {
            builder.velocities = Vec::new();
        }
        Ok(Scene {
            lanes: lanes(&self)?,
            name: self.name,
            look_for: self.look_for,
            mesh: builder.mesh,
            velocities: builder.velocities,
            pins,
            forces,
            camera,
            floor: self.floor.into(),
        })
    }

    fn check_version(&self) -> Result<(), Fault> {
        match *self.version {
            VERSION => Ok(()),
            version => Err(self.version.fault(version_message(version.into()))),
        }
    }

    /// Counts particles before any memory is taken for them.
    fn check_size(&self) -> Result<(), Fault> {
        let mut total = self.particles.len() as u64;
        let check = |total: u64| {
            if total <= u64::from(MOST_PARTICLES) {
                return Ok(());
            }
            Err(format!("this makes {total} particles, expected at most {MOST_PARTICLES}"))
        };
        self.version.blame(check(total))?;
        for rope in &self.ropes {
            total += u64::from(u32::from(*rope.segments)) + 1;
            rope.segments.blame(check(total))?;
        }
        for sheet in self.nets.iter().chain(&self.cloths) {
            let [columns, rows] = cells(sheet).map(|n| u64::from(n) + 1);
            total += columns * rows;
            sheet.cells.blame(check(total))?;
        }
        if total == 0 {
            return Err(self.version.fault("the scene is empty, expected at least one particle"));
        }
        Ok(())
    }
}

/// Why a version is refused.
pub(super) fn version_message(version: u64) -> String {
    let reason =
        if version > u64::from(VERSION) { ": this program is older than the file" } else { "" };
    format!("the file has version {version} of the format, expected version {VERSION}{reason}")
}

/// What a name stands for.
enum Body {
    Particle(u32),
    Rope(Vec<u32>),
    Sheet(Grid),
}

impl Body {
    fn kind(&self) -> &'static str {
        match self {
            Self::Particle(_) => "a particle",
            Self::Rope(_) => "a rope",
            Self::Sheet(_) => "a net or cloth",
        }
    }
}

#[derive(Default)]
struct Builder {
    mesh: Mesh,
    velocities: Vec<DVec3>,
    bodies: BTreeMap<String, Body>,
    materials: BTreeMap<String, Material>,
}

impl Builder {
    fn read_materials(&mut self, materials: &[Material]) -> Result<(), Fault> {
        for material in materials {
            let name = match material {
                Material::Rope(rope) => &rope.name,
                Material::Cloth(cloth) => &cloth.name,
            };
            if self.materials.insert(name.to_string(), material.clone()).is_some() {
                return Err(name.fault(format!(
                    "a second material named \"{}\", expected a new name",
                    **name
                )));
            }
        }
        Ok(())
    }

    fn name(&mut self, name: &Option<Located<String>>, body: Body) -> Result<(), Fault> {
        let Some(name) = name else { return Ok(()) };
        match self.bodies.insert(name.to_string(), body) {
            None => Ok(()),
            Some(other) => Err(name.fault(format!(
                "\"{}\" is already the name of {}, expected a new name",
                **name,
                other.kind()
            ))),
        }
    }

    fn material(&self, name: &Located<String>) -> Result<&Material, Fault> {
        self.materials.get(&**name).ok_or_else(|| {
            let names = self.materials.keys().map(String::as_str);
            name.fault(unknown("material", name, names))
        })
    }

    fn rope_material(&self, name: &Option<Located<String>>) -> Result<RopeMaterial, Fault> {
        let Some(name) = name else { return Ok(RopeMaterial::default()) };
        match self.material(name)? {
            Material::Rope(material) => Ok(material.fill()),
            Material::Cloth(_) => Err(name
                .fault(format!("\"{}\" is a material for cloths, expected one for ropes", **name))),
        }
    }

    fn cloth_material(&self, name: &Option<Located<String>>) -> Result<ClothMaterial, Fault> {
        let Some(name) = name else { return Ok(ClothMaterial::default()) };
        match self.material(name)? {
            Material::Cloth(material) => Ok(material.fill()),
            Material::Rope(_) => Err(name
                .fault(format!("\"{}\" is a material for ropes, expected one for cloths", **name))),
        }
    }

    fn rope(&mut self, rope: &Located<RopeFile>) -> Result<(), Fault> {
        let material = self.rope_material(&rope.material)?;
        let (first, from) =
            self.rope_end(rope, ["tie_from", "from"], &rope.tie_from, &rope.from)?;
        let (last, to) = self.rope_end(rope, ["tie_to", "to"], &rope.tie_to, &rope.to)?;
        let distance = from.distance(to);
        let length = rope.length.map_or(distance, f64::from);
        if length == 0.0 || (first.is_some() && first == last) {
            return Err(
                rope.fault("the rope's ends are in one place, expected two places or a `length`")
            );
        }
        let points = hang(from, to, length, (*rope.sag).into(), u32::from(*rope.segments));
        let particles = self.mesh.rope_through(&points, [first, last], length, &material);
        self.name(&rope.name, Body::Rope(particles))
    }

    /// A particle that exists, or none, and the place of a rope's end.
    fn rope_end(
        &self,
        rope: &Located<RopeFile>,
        [tie_field, place_field]: [&str; 2],
        tie: &Option<Located<Particles>>,
        place: &Option<Located<Point>>,
    ) -> Result<(Option<u32>, DVec3), Fault> {
        match (tie, place) {
            (Some(tie), None) => {
                let particle = self.find_one(tie)?;
                Ok((Some(particle), self.mesh.positions[particle as usize]))
            }
            (None, Some(place)) => Ok((None, (**place).into())),
            (Some(_), Some(place)) => {
                Err(place
                    .fault(format!("found both `{place_field}` and `{tie_field}`, expected one")))
            }
            (None, None) => Err(rope
                .fault(format!("the rope has no `{place_field}`, expected it or `{tie_field}`"))),
        }
    }

    fn link(&self, link: &LinkFile) -> Result<Link, Fault> {
        let (a, b) = (self.find_one(&link.a)?, self.find_one(&link.b)?);
        if a == b {
            return Err(link.b.fault(format!(
                "a link from particle {a} to itself, expected two different particles"
            )));
        }
        let place = |i: u32| self.mesh.positions[i as usize];
        let rest = link.rest.map_or_else(|| place(a).distance(place(b)), f64::from);
        if rest == 0.0 {
            return Err(link.b.fault(format!(
                "particles {a} and {b} are in one place, expected two places or a `rest` length"
            )));
        }
        Ok(Link {
            a,
            b,
            rest,
            stiffness: link.stiffness.into(),
            damping: link.damping.into(),
            kind: link.kind,
            one_sided: link.one_sided,
            rigid: link.rigid,
        })
    }

    fn read_drawing(&mut self, file: &SceneFile) -> Result<(), Fault> {
        for face in &file.faces {
            face.blame(self.exist(&**face))?;
            self.mesh.faces.push(**face);
        }
        for rope in &file.drawn_ropes {
            rope.particles.blame(self.exist(&rope.particles))?;
            if rope.particles.len() < 2 {
                return Err(rope.particles.fault("found a rope of less than 2 particles"));
            }
            let particles = rope.particles.to_vec();
            self.mesh.ropes.push(Chain { particles, radius: rope.radius.into() });
        }
        for cloth in &file.drawn_cloths {
            let DrawnCloth { first, columns, rows } = **cloth;
            let end = u64::from(first) + u64::from(columns) * u64::from(rows);
            if columns < 2 || rows < 2 || end > self.mesh.positions.len() as u64 {
                return Err(cloth.fault(format!(
                    "found {columns} × {rows} particles from number {first}, expected at least \
                     2 × 2 and none beyond {}",
                    self.mesh.positions.len() - 1
                )));
            }
            self.mesh.cloths.push(Grid { first, columns, rows });
        }
        Ok(())
    }

    fn pins(&self, file: &SceneFile) -> Result<Vec<Pin>, Fault> {
        let mut pinned = vec![false; self.mesh.positions.len()];
        let mut pins = Vec::new();
        for pin in &file.pins {
            pin.path.blame(pin.path.check().map_err(|e| format!("path: {e}")))?;
            for particle in self.find(&pin.of)? {
                if std::mem::replace(&mut pinned[particle as usize], true) {
                    return Err(pin.of.fault(format!(
                        "particle {particle} is pinned a second time, expected one pin a particle"
                    )));
                }
                pins.push(Pin { particle, path: (*pin.path).clone() });
            }
        }
        Ok(pins)
    }

    fn find_one(&self, which: &Located<Particles>) -> Result<u32, Fault> {
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

    /// Particles in ascending order.
    fn find(&self, which: &Located<Particles>) -> Result<Vec<u32>, Fault> {
        let mut found = Vec::new();
        which.blame(self.collect(which, &mut found))?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn collect(&self, which: &Particles, found: &mut Vec<u32>) -> Result<(), String> {
        match which {
            Particles::All => found.extend(0..self.mesh.positions.len() as u32),
            Particles::Particle(i) => {
                self.exist(&[*i])?;
                found.push(*i);
            }
            Particles::Numbers(numbers) => {
                self.exist(numbers)?;
                found.extend(numbers);
            }
            Particles::Body(name) => match self.body(name)? {
                Body::Particle(i) => found.push(*i),
                Body::Rope(particles) => found.extend(particles),
                Body::Sheet(grid) => found.extend(grid.first..grid.at(0, grid.rows)),
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
            Particles::Corner(name, corner) => {
                let grid = self.sheet_named(name)?;
                let (right, bottom) = (grid.columns - 1, grid.rows - 1);
                found.push(match corner {
                    Corner::TopLeft => grid.at(0, 0),
                    Corner::TopRight => grid.at(right, 0),
                    Corner::BottomLeft => grid.at(0, bottom),
                    Corner::BottomRight => grid.at(right, bottom),
                });
            }
            Particles::Edge(name, edge) => {
                let grid = self.sheet_named(name)?;
                let (right, bottom) = (grid.columns - 1, grid.rows - 1);
                match edge {
                    Edge::Top => found.extend((0..=right).map(|column| grid.at(column, 0))),
                    Edge::Bottom => found.extend((0..=right).map(|column| grid.at(column, bottom))),
                    Edge::Left => found.extend((0..=bottom).map(|row| grid.at(0, row))),
                    Edge::Right => found.extend((0..=bottom).map(|row| grid.at(right, row))),
                }
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
                    self.collect(which, found)?;
                }
            }
        }
        Ok(())
    }

    fn exist(&self, particles: &[u32]) -> Result<(), String> {
        let count = self.mesh.positions.len();
        match particles.iter().find(|&&i| i as usize >= count) {
            None => Ok(()),
            Some(i) if count == 0 => Err(format!("found particle {i}, but there is none yet")),
            Some(i) => Err(format!("found particle {i}, expected 0 to {}", count - 1)),
        }
    }

    fn body(&self, name: &str) -> Result<&Body, String> {
        let names = self.bodies.keys().map(String::as_str);
        self.bodies.get(name).ok_or_else(|| unknown("rope, net, cloth or particle", name, names))
    }

    fn rope_named(&self, name: &str) -> Result<&[u32], String> {
        match self.body(name)? {
            Body::Rope(particles) => Ok(particles),
            other => Err(format!("\"{name}\" is {}, expected a rope", other.kind())),
        }
    }

    fn sheet_named(&self, name: &str) -> Result<Grid, String> {
        match self.body(name)? {
            Body::Sheet(grid) => Ok(*grid),
            other => Err(format!("\"{name}\" is {}, expected a net or cloth", other.kind())),
        }
    }
}

fn unknown<'a>(kind: &str, found: &str, names: impl Iterator<Item = &'a str>) -> String {
    match nearest(found, names) {
        Some(near) => format!("no {kind} is named \"{found}\", did you mean \"{near}\"?"),
        None => format!("no {kind} is named \"{found}\""),
    }
}

fn cells(sheet: &SheetFile) -> [u32; 2] {
    let (columns, rows) = *sheet.cells;
    [columns.into(), rows.into()]
}

/// Corner and edges of a sheet that has an area.
fn parallelogram(sheet: &SheetFile) -> Result<[DVec3; 3], Fault> {
    let [corner, u, v] = [sheet.corner, *sheet.across, *sheet.down].map(DVec3::from);
    for (edge, vector) in [(&sheet.across, u), (&sheet.down, v)] {
        if vector == DVec3::ZERO {
            return Err(edge.fault("found an edge of length 0, expected a size"));
        }
    }
    let area = u.cross(v).length();
    if area.is_finite() && area > THINNEST_PARALLELOGRAM * u.length() * v.length() {
        Ok([corner, u, v])
    } else {
        Err(sheet.down.fault("`down` is parallel to `across`, expected a sheet with an area"))
    }
}

fn front_view(positions: &[DVec3]) -> CameraSetup {
    let least = positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let most = positions.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (most - least).max_element();
    CameraSetup::Side {
        centre: 0.5 * (least + most),
        height: if size > 0.0 { 1.5 * size } else { 2.0 },
    }
}

fn lanes(file: &SceneFile) -> Result<Vec<LaneSetup>, Fault> {
    let base = file.settings.apply(Settings::default())?;
    if let Some(lane) = file.lanes.get(MOST_LANES) {
        return Err(
            lane.fault(format!("found {} lanes, expected at most {MOST_LANES}", file.lanes.len()))
        );
    }
    if file.lanes.is_empty() {
        let name = base.integrator.info().title.to_owned();
        return Ok(vec![LaneSetup { name, settings: base }]);
    }
    let lane = |lane: &Located<LaneFile>| {
        Ok(LaneSetup { name: lane.name.clone(), settings: lane.settings.apply(base)? })
    };
    file.lanes.iter().map(lane).collect()
}

impl SettingsFile {
    /// The settings with what is mentioned here. The base is good, so the field after which the
    /// settings are bad is to blame.
    fn apply(&self, base: Settings) -> Result<Settings, Fault> {
        let Self { integrator, links, constraints, dt, substeps, stepping, guards } = self;
        let mut settings = base;
        if let Some(integrator) = integrator {
            settings.integrator = **integrator;
            integrator.blame(settings.check())?;
        }
        if let Some(constraints) = constraints {
            settings.constraints = **constraints;
            constraints.blame(settings.check())?;
            if **constraints != ConstraintSolver::None {
                settings.links = LinkMode::Constraints;
            }
        }
        if let Some(links) = links {
            settings.links = **links;
        }
        if let Some(dt) = dt {
            settings.dt = **dt;
            dt.blame(settings.check())?;
        }
        if let Some(substeps) = substeps {
            settings.substeps = **substeps;
            substeps.blame(settings.check())?;
        }
        if let Some(stepping) = stepping {
            settings.stepping = **stepping;
            stepping.blame(settings.check())?;
        }
        if let Some(GuardsFile { frame_clamp, accumulator_cap, most_steps, time_budget }) = guards {
            if let Some(frame_clamp) = frame_clamp {
                settings.guards.frame_clamp = **frame_clamp;
                frame_clamp.blame(settings.check())?;
            }
            if let Some(accumulator_cap) = accumulator_cap {
                settings.guards.accumulator_cap = **accumulator_cap;
                accumulator_cap.blame(settings.check())?;
            }
            if let Some(most_steps) = most_steps {
                settings.guards.most_steps = **most_steps;
                most_steps.blame(settings.check())?;
            }
            if let Some(time_budget) = time_budget {
                settings.guards.time_budget = **time_budget;
                time_budget.blame(settings.check())?;
            }
        }
        Ok(settings)
    }
}

impl RopeMaterialFile {
    fn fill(&self) -> RopeMaterial {
        let Self {
            name: _,
            mass_per_metre,
            stiffness,
            damping,
            bend_stiffness,
            rigid,
            one_sided,
            radius,
        } = self;
        let default = RopeMaterial::default();
        RopeMaterial {
            mass_per_metre: mass_per_metre.map_or(default.mass_per_metre, f64::from),
            stiffness: stiffness.map_or(default.stiffness, f64::from),
            damping: damping.map_or(default.damping, f64::from),
            bend_stiffness: bend_stiffness.map_or(default.bend_stiffness, f64::from),
            rigid: rigid.unwrap_or(default.rigid),
            one_sided: one_sided.unwrap_or(default.one_sided),
            radius: radius.map_or(default.radius, f64::from),
        }
    }
}

impl ClothMaterialFile {
    fn fill(&self) -> ClothMaterial {
        let Self {
            name: _,
            areal_density,
            stretch_stiffness,
            shear_stiffness,
            bend_stiffness,
            damping,
            rigid,
            one_sided,
        } = self;
        let default = ClothMaterial::default();
        ClothMaterial {
            areal_density: areal_density.map_or(default.areal_density, f64::from),
            stretch_stiffness: stretch_stiffness.map_or(default.stretch_stiffness, f64::from),
            shear_stiffness: shear_stiffness.map_or(default.shear_stiffness, f64::from),
            bend_stiffness: bend_stiffness.map_or(default.bend_stiffness, f64::from),
            damping: damping.map_or(default.damping, f64::from),
            rigid: rigid.unwrap_or(default.rigid),
            one_sided: one_sided.unwrap_or(default.one_sided),
        }
    }
}
