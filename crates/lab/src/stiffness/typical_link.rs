//! Representative link of a material, for converting the material's stiffness.

use super::soft_link::SoftLink;
use crate::mesh::{Link, LinkKind};
use crate::model::Parts;
use crate::scene::dials::DialKind;

/// Relative difference up to which stiffnesses count as equal.
const STIFFNESS_TOLERANCE: f64 = 1e-9;

/// Returns the middle one of the links whose material has the stiffness `value`. For a rope,
/// `value` is E·A = k L in newtons (k and L: stiffness and rest length of a link). For a cloth, it
/// is the stiffness k of rows and columns in N/m. `None` if `kind` is another quantity, or if the
/// scene has no such link.
pub fn typical_link(parts: &Parts, kind: DialKind, value: f64) -> Option<SoftLink> {
    let stiffness = |link: &Link| match kind {
        DialKind::AxialStiffness => link.stiffness * link.rest,
        DialKind::StretchStiffness => link.stiffness,
        _ => f64::NAN,
    };
    let is_made_of_it = |link: &Link| {
        link.kind == LinkKind::Structural
            && (stiffness(link) / value - 1.0).abs() < STIFFNESS_TOLERANCE
    };
    let links: Vec<Link> = parts.mesh.links.iter().filter(is_made_of_it).collect();
    let link = links.get(links.len() / 2)?;
    let inverse = |end: u32| parts.mesh.masses.get(end as usize).map_or(0.0, |mass| 1.0 / mass);
    Some(SoftLink {
        stiffness: link.stiffness,
        damping: link.damping,
        inverse_mass: inverse(link.a) + inverse(link.b),
        length: link.rest,
    })
}
