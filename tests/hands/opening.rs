//! Test of a file that is not a valid scene yet: the window opens, shows the mistake, and waits for
//! a change of the file.

use crate::desktop::{Desktop, home_with};

const WRONG: &str = "(version: 1, name: \"mine\", ropes: [(from: (0, 0, 0), to: (1, 0))])";

#[test]
fn a_broken_file_opens_the_window_which_waits_until_it_is_right() {
    let desktop = Desktop::start("1280x800");
    let (home, file) = home_with(WRONG);
    let mut window = desktop.open(&file, home.path());
    let report = window.wait("the message", |report| {
        let messages = report["messages"].as_array()?;
        let says =
            |text: &str| text.contains("rope.ron:1:63") && text.contains("expected three numbers");
        messages.iter().filter_map(|it| it.as_str()).any(says).then(|| report.clone())
    });
    assert_eq!(report["scene"], "Clothesline", "the default scene runs meanwhile");
    std::fs::write(&file, WRONG.replace("(1, 0)", "(1, 0, 0)")).expect("the scene is written");
    window.wait("the file's own scene", |report| (report["scene"] == "mine").then_some(()));
    window.quit();
}
