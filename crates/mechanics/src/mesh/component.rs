//! Connected components of the links. The pattern of a component (rope, cloth, other net) is
//! recognised by the particle indices.

use super::link::Link;
use super::links::Links;
use std::ops::Range;

/// Connected component: a range of consecutive particles and all links between them. No link leaves
/// the range. Components share no particle. Solvers may therefore relax them one after the other or
/// in parallel, with the same bits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Component {
    pub particles: Range<u32>,
    /// Indices of the component's links in the list of links, in ascending order.
    pub links: Vec<u32>,
    pub pattern: LinkPattern,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LinkPattern {
    /// Link k joins particles k and k + 1.
    Chain,
    /// Rectangular grid of particles: particle k is in row k / columns and column k % columns.
    /// Every link joins one of the eight neighbours, and no two links have the same ends. Links may
    /// be missing, but there are at least as many links as particles.
    Grid {
        /// Number of particles in a row.
        columns: u32,
    },
    /// Grid with additional links to second neighbours in the same row or column, which resist
    /// bending. (A plate resists bending; a membrane, like `Grid`, does not.)
    Plate {
        /// Number of particles in a row.
        columns: u32,
    },
    /// Any other set of links.
    Net,
}

/// Direction of a link in a grid or plate, from its end with the lower index. The variants are in
/// the order of a cell's links in `Mesh::cloth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) enum Direction {
    /// Next column, same row.
    Right,
    /// Next row, same column.
    Down,
    /// Next row, next column.
    DownRight,
    /// Next row, previous column.
    DownLeft,
    /// Second next column, same row; in plates only.
    RightTwo,
    /// Second next row, same column; in plates only.
    DownTwo,
}

/// Position of a link in a grid or plate: row and column of the end with the lower index, and
/// direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub row: u32,
    pub column: u32,
    pub direction: Direction,
}

impl Links {
    /// Divides the particles into ranges of consecutive particles, in ascending order, so that no
    /// link leaves its range. A particle without links is a range of its own.
    pub fn bodies(&self, particles: usize) -> Vec<Range<u32>> {
        let mut reach: Vec<u32> = (0..particles as u32).collect();
        for link in self.iter() {
            let (low, high) = (link.a.min(link.b), link.a.max(link.b));
            reach[low as usize] = reach[low as usize].max(high);
        }
        let mut bodies = Vec::new();
        let mut first = 0;
        while first < particles {
            let mut last = reach[first] as usize;
            let mut i = first;
            while i < last {
                i += 1;
                last = last.max(reach[i] as usize);
            }
            bodies.push(first as u32..last as u32 + 1);
            first = last + 1;
        }
        bodies
    }
}

impl Component {
    /// Divides links into components, in ascending order of their particles. Particles without
    /// links belong to no component.
    pub fn all(links: &Links, particles: usize) -> Vec<Self> {
        let mut components: Vec<Self> = Vec::new();
        let mut body_of = vec![u32::MAX; particles];
        for particles in links.bodies(particles) {
            body_of[particles.start as usize..particles.end as usize].fill(components.len() as u32);
            components.push(Self { particles, links: Vec::new(), pattern: LinkPattern::Net });
        }
        for (i, link) in links.iter().enumerate() {
            components[body_of[link.a as usize] as usize].links.push(i as u32);
        }
        components.retain(|component| !component.links.is_empty());
        for component in &mut components {
            component.pattern = component.recognise_pattern(links);
        }
        components
    }

    fn recognise_pattern(&self, links: &Links) -> LinkPattern {
        let ends = || {
            self.links.iter().map(|&i| {
                let link = links.at(i as usize);
                (link.a.min(link.b) - self.particles.start, link.a.abs_diff(link.b))
            })
        };
        if ends().enumerate().all(|(k, end)| end == (k as u32, 1)) {
            return LinkPattern::Chain;
        }
        if self.links.len() < self.particles.len() {
            // A torn grid with few links has rows too short for a kernel.
            return LinkPattern::Net;
        }
        let Some(strides) = distinct_strides(ends().map(|(_, stride)| stride)) else {
            return LinkPattern::Net;
        };
        let fits = |columns: u32, last: Direction| {
            let place = |(low, stride)| Place::at(low, stride, columns);
            columns > 3 && ends().all(|end| place(end).is_some_and(|p| p.direction <= last))
        };
        // The particle indices of a link straight down differ by the number of columns; the indices
        // of a diagonal differ by one less or one more.
        let grid = strides.iter().copied().find(|&columns| fits(columns, Direction::DownLeft));
        // The longest links of a plate with at least three rows lead two rows down, so their index
        // difference is twice the number of columns.
        let half = strides.last().map(|longest| longest / 2);
        let plate = || half.into_iter().chain(strides).find(|&c| fits(c, Direction::DownTwo));
        let (columns, pattern) = match grid {
            Some(columns) => (columns, LinkPattern::Grid { columns }),
            None => match plate() {
                Some(columns) => (columns, LinkPattern::Plate { columns }),
                None => return LinkPattern::Net,
            },
        };
        let mut taken_directions = vec![0_u8; self.particles.len()];
        for (low, stride) in ends() {
            let Some(place) = Place::at(low, stride, columns) else { return LinkPattern::Net };
            let bit = 1 << place.direction as u8;
            if taken_directions[low as usize] & bit != 0 {
                return LinkPattern::Net;
            }
            taken_directions[low as usize] |= bit;
        }
        pattern
    }

