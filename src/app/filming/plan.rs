//! Settings of an animation or of a file of positions.

use strum::EnumIter;

/// Format of the file for an animation or for positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumIter)]
pub enum FilmFormat {
    /// Animated GIF.
    #[default]
    Gif,
    /// Animated PNG.
    Apng,
    /// Folder with one PNG file per frame.
    Pictures,
    /// Positions of the selected lane as a CSV table.
    Csv,
    /// Positions as a NumPy array.
    Npy,
    /// Positions as a point cache of a moving mesh, for Blender.
    Pc2,
}

impl FilmFormat {
    /// Returns the file extension for positions; `None` for an animation.
    pub fn positions(self) -> Option<&'static str> {
        match self {
            Self::Gif | Self::Apng | Self::Pictures => None,
            Self::Csv => Some("csv"),
            Self::Npy => Some("npy"),
            Self::Pc2 => Some("pc2"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmPlan {
    pub format: FilmFormat,
    /// Length in seconds of session time. The interval ends at the shown moment.
    pub seconds: f64,
    pub rate: u32,
    /// Largest width in pixels.
    pub width: u32,
    /// Session time divided by playing time.
    pub speed: f64,
}

impl Default for FilmPlan {
    fn default() -> Self {
        Self { format: FilmFormat::default(), seconds: 10.0, rate: 25, width: 640, speed: 1.0 }
    }
}
