//! Arguments that select a lane of a scene and replace settings of the lane.

use super::set::SetArguments;
use crate::cli::error::Error;
use crate::cli::named;
use clap::{Args, ValueEnum};
use ropelab::constraint::ConstraintSolver;
use ropelab::contact::ContactMethod;
use ropelab::integrate::Method;
use ropelab::quantity::argument;
use ropelab::scene::{LaneSetup, Scene};
use ropelab::simulation::settings::{LinkMode, Settings};
use ropelab::simulation::timing::stepper::Stepping;
use std::mem::discriminant;

/// Role of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LinkChoice {
    /// Every link is a spring
    Springs,
    /// The constraint solver constrains the links that it supports
    Constraints,
}

/// Arguments for the solver of links, and for the numbers of sweeps and substeps.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct SolverArguments {
    /// Springs or constraints as links [default: constraints if --constraints names a solver]
    #[arg(long, value_enum)]
    pub links: Option<LinkChoice>,
    /// Constraint solver (`ropelab list constraints`)
    #[arg(long, value_name = "NAME", value_parser = named::solver(), hide_possible_values = true)]
    pub constraints: Option<ConstraintSolver>,
    /// Sweeps of the constraint solver
    #[arg(long, value_name = "N", value_parser = argument::parse_count)]
    pub iterations: Option<u32>,
    /// Number of equal substeps in a step
    #[arg(long, value_name = "N", value_parser = argument::parse_count)]
    pub substeps: Option<u32>,
}

/// Arguments that replace settings of a lane besides integrator and step.
#[derive(Clone, Debug, Default, Args)]
pub struct SharedArguments {
    #[command(flatten)]
    pub solver: SolverArguments,
    /// Contact method (`ropelab list contacts`)
    #[arg(long, value_name = "NAME", value_parser = named::contact(), hide_possible_values = true)]
    pub contact: Option<ContactMethod>,
    #[command(flatten)]
    pub set: SetArguments,
}

impl SharedArguments {
    /// Returns the settings of a lane in which these arguments and `dt` (in seconds) have replaced
    /// the lane's values. Also returns the integrators in `listed`, which may be empty. If one of
    /// them is the lane's integrator, it keeps the lane's parameters. `--set integrator.…` sets
    /// parameters of all listed integrators or, without a list, of the lane's integrator.
    pub fn applied_with_list(
        &self,
        settings: Settings,
        listed: &[Method],
        dt: Option<f64>,
    ) -> Result<(Settings, Vec<Method>), Error> {
        let (parameters, set) = self.set.split_off_integrator();
        let shared = Self { solver: self.solver, contact: self.contact, set };
        let arguments = SettingsArguments { shared, dt, ..SettingsArguments::default() };
        let settings = arguments.applied_to(settings)?;
        if listed.is_empty() {
            return Ok((parameters.applied_to(settings)?, Vec::new()));
        }
        parameters.refuse(&["integrator"], "--integrator names the integrators")?;
        let methods = with_own_parameters(listed.iter().copied(), settings.integrator);
        let with_parameters = |integrator| -> Result<Method, Error> {
            Ok(parameters.applied_to(Settings { integrator, ..settings })?.integrator)
        };
        let methods = methods.into_iter().map(with_parameters).collect::<Result<_, _>>()?;
        Ok((settings, methods))
    }
}

/// Arguments that replace settings of a lane.
#[derive(Clone, Debug, Default, Args)]
pub struct SettingsArguments {
    /// Integrator (`ropelab list integrators`)
    #[arg(long, value_name = "NAME", value_parser = named::integrator())]
    #[arg(hide_possible_values = true)]
    pub integrator: Option<Method>,
    #[command(flatten)]
    pub shared: SharedArguments,
    /// Time step: seconds, or as 1ms, 1/240, 240hz
    #[arg(long, value_name = "TIME", value_parser = argument::parse_step)]
    #[arg(allow_hyphen_values = true)]
    pub dt: Option<f64>,
    /// Stepping scheme (`ropelab list stepping`); has an effect only with frames
    #[arg(long, value_name = "NAME", value_parser = named::stepping(), hide_possible_values = true)]
    pub stepping: Option<Stepping>,
}