    /// Returns the position of a link in a grid or plate with this number of columns. `None` if the
    /// link's ends are not neighbours or second neighbours.
    pub fn place(&self, link: &Link, columns: u32) -> Option<Place> {
        Place::of(link, self.particles.start, columns)
    }
}

impl Place {
    /// Returns the position of a link in a grid with first particle `first` and this number of
    /// columns. `None` if the link's ends are not neighbours or second neighbours.
    pub fn of(link: &Link, first: u32, columns: u32) -> Option<Self> {
        Self::at(link.a.min(link.b) - first, link.a.abs_diff(link.b), columns)
    }

    /// Returns the position of a link between the particles `low` and `low + stride`. `low` is
    /// counted from the grid's first particle.
    fn at(low: u32, stride: u32, columns: u32) -> Option<Self> {
        let (row, column) = (low / columns, low % columns);
        let last = column + 1 == columns;
        let direction = match stride {
            1 if !last => Direction::Right,
            _ if stride == columns => Direction::Down,
            _ if stride == columns + 1 && !last => Direction::DownRight,
            _ if stride + 1 == columns && column > 0 => Direction::DownLeft,
            2 if column + 2 < columns => Direction::RightTwo,
            _ if stride == 2 * columns => Direction::DownTwo,
            _ => return None,
        };
        Some(Self { row, column, direction })
    }
}

/// Returns the distinct values in ascending order. `None` if there are more than six, because the
/// links of a plate have six directions.
fn distinct_strides(all: impl Iterator<Item = u32>) -> Option<Vec<u32>> {
    let mut strides: Vec<u32> = Vec::new();
    for stride in all {
        if !strides.contains(&stride) {
            strides.push(stride);
        }
        if strides.len() > 6 {
            return None;
        }
    }
    strides.sort_unstable();
    Some(strides)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(pairs: &[(u32, u32)]) -> Links {
        pairs.iter().map(|&(a, b)| Link { a, b, ..Link::UNIT }).collect()
    }

    fn shapes(pairs: &[(u32, u32)]) -> Vec<LinkPattern> {
        Component::all(&links(pairs), 40).into_iter().map(|component| component.pattern).collect()
    }

    #[test]
    fn a_rope_is_a_chain_until_its_links_change_places() {
        assert_eq!(shapes(&[(2, 3), (4, 3), (4, 5)]), [LinkPattern::Chain]);
        assert_eq!(shapes(&[(3, 4), (2, 3), (4, 5)]), [LinkPattern::Net]);
    }

    #[test]
    fn a_cut_rope_is_two_chains() {
        assert_eq!(shapes(&[(0, 1), (1, 2), (3, 4)]), [LinkPattern::Chain, LinkPattern::Chain]);
    }

    #[test]
    fn a_grid_may_miss_links_but_not_double_or_wrap_them() {
        let mut pairs = vec![(0, 1), (1, 2), (2, 3), (0, 4), (1, 5), (2, 7), (3, 6), (4, 5)];
        assert_eq!(shapes(&pairs), [LinkPattern::Grid { columns: 4 }]);
        pairs.push((5, 4));
        assert_eq!(shapes(&pairs), [LinkPattern::Net]);
        pairs.pop();
        pairs.push((3, 4));
        assert_eq!(shapes(&pairs), [LinkPattern::Net]);
    }

    #[test]
    fn a_plate_has_links_to_the_next_but_one() {
        let bends = [(0, 2), (1, 3), (0, 8), (1, 9), (2, 10), (3, 11), (4, 6), (5, 7), (8, 10)];
        let mut pairs = [&bends[..], &[(9, 11), (6, 10), (7, 11)]].concat();
        assert_eq!(shapes(&pairs), [LinkPattern::Plate { columns: 4 }]);
        pairs.truncate(10);
        pairs.extend([(0, 1), (1, 2), (0, 4), (3, 6)]);
        assert_eq!(shapes(&pairs), [LinkPattern::Plate { columns: 4 }]);
        for wrapped_or_double in [(2, 4), (3, 5), (3, 4), (0, 2), (9, 1), (8, 0)] {
            pairs.push(wrapped_or_double);
            assert_eq!(shapes(&pairs), [LinkPattern::Net]);
            pairs.pop();
        }
        pairs.push((0, 9));
        assert_eq!(shapes(&pairs), [LinkPattern::Net], "the longest is odd");
    }

    #[test]
    fn a_ribbon_of_two_rows_is_a_plate_and_one_of_three_columns_a_net() {
        let two_rows = [
            (0, 1),
            (0, 5),
            (0, 2),
            (1, 2),
            (1, 3),
            (2, 3),
            (2, 4),
            (3, 8),
            (5, 6),
            (5, 7),
            (8, 9),
        ];
        assert_eq!(shapes(&two_rows), [LinkPattern::Plate { columns: 5 }]);
        let three_columns =
            [(0, 1), (0, 3), (0, 2), (0, 6), (1, 2), (1, 7), (2, 8), (3, 4), (3, 5), (6, 8)];
        assert_eq!(shapes(&three_columns), [LinkPattern::Net]);
    }
}
