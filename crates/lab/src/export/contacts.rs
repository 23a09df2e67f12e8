//! Table of the contacts in a run, a row a contact.

use crate::contact::Touch;
use crate::simulation::Simulation;
use itertools::Itertools;
use std::io::{self, Write};

/// Writes the line of names.
///
/// `x, y, z` is where the first particle is, `nx, ny, nz` points towards it, and the impulse
/// `jx, jy, jz` in N·s, normal and friction together, acts on it. Several `particles` share it as
/// `shares` says, those of the other side with a minus. `collider` is its number in the scene, or
/// nothing.
pub fn write_header(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "t,x,y,z,nx,ny,nz,jx,jy,jz,particles,shares,collider")
}

/// Writes what touched in the last substep of the newest step.
pub fn write_rows(simulation: &Simulation, out: &mut dyn Write) -> io::Result<()> {
    let settings = simulation.settings();
    let h = settings.dt / f64::from(settings.substeps);
    let t = simulation.state().t;
    for Touch { particles, shares, count, collider, at, normal, force } in simulation.touched() {
        let impulse = force * h;
        let numbers = [at, normal, impulse].into_iter().flat_map(|v| v.to_array());
        let numbers = numbers.map(|x| format!("{:?}", x + 0.0)).join(",");
        let particles = particles[..count].iter().join(" ");
        let shares = shares[..count].iter().map(|x| format!("{x:?}")).join(" ");
        let collider = collider.map_or(String::new(), |number| number.to_string());
        writeln!(out, "{t:?},{numbers},{particles},{shares},{collider}")?;
    }
    Ok(())
}
