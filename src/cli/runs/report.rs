//! Report of a run, as JSON and as text.

use super::outputs::{Measurements, PeriodReport, ReadingReport};
use ropelab::analysis::{Outcome, RunPlan, TimeSource};
use ropelab::contact;
use ropelab::measure::{Balance, Explosion, Extreme, Overstretch, Softness, TooCompliant, Verdict};
use ropelab::quantity::four_digits;
use ropelab::quantity::in_words::{
    joules_in_words, metres_in_words, percent, percent_to, share_of,
};
use ropelab::scene::{LaneSetup, Scene};
use ropelab::simulation::settings::{LinkMode, Settings};
use serde::Serialize;

/// Smallest gain that the result of a stable run mentions, as a fraction of the greatest kinetic +
/// elastic energy.
const NOTABLE_GAIN: f64 = 0.1;

#[derive(Debug, Serialize)]
pub struct RunReport {
    /// Name of a library scene, or path of a scene file.
    scene: String,
    /// Title of the scene.
    title: String,
    /// Name of the lane.
    pub lane: String,
    /// Name of the integrator.
    pub integrator: &'static str,
    /// Role of links.
    links: LinkMode,
    /// Constraint solver; `none` while links are springs.
    constraints: &'static str,
    /// Maximum number of sweeps per substep.
    iterations: Option<u32>,
    /// Solver limit that reduced parameters, with the reduced values.
    solver_limit: Option<String>,
    /// Sentence about the force of tethers on pins in the last step; null without tethers.
    tethers: Option<String>,
    /// Substeps per step.
    substeps: u32,
    /// Stepping scheme; null without frames.
    stepping: Option<&'static str>,
    /// Time step in seconds; the mean step if steps are as long as frames.
    dt: f64,
    /// Steps up to the last good state.
    steps: u64,
    #[serde(skip)]
    requested_duration: f64,
    /// Time of the last good state, in seconds.
    t: f64,
    /// `stable`, `gained-energy`, `soft` or `exploded`.
    pub verdict: &'static str,
    /// The verdict in a sentence.
    #[serde(skip)]
    pub result: String,
    /// Time of the explosion in seconds.
    exploded_at: Option<f64>,
    /// The explosion.
    explosion: Option<Explosion>,
    /// First link longer than `longest_link`, if the run did not explode.
    gave_way: Option<Overstretch>,
    /// Set if the solver has left links longer than their material allows for a total of 0.5 s.
    too_compliant: Option<TooCompliant>,
    /// Advice for soft links.
    remedy: Option<&'static str>,
    /// Energy account in joules: energy at start and end, work, and energy made by the integration.
    energy: Option<Balance>,
    /// Energy change since the start, divided by the largest kinetic + elastic energy so far.
    pub energy_drift: f64,
    /// Largest strain of any link, at least 0.
    pub stretch_max: f64,
    /// Smallest strain of any link, at most 0.
    stretch_min: f64,
    /// Largest residual of a link after the last step, as a fraction of its rest length.
    residual: Option<f64>,
    /// Computing time of a step in seconds.
    pub cost_per_step_s: f64,
    /// Steps in which an implicit solve, inner steps or a projection missed the tolerance.
    unconverged_steps: u64,
    /// End of the first unconverged step, in seconds.
    unconverged_first: Option<f64>,
    /// Torn links.
    torn: u64,
    /// Contact since the start.
    pub contact: contact::ContactReport,
    /// Name of the contact method.
    contact_method: &'static str,
    /// Hash of time, positions and velocities.
    hash: String,
    /// Wall-clock time × speed in seconds; this key and the next three are null without frames.
    wall: Option<f64>,
    /// Simulated time in seconds.
    simulated: Option<f64>,
    /// Time that is due but not yet simulated, in seconds.
    owed: Option<f64>,
    /// Dropped time in seconds; negative if the lane is ahead.
    dropped: Option<f64>,
    /// Greatest distance of a particle from the first lane, in metres; only in `compare --series`.
    pub distance: Option<f64>,
    /// Measurements of the scene.
    #[serde(flatten)]
    pub measurements: Measurements,
}

