//! Export of the positions of a lane's particles over an interval of the session.

use crate::app::laboratory::Laboratory;
use crate::export::ProtectedFiles;
use crate::export::positions::{Instants, PositionsFile, add_moment_between};
use crate::model::Parts;
use crate::numerics::state::State;
use crate::session::{History, Session, SessionMoment};
use crate::simulation::Simulation;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Upper bound of rounding errors of times, in seconds.
const ROUNDING: f64 = 1e-9;
/// Longest time that writing positions may take in one frame of the window.
const LONGEST_WRITING: Duration = Duration::from_millis(20);

/// Returns the moment at `from`, followed by the ends of the session's frames up to `end`. Both
/// times are in seconds of session time.
pub fn frame_ends_in(history: &History, [from, end]: [f64; 2]) -> Vec<SessionMoment> {
    let mut moments = vec![history.place_at(from)];
    // Times are sums of frame lengths, which have rounding errors of less than 1e-9 s.
    let is_in = |place: &SessionMoment| history.time_of(*place) <= end + 1e-9;
    while let Some(next) = moments.last().and_then(|last| history.frame_after(*last)).filter(is_in)
    {
        moments.push(next);
    }
    moments
}

pub struct PositionsWriter {
    path: PathBuf,
    file: Option<PositionsFile>,
    instants: Instants,
    color: usize,
    parts: Arc<Parts>,
    /// Copy of the session at the previous moment.
    last: Option<(SessionMoment, Session)>,
    outcome: Option<Result<PathBuf, String>>,
}

impl PositionsWriter {
    /// Begins a file of the selected lane's positions, one instant every `every` seconds. The file
    /// name's extension selects the format.
    pub fn begin(laboratory: &Laboratory, path: PathBuf, every: f64) -> Result<Self, String> {
        let parts = laboratory.session().scene().parts.clone();
        let protected = ProtectedFiles { inputs: &laboratory.input_files(), scenes: true };
        let file = PositionsFile::create(&path, &parts, protected).map_err(|e| e.to_string())?;
        let color = laboratory.selected().color;
        let instants = Instants::every(every);
        Ok(Self { path, file: Some(file), instants, color, parts, last: None, outcome: None })
    }

    /// Writes the moments, starting at index `taken`, for at most [`LONGEST_WRITING`]. Returns how
    /// many moments have been written so far.
    pub fn write_moments(
        &mut self,
        laboratory: &mut Laboratory,
        moments: &[SessionMoment],
        taken: usize,
    ) -> usize {
        let began = Instant::now();
        let mut taken = taken;
        while let Some(place) = moments.get(taken).filter(|_| self.outcome.is_none()) {
            if laboratory.history().shown_moment() != *place {
                laboratory.travel_at_once(*place);
            }
            if laboratory.history().progress().is_some() {
                return taken;
            }
            if let Err(why) = self.add(laboratory, *place) {
                self.outcome = Some(Err(why));
                return taken;
            }
            taken += 1;
            if began.elapsed() >= LONGEST_WRITING {
                break;
            }
        }
        if taken == moments.len()
            && let Some(file) = self.file.take()
        {
            let path = self.path.clone();
            self.outcome = Some(file.finish().map(|()| path).map_err(|e| e.to_string()));
        }
        taken
    }

    /// Returns the path of the finished file or the reason why it failed; `None` while the file is
    /// being written.
    pub fn finished(&self) -> Option<Result<PathBuf, String>> {
        self.outcome.clone()
    }

