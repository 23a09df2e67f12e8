//! Soft Step, the solver of Box2D v3: soft links given by frequency and damping ratio, warm start,
//! and a relax pass over velocities.
//!
//! Catto (2024), "Solver2D"; Box2D v3, `b2MakeSoft` and `b2SolveDistanceJoint`. A link of effective
//! mass m = 1/(w_a + w_b), frequency ω = 2πf and damping ratio ζ has
//!
//! ```text
//! a₁ = 2ζ + hω,  a₂ = hωa₁,  a₃ = 1/(1 + a₂)
//! biasRate = ω/a₁,  massScale = a₂a₃,  impulseScale = a₃
//! ```
//!
//! A substep starts with the impulses λ of the previous substep (warm start). The sweep then
//! corrects each link along its direction n at the start of the substep, where v_n is the relative
//! velocity of its ends along n and C = l − L:
//!
//! ```text
//! Δλ = −massScale m (v_n + biasRate C) − impulseScale λ,   λ ← λ + Δλ,   v ± w Δλ n
//! ```
//!
//! After the positions have moved, the relax pass repeats the correction along the new directions
//! with (biasRate, massScale, impulseScale) = (0, 1, 0). The pass is one sweep of RATTLE's velocity
//! projection. It removes the velocity that only served to correct positions. The pass skips links
//! that have the stiffness of their material, as Box2D skips the springs of its joints. Their
//! velocity is part of the motion; without it they would creep.
//!
//! The stored impulse balances the forces of a substep. The displacement in that substep must
//! therefore contain the full effect of the forces. Explicit Euler and position-first Euler move by
//! the old velocity, so ropes explode. BDF2 applies a third of the effect later, so a rope on a
//! ball gains energy.
//!
//! A single link moves like the spring k = m ω², c = 2ζ m ω under implicit Euler, for any initial
//! λ. At rest under gravity g its stretch is g/ω². As in Box2D, f is at most 0.25/h; Rapier has no
//! such limit.

use super::choice::{ConstraintSolver, SoftStep};
use super::constraints::Constraints;
use super::parameter::{Parameter, ParameterValue, check_iterations};
use super::particles::{Particles, Times};
use super::solver::{RequiredMotion, Solver};
use super::solver_data::SolverData;
use super::usage::{
    CommonSettings, ComparisonSettings, Defect, FreeIntegrator, NoLoop, PlainLoop, RemedyTrial,
    RemedyTrials, SearchSettings, TrialSubsteps,
};
use crate::mesh::{Bends, Link, LinkKind, Links};
use crate::names::CatalogueEntry;
use crate::quantity::in_words::{number_in_words, quantity_in_words};
use crate::quantity::magnitude::format_six_digits;
use glam::DVec3;
use std::f64::consts::TAU;

/// Largest frequency of a joint in Box2D, as a fraction of the number of substeps per second: f ≤
/// 0.25/h.
const MOST_FREQUENCY: f64 = 0.25;

/// Coefficients of a soft link for one step; the formulas are at the top of this file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Softness {
    /// biasRate ω/a₁ in 1/s, the correction rate of position errors.
    bias_rate: f64,
    mass_scale: f64,
    impulse_scale: f64,
}

impl Softness {
    /// Computes the coefficients from the frequency ω in rad/s, the damping ratio ζ and the step
    /// `h` in seconds.
    fn new(omega: f64, zeta: f64, h: f64) -> Self {
        let a1 = 2.0 * zeta + h * omega;
        let a2 = h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        Self { bias_rate: omega / a1, mass_scale: a2 * a3, impulse_scale: a3 }
    }
}

impl SoftStep {
    /// Returns the solver with this frequency in hertz; `None` = the links' own stiffness.
    fn of(hertz: Option<f64>) -> ConstraintSolver {
        ConstraintSolver::SoftStep(Self { hertz, ..Self::default() })
    }

