//! Table of a run as CSV: one row per step or per frame.

use crate::measure::{EnergyAccount, Tensions, angular_momentum, momentum};
use crate::numerics::system::System;
use crate::numerics::trajectory::Trajectory;
use crate::quantity::in_words::moment_in_words;
use crate::simulation::Simulation;
use glam::DVec3;
use std::io::{self, Write};

/// Groups of optional columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Extra {
    /// px, py, pz: Σ m v in kg·m/s
    Momentum,
    /// Lx, Ly, Lz: about the origin, with the spin of balls, in kg·m²/s
    AngularMomentum,
    /// stretch0, stretch1, …: length / rest length − 1 of each link, NaN once it is cut
    Stretch,
    /// tension0, tension1, …: pull of each link in newtons
    Tension,
    /// Fx7, Fy7, Fz7 of a pinned particle 7: pull of its links and bends in newtons
    Pins,
    /// collider0x, collider0y, collider0z, …: force of the particles on each collider in newtons,
    /// in the last substep; for a collider with a path, interpolated to the row's time
    Colliders,
    /// wx5, wy5, wz5 of a ball, particle 5: its angular velocity in rad/s
    Spin,
    /// frame, steps, owed, dropped: length of the last frame in s, number of its steps, owed time
    /// in s, dropped time in s
    Frames,
}

/// Columns of a run, in SI units: time; energies; largest and smallest strain; energy removed,
/// added from outside, and created by the integrator (NaN if there is no energy account); position
/// and velocity of the tracked particles; optional columns. Floating-point numbers are written with
/// the fewest digits that restore the same bits.
#[derive(Debug)]
pub struct CsvColumns {
    tracked: Vec<u32>,
    extras: Vec<Extra>,
    tensions: Tensions,
    /// First time in seconds at which tensions did not explain the motion, with the missing force
    /// in newtons.
    missing: Option<(f64, f64)>,
    row: Vec<f64>,
    /// Index in a row of the first column with a force on a collider.
    colliders: usize,
    late: Option<LateRow>,
}

/// Row that is written only after the next step, because a collider has a path.
///
/// Such a collider moves in a straight line within a substep of length h, and its velocity jumps
/// between substeps. The contact force of the substep that ends at t therefore belongs to the time
/// t − h.
#[derive(Debug)]
struct LateRow {
    row: Vec<f64>,
    t: f64,
    /// Time of the forces in the row; `None` before the first step.
    sampled: Option<f64>,
}

impl CsvColumns {
    /// Creates the columns. `tracked` are the particles whose position and velocity get columns.
    pub fn new(tracked: Vec<u32>, mut extras: Vec<Extra>) -> Self {
        extras.sort_unstable();
        extras.dedup();
        Self {
            tracked,
            extras,
            tensions: Tensions::default(),
            missing: None,
            row: Vec::new(),
            colliders: 0,
            late: None,
        }
    }

