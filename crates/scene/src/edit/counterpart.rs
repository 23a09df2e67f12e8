//! Bodies of a scene: conversion between the index of a body and its place in the lists of the
//! scene file.

use crate::scene::Scene;
use crate::typed::file::SceneFile;
use crate::typed::made_bodies::BodyPlace;
use crate::typed::particles::Particles;

/// Lists of bodies in the scene file, in the order in which the bodies are created.
const LISTS: [&str; 5] = ["particles", "balls", "nets", "cloths", "ropes"];

fn lengths(file: &SceneFile) -> [usize; 5] {
    let SceneFile { particles, balls, nets, cloths, ropes, .. } = file;
    [particles.len(), balls.len(), nets.len(), cloths.len(), ropes.len()]
}

impl Scene {
    /// Returns the particles of each body. If a rope is tied to another body, the end of the rope
    /// is the tied particle of that body.
    pub fn particles_of_bodies(&self) -> Vec<Vec<u32>> {
        self.file.particles_of_bodies().unwrap_or_default()
    }

    /// Returns the index of the body at a place in the scene file; `None` for an unknown list.
    pub fn body_at(&self, list: &str, index: usize) -> Option<usize> {
        let which = LISTS.iter().position(|name| *name == list)?;
        Some(lengths(&self.file)[..which].iter().sum::<usize>() + index)
    }

    /// Returns the place of a body in the scene file; `None` if there is no such body.
    pub fn place_of_body(&self, mut body: usize) -> Option<BodyPlace> {
        for (list, length) in LISTS.into_iter().zip(lengths(&self.file)) {
            if body < length {
                return Some(BodyPlace { list, index: body });
            }
            body -= length;
        }
        None
    }

    /// Returns the place that a surface of this scene has in the list of `other`; `None` if `other`
    /// lacks the surface. The surface of a single body is found by the name of the body. Other
    /// surfaces must have kept their places.
    pub fn surface_in(&self, place: usize, other: &Self) -> Option<usize> {
        let (own, others) = (self.file.spelled_out(), other.file.spelled_out());
        let of = &own.surfaces.get(place)?.of;
        let is_same = |place: &usize| others.surfaces[*place].of == *of;
        let mut places = 0..others.surfaces.len();
        match **of {
            _ if places.contains(&place) && is_same(&place) => Some(place),
            Particles::Body(_) => places.find(is_same),
            _ => places.contains(&place).then_some(place),
        }
    }

    /// Returns the names of all materials. They include real materials that the file uses without
    /// listing them.
    pub fn all_materials(&self) -> Vec<String> {
        let file = self.file.spelled_out();
        file.materials.iter().map(|material| String::clone(material.name())).collect()
    }
}
