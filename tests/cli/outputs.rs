//! Outputs of commands: no output replaces a file that the command reads, two outputs are never the
//! same file, and standard output carries one result.

use super::{FALL, ProgramOutput, SWING, TestFolder};
use std::process::Stdio;

/// Corners of a cube, for a collider's mesh.
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// Returns a folder with a scene that reads a mesh file, frame times, and two parts of a map.
fn folder_of_inputs() -> TestFolder {
    let folder = TestFolder::new();
    let collider = "colliders: [(shape: Mesh(file: \"cube.obj\"), at: (5, -3, 0))],\n    forces:";
    folder.write("mesh.ron", &SWING.replacen("forces:", collider, 1));
    folder.write("cube.obj", CUBE);
    folder.write("frames.txt", "0.016\n");
    for part in [1, 2] {
        let axes = "--x dt=10ms..100ms --y stiffness=100..10000 --size 2x2";
        folder.stdout(&format!("map swing.ron {axes} --part {part}/2 --csv p{part}.csv"));
    }
    folder
}

#[test]
fn no_command_writes_over_a_file_that_it_reads() {
    let folder = folder_of_inputs();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let inputs = ["mesh.ron", "cube.obj", "frames.txt", "p1.csv", "p2.csv"];
    let before = inputs.map(|file| folder.read(file));
    for line in [
        "run mesh.ron --csv cube.obj",
        "run mesh.ron --csv sub/../cube.obj --force",
        "run mesh.ron --contacts cube.obj",
        "run mesh.ron --end cube.obj",
        "run mesh.ron --positions cube.pc2",
        "run sub/../mesh.ron --csv cube.obj",
        "compare mesh.ron --series cube.obj",
        "compare swing.ron --frame-times frames.txt --series frames.txt",
        "converge mesh.ron --png cube.obj",
        "damping mesh.ron --svg cube.obj",
        "advise mesh.ron --error 0.1 --png cube.obj",
        "advise swing.ron --error 0.1 --frame-times frames.txt --svg frames.txt",
        "map mesh.ron --png cube.obj",
        "map mesh.ron --csv mesh.ron --force",
        "map --merge p1.csv p2.csv --png p1.csv",
        "map --merge p1.csv p2.csv --svg p2.csv",
        "map --merge p1.csv p2.csv --csv ./p2.csv --force",
        "export mesh.ron --out cube.obj",
    ] {
        let error = folder.error(line);
        assert!(error.contains("this command reads that file; expected"), "{line}: {error}");
        assert_eq!(inputs.map(|file| folder.read(file)), before, "{line}");
    }
}

/// The shell opens the file, so the command knows it only as its standard input.
#[cfg(unix)]
#[test]
fn a_file_behind_standard_input_is_not_written_over() {
    let folder = TestFolder::new();
    for line in ["run - --end swing.ron --force", "export - --out swing.ron --force"] {
        let file = std::fs::File::open(folder.path().join("swing.ron")).unwrap();
        let output = folder.command(line).stdin(Stdio::from(file)).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("this command reads that file"), "{line}: {error}");
        assert_eq!((output.status.code(), folder.read("swing.ron")), (Some(2), SWING.into()));
    }
}

#[test]
fn two_outputs_are_never_the_same_file() {
    let folder = TestFolder::new();
    folder.write("old.csv", "mine");
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    let before = files();
    for (line, options) in [
        ("run swing.ron --csv dup.csv --positions dup.csv", "--csv and --positions"),
        ("run swing.ron --csv dup.csv --contacts ./dup.csv", "--csv and --contacts"),
        ("run swing.ron --csv old.csv --contacts ./old.csv", "--csv and --contacts"),
        ("run swing.ron --end zz.csv --csv zz.csv", "--csv and --end"),
        ("run swing.ron --positions aa.csv --csv aa.triangles.csv", "--csv and --positions"),
        ("run swing.ron --positions aa.npy --csv aa.t.npy", "--csv and --positions"),
        ("map swing.ron --png m.svg --svg m.svg", "--png and --svg"),
        ("map swing.ron --csv m.csv --svg m.csv", "--csv and --svg"),
        ("damping --png m.svg --svg m.svg", "--png and --svg"),
        ("converge swing.ron --png m.svg --svg m.svg", "--png and --svg"),
        ("advise swing.ron --error 0.1 --png m.svg --svg m.svg", "--png and --svg"),
    ] {
        let error = folder.error(line);
        let expected = format!("{options} both write that file; expected another name");
        assert!(error.contains(&expected), "{line}: {error}");
        assert_eq!((files(), folder.read("old.csv")), (before, "mine".into()), "{line}");
    }
}

