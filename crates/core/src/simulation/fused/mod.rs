//! Fused step: all substeps of a step in one pass over the particles in memory.
//!
//! A step can be fused if particles act on each other only through links that are constraints. The
//! solver's sweeps load a range of particles and compute its free motion. After the last sweep they
//! update its velocities and store it. Each particle is thus read from memory once per step,
//! however many substeps there are.

mod velocity_update;

#[cfg(test)]
mod tests;

use super::hand_state::pin_targets;
use super::run_state::RunState;
use super::running_scene::Simulation;
use super::scratch::Scratch;
use super::scratch::fused::{FusedScratch, PlannedSubstep, ThreadScratch};
use super::timing::substeps::Substeps;
use crate::contact::{Geometry, Instant};
use crate::integrate::{Integrator, Memory, StepRules};
use crate::model::Model;
use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::constraint::{Loaded, MOST_PREFETCHED, ParticleAccess};
use ropelab_mechanics::numerics::simd::Span;
use ropelab_mechanics::numerics::state::{MOST_HISTORY, State, StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;
use std::ops::Range;
use velocity_update::update_velocities;

/// Number of particles whose free motion is computed together. A few columns of 256 particles fit
/// into the first-level cache.
const PART_SIZE: usize = 256;

/// Longest fused step, in link visits (about 0.1 s of computing time), if another thread may
/// interrupt steps. A fused step cannot be interrupted. A longer step is therefore taken substep by
/// substep, with the same bits.
const LONGEST_FUSED: usize = 50_000_000;

/// Number of plain (not fused) steps after a fused step that had to be undone. Undone steps then
/// waste at most 1/16 of the computing time.
const PLAIN_STEPS_AFTER_UNDO: u32 = 16;

impl Simulation {
    /// True if the next step can be fused: particles act on each other only through links that
    /// kernels process row by row, and nothing is near contact. There must be no thrown balls,
    /// because these belong to no row of links.
    pub(super) fn can_fuse(&mut self) -> bool {
        let limits = !self.settings.limits().is_empty();
        if limits || !self.model.thrown().balls.is_empty() || !self.run.contact_reaction.is_empty()
        {
            return false;
        }
        if self.has_contact() && !self.may_try_fused_step() {
            return false;
        }
        let laws_include_reactions = self.laws_include_reactions();
        let Self { settings, model, constraints, interrupt, .. } = self;
        let sweeps = settings.solver().iterations().unwrap_or(0) as usize;
        let visits = sweeps * settings.substeps as usize * constraints.len();
        if interrupt.can_be_set() && visits > LONGEST_FUSED {
            return false;
        }
        let is_pointwise = settings.integrator.as_integrator().rules().is_pointwise;
        is_pointwise
            && !laws_include_reactions
            && model.is_local()
            && !constraints.is_empty()
            && settings.solver().can_project_by_rows(constraints)
    }

    /// True if contact is so unlikely in the next step that a fused step may be tried.
    fn may_try_fused_step(&mut self) -> bool {
        let Self { settings, model, run, scratch, .. } = self;
        let Scratch { contacts, fused: FusedScratch { plain_steps_left, .. }, .. } = scratch;
        let must_wait = *plain_steps_left > 0;
        *plain_steps_left = plain_steps_left.saturating_sub(1);
        !must_wait && contacts.may_try_fused_step(&settings.contact, &model.bodies(&run.shifts))
    }

    /// Takes all substeps in one pass over memory. Returns false if bodies may have touched during
    /// the step; the state is then restored to the start of the step.
    pub(super) fn fused_step(&mut self, substeps: Substeps) -> bool {
        if !self.has_contact() {
            self.take_fused_step(substeps, false);
            return true;
        }
        self.scratch.fused.remembered.copy_memory(&self.run.work);
        self.take_fused_step(substeps, true);
        let Self { model, run, scratch, .. } = self;
        let RunState { state, previous, work, shifts, contact_memory, .. } = run;
        let Scratch { contacts, bounds, fused, .. } = scratch;
        let (geometry, g) = (model.geometry(), model.gravity().length());
        let h = substeps.h();
        let instants = (0..substeps.count).map(|k| Instant {
            t: substeps.at(k),
            h,
            g,
            projected_fraction: 1.0,
        });
        let are_finite = bounds.iter().all(|(_, bounds)| bounds.are_finite());
        let is_clear =
            contacts.are_clear(geometry, shifts, instants, &fused.motion_bounds, contact_memory);
        if !(is_clear && are_finite) {
            std::mem::swap(state, previous);
            work.copy_memory(&fused.remembered);
            fused.plain_steps_left = PLAIN_STEPS_AFTER_UNDO;
            return false;
        }
        true
    }

    /// Takes all substeps in one pass over memory. If `watched_bodies` is true, also records bounds
    /// of the motion of all bodies that take part in contact.
    fn take_fused_step(&mut self, substeps: Substeps, watched_bodies: bool) {
        self.plan_substeps(substeps);
        let h = substeps.h();
        let Self { settings, model, constraints, run, scratch, .. } = self;
        let RunState { state, previous, work, reaction, omitted_fraction, sweeps, .. } = run;
        let Scratch {
            before,
            bounds,
            fused: FusedScratch { planned, thread_scratch, time_memory, motion_bounds, .. },
            ..
        } = scratch;
        let integrator = settings.integrator.as_integrator();
        thread_scratch.resize_with(rayon::current_num_threads() + 1, ThreadScratch::default);
        // The part of the integrator's memory that concerns time does not depend on particles, so a
        // step without particles updates it.
        time_memory.copy_step_data(work);
        for planned_substep in planned.iter_mut() {
            planned_substep.remembered.copy_step_data(time_memory);
            let (now, next) = (
                StateRef { t: planned_substep.t, x: &[], v: &[] },
                StateMut { x: &mut [], v: &mut [] },
            );
            integrator.step(&model.part(0..0), now, next, h, time_memory);
        }
        std::mem::swap(state, previous);
        let n = state.len();
        before.resize(if planned.len() > 1 { n } else { 0 });
        let [State { x, v, .. }, State { x: x_2, v: v_2, .. }] = [state, before];
        let StepRules { later, memory, .. } = integrator.rules();
        *omitted_fraction = later.omitted_fraction;
        reaction.resize(if *omitted_fraction == 0.0 { 0 } else { n }, DVec3::ZERO);
        let columns = StepColumns {
            from_x: &previous.x,
            from_v: &mut previous.v,
            ends: [StateMut { x, v }, StateMut { x: x_2, v: v_2 }],
            step_start: &previous.x,
            reaction,
            history: work.history(memory.columns(), n),
        };
        let watched_bodies = watched_bodies.then(|| model.geometry());
        if let Some(geometry) = watched_bodies {
            motion_bounds.reset(geometry);
            thread_scratch.iter_mut().for_each(|strip| strip.motion_bounds.reset(geometry));
        }
        let context = StepContext { model, integrator, memory, h, planned, watched_bodies };
        let mut fused_step = FusedStep { context, first: 0, columns, thread_scratch };
        let w = model.inverse_masses();
        *sweeps = settings.solver().project_by_rows(constraints, w, &mut fused_step, h);
        work.copy_step_data(time_memory);
        bounds.clear();
        bounds.extend(thread_scratch.iter_mut().flat_map(|strip| strip.bounds.drain(..)));
        if watched_bodies.is_some() {
            thread_scratch.iter().for_each(|strip| motion_bounds.merge(&strip.motion_bounds));
        }
    }

    /// Computes the start time of each substep, and the positions of pinned particles at its end.
    fn plan_substeps(&mut self, substeps: Substeps) {
        let Self { model, scratch, run, .. } = self;
        let planned = &mut scratch.fused.planned;
        planned.resize_with(substeps.count as usize, PlannedSubstep::default);
        for (planned_substep, k) in planned.iter_mut().zip(0..) {
            planned_substep.t = substeps.at(k);
            planned_substep.pins.clear();
            planned_substep.pins.extend(pin_targets(model, &run.hand, substeps.at(k + 1)));
            planned_substep.pins.sort_unstable_by_key(|(particle, _)| *particle);
        }
    }
}

/// Data of a fused step that are the same for all particles.
#[derive(Clone, Copy)]
struct StepContext<'a> {
    pub model: &'a Model,
    pub integrator: &'a dyn Integrator,
    /// Columns of the integrator's memory.
    pub memory: Memory,
    /// Length of a substep in seconds.
    pub h: f64,
    /// Times and pins of the substeps.
    pub planned: &'a [PlannedSubstep],
    /// Bodies whose motion must be recorded, because they can touch; `None` if nothing can touch.
    pub watched_bodies: Option<&'a Geometry>,
}

