//! Stand-in for the command line.
fn main() -> anyhow::Result<()> {
    ropelab::app::run(std::env::args_os().nth(1).map(Into::into))
}
