//! Dependency levels of an ordered sweep: groups of links that may be moved at the same time
//! without changing the result.

use super::component::Component;
use super::links::Links;

/// Divides a component's links into levels. Two links of one level share no particle. If two links
/// share a particle, the link that is earlier in the list has the lower level. A sweep from the
/// first level to the last therefore gives the same bits as a sweep in the order of the list, and a
/// sweep from the last level to the first gives those of the reverse order.
///
/// E. Anderson and Y. Saad (1989), "Solving sparse triangular systems on parallel computers", Int.
/// J. High Speed Comput. 1, 73.
pub(crate) fn divide_into_levels(component: &Component, links: &Links) -> Vec<Vec<u32>> {
    let first = component.particles.start;
    // For each particle: one more than the highest level that contains a link at the particle.
    let mut first_free_level = vec![0; component.particles.len()];
    let mut levels: Vec<Vec<u32>> = Vec::new();
    for &i in &component.links {
        let link = links.at(i as usize);
        let ends = [link.a, link.b].map(|end| (end - first) as usize);
        let level = ends.map(|end| first_free_level[end]).into_iter().fold(0, usize::max);
        if level == levels.len() {
            levels.push(Vec::new());
        }
        levels[level].push(i);
        ends.into_iter().for_each(|end| first_free_level[end] = level + 1);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{ClothMaterial, Mesh};
    use glam::DVec3;

    #[test]
    fn neighbours_are_in_the_order_of_the_list() {
        let mut mesh = Mesh::default();
        mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Z, [9, 7], &ClothMaterial::default());
        let links = Links::from(mesh.links.iter().collect::<Vec<_>>());
        let components = Component::all(&links, mesh.positions.len());
        let levels = divide_into_levels(&components[0], &links);
        let mut level_of = vec![0; links.len()];
        for (number, level) in levels.iter().enumerate() {
            level.iter().for_each(|&i| level_of[i as usize] = number);
        }
        assert_eq!(levels.concat().len(), links.len());
        for (i, link) in links.iter().enumerate() {
            for (j, other) in links.iter().enumerate().take(i) {
                let share = [link.a, link.b].iter().any(|end| [other.a, other.b].contains(end));
                assert!(!share || level_of[j] < level_of[i], "links {j} and {i}");
            }
        }
    }
}