impl SettingsArguments {
    /// Returns the settings of a lane with the values of these arguments, checked.
    pub fn applied_to(&self, mut settings: Settings) -> Result<Settings, Error> {
        let Self { integrator, shared, dt, stepping } = self;
        let SharedArguments { solver, contact, set } = shared;
        let SolverArguments { links, constraints, iterations, substeps } = *solver;
        settings.integrator = named_or_own(*integrator, settings.integrator);
        settings.contact = named_or_own(*contact, settings.contact);
        settings.dt = dt.unwrap_or(settings.dt);
        settings.substeps = substeps.unwrap_or(settings.substeps);
        settings.stepping = named_or_own(*stepping, settings.stepping);
        if let Some(solver) = constraints {
            settings.constraints = named_or_own(Some(solver), settings.constraints);
            settings.links =
                if solver.is_none() { LinkMode::Springs } else { LinkMode::Constraints };
        }
        match links {
            Some(LinkChoice::Springs) => settings.links = LinkMode::Springs,
            Some(LinkChoice::Constraints) if settings.constraints.is_none() => {
                return Err(Error::Settings(
                    "--links constraints needs a solver; name one with --constraints \
                     (`ropelab list constraints`)"
                        .into(),
                ));
            }
            Some(LinkChoice::Constraints) => settings.links = LinkMode::Constraints,
            None => {}
        }
        if let Some(iterations) = iterations {
            if settings.solver().is_none() {
                let why = "--iterations needs a constraint solver; name one with --constraints";
                return Err(Error::Settings(why.to_owned()));
            }
            settings.constraints.set_iterations(iterations);
        }
        settings.check().map_err(Error::Settings)?;
        self.refuse_set_of_named()?;
        set.applied_to(settings)
    }

    /// Returns an error if `--set` replaces a setting that another option names.
    fn refuse_set_of_named(&self) -> Result<(), Error> {
        let Self { integrator, shared, dt, stepping } = self;
        let SharedArguments { solver, contact, set } = shared;
        let SolverArguments { links, constraints, iterations, substeps } = solver;
        let named: [(bool, &[&str], &str); 8] = [
            (integrator.is_some(), &["integrator"], "--integrator"),
            (dt.is_some(), &["dt"], "--dt"),
            (stepping.is_some(), &["stepping"], "--stepping"),
            (contact.is_some(), &["contact"], "--contact"),
            (links.is_some(), &["links"], "--links"),
            (constraints.is_some(), &["constraints", "links"], "--constraints"),
            (iterations.is_some(), &["constraints", "constraints.iterations"], "--iterations"),
            (substeps.is_some(), &["substeps"], "--substeps"),
        ];
        let mut given = named.iter().filter(|(is_given, ..)| *is_given);
        given.try_for_each(|(_, paths, option)| {
            set.refuse(paths, &format!("{option} decides this setting"))
        })
    }
}

/// Returns integrators with their default parameters. An integrator with the same name as `own`
/// keeps the parameters of `own`.
pub fn with_own_parameters(named: impl IntoIterator<Item = Method>, own: Method) -> Vec<Method> {
    named.into_iter().map(|named| named_or_own(Some(named), own)).collect()
}

/// Returns the named choice with its default parameters. Returns `own`, with the lane's parameters,
/// if nothing was named or if the name is the same.
fn named_or_own<T>(named: Option<T>, own: T) -> T {
    named.filter(|named| discriminant(named) != discriminant(&own)).unwrap_or(own)
}

/// Returns the lane with this name or number, counted from 1. Without a name, returns the first
/// lane.
pub fn find_lane<'a>(
    scene: &'a Scene,
    name_or_number: Option<&str>,
) -> Result<&'a LaneSetup, Error> {
    let names = scene.lanes.iter().map(|lane| lane.name.as_str());
    Ok(&scene.lanes[find_lane_index(names, name_or_number)?])
}

/// Returns the index of the lane with this name, or with this number from 1, in a list of lane
/// names. Without a name, returns 0.
pub fn find_lane_index<'a>(
    names: impl Iterator<Item = &'a str>,
    name_or_number: Option<&str>,
) -> Result<usize, Error> {
    let Some(name_or_number) = name_or_number else { return Ok(0) };
    let names: Vec<&str> = names.collect();
    let exactly = names.iter().position(|name| *name == name_or_number);
    let by_letters =
        || names.iter().position(|name| ropelab::names::same_name(name, name_or_number));
    let number = || name_or_number.parse::<usize>().ok()?.checked_sub(1);
    let by_name = exactly.or_else(by_letters);
    by_name.or_else(|| number().filter(|place| *place < names.len())).ok_or_else(|| Error::Lane {
        wanted: name_or_number.to_owned(),
        lanes: names.iter().map(|name| (*name).to_owned()).collect(),
    })
}
