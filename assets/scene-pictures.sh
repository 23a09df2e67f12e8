#!/bin/sh
# Makes the pictures of the gallery, assets/scenes/*.png, from real runs. The program runs on a
# virtual display with hidden panels and readings; its screenshot key takes the picture 6 s after the
# start, which is then made smaller. Needs the packages of ./check.sh, and ImageMagick.
#
#     assets/scene-pictures.sh [SCENE…]       all scenes, or these
#     ROPELAB=target/debug/ropelab …          another build than the release build
set -eu
cd "$(dirname "$0")/.."
binary=${ROPELAB:-target/release/ropelab}
[ -n "${ROPELAB:-}" ] || cargo build --release --locked
mkdir -p assets/scenes
[ $# -gt 0 ] || set -- $(ls scenes/*.ron | sed 's|.*/[0-9]*-||; s|\.ron$||')

folder=$(mktemp -d)
trap 'kill $window $display 2>/dev/null; rm -r "$folder"' EXIT
window=
Xvfb -displayfd 3 -screen 0 960x560x24 -noreset 3>"$folder/display" 2>/dev/null &
display=$!
until [ -s "$folder/display" ]; do sleep 0.1; done
DISPLAY=:$(cat "$folder/display")
export DISPLAY

for scene; do
    mkdir -p "$folder/config" "$folder/saved"
    echo '(size: (960, 560), welcomed: true, scale_bar: false, chips: false, readings: false)' >"$folder/config/window.ron"
    ROPELAB_CONFIG_DIR="$folder/config" ROPELAB_SAVE_DIR="$folder/saved" \
        ROPELAB_REPORT="$folder/report" "$binary" "$scene" 2>/dev/null &
    window=$!
    sleep 2
    xdotool mousemove 480 555 key Tab
    sleep 4
    # A slow machine is told so, over the picture.
    grep -q '"messages":\[\]' "$folder/report" || xdotool key Escape sleep 0.1
    xdotool key F12
    until ls "$folder/saved"/*.png >/dev/null 2>&1; do sleep 0.2; done
    sleep 0.5
    convert "$folder/saved"/*.png -resize 432x252! -strip -dither None -colors 128 \
        "PNG8:assets/scenes/$scene.png"
    xdotool key ctrl+q
    wait "$window" || true
    rm -r "$folder/config" "$folder/saved"
done
window=
