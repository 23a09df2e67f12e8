//! Layers of a scene: groups of bodies that may pass through each other.

use super::bodies::CheckedBodies;
use crate::error::unknown_name;
use crate::typed::located::{Fault, Located};
use ropelab_core::contact::Layer;

impl CheckedBodies {
    /// Returns the layer with this name, and creates it if it is new. If there is no name, returns
    /// the default layer.
    pub(super) fn layer(&mut self, name: &Option<Located<String>>) -> Result<Layer, Fault> {
        let Some(name) = name else { return Ok(Layer::default()) };
        let known = self.layer_names.iter().position(|known| *known == **name);
        let number = known.unwrap_or(self.layer_names.len());
        if number == Layer::MOST {
            let most = Layer::MOST;
            return Err(name.fault(format!("this is layer {}, expected at most {most}", most + 1)));
        }
        if known.is_none() {
            self.layer_names.push(name.to_string());
        }
        Ok(Layer::named(number))
    }

    pub(super) fn put_in_layer(
        &mut self,
        first: usize,
        name: &Option<Located<String>>,
    ) -> Result<(), Fault> {
        let layer = self.layer(name)?;
        self.layers.resize(first, Layer::default());
        self.layers.resize(self.mesh.positions.len(), layer);
        Ok(())
    }

    pub(super) fn layer_of(&self, particle: u32) -> Layer {
        self.layers.get(particle as usize).copied().unwrap_or_default()
    }

    /// Turns off contact between the two layers of each pair.
    pub(super) fn let_pass(
        &mut self,
        pairs: &[(Located<String>, Located<String>)],
    ) -> Result<(), Fault> {
        for (a, b) in pairs {
            let [a, b] = [self.known_layer(a)?, self.known_layer(b)?];
            self.contact.layers.let_pass(a, b);
        }
        Ok(())
    }

    fn known_layer(&self, name: &Located<String>) -> Result<Layer, Fault> {
        let names = || self.layer_names.iter().map(String::as_str);
        let number = names().position(|known| known == **name);
        number.map(Layer::named).ok_or_else(|| name.fault(unknown_name("layer", name, names())))
    }
}
