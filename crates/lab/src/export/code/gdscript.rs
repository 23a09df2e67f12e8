//! Templates of the exported time step in GDScript.

use super::templates::{LoopTemplates, SolverTemplate};

const FREE_PARTICLES: &str = r"
for i in x.size():
	if w[i] > 0.0:
		{statement}
";

pub(super) const TEMPLATES: LoopTemplates = LoopTemplates {
    frame: r"
# {title}: one step of {dt} s. Call it from _physics_process at this rate.
# x: positions, {state}: {states}, w: 1 / mass, 0 where pinned. Packed arrays are passed by
# reference. A link is a dictionary of its ends a and b, rest length in m, stiffness in N/m (INF:
# rigid) and damping in N s/m.{types}{memory_says}
func step(x: PackedVector3Array, {state}: PackedVector3Array, {memory}w: PackedFloat64Array,
		links: Array[Dictionary], {tethers}gravity: Vector3) -> void:
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
    free_particles: [FREE_PARTICLES; 2],
    half: "0.5",
    again: "a = accelerations(x, v, w, links, gravity)",
    stages: "var xs := x.duplicate()\nvar vs := v.duplicate()",
    of_stages: [
        "a = accelerations(xs, vs, w, links, gravity)",
        "var next := accelerations(xs, vs, w, links, gravity)",
    ],
    predicted: "var predicted := v.duplicate()",
    of_predicted: "a = accelerations(x, predicted, w, links, gravity)",
    position_verlet: r"
for i in x.size():
	if w[i] > 0.0:
		var next := 2.0 * x[i] - old[i] + a[i] * (h * h)
		old[i] = x[i]
		x[i] = next
",
    backward: r"
before.resize(x.size())
var v := PackedVector3Array()
v.resize(x.size())
for i in x.size():
	if w[i] > 0.0:
		v[i] = (x[i] - old[i]) / h + before[i] * (0.5 * h)
",
    keep: r"
for i in x.size():
	before[i] = a[i]
",
    rk4: r"
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
    memory: ["before: PackedVector3Array, ", "empty"],
    comment: "\n# ",
    solvers: &[RELAXATION, XPBD, SOFT_STEP, DIRECT],
    tethers: r"
for tether in tethers:
	var i: int = tether.particle
	var pin: int = tether.pin
	var way := x[i] - x[pin]
	if way.length() > tether.longest:
		x[i] = x[pin] + way * (tether.longest / way.length())
",
    tether: [
        "tethers: Array[Dictionary], ",
        "\n# A tether is a dictionary of a free particle, its nearest pin along the links, and the longest\n\
         # distance between them in m: {multiplier} of the path along the links at rest.",
    ],
    free: "var free := x.duplicate()",
    velocities: r"
for i in x.size():
	v[i] += (x[i] - free[i]) / h
",
};

const RELAXATION: SolverTemplate = SolverTemplate {
    name: "relaxation",
    text: r"
for sweep in {iterations}:
	for link in links:
		var i: int = link.a
		var j: int = link.b
		var d := x[j] - x[i]
		{correction}
		x[i] += d * (part * w[i])
		x[j] -= d * (part * w[j])
",
    forms: &[(
        "{correction}",
        [
            r"var l := d.length()
		if l == 0.0 or w[i] + w[j] == 0.0:
			continue
		var part: float = {share} * (l - link.rest) / (l * (w[i] + w[j]))",
            r"var l2 := d.length_squared()
		var rest2: float = link.rest * link.rest
		if w[i] + w[j] == 0.0:
			continue
		var part: float = {share} * (l2 - rest2) / ((l2 + rest2) * (w[i] + w[j]))",
        ],
    )],
    memory: ["", ""],
};

const XPBD: SolverTemplate = SolverTemplate {
    name: "xpbd",
    text: r"
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
    forms: &[],
    memory: ["", ""],
};

