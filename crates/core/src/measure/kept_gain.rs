//! Energy that an integrator makes and keeps, as opposed to energy that a vibration borrows.
//!
//! An integrator near its limit is stable and yet lets the energy of a vibration rise and fall:
//! symplectic Euler conserves ½mv² + ½kx² − ½hkxv, and with z = ωh the energy ½mv² + ½kx² reaches
//! up to (2 + z)/(2 − z) times its least value (Hairer, Lubich & Wanner, Geometric Numerical
//! Integration, IX.3). The vibration returns this energy again and again. An unstable vibration
//! does not.

/// Steps within which borrowed energy is returned at least once. The energy rises and falls with
/// twice the frequency of the vibration, and samples once a step show this as a beat of
/// π/(π − 2 arcsin(z/2)) steps: 6 of them at 0.97 of the limit z = 2. The least energy of a beat
/// lies between two samples in some beats and close to one in others.
const RETURNED_WITHIN: u32 = 24;

/// Gain, divided by the permitted one, that no vibration borrows. At 0.999 of the limit z = 2,
/// (2 + z)/(2 − z) is 2000, and the permitted gain is twice the energy of the motion.
const NEVER_BORROWED: f64 = 1000.0;

/// Gain of energy that an integrator has kept, beyond the permitted one.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeptGain {
    /// End in seconds of the first step since which the gain has been too large, once it is known
    /// to be kept.
    pub since: Option<f64>,
    /// Greatest kept gain in joules.
    pub joules: f64,
    /// End in seconds of the first of the newest steps with a gain that is too large, and their
    /// number.
    above: Option<(f64, u32)>,
}

impl KeptGain {
    /// True if the newest gain was too large.
    pub fn is_above(&self) -> bool {
        self.above.is_some()
    }

    /// Observes the gain of energy in joules at the end of a step, at the time `t` in seconds.
    /// `most` is the permitted gain, which grows with the motion. Only springs borrow energy: under
    /// a solver a jolt of one step is a gain, even if the solver takes its energy away again.
    pub fn observe(&mut self, gain: f64, most: f64, t: f64, may_borrow: bool) {
        self.above = (gain > most).then(|| match self.above {
            None => (t, 1),
            Some((since, steps)) => (since, steps + 1),
        });
        if let Some((since, steps)) = self.above
            && (!may_borrow || steps >= RETURNED_WITHIN || gain > NEVER_BORROWED * most)
        {
            self.joules = self.joules.max(gain);
            self.since = self.since.or(Some(since));
        }
        self.since = self.since.filter(|_| self.joules > most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(gains: impl Iterator<Item = f64>) -> Option<f64> {
        let mut kept = KeptGain::default();
        (1_u32..)
            .zip(gains)
            .for_each(|(step, gain)| kept.observe(gain, 1.0, f64::from(step), true));
        kept.since
    }

    #[test]
    fn energy_that_is_returned_is_not_kept_however_much_it_is() {
        assert_eq!(kept((0..1000).map(|k| f64::from(k % 20) * 5.0)), None);
    }

    #[test]
    fn energy_that_stays_is_kept_from_its_first_step_on() {
        assert_eq!(kept((0..200).map(|k| if k < 10 { 0.0 } else { 1.5 })), Some(11.0));
        assert_eq!(kept((0..20).map(|_| 1.5)), None);
    }

    #[test]
    fn a_gain_that_no_vibration_borrows_is_known_at_once() {
        assert_eq!(kept([0.0, 2.0, 3e3, 0.0].into_iter()), Some(2.0));
    }
}
