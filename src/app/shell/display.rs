//! Check whether a window can be opened. It runs before the window library, which panics without a
//! display and waits forever for a server that does not answer.

use thiserror::Error;

/// Reason why no window can be opened. The message names a remedy.
#[derive(Debug, Error)]
pub enum NoDisplay {
    /// The environment names no display.
    #[error(
        "No display found: DISPLAY is not set. The window needs a desktop session with X11 (or \
         XWayland); on a machine without one, `xvfb-run -a ropelab` provides a virtual display."
    )]
    Unset,
    /// The display server refuses the connection, does not run, or has no screen with the requested
    /// number.
    #[error(
        "No display found: DISPLAY=\"{display}\" cannot be used ({why}). Start an X server there, \
         allow this user to use it, or use a virtual display: `xvfb-run -a ropelab`."
    )]
    Unusable {
        /// Value of the environment variable DISPLAY.
        display: String,
        /// Error from the attempt to connect to the display server.
        why: String,
    },
    /// A library that the window loads at run time is missing.
    #[error(
        "No window: the library {library} is missing. On Debian or Ubuntu: apt-get install \
         {package}."
    )]
    NoLibrary {
        /// File name of the library.
        library: &'static str,
        /// Debian package with the library.
        package: &'static str,
    },
    /// OpenGL could not be set up.
    #[error(
        "No window: OpenGL cannot be used on this display ({0}). A display with 24 bits of colour \
         and Mesa's software renderer is enough: `LIBGL_ALWAYS_SOFTWARE=1 ropelab`."
    )]
    NoOpenGl(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    pub width: u32,
    pub height: u32,
}

/// Pixels per point below which the system's scale counts as not set.
const UNSCALED: f32 = 1.25;
/// Smallest size in pixels of a screen that counts as 4K. On such a screen, text at one pixel per
/// point is too small to read.
const LARGE: Screen = Screen { width: 3200, height: 1800 };
const LARGE_SCALE: f32 = 2.0;

impl Screen {
    /// Reduces the size of a window to that of the screen if it is larger.
    pub fn fit(self, (width, height): (u32, u32)) -> (u32, u32) {
        (width.min(self.width), height.min(self.height))
    }

    /// Returns the number of pixels per point: `system_scale`, or 2 on a 4K screen whose system
    /// scale is not set.
    pub fn scale(self, system_scale: f32) -> f32 {
        let is_large = self.width >= LARGE.width && self.height >= LARGE.height;
        if is_large && system_scale < UNSCALED { LARGE_SCALE } else { system_scale }
    }
}

/// Returns `None`, because the display is checked on Linux only.
#[cfg(not(target_os = "linux"))]
pub fn detect_screen() -> Result<Option<Screen>, NoDisplay> {
    Ok(None)
}

#[cfg(test)]
mod screen_tests {
    use super::*;

    #[test]
    fn a_window_fits_its_screen_and_text_is_legible_on_4k() {
        let small = Screen { width: 800, height: 600 };
        assert_eq!(small.fit((1280, 800)), (800, 600));
        assert_eq!(small.scale(1.0), 1.0);
        let large = Screen { width: 3840, height: 2160 };
        assert_eq!(large.fit((1280, 800)), (1280, 800));
        assert_eq!(large.scale(1.0), 2.0);
        assert_eq!(large.scale(1.5), 1.5, "the system's own");
    }
}

#[cfg(target_os = "linux")]
pub use x11::detect_screen;

#[cfg(target_os = "linux")]
mod x11 {
    use super::super::driver;
    use super::{NoDisplay, Screen};
    use macroquad::miniquad::native::module::Module;
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;
    use x11rb::connection::Connection;

    const LONGEST_WAIT: Duration = Duration::from_secs(5);

    /// Smallest colour depth in bits per pixel for which the window library finds a configuration.
    const LEAST_DEPTH: u8 = 15;

