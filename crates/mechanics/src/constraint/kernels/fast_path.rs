//! Interface of the kernel of one component, and the search for a kernel.

use crate::constraint::multiplier::{Multiplier, Tuning};
use crate::mesh::{Link, Links};
use std::iter;
use std::ops::Range;

/// Kernel of one component, with its links in the kernel's memory layout. A link is identified by
/// its index `number` in the list of links.
pub(super) trait FastPath {
    fn particles(&self) -> Range<usize>;

    fn cut(&mut self, number: usize, link: &Link);

    /// Computes the coefficients of XPBD's multipliers.
    fn tune(&mut self, links: &Links, tuning: Tuning);

    /// Returns the multiplier of a link after the last XPBD projection. `None` if the kernel does
    /// not store it.
    fn multiplier(&self, number: usize, link: &Link) -> Option<Multiplier>;
}

/// Returns the kernel of the component that contains a particle; `None` if no kernel contains it.
/// `paths` are in ascending order of their particles.
pub(super) fn path_of_particle<P: FastPath>(paths: &[P], particle: u32) -> Option<&P> {
    let particle = particle as usize;
    let path = paths.get(paths.partition_point(|path| path.particles().end <= particle))?;
    path.particles().contains(&particle).then_some(path)
}

/// Returns the ranges of particles below `particles` that belong to no kernel.
pub(super) fn gaps_between<P: FastPath>(paths: &[P], particles: usize) -> Vec<Range<usize>> {
    let ends = iter::once(0).chain(paths.iter().map(|path| path.particles().end));
    let starts = paths.iter().map(|path| path.particles().start).chain(iter::once(particles));
    ends.zip(starts).map(|(end, start)| end..start).filter(|gap| !gap.is_empty()).collect()
}

/// Makes a cut link inactive in the kernel that contains it.
pub(super) fn cut_link_in<P: FastPath>(paths: &mut [P], number: usize, link: &Link) {
    let particle = link.a as usize;
    let path = paths.iter_mut().find(|path| path.particles().contains(&particle));
    path.into_iter().for_each(|path| path.cut(number, link));
}
