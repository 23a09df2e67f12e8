//! *Dial*: a parameter that the user can change, and the values in the scene file that depend on
//! it.

use super::super::vary::VariableScene;
use ropelab_core::simulation::settings::SceneNumber;

/// Quantity of the scene that a dial changes while the scene runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialKind {
    /// Gravity in m/s².
    Gravity,
    /// Wind speed in m/s.
    Wind,
    /// Factor by which all friction coefficients of balls and obstacles are multiplied.
    Friction,
    /// Kinetic friction coefficient of ropes, nets or cloths.
    SurfaceFriction,
    /// Mass per metre of a rope in kg/m.
    MassPerMetre,
    /// Mass per area of a cloth in kg/m².
    ArealDensity,
    /// Axial stiffness EA of a rope in newtons.
    AxialStiffness,
    /// Stiffness of a cloth's rows and columns, in N/m.
    StretchStiffness,
    /// Stiffness of a cloth's diagonals, in N/m.
    ShearStiffness,
    /// Stiffness EA of the springs between second neighbours of a rope, in newtons.
    RopeBendStiffness,
    /// Stiffness of the springs between second neighbours of a cloth, in N/m.
    ClothBendStiffness,
    /// Flexural rigidity EI of a rope in N·m².
    RopeRigidity,
    /// Flexural rigidity EI of a cloth per metre of width, in N·m.
    ClothRigidity,
    /// Axial damping of a rope in N·s: a link of length l has the damping coefficient damping/l in
    /// N·s/m.
    AxialDamping,
    /// Damping of each link of a cloth in N·s/m.
    LinkDamping,
    /// Number of links of each rope.
    Segments,
    /// Number of cells across a net or cloth. The number of rows changes in proportion.
    Cells,
}

/// Parameter that the user can change. Several values of the scene file may depend on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dial {
    /// Quantity that the dial changes.
    pub kind: DialKind,
    /// Value in the scene file.
    pub own: f64,
    /// Smallest and largest value that the user can choose.
    pub range: [f64; 2],
    pub(super) places: Vec<DialPlace>,
}

/// Value in the scene file that a dial changes to factor × the dial's value. `typed` is the value
/// that the author wrote; `None` if the file omits it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DialPlace {
    pub path: String,
    pub factor: f64,
    pub typed: Option<f64>,
    /// True if the value only switches a force on. It equals `factor` if the dial's value is
    /// positive, and 0 otherwise.
    pub is_switch: bool,
}

impl DialKind {
    /// True if the quantity is a whole number.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Segments | Self::Cells)
    }

    /// True if the dial has a logarithmic scale.
    pub fn is_logarithmic(self) -> bool {
        !matches!(self, Self::Gravity | Self::Wind | Self::Friction | Self::SurfaceFriction)
    }

    /// True if the value may be 0.
    pub fn may_be_zero(self) -> bool {
        let damps = matches!(self, Self::AxialDamping | Self::LinkDamping);
        damps || matches!(self, Self::RopeRigidity | Self::ClothRigidity) || !self.is_logarithmic()
    }
}

impl Dial {
    /// Returns the current value of the dial in a scene from [`VariableScene::spelled_out`].
    pub fn value(&self, now: &VariableScene) -> f64 {
        let at = |place: &DialPlace| Some(now.number(&place.path).ok()?? / place.factor + 0.0);
        let mut places = self.places.iter();
        let place = places.find(|place| place.factor != 0.0 && !place.is_switch);
        place.and_then(at).unwrap_or(self.own)
    }

    /// Returns the values of the scene file for this value of the dial. If this is the original
    /// value of the dial, they are the original values.
    pub fn turned_to(&self, value: f64) -> Vec<SceneNumber> {
        let number = |DialPlace { path, factor, typed, is_switch }: &DialPlace| {
            let times = if *is_switch { f64::from(value > 0.0) } else { value };
            let turned = times * factor + 0.0;
            let turned = if self.kind.is_whole() { turned.round().max(1.0) } else { turned };
            let value = if value == self.own { *typed } else { Some(turned) };
            SceneNumber { path: path.clone(), value }
        };
        self.places.iter().map(number).collect()
    }

    /// Returns the smallest number of segments or cells for which a scene from
    /// [`VariableScene::spelled_out`] is valid. Pins, masses and ties may name particles that a
    /// shorter rope lacks. For other dials, returns the lower end of their range.
    pub fn least_valid_value(&self, now: &VariableScene) -> f64 {
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

/// Returns the place of a dial for the value at `path`, which is `factor` × the dial's value.
pub(super) fn dial_place(path: String, factor: f64, root: &VariableScene) -> DialPlace {
    let typed = root.number(&path).ok().flatten();
    DialPlace { path, factor, typed, is_switch: false }
}
