//! Motions with a closed form: free fall, and a particle on a spring that moves along the line of
//! the spring.

use crate::contact::ContactMethod;
use crate::force::{Force, Gravity, LinearDrag};
use crate::mesh::Link;
use crate::model::Parts;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::settings::Settings;
use glam::DVec3;

/// Exact motion of every particle of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactMotions {
    motions: Vec<ExactMotion>,
}

/// Exact motion of one particle, given its state at the start of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ExactMotion {
    /// Pinned particle that stays at `x`.
    Rest { x: DVec3 },
    /// Fall from `x` with velocity `v` under x″ = g − c x′, with the drag coefficient c.
    Fall { x: DVec3, v: DVec3, g: DVec3, drag: f64 },
    /// Damped oscillation with the angular frequency ω in rad/s and the damping rate γ in 1/s: x″ =
    /// −ω²(x − centre) − 2γ x′ with γ < ω (underdamped), along the line through `centre`.
    Swing { centre: DVec3, x: DVec3, v: DVec3, omega: f64, gamma: f64 },
}

impl ExactMotions {
    /// Returns the exact motion of a scene, or `None` if the scene has no closed form. A scene has
    /// a closed form under these conditions: contact is impossible, pins do not move, the only
    /// forces are gravity and linear drag, and every free particle has either no link or one spring
    /// to a pin. Position, velocity and gravity lie along that spring, the spring never reaches
    /// length 0, and it can neither tear nor meet a tether or a strain limit.
    pub fn of(parts: &Parts, settings: &Settings) -> Option<Self> {
        if settings.contact != ContactMethod::Off && !parts.contact.is_empty() {
            return None;
        }
        if !parts.mesh.bends.is_empty() {
            return None;
        }
        let solver = settings.solver();
        let is_limited = settings.tear.acts_on(parts) || !settings.limits().is_empty();
        let topology = parts.topology();
        let links = || topology.links().iter().filter(|link| !link.is_cut());
        let is_still = |i: usize| {
            let mut pins = parts.pins.iter().filter(|pin| pin.particle as usize == i);
            pins.next().map(|pin| pin.path == Trajectory::Still)
        };
        let motion = |i: usize| {
            let x = parts.mesh.positions[i];
            if let Some(still) = is_still(i) {
                return still.then_some(ExactMotion::Rest { x });
            }
            let (g, drag) = uniform_forces(parts, i)?;
            let v = parts.velocity(i);
            let mut links = links().filter(|link| [link.a, link.b].contains(&(i as u32)));
            let Some(link) = links.next() else {
                return Some(ExactMotion::Fall { x, v, g, drag });
            };
            let other = if link.a as usize == i { link.b } else { link.a } as usize;
            let alone = links.next().is_none() && is_still(other) == Some(true);
            if !alone || solver.constrains(&link) || link.one_sided || is_limited {
                return None;
            }
            let link = link.damped(settings.stiffness_damping);
            swing(&link, parts.mesh.masses[i], parts.mesh.positions[other], [x, v, g], drag)
        };
        let motions = (0..parts.mesh.positions.len()).map(motion);
        Some(Self { motions: motions.collect::<Option<_>>()? })
    }

    /// Returns the positions of all particles in metres, `t` seconds after the start of the run.
    pub fn positions(&self, t: f64) -> Vec<DVec3> {
        self.motions.iter().map(|motion| motion.at(t)).collect()
    }
}

/// Returns the sums of gravity (m/s²) and of linear drag (1/s) that act on a particle; `None` if
/// another force acts on the particle.
fn uniform_forces(parts: &Parts, particle: usize) -> Option<(DVec3, f64)> {
    let (mut sum, mut drag) = (DVec3::ZERO, 0.0);
    for force in &parts.forces {
        if !force.targets.contains(&(particle as u32)) {
            continue;
        }
        match force.law {
            Force::Gravity(Gravity { g }) => sum += g,
            Force::LinearDrag(LinearDrag { coefficient }) => drag += coefficient,
            _ => return None,
        }
    }
    Some((sum, drag))
}

