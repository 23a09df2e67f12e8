//! Stepping: the arithmetic of the source articles' loops, and the account of simulated, owed and
//! dropped time.

use proptest::prelude::*;
use ropelab::simulation::timing::stepper::{
    Blend, Frame, FrameSubsteps, Guard, Guards, Plan, Stepper, Stepping,
};

const A5: Guards = Guards {
    frame_clamp: Guard::On(0.01),
    accumulator_cap: Guard::Off(0.2),
    most_steps: Guard::Off(100),
    time_budget: Guard::Off(0.012),
};

/// Runs `frames` frames of 1/`hz` seconds. Returns the simulated time divided by the wall-clock
/// time, and the largest number of steps in a frame.
fn run(stepping: Stepping, guards: &Guards, dt: f64, hz: f64, frames: usize) -> (f64, u32) {
    let mut stepper = Stepper::default();
    let mut most = 0;
    for _ in 0..frames {
        most = most.max(stepper.plan(stepping, guards, dt, Frame::of(1.0 / hz)).steps);
    }
    (stepper.time_account().simulated / stepper.time_account().wall, most)
}

#[test]
fn the_clamp_of_article_a_slows_every_display_below_100_hz() {
    let expected = [(30.0, 0.300), (50.0, 0.500), (60.0, 0.600), (75.0, 0.750), (100.0, 1.0)];
    for (hz, ratio) in expected {
        let (measured, most) = run(Stepping::Accumulator, &A5, 0.001, hz, 600);
        assert!((measured - ratio).abs() < 2e-3, "{hz} Hz: {measured}, expected {ratio}");
        assert_eq!(most, 10, "{hz} Hz");
    }
    let (measured, most) = run(Stepping::Accumulator, &A5, 0.001, 144.0, 600);
    assert!((measured - 1.0).abs() < 2e-3 && most == 7, "{measured}, {most} steps");
}

#[test]
fn the_cap_of_article_c_keeps_real_time_and_loses_a_stall() {
    let cap = Guards { accumulator_cap: Guard::On(0.2), ..Guards::none() };
    for (hz, most_expected) in [(30.0, 2), (50.0, 2), (60.0, 1), (100.0, 1), (144.0, 1)] {
        let (ratio, most) = run(Stepping::Accumulator, &cap, 1.0 / 60.0, hz, 600);
        assert!((ratio - 1.0).abs() < 5e-3, "{hz} Hz: {ratio}");
        assert!(most <= most_expected + 1, "{hz} Hz: {most} steps");
    }
    let mut stepper = Stepper::default();
    let plan = stepper.plan(Stepping::Accumulator, &cap, 1.0 / 60.0, Frame::of(1.0));
    assert!((11..=12).contains(&plan.steps), "0.2 s are 12 steps, up to rounding: {}", plan.steps);
    assert!((plan.dropped - 0.8).abs() < 1e-12);
}

#[test]
fn discarding_the_remainder_loses_time_and_an_accumulator_does_not() {
    // A frame of 1/60 s contains one step of 0.01 s. The remainder of 0.00667 s is lost in every
    // frame.
    let (lossy, _) = run(Stepping::DiscardRemainder, &Guards::default(), 0.01, 60.0, 600);
    assert!((lossy - 0.6).abs() < 1e-9, "{lossy}");
    let (kept, _) = run(Stepping::Accumulator, &Guards::default(), 0.01, 60.0, 600);
    assert!((kept - 1.0).abs() < 2e-3, "{kept}");
}

