//! Tests of random sessions: a seed always gives the same case, cases pass, and failing cases are
//! reduced.

use super::rig::check_with;
use super::*;
use crate::session::Session;
use crate::simulation::settings::Command;
use rayon::prelude::*;

#[test]
fn a_seed_gives_the_same_case_and_the_same_run() {
    let [one, other] = [Case::of(3), Case::of(3)];
    assert_eq!((&one.text, &one.acts, &one.lanes), (&other.text, &other.acts, &other.lanes));
    assert_eq!(check_case(&one), check_case(&other));
}

#[test]
fn cases_are_of_many_kinds() {
    let cases: Vec<Case> = (0..200).map(Case::of).collect();
    let any = |wanted: &dyn Fn(&Act) -> bool| {
        cases.iter().filter(|case| case.acts.iter().any(wanted)).count()
    };
    assert!(any(&|act| matches!(act, Act::Undo(_))) > 50);
    assert!(any(&|act| matches!(act, Act::Save)) > 50);
    assert!(any(&|act| matches!(act, Act::Command(it) if matches!(**it, Command::Cut(_)))) > 50);
    let edits = |it: &Command| matches!(it, Command::EditScene(_));
    assert!(any(&|act| matches!(act, Act::Command(it) if edits(it))) > 100);
    assert!(cases.iter().filter(|case| case.rings.is_some()).count() > 10);
    assert!(cases.iter().filter(|case| case.file == "made-up.ron").count() > 50);
}

#[test]
fn a_broken_invariant_is_found_and_made_smaller() {
    // A deliberately false invariant: after a cut, no thrown ball may exist.
    let is_cut = |session: &Session| {
        session
            .lanes()
            .iter()
            .any(|lane| !lane.simulation.model().topology().cut_links().is_empty())
    };
    let extra = |session: &Session, _: &Act| {
        let flies = session.lanes().iter().any(|lane| lane.simulation.model().thrown().throws > 0);
        if flies && is_cut(session) { Err("a ball flies after a cut".to_owned()) } else { Ok(()) }
    };
    let fails = |case: &Case| {
        check_with(case, &extra, &|| false)
            .is_err_and(|failure| failure.invariant == Invariant::Extra)
    };
    // Cases with tearing links are excluded, because tearing cuts links without an act.
    let tears = |case: &Case| case.text.contains("tear_");
    let is_long = |case: &Case| case.acts.len() > 60 && !tears(case);
    let case = (0..).map(Case::of).find(|case| is_long(case) && fails(case));
    let case = case.expect("a cut and a throw");
    let least = reduce(&case, 1000, fails);
    assert_eq!((least.acts.len(), least.lanes.len()), (2, 1), "{least}");
    let failure = check_with(&least, &extra, &|| false).expect_err("it still fails");
    assert_eq!((failure.invariant, failure.acts), (Invariant::Extra, 2));
}

#[test]
fn a_panic_is_a_failure() {
    let extra = |_: &Session, act: &Act| match act {
        Act::Save => panic!("on purpose"),
        _ => Ok(()),
    };
    let case = (0..).map(Case::of).find(|case| case.acts.contains(&Act::Save));
    let failure = check_with(&case.expect("one saves"), &extra, &|| false);
    let failure = failure.expect_err("it panics");
    assert_eq!((failure.invariant, &*failure.finding), (Invariant::NoPanic, "on purpose"));
}

#[test]
fn a_search_whose_time_is_up_ends_within_a_run() {
    let case = (0..).map(Case::of).find(|case| case.acts.len() > 20).expect("a long case");
    let asked = std::cell::Cell::new(0);
    let is_over = || asked.replace(asked.get() + 1) == 3;
    check_case_until(&case, &is_over).expect("no fault in three acts");
    assert_eq!(asked.get(), 4, "nothing happens after three acts");
}

/// Number of random sessions in this test. `ropelab torture` runs more of them in `check.sh`.
const RUNS: u64 = 25;

#[test]
fn random_sessions_keep_all_promises() {
    let runs = std::env::var("ROPELAB_TORTURE_RUNS").ok();
    let runs = runs.map_or(RUNS, |text| text.parse().expect("a number of runs"));
    let faults: Vec<String> = (0..runs)
        .into_par_iter()
        .filter_map(|seed| check_case(&Case::of(seed)).err().map(|it| format!("seed {seed}: {it}")))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
