//! Ready-made comparisons of the loaded scene: several lanes (simulations of the scene) that differ
//! in one setting, and a precise reference lane.

use crate::analysis::stability::FastestMode;
use crate::constraint::{ConstraintSolver, Xpbd};
use crate::integrate::{DormandPrince, Method};
use crate::model::Parts;
use crate::scene::LaneSetup;
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use crate::simulation::timing::frame_source::FrameSource;
use crate::simulation::timing::stepper::{Guards, LONGEST_DT, SHORTEST_DT, Stepping};
use std::sync::Arc;

/// Comparison: a list of lanes to run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// All explicit integrators with the same step.
    AllExplicit,
    /// One implicit step per frame, compared with many short explicit substeps.
    ImplicitAgainstSubsteps,
    /// One integrator under six stepping schemes, on a display with irregular frame times.
    FixedAgainstFrameCoupled,
}

/// Relative tolerance of the integrator in the reference lane.
const REFERENCE_TOLERANCE: f64 = 1e-9;
/// Value of ωh in the comparison of explicit integrators, where ω is the angular frequency of the
/// fastest vibration and h the step.
const COMPARED_Z: f64 = 0.2;
/// Duration of a frame of a common display, in seconds.
const FRAME: f64 = 1.0 / 60.0;

impl Preset {
    /// List of all comparisons.
    pub const ALL: [Self; 3] =
        [Self::AllExplicit, Self::ImplicitAgainstSubsteps, Self::FixedAgainstFrameCoupled];

    /// Returns the label of the comparison's button.
    pub fn title(self) -> &'static str {
        match self {
            Self::AllExplicit => "Compare all explicit",
            Self::ImplicitAgainstSubsteps => "Implicit against substeps",
            Self::FixedAgainstFrameCoupled => "Fixed against frame-coupled",
        }
    }

    /// Returns the sentence for the button's tooltip.
    pub fn verdict(self) -> &'static str {
        match self {
            Self::AllExplicit => {
                "Seven explicit integrators on springs, with a step at which only explicit Euler \
                 explodes soon"
            }
            Self::ImplicitAgainstSubsteps => {
                "Steps of 1/60 s: implicit steps, explicit steps divided into substeps, and XPBD \
                 with sweeps or with substeps"
            }
            Self::FixedAgainstFrameCoupled => {
                "This lane's integrator under six stepping schemes, on a 60 Hz display whose \
                 frame times vary by 30 %"
            }
        }
    }

    /// Returns the settings that all lanes share. For explicit integrators, the step is a tenth of
    /// the longest stable step of symplectic Euler (ωh = 0.2). At this step, only explicit Euler
    /// explodes soon.
    pub fn base(self, parts: &Arc<Parts>, settings: &Settings) -> Settings {
        if self != Self::AllExplicit {
            return *settings;
        }
        let springs = Settings { links: LinkMode::Springs, substeps: 1, ..*settings };
        let simulation = Simulation::new(parts.clone(), springs);
        let mode = FastestMode::of(simulation.model(), simulation.state(), None);
        let longest = mode.map_or(f64::INFINITY, |mode| COMPARED_Z / mode.omega);
        let dt = round_down_to_two_digits(longest).clamp(SHORTEST_DT, LONGEST_DT).min(settings.dt);
        Settings { dt, ..springs }
    }

    /// Returns the lanes of the comparison, the reference first. `base` is the result of
    /// [`Self::base`].
    pub fn lanes(self, base: &Settings) -> Vec<LaneSetup> {
        // With a tight limit on the frame time, lanes of different cost would drop different
        // amounts of time. All lanes therefore have the default limit.
        let guards = Guards { frame_clamp: Guards::default().frame_clamp, ..base.guards };
        let stepping = Stepping::Interpolated;
        let springs = Settings { links: LinkMode::Springs, stepping, guards, ..*base };
        match self {
            Self::AllExplicit => all_explicit(springs),
            Self::ImplicitAgainstSubsteps => {
                implicit_against_substeps(Settings { dt: FRAME, substeps: 1, ..springs })
            }
            Self::FixedAgainstFrameCoupled => fixed_against_frame_coupled(base),
        }
    }
}

/// Returns lanes with explicit integrators on springs.
fn all_explicit(springs: Settings) -> Vec<LaneSetup> {
    let names = [
        "explicit-euler",
        "symplectic-euler",
        "velocity-verlet",
        "midpoint",
        "heun",
        "adams-bashforth-2",
        "rk4",
    ];
    let methods = Method::all().filter(|method| names.contains(&method.info().name));
    let lanes = methods.map(|integrator| {
        let settings = Settings { integrator, ..springs };
        lane(integrator.info().title, settings, FrameSource::Measured)
    });
    std::iter::once(reference(springs)).chain(lanes).collect()
}

