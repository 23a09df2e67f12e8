//! Relaxation of link lengths: position-based dynamics.
//!
//! Corrects one link after the other to its rest length, with displacements proportional to the
//! inverse masses of its ends. Each correction disturbs the neighbours, so the sweeps are repeated.
//!
//! Jakobsen, T. (2001), "Advanced character physics", GDC. The inverse-mass weights and the
//! stiffness follow Müller, Heidelberger, Hennix and Ratcliff (2007), "Position based dynamics".

use super::choice::{ConstraintSolver, Relaxation, Root};
use super::constraints::{Constraints, Sweeps};
use super::kernels::Formula;
use super::parameter::{self, Parameter, ParameterValue, check_iterations, check_omega};
use super::particles::{ParticleAccess, Particles};
use super::solver::Solver;
use super::sweep::{Ends, SweepOrder};
use super::usage::{
    CommonSettings, ComparisonSettings, FreeIntegrator, NoLoop, OTHER_ORDER, PlainLoop, SWEEPS,
    SearchSettings,
};
use crate::mesh::{Link, LinkKind};
use crate::names::CatalogueEntry;
use crate::quantity::magnitude::format_six_digits;
use glam::DVec3;

impl Relaxation {
    /// Returns the solver with this many sweeps and otherwise default parameters.
    fn with(iterations: u32) -> ConstraintSolver {
        ConstraintSolver::Relaxation(Self { iterations, ..Self::default() })
    }

    fn sweep_settings<'a>(&self, w: &'a [f64]) -> Sweeps<'a> {
        let Self { iterations, order, root, .. } = *self;
        let stiffness = self.removed_fraction();
        let formula = match root {
            Root::Exact => Formula::Exact { stiffness, one_sided: true },
            Root::RootFree => Formula::RootFree { stiffness, one_sided: true },
        };
        Sweeps { order, iterations, formula, w }
    }
}

impl Solver for Relaxation {
    fn plain_sweeps(&self) -> Option<(ConstraintSolver, SweepOrder)> {
        Some((ConstraintSolver::Relaxation(Self { omega: 1.0, ..*self }), self.order))
    }

    fn removed_fraction(&self) -> f64 {
        self.stiffness * self.omega
    }

    fn info(&self) -> CatalogueEntry {
        CatalogueEntry {
            name: "relaxation",
            title: "relaxation (position-based dynamics)",
            reference: "Jakobsen 2001, Advanced character physics; Müller et al. 2007, J. Vis. \
                        Commun. Image Represent. 18, 109",
            verdict: "never explodes; stiffness depends on sweeps, and motion decays as under \
                      implicit Euler",
        }
    }