    /// Adds the instants since the last moment to the file. The session must be at `place`.
    fn add(&mut self, laboratory: &Laboratory, place: SessionMoment) -> Result<(), String> {
        let session = laboratory.session();
        if !Arc::ptr_eq(&session.scene().parts, &self.parts) {
            return Err(CHANGED.to_owned());
        }
        let lane = lane_of(session, self.color).ok_or(CHANGED)?;
        let end = lane.state().t;
        let start = match &self.last {
            Some((_, last)) => lane_of(last, self.color).ok_or(CHANGED)?.state().t,
            None => {
                self.instants.skip_before(end);
                end
            }
        };
        if start > end {
            return Err("the scene restarts within the interval; choose a shorter one".to_owned());
        }
        let due: Vec<f64> = self.instants.until(end).collect();
        for due in due {
            let within = self.step_before_end(laboratory, place, due);
            let within = within.as_ref().and_then(|copy| lane_of(copy, self.color));
            let mut steps = within.into_iter().chain([lane]).map(last_step);
            // The steps of a simulated display may have other lengths. If neither step contains the
            // instant, positions are interpolated over the whole frame.
            let frame = || {
                let last = self.last.as_ref().and_then(|(_, last)| lane_of(last, self.color));
                [last.unwrap_or(lane).state(), lane.state()]
            };
            let [before, now] = steps
                .find(|[before, now]| before.t <= due + ROUNDING && due <= now.t + ROUNDING)
                .unwrap_or_else(frame);
            let Some(file) = &mut self.file else { return Ok(()) };
            let states = [(before.t, &before.x[..]), (now.t, &now.x[..])];
            add_moment_between(file, due, states).map_err(|e| e.to_string())?;
        }
        self.last = Some((place, laboratory.history().copy_of_shown(session)));
        Ok(())
    }

    /// Returns a copy of the session after the step that contains `due` seconds. Returns `None` if
    /// this is the last step before `place`.
    fn step_before_end(
        &self,
        laboratory: &Laboratory,
        place: SessionMoment,
        due: f64,
    ) -> Option<Session> {
        let (moment, last) = self.last.as_ref()?;
        let [before, now] = last_step(lane_of(laboratory.session(), self.color)?);
        let dt = now.t - before.t;
        // The steps of a frame are equally long, apart from rounding errors of times.
        let missing = ((now.t - due) / dt + 1e-6).floor();
        if !(missing >= 1.0 && missing <= f64::from(u32::MAX)) {
            return None;
        }
        let mut copy = last.clone();
        let to = SessionMoment { missing_steps: missing as u32, ..place };
        laboratory.history().repeat_in(&mut copy, *moment, to);
        Some(copy)
    }
}

const CHANGED: &str = "the scene or its lanes change within the interval; choose a shorter one";

fn lane_of(session: &Session, color: usize) -> Option<&Simulation> {
    let lane = session.lanes().iter().find(|lane| lane.color == color)?;
    Some(&lane.simulation)
}