/// Returns lanes with one implicit step per frame on springs, with explicit substeps, and with
/// XPBD.
fn implicit_against_substeps(springs: Settings) -> Vec<LaneSetup> {
    let euler = Settings { integrator: Method::SymplecticEuler, ..springs };
    let xpbd = |iterations: u32, substeps: u32| Settings {
        links: LinkMode::Constraints,
        constraints: ConstraintSolver::Xpbd(Xpbd { iterations, ..Xpbd::default() }),
        substeps,
        ..euler
    };
    let implicit = Settings { integrator: Method::ImplicitEuler, ..springs };
    let trapezoid = Settings { integrator: Method::Trapezoid, ..springs };
    let lanes = [
        ("implicit Euler, 1 step per frame", implicit),
        ("trapezoid, 1 step per frame", trapezoid),
        ("symplectic Euler, 10 substeps", Settings { substeps: 10, ..euler }),
        ("symplectic Euler, 50 substeps", Settings { substeps: 50, ..euler }),
        ("XPBD, 20 sweeps", xpbd(20, 1)),
        ("XPBD, 20 substeps", xpbd(1, 20)),
    ];
    let lanes = lanes.map(|(name, s)| lane(name, s, FrameSource::Measured));
    std::iter::once(reference(springs)).chain(lanes).collect()
}

/// Returns lanes with six stepping schemes on a display with irregular frame times.
fn fixed_against_frame_coupled(base: &Settings) -> Vec<LaneSetup> {
    let frames = FrameSource::Jitter { rate: 60.0, jitter: 0.3, seed: 1 };
    let guards = Guards::default();
    let mut right = lane(
        "reference: fixed steps",
        Settings { stepping: Stepping::Interpolated, guards, ..*base },
        frames.clone(),
    );
    // Fixed steps give the same bits on every display, so a lane with shorter fixed steps serves as
    // the reference.
    right.settings.substeps = base.substeps.saturating_mul(8).min(1000);
    let lanes = [
        Stepping::Interpolated,
        Stepping::Accumulator,
        Stepping::DiscardRemainder,
        Stepping::FixedPerFrame,
        Stepping::FrameCoupled,
        Stepping::FrameSubsteps(Default::default()),
    ];
    let lanes = lanes.map(|stepping| {
        let settings = Settings { stepping, guards, ..*base };
        lane(stepping.info().title, settings, frames.clone())
    });
    std::iter::once(right).chain(lanes).collect()
}

/// Rounds `x` down to two significant digits.
fn round_down_to_two_digits(x: f64) -> f64 {
    if !(x.is_finite() && x > 0.0) {
        return x;
    }
    let scale = 10f64.powf(1.0 - x.log10().floor());
    (x * scale).floor() / scale
}

/// Returns the reference lane: springs with Dormand–Prince, which chooses its own inner steps.
fn reference(springs: Settings) -> LaneSetup {
    let integrator = Method::DormandPrince(DormandPrince { tolerance: REFERENCE_TOLERANCE });
    let settings = Settings { integrator, substeps: 1, ..springs };
    lane("reference: Dormand–Prince", settings, FrameSource::Measured)
}

fn lane(name: &str, settings: Settings, frames: FrameSource) -> LaneSetup {
    LaneSetup { name: name.to_owned(), settings, frames }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::settings::MOST_LANES;
    use crate::simulation::timing::stepper::Guard;

    #[test]
    fn every_comparison_fits_and_makes_sense() {
        for preset in Preset::ALL {
            let lanes = preset.lanes(&Settings::default());
            assert!((2..=MOST_LANES).contains(&lanes.len()), "{preset:?}");
            assert!(lanes[0].name.starts_with("reference"));
            for (i, LaneSetup { name, settings, frames }) in lanes.iter().enumerate() {
                settings.check().unwrap_or_else(|e| panic!("{preset:?} {i}: {e}"));
                frames.check().unwrap_or_else(|e| panic!("{preset:?} {i}: {e}"));
                assert!(lanes[..i].iter().all(|other| other.name != *name));
            }
        }
        assert_eq!(Preset::AllExplicit.lanes(&Settings::default()).len(), 8);
    }

    #[test]
    fn no_comparison_keeps_a_tight_frame_clamp() {
        let guards = Guards { frame_clamp: Guard::On(0.01), ..Guards::default() };
        for preset in Preset::ALL {
            let lanes = preset.lanes(&Settings { guards, ..Settings::default() });
            let usual = Guards::default().frame_clamp;
            assert!(lanes.iter().all(|lane| lane.settings.guards.frame_clamp == usual));
        }
    }
}
