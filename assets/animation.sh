#!/bin/sh
# Makes assets/four-integrators.gif from a real run. The program runs on a virtual display at 1/32
# of real time with hidden panels; the display is saved every 0.06 s of simulated time. Needs the
# packages of ./check.sh, and ImageMagick.
#
#     ROPELAB=target/debug/ropelab assets/animation.sh      with another binary than the release build
set -eu
cd "$(dirname "$0")/.."
binary=${ROPELAB:-target/release/ropelab}
[ -n "${ROPELAB:-}" ] || cargo build --release --locked

folder=$(mktemp -d)
window=
trap 'kill $window $display 2>/dev/null; rm -r "$folder"' EXIT
Xvfb -displayfd 3 -screen 0 800x500x24 -noreset 3>"$folder/display" 2>/dev/null &
display=$!
until [ -s "$folder/display" ]; do sleep 0.1; done
DISPLAY=:$(cat "$folder/display")
export DISPLAY

mkdir "$folder/config" "$folder/saved"
echo '(size: (800, 500), welcomed: true, scale_bar: false)' >"$folder/config/window.ron"
ROPELAB_CONFIG_DIR="$folder/config" ROPELAB_REPORT="$folder/report" \
    "$binary" four-integrators 2>/dev/null &
window=$!
until [ -s "$folder/report" ]; do sleep 0.2; done
sleep 1
xdotool mousemove 400 495 key Tab
for _ in 1 2 3 4 5; do xdotool key minus; done
xdotool key r

# Milliseconds that the last lane has run.
lane_time() {
    grep -o '"t":[0-9.e-]*' "$folder/report" | tail -1 | cut -d: -f2 | awk '{ printf "%d", 1000 * $1 }'
}

sleep 0.5
taken=0
while [ "$taken" -lt 44 ]; do
    grep -q '"messages":\[\]' "$folder/report" || xdotool key Escape
    until [ "$(lane_time)" -ge $((taken * 60)) ]; do sleep 0.05; done
    import -window root "$folder/saved/$taken.png"
    taken=$((taken + 1))
done
xdotool key ctrl+q
wait "$window"
window=

# Pictures in the order of their numbers; the last one stays for two seconds.
set -- $(ls -v "$folder/saved"/*.png)
convert -delay 8 "$@" -resize 640x400! -strip +dither -colors 48 -layers OptimizeTransparency \
    \( -clone -1 -set delay 200 \) -delete -2 -loop 0 assets/four-integrators.gif