/// Returns the states before and after the last step.
fn last_step(simulation: &Simulation) -> [&State; 2] {
    [simulation.previous(), simulation.state()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::disk::recorder::Recorder;
    use crate::app::disk::scene_source::Source;
    use crate::simulation::settings::Command;

    /// Returns a session in which a ball moves at 2 m/s without forces.
    fn flight() -> Laboratory {
        let text = "(version: 1, name: \"flight\", balls: [(name: \"ball\", at: (0, 0, 0), \
                    radius: 0.1, velocity: (2, 0, 0))], lanes: [(name: \"Verlet\", settings: \
                    (integrator: VelocityVerlet, dt: 0.004))])";
        let mut laboratory = Laboratory::of_text(text);
        laboratory.whole_frames(120);
        laboratory
    }

    fn write_interval(
        laboratory: &mut Laboratory,
        path: PathBuf,
        stretch: [f64; 2],
    ) -> Result<PathBuf, String> {
        let moments = frame_ends_in(laboratory.history(), stretch);
        let mut reel = PositionsWriter::begin(laboratory, path, 0.04)?;
        let mut taken = 0;
        loop {
            taken = reel.write_moments(laboratory, &moments, taken);
            if let Some(done) = reel.finished() {
                return done;
            }
            laboratory.whole_frame(1.0 / 60.0);
        }
    }

    #[test]
    fn a_stretch_becomes_a_table_of_even_instants() {
        let folder = tempfile::tempdir().unwrap();
        let mut laboratory = flight();
        let path = folder.path().join("flight.csv");
        assert_eq!(write_interval(&mut laboratory, path.clone(), [0.5, 1.5]), Ok(path.clone()));
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("t,x0,y0,z0"));
        let rows: Vec<Vec<f64>> =
            lines.map(|line| line.split(',').map(|it| it.parse().unwrap()).collect()).collect();
        assert!((23..=26).contains(&rows.len()), "{} rows in a second", rows.len());
        for (number, row) in rows.iter().enumerate() {
            let t = rows[0][0] + 0.04 * number as f64;
            assert!((row[0] - t).abs() < 1e-9 && (row[1] - 2.0 * t).abs() < 1e-9, "{row:?} at {t}");
        }
        assert!((0.46..0.56).contains(&rows[0][0]), "{}", rows[0][0]);
    }

    /// A falling ball with four steps a frame. Velocity Verlet is exact, and every instant is the
    /// end of a step, so nothing needs interpolation.
    #[test]
    fn positions_are_those_of_steps_within_frames() {
        let folder = tempfile::tempdir().unwrap();
        let text = "(version: 1, name: \"fall\", balls: [(name: \"ball\", at: (0, 0, 0), \
                    radius: 0.1)], lanes: [(name: \"Verlet\", settings: \
                    (integrator: VelocityVerlet, dt: 0.004))])";
        let mut laboratory = Laboratory::of_text(text);
        laboratory.whole_frames(120);
        let path = folder.path().join("fall.csv");
        write_interval(&mut laboratory, path.clone(), [0.5, 1.5]).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let mut rows = 0;
        for line in text.lines().skip(1) {
            let row: Vec<f64> = line.split(',').map(|it| it.parse().unwrap()).collect();
            let exact = -0.5 * 9.81 * row[0] * row[0];
            assert!((row[2] - exact).abs() < 1e-9, "{row:?}, not {exact}");
            rows += 1;
        }
        assert!(rows > 20, "{rows} rows");
    }

    #[test]
    fn blender_gets_a_mesh_and_its_motion() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("flight.pc2");
        write_interval(&mut flight(), path.clone(), [0.0, 1.0]).unwrap();
        let film = std::fs::read(&path).unwrap();
        assert!(film.starts_with(b"POINTCACHE2\0") && film.len() > 20 * 6 * 12);
        assert!(std::fs::read_to_string(path.with_extension("obj")).unwrap().contains("v "));
    }

    /// `run.pc2` is written together with `run.obj`.
    #[test]
    fn no_mesh_that_the_scene_reads_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (scene, mesh) = (folder.path().join("scene.ron"), folder.path().join("run.obj"));
        let cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        std::fs::write(&mesh, cube).unwrap();
        let text = "(version: 1, name: \"x\", particles: [(at: (0, 9, 0))], colliders: [(shape: \
                    Mesh(file: \"run.obj\"))], settings: (dt: 0.01))";
        std::fs::write(&scene, text).unwrap();
        let source = Source::File(scene);
        let loaded = source.load().unwrap_or_else(|e| panic!("{e}"));
        let laboratory = Laboratory::new(loaded, source, Recorder::default());
        let begin = |name: &str| {
            PositionsWriter::begin(&laboratory, folder.path().join(name), 0.04).map(drop)
        };
        assert!(begin("run.pc2").unwrap_err().contains("reads that file"));
        assert_eq!(begin("other.pc2"), Ok(()));
        assert_eq!(std::fs::read_to_string(mesh).unwrap(), cube);
    }

    #[test]
    fn a_stretch_in_which_the_scene_restarts_is_refused_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut laboratory = flight();
        laboratory.command(Command::Reset);
        laboratory.whole_frames(30);
        let why = write_interval(&mut laboratory, folder.path().join("flight.npy"), [1.0, 2.4])
            .unwrap_err();
        assert!(why.contains("restarts within the interval"), "{why}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
