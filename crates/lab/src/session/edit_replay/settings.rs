//! Application of a recorded change of settings to a lane (one simulation) whose present settings
//! differ from the recorded ones.

use crate::simulation::settings::Settings;
use serde_json::Value;

/// Returns the settings `now` with the changes that lead from `before` to `after`. If the result is
/// invalid, returns `after`.
pub(super) fn merge_settings([before, after, now]: [&Settings; 3]) -> Settings {
    if before == now {
        return *after;
    }
    let merge = || {
        let value = |settings: &Settings| serde_json::to_value(settings).ok();
        let merged = merge_values(value(before)?, value(after)?, value(now)?);
        let settings: Settings = serde_json::from_value(merged).ok()?;
        settings.check().is_ok().then_some(settings)
    };
    merge().unwrap_or(*after)
}

/// Returns `now` with the changes that lead from `before` to `after`, field by field. Changed
/// parameters of an integrator or solver that `now` does not use are dropped.
fn merge_values(before: Value, after: Value, now: Value) -> Value {
    if before == after {
        return now;
    }
    match (before, after, now) {
        (Value::Object(before), Value::Object(mut after), now)
            if before.keys().eq(after.keys()) =>
        {
            let Value::Object(mut fields) = now else { return now };
            for (key, before) in before {
                if let (Some(after), Some(now)) = (after.remove(&key), fields.get_mut(&key)) {
                    *now = merge_values(before, after, now.take());
                }
            }
            Value::Object(fields)
        }
        (_, after, _) => after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::{ConstraintSolver, Xpbd};
    use crate::integrate::Method;

    #[test]
    fn a_change_keeps_what_it_did_not_change() {
        let own = Settings::default();
        let slower = Settings { dt: own.dt * 2.0, ..own };
        let other = Settings { integrator: Method::ExplicitEuler, ..slower };
        let without = Settings { integrator: Method::ExplicitEuler, ..own };
        assert_eq!(merge_settings([&slower, &other, &own]), without);
        assert_eq!(merge_settings([&own, &without, &slower]), other);
        assert_eq!(merge_settings([&own, &slower, &own]), slower);
    }

    #[test]
    fn a_parameter_of_a_solver_that_is_not_chosen_is_lost() {
        let own = Settings { constraints: ConstraintSolver::None, ..Settings::default() };
        let solver = |iterations| ConstraintSolver::Xpbd(Xpbd { iterations, ..Xpbd::default() });
        let [few, many] = [2, 9].map(|it| Settings { constraints: solver(it), ..own });
        assert_eq!(merge_settings([&few, &many, &own]), own);
    }
}
