//! Data that a solver keeps from one projection to the next.

use super::constraints::Multiplier;
use crate::mesh::{Bends, Links};
use std::any::Any;
use std::fmt::Debug;

/// Data of one solver, e.g. the pattern of its matrix. Built before its first projection.
pub(super) trait Plan: PlanTraits + Any + Debug + Send + Sync {
    /// Builds the data for all links and bends over this many particles.
    fn of(links: &Links, bends: &Bends, particles: usize) -> Self
    where
        Self: Sized;

    /// Makes a cut link inactive.
    fn cut(&mut self, link: usize);

    /// True if the data contain bends.
    fn lists_bends(&self) -> bool {
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

    /// Returns the link forces in newtons from which the next substep starts. `None` if the solver
    /// has no warm start.
    fn warm_start(&mut self) -> Option<&mut Vec<f64>> {
        None
    }
}

/// Clone and comparison of a [`Plan`] behind a `dyn` reference.
pub(super) trait PlanTraits {
    fn boxed_clone(&self) -> Box<dyn Plan>;

    /// True if both plans have the same type and content.
    fn is_same(&self, other: &dyn Plan) -> bool;
}

impl<P: Plan + Clone + PartialEq> PlanTraits for P {
    fn boxed_clone(&self) -> Box<dyn Plan> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn Plan) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

/// Data of several solvers, at most one plan of each type.
#[derive(Debug, Default)]
pub(super) struct Plans(Vec<Box<dyn Plan>>);

impl Plans {
    /// Returns the plan of type `P`. Builds it by `make` if it is missing.
    pub fn get_or_build<P: Plan>(&mut self, make: impl FnOnce() -> P) -> &mut P {
        let mut kinds = self.0.iter().map(|plan| (&**plan as &dyn Any).is::<P>());
        let at = kinds.position(|is_one| is_one).unwrap_or_else(|| {
            self.0.push(Box::new(make()));
            self.0.len() - 1
        });
        (&mut *self.0[at] as &mut dyn Any).downcast_mut().expect("a plan of this kind")
    }

    /// Returns the plan of type `P`. `None` if it has not been built.
    pub fn get<P: Plan>(&self) -> Option<&P> {
        self.0.iter().find_map(|plan| (&**plan as &dyn Any).downcast_ref())
    }

    /// Makes a cut link inactive in all plans.
    pub fn cut(&mut self, link: usize) {
        self.0.iter_mut().for_each(|plan| plan.cut(link));
    }

    /// Drops the plans for which `is_old` returns true.
    pub fn drop_if(&mut self, mut is_old: impl FnMut(&dyn Plan) -> bool) {
        self.0.retain(|plan| !is_old(&**plan));
    }

    /// Returns the multiplier of a link. `None` if no plan contains multipliers.
    pub fn multiplier(&self, link: usize) -> Option<Multiplier> {
        self.0.iter().find_map(|plan| plan.multiplier(link))
    }

    /// Returns the link forces in newtons from which the next substep starts. `None` if no plan has
    /// a warm start.
    pub fn warm_start(&mut self) -> Option<&mut Vec<f64>> {
        self.0.iter_mut().find_map(|plan| plan.warm_start())
    }
}

impl Clone for Plans {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|plan| plan.boxed_clone()).collect())
    }
}

impl PartialEq for Plans {
    fn eq(&self, other: &Self) -> bool {
        let has = |plan: &dyn Plan| other.0.iter().any(|other| plan.is_same(&**other));
        self.0.len() == other.0.len() && self.0.iter().all(|plan| has(&**plan))
    }
}
