//! Spectrum of a motion: amplitudes as a function of frequency.

use crate::measure::Moment;
use crate::numerics::hermite::HermiteWeights;
use glam::DVec3;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use std::f64::consts::PI;

/// Smallest number of moments (samples of one particle's position and velocity) for a spectrum.
pub const FEWEST_MOMENTS: usize = 64;
/// The number of moments is rounded down to a multiple of this value, so only a few lengths need an
/// FFT plan.
const MOMENTS_GRANULARITY: usize = 64;
/// Largest deviation of a step from the mean step at which steps count as equal, as a fraction of
/// the mean step.
const STEP_TOLERANCE: f64 = 1e-6;

/// Signal whose spectrum is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signal {
    /// Positions, in metres.
    #[default]
    Position,
    /// Velocities in m/s. A vibration with the angular frequency ω has a peak ω times as high as in
    /// the spectrum of positions, which makes fast vibrations visible.
    Velocity,
}

/// Amplitudes of a motion about its mean. All directions are combined: √(a_x² + a_y² + a_z²).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spectrum {
    /// Distance between two neighbouring entries of `amplitudes`, in hertz. The first entry belongs
    /// to 0 Hz.
    pub resolution: f64,
    /// Amplitudes in metres or m/s. The peak of a steady vibration whose frequency lies between two
    /// entries is up to 15 % too low.
    pub amplitudes: Vec<f64>,
}

/// Computes spectra. Keeps the FFT plan of every length for reuse.
pub struct SpectrumAnalyzer {
    planner: FftPlanner<f64>,
}

impl Default for SpectrumAnalyzer {
    fn default() -> Self {
        Self { planner: FftPlanner::new() }
    }
}

impl SpectrumAnalyzer {
    /// Returns the spectrum of the newest moments under a Hann window (Harris 1978, Proc. IEEE 66,
    /// 51), from 0 Hz to half the step rate. `None` if there are too few moments or if a moment is
    /// not finite.
    pub fn spectrum(&mut self, moments: &[Moment], signal: Signal) -> Option<Spectrum> {
        let n = moments.len() / MOMENTS_GRANULARITY * MOMENTS_GRANULARITY;
        let moments = &moments[moments.len() - n..];
        if n < FEWEST_MOMENTS || moments.iter().any(|m| !(m.x.is_finite() && m.v.is_finite())) {
            return None;
        }
        let step = (moments[n - 1].t - moments[0].t) / (n - 1) as f64;
        if !(step.is_finite() && step > 0.0) {
            return None;
        }
        let values = at_even_times(moments, step, signal);
        let mean = values.iter().sum::<DVec3>() / n as f64;
        // Two transforms are enough for three real signals x, y, z: with Z the transform of x + iy,
        // |Z(k)|² + |Z(−k)|² = 2 (|X(k)|² + |Y(k)|²).
        let mut plane: Vec<Complex<f64>> = Vec::with_capacity(n);
        let mut height: Vec<Complex<f64>> = Vec::with_capacity(n);
        for (j, value_at) in values.iter().enumerate() {
            let window = (PI * j as f64 / n as f64).sin().powi(2);
            let at = (*value_at - mean) * window;
            plane.push(Complex::new(at.x, at.y));
            height.push(Complex::new(at.z, 0.0));
        }
        let transform = self.planner.plan_fft_forward(n);
        transform.process(&mut plane);
        transform.process(&mut height);
        // Scale 4/n: the values of the window sum to n/2, and the transform of a real vibration has
        // half of its amplitude at frequency k, half at −k.
        let amplitude = |k: usize| {
            let mirrored = (n - k) % n;
            let power = 0.5 * (plane[k].norm_sqr() + plane[mirrored].norm_sqr());
            4.0 / n as f64 * (power + height[k].norm_sqr()).sqrt()
        };
        let amplitudes = (0..=n / 2).map(amplitude).collect();
        Some(Spectrum { resolution: 1.0 / (n as f64 * step), amplitudes })
    }
}

