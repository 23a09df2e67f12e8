//! Lists of the contact search, which move from a simulation to its stepping copy. Cloning them
//! would be slow: the pairs of an exploded cloth fill hundreds of megabytes.

use super::Contacts;
use crate::contact::cloth::feature_pair::FeaturePair;
use crate::contact::cloth::self_contact::SelfContactSearch;
use std::mem;

/// Lists of the contact search. A simulation without these lists builds them again in its next
/// step, with the same results.
#[derive(Debug)]
pub struct SearchLists {
    self_contact: SelfContactSearch,
    pairs: Vec<FeaturePair>,
}

impl Contacts {
    /// Moves the lists out of the contacts. Forces and counts of the last step remain readable.
    pub(crate) fn take_lists(&mut self) -> SearchLists {
        let without = self.self_contact.without_lists();
        SearchLists {
            self_contact: mem::replace(&mut self.self_contact, without),
            pairs: mem::take(&mut self.pairs),
        }
    }

    pub(crate) fn put_lists(&mut self, lists: SearchLists) {
        SearchLists { self_contact: self.self_contact, pairs: self.pairs } = lists;
    }
}
