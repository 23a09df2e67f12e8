//! Initial state of all particles, if the file contains one.

use super::super::typed::file::StartFile;
use super::super::typed::located::{Fault, Located};
use super::bodies::CheckedBodies;
use glam::DVec3;

impl CheckedBodies {
    /// Sets the initial positions, velocities and spins, after all bodies of the file have been
    /// added.
    pub(super) fn set_start(
        &mut self,
        start: &Located<StartFile>,
        velocities: &mut Vec<DVec3>,
    ) -> Result<(), Fault> {
        let StartFile { positions, velocities: speeds, spins } = &**start;
        let particles = self.mesh.positions.len();
        let balls = self.contact.balls.len();
        let check_count = |what: &str, found: usize, expected: usize, of: &str| {
            let fits = found == expected || found == 0 && what != "positions";
            let message =
                || format!("found {found} {what}, expected one for each of {expected} {of}");
            start.blame(if fits { Ok(()) } else { Err(message()) })
        };
        check_count("positions", positions.len(), particles, "particles")?;
        check_count("velocities", speeds.len(), particles, "particles")?;
        check_count("spins", spins.len(), balls, "balls")?;
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
