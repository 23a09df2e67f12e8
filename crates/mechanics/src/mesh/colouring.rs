//! Edge colouring of links: two links of one colour share no particle, so a sweep may move them at
//! the same time.

use super::component::{Component, Direction, LinkPattern};
use super::link::Link;
use super::links::Links;
use itertools::Itertools;
use std::collections::BTreeSet;

/// Assigns a colour to each link, such that two links of one colour share no particle. (A link from
/// a particle to itself counts once.) Returns the indices of each colour's links in ascending
/// order. The result depends only on the arguments.
///
/// Each component (rope, cloth, net) is coloured by itself. Colour k of the result combines the
/// colours k of all components:
///
/// * A chain has two colours, red and black.
/// * A grid has eight: right from even columns, right from odd columns, then down, down-right and
///   down-left from even rows, then the same three from odd rows. The first five join particles
///   within a pair of rows (0–1, 2–3, …), the last three join pairs of rows (1–2, 3–4, …). A sweep
///   over all colours can therefore go through the rows once instead of eight times.
/// * A plate or net is coloured greedily, see `colour_net`.
pub fn colour_links(links: &Links, particles: usize) -> Vec<Vec<u32>> {
    colour_components(&Component::all(links, particles), links, particles)
}

/// Returns the colours like [`colour_links`], for links that are already divided into components.
pub(crate) fn colour_components(
    components: &[Component],
    links: &Links,
    particles: usize,
) -> Vec<Vec<u32>> {
    let mut colours: Vec<Vec<u32>> = Vec::new();
    for component in components {
        let classes = match component.pattern {
            LinkPattern::Chain => colour_chain(component),
            LinkPattern::Grid { columns } => colour_grid(component, links, columns),
            LinkPattern::Plate { .. } | LinkPattern::Net => colour_net(component, links, particles),
        };
        if colours.len() < classes.len() {
            colours.resize_with(classes.len(), Vec::new);
        }
        for (colour, class) in colours.iter_mut().zip(classes) {
            colour.extend(class);
        }
    }
    for colour in &mut colours {
        colour.sort_unstable();
    }
    colours
}

fn colour_chain(component: &Component) -> Vec<Vec<u32>> {
    let half = |parity| component.links.iter().copied().skip(parity).step_by(2).collect();
    [0, 1].into_iter().map(half).filter(|class: &Vec<u32>| !class.is_empty()).collect()
}

fn colour_grid(component: &Component, links: &Links, columns: u32) -> Vec<Vec<u32>> {
    let mut colours = vec![Vec::new(); 8];
    for &i in &component.links {
        let place = component.place(&links.at(i as usize), columns).expect("a link of the grid");
        let colour = match place.direction {
            Direction::Right => place.column % 2,
            Direction::Down => 2 + place.row % 2 * 3,
            Direction::DownRight => 3 + place.row % 2 * 3,
            Direction::DownLeft => 4 + place.row % 2 * 3,
            Direction::RightTwo | Direction::DownTwo => unreachable!("links of plates"),
        };
        colours[colour as usize].push(i);
    }
    colours.retain(|colour| !colour.is_empty());
    colours
}

/// Colours the links of a net by two greedy orders, and returns the result with fewer colours:
///
/// * link by link in the order of the list: at most 2Δ − 1 colours if a particle has at most Δ
///   links;
/// * by strands: links with the same |b − a|. In generated meshes these are the rows, columns and
///   diagonals, i.e. chains, which need two colours. All links of one strand and colour are then
///   moved together to the first colour that contains none of their particles. A cloth with
///   diagonals and bend links gets 12 colours.
///
/// Finally the colours are balanced, so that the sizes of any two colours differ by at most one.
fn colour_net(component: &Component, links: &Links, particles: usize) -> Vec<Vec<u32>> {
    let mut colours_at = vec![ColoursAt::default(); particles];
    let single = component.links.iter().map(|&i| vec![i]);
    let by_link = colour_greedily(single, links, &mut colours_at);
    let halves = halve_strands(&component.links, links, &mut colours_at);
    let by_strand = colour_greedily(halves.into_iter(), links, &mut colours_at);
    let mut colours = if by_strand.len() < by_link.len() { by_strand } else { by_link };
    balance_colours(&mut colours, links, particles);
    colours
}

/// Divides each strand (links with the same |b − a|) greedily into colours. Returns one group of
/// links for each strand and colour.
fn halve_strands(chosen: &[u32], links: &Links, colours_at: &mut [ColoursAt]) -> Vec<Vec<u32>> {
    let ends = |i: u32| [links.at(i as usize).a, links.at(i as usize).b];
    let stride = |&i: &u32| ends(i)[0].abs_diff(ends(i)[1]);
    let lower = |&i: &u32| ends(i)[0].min(ends(i)[1]);
    let sorted = chosen.iter().copied().sorted_by_key(|i| (stride(i), lower(i), *i));
    let mut halves = Vec::new();
    for (_, strand) in &sorted.chunk_by(stride) {
        halves.extend(colour_greedily(strand.map(|i| vec![i]), links, colours_at));
    }
    halves
}

/// Colours of the links at one particle, in ascending order.
#[derive(Clone, Debug, Default)]
struct ColoursAt {
    colours: Vec<usize>,
    /// Lowest colour that no link at this particle has. A search that begins here finds a free
    /// colour in constant time. A search from colour 0 would take n² operations for the n links of
    /// a particle, and n may be 40,000.
    first_free: usize,
}

impl ColoursAt {
    fn has(&self, colour: usize) -> bool {
        colour < self.first_free || self.colours.binary_search(&colour).is_ok()
    }

