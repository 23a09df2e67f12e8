//! Undo and redo of what was done to the bodies, to the settings and to the scene.

use super::Laboratory;
use crate::scene::vary::VariableScene;
use crate::session::{Event, Place};
use crate::simulation::settings::{Command, SceneNumber, Settings};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long a frame of the window computes again what came after an edit.
const SLICE: Duration = Duration::from_millis(25);

/// One thing that was done.
#[derive(Clone, Debug)]
struct Edit {
    /// Events before it.
    events: usize,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// A cut, a pin, a throw: what came after is computed again without it.
    Bodies(Box<Command>),
    /// Settings of a lane, named by its colour: the old ones come back now.
    Settings { color: usize, old: Box<Settings>, new: Box<Settings> },
    /// Numbers of the scene: the old ones come back now.
    Scene { old: Vec<SceneNumber>, new: Vec<SceneNumber> },
}

/// What was done and undone, newest last.
#[derive(Debug, Default)]
pub(super) struct Edits {
    done: Vec<Edit>,
    undone: Vec<Edit>,
    rewriting: Option<Rewriting>,
    /// Commands are those of an undo and no edits of their own.
    silent: bool,
    /// A change that follows comes from the slider that made the newest one.
    pulls: bool,
}

/// The session is computed again from an edit on.
#[derive(Debug)]
struct Rewriting {
    /// Happens now, if it is done again; else the edit has not happened.
    again: Option<Command>,
    /// What came after, once the session is at the edit.
    queue: Option<VecDeque<Event>>,
    events: usize,
}

impl Edits {
    pub(super) fn is_rewriting(&self) -> bool {
        self.rewriting.is_some()
    }

    /// What came after so many events is another session.
    pub(super) fn forget_after(&mut self, events: usize) {
        self.done.retain(|edit| edit.events < events);
        self.undone.clear();
    }
}

impl Edit {
    /// Takes in a change that the same slider made while it is still being dragged. False if it is
    /// of something else.
    fn takes_in(&mut self, what: &What) -> bool {
        match (&mut self.what, what) {
            (What::Settings { color, new, .. }, What::Settings { color: its, new: newest, .. })
                if color == its =>
            {
                new.clone_from(newest);
                true
            }
            (What::Scene { new, .. }, What::Scene { new: newest, .. })
                if new.iter().map(|it| &it.path).eq(newest.iter().map(|it| &it.path)) =>
            {
                new.clone_from(newest);
                true
            }
            _ => false,
        }
    }
}

impl Laboratory {
    /// No button of the mouse is down: what is changed from now on is an edit of its own.
    pub fn end_pull(&mut self) {
        self.edits.pulls = false;
    }

    /// The numbers of the scene at the places of these.
    fn scene_numbers(&self, numbers: &[SceneNumber]) -> Vec<SceneNumber> {
        let now = VariableScene::spelled_out(self.session.scene());
        let number = |SceneNumber { path, .. }: &SceneNumber| {
            let value = now.number(path).ok().flatten();
            SceneNumber { path: path.clone(), value }
        };
        numbers.iter().map(number).collect()
    }

    /// A command is about to be carried out.
    pub(super) fn note_edit(&mut self, command: &Command) {
        if self.edits.silent {
            return;
        }
        let what = match command {
            Command::Cut(_) | Command::TogglePin(_) | Command::Throw(_) => {
                What::Bodies(Box::new(command.clone()))
            }
            Command::Configure { lane, settings } => {
                let Some(lane) = self.session.lanes().get(*lane) else { return };
                let old = Box::new(*lane.simulation.settings());
                What::Settings { color: lane.color, old, new: Box::new(*settings) }
            }
            Command::ChangeScene(numbers) => {
                What::Scene { old: self.scene_numbers(numbers), new: numbers.clone() }
            }
            _ => return,
        };
        let events = self.history.end().events;
        self.edits.undone.clear();
        let pulls = std::mem::replace(&mut self.edits.pulls, true);
        if let Some(last) = self.edits.done.last_mut().filter(|_| pulls)
            && last.takes_in(&what)
        {
            last.events = events;
            return;
        }
        self.edits.done.push(Edit { events, what });
    }

