//! Own materials: a body gets a copy of its material, which the user can change without changing
//! other bodies.

use super::draft::{Bodies, Draft};
use super::first_free;
use crate::scene::Scene;
use crate::typed::file::SceneFile;
use crate::typed::located::Located;
use crate::typed::made_bodies::BodyPlace;
use crate::typed::material_file::Material;
use crate::typed::particles::Particles;

impl Scene {
    /// Returns a draft in which the rope, net or cloth that contains a particle has its own copy of
    /// its material.
    pub(super) fn with_own_material(
        &self,
        bodies: &Bodies,
        particle: u32,
    ) -> Result<Draft, String> {
        let body = bodies.particles.iter().position(|those| those.contains(&particle));
        let at =
            body.and_then(|body| self.place_of_body(body)).ok_or("there is no such particle")?;
        Ok(Draft { file: self.file.with_own_material(at)?, ..self.draft() })
    }

    /// Returns a particle that belongs to a body of the file, but not to an earlier body; `None` if
    /// there is none.
    pub fn own_particle(&self, at: BodyPlace) -> Option<u32> {
        let body = self.body_at(at.list, at.index)?;
        let bodies = self.particles_of_bodies();
        let own = bodies.get(body)?.iter().copied();
        own.clone().find(|own| !bodies[..body].iter().any(|those| those.contains(own)))
    }
}

impl SceneFile {
    /// Returns the file after the body at a place got its own copy of its material, named after the
    /// body. The copies of the material and of the surface are appended to their lists, so that
    /// other entries keep their indices.
    pub(crate) fn with_own_material(&self, at: BodyPlace) -> Result<Self, String> {
        let mut file = self.spelled_out();
        file.drop_idle_wind();
        let body = file.made_bodies().find(|body| body.at == at);
        let body = body.ok_or("this has no material, expected a rope, net or cloth")?;
        if file.made_bodies().filter(|other| other.material == body.material).count() < 2 {
            return Err(format!("no other body uses the material of \"{}\"", body.label()));
        }
        let is_its = |it: &&Material| Some(it.name().as_str()) == body.material;
        let mut own =
            file.materials.iter().find(is_its).ok_or("there is no such material")?.clone();
        let is_free = |name: &str| file.materials.iter().all(|it| it.name().as_str() != name);
        let name = Located::new(first_free(&body.label(), is_free));
        match &mut own {
            Material::Rope(rope) => rope.name = name.clone(),
            Material::Cloth(cloth) => cloth.name = name.clone(),
        }
        let body_name = body.name.map(str::to_owned);
        let BodyPlace { list, index } = at;
        match list {
            "nets" => file.nets[index].material = Some(name),
            "cloths" => file.cloths[index].material = Some(name),
            _ => {
                let mut rope = (*file.ropes[index]).clone();
                rope.material = Some(name);
                file.ropes[index].replace(rope);
            }
        }
        file.materials.push(own);
        body_name.iter().for_each(|name| separate_surface(&mut file, name));
        Ok(file)
    }
}

/// Gives a body its own copy of its surface. Does nothing if several surfaces apply to the body, or
/// if the scene has tied ropes, because these share particles.
fn separate_surface(file: &mut SceneFile, body: &str) {
    if file.ropes.iter().any(|it| it.tie_from.is_some() || it.tie_to.is_some()) {
        return;
    }
    let applies = |number: &usize| applies_to(&file.surfaces[*number].of, body);
    let its: Vec<usize> = (0..file.surfaces.len()).filter(applies).collect();
    let [number] = its[..] else { return };
    let own = Particles::Body(body.to_owned());
    let mut others = match &*file.surfaces[number].of {
        Particles::All if file.particles.is_empty() => {
            let names = file.made_bodies().map(|it| it.name.map(str::to_owned));
            let bodies = names.map(|name| name.map(Particles::Body)).collect::<Option<Vec<_>>>();
            let Some(bodies) = bodies else { return };
            bodies
        }
        Particles::Any(list) => list.clone(),
        _ => return,
    };
    if others.iter().filter(|of| applies_to(of, body)).ne([&own]) {
        return;
    }
    others.retain(|of| *of != own);
    let mut copy = file.surfaces[number].clone();
    copy.of = Located::new(own);
    file.surfaces[number].of.replace(Particles::Any(others));
    file.surfaces.push(copy);
}

/// True if a selection may contain particles of a body.
fn applies_to(of: &Particles, body: &str) -> bool {
    match of {
        Particles::All | Particles::Particle(_) | Particles::Numbers(_) => true,
        Particles::Any(list) => list.iter().any(|of| applies_to(of, body)),
        one => one.body() == Some(body),
    }
}