    fn short_name(&self) -> &'static str {
        "relaxation"
    }

    fn check(&self) -> Result<(), String> {
        let Self { iterations, order, root: _, stiffness, omega } = *self;
        check_iterations("iterations of relaxation", iterations)?;
        order.check()?;
        if !(stiffness > 0.0 && stiffness <= 1.0) {
            return Err(format!(
                "stiffness of relaxation is {}, must be above 0, at most 1",
                format_six_digits(stiffness)
            ));
        }
        check_omega("relaxation", omega)?;
        Ok(())
    }

    fn iterations_mut(&mut self) -> Option<&mut u32> {
        Some(&mut self.iterations)
    }

    fn is_root_free(&self) -> bool {
        self.root == Root::RootFree
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { iterations: _, order, root, stiffness, omega } = self;
        let root = Parameter {
            label: "square root",
            unit: "",
            text: "With the square root, one correction restores a link's length. The article's \
                   formula without a root leaves a small error: compare the stretch.",
            source: "Jakobsen 2001, Advanced Character Physics",
            value: ParameterValue::Root(root),
        };
        let stiffness = Parameter {
            label: "stiffness",
            unit: "of the error",
            text: "Fraction of a link's error that one correction removes: watch the rope stiffen \
                   with more sweeps or shorter steps, the known defect of the method.",
            source: "Müller et al. 2007, Position Based Dynamics",
            value: ParameterValue::Fraction(stiffness, 0.01..=1.0),
        };
        vec![parameter::order(order), parameter::omega(omega), root, stiffness]
    }

    fn constrains(&self, link: &Link) -> bool {
        link.kind != LinkKind::Bend
    }

    fn search_settings(&self) -> Option<SearchSettings> {
        Some(SearchSettings::of(Self::with(1), SWEEPS))
    }

    fn common_settings(&self) -> Vec<CommonSettings> {
        let usage = |name, sweeps| CommonSettings { name, solver: Self::with(sweeps), substeps: 1 };
        vec![
            usage("Verlet + relaxation, 10 sweeps, 1 step", 10),
            usage("Verlet + relaxation, 50 sweeps, 1 step", 50),
        ]
    }

    fn comparison_settings(&self) -> Vec<ComparisonSettings> {
        let (name, integrator) = ("relaxation, 10 sweeps", FreeIntegrator::VelocityVerlet);
        vec![ComparisonSettings { name, solver: Self::with(10), integrator }]
    }

    fn plain_loop(&self) -> Result<PlainLoop, NoLoop> {
        let Self { iterations, order, root, stiffness, omega } = *self;
        if order != SweepOrder::EndToEnd {
            return Err(OTHER_ORDER);
        }
        let share = stiffness * omega;
        Ok(PlainLoop {
            form: usize::from(root == Root::RootFree),
            numbers: vec![
                ("{iterations}", iterations.to_string()),
                ("{share}", format!("{share:?}")),
            ],
            ..PlainLoop::default()
        })
    }

    fn prepare(&self, c: &mut Constraints) {
        c.prepare(self.order);
    }

    fn project(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        self.prepare(c);
        let Self { iterations, root, .. } = *self;
        let stiffness = self.removed_fraction();
        let Particles { w, start, x, .. } = particles;
        c.sweep(self.sweep_settings(w), start, x, |_, link, ends, _| {
            let fraction = ends.fraction * stiffness;
            match root {
                Root::Exact => exact_correction(link, ends, fraction),
                Root::RootFree => root_free_correction(link, ends, fraction),
            }
        });
        iterations
    }

    fn can_interleave_contacts(&self, _c: &Constraints) -> bool {
        true
    }

    fn can_project_by_rows(&self, c: &mut Constraints) -> bool {
        self.prepare(c);
        c.can_sweep_by_rows(self.order)
    }

    fn project_by_rows(
        &self,
        c: &mut Constraints,
        w: &[f64],
        access: &mut dyn ParticleAccess,
        _h: f64,
    ) -> u32 {
        c.sweep_by_rows(self.sweep_settings(w), access);
        self.iterations
    }
}

/// Returns p = d · ((l − L)·fraction / (l (w_a + w_b))) of a link with the vector d = b − a: a
/// stretched link pulls its ends together. The formula has one root and one division, as in
/// Jakobsen's article.
///
/// Some copies of the article print both signs reversed, which drives a pair at 1.2 L to 1.4 L.
fn exact_correction(link: &Link, ends: Ends, fraction: f64) -> Option<DVec3> {
    let d = ends.b - ends.a;
    let l = d.length();
    let c = l - link.rest;
    let s = c * fraction / (l * ends.w);
    let slack = link.one_sided && c <= 0.0;
    (s.is_finite() && !slack).then(|| d * s)
}

/// Returns p = d · (−2f·fraction / (w_a + w_b)) with Jakobsen's f = L²/(d·d + L²) − ½, here for
/// unequal masses; −2f = (d·d − L²)/(d·d + L²).
fn root_free_correction(link: &Link, ends: Ends, fraction: f64) -> Option<DVec3> {
    let d = ends.b - ends.a;
    let d2 = d.length_squared();
    let rest2 = link.rest * link.rest;
    let c = d2 - rest2;
    let s = c * fraction / ((d2 + rest2) * ends.w);
    let slack = link.one_sided && c <= 0.0;
    (s.is_finite() && !slack).then(|| d * s)
}
