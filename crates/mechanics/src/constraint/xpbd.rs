//! Extended position-based dynamics (XPBD).
//!
//! Macklin, Müller and Chentanez (2016), "XPBD: position-based simulation of compliant constrained
//! dynamics". A single spring moves exactly as under implicit Euler. At compliance 0 the result
//! equals that of [`super::Relaxation`] bit by bit. The number of substeps is a setting of the
//! simulation.

use super::choice::{ConstraintSolver, Xpbd};
use super::constraints::{Constraints, Sweeps};
use super::kernels::Formula;
use super::multiplier::{Tuning, equation, link_correction};
use super::parameter::{self, Parameter, ParameterValue, check_iterations, check_omega};
use super::particles::{ParticleAccess, Particles, Times};
use super::solver::Solver;
use super::sweep::{Ends, SweepOrder};
use super::usage::{
    CommonSettings, ComparisonSettings, Defect, FreeIntegrator, NoLoop, OTHER_ORDER, PlainLoop,
    RemedyTrial, RemedyTrials, SWEEPS, SearchSettings, TrialSubsteps,
};
use crate::mesh::Link;
use crate::names::CatalogueEntry;
use crate::quantity::magnitude::format_six_digits;
use glam::DVec3;

impl Xpbd {
    /// Returns the solver with this many sweeps and otherwise default parameters.
    fn with(iterations: u32) -> ConstraintSolver {
        ConstraintSolver::Xpbd(Self { iterations, ..Self::default() })
    }

    fn sweep_settings<'a>(&self, c: &mut Constraints, w: &'a [f64], times: Times) -> Sweeps<'a> {
        let Self { iterations, order, compliance, damping, .. } = *self;
        let damped = c.tune(Tuning { order, compliance, damping, times });
        Sweeps { order, iterations, formula: Formula::Compliant { one_sided: true, damped }, w }
    }

    /// Runs all sweeps, starting from the current multipliers of the bends.
    fn continue_sweeps(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        let &mut Particles { w, start, ref mut x, times } = particles;
        let sweeps = self.sweep_settings(c, w, times);
        let Self { omega, forgets, .. } = *self;
        c.sweep(
            sweeps,
            start,
            x,
            #[inline(always)]
            |i, link, ends, multipliers| {
                let multiplier = &mut multipliers[i];
                if forgets {
                    multiplier.lambda = 0.0;
                }
                link_correction(
                    link,
                    Ends { fraction: ends.fraction * omega, ..ends },
                    start,
                    multiplier,
                )
            },
        );
        sweeps.iterations
    }
}

impl Solver for Xpbd {
    fn info(&self) -> CatalogueEntry {
        CatalogueEntry {
            name: "xpbd",
            title: "extended position-based dynamics (XPBD)",
            reference: "Macklin, Müller and Chentanez 2016, XPBD: position-based simulation of \
                        compliant constrained dynamics",
            verdict: "as stiff as the material, stable at any step, damps like implicit \
                      Euler",
        }
    }

