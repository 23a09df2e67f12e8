//! Scene of a map. Each cell changes the two quantities of the axes in this scene.

use super::axis::Quantity;
use crate::mesh::Mesh;
use crate::model::Parts;
use crate::scene::vary::{VariableScene, VaryError};
use crate::simulation::settings::Settings;
use std::sync::Arc;
use thiserror::Error;

/// Scene of a map, with the settings of one of its lanes (simulations of the scene).
#[derive(Clone, Debug)]
pub struct MappedScene {
    /// Parts of the scene.
    pub parts: Arc<Parts>,
    /// Settings of every cell, except for those that the axes vary.
    pub settings: Settings,
    /// Scene with the values of its file; `None` if unknown. Needed if an axis varies segments or a
    /// path.
    pub file: Option<VariableScene>,
    /// Index of the lane in the scene.
    pub lane: usize,
}

/// Reason why a cell cannot be set up.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MappedSceneError {
    /// The scene is invalid with the value that the cell sets.
    #[error(transparent)]
    Vary(#[from] VaryError),
    /// The settings are invalid with the value that the cell sets.
    #[error("{0}")]
    Settings(String),
    /// The quantity does not exist in the scene.
    #[error("axis {quantity}: {problem}")]
    Nothing {
        /// Name of the axis's quantity.
        quantity: String,
        /// Reason why the quantity does not apply.
        problem: String,
    },
}

impl MappedScene {
    /// Returns the scene and the settings with these quantities set: first values of the scene
    /// file, then links and masses, then settings.
    pub fn with(
        &self,
        values: &[(&Quantity, f64)],
    ) -> Result<(Arc<Parts>, Settings), MappedSceneError> {
        let mut parts = self.parts.clone();
        let mut settings = self.settings;
        let in_file = values.iter().filter(|(quantity, _)| self.is_in_file(quantity));
        let mut file = None;
        for (quantity, value) in in_file {
            if file.is_some() {
                return Err(inapplicable(
                    quantity,
                    "only one axis can be a value of the scene file",
                ));
            }
            let scene = self.file.as_ref().ok_or_else(|| {
                inapplicable(quantity, "it needs the scene file, which is not available")
            })?;
            let paths = match quantity {
                Quantity::Path(path) => vec![path.clone()],
                _ => scene.segments(),
            };
            if paths.is_empty() {
                return Err(inapplicable(quantity, "the scene has no rope"));
            }
            let varied = scene.with(&paths, *value)?;
            if let (Quantity::Path(path), Some(lane)) = (quantity, varied.lanes.get(self.lane))
                && path.contains("settings")
            {
                settings = Settings { integrator: settings.integrator, ..lane.settings };
            }
            parts = varied.parts.clone();
            file = Some(varied);
        }
        for (quantity, value) in values {
            match quantity {
                Quantity::Dt => settings.dt = *value,
                Quantity::Substeps => settings.substeps = *value as u32,
                Quantity::Iterations if settings.solver().is_none() => {
                    return Err(inapplicable(quantity, "no constraint solver is in force"));
                }
                Quantity::Iterations => settings.constraints.set_iterations(*value as u32),
                Quantity::Stiffness | Quantity::Damping | Quantity::MassRatio => {
                    set_in_parts(quantity, *value, Arc::make_mut(&mut parts))?;
                }
                Quantity::Segments | Quantity::Path(_) => {}
            }
        }
        settings.check().map_err(MappedSceneError::Settings)?;
        Ok((parts, settings))
    }

    fn is_in_file(&self, quantity: &Quantity) -> bool {
        matches!(quantity, Quantity::Segments | Quantity::Path(_))
    }
}

fn inapplicable(quantity: &Quantity, problem: &str) -> MappedSceneError {
    MappedSceneError::Nothing { quantity: quantity.to_string(), problem: problem.to_owned() }
}

fn set_in_parts(
    quantity: &Quantity,
    value: f64,
    parts: &mut Parts,
) -> Result<(), MappedSceneError> {
    let Parts { mesh: Mesh { links, masses, .. }, pins, .. } = parts;
    match quantity {
        Quantity::MassRatio => {
            let free = |i: &usize| pins.iter().all(|pin| pin.particle as usize != *i);
            let free: Vec<usize> = (0..masses.len()).filter(free).collect();
            let heaviest = free.iter().map(|&i| masses[i]).fold(0.0, f64::max);
            let heavy: Vec<usize> =
                free.iter().copied().filter(|&i| masses[i] == heaviest).collect();
            let chosen = match heavy[..] {
                [only] => only,
                _ => *free.last().ok_or_else(|| inapplicable(quantity, "no particle is free"))?,
            };
            let others = free.iter().filter(|&&i| i != chosen).map(|&i| masses[i]);
            let lightest = others.fold(f64::INFINITY, f64::min);
            if lightest == f64::INFINITY {
                return Err(inapplicable(quantity, "there is only one free particle"));
            }
            masses[chosen] = value * lightest;
        }
        _ => {
            let of = |link: &crate::mesh::Link| match quantity {
                Quantity::Stiffness => link.stiffness,
                _ => link.damping,
            };
            let greatest = links.iter().map(|link| of(&link)).fold(0.0, f64::max);
            if links.is_empty() {
                return Err(inapplicable(quantity, "the scene has no links"));
            }
            let changed = links.iter().map(|mut link| {
                let wanted = if greatest > 0.0 { value * (of(&link) / greatest) } else { value };
                match quantity {
                    Quantity::Stiffness => link.stiffness = wanted,
                    _ => link.damping = wanted,
                }
                link
            });
            *links = changed.collect();
        }
    }
    Ok(())
}
