//! Memory-saving list of links.

use super::faces::ascending;
use super::link::{Link, LinkKind};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// List of links. A clone shares its memory until one of the two changes.
///
/// Most links of a mesh differ only in their particles. The list stores each combination of the
/// other properties once, as a *form*: the link moved so that its first end is particle 0. A link
/// is then eight bytes: its first particle and the index of its form.
#[derive(Clone, Default)]
pub struct Links(Arc<LinkStore>);

#[derive(Clone, Default)]
struct LinkStore {
    /// First particle and index of the form, for each link.
    links: Vec<[u32; 2]>,
    forms: Vec<Link>,
    table: FormTable,
}

impl Links {
    /// Returns the number of links.
    pub fn len(&self) -> usize {
        self.0.links.len()
    }

    /// True if there are no links.
    pub fn is_empty(&self) -> bool {
        self.0.links.is_empty()
    }

    /// Returns link `i`. `None` if the index is out of range.
    pub fn get(&self, i: usize) -> Option<Link> {
        (i < self.len()).then(|| self.at(i))
    }

    /// Returns link `i`.
    ///
    /// # Panics
    ///
    /// If the index is out of range.
    #[inline]
    pub fn at(&self, i: usize) -> Link {
        let LinkStore { links, forms, .. } = &*self.0;
        link(links[i], forms)
    }

    /// Yields the links, in insertion order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Link> + DoubleEndedIterator + Clone {
        let LinkStore { links, forms, .. } = &*self.0;
        links.iter().map(|&packed| link(packed, forms))
    }

    /// Returns the indices of the links between each of these pairs of particles. In the result,
    /// each pair has its smaller index first. Passes over all links once, or not at all if there
    /// are no pairs.
    pub fn between(&self, pairs: impl Iterator<Item = [u32; 2]>) -> BTreeMap<[u32; 2], Vec<u32>> {
        let mut between: BTreeMap<_, Vec<u32>> =
            pairs.map(|pair| (ascending(pair), Vec::new())).collect();
        if between.is_empty() {
            return between;
        }
        for (number, link) in (0..).zip(self.iter()) {
            if let Some(numbers) = between.get_mut(&ascending([link.a, link.b])) {
                numbers.push(number);
            }
        }
        between
    }

    /// True if both lists use the same memory, i.e. one is a clone of the other and neither has
    /// changed since. This test is faster than a comparison of all links.
    pub fn shares_memory(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Cuts link `i`: its rest length becomes NaN. The link stays in the list, so that later links
    /// keep their indices.
    ///
    /// # Panics
    ///
    /// If the index is out of range.
    pub fn cut(&mut self, i: usize) {
        let LinkStore { links, forms, table } = Arc::make_mut(&mut self.0);
        let [a, form] = links[i];
        let form = Link { rest: f64::NAN, ..forms[form as usize] };
        links[i] = [a, table.number(forms, form)];
    }

    /// True if `has_it` returns true for all links. `has_it` must not use the particle indices of
    /// the link, because it is called once for each combination of the other properties.
    pub fn all(&self, has_it: impl Fn(&Link) -> bool) -> bool {
        self.0.forms.iter().all(has_it)
    }

    /// Returns the mean rest length of the links that are not cut, in metres; 1 m if all are cut.
    pub fn mean_rest_length(&self) -> f64 {
        let lengths = self.iter().map(|link| link.rest).filter(|rest| !rest.is_nan());
        let (sum, count) = lengths.fold((0.0, 0u32), |(sum, n), rest| (sum + rest, n + 1));
        if sum > 0.0 { sum / f64::from(count) } else { 1.0 }
    }

    /// Reserves memory for `more` additional links.
    pub fn reserve(&mut self, more: usize) {
        Arc::make_mut(&mut self.0).links.reserve_exact(more);
    }

    /// Appends a link.
    pub fn push(&mut self, link: Link) {
        let LinkStore { links, forms, table } = Arc::make_mut(&mut self.0);
        let form = Link { a: 0, b: link.b.wrapping_sub(link.a), ..link };
        links.push([link.a, table.number(forms, form)]);
    }
}

#[inline(always)]
fn link([a, form]: [u32; 2], forms: &[Link]) -> Link {
    let form = forms[form as usize];
    Link { a, b: form.b.wrapping_add(a), ..form }
}

impl Extend<Link> for Links {
    fn extend<I: IntoIterator<Item = Link>>(&mut self, links: I) {
        let links = links.into_iter();
        self.reserve(links.size_hint().0);
        links.for_each(|link| self.push(link));
    }
}

impl FromIterator<Link> for Links {
    fn from_iter<I: IntoIterator<Item = Link>>(links: I) -> Self {
        let mut list = Self::default();
        list.extend(links);
        list
    }
}

impl From<Vec<Link>> for Links {
    fn from(links: Vec<Link>) -> Self {
        links.into_iter().collect()
    }
}