#[test]
fn two_results_are_never_mixed_on_standard_output() {
    let folder = TestFolder::new();
    for (line, both) in [
        ("run swing.ron --csv - --json", "--csv - and --json"),
        ("run swing.ron --end - --json", "--end - and --json"),
        ("run swing.ron --csv - --end -", "--csv - and --end -"),
        ("run swing.ron --contacts - --end -", "--contacts - and --end -"),
        ("run swing.ron --csv - --contacts -", "--csv - and --contacts -"),
        ("compare swing.ron --series - --json", "--series - and --json"),
        ("translate --stiffness 100 --scene - --json", "--scene - and --json"),
        ("map swing.ron --csv - --svg -", "--csv - and --svg -"),
        ("damping --png - --json", "--png - and --json"),
    ] {
        let error = folder.error(line);
        let expected = format!("error: {both} cannot both be standard output; name a file for");
        assert!(error.starts_with(&expected), "{line}: {error}");
    }
}

#[test]
fn a_report_goes_to_standard_error_beside_a_result_on_standard_output() {
    let folder = TestFolder::new();
    let ProgramOutput { out, err, code } = folder.run("run swing.ron --duration 10ms --end -");
    assert!(err.contains("stable for") && code == Some(0), "{err}");
    folder.write("end.ron", &out);
    assert!(folder.stdout("check end.ron").contains("end.ron: ok, 2 particles"));
    let line = "compare swing.ron --duration 10ms --series -";
    let ProgramOutput { out, err, code } = folder.run(line);
    assert!(out.starts_with("t,total1,") && !out.contains("calm"), "{out}");
    assert!(err.contains("calm") && code == Some(0), "{err}");
}

#[test]
fn every_command_with_outputs_replaces_a_scene_file_only_by_force() {
    let folder = TestFolder::new();
    for line in [
        "damping --integrator rk4 --svg fall.ron",
        "compare swing.ron --duration 10ms --series fall.ron",
        "converge swing.ron --integrator rk4 --dt 10ms..20ms --points 2 --svg fall.ron",
        "map swing.ron --size 2x2 --csv fall.ron",
        "advise --rope segments=2,mass=1,stiffness=100 --duration 0.1 --svg fall.ron",
    ] {
        folder.write("fall.ron", FALL);
        let error = folder.error(line);
        assert!(error.contains("a scene file has that name; --force writes over it"), "{error}");
        assert_eq!(folder.read("fall.ron"), FALL, "{line}");
        let forced = folder.run(&format!("{line} --force"));
        assert_eq!(forced.code, Some(0), "{line}: {}", forced.err);
        assert_ne!(folder.read("fall.ron"), FALL, "{line}");
    }
}

/// The table of an earlier scene would give the positions of this scene wrong triangles.
#[test]
fn positions_without_triangles_have_an_empty_table_of_them() {
    let folder = TestFolder::new();
    folder.write("run.triangles.csv", "a,b,c\n0,1,2\n");
    folder.stdout("run swing.ron --duration 10ms --positions run.csv");
    assert_eq!(folder.read("run.triangles.csv"), "a,b,c\n");
    folder.stdout("run swing.ron --duration 10ms --positions run.npy");
    let triangles = std::fs::read(folder.path().join("run.triangles.npy")).unwrap();
    let head = String::from_utf8_lossy(&triangles);
    assert!(head.contains("'shape': (0, 3)") && triangles.len() == 128, "{head}");
}

#[test]
fn without_a_display_nothing_is_recorded_and_that_is_said() {
    let folder = TestFolder::new();
    for line in ["--record x.rec swing.ron", "swing.ron --record x.rec"] {
        let ProgramOutput { err, code, .. } = folder.run(line);
        let note = "Nothing is recorded to x.rec: --record records the window.\n";
        assert!(err.contains(note) && code == Some(0), "{line}: {err}");
        assert!(!folder.path().join("x.rec").exists());
    }
}