fn swing(link: &Link, m: f64, pin: DVec3, [x, v, g]: [DVec3; 3], drag: f64) -> Option<ExactMotion> {
    let along = (x - pin).try_normalize()?;
    let is_along = |u: DVec3| u.cross(along).length() <= 1e-15 * u.length();
    let omega = (link.stiffness / m).sqrt();
    let gamma = 0.5 * (link.damping / m + drag);
    let length = link.rest + g.dot(along) / (omega * omega);
    // Upper limit of the particle's distance from the centre in metres, by conservation of energy.
    // Damping only lowers this distance.
    let from_centre = (x - pin).dot(along) - length;
    let reach = from_centre.hypot(v.dot(along) / omega);
    let known = is_along(v) && is_along(g) && gamma < omega && reach < length;
    known.then(|| ExactMotion::Swing { centre: pin + length * along, x, v, omega, gamma })
}

impl ExactMotion {
    fn at(&self, t: f64) -> DVec3 {
        match *self {
            Self::Rest { x } => x,
            Self::Fall { x, v, g, drag: 0.0 } => x + v * t + 0.5 * t * t * g,
            Self::Fall { x, v, g, drag } => {
                let fade = -(-drag * t).exp_m1() / drag;
                x + fade * v + t * t * fall_factor(drag * t) * g
            }
            Self::Swing { centre, x, v, omega, gamma } => {
                let damped = ((omega - gamma) * (omega + gamma)).sqrt();
                let (sin, cos) = (damped * t).sin_cos();
                let x = x - centre;
                centre + (-gamma * t).exp() * (x * cos + (v + gamma * x) / damped * sin)
            }
        }
    }
}