    /// Returns the frequency ω in rad/s and the damping ratio ζ of a link. `w` > 0 is the sum of
    /// the inverse masses of its ends in 1/kg. Sweeps divide displacements by h, and the link's own
    /// damper by the length of the substep.
    fn frequency_and_damping(&self, link: &Link, w: f64, times: Times) -> (f64, f64) {
        let Times { h, substep } = times;
        let rigid = TAU * MOST_FREQUENCY / h;
        let most = if self.limited { rigid } else { f64::INFINITY };
        match self.hertz {
            Some(hertz) => ((TAU * hertz).min(most), self.damping_ratio),
            None if link.rigid => (rigid, self.damping_ratio),
            None => {
                let omega = (link.stiffness * w).sqrt().min(most);
                (omega, 0.5 * link.damping * (h / substep) * w / omega)
            }
        }
    }

    /// Runs all sweeps, starting from the current impulses.
    fn continue_sweeps(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        let soft_links = c.data::<SoftLinks>();
        (0..self.iterations).for_each(|_| soft_links.sweep(particles));
        self.iterations
    }
}

impl Solver for SoftStep {
    fn info(&self) -> CatalogueEntry {
        CatalogueEntry {
            name: "soft-step",
            title: "Soft Step (TGS Soft)",
            reference: "Catto 2024, Solver2D, box2d.org/posts/2024/02/solver2d; formulas of \
                        b2MakeSoft in Box2D v3, src/solver.h",
            verdict: "used by Box2D, Rapier and Bepu: cheap and calm, but between particles of \
                      1/100 mass a link of 60 Hz is 100 times softer; explodes under explicit \
                      Euler and position-first Euler",
        }
    }

