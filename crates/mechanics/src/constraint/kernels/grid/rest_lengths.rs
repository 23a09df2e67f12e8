//! Rest lengths of a grid's links.

use super::layout::GridLayout;
use crate::mesh::Links;
use crate::mesh::component::Component;
use crate::numerics::distinct_rows::DistinctRows;

/// Returns the rest lengths in the encoding of [`Rule`](super::super::rule::Rule), one per place of
/// each row and direction. NaN where there is no link.
pub fn rest_lengths(layout: &GridLayout, component: &Component, links: &Links) -> DistinctRows {
    let mut rests = vec![f64::NAN; layout.numbers()];
    for &i in &component.links {
        let link = links.at(i as usize);
        let place = component.place(&link, layout.columns as u32).expect("a link of the grid");
        rests[layout.number(place)] = if link.one_sided { -link.rest } else { link.rest };
    }
    DistinctRows::new(layout.row_links(), &rests)
}
