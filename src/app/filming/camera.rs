//! Camera of animations: records a frame at each moment of an interval of the session, then
//! restores the moment that was shown before.

use super::film_writer::{FilmWriter, ScreenPicture};
use super::plan::FilmPlan;
use super::positions::{PositionsWriter, frame_ends_in};
use crate::app::disk::saving;
use crate::app::laboratory::Laboratory;
use crate::app::scene_view::stage::Stage;
use crate::export::positions::PositionsFile;
use crate::session::{History, SessionMoment};
use crate::simulation::settings::Command;
use egui_macroquad::egui::Rect;
use std::path::PathBuf;

/// Largest number of frames in an animation: a minute at 60 Hz.
const MOST_FRAMES: u32 = 3600;

#[derive(Default)]
pub struct FilmCamera {
    pub open: bool,
    pub plan: FilmPlan,
    film: Option<Film>,
}

struct Film {
    moments: Vec<SessionMoment>,
    taken: usize,
    /// True if the session has reached the moment of the next frame.
    at_moment: bool,
    /// Area of the scene in the previous frame, in pixels. The bars take one frame to shrink, so a
    /// frame is recorded only if its area equals the previous one.
    area: Option<[usize; 4]>,
    /// Moment that was shown before the recording; `None` for the newest one.
    back_to: Option<SessionMoment>,
    was_running: bool,
    /// Interval that was looped before the recording, in seconds of session time.
    looped: Option<[f64; 2]>,
    output: FilmOutput,
}

enum FilmOutput {
    Pictures(FilmWriter),
    Positions(Box<PositionsWriter>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmProgress {
    pub taken: usize,
    pub count: usize,
    /// Current size of the file in bytes; `None` for positions.
    pub bytes: Option<u64>,
}

impl FilmCamera {
    pub fn progress(&self) -> Option<FilmProgress> {
        let Film { moments, taken, output, .. } = self.film.as_ref()?;
        let bytes = match output {
            FilmOutput::Pictures(writer) => Some(writer.bytes()),
            FilmOutput::Positions(_) => None,
        };
        Some(FilmProgress { taken: *taken, count: moments.len(), bytes })
    }

    /// Begins an animation of the looped interval. Without a loop, the animation ends at the shown
    /// moment. The error is a message for the user.
    pub fn begin(&mut self, laboratory: &mut Laboratory) -> Result<(), String> {
        let history = laboratory.history();
        let shown = history.shown_moment();
        let back_to = history.is_past().then_some(shown);
        let step = self.plan.speed / f64::from(self.plan.rate);
        let looped = laboratory.looped();
        let end = history.time_of(shown);
        let oldest = history.time_of(history.start());
        let [from, end] = looped.unwrap_or([(end - self.plan.seconds).max(oldest), end]);
        let moments = match self.plan.format.positions() {
            None => film_moments(history, [from, end], step, looped.is_some())?,
            Some(_) => frame_ends_in(history, [from, end]),
        };
        if moments.len() < 2 {
            return Err(
                "Nothing has moved yet: let the scene run, then save its motion.".to_owned()
            );
        }
        let was_running = back_to.is_none() && !laboratory.session().paused();
        let name = laboratory.session().scene().name.clone();
        let output = match self.plan.format.positions() {
            None => FilmOutput::Pictures(FilmWriter::open(self.plan, name, moments.len() as u32)),
            Some(ending) => {
                let path = saving::free_path(&name, ending, PositionsFile::all_paths)
                    .map_err(|e| e.to_string())?;
                FilmOutput::Positions(Box::new(PositionsWriter::begin(laboratory, path, step)?))
            }
        };
        if back_to.is_none() {
            laboratory.command(Command::Pause(true));
        }
        self.film = Some(Film {
            moments,
            taken: 0,
            at_moment: false,
            area: None,
            back_to,
            was_running,
            looped,
            output,
        });
        self.open = false;
        Ok(())
    }

    /// Moves the session to the moment of the next frame. Must be called before the interface is
    /// laid out.
    pub fn go_to_next_moment(&mut self, laboratory: &mut Laboratory) {
        let Some(film) = self.film.as_mut() else { return };
        let FilmOutput::Pictures(writer) = &film.output else { return };
        if film.at_moment || !writer.has_room() {
            return;
        }
        if let Some(place) = film.moments.get(film.taken) {
            laboratory.travel_at_once(*place);
            film.at_moment = true;
        }
    }

    /// Records the drawn frame if the session has reached its moment.
    pub fn take_frame(&mut self, laboratory: &mut Laboratory, stage: &Stage) {
        let Some(film) = self.film.as_mut() else { return };
        let writer = match &mut film.output {
            FilmOutput::Pictures(writer) => writer,
            FilmOutput::Positions(writer) => {
                film.taken = writer.write_moments(laboratory, &film.moments, film.taken);
                return;
            }
        };
        let now = filmed_area(stage);
        let is_still = film.area.replace(now) == Some(now);
        if film.at_moment && is_still && laboratory.history().progress().is_none() {
            writer.add_picture(ScreenPicture::of_screen(now));
            film.taken += 1;
            film.at_moment = false;
        }
        if film.taken == film.moments.len() {
            writer.end_pictures();
        }
    }

    /// Returns the path of the finished file or the reason why it failed, and moves the session
    /// back to its moment before the animation. Returns `None` while the file is being written.
    pub fn finished(&mut self, laboratory: &mut Laboratory) -> Option<Result<PathBuf, String>> {
        let done = match &self.film.as_ref()?.output {
            FilmOutput::Pictures(writer) => writer.finished()?,
            FilmOutput::Positions(writer) => writer.finished()?,
        };
        self.end(laboratory);
        Some(done)
    }

    /// Cancels the animation. Returns true if there was one.
    pub fn cancel(&mut self, laboratory: &mut Laboratory) -> bool {
        let is_under_way = self.film.is_some();
        self.end(laboratory);
        is_under_way
    }

    fn end(&mut self, laboratory: &mut Laboratory) {
        let Some(Film { back_to, was_running, looped, .. }) = self.film.take() else { return };
        laboratory.travel_at_once(back_to.unwrap_or(laboratory.history().end()));
        if was_running {
            laboratory.command(Command::Pause(false));
        }
        looped.into_iter().for_each(|interval| laboratory.loop_past(interval));
    }
}

/// Returns the moments of the session between two times in seconds, at intervals of `step`. The end
/// of a loop is left out, because it shows the same state as the start.
fn film_moments(
    history: &History,
    [from, end]: [f64; 2],
    step: f64,
    is_loop: bool,
) -> Result<Vec<SessionMoment>, String> {
    let frames = ((end - from) / step).floor() + if is_loop { 0.0 } else { 1.0 };
    if frames > f64::from(MOST_FRAMES) {
        return Err(format!(
            "The film would have {frames:.0} frames, but at most {MOST_FRAMES} are possible: \
            choose a shorter interval or fewer frames per second."
        ));
    }
    let moment = |k: u32| history.place_at(from + step * f64::from(k));
    Ok((0..frames as u32).map(moment).collect())
}

fn filmed_area(stage: &Stage) -> [usize; 4] {
    let rects = stage.cells.iter().map(|cell| {
        let rect = cell.viewport.rect;
        Rect::from_min_size([rect.x, rect.y].into(), [rect.w, rect.h].into())
    });
    let all = rects.reduce(Rect::union).unwrap_or(Rect::ZERO);
    [all.min.x, all.min.y, all.max.x, all.max.y].map(|side| side.max(0.0).round() as usize)
}
