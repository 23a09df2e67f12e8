#!/bin/sh
# Checks everything: format, lints, the core without a window, all tests, documentation, and the
# real window on a virtual display. Stops at the first failure.
#
# `./check.sh --long` tries mutated and extreme scenes for an hour instead of a minute and random
# sessions for four hours instead of 45 seconds. It also runs all generated scenes of
# tests/physics/foreign, kills a recording process a thousand times, and simulates a whole day.
#
# The window test needs programs and libraries that a clean machine lacks. On Debian as root the
# script installs them; elsewhere it names what is missing and fails. No test is skipped.
set -eu
cd "$(dirname "$0")"

seconds=60
# About a minute of random sessions. Their number is fixed, so that slow machines run the same ones.
torture="--seed 0 --runs 60"
case "${1:-}" in
"") ;;
--long)
    seconds=3600
    torture="--seed $(date +%Y%m%d)000000 --minutes 240"
    ;;
*)
    echo "check.sh: $1 is no option; expected nothing or --long" >&2
    exit 2
    ;;
esac

started=$(date +%s)

# Prints the seconds since the start of the check and a command, and runs the command.
step() {
    printf '\n==> %s s: %s\n' "$(($(date +%s) - started))" "$*"
    "$@"
}

# Debian packages: a virtual X server, a program that moves its mouse, software OpenGL, and the
# libraries that the window opens at run time.
packages="xvfb xdotool libgl1 libgl1-mesa-dri libx11-6 libxi6 libxkbcommon0 libxcursor1"

missing_packages() {
    for package in $packages; do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$state" = installed ] || printf '%s ' "$package"
    done
}

missing_programs() {
    for program in Xvfb xdotool; do
        command -v "$program" >/dev/null || printf '%s ' "$program"
    done
}

provide_display() {
    if ! command -v dpkg-query >/dev/null; then
        missing=$(missing_programs)
        what="programs"
    else
        missing=$(missing_packages)
        what="packages"
        if [ -n "$missing" ] && [ "$(id -u)" = 0 ]; then
            export DEBIAN_FRONTEND=noninteractive
            apt-get update -q
            # shellcheck disable=SC2086 # a list of words
            apt-get install -q -y --no-install-recommends $missing
            missing=$(missing_packages)
        fi
    fi
    if [ -n "$missing" ]; then
        echo "check.sh: the window test needs these $what, which are missing: $missing" >&2
        exit 1
    fi
}

step provide_display
step cargo fmt --check
step cargo clippy --locked --workspace --lib --bins --tests --test release --test window \
    -- -D warnings
step cargo clippy --locked --lib --no-default-features -- -D warnings
step cargo clippy --locked --no-default-features --features cli -- -D warnings
# Two tests run for a time: scenes with a few words changed, and scenes with extreme numbers,
# contact and analyses.
step env ROPELAB_MUTATION_SECONDS=$seconds ROPELAB_EXTREME_SECONDS=$((seconds / 4)) \
    cargo test --locked --workspace
if [ "$seconds" -gt 60 ]; then
    # A process that records and saves is killed a thousand times; a session runs a simulated day.
    step env ROPELAB_KILLS=1000 cargo test --locked --workspace --lib -- disk::tests
    step env ROPELAB_DAY=1 cargo test --locked --workspace --test simulated_day
    # All cases of tests of which a part runs otherwise, for instance sixty generated scenes
    # (tests/physics/foreign), each for minutes of simulated time.
    step env ROPELAB_LONG=1 cargo test --locked --workspace --test physics -- foreign cloths
fi
# The program as people start it: the hashes of all scenes, the memory of a large cloth, and the
# window. The tests themselves are those of the profile that is already built.
step cargo build --locked --release
program=$(realpath "${CARGO_TARGET_DIR:-target}/release/ropelab")
step env "ROPELAB_PROGRAM=$program" \
    cargo test --locked --workspace --test release --test window
# Random sessions that check invariants.
# shellcheck disable=SC2086 # a list of words
step "$program" torture $torture
step env RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps

printf '\nEverything is as it should be, after %s s.\n' "$(($(date +%s) - started))"
