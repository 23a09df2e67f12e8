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
    /// True if there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Returns the arguments for the integrator, and all others.
    pub fn split_off_integrator(&self) -> (Self, Self) {
        let is_integrator = |text: &&String| {
            let path = path_of(text);
            path == "integrator" || path.starts_with("integrator.")
        };
        let (integrator, others) = self.set.iter().partition::<Vec<&String>, _>(is_integrator);
        let owned = |set: Vec<&String>| Self { set: set.into_iter().cloned().collect() };
        (owned(integrator), owned(others))
    }

    /// Returns an error if an argument sets one of these paths. `why` is a clause with the reason.
    pub fn refuse(&self, paths: &[&str], why: &str) -> Result<(), Error> {
        let is_refused = |text: &&String| paths.contains(&path_of(text));
        match self.set.iter().find(is_refused) {
            Some(text) => Err(Error::Settings(format!("--set {text} has no effect: {why}"))),
            None => Ok(()),
        }
    }

    pub fn applied_to(&self, settings: Settings) -> Result<Settings, Error> {
        let fail = |text: &str, why: String| Error::Settings(format!("--set {text}: {why}"));
        self.set.iter().try_fold(settings, |settings, text| {
            let example = || "expected PATH=VALUE such as integrator.rho_inf=0.5".to_owned();
            let (path, value) = text.split_once('=').ok_or_else(|| fail(text, example()))?;
            settings_with(&settings, path.trim(), value.trim()).map_err(|why| fail(text, why))
        })
    }
}

fn path_of(text: &str) -> &str {
    text.split_once('=').map_or(text, |(path, _)| path).trim()
}
