//! Samples of one simulation, taken once a frame: measurements of energy and stretch, and their
//! record.

use crate::measure::{Drift, EnergyAccount, Sample, SampleRecord, Stretch, stretch};
use crate::model::Energy;
use crate::simulation::run_state::{LastSample, RunState};
use crate::simulation::running_scene::Simulation;
use crate::simulation::timing::stepper::Blend;
use glam::DVec3;
use ropelab_mechanics::constraint::Projection;
use ropelab_mechanics::mesh::Links;

/// Average number of links that the sample of one frame may visit, at about 2 ns per link on the
/// stepping thread. A cloth of 500 × 500 particles exceeds it, so its energy is measured in one
/// frame of eight and its stretch in another.
const LINKS_A_SAMPLE: usize = 125_000;

impl Simulation {
    /// Returns energy and stretch for the sample of this frame. A large scene reuses values for a
    /// few frames, and measures energy and stretch in different frames.
    pub(in crate::simulation) fn sample_if_due(&self) -> (Energy, Stretch) {
        let LastSample { samples, energy, stretch } = self.run.last_sample;
        if samples == 0 {
            return (self.energy(), self.stretch());
        }
        let every = self.model.topology().links().len().div_ceil(LINKS_A_SAMPLE).max(1) as u64;
        let turn = samples % every;
        let energy = if turn == 0 { self.energy() } else { energy };
        let stretch = if turn == every / 2 { self.stretch() } else { stretch };
        (energy, stretch)
    }

    pub(in crate::simulation) fn record_sample(
        &mut self,
        frame: f64,
        energy: Energy,
        stretch: Stretch,
    ) {
        self.run.drift.observe(&energy);
        self.run.last_sample =
            LastSample { samples: self.run.last_sample.samples + 1, energy, stretch };
        let time_account = self.run.stepper.time_account();
        self.record.push(Sample {
            wall: time_account.wall,
            t: self.run.state.t,
            frame,
            steps: self.run.plan.steps,
            blend: match self.run.plan.blend {
                Blend::Between(blend) => blend,
                _ => 1.0,
            },
            owed: time_account.owed,
            dropped: time_account.dropped,
            energy,
            drift: self.run.drift.fraction(),
            made: self.energy_account().map_or(0.0, EnergyAccount::energy_made),
            stretch,
        });
    }

    /// Returns the energies of the newest state in joules.
    pub fn energy(&self) -> Energy {
        self.energy_with(self.constraints.links())
    }

    /// Returns the energies, without the energy of elastic links that the solver keeps at their
    /// rest lengths. Sweeps that do not converge leave such links too long, but do not return this
    /// energy to the motion.
    pub fn energy_of_motion(&self) -> Energy {
        let (solver, links) = (self.settings.solver(), self.constraints.links());
        let keeps_lengths = !solver.has_own_stiffness()
            && links.all(|link| solver.approximated_spring(link).is_none());
        if keeps_lengths { self.energy_with(&Links::default()) } else { self.energy() }
    }

    fn energy_with(&self, constraints: &Links) -> Energy {
        let mut energy = self.model.energy(&self.run.state, constraints);
        energy.kinetic += self.rotational_energy();
        energy
    }

    /// Returns the kinetic energy in joules of the balls' rotation about their centres.
    pub(in crate::simulation) fn rotational_energy(&self) -> f64 {
        let Self { model, run, .. } = self;
        run.contact_memory.rotational_energy(model.geometry(), |particle| model.own_mass(particle))
    }

    /// Returns the angular momentum of the balls about their centres, in kg·m²/s.
    pub fn spin(&self) -> DVec3 {
        self.run
            .contact_memory
            .spin(self.model.geometry(), |particle| self.model.own_mass(particle))
    }

    /// Returns the angular velocities of all balls in rad/s: balls of the scene, then thrown balls.
    pub fn spins(&self) -> &[DVec3] {
        &self.run.contact_memory.spin
    }

    /// Returns the change of energy since the start of the scene, see [`Drift`].
    pub fn drift(&self) -> &Drift {
        &self.run.drift
    }

    /// Returns the strains of links in the newest state.
    pub fn stretch(&self) -> Stretch {
        let topology = self.model.topology();
        stretch(topology.links(), topology.cut_links().len(), &self.run.state.x)
    }

    /// Returns a clause about a limit of the solver (e.g. Soft Step's largest frequency) that
    /// lowers a parameter of the solver or of links. `None` if no such limit has an effect.
    pub fn solver_limit(&self) -> Option<String> {
        let h = self.settings.dt / f64::from(self.settings.substeps);
        let mut links = self.model.topology().links().iter();
        self.settings.solver().limit(h, &mut links, self.model.inverse_masses())
    }

    /// Returns a clause that states the pull of tethers on pins in the newest substep, and the
    /// physical law that tethers break. `None` without tethers.
    pub fn tethers_in_words(&self) -> Option<String> {
        self.settings.tethers.limit()?;
        let on_pin = |(particle, _): &(u32, DVec3)| self.model.is_pinned(*particle);
        let pulls = self.forces_of_limits().filter(on_pin).map(|(_, force)| force.length());
        let pull = pulls.fold(0.0, |sum: f64, pull| sum + pull);
        Some(format!(
            "pull past the links, with {pull:.3} N on pins in the last step: no link carries this \
             force, against Newton's third law"
        ))
    }

    /// Returns the samples of the last minute, since the last restart at most.
    pub fn record(&self) -> &SampleRecord {
        &self.record
    }

    /// Forgets the samples after the present time, because the simulation will continue
    /// differently, e.g. with new settings.
    pub fn forget_later_samples(&mut self) {
        self.record.forget_later();
    }

    /// Returns the number of sweeps of the last projection; 0 before the first one.
    pub fn sweeps(&self) -> u32 {
        self.run.sweeps
    }

    /// Returns the number of sweeps and the residual of the last projection; both are 0 before the
    /// first one. The residual is computed now, at the cost of one sweep.
    pub fn projection(&self) -> Projection {
        let Self { settings, constraints, model, scratch, run, .. } = self;
        let RunState { previous, state, sweeps, .. } = run;
        let w = model.inverse_masses();
        let start = if settings.substeps > 1 { &scratch.before.x } else { &previous.x };
        if *sweeps == 0 || start.len() != state.len() {
            return Projection { iterations: 0, residual: 0.0, converged: true };
        }
        settings.solver().residual_after(constraints, w, start, &state.x, *sweeps)
    }
}