impl Spectrum {
    /// Returns the frequency in Hz and the amplitude of the strongest vibration. The amplitude is
    /// in the unit of `amplitudes`. Both values are interpolated between the highest entry and its
    /// higher neighbour by the formula for the Hann window. `None` without motion.
    pub fn strongest(&self) -> Option<[f64; 2]> {
        let inner = 1..self.amplitudes.len().saturating_sub(1);
        let k = inner.max_by(|&a, &b| self.amplitudes[a].total_cmp(&self.amplitudes[b]))?;
        let [before, here, after] = [k - 1, k, k + 1].map(|k| self.amplitudes[k]);
        if here <= 0.0 {
            return None;
        }
        let (neighbour, side) = if after >= before { (after, 1.0) } else { (before, -1.0) };
        let ratio = neighbour / here;
        let interpolate = ((2.0 * ratio - 1.0) / (ratio + 1.0)).clamp(0.0, 0.5);
        let low = if interpolate > 0.0 {
            (PI * interpolate).sin() / (PI * interpolate * (1.0 - interpolate * interpolate))
        } else {
            1.0
        };
        Some([(k as f64 + side * interpolate) * self.resolution, here / low])
    }
}

/// Returns positions or velocities at equal time steps. If the steps of the run differ, positions
/// are interpolated by cubics (Hermite, with the velocities), and velocities linearly.
fn at_even_times(moments: &[Moment], step: f64, signal: Signal) -> Vec<DVec3> {
    let is_even = |pair: &[Moment]| (pair[1].t - pair[0].t - step).abs() <= STEP_TOLERANCE * step;
    if moments.windows(2).all(is_even) {
        let value = |moment: &Moment| match signal {
            Signal::Position => moment.x,
            Signal::Velocity => moment.v,
        };
        return moments.iter().map(value).collect();
    }
    let mut after = 1;
    let value_at = |j: usize| {
        let t = moments[0].t + j as f64 * step;
        while after + 1 < moments.len() && moments[after].t < t {
            after += 1;
        }
        interpolate(&moments[after - 1], &moments[after], t, signal)
    };
    (0..moments.len()).map(value_at).collect()
}

