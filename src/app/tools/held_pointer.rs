//! Position of the mouse while it holds a body.
//!
//! On X11 the window library gets no events of a mouse that has left the window. When the mouse
//! comes back with the button still down, the library reports that the button was released. So
//! while something is held, this module asks the X server, over a connection of its own.

#[cfg(target_os = "linux")]
pub use x11::HeldPointer;

#[cfg(not(target_os = "linux"))]
pub use other::HeldPointer;

#[cfg(target_os = "linux")]
mod x11 {
    use glam::Vec2;
    use x11rb::connection::Connection;
    use x11rb::protocol::xproto::{ConnectionExt, KeyButMask, Window};
    use x11rb::rust_connection::RustConnection;

    /// The window under the mouse is ours if the mouse is in it at the place that the window
    /// library reports, to this many pixels: it may have moved on since.
    const MOVED_ON: f32 = 64.0;

    /// Connection to the server of the display.
    #[derive(Debug)]
    pub struct HeldPointer {
        connection: RustConnection,
        window: Window,
    }

    impl HeldPointer {
        /// Connects to the X server for the window in which the mouse button was pressed, at
        /// `pixel` from its upper left corner. `None` if the mouse has left that place already or
        /// the server does not answer.
        pub fn pressed_at(pixel: Vec2) -> Option<Self> {
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
            pointer.read().filter(|(at, _)| at.distance(pixel) < MOVED_ON)?;
            Some(pointer)
        }

        /// Pixels from the upper left corner of the window, also outside, and whether the left
        /// button is down.
        pub fn read(&self) -> Option<(Vec2, bool)> {
            let reply = self.connection.query_pointer(self.window).ok()?.reply().ok()?;
            let at = Vec2::new(f32::from(reply.win_x), f32::from(reply.win_y));
            Some((at, reply.mask.contains(KeyButMask::BUTTON1)))
        }
    }
}

/// Empty replacement on other systems, where the window library gets the events of the mouse as
/// long as a button is down.
#[cfg(not(target_os = "linux"))]
mod other {
    use glam::Vec2;

    /// No X server to ask: the type has no values.
    #[derive(Debug)]
    pub enum HeldPointer {}

    impl HeldPointer {
        /// None.
        pub fn pressed_at(_: Vec2) -> Option<Self> {
            None
        }

        /// Never called.
        pub fn read(&self) -> Option<(Vec2, bool)> {
            match *self {}
        }
    }
}
