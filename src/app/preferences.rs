//! Preferences of the window, kept in a file.

use crate::app::disk::saving::save_as;
use crate::app::tools::hand_context::Tool;
use crate::app::tools::thrower::ThrowSettings;
use crate::app::view::ViewOptions;
use crate::scene::text::read::{ReadError, regular_file};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// Largest accepted size of the file in bytes. A typical file has about one thousand bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Initial width of the panel in points, also its smallest width.
pub const PANEL_WIDTH: f32 = 312.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PanelGroup {
    Scene,
    Lanes,
    Integrator,
    Links,
    Contact,
    /// Speed, displays, the microscope, and limits on frames other than the frame clamp.
    /// Preferences files of earlier versions may call this group `Guards`.
    #[serde(alias = "Guards")]
    Time,
    View,
}

/// Preferences of the window. Settings of the simulation belong to scenes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Preferences {
    /// Width and height of the window in points.
    pub size: (u32, u32),
    pub panel: bool,
    /// True if the plots of frame time, steps per frame, blend, owed and dropped time are shown.
    pub time_plots: bool,
    /// True if the plots of energy, stretch and distances between lanes are shown.
    pub energy_plots: bool,
    /// True if phase portrait and spectrum of the picked particle are shown.
    pub motion_plots: bool,
    /// True if all lanes are drawn in one viewport.
    pub overlay: bool,
    /// Factor by which texts and controls are enlarged, in addition to the scale of the display.
    pub interface_scale: f32,
    /// True for a light background.
    pub light: bool,
    /// Widths in points of the panel, the plots and the docked answers.
    pub widths: [f32; 3],
    /// Largest number of frames per second. `None` means the display's rate. This preference is not
    /// saved.
    #[serde(skip_serializing)]
    pub frame_limit: Option<f64>,
    /// Groups of the panel that the user has opened.
    pub open_groups: Vec<PanelGroup>,
    /// True if the answers are shown in place of the plots.
    pub answers_docked: bool,
    /// Tool of a left drag without modifier keys.
    pub drag: Tool,
    pub ball: ThrowSettings,
    /// True once the user has followed or closed the instructions for newcomers.
    pub welcomed: bool,
    /// True if links are coloured by strain.
    pub strain_colors: bool,
    /// Strain at the bright end of the colour map.
    pub strain_range: f64,
    pub dots: bool,
    pub links: bool,
    pub grid: bool,
    pub shadows: bool,
    pub scale_bar: bool,
    /// True if labels with name, step and verdict of the lanes are shown.
    pub chips: bool,
    /// True if readings, labels, heights and clocks of the scene are shown.
    pub readings: bool,
    /// True if contacts are shown, with the forces at contacts, pins and colliders.
    pub forces: bool,
    pub velocities: bool,
    pub net_forces: bool,
}

impl Default for Preferences {
    fn default() -> Self {
        let view = ViewOptions::default();
        Self {
            size: (1280, 800),
            panel: true,
            time_plots: false,
            energy_plots: true,
            motion_plots: false,
            overlay: false,
            interface_scale: 1.0,
            light: false,
            widths: [PANEL_WIDTH, 320.0, 480.0],
            frame_limit: None,
            open_groups: Vec::new(),
            answers_docked: false,
            drag: Tool::Spring,
            ball: ThrowSettings::default(),
            welcomed: false,
            strain_colors: view.strain_colors,
            strain_range: view.strain_range,
            dots: view.dots,
            links: view.links,
            grid: view.grid,
            shadows: view.shadows,
            scale_bar: view.scale_bar,
            chips: true,
            readings: true,
            forces: false,
            velocities: false,
            net_forces: false,
        }
    }
}

impl Preferences {
    /// Reads the preferences file. Without a file, returns the defaults. A damaged file is renamed,
    /// and the second value is a message about the damage.
    pub fn load() -> (Self, Option<String>) {
        match file() {
            Some(file) => Self::load_from(&file),
            None => (Self::default(), None),
        }
    }

    pub(super) fn load_from(file: &Path) -> (Self, Option<String>) {
        let bytes = match regular_file(file, MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(ReadError::Missing) => return (Self::default(), None),
            Err(e) => return set_aside(file, &e.to_string()),
        };
        match ron::de::from_bytes::<Self>(&bytes) {
            Ok(preferences) => (preferences.limited(), None),
            Err(e) => set_aside(file, &e.to_string()),
        }
    }

    /// Limits the values to their ranges, because the user may have edited the file.
    fn limited(mut self) -> Self {
        let or = |x: f64, default: f64| if x.is_finite() { x } else { default };
        self.size = (self.size.0.clamp(320, 16384), self.size.1.clamp(240, 16384));
        self.interface_scale = or(self.interface_scale.into(), 1.0).clamp(0.5, 3.0) as f32;
        let usual = Self::default().widths;
        for (width, usual) in self.widths.iter_mut().zip(usual) {
            *width = or(f64::from(*width), f64::from(usual)).clamp(100.0, 2000.0) as f32;
        }
        self.strain_range = or(self.strain_range, 0.05).clamp(1e-4, 10.0);
        self.ball = self.ball.limited();
        self.frame_limit = None;
        self
    }

