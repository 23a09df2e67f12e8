//! Checks of pins, i.e. particles with a prescribed motion. A particle has at most one pin.

use super::bodies::CheckedBodies;
use crate::typed::file::PinFile;
use crate::typed::located::Fault;
use ropelab_core::model::Pin;

impl CheckedBodies {
    pub(super) fn check_pins(&self, files: &[PinFile]) -> Result<Vec<Pin>, Fault> {
        let mut pinned = vec![false; self.mesh.positions.len()];
        let mut pins = Vec::new();
        for pin in files {
            pin.path.blame(pin.path.check().map_err(|e| format!("path: {e}")))?;
            for particle in self.find_particles(&pin.of)? {
                if std::mem::replace(&mut pinned[particle as usize], true) {
                    return Err(pin.of.fault(format!(
                        "particle {particle} is pinned a second time, expected at most one pin \
                         per particle"
                    )));
                }
                pins.push(Pin { particle, path: (*pin.path).clone() });
            }
        }
        Ok(pins)
    }
}
