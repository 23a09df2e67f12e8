//! Shortest paths along links from each free particle to its nearest pin (Dijkstra 1959).

use crate::model::Model;
use ropelab_mechanics::mesh::Links;
use ropelab_mechanics::numerics::system::System;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One particle on the path from a pin, with the link that leads to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PathStep {
    pub particle: u32,
    /// Particle before `particle` on the path.
    pub parent: u32,
    /// Link from `parent` to `particle`.
    pub link: u32,
    pub pin: u32,
    /// Rest length of the path, in metres.
    pub distance: f64,
}

/// Paths to all particles. Nearer particles come first, so a parent precedes the particles beyond
/// it.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    steps: Vec<PathStep>,
    /// Pins and links at the last search; `None` before the first one.
    found_for: Option<LinkedState>,
}

/// Pins and links that determine the paths.
#[derive(Clone, Debug)]
struct LinkedState {
    pins: Vec<u32>,
    cut: Vec<u32>,
    link_count: usize,
    particle_count: usize,
}

impl Paths {
    pub fn steps(&self) -> &[PathStep] {
        &self.steps
    }

    pub fn update(&mut self, model: &Model) {
        let pins = || model.pins().iter().map(|pin| pin.particle);
        let cut = model.topology().cut_links();
        let [link_count, particle_count] = [model.topology().links().len(), model.masses().len()];
        let is_same = |old: &LinkedState| {
            old.pins.iter().copied().eq(pins())
                && old.cut == cut
                && old.link_count == link_count
                && old.particle_count == particle_count
        };
        if !self.found_for.as_ref().is_some_and(is_same) {
            let (pins, cut) = (pins().collect(), cut.to_vec());
            self.found_for = Some(LinkedState { pins, cut, link_count, particle_count });
            self.find_paths(model);
        }
    }

    fn find_paths(&mut self, model: &Model) {
        let links = model.topology().links();
        let particles = model.masses().len();
        let neighbours = Neighbours::new(links, particles);
        self.steps.clear();
        let mut settled = vec![false; particles];
        // Key of the heap: the bits of a length. Lengths are positive, so their bits sort like the
        // lengths. Ties go to the lowest index.
        let mut heap = BinaryHeap::new();
        for pin in model.pins().iter().map(|pin| pin.particle) {
            heap.push(Reverse((0, pin, pin, pin, u32::MAX)));
        }
        while let Some(Reverse((bits, particle, pin, parent, link))) = heap.pop() {
            if std::mem::replace(&mut settled[particle as usize], true) {
                continue;
            }
            let distance = f64::from_bits(bits);
            if particle != pin {
                self.steps.push(PathStep { particle, parent, link, pin, distance });
            }
            for &Neighbour { particle: other, link } in neighbours.of(particle) {
                if !settled[other as usize] {
                    let distance = distance + links.at(link as usize).rest;
                    heap.push(Reverse((distance.to_bits(), other, pin, particle, link)));
                }
            }
        }
    }
}

/// Adjacency list: for each particle, its linked particles and the links to them.
struct Neighbours {
    /// Index in `all` of the first neighbour of each particle; the last entry is the length of
    /// `all`.
    first: Vec<usize>,
    all: Vec<Neighbour>,
}

/// A linked particle.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbour {
    particle: u32,
    /// Number of the link.
    link: u32,
}

impl Neighbours {
    fn new(links: &Links, particles: usize) -> Self {
        let whole = || (0..).zip(links.iter()).filter(|(_, link)| !link.is_cut());
        let mut first = vec![0; particles + 1];
        for (_, link) in whole() {
            [link.a, link.b].iter().for_each(|end| first[*end as usize + 1] += 1);
        }
        (0..particles).for_each(|i| first[i + 1] += first[i]);
        let mut next = first.clone();
        let mut all = vec![Neighbour::default(); first[particles]];
        for (number, link) in whole() {
            for (end, other) in [(link.a, link.b), (link.b, link.a)] {
                all[next[end as usize]] = Neighbour { particle: other, link: number };
                next[end as usize] += 1;
            }
        }
        Self { first, all }
    }

    fn of(&self, particle: u32) -> &[Neighbour] {
        let i = particle as usize;
        &self.all[self.first[i]..self.first[i + 1]]
    }
}
