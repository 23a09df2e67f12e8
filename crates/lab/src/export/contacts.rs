//! Table of the contacts of a run as CSV, with one row per contact.

use crate::contact::ContactForce;
use crate::simulation::Simulation;
use itertools::Itertools;
use std::io::{self, Write};

/// Writes the line of column names.
///
/// `x, y, z` is the position of the first particle in metres. `nx, ny, nz` is the unit normal of
/// the contact, which points to the first particle. `jx, jy, jz` is the impulse on the first
/// particle in N·s, normal and friction together. Several `particles` share the impulse in
/// proportion to `shares`; particles of the other body in contact have negative shares. `collider`
/// is the number of the collider in the scene; it is empty for other contacts.
pub fn write_header(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "t,x,y,z,nx,ny,nz,jx,jy,jz,particles,shares,collider")
}

/// Writes one row per contact of the last substep of the newest step.
pub fn write_rows(simulation: &Simulation, out: &mut dyn Write) -> io::Result<()> {
    let settings = simulation.settings();
    let h = settings.dt / f64::from(settings.substeps);
    let t = simulation.state().t;
    for ContactForce { particles, weights, count, collider, at, normal, force } in
        simulation.last_contacts()
    {
        let impulse = force * h;
        let numbers = [at, normal, impulse].into_iter().flat_map(|v| v.to_array());
        let numbers = numbers.map(|x| format!("{:?}", x + 0.0)).join(",");
        let particles = particles[..count].iter().join(" ");
        let weights = weights[..count].iter().map(|x| format!("{x:?}")).join(" ");
        let collider = collider.map_or(String::new(), |number| number.to_string());
        writeln!(out, "{t:?},{numbers},{particles},{weights},{collider}")?;
    }
    Ok(())
}
