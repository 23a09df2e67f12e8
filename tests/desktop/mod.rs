//! Desktop for tests: an X server without a screen, a hand that moves the real mouse and presses
//! real keys, and the window under test.

pub mod program;

use program::program;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest wait. Without a graphics card slow machines draw only a few frames per second.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns left, top, right and bottom of a rectangle in a report, in pixels of the window.
pub fn sides(rect: &Value) -> Option<[f64; 4]> {
    serde_json::from_value(rect.clone()).ok()
}

/// Upper limit of the number of reports for which a click waits until its widget no longer moves. A
/// widget whose width follows a running number never stops moving.
const MOST_REPORTS_TO_REST: u32 = 30;

/// Upper limit of the number of reports for which a move of the mouse waits.
const MOST_REPORTS_OF_A_MOVE: u32 = 20;

/// One desktop at a time: the times of windows that share the processor cannot be measured.
static ALONE: Mutex<()> = Mutex::new(());

/// X server without a visible screen.
pub struct Desktop {
    server: Child,
    display: String,
    _alone: MutexGuard<'static, ()>,
}

/// Writes a scene into a new folder, which is removed when the value is dropped. Returns the folder
/// and the path of the scene.
pub fn home_with(text: &str) -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("rope.ron");
    std::fs::write(&file, text).expect("the scene is written");
    (home, file)
}

impl Desktop {
    /// Starts an X server on a free display.
    ///
    /// # Panics
    /// If a tool is missing. The message names the tool and its package.
    pub fn start(size: &str) -> Self {
        demand_tools(&["Xvfb", "xdotool"]);
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-noreset", "-nolisten", "tcp"])
            .args(["-screen", "0", &format!("{size}x24")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut number = String::new();
        let output = server.stdout.take().expect("Xvfb has an output");
        BufReader::new(output).read_line(&mut number).expect("Xvfb says its display");
        assert!(!number.trim().is_empty(), "Xvfb stopped before it had a display");
        Self { server, display: format!(":{}", number.trim()), _alone: alone }
    }

    /// Opens the window with a scene. The folder `home` gets all files that the window writes.
    pub fn open(&self, scene: &Path, home: &Path) -> Laboratory<'_> {
        self.open_with(&[], scene, home)
    }

    /// Opens the window with command line options.
    pub fn open_with(&self, options: &[&str], scene: &Path, home: &Path) -> Laboratory<'_> {
        // The reports are not in the folder of the scene, because the window watches that folder.
        let reports = home.join("reports");
        std::fs::create_dir_all(&reports).expect("a folder");
        let report = reports.join("report.json");
        let child = Command::new(program())
            .args(options)
            .arg(scene)
            .env("DISPLAY", &self.display)
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env("ROPELAB_REPORT", &report)
            .env("ROPELAB_CONFIG_DIR", home.join("config"))
            .env("ROPELAB_SAVE_DIR", home.join("saved"))
            .env_remove("WAYLAND_DISPLAY")
            .spawn()
            .expect("the window starts");
        Laboratory { desktop: self, child, report }
    }