/// Columns of a range of particles, one entry per particle.
struct StepColumns<'a> {
    /// Positions at the start of the first substep, in metres.
    pub from_x: &'a [DVec3],
    /// Velocities at the start of the first substep, in m/s. A pinned particle gets the velocity
    /// that leads to its position at the end of the substep.
    pub from_v: &'a mut [DVec3],
    /// States at the ends of substeps, double-buffered: each substep starts from one entry and ends
    /// in the other. The last substep ends in `[0]`. `[1]` is empty if there is only one substep.
    pub ends: [StateMut<'a>; 2],
    /// Positions at the start of the whole step, in metres.
    pub step_start: &'a [DVec3],
    /// Reactions of constraints in the last substep, in m/s²; empty if the integrator needs none.
    pub reaction: &'a mut [DVec3],
    /// History columns of the integrator's memory; unused entries are empty.
    pub history: [&'a mut [DVec3]; MOST_HISTORY],
}

impl StepColumns<'_> {
    fn split_at(&mut self, at: usize) -> [StepColumns<'_>; 2] {
        let (from_x, from_x_2) = self.from_x.split_at(at);
        let (from_v, from_v_2) = self.from_v.split_at_mut(at);
        let [[to, to_2], [between, between_2]] = self.ends.each_mut().map(|end| end.split_at(at));
        let (step_start, kept_2) = self.step_start.split_at(at);
        let (reaction, reaction_2) = self.reaction.split_at_mut(at.min(self.reaction.len()));
        let [(h, h_2), (i, i_2)] = self.history.each_mut().map(|h| h.split_at_mut(at.min(h.len())));
        [
            StepColumns {
                from_x,
                from_v,
                ends: [to, between],
                step_start,
                reaction,
                history: [h, i],
            },
            StepColumns {
                from_x: from_x_2,
                from_v: from_v_2,
                ends: [to_2, between_2],
                step_start: kept_2,
                reaction: reaction_2,
                history: [h_2, i_2],
            },
        ]
    }
}

