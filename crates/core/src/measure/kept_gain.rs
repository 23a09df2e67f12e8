//! Distinction between a permanent energy gain by an integrator, and energy that a vibration gains
//! and returns.
//!
//! Near its stability limit a stable integrator still lets the energy of a vibration rise and fall:
//! symplectic Euler conserves ½mv² + ½kx² − ½hkxv, and with z = ωh the energy ½mv² + ½kx² reaches
//! up to (2 + z)/(2 − z) times its minimum (Hairer, Lubich & Wanner, Geometric Numerical
//! Integration, IX.3). A stable vibration returns this energy in each period. An unstable vibration
//! does not.

/// Number of steps after which a stable vibration has returned its gained energy at least once. The
/// energy oscillates at twice the frequency of the vibration. Sampled once per step, it shows a
/// beat of π/(π − 2 arcsin(z/2)) steps, which is 6 steps at 0.97 of the limit z = ωh = 2. The
/// minimum of one beat may fall between two samples, but not the minimum of every beat.
const RETURNED_WITHIN: u32 = 24;

/// Ratio of the gain to the permitted gain that no stable vibration reaches. At 0.999 of the
/// stability limit z = ωh = 2, the largest energy of a vibration is (2 + z)/(2 − z) = 2000 times
/// the smallest, and the permitted gain is twice the energy of the motion.
const NEVER_RETURNED_RATIO: f64 = 1000.0;

/// Energy that an integrator has added beyond the permitted gain and has not removed again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KeptGain {
    /// Time in seconds at which the lasting gain began: the end of the first step whose gain was
    /// too large. `None` until the gain is known to last.
    pub since: Option<f64>,
    /// Largest lasting gain in joules.
    pub joules: f64,
    /// Largest ratio of a lasting gain to the gain permitted at that time.
    pub excess: f64,
    /// True once the gain has been too large for half of the energy account's duration. Motion that
    /// begins later, such as a fall, raises the permitted gain, but no longer removes this gain
    /// from the verdict.
    pub is_final: bool,
    /// Unbroken series of steps with too large a gain, up to the newest step; `None` if the newest
    /// step is not one of them.
    above: Option<StepsAbove>,
}

/// Consecutive steps whose gain is too large.
#[derive(Clone, Copy, Debug, PartialEq)]
struct StepsAbove {
    /// End of the first of these steps, in seconds.
    since: f64,
    /// Number of these steps.
    steps: u32,
}

impl KeptGain {
    /// True if the gain in the newest step was too large.
    pub fn is_above(&self) -> bool {
        self.above.is_some()
    }

    /// Records the energy gain in joules at the end of a step. `start` is the time at which the
    /// energy account started and `t` the end of the step, in seconds. `most` is the permitted
    /// gain, which grows with the motion. `returns_energy` is true for springs, whose vibrations
    /// return energy. It is false under a constraint solver: there a jolt within one step is a gain
    /// even if the solver removes the energy again.
    pub fn observe(&mut self, gain: f64, most: f64, [start, t]: [f64; 2], returns_energy: bool) {
        self.above = (gain > most).then(|| match self.above {
            None => StepsAbove { since: t, steps: 1 },
            Some(StepsAbove { since, steps }) => StepsAbove { since, steps: steps + 1 },
        });
        if let Some(StepsAbove { since, steps }) = self.above
            && (!returns_energy || steps >= RETURNED_WITHIN || gain > NEVER_RETURNED_RATIO * most)
        {
            self.joules = self.joules.max(gain);
            self.excess = self.excess.max(gain / most);
            self.since = self.since.or(Some(since));
            self.is_final |= steps >= RETURNED_WITHIN && t - since >= since - start;
        }
        if !self.is_final && self.joules <= most {
            (self.since, self.excess) = (None, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(gains: impl Iterator<Item = f64>) -> Option<f64> {
        let mut kept = KeptGain::default();
        (1_u32..)
            .zip(gains)
            .for_each(|(step, gain)| kept.observe(gain, 1.0, [0.0, f64::from(step)], true));
        kept.since
    }

    /// Gain that is too large for this many steps, until the motion gains energy.
    fn diluted_after(steps: u32) -> KeptGain {
        let mut kept = KeptGain::default();
        for step in 1..200 {
            let gain = if step > 50 { 1.5 } else { 0.0 };
            let most = if step > 50 + steps { 100.0 } else { 1.0 };
            kept.observe(gain, most, [0.0, f64::from(step)], true);
        }
        kept
    }

    #[test]
    fn a_gain_that_lasts_as_long_as_the_time_before_it_is_final() {
        assert_eq!(diluted_after(45).since, None);
        let kept = diluted_after(60);
        assert_eq!((kept.since, kept.joules, kept.excess), (Some(51.0), 1.5, 1.5));
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
