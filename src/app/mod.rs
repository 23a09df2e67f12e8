//! The window: a frame loop around the laboratory.
//!
//! ```text
//! frame: measure time ─► keys, files, panels ─► Actions ─► Commands ─► Session ─► pictures ─► draw
//! ```
//!
//! A room knows those listed before it, never one after it:
//!
//! | Room | Contents |
//! |---|---|
//! | `quantity`, `timing`, `disk` | numbers with units; clock and cost of a frame; files |
//! | `theme`, `view`, `widgets` | colours; drawing by our own pipelines; parts of panels |
//! | `graph` | a graph: its axes, its picture, its export |
//! | `laboratory` | the session, what is selected, undo |
//! | `input` | keys, and what keys, buttons and menus ask for |
//! | `scene_view` | the scene on the stage: pictures of lanes, forces, trails |
//! | `answers` | why a lane exploded, and remedies |
//! | `headings` | names, settings and verdicts over the lanes |
//! | `tools`, `preferences` | hand, scissors, ruler; choices that the window remembers |
//! | `plots`, `filming`, `panel`, `bars`, `annotations`, `studies` | parts of the interface |
//! | `shell` | the frame loop and everything above |

mod annotations;
mod answers;
mod bars;
mod disk;
mod filming;
mod graph;
mod headings;
mod input;
mod laboratory;
mod panel;
mod plots;
mod preferences;
mod quantity;
mod scene_view;
mod shell;
mod studies;
mod theme;
mod timing;
mod tools;
mod view;
mod widgets;

pub use shell::{Opened, display, run};