    /// Libraries that the window library loads at run time: the file names that it tries, and the
    /// Debian package that provides the library.
    const LIBRARIES: [([&str; 2], &str); 3] = [
        (["libX11.so", "libX11.so.6"], "libx11-6"),
        (["libxkbcommon.so", "libxkbcommon.so.0"], "libxkbcommon0"),
        (["libXi.so", "libXi.so.6"], "libxi6"),
    ];
    /// File names of OpenGL libraries (GLX or EGL). One of them is enough.
    const OPENGL: [&str; 4] = ["libGL.so", "libGL.so.1", "libEGL.so", "libEGL.so.1"];

    /// Checks whether a window can be opened, and returns the screen.
    pub fn detect_screen() -> Result<Option<Screen>, NoDisplay> {
        let display = std::env::var("DISPLAY").unwrap_or_default();
        if display.is_empty() {
            return Err(NoDisplay::Unset);
        }
        let screen =
            connect_in_time(&display).map_err(|why| NoDisplay::Unusable { display, why })?;
        let missing = |(names, _): &&([&str; 2], _)| !names.iter().any(is_there);
        if let Some(&([_, library], package)) = LIBRARIES.iter().find(missing) {
            return Err(NoDisplay::NoLibrary { library, package });
        }
        // Libraries of a driver stay loaded, because they may have started threads.
        let stays = |library: &&str| Module::load(library).map(std::mem::forget).is_ok();
        if !OPENGL.iter().any(stays) {
            return Err(NoDisplay::NoLibrary { library: OPENGL[1], package: "libgl1" });
        }
        driver::check_opengl().map_err(NoDisplay::NoOpenGl)?;
        Ok(Some(screen))
    }

    fn is_there(library: &&str) -> bool {
        Module::load(library).is_ok()
    }

    /// Connects to the X server and returns its screen, or an error after [`LONGEST_WAIT`]. The
    /// connection is made in a separate thread, because an attempt to reach a silent server cannot
    /// be interrupted.
    fn connect_in_time(display: &str) -> Result<Screen, String> {
        let (sender, answer) = channel();
        let name = display.to_owned();
        // After the time limit, `answer` has been dropped and sending fails, which is harmless.
        std::thread::spawn(move || drop(sender.send(connect_to_server(&name))));
        answer.recv_timeout(LONGEST_WAIT).unwrap_or_else(|e| match e {
            RecvTimeoutError::Timeout => Err(format!("no answer in {} s", LONGEST_WAIT.as_secs())),
            RecvTimeoutError::Disconnected => Err("the greeting failed".to_owned()),
        })
    }

    fn connect_to_server(display: &str) -> Result<Screen, String> {
        let (connection, screen) = x11rb::connect(Some(display)).map_err(|e| e.to_string())?;
        let root = connection.setup().roots.get(screen);
        let found = root.map(|root| {
            let (width, height) = (root.width_in_pixels.into(), root.height_in_pixels.into());
            (root.root_depth, Screen { width, height })
        });
        // An X server resets itself when its last client disconnects (Xvfb without `-noreset`) and
        // refuses connections for a moment. So this connection stays open.
        std::mem::forget(connection);
        match found {
            None => Err(format!("it has no screen {screen}")),
            Some((depth, _)) if depth < LEAST_DEPTH => {
                Err(format!("it has {depth} bits of colour"))
            }
            Some((_, screen)) => Ok(screen),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::net::TcpListener;

        #[test]
        fn where_no_server_is_nobody_answers() {
            assert!(connect_in_time(":59999").is_err());
            assert!(connect_in_time("nonsense").is_err());
        }

        #[test]
        fn a_silent_server_is_given_up() {
            // An X server with number n listens on TCP port 6000 + n. This listener never answers.
            let silent = (6100..6200).find_map(|port| TcpListener::bind(("127.0.0.1", port)).ok());
            let silent = silent.unwrap();
            let number = silent.local_addr().unwrap().port() - 6000;
            let said = connect_in_time(&format!("127.0.0.1:{number}")).unwrap_err();
            assert!(said.contains("no answer"), "{said}");
        }
    }
}
