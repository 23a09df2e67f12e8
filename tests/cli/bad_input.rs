//! Bad input: the program prints one message, exits with code 2 and damages no file.

use super::{FALL, ProgramOutput, SWING, TestFolder};
use std::process::{Command, Output, Stdio};

#[test]
fn every_bad_input_gets_one_message_and_exit_code_2() {
    let folder = TestFolder::new();
    folder.write("frames.txt", "0.016\nfast\n");
    for (line, message) in [
        ("run hanging-rop", "unknown scene \"hanging-rop\", did you mean \"hanging-rope\"?"),
        ("run no.ron", "no.ron: there is no such file"),
        ("run swing.ron --integrator rk44", "unknown integrator \"rk44\", did you mean \"rk4\"?"),
        ("run swing.ron --constraints xpdb", "did you mean \"xpbd\"?"),
        ("run swing.ron --stepping acumulator", "did you mean \"accumulator\"?"),
        ("run swing.ron --lane 3", "no lane \"3\" in this scene; it has 1 \"calm\", 2 \"wild\""),
        ("run swing.ron --dt 1e-12", "dt is 1e-12; expected 0.000001 to 1 seconds"),
        ("run swing.ron --dt nan", "dt is NaN"),
        ("run swing.ron --dt -1", "dt is -1"),
        ("run swing.ron --dt -1ms", "dt is -0.001"),
        ("run swing.ron --lane 0", "1 \"calm\", 2 \"wild\" (--lane takes the name or the number)"),
        ("run swing.ron --duration 1e300", "error: 1e300 s would take"),
        ("run swing.ron --set strain_limit=0.05", "expected a limit such as On(0.05) or Off(0.05)"),
        ("choose swing.ron --budgets 0", "\"0\" is not a time above 0"),
        ("advise swing.ron --error 5%", "\"5%\" is not a fraction; expected a number such as 0.05"),
        ("translate --from foo --value 3", "the languages are newton, material, xpbd, box2d"),
        ("run swing.ron --dt soon", "expected seconds such as 0.001, 1ms, 1/240 or 240hz"),
        ("run swing.ron --substeps 0", "substeps is 0"),
        ("run swing.ron --substeps -1", "\"-1\" is not a count; expected a whole number such as 4"),
        ("run swing.ron --substeps 1.5", "\"1.5\" is not a count; expected a whole number"),
        ("compare swing.ron --iterations 3,-1", "\"-1\" is not a count; expected a whole number"),
        ("translate --stiffness 1 --substeps -1", "-1 is not in 1..=100000"),
        ("damping --at -0.1", "--at is -0.1; expected a number above 0"),
        ("run swing.ron --csv a.csv --track=", "--track names no particles; expected numbers"),
        ("run swing.ron --code python", "the languages are rust, csharp, gdscript"),
        ("run swing.ron --duration -1", "duration is -1; expected a positive number of seconds"),
        ("run swing.ron --duration 1e9", "would take 1.0e12 steps; at most 1e9 are accepted"),
        ("run swing.ron --iterations 3", "--iterations needs a constraint solver; name one"),
        ("run swing.ron --links constraints", "--links constraints needs a solver"),
        ("run swing.ron --csv a.csv --track 9", "no particle 9 to track"),
        ("run swing.ron --csv no/a.csv", "cannot write no/a.csv: there is no folder no"),
        ("run swing.ron --csv .", "cannot write .: it is a folder"),
        ("run swing.ron --frame-times 0hz", "expected a positive rate such as 60hz"),
        ("run swing.ron --frame-times no.txt", "expected a rate such as 60hz or a file"),
        ("run swing.ron --frame-times frames.txt", "line 2: found \"fast\"; expected one frame"),
        ("compare swing.ron --integrator rk4,rk44", "did you mean \"rk4\"?"),
        ("run swing.ron --seconds 2", "a similar argument exists: '--duration'"),
        ("compare swing.ron --time=2", "a similar argument exists: '--duration'"),
        ("list integrator", "a similar value exists: 'integrators'"),
        ("converge swing.ron --dt nan..1", "\"nan..1\" is not a range of steps"),
        ("advise swing.ron --error 0.1 --code rust --json", "cannot be used with '--json'"),
        ("explain swing.ron --code rust --json", "cannot be used with '--json'"),
        ("damping --modes 3", "required arguments were not provided"),
        ("advise swing.ron", "<--error <FRACTION>|--stretch <FRACTION>>"),
        ("advise swing.ron --error -1", "asked for -1; expected a fraction above 0"),
        ("comare", "unknown command or scene \"comare\", did you mean \"compare\"?"),
        ("comare swing.ron", "did you mean \"compare\"?"),
        ("no.ron", "no.ron: there is no such file"),
    ] {
        let error = folder.error(line);
        assert!(error.starts_with("error: "), "{line}: {error}");
        assert!(error.contains(message), "{line}: {error}");
    }
}