impl RunReport {
    /// Creates the report of a run. `steps`, `t` and `hash` describe the last good state.
    pub fn new(
        name: &str,
        scene: &Scene,
        lane: &LaneSetup,
        settings: &Settings,
        plan: &RunPlan,
        outcome: Outcome,
    ) -> Self {
        let Outcome {
            steps,
            t,
            verdict,
            explosion,
            overstretch: gave_way,
            balance,
            energy_drift,
            stretch_max,
            stretch_min,
            cost_per_step,
            unconverged,
            solver_limit,
            residual,
            tethers,
            torn,
            contact,
            hash,
            time_account,
        } = outcome;
        let fed = matches!(plan.feed, TimeSource::Frames(_));
        let varies = fed && !settings.stepping.uses_dt();
        Self {
            scene: name.to_owned(),
            title: scene.name.clone(),
            lane: lane.name.clone(),
            integrator: settings.integrator.info().name,
            links: settings.links,
            constraints: settings.solver().info().name,
            iterations: settings.solver().iterations(),
            solver_limit,
            residual,
            tethers,
            substeps: settings.substeps,
            stepping: fed.then(|| settings.stepping.info().name),
            dt: if varies && steps > 0 { t / steps as f64 } else { settings.dt },
            steps,
            requested_duration: if fed { t } else { plan.duration },
            t,
            verdict: verdict.name(),
            result: match verdict {
                Verdict::Stable => format!("stable for {}", four_digits::format_seconds(t)),
                _ => verdict.to_string(),
            },
            exploded_at: explosion.map(|explosion| explosion.t),
            explosion,
            gave_way,
            too_compliant: match verdict {
                Verdict::Soft(Softness::TooCompliant(compliant)) => Some(compliant),
                _ => None,
            },
            remedy: matches!(verdict, Verdict::Soft(_)).then(|| settings.solver().remedy()),
            energy: balance,
            energy_drift,
            stretch_max,
            stretch_min,
            cost_per_step_s: cost_per_step,
            unconverged_steps: unconverged.steps,
            unconverged_first: unconverged.first,
            torn,
            contact,
            contact_method: settings.contact.info().name,
            hash: format!("{hash:016x}"),
            wall: time_account.map(|time_account| time_account.wall),
            simulated: time_account.map(|time_account| time_account.simulated),
            owed: time_account.map(|time_account| time_account.owed),
            dropped: time_account.map(|time_account| time_account.dropped),
            distance: None,
            measurements: Measurements::default(),
        }
    }

    /// Returns how many of all steps did not converge, e.g. `11 of 60`. Empty if all converged.
    pub fn unconverged_text(&self) -> String {
        match self.unconverged_steps {
            0 => String::new(),
            n => format!("{n} of {}", self.steps),
        }
    }

    /// Returns the largest energies that the integrator created and lost, relative to the kinetic +
    /// elastic energy of the motion, e.g. `+0.2 % −0.01 %`.
    pub fn energy_made_text(&self) -> String {
        let share = |of: &Extreme| match of.fraction {
            // Nothing moved, so there is no energy to which the gain could be relative.
            times if times.is_infinite() => joules_in_words(of.joules),
            times if times < 5e-6 => "0 %".to_owned(),
            times => percent_to(times, 3),
        };
        match &self.energy {
            Some(Balance { gain, loss, .. }) => format!("+{} −{}", share(gain), share(loss)),
            None => String::new(),
        }
    }

    /// Returns the constraint solver with its upper limit of sweeps, e.g. `xpbd, sweeps ≤ 20`.
    pub fn solver_text(&self) -> String {
        match self.iterations {
            Some(iterations) => format!("{}, sweeps ≤ {iterations}", self.constraints),
            None => self.constraints.to_owned(),
        }
    }

    /// Returns the contact method with its counts, e.g. `swept: 4 events, overlap ≤ 0 m`.
    pub fn contact_text(&self) -> String {
        let contact::ContactReport { events, left_over, deepest_overlap, chord_error, .. } =
            self.contact;
        let left = if left_over > 0 { format!(", {left_over} left over") } else { String::new() };
        let chord = if chord_error > 0.0 {
            format!(", chord ≤ {}", metres_in_words(chord_error))
        } else {
            String::new()
        };
        let name = self.contact_method;
        let overlap = metres_in_words(deepest_overlap);
        format!("{name}: {events} events{left}, overlap ≤ {overlap}{chord}")
    }

