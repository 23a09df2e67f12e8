//! Stiffness matrix for small vibrations of a scene, scaled by the masses so that it is symmetric.

use crate::analysis::linear::matrix::Matrix;
use crate::model::Model;
use crate::numerics::state::StateRef;
use crate::numerics::system::System;
use glam::DVec3;

/// Returns M^(−½) K M^(−½) for the free particles, K being the tangent stiffness at `x`.
pub(in crate::analysis) fn scaled_stiffness(model: &Model, x: &[DVec3], free: &[usize]) -> Matrix {
    let mass = model.masses();
    let zero = vec![DVec3::ZERO; x.len()];
    let at = StateRef { t: 0.0, x, v: &zero };
    let (mut unit, mut pull) = (zero.clone(), zero.clone());
    let mut matrix = Matrix::zero(3 * free.len());
    for (column, &j) in free.iter().enumerate() {
        for axis in 0..3 {
            unit[j][axis] = 1.0;
            pull.fill(DVec3::ZERO);
            model.acceleration_jvp(at, [&unit, &zero], &mut pull);
            unit[j][axis] = 0.0;
            for (row, &i) in free.iter().enumerate() {
                let scale = -(mass[i] / mass[j]).sqrt();
                for (k, pull) in pull[i].to_array().into_iter().enumerate() {
                    matrix.set(3 * row + k, 3 * column + axis, scale * pull);
                }
            }
        }
    }
    matrix
}
