//! Energy account of one simulation ([`EnergyAccount`]), kept on demand.

use crate::measure::{AccountedSimulation, Balance, EnergyAccount, StepWork};
use crate::model::PinnedParticle;
use crate::simulation::meters::contact_work::ContactMeterMemory;
use crate::simulation::meters::pin_work::MeteredPin;
use crate::simulation::running_scene::Simulation;
use crate::simulation::scratch::Scratch;
use crate::simulation::settings::GrabMode;
use ropelab_mechanics::numerics::trajectory::Trajectory;

/// Energy account in a snapshot, together with the velocity changes in the last substep that the
/// meters need.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::simulation) struct AccountSnapshot {
    /// Account without its buffers.
    account: EnergyAccount,
    contacts: ContactMeterMemory,
    pins: Vec<MeteredPin>,
}

impl AccountSnapshot {
    /// Returns the memory that the account occupies in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.contacts.bytes() + size_of_val(&self.pins[..])
    }
}

impl Simulation {
    /// Starts an account of the energy put in, taken out and made, at the newest state. Each step
    /// then needs some more force and energy evaluations, so an account is kept only on demand.
    pub fn start_energy_account(&mut self) {
        self.scratch.meter.memory.clear();
        self.scratch.pin_meter.pins.clear();
        let rotational = self.rotational_energy();
        self.energy_account =
            Some(EnergyAccount::open(self.as_accounted(), &self.run.state, rotational));
    }

    /// Starts a new energy account after a jump to another state, if an account is kept.
    pub(in crate::simulation) fn restart_energy_account(&mut self) {
        if self.energy_account.is_some() {
            self.start_energy_account();
        }
    }

    /// Returns a copy of the energy account and of the meters' memory; `None` if no account is
    /// kept.
    pub(in crate::simulation) fn account_snapshot(&self) -> Option<Box<AccountSnapshot>> {
        let account = self.energy_account.as_ref()?.without_buffers();
        let Scratch { meter, pin_meter, .. } = &self.scratch;
        let (contacts, pins) = (meter.memory.clone(), pin_meter.pins.clone());
        Some(Box::new(AccountSnapshot { account, contacts, pins }))
    }

    /// Continues the account of a snapshot after a jump to its state, if an account is kept. If the
    /// snapshot has no account, starts a new one.
    pub(in crate::simulation) fn continue_energy_account(
        &mut self,
        kept: Option<&AccountSnapshot>,
    ) {
        self.restart_energy_account();
        if let (Some(account), Some(kept)) = (&mut self.energy_account, kept) {
            account.clone_from(&kept.account);
            self.scratch.meter.memory.clone_from(&kept.contacts);
            self.scratch.pin_meter.pins.clone_from(&kept.pins);
        }
    }

    /// Ends the energy account and drops its contents.
    pub fn end_energy_account(&mut self) {
        self.energy_account = None;
    }

    /// Adds the newest step to the energy account, if an account is kept.
    pub fn add_to_energy_account(&mut self) {
        if let Some(mut account) = self.energy_account.take() {
            let states = [&self.run.previous, &self.run.state];
            let path = self.run.work.path.states();
            let by_pins = self.scratch.pin_meter.work;
            let work = StepWork { by_pins, ..self.scratch.meter.work };
            account.enter_step(self.as_accounted(), states, path, work);
            self.energy_account = Some(account);
        }
    }

    /// Starts to measure the work of contact and of moving pins in a step, if an energy account is
    /// kept. The account also gets the states within the step, unless constraints or contact change
    /// velocities between substeps.
    pub(in crate::simulation) fn start_meter(&mut self) {
        if self.energy_account.is_none() {
            self.run.work.path.start_step(false);
            self.scratch.pin_meter.runs = false;
            self.scratch.meter.runs = false;
            return;
        }
        let has_contact = self.has_contact();
        self.run.work.path.start_step(self.has_no_constrained_links() && !has_contact);
        let pins_move = self.pins_move_constraints();
        let is_first = self.run.reaction.is_empty();
        let rotational = self.rotational_energy();
        let Self { model, constraints, run, scratch, .. } = self;
        scratch.pin_meter.runs = pins_move;
        scratch.pin_meter.start_step(model, constraints, &run.state.v, is_first);
        scratch.meter.runs = has_contact;
        scratch.meter.start_step(rotational);
        if !has_contact {
            self.scratch.meter.memory.clear();
        }
    }

    /// True if a pin follows a path or the hand while a solver or a limit acts on links.
    fn pins_move_constraints(&self) -> bool {
        let hand = &self.run.hand;
        let by_hand = |i: u32| hand.as_ref().is_some_and(|hand| hand.grabs(i, GrabMode::Hard));
        let moves = |pin: &PinnedParticle| pin.path != Trajectory::Still || by_hand(pin.particle);
        !self.has_no_constrained_links() && self.model.pins().iter().any(moves)
    }

    /// Ends the measurement of the work of contact in a step.
    pub(in crate::simulation) fn end_meter(&mut self) {
        if self.energy_account.is_some() {
            let rotational = self.rotational_energy();
            self.scratch.meter.end_step(rotational);
        }
    }

    /// Returns the energy account up to the newest step, or `None` if no account is kept.
    pub fn energy_account(&self) -> Option<&EnergyAccount> {
        self.energy_account.as_ref()
    }

    /// Returns the balance of the energy account, or `None` if no account is kept.
    pub fn balance(&self) -> Option<Balance> {
        self.energy_account.as_ref().map(EnergyAccount::balance)
    }

    pub(in crate::simulation) fn as_accounted(&self) -> AccountedSimulation<'_> {
        let Self { model, settings, constraints, .. } = self;
        let h = settings.dt / f64::from(settings.substeps);
        AccountedSimulation {
            model,
            solver: settings.solver(),
            h,
            constraints: constraints.links(),
        }
    }
}