impl PartialEq for Links {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Hash table that finds the index of a form by its bits, with open addressing, at most half full.
/// A form has all properties of a link except its position in the mesh.
#[derive(Clone, Default)]
struct FormTable(Vec<u32>);

impl FormTable {
    const FREE: u32 = u32::MAX;

    /// Returns the index of `form` in the list `forms`. Appends the form if it is new.
    fn number(&mut self, forms: &mut Vec<Link>, form: Link) -> u32 {
        if self.0.len() <= 2 * forms.len() {
            self.grow(forms);
        }
        let wanted = bits(&form);
        let mut at = self.first_place(wanted);
        while self.0[at] != Self::FREE {
            if bits(&forms[self.0[at] as usize]) == wanted {
                return self.0[at];
            }
            at = self.next_place(at);
        }
        self.0[at] = forms.len() as u32;
        forms.push(form);
        self.0[at]
    }

    fn grow(&mut self, forms: &[Link]) {
        self.0 = vec![Self::FREE; (4 * forms.len()).next_power_of_two().max(16)];
        for (number, form) in forms.iter().enumerate() {
            let mut at = self.first_place(bits(form));
            while self.0[at] != Self::FREE {
                at = self.next_place(at);
            }
            self.0[at] = number as u32;
        }
    }

    fn first_place(&self, bits: [u64; 4]) -> usize {
        let mix =
            |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        (bits.into_iter().fold(0, mix) >> 32) as usize & (self.0.len() - 1)
    }

    fn next_place(&self, at: usize) -> usize {
        (at + 1) & (self.0.len() - 1)
    }
}

/// Returns the bits of all properties of a form (a link moved to particle 0), as the key of a hash
/// table.
fn bits(form: &Link) -> [u64; 4] {
    let Link { a: _, b, rest, stiffness, damping, kind, one_sided, rigid } = *form;
    let kind = match kind {
        LinkKind::Structural => 0,
        LinkKind::Shear => 1,
        LinkKind::Bend => 2,
    };
    let flags = kind << 2 | u64::from(one_sided) << 1 | u64::from(rigid);
    [flags << 32 | u64::from(b), rest.to_bits(), stiffness.to_bits(), damping.to_bits()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_link() -> impl Strategy<Value = Link> {
        let number = prop::sample::select(vec![0.0, -0.0, 1.0, 1.0 + f64::EPSILON, f64::INFINITY]);
        let kinds = vec![LinkKind::Structural, LinkKind::Shear, LinkKind::Bend];
        let kind = prop::sample::select(kinds);
        let numbers = [number.clone(), number.clone(), number];
        (any::<[u32; 2]>(), numbers, kind, any::<[bool; 2]>()).prop_map(
            |([a, b], [rest, stiffness, damping], kind, [one_sided, rigid])| Link {
                a,
                b,
                rest,
                stiffness,
                damping,
                kind,
                one_sided,
                rigid,
            },
        )
    }

    fn text(links: impl IntoIterator<Item = Link>) -> Vec<String> {
        // The debug text distinguishes −0 from 0, `==` does not.
        links.into_iter().map(|link| format!("{link:?}")).collect()
    }

    proptest! {
        #[test]
        fn links_come_back_bit_by_bit(kept in prop::collection::vec(any_link(), 0..200)) {
            let links = Links::from(kept.clone());
            prop_assert_eq!(text(links.iter()), text(kept.clone()));
            prop_assert_eq!(text(links.iter().rev()), text(kept.iter().rev().copied()));
            let each = (0..links.len()).map(|i| links.at(i));
            prop_assert_eq!(text(each), text(kept.clone()));
            prop_assert!(links.get(kept.len()).is_none());
        }
    }

    const LINK: Link = Link { a: 3, b: 4, ..Link::UNIT };

    #[test]
    fn links_that_differ_in_their_beginning_share_a_form() {
        let rope: Links = (0..1000).map(|a| Link { a, b: a + 1, ..LINK }).collect();
        assert_eq!(rope.0.forms.len(), 1);
        let fan: Links = (0..1000).map(|b| Link { b, ..LINK }).collect();
        assert_eq!(fan.0.forms.len(), 1000);
    }

    #[test]
    fn a_cut_link_keeps_all_but_its_rest_length() {
        let mut links: Links = (0..1000).map(|a| Link { a, b: a + 1, ..LINK }).collect();
        (0..1000).step_by(7).for_each(|i| links.cut(i));
        for (i, link) in links.iter().enumerate() {
            let whole = Link { a: i as u32, b: i as u32 + 1, ..LINK };
            assert_eq!(link.is_cut(), i % 7 == 0);
            assert_eq!(Link { rest: 1.0, ..link }, whole);
        }
        assert_eq!(links.0.forms.len(), 2);
    }

    #[test]
    fn a_clone_keeps_what_it_was_when_the_other_grows() {
        let first: Links = std::iter::once(LINK).collect();
        let mut second = first.clone();
        assert!(first.shares_memory(&second));
        second.push(LINK);
        assert_eq!((first.len(), second.len()), (1, 2));
        assert_ne!(first, second);
        assert!(!first.shares_memory(&second));
    }
}
