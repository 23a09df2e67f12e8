//! Restitution and friction of surfaces, and their combination for two surfaces in contact.

/// Restitution and friction of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coefficient of restitution: separation speed divided by approach speed, 0 to 1.
    pub restitution: f64,
    /// Coefficient of static friction, at least 0.
    pub static_friction: f64,
    /// Coefficient of kinetic friction, at least 0.
    pub friction: f64,
}

impl Default for Surface {
    fn default() -> Self {
        Self { restitution: 0.0, static_friction: 0.3, friction: 0.3 }
    }
}

impl Surface {
    /// Returns the properties of a contact of two surfaces: the larger restitution, and the
    /// geometric means of the friction coefficients. The mean of two equal coefficients is exact,
    /// without rounding.
    pub fn with(&self, other: &Self) -> Self {
        let mean = |a: f64, b: f64| if a == b { a } else { (a * b).sqrt() };
        Self {
            restitution: self.restitution.max(other.restitution),
            static_friction: mean(self.static_friction, other.static_friction),
            friction: mean(self.friction, other.friction),
        }
    }
}
