//! Edge colourings of links, and links that remain springs under a solver.

use super::{CLOTH, ROPE};
use super::{Net, link, net};
use glam::DVec3;
use proptest::prelude::*;
use ropelab::constraint::{ConstraintSolver, Constraints};
use ropelab::mesh::{ClothMaterial, Link, LinkKind, Links, Mesh, RopeMaterial, colour_links};

fn assert_disjoint(links: &Links, classes: &[Vec<u32>], particles: usize) {
    let mut seen = vec![false; links.len()];
    for (colour, class) in classes.iter().enumerate() {
        assert!(class.is_sorted(), "colour {colour} in ascending order");
        let mut taken = vec![false; particles];
        for &i in class {
            assert!(!std::mem::replace(&mut seen[i as usize], true), "link {i} twice");
            let Link { a, b, .. } = links.at(i as usize);
            for end in if a == b { vec![a] } else { vec![a, b] } {
                let shared = std::mem::replace(&mut taken[end as usize], true);
                assert!(!shared, "colour {colour} has particle {end} twice");
            }
        }
    }
    assert!(seen.into_iter().all(|seen| seen), "every link has a colour");
}

proptest! {
    #[test]
    fn links_of_one_colour_share_no_particle(
        ends in prop::collection::vec((0_usize..40, 0_usize..40), 0..200),
    ) {
        let links: Links = ends.iter().map(|&(a, b)| link(a, b, 1.0)).collect();
        let classes = colour_links(&links, 40);
        assert_disjoint(&links, &classes, 40);
        let degree = |i: u32| links.iter().filter(|l| l.a == i || l.b == i).count();
        let greatest = (0..40).map(degree).max().unwrap_or(0);
        prop_assert!(classes.len() <= (2 * greatest).saturating_sub(1));
    }

    #[test]
    fn colours_of_a_net_differ_by_one_link_at_most(
        ends in prop::collection::vec((0_usize..20, 0_usize..20), 0..200),
    ) {
        // A link from particle 0 to the last particle joins all particles to one component, which
        // is not a chain.
        let ends = [(0, 19), (0, 1)].into_iter().chain(ends);
        let links: Links = ends.map(|(a, b)| link(a, b, 1.0)).collect();
        let classes = colour_links(&links, 20);
        assert_disjoint(&links, &classes, 20);
        let sizes = || classes.iter().map(Vec::len);
        prop_assert!(sizes().max() <= sizes().min().map(|least| least + 1));
    }
}

#[test]
fn meshes_get_as_few_colours_as_their_busiest_particle_has_links() {
    let rope = |mesh: &mut Mesh, bend_stiffness| {
        let material = RopeMaterial { bend_stiffness, ..ROPE };
        mesh.rope(DVec3::ZERO, DVec3::X, 1.0, 21, &material);
    };
    let cloth = |mesh: &mut Mesh, cells, bend_stiffness| {
        let material = ClothMaterial { bend_stiffness, ..CLOTH };
        mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Z, cells, &material);
    };
    type Build<'a> = &'a dyn Fn(&mut Mesh);
    let cases: [(&str, usize, Build); 8] = [
        ("a rope", 2, &|mesh| rope(mesh, 0.0)),
        ("a rope that resists bending", 4, &|mesh| rope(mesh, 1.0)),
        ("a cloth", 8, &|mesh| cloth(mesh, [20, 13], 0.0)),
        ("a cloth that resists bending", 12, &|mesh| cloth(mesh, [20, 13], 1.0)),
        ("two cloths", 8, &|mesh| {
            cloth(mesh, [20, 13], 0.0);
            cloth(mesh, [7, 30], 0.0);
        }),
        ("neighbouring widths", 8, &|mesh| {
            cloth(mesh, [10, 10], 0.0);
            cloth(mesh, [9, 9], 0.0);
        }),
        ("a net", 4, &|mesh| {
            mesh.net(DVec3::ZERO, DVec3::X, DVec3::Z, [12, 9], &ROPE);
        }),
        ("a cloth and ropes", 8, &|mesh| {
            rope(mesh, 1.0);
            cloth(mesh, [12, 12], 0.0);
            rope(mesh, 0.0);
        }),
    ];
    for (name, colours, build) in cases {
        let mut mesh = Mesh::default();
        build(&mut mesh);
        let classes = colour_links(&mesh.links, mesh.positions.len());
        assert_disjoint(&mesh.links, &classes, mesh.positions.len());
        assert_eq!(classes.len(), colours, "{name}");
    }
}

#[test]
fn the_colours_of_constraints_are_those_of_their_links() {
    let Net { links, x, .. } = net(0.0);
    let classes = colour_links(&links.clone().into(), x.len());
    let constraints = Constraints::new(links, x.len());
    assert_eq!(constraints.len(), 60);
    assert_eq!(constraints.colours(), classes);
}

#[test]
fn bend_links_stay_springs_where_rods_would_freeze_a_rope() {
    let structural = link(0, 1, 1.0);
    let shear = Link { kind: LinkKind::Shear, ..structural };
    let bend = Link { kind: LinkKind::Bend, ..structural };
    for solver in ConstraintSolver::all() {
        let takes = [structural, shear, bend].map(|link| solver.constrains(&link));
        let expected = match solver {
            ConstraintSolver::None => [false; 3],
            ConstraintSolver::Relaxation(_)
            | ConstraintSolver::Shake(_)
            | ConstraintSolver::SoftStep(_)
            | ConstraintSolver::Rattle(_) => [true, true, false],
            ConstraintSolver::Xpbd(_) | ConstraintSolver::Direct(_) | ConstraintSolver::Vbd(_) => {
                [true; 3]
            }
        };
        assert_eq!(takes, expected, "{solver:?}");
    }
}
