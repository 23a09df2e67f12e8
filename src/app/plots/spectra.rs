//! Spectrum of the picked particle in every lane, with the theoretical natural frequencies.

use crate::analysis::job::{Job, JobPool};
use crate::analysis::{FEWEST_MOMENTS, Signal, Spectrum, SpectrumAnalyzer, natural_frequencies};
use crate::app::charts::{LiveChart, LiveChartAxis, lane_curve};
use crate::measure::Moment;
use crate::quantity::on_screen::si_tight;
use crate::scene::Scene;
use crate::session::Lane;
use crate::simulation::settings::MOST_LANES;
use std::sync::Arc;

/// Simulated time in seconds between two updates of a lane's spectrum.
const SECONDS_BETWEEN: f64 = 0.25;
/// Largest number of points per curve.
const MOST_POINTS: usize = 600;
/// Lower end of the amplitude axis as a fraction of the highest amplitude. Smaller amplitudes are
/// rounding errors or leakage from the edges of the time window.
const LEAST_AMPLITUDE: f64 = 1e-7;
/// Largest number of marked natural frequencies, counted from the lowest one.
const MOST_MARKS: usize = 60;
/// Relative difference below which two natural frequencies share a mark.
const SAME_FREQUENCY: f64 = 1e-6;
pub const TIP: &str = "Amplitude of the vibrations of the picked particle against frequency (click \
    a particle to pick it). The signal is its position x or velocity v minus the mean, all \
    directions together, over the last 16,384 steps with a Hann window. Vertical lines: \
    theoretical frequencies of small vibrations about rest, if all links are springs.";
pub const SIGNALS: [(Signal, &str); 2] =
    [(Signal::Position, "Spectrum of x"), (Signal::Velocity, "Spectrum of v")];
/// Selectable upper ends of the frequency axis in Hz.
pub const ENDS: [f64; 7] = [2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 500.0];

/// Spectra of all lanes, indexed by the lanes' colour numbers.
#[derive(Default)]
pub struct Spectra {
    analyzer: SpectrumAnalyzer,
    lanes: [Option<LaneSpectrum>; MOST_LANES],
    scene: Option<Arc<Scene>>,
    job: Option<Job<(), Option<Vec<f64>>>>,
    theory: Vec<f64>,
}

struct LaneSpectrum {
    /// Time in seconds of the newest state in the spectrum.
    t: f64,
    particle: u32,
    signal: Signal,
    spectrum: Option<Spectrum>,
}

impl Spectra {
    /// Updates the oldest of the lanes' spectra, if it is at least [`SECONDS_BETWEEN`] old.
    pub fn update_oldest(
        &mut self,
        lanes: &[&Lane],
        scene: &Arc<Scene>,
        signal: Signal,
        pool: &JobPool,
    ) {
        if self.scene.as_ref().is_none_or(|known| !Arc::ptr_eq(known, scene)) {
            *self = Self { scene: Some(scene.clone()), ..Self::default() };
            let parts = scene.parts.clone();
            self.job = Some(pool.start(move |_| Ok(natural_frequencies(&parts, usize::MAX))));
        }
        if let Some(result) = self.job.as_mut().and_then(Job::result) {
            self.theory = result.ok().flatten().unwrap_or_default();
            self.theory.dedup_by(|next, before| *next - *before <= SAME_FREQUENCY * *next);
            self.job = None;
        }
        // The oldest spectrum comes first. In list order, a slow display would update only the
        // spectra of the first lanes, because these would be due again before the last lanes' turn.
        let age = |lane: &Lane| self.age(lane, signal);
        let Some(lane) = lanes.iter().max_by(|a, b| age(a).total_cmp(&age(b))) else {
            return;
        };
        let Some(motion) = lane.simulation.motion().filter(|_| age(lane) >= SECONDS_BETWEEN) else {
            return;
        };
        let Some(newest) = motion.iter().next_back() else { return };
        let (t, particle) = (newest.t, motion.particle());
        let moments: Vec<Moment> = motion.iter().copied().collect();
        let spectrum = self.analyzer.spectrum(&moments, signal);
        self.lanes[lane.color] = Some(LaneSpectrum { t, particle, signal, spectrum });
    }

    /// Returns the simulated time in seconds since a lane's spectrum was computed; infinite without
    /// a spectrum, negative without recorded motion.
    fn age(&self, lane: &Lane, signal: Signal) -> f64 {
        let Some(motion) = lane.simulation.motion() else { return -1.0 };
        let Some(newest) = motion.iter().next_back() else { return -1.0 };
        match &self.lanes[lane.color] {
            Some(known) if (known.particle, known.signal) == (motion.particle(), signal) => {
                (newest.t - known.t).abs()
            }
            _ => f64::INFINITY,
        }
    }