struct FusedStep<'a> {
    context: StepContext<'a>,
    first: usize,
    columns: StepColumns<'a>,
    thread_scratch: &'a mut [ThreadScratch],
}

impl FusedStep<'_> {
    fn at(&self, particles: &Range<usize>) -> Range<usize> {
        particles.start - self.first..particles.end - self.first
    }

    fn move_freely(&mut self, substep: usize, particles: Range<usize>) {
        let at = self.at(&particles);
        let Self {
            context,
            columns: StepColumns { from_x, from_v, ends, history, .. },
            thread_scratch,
            ..
        } = self;
        let work = &mut thread_scratch[0].work;
        let history = &mut history[..context.memory.columns()];
        let remembered = &context.planned[substep].remembered;
        work.load_part(remembered, history.iter().map(|column| &column[at.clone()]));
        let [to, between] = context.end_and_start(substep, ends);
        let from = if substep == 0 {
            (&from_x[at.clone()], &mut from_v[at.clone()])
        } else {
            (&between.x[at.clone()], &mut between.v[at.clone()])
        };
        let (start, first) = (from.0, particles.start);
        let part = context.model.part(particles.clone());
        context.move_freely(substep, &part, particles, from, to.part(at.clone()), work);
        if let Some(geometry) = context.watched_bodies {
            thread_scratch[0].motion_bounds.include(geometry, first, start, &to.x[at.clone()]);
        }
        work.store_part(history.iter_mut().map(|column| &mut column[at.clone()]));
    }
}