    fn insert(&mut self, colour: usize) {
        if let Err(place) = self.colours.binary_search(&colour) {
            self.colours.insert(place, colour);
        }
        while self.colours.get(self.first_free) == Some(&self.first_free) {
            self.first_free += 1;
        }
    }

    fn clear(&mut self) {
        self.colours.clear();
        self.first_free = 0;
    }
}

/// Assigns to each group of links the first colour in which no link shares a particle with the
/// group. `colours_at` is a buffer with one entry per particle, which is empty before and after the
/// call.
fn colour_greedily(
    bundles: impl Iterator<Item = Vec<u32>>,
    links: &Links,
    colours_at: &mut [ColoursAt],
) -> Vec<Vec<u32>> {
    let mut colours: Vec<Vec<u32>> = Vec::new();
    for bundle in bundles {
        let ends = || {
            let ends = |&i: &u32| [links.at(i as usize).a, links.at(i as usize).b];
            bundle.iter().flat_map(ends).map(|end| end as usize)
        };
        let mut free = ends().map(|end| colours_at[end].first_free).max().unwrap_or(0);
        while ends().any(|end| colours_at[end].has(free)) {
            free += 1;
        }
        if free == colours.len() {
            colours.push(Vec::new());
        }
        ends().for_each(|end| colours_at[end].insert(free));
        colours[free].extend(bundle);
    }
    for colour in &mut colours {
        for &i in &*colour {
            let link = links.at(i as usize);
            colours_at[link.a as usize].clear();
            colours_at[link.b as usize].clear();
        }
        colour.sort_unstable();
    }
    colours
}

/// Moves links between colours until their sizes differ by at most one. Every edge colouring can be
/// balanced in this manner (McDiarmid 1972, "The solution of a timetabling problem").
fn balance_colours(colours: &mut [Vec<u32>], links: &Links, particles: usize) {
    let mut links_at = vec![[None; 2]; particles];
    let mut by_size: BTreeSet<_> = colours.iter().map(Vec::len).zip(0..).collect();
    while let (Some(&small), Some(&large)) = (by_size.first(), by_size.last())
        && large.0 > small.0 + 1
    {
        let [from, to] = colours.get_disjoint_mut([large.1, small.1]).expect("two colours");
        move_surplus(from, to, links, &mut links_at);
        by_size.remove(&small);
        by_size.remove(&large);
        by_size.insert((to.len(), small.1));
        by_size.insert((from.len(), large.1));
    }
}

/// Moves half of the surplus of colour `from` to colour `to`.
///
/// The links of two colours form paths and rings with alternating colours. A path with both ends in
/// `from` has one link more of `from` than of `to`, so exchanging its colours moves one link.
///
/// `links_at` is a buffer for the link of each of the two colours at each particle. It is empty
/// before and after the call.
fn move_surplus(
    from: &mut Vec<u32>,
    to: &mut Vec<u32>,
    links: &Links,
    links_at: &mut [[Option<u32>; 2]],
) {
    for (side, colour) in [&*from, &*to].into_iter().enumerate() {
        for &i in colour {
            links_at[links.at(i as usize).a as usize][side] = Some(i);
            links_at[links.at(i as usize).b as usize][side] = Some(i);
        }
    }
    let mut surplus = (from.len() - to.len()) / 2;
    for &i in &*from {
        if surplus == 0 {
            break;
        }
        let Link { a, b, .. } = links.at(i as usize);
        let begins = |&end: &u32| {
            let [here, there] = links_at[end as usize];
            here == Some(i) && (there.is_none() || a == b)
        };
        let Some(end) = [a, b].into_iter().find(begins) else { continue };
        let path = alternating_path(i, end, links, links_at);
        if path.len() % 2 == 1 {
            surplus -= 1;
            swap_colours(&path, links, links_at);
        }
    }
    let both = [std::mem::take(from), std::mem::take(to)].concat();
    for &i in both.iter().sorted_unstable() {
        let links_at_end = &links_at[links.at(i as usize).a as usize];
        if links_at_end[0] == Some(i) { from.push(i) } else { to.push(i) }
    }
    for &i in &both {
        links_at[links.at(i as usize).a as usize] = [None; 2];
        links_at[links.at(i as usize).b as usize] = [None; 2];
    }
}

/// Returns the links of an alternating path, from link `first` with its free end at particle `end`.
/// A link from a particle to itself ends the path.
fn alternating_path(
    first: u32,
    end: u32,
    links: &Links,
    links_at: &[[Option<u32>; 2]],
) -> Vec<u32> {
    let other_end = |i: u32, end: u32| {
        let Link { a, b, .. } = links.at(i as usize);
        if end == a { b } else { a }
    };
    let mut path = vec![first];
    let mut at = other_end(first, end);
    while let Some(i) = links_at[at as usize][path.len() % 2] {
        path.push(i);
        let next = other_end(i, at);
        if next == at {
            break;
        }
        at = next;
    }
    path
}

fn swap_colours(path: &[u32], links: &Links, links_at: &mut [[Option<u32>; 2]]) {
    let ends = path.iter().flat_map(|&i| [links.at(i as usize).a, links.at(i as usize).b]);
    for end in ends.sorted_unstable().dedup() {
        links_at[end as usize].swap(0, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(a: u32, b: u32) -> Link {
        Link { a, b, ..Link::UNIT }
    }

    /// A release build would need 6 s if the time grew with the square of the number of links at a
    /// particle.
    #[test]
    fn a_star_of_many_links_has_a_colour_for_each() {
        let many = 40_000;
        let links: Links = (1..=many).map(|leaf| link(0, leaf)).collect();
        let colours = colour_links(&links, many as usize + 1);
        assert!(colours.iter().enumerate().all(|(i, colour)| *colour == [i as u32]));
        assert_eq!(colours.len(), many as usize);
    }
}