    /// Writes the line of column names. `simulation` must be at its start.
    pub fn write_header(&self, simulation: &Simulation, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "t,kinetic,potential,elastic,total,stretch_max,stretch_min,taken_out,put_in,scheme"
        )?;
        for i in &self.tracked {
            write!(out, ",x{i},y{i},z{i},vx{i},vy{i},vz{i}")?;
        }
        for extra in &self.extras {
            extra.write_names(simulation, out)?;
        }
        writeln!(out)
    }

    /// Returns a warning if tensions or forces on pins in some row do not explain the motion.
    pub fn warning(&self) -> Option<String> {
        let (t, newtons) = self.missing?;
        Some(format!(
            "Tensions and forces on pins are unreliable after {}: the solver has not converged, \
             and the motion of the particles needs {newtons:.3} N more than they supply. Use more \
             sweeps or more substeps.",
            moment_in_words(t)
        ))
    }

    /// Writes the row that waits for this step, if there is one. The forces on colliders with a
    /// path are interpolated linearly between the two steps. Must be called after every step.
    pub fn finish_late_row(
        &mut self,
        simulation: &Simulation,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Some(LateRow { mut row, t, sampled }) = self.late.take() else { return Ok(()) };
        let now = time_of_collider_forces(simulation).unwrap_or(t);
        let part = match sampled {
            Some(before) if now > before => ((t - before) / (now - before)).clamp(0.0, 1.0),
            _ => 1.0,
        };
        let colliders = &simulation.parts().contact.colliders;
        let columns = row[self.colliders..].chunks_exact_mut(3);
        let forces = simulation.forces_on_colliders();
        for ((collider, column), force) in colliders.iter().zip(columns).zip(forces) {
            if collider.path != Trajectory::Still {
                let between = DVec3::from_slice(column).lerp(force, part);
                column.copy_from_slice(&between.to_array());
            }
        }
        write_numbers(&row, out)
    }

    /// Writes the row that still waits for a further step, if there is one. It then contains the
    /// forces of its own step.
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.late.take().map_or(Ok(()), |late| write_numbers(&late.row, out))
    }

    /// Writes one row with the newest state of a simulation. If it contains the force on a collider
    /// with a path, it waits for the next step.
    pub fn write_row(&mut self, simulation: &Simulation, out: &mut dyn Write) -> io::Result<()> {
        let energy = simulation.energy();
        let state = simulation.state();
        let of_energy_account = |joules: fn(&EnergyAccount) -> f64| {
            simulation.energy_account().map_or(f64::NAN, joules)
        };
        let stretch = simulation.stretch();
        let columns = [
            state.t,
            energy.kinetic,
            energy.potential,
            energy.elastic,
            energy.total(),
            stretch.max,
            stretch.min,
            of_energy_account(EnergyAccount::total_taken_out),
            of_energy_account(EnergyAccount::total_put_in),
            of_energy_account(EnergyAccount::energy_made),
        ];
        self.finish(out)?;
        let Self { tracked, extras, tensions, missing, row, colliders, late } = self;
        row.clear();
        row.extend(columns);
        row.extend(tracked.iter().flat_map(|&i| {
            // A ball that has not been thrown yet has no position.
            let of = |column: &[DVec3]| column.get(i as usize).copied().unwrap_or(DVec3::NAN);
            let (x, v) = (of(&state.x), of(&state.v));
            [x.x, x.y, x.z, v.x, v.y, v.z]
        }));
        for extra in &*extras {
            if *extra == Extra::Colliders {
                *colliders = row.len();
            }
            extra.append(simulation, tensions, row);
        }
        *missing = missing.or_else(|| Some((state.t, tensions.missing_force()?)));
        if extras.contains(&Extra::Colliders) && has_late_forces(simulation) {
            let (t, sampled) = (state.t, time_of_collider_forces(simulation));
            *late = Some(LateRow { row: std::mem::take(row), t, sampled });
            return Ok(());
        }
        write_numbers(row, out)
    }
}

fn write_numbers(row: &[f64], out: &mut dyn Write) -> io::Result<()> {
    let mut separator = "";
    for number in row {
        // `{:?}` writes the shortest exact form, with an exponent if this makes the number shorter.
        write!(out, "{separator}{:?}", *number + 0.0)?;
        separator = ",";
    }
    writeln!(out)
}

/// True if the forces on a collider belong to the start of the last substep. Penalty forces belong
/// to its end.
fn has_late_forces(simulation: &Simulation) -> bool {
    let mut colliders = simulation.parts().contact.colliders.iter();
    simulation.model().penalty_force().is_none()
        && colliders.any(|collider| collider.path != Trajectory::Still)
}

/// Returns the time in seconds at the start of the last substep; `None` before the first step.
fn time_of_collider_forces(simulation: &Simulation) -> Option<f64> {
    let (before, now) = (simulation.previous().t, simulation.state().t);
    let h = (now - before) / f64::from(simulation.settings().substeps);
    (h > 0.0).then_some(now - h)
}

