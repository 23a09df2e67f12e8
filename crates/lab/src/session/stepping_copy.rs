//! Copy of a session that steps on another thread while the session is drawn.

use super::lane::Lane;
use super::side_by_side::Session;

impl Session {
    /// Returns a copy that steps in place of this session. Large data that only stepping needs is
    /// moved to the copy.
    pub fn stepping_copy(&mut self) -> Self {
        let lanes = self.lanes.iter_mut().map(Lane::stepping_copy).collect();
        Self { scene: self.scene.clone(), lanes, ..*self }
    }
}

impl Lane {
    fn stepping_copy(&mut self) -> Self {
        let Self { name, first_name, color, simulation, inputs, display, step_cost, record_cost } =
            self;
        Self {
            name: name.clone(),
            first_name: first_name.clone(),
            color: *color,
            simulation: simulation.stepping_copy(),
            inputs: inputs.clone(),
            display: display.clone(),
            step_cost: step_cost.clone(),
            record_cost: *record_cost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::library;
    use std::sync::Arc;

    #[test]
    fn a_session_and_its_stepping_copy_go_on_with_the_same_bits() {
        for name in ["folded-towel", "linked-rings", "balls-in-a-net"] {
            let scene = library::find(name).expect("it is in the library").load();
            let mut session = Session::new(Arc::new(scene.expect("it is valid")));
            let step =
                |session: &mut Session| (0..10).for_each(|_| drop(session.advance(0.016, &|| 0.0)));
            step(&mut session);
            let mut copy = session.stepping_copy();
            step(&mut copy);
            step(&mut session);
            assert_eq!(copy.hashes(), session.hashes(), "{name}");
        }
    }
}