    fn short_name(&self) -> &'static str {
        "Soft Step"
    }

    fn check(&self) -> Result<(), String> {
        let Self { iterations, hertz, damping_ratio, relax, limited: _ } = *self;
        check_iterations("iterations of Soft Step", iterations)?;
        let ranges = [
            ("hertz", hertz.unwrap_or(1.0), 5e-324..=1e9, "above 0, at most 1e9"),
            ("damping_ratio", damping_ratio, 0.0..=1e6, "from 0 to 1e6"),
            ("relax", f64::from(relax), 0.0..=1e5, "from 0 to 100000"),
        ];
        for (what, value, range, words) in ranges {
            if !range.contains(&value) {
                let found = format_six_digits(value);
                return Err(format!("{what} of Soft Step is {found}, must be {words}"));
            }
        }
        Ok(())
    }

    fn iterations_mut(&mut self) -> Option<&mut u32> {
        Some(&mut self.iterations)
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { iterations: _, hertz, damping_ratio, relax, limited } = self;
        let hertz = Parameter {
            label: "frequency",
            unit: "Hz",
            text: "Frequency of every link with the masses at its ends, in place of its own \
                   stiffness: watch a light rope stretch more than a heavy one under a load.",
            source: "Box2D v3, b2MakeSoft",
            value: ParameterValue::Optional(hertz, 60.0, 1e-3..=1e9),
        };
        let limited = Parameter {
            label: "at most",
            unit: "",
            text: "Limits the frequency to a quarter of the substep rate, as in Box2D. \
                   Rapier has no limit: switch it off and watch stiff links stretch less.",
            source: "Box2D v3, src/joint.c",
            value: ParameterValue::Switch(limited, "0.25 of the substeps a second"),
        };
        let damping_ratio = Parameter {
            label: "damping ratio",
            unit: "",
            text: "Damping ratio (1 = critical) of every link if a frequency is set, otherwise \
                   of rigid links: set it far below 1 and watch links bounce.",
            source: "Box2D v3, b2MakeSoft",
            value: ParameterValue::Number(damping_ratio, 0.0..=1e6),
        };
        let relax = Parameter {
            label: "relax passes",
            unit: "",
            text: "Sweeps over velocities at the end of a substep. They remove the velocity that \
                   only corrected positions: set 0 and watch the energy grow.",
            source: "Catto 2024, Solver2D",
            value: ParameterValue::Count(relax, 0..=100_000),
        };
        vec![hertz, limited, damping_ratio, relax]
    }

    fn constrains(&self, link: &Link) -> bool {
        self.hertz.is_none() || link.kind != LinkKind::Bend
    }

    /// Returns the spring that is equivalent to a link in substeps of `h` seconds: stiffness k = m
    /// ω² and damping c = 2ζ m ω (m: effective mass 1/w, ω: frequency, ζ: damping ratio).
    fn equivalent_spring(&self, link: &Link, w: f64, h: f64) -> Option<Link> {
        if link.is_cut() || w <= 0.0 {
            return Some(*link);
        }
        let (omega, zeta) = self.frequency_and_damping(link, w, h.into());
        let [stiffness, damping] = [omega * omega / w, 2.0 * zeta * omega / w];
        // Without `hertz`, the flag `rigid` selects the link's frequency and relax pass, so it is
        // copied.
        let rigid = link.rigid && self.hertz.is_none();
        Some(Link { stiffness, damping, rigid, ..*link })
    }

    fn approximated_spring(&self, link: &Link) -> Option<Link> {
        self.hertz.is_none().then_some(*link)
    }

    fn damps_by_itself(&self, link: &Link) -> bool {
        self.constrains(link) && (self.hertz.is_some() || link.rigid)
    }

    fn has_own_stiffness(&self) -> bool {
        true
    }

    fn required_motion(&self) -> Option<RequiredMotion> {
        Some(RequiredMotion::PositionsAndVelocities)
    }

    /// Describes in words how the limit 0.25/h lowers `hertz`, or the links' own frequencies if
    /// `hertz` is not set. `None` if it lowers no frequency.
    fn limit(&self, h: f64, links: &mut dyn Iterator<Item = Link>, w: &[f64]) -> Option<String> {
        let most = MOST_FREQUENCY / h;
        let is_limited = |hertz: &f64| self.limited && *hertz > most * (1.0 + 1e-12);
        if let Some(hertz) = self.hertz {
            return is_limited(&hertz).then(|| {
                format!(
                    "{} acts as {}, a quarter of the substep rate",
                    quantity_in_words(hertz, "Hz"),
                    quantity_in_words(most, "Hz"),
                )
            });
        }
        let own = |link: Link| {
            let sum: f64 = [link.a, link.b].iter().filter_map(|end| w.get(*end as usize)).sum();
            (link.stiffness * sum).sqrt() / TAU
        };
        let elastic = links.filter(|link| !link.rigid && !link.is_cut());
        let fastest = elastic.map(own).fold(0.0, f64::max);
        is_limited(&fastest).then(|| {
            let softer = (fastest / most).powi(2);
            format!(
                "links of {} act as links of {} (a quarter of the substep rate), {} times as \
                 soft as their material",
                quantity_in_words(fastest, "Hz"),
                quantity_in_words(most, "Hz"),
                number_in_words(softer),
            )
        })
    }

    fn remedy(&self) -> &'static str {
        "more substeps, more hertz (at most 0.25 of the substeps a second) or a direct solver help"
    }

    /// Searches with the stiffness of the material, because one frequency for all links would
    /// change the rope. With warm start and substeps, few sweeps suffice.
    fn search_settings(&self) -> Option<SearchSettings> {
        let (solver, integrators) = (Self::of(None), FreeIntegrator::FIRST_ORDER);
        Some(SearchSettings { solver, sweeps: &[1, 2, 4], integrators, only_trees: false })
    }

    fn common_settings(&self) -> Vec<CommonSettings> {
        let name = "Soft Step of 60 Hz, 4 substeps";
        vec![CommonSettings { name, solver: Self::of(Some(60.0)), substeps: 4 }]
    }

    fn comparison_settings(&self) -> Vec<ComparisonSettings> {
        vec![
            ComparisonSettings::of("Soft Step, 60 Hz", Self::of(Some(60.0))),
            ComparisonSettings::of("Soft Step, own stiffness", Self::of(None)),
        ]
    }

    /// Uses the material's stiffness, because one frequency for all links would change the rope.
    /// The warm start keeps the forces of loads from substep to substep. The trials begin with 4
    /// substeps, the default of Box2D.
    fn remedy_trials(&self) -> Option<RemedyTrials> {
        use Defect::{SoftConstraints, UnstableConstraints, UnstableSprings};
        let integrator = Some(FreeIntegrator::SymplecticEuler);
        let trials = [4, 10, 25, 50].map(TrialSubsteps::AtLeast).map(|substeps| {
            let words = "Soft Step, own stiffness".to_owned();
            RemedyTrial { words, solver: Self::of(None), integrator, substeps }
        });
        Some(RemedyTrials::of(&[UnstableSprings, UnstableConstraints, SoftConstraints], trials))
    }

    fn plain_loop(&self) -> Result<PlainLoop, NoLoop> {
        let Self { iterations, hertz, damping_ratio, relax, limited } = *self;
        if !limited {
            return Err(NoLoop::Parameter("frequencies above a quarter of the substep rate"));
        }
        Ok(PlainLoop {
            form: usize::from(hertz.is_none()),
            numbers: vec![
                ("{iterations}", iterations.to_string()),
                ("{hertz}", format!("{:?}", hertz.unwrap_or_default())),
                ("{zeta}", format!("{damping_ratio:?}")),
                ("{relax}", relax.to_string()),
            ],
            lacks_stiffness_damping: hertz.is_none(),
            moves_particles: true,
            ..PlainLoop::default()
        })
    }

    fn prepare(&self, c: &mut Constraints) {
        c.data::<SoftLinks>();
    }

    /// Applies the warm start and runs all sweeps.
    fn project(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        c.data::<SoftLinks>().begin_substep(self, particles);
        self.continue_sweeps(c, particles)
    }

    fn can_interleave_contacts(&self, _c: &Constraints) -> bool {
        true
    }

    fn make_interleaved_sweep(&self, number: u32, c: &mut Constraints, particles: &mut Particles) {
        if number == 0 {
            self.project(c, particles);
        } else {
            self.continue_sweeps(c, particles);
        }
    }

    fn has_velocity_stage(&self) -> bool {
        self.relax > 0
    }

    /// Runs the relax pass.
    fn project_velocities(
        &self,
        c: &mut Constraints,
        w: &[f64],
        x: &[DVec3],
        v: &mut [DVec3],
        h: f64,
    ) {
        let soft_links = c.data::<SoftLinks>();
        (0..self.relax).for_each(|_| soft_links.relax(w, x, v, h));
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Equation {
    /// Unit vector from end a to end b at the start of the substep.
    normal: DVec3,
    /// Stretch l − L in metres at the start of the substep.
    excess: f64,
    softness: Softness,
    /// False for a link that is cut, lies between two pins or has length 0.
    is_active: bool,
    /// False for an elastic link with the stiffness of its material. The relax pass skips such
    /// links.
    is_relaxed: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct SoftLinks {
    links: Vec<Link>,
    equations: Vec<Equation>,
    /// Force λ/h of each link in newtons, negative in tension. It persists from substep to substep
    /// for the warm start.
    forces: Vec<f64>,
}

impl SolverData for SoftLinks {
    fn of(links: &Links, _bends: &Bends, _particles: usize) -> Self {
        let links: Vec<Link> = links.iter().collect();
        let equations = vec![Equation::default(); links.len()];
        Self { links, equations, forces: Vec::new() }
    }

    fn cut(&mut self, link: usize) {
        self.links[link].rest = f64::NAN;
    }

    fn warm_start(&mut self) -> Option<&mut Vec<f64>> {
        Some(&mut self.forces)
    }
}

impl SoftLinks {
    /// Computes the links' data at the start of a substep, and applies the impulses of the previous
    /// substep.
    fn begin_substep(&mut self, solver: &SoftStep, particles: &mut Particles) {
        let &mut Particles { w, start, ref mut x, times } = particles;
        let h = times.h;
        // A newly selected solver has no impulses yet and starts from 0.
        self.forces.resize(self.links.len(), 0.0);
        let all = self.equations.iter_mut().zip(&self.links).zip(&mut self.forces);
        for ((equation, link), force) in all {
            let (a, b) = (link.a as usize, link.b as usize);
            let sum = w[a] + w[b];
            let d = start[b] - start[a];
            let l = d.length();
            let (normal, excess) = (d / l, l - link.rest);
            if !(sum > 0.0 && normal.is_finite() && excess.is_finite()) {
                (*equation, *force) = (Equation::default(), 0.0);
                continue;
            }
            let (omega, zeta) = solver.frequency_and_damping(link, sum, times);
            let softness = Softness::new(omega, zeta, h);
            let is_relaxed = solver.hertz.is_some() || link.rigid;
            *equation = Equation { normal, excess, softness, is_active: true, is_relaxed };
            let displacement = normal * (*force * h * h);
            x[a] -= displacement * w[a];
            x[b] += displacement * w[b];
        }
    }

    /// Runs one sweep with bias. A slack one-sided link may lengthen up to its rest length, but not
    /// beyond.
    fn sweep(&mut self, particles: &mut Particles) {
        let &mut Particles { w, start, ref mut x, times: Times { h, .. } } = particles;
        let all = self.equations.iter().zip(&self.links).zip(&mut self.forces);
        for ((equation, link), force) in all.filter(|((equation, _), _)| equation.is_active) {
            let &Equation { normal, excess, softness, .. } = equation;
            let (a, b) = (link.a as usize, link.b as usize);
            let speed = normal.dot((x[b] - start[b]) - (x[a] - start[a])) / h;
            let mass = 1.0 / (w[a] + w[b]);
            let impulse = *force * h;
            let change = if link.one_sided && excess < 0.0 {
                -mass * (speed + excess / h)
            } else {
                let Softness { bias_rate, mass_scale, impulse_scale } = softness;
                -mass_scale * mass * (speed + bias_rate * excess) - impulse_scale * impulse
            };
            let new_impulse = impulse + change;
            let new_impulse = if link.one_sided { new_impulse.min(0.0) } else { new_impulse };
            if !new_impulse.is_finite() {
                continue;
            }
            *force = new_impulse / h;
            let displacement = normal * ((new_impulse - impulse) * h);
            x[a] -= displacement * w[a];
            x[b] += displacement * w[b];
        }
    }

    /// Runs one sweep over velocities without bias, along the links' directions at `x`.
    fn relax(&mut self, w: &[f64], x: &[DVec3], v: &mut [DVec3], h: f64) {
        let all = self.equations.iter().zip(&self.links).zip(&mut self.forces);
        for ((_, link), force) in all.filter(|((equation, _), _)| equation.is_relaxed) {
            let (a, b) = (link.a as usize, link.b as usize);
            let d = x[b] - x[a];
            let l = d.length();
            let normal = d / l;
            let slack = if link.one_sided { (l - link.rest).min(0.0) / h } else { 0.0 };
            let impulse = *force * h;
            let new_impulse = impulse - (normal.dot(v[b] - v[a]) + slack) / (w[a] + w[b]);
            let new_impulse = if link.one_sided { new_impulse.min(0.0) } else { new_impulse };
            let change = normal * (new_impulse - impulse);
            if change.is_finite() {
                *force = new_impulse / h;
                v[a] -= change * w[a];
                v[b] += change * w[b];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected coefficients were computed from Box2D's `b2MakeSoft` by another program.
    #[test]
    fn coefficients_are_those_of_the_engines() {
        for (hertz, zeta, rate, expected) in [
            (5.0, 1.0, 60.0, [12.4488595, 0.569216788, 0.430783212]),
            (30.0, 10.0, 240.0, [9.0686528, 0.942279321, 0.0577206789]),
            (60.0, 2.0, 240.0, [67.672752, 0.897442066, 0.102557934]),
        ] {
            let softness = Softness::new(TAU * hertz, zeta, 1.0 / rate);
            let Softness { bias_rate, mass_scale, impulse_scale } = softness;
            for (found, expected) in
                [bias_rate, mass_scale, impulse_scale].into_iter().zip(expected)
            {
                assert!((found / expected - 1.0).abs() < 5e-9, "{hertz} Hz: {found}, {expected}");
            }
            assert!((mass_scale + impulse_scale - 1.0).abs() < 1e-15);
        }
    }
}