    /// Takes back what was done last, of what is undone at all. Answers with what that was.
    pub fn undo(&mut self) -> Option<&'static str> {
        self.ready_to_rewrite();
        let edit = self.edits.done.pop()?;
        let name = name_of(&edit.what);
        match &edit.what {
            What::Bodies(_) => self.rewrite(edit.events, None),
            What::Settings { color, old, .. } => self.set_again(*color, **old),
            What::Scene { old, .. } => self.silently(Command::ChangeScene(old.clone())),
        }
        self.edits.undone.push(edit);
        Some(name)
    }

    /// Does again what was undone last. Answers with what that was.
    pub fn redo(&mut self) -> Option<&'static str> {
        self.ready_to_rewrite();
        let edit = self.edits.undone.pop()?;
        let name = name_of(&edit.what);
        match &edit.what {
            What::Bodies(command) => self.rewrite(edit.events, Some(Command::clone(command))),
            What::Settings { color, new, .. } => self.set_again(*color, **new),
            What::Scene { new, .. } => self.silently(Command::ChangeScene(new.clone())),
        }
        self.edits.done.push(edit);
        Some(name)
    }

    fn ready_to_rewrite(&mut self) {
        self.give_up();
        self.finish_replaying();
        self.finish_rewriting();
        self.stop_past();
        self.go_on();
    }

    fn set_again(&mut self, color: usize, settings: Settings) {
        let lane = self.session.lanes().iter().position(|lane| lane.color == color);
        lane.into_iter().for_each(|lane| self.silently(Command::Configure { lane, settings }));
    }

    /// A command that is no edit.
    fn silently(&mut self, command: Command) {
        self.edits.silent = true;
        self.command(command);
        self.edits.silent = false;
    }

    fn rewrite(&mut self, events: usize, again: Option<Command>) {
        if events < self.history.start().events {
            return;
        }
        self.passed = 0.0;
        self.history.set_out(&mut self.session, Place { events, less: 0 });
        self.edits.rewriting = Some(Rewriting { again, queue: None, events });
        self.rewrite_for(SLICE);
    }

    /// Computes on for a while.
    pub(super) fn rewrite_slice(&mut self) {
        self.rewrite_for(SLICE);
    }

    pub(super) fn finish_rewriting(&mut self) {
        while self.edits.is_rewriting() {
            self.rewrite_for(Duration::MAX);
        }
    }

    fn rewrite_for(&mut self, time: Duration) {
        let began = Instant::now();
        let Some(mut rewriting) = self.edits.rewriting.take() else { return };
        if rewriting.queue.is_none() {
            if self.history.pursue(&mut self.session, || began.elapsed() >= time) {
                rewriting.queue = Some(self.begin_to_rewrite(&mut rewriting.again));
            } else {
                self.edits.rewriting = Some(rewriting);
                return;
            }
        }
        let queue = rewriting.queue.get_or_insert_default();
        while let Some(event) = queue.pop_front() {
            let event = self.session.apply_anew(&event);
            self.happened(event);
            if began.elapsed() >= time {
                break;
            }
        }
        let left = !queue.is_empty();
        self.edits.rewriting = left.then_some(rewriting);
        self.forget_lost_lanes();
    }

    /// The session is at the edit: what came after waits to happen again.
    fn begin_to_rewrite(&mut self, again: &mut Option<Command>) -> VecDeque<Event> {
        let tail = self.history.cut_off(&mut self.session);
        self.recorder.replace(tail.len(), Vec::new());
        let mut queue = VecDeque::from(tail);
        match again.take() {
            Some(command) => queue.push_front(Event::Command(Box::new(command))),
            None => drop(queue.pop_front()),
        }
        queue
    }

    /// What part of the way is left, while the session is computed again from an edit on.
    pub fn rewriting(&self) -> Option<f64> {
        let rewriting = self.edits.rewriting.as_ref()?;
        let done = self.history.end().events.saturating_sub(rewriting.events);
        let left = rewriting.queue.as_ref().map_or(done.max(1), VecDeque::len);
        Some(left as f64 / (left + done).max(1) as f64)
    }
}

fn name_of(what: &What) -> &'static str {
    match what {
        What::Bodies(command) => match **command {
            Command::Cut(_) => "the cut",
            Command::Throw(_) => "the throw",
            _ => "the pin",
        },
        What::Settings { .. } => "the settings",
        What::Scene { .. } => "the change of the scene",
    }
}