    /// Returns the frequency in Hz and the amplitude of a lane's strongest vibration.
    pub fn strongest(&self, lane: &Lane, signal: Signal) -> Option<[f64; 2]> {
        self.of(lane, signal)?.strongest()
    }

    fn of(&self, lane: &Lane, signal: Signal) -> Option<&Spectrum> {
        let particle = lane.simulation.motion()?.particle();
        let known = self.lanes[lane.color].as_ref();
        let known = known.filter(|known| (known.particle, known.signal) == (particle, signal))?;
        known.spectrum.as_ref()
    }

    /// Returns a sentence to show if no lane has a spectrum, because its motion is too short or the
    /// particle does not move.
    pub fn reason_for_none(&self, lanes: &[&Lane], signal: Signal) -> Option<String> {
        let moves = |lane: &&Lane| {
            let spectrum = self.of(lane, signal);
            spectrum.is_some_and(|it| it.amplitudes.iter().any(|amplitude| *amplitude > 0.0))
        };
        if lanes.iter().any(moves) {
            return None;
        }
        let recorded = |lane: &&&Lane| lane.simulation.motion().map_or(0, |it| it.iter().len());
        let lane = lanes.iter().max_by_key(recorded)?;
        let missing = FEWEST_MOMENTS.saturating_sub(recorded(&lane));
        if missing > 0 {
            let seconds = si_tight(missing as f64 * lane.simulation.settings().dt, "s");
            return Some(format!("Run for {seconds}: a spectrum needs a longer motion."));
        }
        let particle = lane.simulation.motion()?.particle();
        let text = || format!("Particle {particle} does not move: a spectrum needs motion.");
        lanes.iter().all(|lane| self.of(lane, signal).is_some()).then(text)
    }

    /// Creates the chart of the spectra up to the frequency `end` in Hz.
    pub fn chart(&self, lanes: &[&Lane], signal: Signal, end: f64) -> LiveChart {
        let mut curves = Vec::new();
        for lane in lanes {
            let points =
                self.of(lane, signal).map_or(Vec::new(), |spectrum| spectrum_points(spectrum, end));
            curves.push(lane_curve(&lane.name, lane.color, points));
        }
        let highest = curves.iter().flat_map(|curve| curve.points.iter()).map(|point| point[1]);
        let highest = highest.fold(0.0, f64::max);
        let x = LiveChartAxis { range: Some([0.0, end]), ..LiveChartAxis::new("frequency", "Hz") };
        let particle = lanes.iter().find_map(|lane| lane.simulation.motion());
        let amplitude = particle.map_or_else(
            || "amplitude".to_owned(),
            |motion| format!("amplitude of particle {}", motion.particle()),
        );
        let range = (highest > 0.0).then_some([LEAST_AMPLITUDE * highest, 2.0 * highest]);
        let shown = self
            .theory
            .iter()
            .enumerate()
            .filter(|(_, f)| **f <= end && **f > 0.0)
            .take(MOST_MARKS);
        LiveChart {
            name: match signal {
                Signal::Position => "Spectrum",
                Signal::Velocity => "Spectrum of velocity",
            },
            x,
            y: LiveChartAxis {
                log: true,
                range,
                ..LiveChartAxis::new(&amplitude, unit_of(signal))
            },
            curves,
            marks: shown.map(|(i, f)| (*f, format!("theory, mode {}", i + 1))).collect(),
            function: true,
        }
    }
}

pub fn unit_of(signal: Signal) -> &'static str {
    match signal {
        Signal::Position => "m",
        Signal::Velocity => "m/s",
    }
}

/// Returns the points of a spectrum. If the spectrum has more than [`MOST_POINTS`] amplitudes, each
/// point is the largest of several neighbouring amplitudes.
fn spectrum_points(spectrum: &Spectrum, end: f64) -> Vec<[f64; 2]> {
    let shown = (end / spectrum.resolution) as usize + 2;
    let amplitudes = &spectrum.amplitudes[..shown.min(spectrum.amplitudes.len())];
    let together = amplitudes.len().div_ceil(MOST_POINTS).max(1);
    let highest = |(i, chunk): (usize, &[f64])| {
        let (k, amplitude) = chunk.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
        Some([(i * together + k) as f64 * spectrum.resolution, *amplitude])
    };
    amplitudes.chunks(together).enumerate().filter_map(highest).collect()
}