    fn xdotool(&self, arguments: &[&str]) -> String {
        let output = Command::new("xdotool")
            .args(arguments)
            .env("DISPLAY", &self.display)
            .output()
            .expect("xdotool starts");
        assert!(output.status.success(), "xdotool {arguments:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        // A server that receives SIGTERM removes its socket and its lock. A killed server leaves
        // both, and the next server cannot use the display.
        let asked = Command::new("kill").arg(self.server.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}

fn demand_tools(tools: &[&str]) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |tool: &&&str| std::env::split_paths(&path).any(|dir| dir.join(tool).is_file());
    let missing: Vec<_> = tools.iter().filter(|tool| !found(tool)).collect();
    assert!(
        missing.is_empty(),
        "the window test needs {missing:?}, which are not installed. On Debian or Ubuntu: \
         apt-get install xvfb xdotool libgl1 libgl1-mesa-dri libx11-6 libxi6 libxkbcommon0 \
         libxcursor1"
    );
}

/// The window under test.
pub struct Laboratory<'a> {
    desktop: &'a Desktop,
    child: Child,
    report: PathBuf,
}

impl Laboratory<'_> {
    /// Waits until `find` returns a value for a report of the window, and returns the value. `what`
    /// describes the wait in the panic message.
    pub fn wait<T>(&mut self, what: &str, find: impl Fn(&Value) -> Option<T>) -> T {
        let started = Instant::now();
        let mut last = Value::Null;
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("the window can be asked") {
                panic!("the window ended ({status}) while waiting: {what}");
            }
            if let Ok(text) = std::fs::read_to_string(&self.report) {
                last = serde_json::from_str(&text).expect("the report is JSON");
                if let Some(found) = find(&last) {
                    return found;
                }
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("waited {PATIENCE:?} in vain: {what}; the window's last report: {last}");
    }

    /// Returns a report of a later moment than now.
    pub fn next_report(&mut self) -> Value {
        let now = self.wait("any report", |report| report["seconds"].as_f64());
        self.wait("a new report", |report| {
            (report["seconds"].as_f64()? > now).then(|| report.clone())
        })
    }

    /// Runs xdotool with these arguments, and waits until the window has received `presses` more
    /// presses of keys or buttons, which takes seconds on a busy machine.
    fn press_and_wait(&mut self, presses: usize, arguments: &[&str]) {
        let seen = |report: &Value| report["presses"].as_u64();
        let before = self.wait("any report", seen);
        self.desktop.xdotool(arguments);
        self.wait(&format!("{arguments:?}"), |report| {
            (seen(report)? >= before + presses as u64).then_some(())
        });
    }

    /// Moves the mouse to a pixel of the window. The window receives a move to a point outside only
    /// while a button is down, so the wait ends after some reports.
    pub fn point(&mut self, at: [f64; 2]) {
        let [x, y] = at.map(|pixel| (pixel.round() as i64).to_string());
        self.desktop.xdotool(&["mousemove", &x, &y]);
        for _ in 0..MOST_REPORTS_OF_A_MOVE {
            let pointer: Option<[f64; 2]> =
                serde_json::from_value(self.next_report()["pointer"].clone()).ok();
            if pointer == Some(at.map(f64::round)) {
                break;
            }
        }
    }

    /// Runs xdotool, and waits for the next frame, because a selected tool shows a hint, which
    /// moves the picture.
    fn press_and_wait_a_frame(&mut self, presses: usize, arguments: &[&str]) {
        self.press_and_wait(presses, arguments);
        self.next_report();
    }

    /// Presses a mouse button: 1 left, 2 middle, 3 right. A press of more than 0.8 s is not a
    /// click, so there is no further wait.
    pub fn press(&mut self, button: u8) {
        self.press_and_wait(1, &["mousedown", &button.to_string()]);
    }

    /// Releases a mouse button.
    pub fn release(&mut self, button: u8) {
        self.press_and_wait_a_frame(1, &["mouseup", &button.to_string()]);
    }

    /// Releases a mouse button outside of the window, which may not receive the release.
    pub fn release_outside(&mut self, button: u8) {
        self.desktop.xdotool(&["mouseup", &button.to_string()]);
        self.next_report();
    }

    /// Presses and releases a key with its modifier keys, e.g. "ctrl+z".
    pub fn key(&mut self, key: &str) {
        self.press_and_wait_a_frame(key.split('+').count(), &["key", key]);
    }

    /// Types letters and digits.
    pub fn type_text(&mut self, text: &str) {
        self.press_and_wait_a_frame(text.chars().count(), &["type", text]);
    }

    /// Presses a key and keeps it down.
    pub fn hold_key(&mut self, key: &str) {
        self.press_and_wait_a_frame(1, &["keydown", key]);
    }

    /// Releases a key.
    pub fn release_key(&mut self, key: &str) {
        self.desktop.xdotool(&["keyup", key]);
        self.next_report();
    }

    /// Returns the centre of a widget, once it exists and no longer moves. Widgets move while
    /// sections above them open or close.
    fn centre_of(&mut self, widget: &str) -> [f64; 2] {
        let mut seen = None;
        for _ in 0..MOST_REPORTS_TO_REST {
            let report = self.next_report();
            let now = sides(&report["widgets"][widget]);
            if now.is_some() && now == seen {
                break;
            }
            seen = now;
        }
        self.wait(&format!("the widget \"{widget}\""), |report| {
            let [left, top, right, bottom] = sides(&report["widgets"][widget])?;
            Some([(left + right) / 2.0, (top + bottom) / 2.0])
        })
    }

    /// Clicks a widget, once it exists and no longer moves.
    pub fn click(&mut self, widget: &str) {
        let place = self.centre_of(widget);
        self.click_at(place);
    }

    /// Clicks a pixel.
    pub fn click_at(&mut self, at: [f64; 2]) {
        self.point(at);
        self.press(1);
        self.release(1);
    }

    /// Presses the left button at one pixel, moves to another, and releases the button.
    pub fn drag(&mut self, [from, to]: [[f64; 2]; 2]) {
        self.point(from);
        self.press(1);
        for step in 1..=6 {
            let part = f64::from(step) / 6.0;
            self.point([0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * part));
        }
        self.release(1);
    }

    /// Closes the window with its key, and waits until the process ends. The second press answers
    /// the question about unsaved edits.
    ///
    /// # Panics If the process ends with an error.
    pub fn quit(self) {
        self.desktop.xdotool(&["key", "ctrl+q", "key", "ctrl+q"]);
        assert!(self.wait_for_end().success(), "the window ends with exit code 0");
    }

    /// Waits until the process ends.
    pub fn wait_for_end(mut self) -> ExitStatus {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("the window can be asked") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(30));
        }
        panic!("the window did not close within {PATIENCE:?}");
    }
}

impl Drop for Laboratory<'_> {
    fn drop(&mut self) {
        // The process may have ended by itself, so an error is ignored.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
