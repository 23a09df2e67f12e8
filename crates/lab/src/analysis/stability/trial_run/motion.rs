//! Criteria for the motion of a lane (one simulation of the scene), which decide on its further
//! runs.

use crate::force::Force;
use crate::numerics::state::State;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;

/// Class of a lane's motion, which decides on its further runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Motion {
    /// No particle has moved far.
    Near,
    /// A particle has moved far, but links turn slowly.
    Slow,
    /// A particle has moved far, and the vibrations may change, because a link has turned fast, or
    /// because of contact, an attractor or the absence of links.
    Fast,
}

/// True if a lane whose fastest vibration is weakly damped is chaotic, because links go slack or
/// balls collide. Such a lane gains energy suddenly, at an unpredictable time.
pub(super) fn is_erratic(simulation: &Simulation) -> bool {
    goes_slack(simulation) || !simulation.model().geometry().balls.is_empty()
}

pub(super) fn goes_slack(simulation: &Simulation) -> bool {
    simulation.parts().mesh.links.iter().any(|link| link.one_sided)
}

/// True if the lane's motion may change its vibrations: a link turns faster than `rate` rad/s,
/// there is contact or an attractor, or there are no links.
pub(super) fn changes_vibrations(lane: &Simulation, rate: f64) -> bool {
    let links = lane.model().topology().links();
    let is_linked = !links.is_empty() && lane.model().geometry().is_empty();
    if !is_linked || attracts(lane) {
        return true;
    }
    let State { x, v, .. } = lane.state();
    links.iter().any(|link| {
        let [a, b] = [link.a, link.b].map(|i| i as usize);
        let (along, relative) = (x[b] - x[a], v[b] - v[a]);
        // |along × relative| = Ω l², so no division by a length is needed.
        along.cross(relative).length() > rate * along.length_squared()
    })
}

/// True if a pin moves periodically. Vibrations may resonate with such a motion.
pub(super) fn is_driven(lane: &Simulation) -> bool {
    lane.model().pins().iter().any(|pin| match pin.path {
        Trajectory::Swing { .. } => true,
        Trajectory::Waypoints { repeat, .. } => repeat,
        Trajectory::Still => false,
    })
}

pub(super) fn attracts(lane: &Simulation) -> bool {
    lane.parts().forces.iter().any(|applied| matches!(applied.law, Force::Attractor(_)))
}
