//! State at the start, if the file contains one.

use super::super::typed::file::StartFile;
use super::super::typed::located::{Fault, Located};
use super::bodies::CheckedBodies;
use glam::DVec3;

impl CheckedBodies {
    /// Sets positions, velocities and spins of all particles. All particles must exist already.
    pub(super) fn start_at(
        &mut self,
        start: &Located<StartFile>,
        velocities: &mut Vec<DVec3>,
    ) -> Result<(), Fault> {
        let StartFile { positions, velocities: speeds, spins } = &**start;
        let particles = self.mesh.positions.len();
        let balls = self.contact.balls.len();
        let is_whole = |what: &str, found: usize, expected: usize, of: &str| {
            let fits = found == expected || found == 0 && what != "positions";
            let why = || format!("found {found} {what}, expected one for each of {expected} {of}");
            start.blame(if fits { Ok(()) } else { Err(why()) })
        };
        is_whole("positions", positions.len(), particles, "particles")?;
        is_whole("velocities", speeds.len(), particles, "particles")?;
        is_whole("spins", spins.len(), balls, "balls")?;
        self.mesh.positions = positions.iter().map(|x| (*x).into()).collect();
        if !speeds.is_empty() {
            *velocities = speeds.iter().map(|v| (*v).into()).collect();
        }
        for (ball, spin) in self.contact.balls.iter_mut().zip(spins) {
            ball.spin = (*spin).into();
        }
        Ok(())
    }
}
