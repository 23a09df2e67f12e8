//! Reduction of a failing case to a smaller one.

use super::case::Case;

/// Returns a case with fewer acts and lanes that still fails. Large blocks of acts are removed
/// first, then smaller blocks. `fails` is called at most `most` times.
pub fn reduce(case: &Case, most: usize, fails: impl Fn(&Case) -> bool) -> Case {
    let mut least = case.clone();
    let mut left = most;
    let mut shorter = |least: &mut Case, candidate: Case| {
        let is_shorter = left > 0 && fails(&candidate);
        left = left.saturating_sub(1);
        if is_shorter {
            *least = candidate;
        }
        is_shorter
    };
    let mut chunk = least.acts.len().div_ceil(2).max(1);
    loop {
        let mut any = false;
        let mut end = least.acts.len();
        while end > 0 {
            let start = end.saturating_sub(chunk);
            let mut candidate = least.clone();
            candidate.acts.drain(start..end);
            any |= shorter(&mut least, candidate);
            end = start;
        }
        if chunk > 1 {
            chunk = chunk.div_ceil(2);
        } else if !any {
            break;
        }
    }
    for lane in (0..least.lanes.len()).rev() {
        if least.lanes.len() > 1 {
            let mut candidate = least.clone();
            candidate.lanes.remove(lane);
            shorter(&mut least, candidate);
        }
    }
    least
}