    /// Returns the step with the number of substeps, e.g. `1 ms / 20`.
    pub fn step_text(&self) -> String {
        match self.substeps {
            1 => four_digits::format_seconds(self.dt),
            n => format!("{} / {n}", four_digits::format_seconds(self.dt)),
        }
    }

    /// Returns the number of steps. A remark follows if the requested duration is not a whole
    /// number of steps.
    fn steps_text(&self) -> String {
        let (steps, t) = (self.steps, four_digits::format_seconds(self.t));
        let differs = (self.t - self.requested_duration).abs() > 1e-9 * self.requested_duration;
        if self.explosion.is_none() && differs {
            format!(
                "{steps}, to {t}: {} is not a whole number of steps",
                four_digits::format_seconds(self.requested_duration)
            )
        } else {
            steps.to_string()
        }
    }

    pub fn to_text(&self) -> String {
        let mut lines = vec![
            ("scene", format!("{}, lane {}", self.title, self.lane)),
            ("integrator", self.integrator.to_owned()),
            ("constraints", self.solver_text()),
            ("step", self.step_text()),
            ("steps", self.steps_text()),
            ("result", self.result_text()),
            ("greatest stretch", four_digits::format_signed_percent(self.stretch_max)),
            ("least stretch", four_digits::format_signed_percent(self.stretch_min)),
            ("cost a step", four_digits::format_seconds(self.cost_per_step_s)),
            ("hash", self.hash.clone()),
        ];
        if let (Some(stepping), Some(wall), Some(simulated), Some(owed), Some(dropped)) =
            (self.stepping, self.wall, self.simulated, self.owed, self.dropped)
        {
            let [wall, simulated, owed, dropped] =
                [wall, simulated, owed, dropped].map(four_digits::format_seconds);
            lines.insert(3, ("stepping", stepping.to_owned()));
            lines.insert(
                6,
                (
                    "time",
                    format!("{simulated} simulated + {owed} owed + {dropped} dropped = {wall}"),
                ),
            );
        }
        if let Some(residual) = self.residual {
            let at = lines.iter().position(|(name, _)| *name == "least stretch");
            let residual = four_digits::format_signed_percent(residual);
            let text = share_of(&residual, "of", "a link's length");
            lines.insert(at.map_or(0, |at| at + 1), ("residual", text));
        }
        if let Some(limit) = &self.solver_limit {
            lines.insert(3, ("limit", limit.clone()));
        }
        if let Some(tethers) = &self.tethers {
            lines.push(("tethers", tethers.clone()));
        }
        lines.extend(self.energy.iter().flat_map(energy_lines));
        if self.contact.pairs_tested > 0 {
            let pairs = self.contact.pairs_tested;
            lines.push(("contact", format!("{}, {pairs} pairs tested", self.contact_text())));
        }
        if self.unconverged_steps > 0 {
            let first = self.unconverged_first.map_or(String::new(), |t| {
                format!(", the first at {}", four_digits::format_seconds(t))
            });
            lines.push(("unconverged", format!("{} steps{first}", self.unconverged_text())));
        }
        if self.torn > 0 {
            let links = if self.torn == 1 { "link" } else { "links" };
            lines.push(("torn", format!("{} {links}", self.torn)));
        }
        let lines = lines.into_iter().map(|(name, value)| (name.to_owned(), value));
        let lines = lines.chain(self.measurements.to_lines());
        lines.map(|(name, value)| format!("{name:<16}  {value}\n")).collect()
    }

    fn result_text(&self) -> String {
        let result = &self.result;
        match (self.explosion, self.remedy) {
            (Some(Explosion { energy, .. }), _) => {
                format!("{result}; the last good state has {}", joules_in_words(energy))
            }
            (None, Some(remedy)) => format!("{result}; {remedy}"),
            (None, None) if self.verdict == Verdict::Stable.name() => {
                let made = self.energy.as_ref().map_or_else(String::new, notable_gain);
                format!("{result}{made}")
            }
            (None, None) => result.clone(),
        }
    }
}

