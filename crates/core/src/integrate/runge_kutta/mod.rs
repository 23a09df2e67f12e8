//! Runge–Kutta integrators.

pub(super) mod dormand_prince;
pub(super) mod heun;
pub(super) mod midpoint;
pub(super) mod rk3;
pub(super) mod rk4;
