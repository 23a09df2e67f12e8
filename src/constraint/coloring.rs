//! Colours of links.

use super::Link;
use itertools::Itertools;

/// Divides links into colours such that links of one colour share no particle (a link from a
/// particle to itself counts once). Deterministic; each colour lists its links in ascending order.
///
/// Greedy, in two ways, of which the one with fewer colours is taken:
///
/// * link by link in the given order: good for any graph, at most 2Δ − 1 colours at degree Δ;
/// * by strands: links with the same b − a form chains in the meshes we generate (rows, columns,
///   diagonals), and a chain needs two colours. Whole halves of strands are then placed into the
///   first colour that has none of their particles. A rope gets 2 colours, a cloth with diagonals
///   8 and with bend links 12, and separate bodies share them: never more than their degree.
pub fn colour_classes(links: &[Link], particles: usize) -> Vec<Vec<u32>> {
    let single = (0..links.len() as u32).map(|i| vec![i]);
    let mut colours_at = vec![Vec::new(); particles];
    let by_link = place(single, links, &mut colours_at);
    let halves = strands(links, &mut colours_at);
    let by_strand = place(halves.into_iter(), links, &mut colours_at);
    if by_strand.len() < by_link.len() { by_strand } else { by_link }
}

/// Groups of links with the same stride |b − a|, divided into as few colours as a greedy walk
/// along the strand needs.
fn strands(links: &[Link], colours_at: &mut [Vec<usize>]) -> Vec<Vec<u32>> {
    let stride = |&i: &u32| links[i as usize].a.abs_diff(links[i as usize].b);
    let lower = |&i: &u32| links[i as usize].a.min(links[i as usize].b);
    let walk = (0..links.len() as u32).sorted_by_key(|i| (stride(i), lower(i), *i));
    let mut halves = Vec::new();
    for (_, strand) in &walk.chunk_by(stride) {
        halves.extend(place(strand.map(|i| vec![i]), links, colours_at));
    }
    halves
}

/// Places each bundle into the first colour that has none of its particles. `colours_at` lists the
/// colours at each particle; it is empty before and after.
fn place(
    bundles: impl Iterator<Item = Vec<u32>>,
    links: &[Link],
    colours_at: &mut [Vec<usize>],
) -> Vec<Vec<u32>> {
    let mut colours: Vec<Vec<u32>> = Vec::new();
    let mut taken_by: Vec<usize> = Vec::new();
    for (number, bundle) in bundles.enumerate() {
        let ends = || bundle.iter().flat_map(|&i| [links[i as usize].a, links[i as usize].b]);
        for colour in ends().flat_map(|end| &colours_at[end as usize]) {
            taken_by[*colour] = number;
        }
        let free = taken_by.iter().position(|&by| by != number).unwrap_or(colours.len());
        if free == colours.len() {
            colours.push(Vec::new());
            taken_by.push(usize::MAX);
        }
        for end in ends() {
            colours_at[end as usize].push(free);
        }
        colours[free].extend(bundle);
    }
    for colour in &mut colours {
        for &i in &*colour {
            colours_at[links[i as usize].a as usize].clear();
            colours_at[links[i as usize].b as usize].clear();
        }
        colour.sort_unstable();
    }
    colours
}