#[test]
fn a_fifth_of_a_step_a_frame_gives_an_extra_step_in_the_fifth_frame() {
    // Article C, C5: with dt = 0.25 and frames of 1.25 dt, each frame leaves a remainder of dt/4.
    // All numbers are exact in binary, so there is no rounding.
    let mut stepper = Stepper::default();
    let steps: Vec<u32> = (0..8)
        .map(|_| {
            stepper.plan(Stepping::Accumulator, &Guards::none(), 0.25, Frame::of(0.3125)).steps
        })
        .collect();
    assert_eq!(steps, [1, 1, 1, 2, 1, 1, 1, 2], "a quarter left: the extra step in the fourth");
    let mut stepper = Stepper::default();
    let fifth = |stepper: &mut Stepper| {
        stepper.plan(Stepping::Accumulator, &Guards::none(), 1.0, Frame::of(1.2)).steps
    };
    let first_extra = (1..).find(|_| fifth(&mut stepper) == 2);
    assert!(matches!(first_extra, Some(5 | 6)), "fifth, or sixth by rounding: {first_extra:?}");
}

#[test]
fn one_fixed_step_a_frame_runs_faster_on_a_faster_display() {
    for (hz, speed) in [(30.0, 0.5), (60.0, 1.0), (144.0, 2.4)] {
        let (ratio, most) = run(Stepping::FixedPerFrame, &Guards::default(), 1.0 / 60.0, hz, 600);
        assert!((ratio - speed).abs() < 1e-9 && most == 1, "{hz} Hz: {ratio}");
    }
}

#[test]
fn substeps_divide_the_frame() {
    let mut stepper = Stepper::default();
    let stepping = Stepping::FrameSubsteps(FrameSubsteps { n: 2 });
    let plan = stepper.plan(stepping, &Guards::default(), 1e-3, Frame::of(1.0 / 60.0));
    assert_eq!((plan.steps, plan.dt), (2, 1.0 / 120.0));
}

#[test]
fn the_blend_is_the_remainder_over_dt() {
    // Article A, A8: with a remainder of 0.9 dt the picture is mostly the current state, with 0.2
    // dt mostly the previous state.
    for (frame, blend) in [(1.9, 0.9), (1.2, 0.2)] {
        let mut stepper = Stepper::default();
        let plan = stepper.plan(Stepping::Interpolated, &Guards::none(), 1.0, Frame::of(frame));
        let Blend::Between(found) = plan.blend else { panic!("{:?}", plan.blend) };
        assert!((found - blend).abs() < 1e-12, "{found}");
    }
}

/// Simulates frames of the length render + cost · steps, without limits on long frames. Returns the
/// lengths of the frames.
fn spiral(render: f64, cost: f64, guards: &Guards, frames: usize) -> Vec<f64> {
    let (mut stepper, mut frame, dt) = (Stepper::default(), render, 1e-3);
    let mut times = Vec::new();
    for _ in 0..frames {
        let plan = stepper.plan(Stepping::Accumulator, guards, dt, Frame::of(frame));
        frame = render + cost * f64::from(plan.steps);
        times.push(frame);
    }
    times
}

#[test]
fn the_spiral_settles_exactly_when_a_step_costs_less_than_dt() {
    // The frame length converges to F* = R / (1 − c/dt), with the time R = 4 ms without steps, the
    // computing time c of a step, and dt = 1 ms.
    for (cost, settled, frames) in [(0.5e-3, 8e-3, 200), (0.9e-3, 40e-3, 2000)] {
        let times = spiral(4e-3, cost, &Guards::none(), frames);
        let mean = times[frames - 100..].iter().sum::<f64>() / 100.0;
        assert!((mean / settled - 1.0).abs() < 0.03, "c = {cost}: {mean}, expected {settled}");
    }
    let diverging = spiral(4e-3, 1.1e-3, &Guards::none(), 60);
    assert!(diverging[59] > 1.0 && diverging[59] > diverging[30], "{}", diverging[59]);
    // The frame length converges to F = R + c Fc/dt = 13 ms if frames are clamped to Fc = 10 ms,
    // for c = 0.9 ms.
    let clamped = spiral(4e-3, 0.9e-3, &A5, 200);
    assert!((clamped[199] - 13e-3).abs() < 1e-9, "{}", clamped[199]);
}

