//! Memory limit of a run. The limit is for release builds only, because unoptimised builds need
//! other amounts.

#[test]
fn the_cloth_of_w3_needs_less_than_64_mb() {
    let line = super::answer(&["bench", "W3", "--seconds", "0.1"]);
    let peak = line["peak_mb"].as_f64().expect("a peak");
    println!("W3 peaks at {peak:.1} MB");
    assert!(peak < 64.0, "{peak} MB");
}
