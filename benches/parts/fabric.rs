//! What the benches work on: unit masses, 0.1 m apart.

use glam::DVec3;
use ropelab::constraint::Link;
use ropelab::mesh::{ClothMaterial, Mesh, RopeMaterial};

/// Metres between neighbours.
const SPACING: f64 = 0.1;

/// Links between particles, two corners or one end of which are pinned.
pub struct Fabric {
    pub links: Vec<Link>,
    /// Positions at rest in metres.
    pub x: Vec<DVec3>,
    /// Inverse masses in 1/kg.
    pub w: Vec<f64>,
}

impl Fabric {
    pub fn rope(particles: u32) -> Self {
        let segments = particles - 1;
        let length = f64::from(segments) * SPACING;
        let material = RopeMaterial {
            mass_per_metre: 1.0 / SPACING,
            stiffness: 1e3,
            damping: 0.1,
            bend_stiffness: 0.0,
            rigid: true,
            one_sided: false,
            radius: 0.01,
        };
        let mut mesh = Mesh::default();
        mesh.rope(DVec3::ZERO, DVec3::X * length, length, segments, &material);
        Self::of(mesh, &[0])
    }

    /// A square with both diagonals.
    pub fn cloth(side: u32) -> Self {
        let length = f64::from(side - 1) * SPACING;
        let material = ClothMaterial {
            areal_density: 1.0,
            stretch_stiffness: 1e4,
            shear_stiffness: 1e4,
            bend_stiffness: 0.0,
            damping: 1.0,
            rigid: true,
            one_sided: false,
        };
        let mut mesh = Mesh::default();
        let (u, v) = (DVec3::X * length, DVec3::Z * length);
        mesh.cloth(DVec3::ZERO, u, v, [side - 1; 2], &material);
        Self::of(mesh, &[0, side as usize - 1])
    }

    /// A cloth without 5 % of its links, its particles numbered at random.
    pub fn worn_cloth(side: u32) -> Self {
        let Self { mut links, x, w } = Self::cloth(side);
        let mut dice = Dice(1);
        links.retain(|_| dice.below(20) != 0);
        let mut number: Vec<u32> = (0..x.len() as u32).collect();
        for i in (1..number.len()).rev() {
            number.swap(i, dice.below(i + 1));
        }
        let mut worn = Self { links, x: x.clone(), w: w.clone() };
        for (old, new) in number.iter().enumerate() {
            worn.x[*new as usize] = x[old];
            worn.w[*new as usize] = w[old];
        }
        for link in &mut worn.links {
            link.a = number[link.a as usize];
            link.b = number[link.b as usize];
        }
        worn
    }

    fn of(mesh: Mesh, pinned: &[usize]) -> Self {
        let mut w = vec![1.0; mesh.positions.len()];
        pinned.iter().for_each(|i| w[*i] = 0.0);
        Self { links: mesh.links.iter().collect(), x: mesh.positions, w }
    }

    /// Positions up to 1 cm from rest.
    pub fn disturbed(&self) -> Vec<DVec3> {
        let mut dice = Dice(2);
        let mut offset = || 0.01 * (dice.below(2001) as f64 / 1000.0 - 1.0);
        self.x.iter().map(|x| *x + DVec3::new(offset(), offset(), offset())).collect()
    }
}

/// The same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}