#[test]
fn the_watchdog_keeps_the_time_as_owed() {
    let mut stepper = Stepper::default();
    let frame = Frame { seconds: 1.0, speed: 1.0, step_cost: 0.01 };
    let plan = stepper.plan(Stepping::Accumulator, &Guards::none(), 1e-3, frame);
    assert!(plan.spiral);
    assert_eq!(plan.steps, 25, "0.25 s of computing at 10 ms a step");
    assert_eq!(plan.dropped, 0.0);
    assert!((stepper.time_account().owed - 0.975).abs() < 1e-12);
}

#[test]
fn a_time_budget_drops_what_it_cannot_afford() {
    let mut stepper = Stepper::default();
    let guards = Guards { time_budget: Guard::On(0.012), ..Guards::none() };
    let frame = Frame { seconds: 0.1, speed: 1.0, step_cost: 1e-3 };
    let plan = stepper.plan(Stepping::Accumulator, &guards, 1e-3, frame);
    assert_eq!(plan.steps, 12);
    assert!((plan.dropped - 0.088).abs() < 2e-3);
    assert!(!plan.spiral);
}

#[test]
fn frames_that_are_no_time_are_no_time() {
    for seconds in [0.0, -1.0, f64::NAN] {
        for stepping in Stepping::all() {
            let plan =
                Stepper::default().plan(stepping, &Guards::default(), 0.01, Frame::of(seconds));
            assert_eq!(plan.steps, 0, "{stepping:?} after {seconds} s");
        }
    }
}

fn any_guards() -> impl Strategy<Value = Guards> {
    fn guard<T: std::fmt::Debug + Copy + 'static>(
        value: impl Strategy<Value = T>,
    ) -> impl Strategy<Value = Guard<T>> {
        (any::<bool>(), value).prop_map(|(on, v)| if on { Guard::On(v) } else { Guard::Off(v) })
    }
    (guard(1e-3..0.5), guard(1e-3..0.5), guard(1u32..50), guard(1e-4..0.1)).prop_map(
        |(frame_clamp, accumulator_cap, most_steps, time_budget)| Guards {
            frame_clamp,
            accumulator_cap,
            most_steps,
            time_budget,
        },
    )
}

fn any_stepping() -> impl Strategy<Value = Stepping> {
    (0..Stepping::all().count()).prop_map(|i| Stepping::all().nth(i).expect("in range"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn simulated_and_owed_and_dropped_time_are_the_wall_clock(
        schemes in prop::collection::vec(any_stepping(), 1..4),
        guards in any_guards(),
        dt in 1e-4..0.1f64,
        speed in 1e-3..10.0f64,
        cost in 0.0..0.01f64,
        frames in prop::collection::vec(0.0..0.4f64, 1..100),
    ) {
        let mut stepper = Stepper::default();
        for (i, &seconds) in frames.iter().enumerate() {
            let stepping = schemes[i % schemes.len()];
            let plan: Plan =
                stepper.plan(stepping, &guards, dt, Frame { seconds, speed, step_cost: cost });
            let account = stepper.time_account();
            let error = account.simulated + account.owed + account.dropped - account.wall;
            prop_assert!(error.abs() <= 1e-9 * (1.0 + account.wall), "off by {error} s: {account:?}");
            prop_assert!(account.owed >= 0.0);
            // The watchdog allows 0.25 s of computing time per frame. Steps beyond it stay owed.
            let cut_by_watchdog = f64::from(plan.steps + 1) * cost > 0.25;
            prop_assert!(!plan.spiral || cut_by_watchdog);
            if !cut_by_watchdog && plan.dt == dt {
                prop_assert!(account.owed < dt, "owed {} of dt {dt}", account.owed);
            }
            if let Blend::Between(blend) = plan.blend {
                prop_assert!((0.0..=1.0).contains(&blend));
            }
        }
    }
}