impl StepContext<'_> {
    /// Returns the end state and the start state of a substep. The first substep starts from
    /// `from_x` and `from_v` instead of the second state.
    fn end_and_start<'p, 'a>(
        &self,
        substep: usize,
        [last, last_but_one]: &'p mut [StateMut<'a>; 2],
    ) -> [&'p mut StateMut<'a>; 2] {
        let is_as_the_last = (self.planned.len() - substep) % 2 == 1;
        if is_as_the_last { [last, last_but_one] } else { [last_but_one, last] }
    }

    /// Integrates a range of particles by one substep. Pinned particles move to their positions at
    /// its end.
    fn move_freely(
        &self,
        substep: usize,
        system: &dyn System,
        particles: Range<usize>,
        (x, v): (&[DVec3], &mut [DVec3]),
        to: StateMut,
        work: &mut Workspace,
    ) {
        let (h, PlannedSubstep { t, .. }) = (self.h, &self.planned[substep]);
        for (i, end) in self.pins(substep, &particles) {
            v[i] = (end - x[i]) / h;
        }
        self.integrator.step(
            system,
            StateRef { t: *t, x, v },
            StateMut { x: to.x, v: to.v },
            h,
            work,
        );
        for (i, end) in self.pins(substep, &particles) {
            to.x[i] = end;
        }
    }

    /// Yields the pinned particles of a range, counted from the start of the range, and their
    /// positions in metres at the end of the substep.
    fn pins(
        &self,
        substep: usize,
        particles: &Range<usize>,
    ) -> impl Iterator<Item = (usize, DVec3)> {
        let pins = &self.planned[substep].pins;
        let [first, end] = [particles.start, particles.end]
            .map(|i| pins.partition_point(|(pinned, _)| (*pinned as usize) < i));
        let start = particles.start;
        pins[first..end].iter().map(move |(i, end)| (*i as usize - start, *end))
    }
}

impl ParticleAccess for FusedStep<'_> {
    fn substeps(&self) -> usize {
        self.context.planned.len()
    }

    fn load(&mut self, substep: usize, particles: Range<usize>) -> Loaded<'_> {
        for start in particles.clone().step_by(PART_SIZE) {
            self.move_freely(substep, start..particles.end.min(start + PART_SIZE));
        }
        let at = self.at(&particles);
        let Self { context, columns: StepColumns { from_x, ends, .. }, .. } = self;
        let [to, between] = context.end_and_start(substep, ends);
        let start = if substep == 0 { &from_x[at.clone()] } else { &between.x[at.clone()] };
        Loaded { x: &to.x[at], start }
    }

    fn prefetch_spans(&self, particles: Range<usize>) -> [Span; MOST_PREFETCHED] {
        let StepColumns { from_x, from_v, ends: [last, between], .. } = &self.columns;
        let at = self.at(&particles);
        let column = |column: &[DVec3]| column.get(at.clone()).map_or(Span::NONE, Span::of);
        [
            column(from_x),
            column(from_v),
            column(last.x),
            column(last.v),
            column(between.x),
            column(between.v),
            Span::of(&self.context.model.inverse_masses()[particles]),
        ]
    }

    fn store(&mut self, substep: usize, particles: Range<usize>, projected: &[DVec3]) {
        let is_last = substep + 1 == self.substeps();
        let at = self.at(&particles);
        let Self {
            context, columns: StepColumns { ends, step_start, reaction, history, .. }, ..
        } = self;
        let StateMut { x, v } = context.end_and_start(substep, ends)[0].part(at.clone());
        let rate = 1.0 / context.h;
        if let Some(column) = context.memory.old_velocities() {
            for (v, to, from) in izip!(&mut history[column][at.clone()], projected, &*x) {
                *v += (*to - *from) * rate;
            }
        }
        if is_last && !reaction.is_empty() {
            for (r, to, from) in izip!(&mut reaction[at.clone()], projected, &*x) {
                *r = (*to - *from) * rate * rate;
            }
        }
        let bounds = update_velocities(x, v, projected, &step_start[at], context.h);
        if is_last {
            let ThreadScratch { bounds: all, motion_bounds, .. } = &mut self.thread_scratch[0];
            if let Some(geometry) = self.context.watched_bodies {
                motion_bounds.include(geometry, particles.start, projected, projected);
            }
            all.push((particles, bounds));
        }
    }

    fn split(
        &mut self,
        at: usize,
        both: &mut dyn FnMut(&mut dyn ParticleAccess, &mut dyn ParticleAccess),
    ) {
        let Self { context, first, columns, thread_scratch } = self;
        let [columns, columns_2] = columns.split_at(at - *first);
        let (thread_scratch, thread_scratch_2) =
            thread_scratch.split_at_mut(thread_scratch.len() / 2);
        let mut here = FusedStep { context: *context, first: *first, columns, thread_scratch };
        let mut there = FusedStep {
            context: *context,
            first: at,
            columns: columns_2,
            thread_scratch: thread_scratch_2,
        };
        both(&mut here, &mut there);
    }
}
