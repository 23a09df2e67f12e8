//! Layers: sets of bodies, with rules for which bodies pass through each other.

/// Index of a set of bodies with the same contact rules. Bodies without a layer in the scene are in
/// layer 0, which collides with every layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layer(u8);

impl Layer {
    /// Largest number of layers that a scene may name. A mask of 64 bits has room for them and
    /// layer 0.
    pub const MOST: usize = 63;

    /// Returns the layer that follows `before` other named layers.
    ///
    /// # Panics
    /// If `before` is at least [`Layer::MOST`].
    pub fn named(before: usize) -> Self {
        assert!(before < Self::MOST, "{before} layers before this one");
        Self(before as u8 + 1)
    }
}

/// Pairs of layers that pass through each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// Bit mask of each layer: bit `b` of entry `a` is set if the layers `a` and `b` pass through
    /// each other. Layers after the last entry collide with every layer.
    passes: Vec<u64>,
}

impl Layers {
    /// Lets the bodies of two layers pass through each other. If `a` = `b`, the bodies of this
    /// layer pass through one another.
    pub fn let_pass(&mut self, a: Layer, b: Layer) {
        for (Layer(one), Layer(other)) in [(a, b), (b, a)] {
            let end = self.passes.len().max(usize::from(one) + 1);
            self.passes.resize(end, 0);
            self.passes[usize::from(one)] |= 1 << other;
        }
    }

    pub(crate) fn may_collide(&self, a: Layer, b: Layer) -> bool {
        self.passes.get(usize::from(a.0)).is_none_or(|passes| passes >> b.0 & 1 == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_passes_both_ways_and_nothing_else_does() {
        let mut layers = Layers::default();
        let [none, a, b, last] =
            [Layer::default(), Layer::named(0), Layer::named(1), Layer::named(Layer::MOST - 1)];
        layers.let_pass(a, last);
        layers.let_pass(b, b);
        let pass = [none, a, b, last].map(|one| {
            [none, a, b, last].map(|other| {
                assert_eq!(layers.may_collide(one, other), layers.may_collide(other, one));
                !layers.may_collide(one, other)
            })
        });
        assert_eq!(pass[0], [false; 4]);
        assert_eq!(pass[1], [false, false, false, true]);
        assert_eq!(pass[2], [false, false, true, false]);
        assert_eq!(pass[3], [false, true, false, false]);
    }
}
