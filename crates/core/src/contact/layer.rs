//! Layers: rules of which bodies pass through each other.

/// Number of a set of bodies with the same contact rules. Bodies for which the scene names no layer
/// are in layer 0, which touches everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layer(u8);

impl Layer {
    /// Upper limit of the number of layers that a scene may name: a mask of 64 bits holds them and
    /// layer 0.
    pub const MOST: usize = 63;

    /// Returns the layer that a scene names after `before` other layers.
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
    /// Bit masks, one per layer: bit `b` of entry `a` is set if layers `a` and `b` pass through
    /// each other. Layers beyond the last entry pass through nothing.
    passes: Vec<u64>,
}

impl Layers {
    /// Lets bodies of two layers pass through each other. If `a` and `b` are the same layer, the
    /// bodies of this layer pass through each other.
    pub fn let_pass(&mut self, a: Layer, b: Layer) {
        for (Layer(one), Layer(other)) in [(a, b), (b, a)] {
            let end = self.passes.len().max(usize::from(one) + 1);
            self.passes.resize(end, 0);
            self.passes[usize::from(one)] |= 1 << other;
        }
    }

    /// True if bodies of two layers touch.
    pub fn may_touch(&self, a: Layer, b: Layer) -> bool {
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
                assert_eq!(layers.may_touch(one, other), layers.may_touch(other, one));
                !layers.may_touch(one, other)
            })
        });
        assert_eq!(pass[0], [false; 4]);
        assert_eq!(pass[1], [false, false, false, true]);
        assert_eq!(pass[2], [false, false, true, false]);
        assert_eq!(pass[3], [false, true, false, false]);
    }
}
