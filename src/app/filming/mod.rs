//! Animations of the scene. The past of the session is replayed frame by frame, and every drawn
//! frame is recorded, however long this takes.

mod camera;
mod film_ui;
mod film_writer;
mod plan;
mod positions;

pub use camera::FilmCamera;
pub use film_ui::{film_progress_ui, film_ui};
