//! A checked scene as RON: ropes, nets and cloths as they were typed, settings and camera written
//! out.

use super::file::{GuardsFile, LaneFile, SceneFile, SettingsFile};
use super::located::Located;
use super::{CameraSetup, LaneSetup, Scene};
use crate::simulation::settings::Settings;
use crate::simulation::stepper::Guards;

/// What one lane is compared by, as a field of a scene file: `settings: (…)`. Stepping and guards
/// are left as the file has them.
pub fn settings_to_ron(settings: &Settings) -> String {
    let mut fields = vec![format!("integrator: {}", short(&settings.integrator))];
    let solver = settings.solver();
    if !solver.is_none() {
        fields.push(format!("constraints: {}", short(&solver)));
    } else if !settings.constraints.is_none() {
        fields.push("links: Springs".to_owned());
    }
    fields.push(format!("dt: {:?}", settings.dt));
    if settings.substeps > 1 {
        fields.push(format!("substeps: {}", settings.substeps));
    }
    format!("settings: ({})", fields.join(", "))
}

fn short(value: &impl serde::Serialize) -> String {
    super::options().to_string(value).expect("settings have nothing that RON cannot write")
}

impl Scene {
    /// The scene as RON that [`Scene::parse`] reads back to an equal scene.
    pub fn to_ron(&self) -> String {
        let pretty = ron::ser::PrettyConfig::new()
            .depth_limit(2)
            .new_line("\n")
            .extensions(super::extensions());
        super::options()
            .to_string_pretty(&*self.file, pretty)
            .expect("a scene file has no map keys or other values that RON cannot write")
    }
}

impl SceneFile {
    /// The file with the settings of every lane and the camera that follow from it.
    pub(super) fn written_out(self, lanes: &[LaneSetup], camera: CameraSetup) -> Self {
        let lane = |LaneSetup { name, settings }: &LaneSetup| {
            Located::new(LaneFile { name: name.clone(), settings: settings.into() })
        };
        Self {
            camera: Some(Located::new(camera)),
            settings: SettingsFile::default(),
            lanes: lanes.iter().map(lane).collect(),
            ..self
        }
    }
}

impl From<&Settings> for SettingsFile {
    fn from(settings: &Settings) -> Self {
        let Settings {
            integrator,
            links,
            constraints,
            contact,
            tear,
            dt,
            substeps,
            stepping,
            guards,
            longest_link,
        } = *settings;
        let Guards { frame_clamp, accumulator_cap, most_steps, time_budget } = guards;
        Self {
            integrator: Some(Located::new(integrator)),
            links: Some(Located::new(links)),
            constraints: Some(Located::new(constraints)),
            contact: Some(Located::new(contact)),
            tear: Some(Located::new(tear)),
            dt: Some(Located::new(dt)),
            substeps: Some(Located::new(substeps)),
            stepping: Some(Located::new(stepping)),
            guards: Some(GuardsFile {
                frame_clamp: Some(Located::new(frame_clamp)),
                accumulator_cap: Some(Located::new(accumulator_cap)),
                most_steps: Some(Located::new(most_steps)),
                time_budget: Some(Located::new(time_budget)),
            }),
            longest_link: Some(Located::new(longest_link)),
        }
    }
}