#[test]
fn a_refused_run_leaves_files_as_they_were() {
    let folder = TestFolder::new();
    folder.write("run.csv", "mine");
    folder.error("run swing.ron --csv run.csv --track 9");
    folder.error("run swing.ron --csv run.csv --duration 1e12");
    assert_eq!(folder.read("run.csv"), "mine");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn what_a_command_reads_is_never_written_over() {
    let folder = TestFolder::new();
    folder.write("frames.txt", "0.016\n");
    for line in [
        "run swing.ron --csv swing.ron",
        "run swing.ron --csv swing.ron --force",
        "run ./swing.ron --csv sub/../swing.ron --force",
        "run fall.ron --frame-times frames.txt --csv frames.txt --force",
        "export swing.ron --out swing.ron --force",
    ] {
        std::fs::create_dir_all(folder.path().join("sub")).unwrap();
        let error = folder.error(line);
        assert!(error.contains("this command reads that file"), "{line}: {error}");
    }
    assert_eq!(folder.read("swing.ron"), SWING);
    assert_eq!(folder.read("frames.txt"), "0.016\n");
}

#[test]
fn another_scene_file_is_written_over_only_by_force() {
    let folder = TestFolder::new();
    folder.write("unnamed", FALL);
    for line in [
        "run swing.ron --csv fall.ron",
        "run swing.ron --csv unnamed",
        "run swing.ron --end fall.ron",
        "run swing.ron --contacts fall.ron",
        "export swing.ron --out fall.ron",
    ] {
        let error = folder.error(line);
        assert!(error.contains("a scene file has that name; --force writes"), "{line}: {error}");
    }
    assert_eq!((folder.read("fall.ron"), folder.read("unnamed")), (FALL.into(), FALL.into()));
    folder.stdout("export swing.ron --out fall.ron --force");
    assert!(folder.read("fall.ron").contains("Swing"));
    folder.write("fall.ron", FALL);
    folder.stdout("run swing.ron --end fall.ron --force --duration 10ms");
    assert!(folder.read("fall.ron").contains("Swing"));
    folder.write("table.csv", "t,x\n");
    folder.stdout("run swing.ron --csv table.csv --duration 10ms");
    assert!(folder.read("table.csv").starts_with("t,kinetic"));
}

#[test]
fn bad_files_among_good_ones_are_all_named() {
    let folder = TestFolder::new();
    folder.write("bad.ron", "(version: 1, name: \"x\", lnks: [])");
    folder.write("empty.ron", "");
    let ProgramOutput { out, err, code } = folder.run("check bad.ron swing.ron empty.ron");
    assert_eq!(out, "swing.ron: ok, 2 particles, 1 link, 1 pin, 2 lanes\n");
    assert!(err.starts_with("error: bad.ron:1:"), "{err}");
    assert!(err.contains("\"lnks\"") && err.contains("\"links\""), "{err}");
    assert!(err.ends_with("error: 2 of 3 files cannot be used\n"), "{err}");
    assert_eq!(code, Some(2));
}

#[test]
fn what_a_name_says_to_a_terminal_is_shown_and_not_obeyed() {
    let folder = TestFolder::new();
    let named = SWING.replace("Swing", "\u{1b}]0;owned\u{7}").replace("calm", "\u{202e}calm");
    folder.write("named.ron", &named);
    for line in
        ["run named.ron --duration 10ms", "compare named.ron --duration 10ms", "check named.ron"]
    {
        let out = folder.stdout(line);
        assert!(!out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{line}: {out:?}");
    }
    assert!(folder.stdout("run named.ron --duration 10ms").contains("\\u{1b}]0;owned"));
    let error = folder.error("run named.ron --lane 9");
    assert!(!error.contains('\u{202e}'), "{error:?}");
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_without_waiting() {
    let folder = TestFolder::new();
    let made = Command::new("mkfifo").arg(folder.path().join("pipe.ron")).status();
    assert!(made.unwrap().success());
    for line in [
        "check pipe.ron",
        "run pipe.ron",
        "pipe.ron",
        "check /dev/zero",
        "run swing.ron --frame-times /dev/zero",
        "replay pipe.ron",
        "explain --recording pipe.ron",
        "map --merge pipe.ron",
    ] {
        let error = folder.error(line);
        assert!(error.contains("not a regular file"), "{line}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_is_told_to_stop_leaves_nothing_half_done() {
    for signal in ["INT", "TERM", "HUP"] {
        let folder = TestFolder::new();
        let mut child = folder
            .command("run swing.ron --csv run.csv --duration 9999")
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        while files() == 2 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!((status.code(), files()), (None, 2), "{signal}: {status}");
    }
}

#[test]
fn what_would_take_more_than_a_machine_has_is_refused() {
    let folder = TestFolder::new();
    let many = (1..=1000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let steps = "1ms,".repeat(999) + "1ms";
    let line = format!(
        "compare swing.ron --substeps {many} --dt {steps} --iterations {many} --constraints xpbd"
    );
    let error = folder.error(&line);
    assert!(error.contains("would make 2000000000 runs; at most 10000"), "{error}");
    for (line, message) in [
        ("bench W1 --threads 100000", "--threads"),
        ("bench W1 --seconds inf", "--seconds"),
        ("bench W1 --seconds -1", "--seconds"),
    ] {
        let error = folder.error(line);
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = TestFolder::new();
    let mut child = folder
        .command("run swing.ron --csv /dev/stdout --duration 20")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert_eq!((String::from_utf8(stderr).unwrap().as_str(), status.code()), ("", Some(0)));
}