    /// Replaces the preferences file as a whole. If writing fails, the old file stays.
    pub fn save(&self) -> io::Result<()> {
        let Some(file) = file() else { return Ok(()) };
        self.save_to(&file)
    }

    pub(super) fn save_to(&self, file: &Path) -> io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let text = ron::ser::to_string_pretty(self, ron::ser::PrettyConfig::default())
            .map_err(io::Error::other)?;
        save_as(file, text.as_bytes())
    }

    /// Returns the preferences for the renderer.
    pub fn view_options(&self) -> ViewOptions {
        let Self { strain_colors, strain_range, dots, links, grid, shadows, scale_bar, .. } = *self;
        ViewOptions {
            strain_colors,
            strain_range,
            dots,
            links,
            grid,
            shadows,
            scale_bar,
            ..ViewOptions::default()
        }
    }
}

/// Returns the path of `window.ron`: in `ROPELAB_CONFIG_DIR` if set, otherwise in the platform's
/// configuration folder. Returns `None` if neither is known.
fn file() -> Option<PathBuf> {
    let folder = match std::env::var_os("ROPELAB_CONFIG_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => directories::ProjectDirs::from("", "", "ropelab")?.config_dir().to_owned(),
    };
    Some(folder.join("window.ron"))
}

fn set_aside(file: &Path, why: &str) -> (Preferences, Option<String>) {
    let aside = (1..1000)
        .map(|n| file.with_extension(format!("damaged-{n}.ron")))
        .find(|path| !path.exists())
        .unwrap_or_else(|| file.with_extension("damaged.ron"));
    let consequence = match std::fs::rename(file, &aside) {
        Ok(()) => format!("It was renamed to {}; the defaults are in use.", aside.display()),
        Err(e) => format!("The defaults are in use. It could not be renamed: {e}."),
    };
    let preferences_error = format!(
        "The window's preferences in {} could not be read: {why}. {consequence}",
        file.display()
    );
    (Preferences::default(), Some(preferences_error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_survive_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/window.ron");
        let open_groups = vec![PanelGroup::Time];
        let looks = Preferences { light: true, interface_scale: 2.0, ..Default::default() };
        let widths = [333.0, 444.0, 555.0];
        let mine = Preferences { size: (900, 700), open_groups, widths, ..looks };
        let slow = Preferences { frame_limit: Some(30.0), ..mine.clone() };
        slow.save_to(&file).unwrap();
        assert_eq!(Preferences::load_from(&file), (mine, None), "and no display is slow");
    }

    #[test]
    fn the_group_that_guards_had_opens_the_one_in_which_they_stand() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("window.ron");
        std::fs::write(&file, "(open_groups: [Guards, View])").unwrap();
        let open_groups = vec![PanelGroup::Time, PanelGroup::View];
        let expected = Preferences { open_groups, ..Preferences::default() };
        assert_eq!(Preferences::load_from(&file), (expected, None));
    }

    #[test]
    fn a_damaged_file_is_renamed_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("window.ron");
        for round in 1..=2 {
            std::fs::write(&file, b"(size: (900, \xff").unwrap();
            let (preferences, preferences_error) = Preferences::load_from(&file);
            assert_eq!(preferences, Preferences::default());
            assert!(preferences_error.unwrap().contains("renamed"));
            assert!(!file.exists());
            assert!(folder.path().join(format!("window.damaged-{round}.ron")).exists());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_its_place_does_not_hold_up_the_window() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("window.ron");
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        let (preferences, preferences_error) = Preferences::load_from(&file);
        assert_eq!(preferences, Preferences::default());
        assert!(preferences_error.unwrap().contains("not a regular file"));
    }

    #[test]
    fn no_file_is_no_complaint() {
        let folder = tempfile::tempdir().unwrap();
        let (_, preferences_error) = Preferences::load_from(&folder.path().join("window.ron"));
        assert_eq!(preferences_error, None);
    }

    #[test]
    fn absurd_numbers_are_brought_into_range() {
        let mad = Preferences {
            interface_scale: f32::NAN,
            strain_range: -3.0,
            frame_limit: Some(f64::INFINITY),
            size: (0, 9_999_999),
            ..Default::default()
        };
        let sane = mad.limited();
        assert_eq!(sane.interface_scale, 1.0);
        assert_eq!(sane.strain_range, 1e-4);
        assert_eq!(sane.frame_limit, None);
        assert_eq!(sane.size, (320, 16384));
    }
}
