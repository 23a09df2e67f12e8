//! Position of the mouse while the user holds a body.
//!
//! On X11, the window library gets no mouse events from outside the window. When the mouse returns
//! with the button still down, the library reports a release. While a body is held, this module
//! therefore queries the X server over a separate connection.

#[cfg(target_os = "linux")]
pub use x11::HeldPointer;

#[cfg(not(target_os = "linux"))]
pub use other::HeldPointer;

use glam::Vec2;

/// Mouse position in pixels from the window's upper left corner, even outside the window, and the
/// state of the left button.
pub struct PointerState {
    pub at: Vec2,
    pub down: bool,
}

#[cfg(target_os = "linux")]
mod x11 {
    use super::PointerState;
    use glam::Vec2;
    use x11rb::connection::Connection;
    use x11rb::protocol::xproto::{ConnectionExt, KeyButMask, Window};
    use x11rb::rust_connection::RustConnection;

    /// Largest accepted distance in pixels between the mouse positions reported by the X server and
    /// by the window library. The mouse may move between the reports.
    const MOVED_ON: f32 = 64.0;

    /// Connection to the X server, and the window under the mouse.
    #[derive(Debug)]
    pub struct HeldPointer {
        connection: RustConnection,
        window: Window,
    }

    impl HeldPointer {
        /// Connects to the X server and finds the window in which the mouse button was pressed.
        /// `pixel` is the position of the press in that window. Returns `None` if the server does
        /// not answer, or if the mouse has already moved away by [`MOVED_ON`] pixels.
        pub fn connect_at(pixel: Vec2) -> Option<Self> {
            let (connection, screen) = x11rb::connect(None).ok()?;
            let mut window = connection.setup().roots.get(screen)?.root;
            loop {
                let child = connection.query_pointer(window).ok()?.reply().ok()?.child;
                if child == x11rb::NONE {
                    break;
                }
                window = child;
            }
            let pointer = Self { connection, window };
            pointer.read().filter(|now| now.at.distance(pixel) < MOVED_ON)?;
            Some(pointer)
        }

        pub fn read(&self) -> Option<PointerState> {
            let reply = self.connection.query_pointer(self.window).ok()?.reply().ok()?;
            let at = Vec2::new(f32::from(reply.win_x), f32::from(reply.win_y));
            Some(PointerState { at, down: reply.mask.contains(KeyButMask::BUTTON1) })
        }
    }
}

/// Replacement for the module `x11` on other systems, whose window library reports the mouse
/// outside the window while a button is down.
#[cfg(not(target_os = "linux"))]
mod other {
    use super::PointerState;
    use glam::Vec2;

    /// Type without values, because there is no X server to query.
    #[derive(Debug)]
    pub enum HeldPointer {}

    impl HeldPointer {
        pub fn connect_at(_: Vec2) -> Option<Self> {
            None
        }

        /// Cannot be called, because the type has no values.
        pub fn read(&self) -> Option<PointerState> {
            match *self {}
        }
    }
}