/// Returns a clause about the largest energy that integrator and solver created, if it is a notable
/// part of the energy of the motion. Sweeps that do not converge store energy in links and return
/// it later.
fn notable_gain(balance: &Balance) -> String {
    let Extreme { joules, fraction, .. } = balance.gain;
    if fraction < NOTABLE_GAIN || fraction.is_infinite() {
        return String::new();
    }
    let part = percent(fraction);
    let joules = joules_in_words(joules);
    format!("; the scheme added at most {joules}, {part} of the greatest kinetic + elastic energy")
}

/// Returns the energy account, one item per line: energy at start and end, work of forces, and
/// energy that the integrator created.
fn energy_lines(balance: &Balance) -> Vec<(&'static str, String)> {
    let Balance { start, kinetic, potential, elastic, taken_out, put_in, gain, loss, .. } = balance;
    let Balance { scheme, left_by_sweeps, .. } = balance;
    let list = |items: Vec<String>| {
        if items.is_empty() { "nothing".to_owned() } else { items.join(", ") }
    };
    // The minus sign (−) is the one that `format_extreme` puts before a loss.
    let joules = |joules: f64| joules_in_words(joules).replacen('-', "−", 1);
    let entry = |(name, j): (&&str, &f64)| format!("{name} {}", joules(*j));
    let taken_out = taken_out.iter().map(entry).collect();
    let put_in = put_in.iter().map(entry).collect();
    let in_constraints = if *left_by_sweeps > 0.0 {
        format!(", of which {} in constraints", joules_in_words(*left_by_sweeps))
    } else {
        String::new()
    };
    vec![
        ("energy at start", joules(*start)),
        (
            "energy at end",
            format!(
                "{} kinetic + {} potential + {} elastic",
                joules(*kinetic),
                joules(*potential),
                joules(*elastic)
            ),
        ),
        ("taken out", list(taken_out)),
        ("put in", list(put_in)),
        ("made by scheme", joules(*scheme) + &in_constraints),
        ("at most", format!("{}, {}", format_extreme("+", gain), format_extreme("−", loss))),
    ]
}

/// Formats the largest energy that a scheme created or lost: `+3.2 J (+12 %) at 0.3 s`.
fn format_extreme(sign: &str, of: &Extreme) -> String {
    let Extreme { joules, fraction, t, .. } = *of;
    let (joules, at) = (joules_in_words(joules), four_digits::format_seconds(t));
    if fraction.is_infinite() {
        return format!("{sign}{joules} without motion, at {at}");
    }
    format!("{sign}{joules} ({sign}{}) at {at}", percent(fraction))
}

impl Measurements {
    fn to_lines(&self) -> Vec<(String, String)> {
        let number =
            |value: Option<f64>| value.map_or("–".to_owned(), four_digits::format_significant);
        let mut lines = Vec::new();
        for ReadingReport { name, measured, unit, formula, value } in &self.readings {
            let measured = format!("{} {unit}", number(*measured));
            let prediction = match value {
                None if formula.is_empty() => String::new(),
                value => format!("; {formula} = {} {unit}", number(*value)),
            };
            lines.push((name.clone(), measured + &prediction));
        }
        for PeriodReport { name, seconds } in &self.periods {
            let seconds = seconds.map_or("no whole swing".to_owned(), four_digits::format_seconds);
            lines.push((name.clone(), seconds));
        }
        if let Some(distance) = self.exact_distance {
            let text = format!("{} from the closed form at most", metres_in_words(distance));
            lines.push(("exact motion".to_owned(), text));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_made_where_nothing_moved_is_said_in_joules() {
        let gain = Extreme { joules: 43_605.487, fraction: f64::INFINITY, t: 0.003 };
        assert_eq!(format_extreme("+", &gain), "+43.6 kJ without motion, at 3 ms");
        let gain = Extreme { fraction: 0.12, ..gain };
        assert_eq!(format_extreme("+", &gain), "+43.6 kJ (+12 %) at 3 ms");
    }
}
