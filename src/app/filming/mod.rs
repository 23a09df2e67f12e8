//! Animations of the scene. The session is replayed and recorded frame by frame, so neither slow
//! steps nor a slow encoder affect the animation.

mod camera;
mod film_ui;
mod film_writer;
mod plan;
mod positions;

pub use camera::FilmCamera;
pub use film_ui::{film_progress_ui, film_ui};