/// Returns the factor (s − 1 + e^(−s))/s² with s = c t: a particle with drag c that starts at rest
/// falls by g t² times this factor. Near s = 0, where the factor is 1/2, the formula loses all
/// digits. A series therefore replaces it up to s = 0.5.
fn fall_factor(s: f64) -> f64 {
    if s > 0.5 {
        return (s + (-s).exp_m1()) / (s * s);
    }
    // Σ (−s)^k/(k + 2)! in nested form; the 15 factors leave a remainder below 1e-17.
    (3..18).rev().fold(1.0, |sum, k| 1.0 - s * sum / f64::from(k)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support;
    use glam::dvec3;

    fn of(text: &str) -> Option<ExactMotions> {
        let scene = support::scene(text);
        ExactMotions::of(&scene.parts, &scene.lanes[0].settings)
    }

    #[test]
    fn a_stone_falls_half_g_t_squared_and_with_drag_towards_g_over_c() {
        let body = r#"version: 1, name: "fall", particles: [(at: (0, 10, 0))],"#;
        let free = of(&format!("({body})")).unwrap().positions(1.0)[0];
        assert!((free - dvec3(0.0, 10.0 - 4.905, 0.0)).length() < 1e-15);
        let forces = "forces: [(law: Gravity()), (law: LinearDrag(coefficient: 2))]";
        let late = of(&format!("({body} {forces})")).unwrap();
        let speed = late.positions(20.0)[0] - late.positions(21.0)[0];
        assert!((speed.y - 4.905).abs() < 1e-12, "velocity {speed} m/s");
    }

    #[test]
    fn a_bob_swings_about_where_gravity_pulls_it_and_damping_takes_its_share() {
        let text = |damping: f64| {
            format!(
                r#"(version: 1, name: "bob", particles: [(name: "hook", at: (0, 2, 0)),
                (name: "bob", at: (0, 1, 0))], pins: [(of: Body("hook"))],
                links: [(a: Body("hook"), b: Body("bob"), stiffness: 100, damping: {damping})])"#
            )
        };
        // At ω = 10 rad/s, the centre of the oscillation is g/ω² = 0.0981 m below the start
        // position.
        let bob = of(&text(0.0)).unwrap();
        let half_turn = bob.positions(std::f64::consts::PI / 10.0)[1];
        assert!(
            (half_turn.y - (1.0 - 2.0 * 0.0981)).abs() < 1e-15,
            "position {half_turn} after half a period"
        );
        // γ = 1/s: after one period of the damped vibration, whose angular frequency is √(ω² − γ²)
        // = √99 rad/s, the excursion is e^(−γt) of the initial excursion.
        let turn = std::f64::consts::TAU / 99f64.sqrt();
        let damped = of(&text(2.0)).unwrap().positions(turn)[1];
        let expected = 1.0 - 0.0981 + 0.0981 * (-turn).exp();
        assert!((damped.y - expected).abs() < 1e-15, "{damped} not {expected}");
        // With a stiffness damping of 0.02 s, a spring of 100 N/m gets a damper of 2 N·s/m.
        let lane = Settings { stiffness_damping: 0.02, ..Settings::default() };
        let scene = support::scene(&text(0.0));
        let by_lane = ExactMotions::of(&scene.parts, &lane).unwrap().positions(turn)[1];
        assert!((by_lane - damped).length() < 1e-15, "{by_lane} not {damped}");
    }

    #[test]
    fn a_little_drag_hardly_changes_a_fall() {
        let fall = |drag: &str, t: f64| {
            let text = format!(
                r#"(version: 1, name: "fall", particles: [(at: (0, 0, 0), velocity: (1, 0, 0))],
                forces: [(law: Gravity()), (law: LinearDrag(coefficient: {drag}))])"#
            );
            of(&text).unwrap().positions(t)[0]
        };
        for drag in ["1e-15", "1e-12", "1e-9", "1e-6"] {
            // To first order in c: x = v t − c v t²/2, y = −g t²/2 + c g t³/6.
            let c: f64 = drag.parse().unwrap();
            let exact = dvec3(2.0 - 2.0 * c, -19.62 + 13.08 * c, 0.0);
            let off = (fall(drag, 2.0) - exact).length();
            assert!(off < 1e-14 + 20.0 * c * c, "drag {drag}: {off}");
        }
        // At s = 0.5, where the series replaces the formula, both give the same value.
        let [below, above] = [0.499_999_999, 0.500_000_001].map(fall_factor);
        assert!((below - above).abs() < 1e-9 && (above - 0.426_122_637).abs() < 1e-8, "{above}");
    }

    #[test]
    fn no_motion_is_claimed_for_links_that_tear_or_meet_a_limit_and_for_bends() {
        let pulled = |material: &str, settings: &str| {
            of(&format!(
                r#"(version: 1, name: "bob", materials: [Rope(name: "cord"{material})],
                ropes: [(name: "rope", from: (0, 2, 0), to: (0, 1, 0), segments: 1,
                         material: "cord")],
                pins: [(of: Start("rope"))], settings: ({settings}))"#
            ))
        };
        assert!(pulled("", "").is_some());
        assert!(pulled(", tear_strain: 0.01", "tear: Never").is_some());
        for limit in [
            "tear: AboveStrain(0.01)",
            "tear: AboveForce(1)",
            "tethers: On(1.01)",
            "strain_limit: On(0.05)",
        ] {
            assert_eq!(pulled("", limit), None, "{limit}");
        }
        assert_eq!(pulled(", tear_strain: 0.01", ""), None);
        assert_eq!(pulled(", tear_force: 1", ""), None);
        let bent = r#"(version: 1, name: "bend", particles: [(at: (0, 0, 0)), (at: (1, 0, 0)),
            (at: (1, 1, 0))], bends: [(a: Particle(0), b: Particle(1), c: Particle(2),
            flexural_rigidity: 1)], forces: [])"#;
        assert_eq!(of(bent), None);
    }

    #[test]
    fn a_pendulum_a_rope_and_a_moving_pin_have_none_here() {
        for name in ["pendulum", "hanging-rope", "standing-wave", "cloth-in-wind"] {
            let scene = crate::scene::library::find(name).unwrap().load().unwrap();
            assert_eq!(ExactMotions::of(&scene.parts, &scene.lanes[0].settings), None, "{name}");
        }
    }
}
