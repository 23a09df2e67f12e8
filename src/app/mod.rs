//! The window: a frame loop around the laboratory. The laboratory runs lanes: simulations of the
//! same scene side by side, each with its own settings.
//!
//! ```text
//! frame: measure time ─► keys, files, panels ─► Actions ─► Commands ─► Session ─► pictures ─► draw
//! ```
//!
//! A module uses the modules listed before it, never a later one:
//!
//! | Module | Contents |
//! |---|---|
//! | `timing`, `disk` | clock and cost of a frame; files |
//! | `theme`, `view`, `widgets` | colours; drawing by our own pipelines; parts of panels |
//! | `charts` | charts: their axes, their drawing, their export as figures |
//! | `laboratory` | the session, selection of lanes, undo |
//! | `input` | keys; actions that keys, buttons and menus request |
//! | `scene_view` | the scene in its viewports: pictures of lanes, forces, trails |
//! | `answers` | limits of the step, causes of explosions, remedies |
//! | `headings` | names, settings and verdicts over the lanes |
//! | `tools`, `preferences` | mouse dragging, scissors, ruler; choices that the window remembers |
//! | `plots`, `filming`, `panel`, `bars`, `annotations`, `studies` | parts of the interface |
//! | `shell` | the frame loop and everything above |

mod annotations;
mod answers;
mod bars;
mod charts;
mod disk;
mod filming;
mod headings;
mod input;
mod laboratory;
mod panel;
mod plots;
mod preferences;
mod scene_view;
mod shell;
mod studies;
mod theme;
mod timing;
mod tools;
mod view;
mod widgets;

pub use shell::display::NoDisplay;
pub use shell::{Opened, run};
