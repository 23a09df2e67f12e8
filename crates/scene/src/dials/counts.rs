//! Smallest number of segments or cells with which a scene is valid.

use super::Dial;
use crate::vary::VariableScene;

impl Dial {
    /// Returns the smallest number of segments or cells with which a scene from
    /// [`VariableScene::spelled_out`] is valid: pins, masses and ties may name particles that a
    /// shorter rope lacks. Other dials return the lower end of their range.
    pub fn least_possible(&self, now: &VariableScene) -> f64 {
        let is_valid = |value: f64| now.changed(&self.turned_to(value)).is_ok();
        if !self.kind.is_whole() {
            return self.range[0];
        }
        let [mut invalid, mut valid] = [0.0, self.value(now).round().max(1.0)];
        while valid - invalid > 1.0 {
            let middle = (0.5 * (invalid + valid)).floor();
            *(if is_valid(middle) { &mut valid } else { &mut invalid }) = middle;
        }
        valid
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DialKind, dials_of};
    use super::*;
    use crate::Scene;

    fn segments(scene: &Scene) -> Dial {
        let dials = dials_of(scene).into_iter().flat_map(|group| group.dials);
        dials.into_iter().find(|dial| dial.kind == DialKind::Segments).expect("segments")
    }

    #[test]
    fn a_rope_keeps_the_node_that_a_pin_names() {
        let scene = |pin: &str| {
            let text = format!(
                "(version: 1, name: \"x\", ropes: [(name: \"r\", from: (0, 0, 0), to: (1, 0, 0), \
                 segments: 20)], pins: [(of: {pin})])"
            );
            Scene::parse(&text, "x").unwrap_or_else(|e| panic!("{e}"))
        };
        let least = |pin: &str| {
            let scene = scene(pin);
            segments(&scene).least_possible(&VariableScene::spelled_out(&scene))
        };
        assert_eq!(least("End(\"r\")"), 1.0);
        assert_eq!(least("Node(\"r\", 7)"), 7.0);
        assert_eq!(least("Node(\"r\", 20)"), 20.0);
    }
}
