//! Damped link, and the step, substeps and sweeps of the solver that corrects it.

use serde::Serialize;

/// Damped link between two particles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SoftLink {
    /// Stiffness k in N/m, positive.
    pub stiffness: f64,
    /// Damping c in N·s/m, 0 or more.
    pub damping: f64,
    /// Sum w₁ + w₂ of the inverse masses of the two ends, in 1/kg. A pinned end has the inverse
    /// mass 0.
    pub inverse_mass: f64,
    /// Rest length L in metres.
    pub length: f64,
}

impl SoftLink {
    /// Returns the undamped angular frequency √(k (w₁ + w₂)) of the link alone in rad/s, where k is
    /// the stiffness and w₁ and w₂ are the inverse masses of the ends.
    pub fn omega(&self) -> f64 {
        (self.stiffness * self.inverse_mass).sqrt()
    }

    /// Returns the damping ratio ζ = c (w₁ + w₂)/(2 ω), where c is the damping, w₁ and w₂ are the
    /// inverse masses of the ends, and ω is the angular frequency.
    pub fn damping_ratio(&self) -> f64 {
        0.5 * self.damping * self.inverse_mass / self.omega()
    }

    /// Returns the link with a different damping ratio.
    #[must_use]
    pub fn with_damping_ratio(&self, damping_ratio: f64) -> Self {
        let damping = 2.0 * damping_ratio * self.omega() / self.inverse_mass;
        Self { damping, ..*self }
    }

    /// Returns a link with the same masses and length, but with another frequency in rad/s and
    /// another damping ratio. Its stiffness is k = m ω² and its damping c = 2 ζ m ω, with the
    /// effective mass m = 1/(w₁ + w₂).
    pub(super) fn with_frequency(&self, omega: f64, damping_ratio: f64) -> Self {
        let mass = 1.0 / self.inverse_mass;
        let [stiffness, damping] = [mass * omega * omega, 2.0 * damping_ratio * mass * omega];
        Self { stiffness, damping, ..*self }
    }
}

/// Step, substeps and sweeps of a solver, which determine how often the solver corrects a link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SolverSteps {
    /// Step in seconds.
    pub dt: f64,
    /// Substeps per step.
    pub substeps: u32,
    /// Sweeps per substep.
    pub sweeps: u32,
}

impl SolverSteps {
    /// Returns the length of a substep in seconds.
    pub fn h(&self) -> f64 {
        self.dt / f64::from(self.substeps)
    }
}
