//! Option `--set PATH=VALUE`, which replaces any parameter of a lane's settings.

use crate::cli::error::Error;
use clap::Args;
use ropelab::scene::settings_with;
use ropelab::simulation::settings::Settings;

/// Parameters and their paths in the scene format.
#[derive(Clone, Debug, Default, Args)]
pub struct SetArguments {
    /// Any parameter of the settings by its path, with a value as in a scene file:
    /// integrator.rho_inf=0.5, constraints.tolerance=1e-9, contact.most_events=100, tear=Never,
    /// tethers=On(1.01), strain_limit=On(0.05), 'constraints.order=Jacobi(damping: 0.5)'
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

impl SetArguments {
    pub fn applied_to(&self, settings: Settings) -> Result<Settings, Error> {
        let fail = |text: &str, why: String| Error::Settings(format!("--set {text}: {why}"));
        self.set.iter().try_fold(settings, |settings, text| {
            let example = || "expected PATH=VALUE such as integrator.rho_inf=0.5".to_owned();
            let (path, value) = text.split_once('=').ok_or_else(|| fail(text, example()))?;
            settings_with(&settings, path.trim(), value.trim()).map_err(|why| fail(text, why))
        })
    }
}
