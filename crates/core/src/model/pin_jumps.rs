use super::parts::Pin;
use ropelab_mechanics::quantity::magnitude::format_six_digits;
use std::fmt;

/// Offset in metres at the start of a path up to which the pin does not count as jumping.
const TOLERANCE: f64 = 1e-9;

/// Pins that jump in the first step because their paths do not start at offset 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PinJumps {
    /// Number of pins that jump.
    count: usize,
    /// Particle of the pin that jumps farthest.
    particle: u32,
    /// Length of the jump in metres.
    distance: f64,
}

impl PinJumps {
    /// Returns the pins that jump in the first step; `None` if no pin jumps.
    pub fn find(pins: &[Pin]) -> Option<Self> {
        let distance = |pin: &Pin| pin.path.offset(0.0).length();
        let jumping = || pins.iter().filter(|pin| distance(pin) > TOLERANCE);
        let farthest = jumping().max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let (particle, distance) = (farthest.particle, distance(farthest));
        Some(Self { count: jumping().count(), particle, distance })
    }
}

impl fmt::Display for PinJumps {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { count, particle, distance } = self;
        match count {
            1 => write!(f, "the pin of particle {particle} jumps in the first step")?,
            _ => write!(
                f,
                "{count} pins jump in the first step, the pin of particle {particle} farthest"
            )?,
        }
        let metres = format_six_digits(*distance);
        write!(f, ": its path starts {metres} m away. Let paths start at offset 0.")
    }
}