    fn short_name(&self) -> &'static str {
        "XPBD"
    }

    fn check(&self) -> Result<(), String> {
        let Self { iterations, order, compliance, damping, omega, forgets: _ } = *self;
        check_iterations("iterations of XPBD", iterations)?;
        order.check()?;
        for (what, value) in [("compliance", compliance), ("damping", damping)] {
            if let Some(value) = value
                && !(value >= 0.0 && value.is_finite())
            {
                return Err(format!(
                    "{what} of XPBD is {}, must be finite and at least 0",
                    format_six_digits(value)
                ));
            }
        }
        check_omega("XPBD", omega)
    }

    fn iterations_mut(&mut self) -> Option<&mut u32> {
        Some(&mut self.iterations)
    }

    fn drop_own_damping(&mut self) {
        self.damping = None;
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { iterations: _, order, compliance, damping, omega, forgets } = self;
        let forgets = Parameter {
            label: "forgets λ",
            unit: "",
            text: "A common mistake: every sweep starts from λ = 0 instead of adding to it. More \
                   sweeps then make every link stiffer, whatever its compliance.",
            source: "Newton, issue 2933",
            value: ParameterValue::Switch(forgets, "in every sweep"),
        };
        let compliance = Parameter {
            label: "compliance",
            unit: "m/N",
            text: "Stretch in metres per newton, the inverse of stiffness, for all links that are \
                   not rigid: change dt and watch the stretch stay the same.",
            source: "Macklin, Müller and Chentanez 2016, XPBD",
            value: ParameterValue::Optional(compliance, 1e-5, 0.0..=1e3),
        };
        let damping = Parameter {
            label: "damping",
            unit: "N·s/m",
            text: "Damping along every link, in place of its own value: watch bounces decay \
                   sooner. It has no effect at compliance 0.",
            source: "Macklin, Müller and Chentanez 2016, XPBD",
            value: ParameterValue::Optional(damping, 0.1, 0.0..=1e3),
        };
        vec![parameter::order(order), parameter::omega(omega), forgets, compliance, damping]
    }

    fn softens_by_residual(&self) -> bool {
        true
    }

    fn constrains_bends(&self) -> bool {
        true
    }

    fn plain_sweeps(&self) -> Option<(ConstraintSolver, SweepOrder)> {
        let plain = Self { omega: 1.0, forgets: false, ..*self };
        Some((ConstraintSolver::Xpbd(plain), self.order))
    }

    fn equivalent_spring(&self, link: &Link, _w: f64, _h: f64) -> Option<Link> {
        if link.rigid { None } else { self.approximated_spring(link) }
    }

    /// Returns the link with the stiffness 1/compliance and the damping of the solver's parameters,
    /// if they are set.
    fn approximated_spring(&self, link: &Link) -> Option<Link> {
        let stiffness = self.compliance.map_or(link.stiffness, f64::recip);
        let damping = self.damping.unwrap_or(link.damping);
        stiffness.is_finite().then_some(Link { stiffness, damping, ..*link })
    }

    fn keeps_multipliers(&self) -> bool {
        true
    }

    fn search_settings(&self) -> Option<SearchSettings> {
        Some(SearchSettings::of(Self::with(1), SWEEPS))
    }

    fn common_settings(&self) -> Vec<CommonSettings> {
        vec![
            CommonSettings { name: "XPBD, 20 sweeps, 1 step", solver: Self::with(20), substeps: 1 },
            CommonSettings {
                name: "XPBD, 20 substeps of 1 sweep",
                solver: Self::with(1),
                substeps: 20,
            },
        ]
    }

    fn comparison_settings(&self) -> Vec<ComparisonSettings> {
        vec![
            ComparisonSettings::of("XPBD, 1 sweep", Self::with(1)),
            ComparisonSettings::of("XPBD, 10 sweeps", Self::with(10)),
        ]
    }

    fn remedy_trials(&self) -> Option<RemedyTrials> {
        const SUBSTEPS: u32 = 20;
        let trial = RemedyTrial {
            words: format!("links under XPBD, {SUBSTEPS} substeps of one sweep"),
            solver: Self::with(1),
            integrator: Some(FreeIntegrator::SymplecticEuler),
            substeps: TrialSubsteps::Exactly(SUBSTEPS),
        };
        let cures = &[Defect::UnstableSprings, Defect::TurningSprings, Defect::UnstableConstraints];
        Some(RemedyTrials { skips_current_solver: true, ..RemedyTrials::of(cures, [trial]) })
    }

    fn plain_loop(&self) -> Result<PlainLoop, NoLoop> {
        let Self { iterations, order, compliance, damping, omega, forgets } = *self;
        let absent = [
            (damping.is_some_and(|damping| damping > 0.0), "damping"),
            (omega != 1.0, "over-relaxation"),
            (forgets, "forgotten multipliers"),
            (compliance.is_some(), "a compliance of its own"),
        ];
        if let Some((_, parameter)) = absent.into_iter().find(|(is_set, _)| *is_set) {
            return Err(NoLoop::Parameter(parameter));
        }
        if order != SweepOrder::EndToEnd {
            return Err(OTHER_ORDER);
        }
        Ok(PlainLoop {
            numbers: vec![("{iterations}", iterations.to_string())],
            lacks_link_damping: damping.is_none(),
            lacks_stiffness_damping: damping.is_none(),
            ..PlainLoop::default()
        })
    }

    fn prepare(&self, c: &mut Constraints) {
        if self.omega != 1.0 || self.forgets {
            c.drop_kernels();
        }
        c.prepare(self.order);
    }

    fn project(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        self.prepare(c);
        c.bends.begin_substep(particles.times.h);
        self.continue_sweeps(c, particles)
    }

    fn can_interleave_contacts(&self, c: &Constraints) -> bool {
        c.links().all(|link| link.rigid)
    }

    fn make_interleaved_sweep(&self, number: u32, c: &mut Constraints, particles: &mut Particles) {
        if number == 0 {
            c.bends.begin_substep(particles.times.h);
        }
        self.prepare(c);
        self.continue_sweeps(c, particles);
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
        dt: f64,
    ) -> u32 {
        let sweeps = self.sweep_settings(c, w, dt.into());
        c.sweep_by_rows(sweeps, access);
        self.iterations
    }

    fn residual(&self, c: &Constraints, w: &[f64], start: &[DVec3], x: &[DVec3]) -> f64 {
        residual(c, w, start, x)
    }
}

/// Returns the largest residual of all links and bends. The residual of a link is divided by its
/// rest length.
pub(super) fn residual(c: &Constraints, w: &[f64], start: &[DVec3], x: &[DVec3]) -> f64 {
    let of_links = c.network.largest_error(w, x, |i, link, ends| {
        let m = &c.multiplier(i);
        let d = ends.b - ends.a;
        let left = equation(link, ends, d.length(), d, start, m);
        let slack = link.one_sided && m.lambda == 0.0;
        if slack { left / link.rest } else { left.abs() / link.rest }
    });
    of_links.max(c.bends.residual(w, x))
}