fn interpolate(a: &Moment, b: &Moment, t: f64, signal: Signal) -> DVec3 {
    let h = b.t - a.t;
    let s = ((t - a.t) / h).clamp(0.0, 1.0);
    if signal == Signal::Velocity {
        return a.v.lerp(b.v, s);
    }
    HermiteWeights::at(s, h).position([a.x, b.x], [a.v, b.v])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::timing::stepper::Frame;
    use crate::support;
    use glam::dvec3;
    use std::f64::consts::TAU;

    fn vibration(times: impl Iterator<Item = f64>, frequency: f64, amplitude: f64) -> Vec<Moment> {
        let way = amplitude * dvec3(0.6, 0.0, 0.8);
        let moment = |t: f64| {
            let (sin, cos) = (TAU * frequency * t + 0.3).sin_cos();
            Moment { t, x: DVec3::Y + way * sin, v: TAU * frequency * way * cos }
        };
        times.map(moment).collect()
    }

    #[test]
    fn a_vibration_has_one_peak_at_its_frequency_as_high_as_its_amplitude() {
        let mut analyzer = SpectrumAnalyzer::default();
        // 4096 steps of 2 ms: entries of the spectrum are 0.12 Hz apart.
        for frequency in [3.37, 3.4, 3.4179687500, 47.3] {
            let times = (0..4096).map(|i| 0.002 * f64::from(i));
            let spectrum =
                analyzer.spectrum(&vibration(times, frequency, 0.2), Signal::Position).unwrap();
            let Spectrum { resolution, amplitudes } = &spectrum;
            let top =
                (0..amplitudes.len()).max_by(|&a, &b| amplitudes[a].total_cmp(&amplitudes[b]));
            let top = top.unwrap();
            assert!((top as f64 * resolution - frequency).abs() <= 0.5 * resolution);
            assert!(
                (0.849..=1.001).contains(&(amplitudes[top] / 0.2)),
                "highest amplitude {}",
                amplitudes[top]
            );
            let [found, amplitude] = spectrum.strongest().unwrap();
            assert!((found - frequency).abs() < 0.01 * resolution, "{found} for {frequency}");
            assert!((amplitude - 0.2).abs() < 1e-3 * 0.2, "amplitude {amplitude}");
            let far = amplitudes[top + 40..].iter().fold(0.0, |a: f64, b| a.max(*b));
            assert!(far < 1e-4 * 0.2, "amplitude far from the peak: {far}");
        }
    }

    #[test]
    fn unequal_steps_of_frames_are_evened_out() {
        let jitter = |i: i32| 0.016 * f64::from(i) + 0.003 * f64::from(i * 7 % 5);
        let moments = vibration((0..1024).map(jitter), 2.1, 0.05);
        let spectrum = SpectrumAnalyzer::default().spectrum(&moments, Signal::Position).unwrap();
        let [frequency, amplitude] = spectrum.strongest().unwrap();
        assert!((frequency - 2.1).abs() < 0.02 * spectrum.resolution, "frequency {frequency} Hz");
        assert!((amplitude - 0.05).abs() < 2e-3 * 0.05, "amplitude {amplitude}");
    }

    #[test]
    fn velocities_have_the_same_peak_as_high_as_the_speed() {
        let mut analyzer = SpectrumAnalyzer::default();
        for jitter in [0.0, 1e-4] {
            let time = |i: i32| 0.002 * f64::from(i) + jitter * f64::from(i * 7 % 5);
            let moments = vibration((0..4096).map(time), 3.4, 0.2);
            let spectrum = analyzer.spectrum(&moments, Signal::Velocity).unwrap();
            let [found, speed] = spectrum.strongest().unwrap();
            assert!((found - 3.4).abs() < 0.01 * spectrum.resolution, "frequency {found} Hz");
            assert!(
                (speed / (TAU * 3.4 * 0.2) - 1.0).abs() < 1e-3,
                "amplitude of the velocity: {speed} m/s"
            );
        }
    }

    #[test]
    fn nothing_to_see_is_no_spectrum() {
        let mut analyzer = SpectrumAnalyzer::default();
        assert_eq!(analyzer.spectrum(&[], Signal::Position), None);
        let mut moments = vibration((0..256).map(f64::from), 0.1, 1.0);
        moments[200].x.x = f64::NAN;
        assert_eq!(analyzer.spectrum(&moments, Signal::Position), None);
        let still = vibration((0..256).map(f64::from), 0.1, 0.0);
        assert_eq!(analyzer.spectrum(&still, Signal::Position).unwrap().strongest(), None);
        let stopped = vibration((0..256).map(|_| 1.0), 0.1, 1.0);
        assert_eq!(analyzer.spectrum(&stopped, Signal::Position), None);
    }

    #[test]
    fn a_bob_on_a_spring_shows_the_root_of_stiffness_over_mass() {
        let text = r#"(version: 1, name: "bob", particles: [(name: "hook", at: (0, 2, 0)),
            (name: "bob", at: (0, 1, 0))], pins: [(of: Body("hook"))], forces: [(law: Gravity())],
            links: [(a: Body("hook"), b: Body("bob"), stiffness: 100)],
            settings: (integrator: VelocityVerlet, dt: 0.001))"#;
        let mut simulation = support::lane(text);
        simulation.watch(Some(1));
        for _ in 0..600 {
            simulation.advance(Frame::of(1.0 / 60.0));
        }
        let moments: Vec<Moment> = simulation.motion().unwrap().iter().copied().collect();
        let spectrum = SpectrumAnalyzer::default().spectrum(&moments, Signal::Position).unwrap();
        let [frequency, amplitude] = spectrum.strongest().unwrap();
        // The bob vibrates with the angular frequency ω = 10 rad/s, so it starts g/ω² = 9.81 cm
        // above its rest position.
        assert!(
            (frequency - 10.0 / TAU).abs() < 0.05 * spectrum.resolution,
            "frequency {frequency} Hz"
        );
        assert!((amplitude - 0.0981).abs() < 1e-3 * 0.0981, "amplitude {amplitude} m");
    }
}
