//! Data that a solver keeps from one projection to the next.

use super::multiplier::Multiplier;
use crate::mesh::{Bends, Links};
use std::any::Any;
use std::fmt::Debug;

/// Data of one solver, e.g. its matrix pattern, built before the first projection.
pub(super) trait SolverData: SolverDataTraits + Any + Debug + Send + Sync {
    /// Builds the data for all links and bends of a mesh with this many particles.
    fn of(links: &Links, bends: &Bends, particles: usize) -> Self
    where
        Self: Sized;

    fn cut(&mut self, link: usize);

    fn contains_bends(&self) -> bool {
        false
    }

    /// True if the data contain the links' multipliers.
    fn has_multipliers(&self) -> bool {
        false
    }

    /// Returns the multiplier of a link after the last projection. `None` if the data contain no
    /// multipliers.
    fn multiplier(&self, _link: usize) -> Option<Multiplier> {
        None
    }

    /// Returns the initial link forces of the next substep, in newtons. `None` if the solver has no
    /// warm start.
    fn warm_start(&mut self) -> Option<&mut Vec<f64>> {
        None
    }
}

/// Clone and comparison of a [`SolverData`] behind a `dyn` reference.
pub(super) trait SolverDataTraits {
    fn boxed_clone(&self) -> Box<dyn SolverData>;

    /// True if both have the same type and content.
    fn is_same(&self, other: &dyn SolverData) -> bool;
}

impl<P: SolverData + Clone + PartialEq> SolverDataTraits for P {
    fn boxed_clone(&self) -> Box<dyn SolverData> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn SolverData) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

/// Data of several solvers, at most one entry of each type.
#[derive(Debug, Default)]
pub(super) struct SolverDataList(Vec<Box<dyn SolverData>>);

impl SolverDataList {
    /// Returns the data of type `P`. Builds them by `make` if they are missing.
    pub fn get_or_build<P: SolverData>(&mut self, make: impl FnOnce() -> P) -> &mut P {
        let mut kinds = self.0.iter().map(|data| (&**data as &dyn Any).is::<P>());
        let at = kinds.position(|is_one| is_one).unwrap_or_else(|| {
            self.0.push(Box::new(make()));
            self.0.len() - 1
        });
        (&mut *self.0[at] as &mut dyn Any).downcast_mut().expect("data of this kind")
    }

    /// Returns the data of type `P`. `None` if they have not been built.
    pub fn get<P: SolverData>(&self) -> Option<&P> {
        self.0.iter().find_map(|data| (&**data as &dyn Any).downcast_ref())
    }

    /// Makes a cut link inactive in the data of all solvers.
    pub fn cut(&mut self, link: usize) {
        self.0.iter_mut().for_each(|data| data.cut(link));
    }

    pub fn drop_if(&mut self, mut is_outdated: impl FnMut(&dyn SolverData) -> bool) {
        self.0.retain(|data| !is_outdated(&**data));
    }

    /// Returns the multiplier of a link. `None` if no data contain multipliers.
    pub fn multiplier(&self, link: usize) -> Option<Multiplier> {
        self.0.iter().find_map(|data| data.multiplier(link))
    }

    /// Returns the initial link forces of the next substep, in newtons. `None` if no solver has a
    /// warm start.
    pub fn warm_start(&mut self) -> Option<&mut Vec<f64>> {
        self.0.iter_mut().find_map(|data| data.warm_start())
    }
}

impl Clone for SolverDataList {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|data| data.boxed_clone()).collect())
    }
}

impl PartialEq for SolverDataList {
    fn eq(&self, other: &Self) -> bool {
        let has = |data: &dyn SolverData| other.0.iter().any(|other| data.is_same(&**other));
        self.0.len() == other.0.len() && self.0.iter().all(|data| has(&**data))
    }
}
