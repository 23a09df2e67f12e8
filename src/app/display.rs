//! Is there a display? Asked before a window is opened, because the window library panics where
//! there is none.

use thiserror::Error;

/// Why no window can be opened, and what helps.
#[derive(Debug, Error)]
pub enum NoDisplay {
    /// Nothing says where the display is.
    #[error(
        "No display found: DISPLAY is not set. The window needs a desktop session with X11 (or \
         XWayland); on a machine without one, `xvfb-run -a ropelab` gives it a virtual display."
    )]
    Unset,
    /// No server accepts a connection there.
    #[error(
        "No display found: nothing answers at DISPLAY=\"{0}\". Start an X server there, or give \
         the window a virtual display with `xvfb-run -a ropelab`."
    )]
    NoAnswer(String),
}

/// Finds out whether a window can be opened.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub fn find() -> Result<(), NoDisplay> {
    Ok(())
}

/// Finds out whether a window can be opened.
#[cfg(all(unix, not(target_os = "macos")))]
pub fn find() -> Result<(), NoDisplay> {
    let display = std::env::var("DISPLAY").unwrap_or_default();
    if display.is_empty() {
        return Err(NoDisplay::Unset);
    }
    match x11::Address::parse(&display) {
        Some(address) if address.answers() => Ok(()),
        _ => Err(NoDisplay::NoAnswer(display)),
    }
}

#[cfg(all(unix, not(target_os = "macos")))]
mod x11 {
    use std::net::{TcpStream, ToSocketAddrs};
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    /// The X server with number n listens at TCP port 6000 + n, if it listens to TCP at all.
    const FIRST_PORT: u16 = 6000;
    /// How long a remote server may take to answer.
    const PATIENCE: Duration = Duration::from_secs(3);

    /// What DISPLAY says: `:0`, `unix:0`, `localhost:10.0`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Address {
        /// None = this machine, by socket.
        host: Option<String>,
        number: u16,
    }

    impl Address {
        /// Reads `[host]:number[.screen]`.
        pub fn parse(display: &str) -> Option<Self> {
            let (host, rest) = display.rsplit_once(':')?;
            let number = rest.split('.').next()?.parse().ok()?;
            let local = host.is_empty() || host == "unix" || host.ends_with("/unix");
            Some(Self { host: (!local).then(|| host.to_owned()), number })
        }

        /// Whether a server accepts a connection there.
        pub fn answers(&self) -> bool {
            let Self { host, number } = self;
            match host {
                None => socket_answers(*number) || port_answers("localhost", *number),
                Some(host) => port_answers(host, *number),
            }
        }
    }

    fn socket_answers(number: u16) -> bool {
        let path = format!("/tmp/.X11-unix/X{number}");
        stays(UnixStream::connect(&path)) || abstract_socket_answers(&path)
    }

    /// Whether there is a connection; it is never closed. A server whose last client leaves
    /// resets itself (Xvfb without `-noreset`) and for a moment refuses the window that was about
    /// to open.
    fn stays<T, E>(connection: Result<T, E>) -> bool {
        connection.map(std::mem::forget).is_ok()
    }

    /// Linux servers also listen on a socket of that name that is in no folder.
    #[cfg(target_os = "linux")]
    fn abstract_socket_answers(name: &str) -> bool {
        use std::os::linux::net::SocketAddrExt;
        use std::os::unix::net::SocketAddr;
        let address = SocketAddr::from_abstract_name(name);
        address.is_ok_and(|address| stays(UnixStream::connect_addr(&address)))
    }

    #[cfg(not(target_os = "linux"))]
    fn abstract_socket_answers(_name: &str) -> bool {
        false
    }

    fn port_answers(host: &str, number: u16) -> bool {
        let Some(port) = FIRST_PORT.checked_add(number) else { return false };
        let Ok(mut addresses) = (host, port).to_socket_addrs() else { return false };
        addresses.any(|address| stays(TcpStream::connect_timeout(&address, PATIENCE)))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn display_names_are_read_as_x11_reads_them() {
            let local = |number| Some(Address { host: None, number });
            assert_eq!(Address::parse(":0"), local(0));
            assert_eq!(Address::parse(":99.0"), local(99));
            assert_eq!(Address::parse("unix:1"), local(1));
            let host = Some("localhost".to_owned());
            assert_eq!(Address::parse("localhost:10.0"), Some(Address { host, number: 10 }));
            assert_eq!(Address::parse("nonsense"), None);
            assert_eq!(Address::parse(":zero"), None);
        }

        #[test]
        fn where_no_server_is_nobody_answers() {
            assert!(!Address::parse(":59999").unwrap().answers());
        }
    }
}
