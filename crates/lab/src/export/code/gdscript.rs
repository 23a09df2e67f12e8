//! Pieces of loops in GDScript.

use super::Pieces;

pub(super) const PIECES: Pieces = Pieces {
    frame: r"
# {title}: one step of {dt} s, from _physics_process at that rate.
# x: positions, {state}: {states}, w: 1 / mass, 0 where pinned. Packed arrays are passed by
# reference. A link is a dictionary of its ends a and b, rest length in m, stiffness in N/m (INF:
# rigid) and damping in N s/m.{memory_says}
func step(x: PackedVector3Array, {state}: PackedVector3Array, {memory}w: PackedFloat64Array,
		links: Array[Dictionary], gravity: Vector3) -> void:
	var h := {dt} / {substeps}
	for substep in {substeps}:
		{body}
",
    indent: "\t\t",
    springs: r"
func accelerations(x: PackedVector3Array, v: PackedVector3Array, w: PackedFloat64Array,
		links: Array[Dictionary], gravity: Vector3) -> PackedVector3Array:
	var a := PackedVector3Array()
	a.resize(x.size())
	a.fill(gravity)
	for link in links:
		var i: int = link.a
		var j: int = link.b
		var l := x[i].distance_to(x[j])
		var n := (x[j] - x[i]) / l
		var f: float = link.stiffness * (l - link.rest) + {damping} * (v[j] - v[i]).dot(n)
		a[i] += n * (f * w[i])
		a[j] -= n * (f * w[j])
	return a
",
    damping: ["link.damping", "(link.damping + {beta} * link.stiffness)"],
    accelerations: [
        "var a := accelerations(x, v, w, links, gravity)",
        "var a := PackedVector3Array()\na.resize(x.size())\na.fill(gravity)",
    ],
    explicit_euler: r"
for i in x.size():
	if w[i] > 0.0:
		x[i] += v[i] * h
		v[i] += a[i] * h
",
    symplectic_euler: r"
for i in x.size():
	if w[i] > 0.0:
		v[i] += a[i] * h
		x[i] += v[i] * h
",
    velocity_verlet: [
        r"
for i in x.size():
	if w[i] > 0.0:
		v[i] += a[i] * (0.5 * h)
		x[i] += v[i] * h
a = accelerations(x, v, w, links, gravity)
for i in x.size():
	if w[i] > 0.0:
		v[i] += a[i] * (0.5 * h)
",
        r"
for i in x.size():
	if w[i] > 0.0:
		x[i] += v[i] * h + a[i] * (0.5 * h * h)
		v[i] += a[i] * h
",
    ],
    position_verlet: r"
for i in x.size():
	if w[i] > 0.0:
		var next := 2.0 * x[i] - old[i] + a[i] * (h * h)
		old[i] = x[i]
		x[i] = next
",
    backward: r"
var v := x.duplicate()
for i in x.size():
	v[i] = (x[i] - old[i]) / h
",
    rk4: r"
var xs := x.duplicate()
var vs := v.duplicate()
var x0 := x.duplicate()
var v0 := v.duplicate()
for stage in [[1.0, 0.5], [2.0, 0.5], [2.0, 1.0], [1.0, 0.0]]:
	var weight: float = stage[0] / 6.0 * h
	var next: float = stage[1] * h
	var a := accelerations(xs, vs, w, links, gravity)
	for i in x.size():
		if w[i] > 0.0:
			x[i] += vs[i] * weight
			v[i] += a[i] * weight
			xs[i] = x0[i] + vs[i] * next
			vs[i] = v0[i] + a[i] * next
",
    midpoint: r"
var xs := x.duplicate()
var vs := v.duplicate()
for i in x.size():
	if w[i] > 0.0:
		xs[i] += v[i] * (0.5 * h)
		vs[i] += a[i] * (0.5 * h)
a = accelerations(xs, vs, w, links, gravity)
for i in x.size():
	if w[i] > 0.0:
		x[i] += vs[i] * h
		v[i] += a[i] * h
",
    heun: r"
var xs := x.duplicate()
var vs := v.duplicate()
for i in x.size():
	if w[i] > 0.0:
		xs[i] += v[i] * h
		vs[i] += a[i] * h
var next := accelerations(xs, vs, w, links, gravity)
for i in x.size():
	if w[i] > 0.0:
		x[i] += (v[i] + vs[i]) * (0.5 * h)
		v[i] += (a[i] + next[i]) * (0.5 * h)
",
    leapfrog: r"
var predicted := v.duplicate()
for i in x.size():
	if w[i] > 0.0:
		predicted[i] += a[i] * h
		v[i] += a[i] * (0.5 * h)
		x[i] += v[i] * h
a = accelerations(x, predicted, w, links, gravity)
for i in x.size():
	if w[i] > 0.0:
		v[i] += a[i] * (0.5 * h)
",
    beeman: r"
if before.is_empty():
	before.append_array(a)
var predicted := v.duplicate()
for i in x.size():
	if w[i] > 0.0:
		x[i] += v[i] * h + (4.0 * a[i] - before[i]) * (h * h / 6.0)
		predicted[i] += (3.0 * a[i] - before[i]) * (0.5 * h)
var next := accelerations(x, predicted, w, links, gravity)
for i in x.size():
	if w[i] > 0.0:
		v[i] += (2.0 * next[i] + 5.0 * a[i] - before[i]) * (h / 6.0)
	before[i] = a[i]
",
    memory: [
        "before: PackedVector3Array, ",
        "\n# before: accelerations of the substep before; empty at first.",
    ],
    relaxation: r"
for sweep in {iterations}:
	for link in links:
		var i: int = link.a
		var j: int = link.b
		var d := x[j] - x[i]
		var l := d.length()
		if l == 0.0 or w[i] + w[j] == 0.0:
			continue
		var part: float = {share} * (l - link.rest) / (l * (w[i] + w[j]))
		x[i] += d * (part * w[i])
		x[j] -= d * (part * w[j])
",
    xpbd: r"
var pulls := PackedFloat64Array()
pulls.resize(links.size())
for sweep in {iterations}:
	for k in links.size():
		var link := links[k]
		var i: int = link.a
		var j: int = link.b
		var d := x[j] - x[i]
		var l := d.length()
		if l == 0.0 or w[i] + w[j] == 0.0:
			continue
		var compliance: float = 1.0 / (link.stiffness * h * h)
		var more: float = (l - link.rest - compliance * pulls[k]) / (w[i] + w[j] + compliance)
		pulls[k] += more
		x[i] += d * (more * w[i] / l)
		x[j] -= d * (more * w[j] / l)
",
    free: "var free := x.duplicate()",
    velocities: r"
for i in x.size():
	v[i] += (x[i] - free[i]) / h
",
};
