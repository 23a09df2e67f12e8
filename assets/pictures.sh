#!/bin/sh
# Makes the pictures of the README from real runs: the release binary on a virtual display, its own
# screenshot key, nothing retouched. Needs what ./check.sh needs.
set -eu
cd "$(dirname "$0")/.."
cargo build --release --locked

folder=$(mktemp -d)
trap 'kill $window $display 2>/dev/null; rm -r "$folder"' EXIT
Xvfb -displayfd 3 -screen 0 1280x800x24 -noreset 3>"$folder/display" 2>/dev/null &
display=$!
until [ -s "$folder/display" ]; do sleep 0.1; done
DISPLAY=:$(cat "$folder/display")
export DISPLAY

# picture SCENE SECONDS
picture() {
    mkdir "$folder/$1"
    ROPELAB_CONFIG_DIR="$folder/config" ROPELAB_SAVE_DIR="$folder/$1" \
        target/release/ropelab "$1" 2>/dev/null &
    window=$!
    sleep "$2"
    xdotool key F12
    until ls "$folder/$1"/*.png >/dev/null 2>&1; do sleep 0.2; done
    sleep 1
    mv "$folder/$1"/*.png "assets/$1.png"
    xdotool key ctrl+q
    wait "$window"
    rm -rf "$folder/config"
}

window=
picture clothesline 4
picture four-integrators 6
picture bridge 5