const SOFT_STEP: SolverTemplate = SolverTemplate {
    name: "soft-step",
    text: r"
# Each link's direction, excess length, effective mass and softness at the start of the substep.
# The impulses of the previous substep are applied first: a warm start.
impulses.resize(links.size())
var rows := []
for k in links.size():
	var link := links[k]
	var i: int = link.a
	var j: int = link.b
	var d := x[j] - x[i]
	var l := d.length()
	if l == 0.0 or w[i] + w[j] == 0.0:
		rows.append([Vector3.ZERO, 0.0, 0.0, 0.0, 1.0])
		continue
	var mass := 1.0 / (w[i] + w[j])
	{softness}
	var a1 := 2.0 * zeta + h * omega
	rows.append([d / l, l - link.rest, mass, omega / a1, 1.0 / (1.0 + h * omega * a1)])
	v[i] -= d * (impulses[k] * w[i] / l)
	v[j] += d * (impulses[k] * w[j] / l)
for sweep in {iterations}:
	for k in links.size():
		var i: int = links[k].a
		var j: int = links[k].b
		var n: Vector3 = rows[k][0]
		var soft: float = rows[k][4]
		var speed: float = (v[j] - v[i]).dot(n) + rows[k][3] * rows[k][1]
		var more: float = (soft - 1.0) * rows[k][2] * speed - soft * impulses[k]
		impulses[k] += more
		v[i] -= n * (more * w[i])
		v[j] += n * (more * w[j])
for i in x.size():
	if w[i] > 0.0:
		x[i] += v[i] * h
# The relax pass removes velocities that only served to correct positions.
for sweep in {relax}:
	for k in links.size():
		var i: int = links[k].a
		var j: int = links[k].b
		if w[i] + w[j] == 0.0{unrelaxed}:
			continue
		var n := (x[j] - x[i]).normalized()
		var more := -(v[j] - v[i]).dot(n) / (w[i] + w[j])
		impulses[k] += more
		v[i] -= n * (more * w[i])
		v[j] += n * (more * w[j])
",
    forms: &[
        (
            "{softness}",
            [
                "var omega := minf(TAU * {hertz}, 0.5 * PI / h)\n\tvar zeta := {zeta}",
                r"var omega := minf(sqrt(link.stiffness / mass), 0.5 * PI / h)
	var zeta: float = 0.5 * link.damping / (mass * omega) if is_finite(link.stiffness) else {zeta}",
            ],
        ),
        ("{unrelaxed}", ["", " or is_finite(links[k].stiffness)"]),
    ],
    memory: [
        "impulses: PackedFloat64Array, ",
        "\n# impulses: one per link in N s, kept from step to step; empty at first.",
    ],
};

const DIRECT: SolverTemplate = SolverTemplate {
    name: "direct",
    text: r"
# Solves all links of the rope at once. Link k + 1 begins where link k ends.
var pulls := PackedFloat64Array()
pulls.resize(links.size())
for solve in {iterations}:
	var rows := []
	for k in links.size():
		var link := links[k]
		var i: int = link.a
		var d := x[link.b] - x[i]
		var l := d.length()
		var compliance: float = 1.0 / (link.stiffness * h * h)
		var pivot: float = w[i] + w[link.b] + compliance
		var right: float = l - link.rest - compliance * pulls[k]
		var beside := 0.0
		if k > 0:
			beside = -w[i] * (d / l).dot(rows[k - 1][0])
			pivot -= beside * beside / rows[k - 1][1]
			right -= beside / rows[k - 1][1] * rows[k - 1][2]
		rows.append([d / l, pivot, right, beside])
	var known := 0.0
	for k in range(links.size() - 1, -1, -1):
		var i: int = links[k].a
		var j: int = links[k].b
		var beside: float = rows[k + 1][3] if k + 1 < links.size() else 0.0
		known = (rows[k][2] - beside * known) / rows[k][1]
		pulls[k] += known
		x[i] += rows[k][0] * (known * w[i])
		x[j] -= rows[k][0] * (known * w[j])
",
    forms: &[],
    memory: ["", ""],
};
