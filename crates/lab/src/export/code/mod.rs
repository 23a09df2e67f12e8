//! Source code for the time step of a lane (one simulation of a scene), in about thirty lines, for
//! the user's own engine.

mod csharp;
mod frame;
mod gdscript;
mod memory;
mod motion;
mod no_plain_loop;
mod omissions;
mod plain_loop;
mod rust;
mod scene_loop;
mod templates;

pub use no_plain_loop::NoPlainLoop;
pub use plain_loop::{Language, plain_loop};
pub use scene_loop::loop_of_scene;
