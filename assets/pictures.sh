#!/bin/sh
# Makes the still pictures of README.md and docs/ from real runs: the release build on a virtual
# display takes them by its screenshot key. Needs the packages of ./check.sh. animation.sh makes the
# animation of README.md.
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

# stroke X0 Y0 X1 Y1: draws a stroke with the scissors, in pixels
stroke() {
    xdotool mousemove "$1" "$2" keydown c sleep 0.1 mousedown 1
    for part in 1 2 3 4 5 6 7 8; do
        xdotool mousemove $(($1 + ($3 - $1) * part / 8)) $(($2 + ($4 - $2) * part / 8)) sleep 0.04
    done
    xdotool mouseup 1 keyup c mousemove 1120 700
}

# picture SCENE SECONDS [X0 Y0 X1 Y1 SECONDS]: takes a picture; with a stroke, SECONDS after it
picture() {
    mkdir "$folder/$1"
    ROPELAB_CONFIG_DIR="$folder/config" ROPELAB_SAVE_DIR="$folder/$1" \
        target/release/ropelab "$1" 2>/dev/null &
    window=$!
    sleep "$2"
    if [ $# -gt 2 ]; then
        stroke "$3" "$4" "$5" "$6"
        sleep "$7"
    fi
    xdotool key F12
    until ls "$folder/$1"/*.png >/dev/null 2>&1; do sleep 0.2; done
    sleep 1
    mv "$folder/$1"/*.png "assets/$1.png"
    xdotool key ctrl+q
    wait "$window"
    rm -rf "$folder/config"
}

window=
picture clothesline 4 420 400 860 345 0.2
picture four-integrators 6
picture bridge 5

ropelab=target/release/ropelab
"$ropelab" map four-integrators --x dt=1e-4..1e-1 --y stiffness=1e1..1e6 \
    --integrator symplectic-euler,rk4 --size 128x128 --png assets/map.png
"$ropelab" advise four-integrators --error 0.05 --duration 5 --png assets/advise.png
