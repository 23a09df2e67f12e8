//! Energy that may not come from stops.
//!
//! The guarantee stops particles one by one, behind the sweeps: what is linked to them goes on, and
//! with coarse steps a link is pulled out by many times its length. Such bodies go only through a
//! share of the substep, all their particles alike, and lose the rest of their speed. What moves on
//! a part of its ways together passes through nothing that it did not pass on the whole of them.

use super::pair::{FeaturePair, Separation};
use super::{Contacts, Instant};
use glam::DVec3;

/// Halvings of the share: below the last one nothing moves.
const HALVINGS: u32 = 10;

/// Halvings between a share that is too much and one that is not.
const REFINEMENTS: u32 = 3;

/// Share of the energy that roundings may make.
const ROUNDING: f64 = 1e-12;

/// Energy of positions in metres and velocities in m/s, in joules.
pub type EnergyOf<'a> = &'a dyn Fn(&[DVec3], &[DVec3]) -> f64;

/// Keeps stops from creating energy.
#[derive(Clone, Debug, Default)]
pub(super) struct EnergyLimit {
    /// The motion without stops.
    x: Vec<DVec3>,
    v: Vec<DVec3>,
    /// A motion that is tried.
    trial: [Vec<DVec3>; 2],
    /// By particle: another one of the same group, up to the first one, which has itself.
    groups: Vec<u32>,
}

/// The substep that is limited.
pub(super) struct Stopped<'a> {
    /// Positions and velocities at its start.
    pub start: [&'a [DVec3]; 2],
    pub energy: EnergyOf<'a>,
    /// Links of what touches itself.
    pub links: &'a [[u32; 2]],
    pub pairs: &'a [FeaturePair],
}

impl EnergyLimit {
    /// Remembers the motion before anything is stopped.
    pub fn remember(&mut self, x: &[DVec3], v: &[DVec3]) {
        self.x.clear();
        self.x.extend(x);
        self.v.clear();
        self.v.extend(v);
        // A later step, the first that is shortened, takes no memory.
        for trial in &mut self.trial {
            trial.clear();
            trial.reserve(x.len());
        }
        self.groups.clear();
        self.groups.reserve(x.len() + 1);
    }

    /// Shortens the motion of bodies in which something was stopped until they have no more energy
    /// than at the start of the substep or without stops.
    pub fn apply(&mut self, stopped: &Stopped, x: &mut [DVec3], v: &mut [DVec3]) {
        let Stopped { start, energy, .. } = *stopped;
        let most = energy(start[0], start[1]).max(energy(&self.x, &self.v));
        let most = most + ROUNDING * most.abs();
        let total = energy(x, v);
        if total <= most || !total.is_finite() || !most.is_finite() {
            return;
        }
        self.find_groups(stopped, x);
        let mut is_too_much = |share: f64| {
            self.shorten(share, stopped, [x, v]);
            let [x, v] = &self.trial;
            energy(x, v) > most
        };
        let [mut least, mut share] = [0.0, 1.0];
        for _ in 0..HALVINGS {
            share *= 0.5;
            if !is_too_much(share) {
                least = share;
                break;
            }
        }
        let mut step = least;
        for _ in 0..REFINEMENTS {
            step *= 0.5;
            if least > 0.0 && !is_too_much(least + step) {
                least += step;
            }
        }
        self.shorten(least, stopped, [x, v]);
        x.copy_from_slice(&self.trial[0]);
        v.copy_from_slice(&self.trial[1]);
    }

    /// Puts particles that hang together or are near each other into groups, those of which one was
    /// stopped into one with the number behind the last particle.
    fn find_groups(&mut self, stopped: &Stopped, x: &[DVec3]) {
        let groups = &mut self.groups;
        groups.clear();
        groups.extend(0..=x.len() as u32);
        for &[a, b] in stopped.links {
            join(groups, a, b);
        }
        let guarded = |pair: &&FeaturePair| pair.separation != Separation::None;
        for pair in stopped.pairs.iter().filter(guarded) {
            pair.used().windows(2).for_each(|pair| join(groups, pair[0], pair[1]));
        }
        let last = x.len() as u32;
        for (i, (x, free)) in (0..).zip(x.iter().zip(&self.x)) {
            if x != free {
                join(groups, i, last);
            }
        }
    }

    /// The motion in which stopped groups go through a share of the substep.
    fn shorten(&mut self, share: f64, stopped: &Stopped, [x, v]: [&[DVec3]; 2]) {
        let Self { trial: [trial_x, trial_v], groups, .. } = self;
        let last = first(groups, x.len() as u32);
        trial_x.clear();
        trial_v.clear();
        for i in 0..x.len() {
            let is_stopped = first(groups, i as u32) == last;
            let start = stopped.start[0][i];
            trial_x.push(if is_stopped { start + (x[i] - start) * share } else { x[i] });
            trial_v.push(if is_stopped { v[i] * share } else { v[i] });
        }
    }
}

impl Contacts {
    /// Stops what would pass through another body, and takes out the energy that this makes. Answers
    /// with the number of particles that were stopped.
    pub(super) fn stop(
        &mut self,
        start: [&[DVec3]; 2],
        [x, v]: [&mut [DVec3]; 2],
        energy: EnergyOf,
    ) -> u64 {
        let Self { itself, cut, pairs, energy_limit, instant: Instant { h, .. }, margin, .. } =
            self;
        let guards = itself.is_guarded();
        if guards {
            energy_limit.remember(x, v);
        }
        let held = itself.hold_back(x, v, *h);
        let count = held + cut.apply(pairs, start[0], (x, v), *h, *margin);
        if guards && count > 0 {
            let stopped = Stopped { start, energy, links: itself.links(), pairs };
            energy_limit.apply(&stopped, x, v);
        }
        count
    }
}

/// The first particle of a group.
fn first(groups: &mut [u32], mut i: u32) -> u32 {
    while groups[i as usize] != i {
        let next = groups[groups[i as usize] as usize];
        groups[i as usize] = next;
        i = next;
    }
    i
}

/// Makes one group of two.
fn join(groups: &mut [u32], a: u32, b: u32) {
    let [a, b] = [first(groups, a), first(groups, b)];
    groups[a.max(b) as usize] = a.min(b);
}