impl Extra {
    /// Returns the name of the parts that this group describes if the scene has none of them at its
    /// start; the group then has no columns. Otherwise returns `None`.
    pub fn missing_parts(self, simulation: &Simulation) -> Option<&'static str> {
        let (is_empty, parts) = match self {
            Self::Stretch | Self::Tension => {
                (simulation.model().topology().links().is_empty(), "links")
            }
            Self::Pins => (pinned_at_start(simulation).next().is_none(), "pinned particles"),
            Self::Colliders => (simulation.parts().contact.colliders.is_empty(), "colliders"),
            Self::Spin => (balls(simulation).next().is_none(), "balls at the start"),
            Self::Momentum | Self::AngularMomentum | Self::Frames => return None,
        };
        is_empty.then_some(parts)
    }

    fn write_names(self, simulation: &Simulation, out: &mut dyn Write) -> io::Result<()> {
        let links = simulation.model().topology().links().len();
        match self {
            Self::Momentum => write!(out, ",px,py,pz"),
            Self::AngularMomentum => write!(out, ",Lx,Ly,Lz"),
            Self::Stretch => (0..links).try_for_each(|i| write!(out, ",stretch{i}")),
            Self::Tension => (0..links).try_for_each(|i| write!(out, ",tension{i}")),
            Self::Pins => {
                pinned_at_start(simulation).try_for_each(|i| write!(out, ",Fx{i},Fy{i},Fz{i}"))
            }
            Self::Colliders => (0..simulation.parts().contact.colliders.len())
                .try_for_each(|i| write!(out, ",collider{i}x,collider{i}y,collider{i}z")),
            Self::Spin => {
                balls(simulation).try_for_each(|(i, _)| write!(out, ",wx{i},wy{i},wz{i}"))
            }
            Self::Frames => write!(out, ",frame,steps,owed,dropped"),
        }
    }

    fn append(self, simulation: &Simulation, tensions: &mut Tensions, row: &mut Vec<f64>) {
        let (model, state) = (simulation.model(), simulation.state());
        let mut vector = |v: DVec3| row.extend(v.to_array());
        match self {
            Self::Momentum => vector(momentum(model.masses(), &state.v)),
            Self::AngularMomentum => {
                vector(angular_momentum(model.masses(), state) + simulation.spin());
            }
            Self::Stretch => row.extend(model.topology().links().iter().map(|link| {
                state.x[link.a as usize].distance(state.x[link.b as usize]) / link.rest - 1.0
            })),
            Self::Tension => row.extend(simulation.pulls(tensions)),
            Self::Pins => {
                let pulls = simulation.pulls(tensions);
                let forces = simulation.forces_of_structure(pulls);
                pinned_at_start(simulation).for_each(|pin| vector(forces[pin as usize]));
            }
            Self::Colliders => simulation.forces_on_colliders().into_iter().for_each(vector),
            Self::Spin => balls(simulation).for_each(|(_, spin)| vector(spin)),
            Self::Frames => match simulation.record().last() {
                Some(sample) => {
                    let steps = f64::from(sample.steps);
                    row.extend([sample.frame, steps, sample.owed, sample.dropped]);
                }
                None => row.extend([0.0; 4]),
            },
        }
    }
}

fn pinned_at_start(simulation: &Simulation) -> impl Iterator<Item = u32> {
    simulation.parts().pins.iter().map(|pin| pin.particle)
}

/// Returns the balls that exist from the start: their particles and their angular velocities in
/// rad/s.
fn balls(simulation: &Simulation) -> impl Iterator<Item = (u32, DVec3)> {
    let balls = simulation.parts().contact.balls.iter().map(|ball| ball.particle);
    balls.zip(simulation.spins().iter().copied())
}
