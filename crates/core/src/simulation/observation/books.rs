//! Energy account of one simulation ([`EnergyBooks`]), kept on demand.

use crate::measure::{Balance, BookedSimulation, EnergyBooks, StepWork};
use crate::model::PinnedParticle;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;

impl Simulation {
    /// Starts an account of the energy put in, taken out and made, from the newest state on. The
    /// account costs some evaluations of force and energy per step, so it is kept only on demand.
    pub fn open_books(&mut self) {
        self.scratch.meter.runs = true;
        self.scratch.meter.clear_remembered();
        self.scratch.pin_meter.clear_pins();
        let rotational = self.rotational_energy();
        self.books = Some(EnergyBooks::open(self.as_booked(), &self.run.state, rotational));
    }

    /// Starts a new energy account after a jump to another state, if an account is kept.
    pub(in crate::simulation) fn reopen_books(&mut self) {
        if self.books.is_some() {
            self.open_books();
        }
    }

    /// Ends the energy account and drops its contents.
    pub fn close_books(&mut self) {
        self.scratch.meter.runs = false;
        self.scratch.pin_meter.runs = false;
        self.books = None;
    }

    /// Adds the newest step to the energy account, if an account is kept.
    pub fn enter_in_books(&mut self) {
        if let Some(mut books) = self.books.take() {
            let states = [&self.run.previous, &self.run.state];
            let by_pins = self.scratch.pin_meter.work;
            let work = StepWork { by_pins, ..self.scratch.meter.work };
            books.enter_step(self.as_booked(), states, work);
            self.books = Some(books);
        }
    }

    /// Starts to measure the work of contact and of moving pins in a step, if an energy account is
    /// kept.
    pub(in crate::simulation) fn start_meter(&mut self) {
        let pins_move = self.scratch.meter.runs && self.pins_move_constraints();
        let Self { model, constraints, run, scratch, .. } = self;
        scratch.pin_meter.runs = pins_move;
        scratch.pin_meter.start_step(model, constraints, &run.state.v);
        if self.scratch.meter.runs {
            let rotational = self.rotational_energy();
            self.scratch.meter.start_step(rotational);
        }
    }

    /// True if a pin follows a path or the hand while a solver or a limit acts on links.
    fn pins_move_constraints(&self) -> bool {
        let hand = &self.run.hand;
        let by_hand = |i: u32| hand.as_ref().is_some_and(|hand| hand.holds_hard(i));
        let moves = |pin: &PinnedParticle| pin.path != Trajectory::Still || by_hand(pin.particle);
        !self.has_no_held_links() && self.model.pins().iter().any(moves)
    }

    /// Ends the measurement of the work of contact in a step.
    pub(in crate::simulation) fn end_meter(&mut self) {
        if self.scratch.meter.runs {
            let rotational = self.rotational_energy();
            self.scratch.meter.end_step(rotational);
        }
    }

    /// Returns the energy account up to the newest step, or `None` if no account is kept.
    pub fn books(&self) -> Option<&EnergyBooks> {
        self.books.as_ref()
    }

    /// Returns the balance of the energy account, or `None` if no account is kept.
    pub fn balance(&self) -> Option<Balance> {
        self.books.as_ref().map(EnergyBooks::balance)
    }

    pub(in crate::simulation) fn as_booked(&self) -> BookedSimulation<'_> {
        let Self { model, settings, constraints, .. } = self;
        let h = settings.dt / f64::from(settings.substeps);
        BookedSimulation { model, solver: settings.solver(), h, constraints: constraints.links() }
    }
}
