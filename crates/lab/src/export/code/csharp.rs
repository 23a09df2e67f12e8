//! Templates of the exported time step in C#, with Unity's vectors.

use super::templates::{LoopTemplates, SolverTemplate};

pub(super) const TEMPLATES: LoopTemplates = LoopTemplates {
    frame: r"
using UnityEngine;

// Two ends, rest length in m, stiffness in N/m (infinite: rigid), damping in N s/m.
public struct Link { public int a, b; public float rest, stiffness, damping; }{types}

public static class Rope
{
    // {title}: one step of {dt} s. Call it from FixedUpdate with this fixed time step.
    // x: positions, {state}: {states}, w: 1 / mass, 0 where pinned.{memory_says}
    public static void Step(Vector3[] x, Vector3[] {state}, {memory}float[] w, Link[] links, {tethers}Vector3 gravity)
    {
        const float h = {dt}f / {substeps};
        for (int s = 0; s < {substeps}; s++)
        {
            {body}
        }
    }
}
",
    indent: "            ",
    springs: r"
public static class Springs
{
    public static Vector3[] Accelerations(
        Vector3[] x, Vector3[] v, float[] w, Link[] links, Vector3 gravity)
    {
        var a = new Vector3[x.Length];
        System.Array.Fill(a, gravity);
        foreach (var link in links)
        {
            var (i, j) = (link.a, link.b);
            var l = Vector3.Distance(x[i], x[j]);
            var n = (x[j] - x[i]) / l;
            var f = link.stiffness * (l - link.rest) + {damping} * Vector3.Dot(v[j] - v[i], n);
            a[i] += n * (f * w[i]);
            a[j] -= n * (f * w[j]);
        }
        return a;
    }
}
",
    damping: ["link.damping", "(link.damping + {beta}f * link.stiffness)"],
    accelerations: [
        "var a = Springs.Accelerations(x, v, w, links, gravity);",
        "var a = new Vector3[x.Length];\nSystem.Array.Fill(a, gravity);",
    ],
    free_particles: [
        r"
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    {statement};
}
",
        r"
for (int i = 0; i < x.Length; i++)
{
    if (w[i] > 0) {statement};
}
",
    ],
    half: "0.5f",
    again: "a = Springs.Accelerations(x, v, w, links, gravity);",
    stages: "var (xs, vs) = ((Vector3[])x.Clone(), (Vector3[])v.Clone());",
    of_stages: [
        "a = Springs.Accelerations(xs, vs, w, links, gravity);",
        "var next = Springs.Accelerations(xs, vs, w, links, gravity);",
    ],
    predicted: "var predicted = (Vector3[])v.Clone();",
    of_predicted: "a = Springs.Accelerations(x, predicted, w, links, gravity);",
    position_verlet: r"
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    var next = 2 * x[i] - old[i] + a[i] * (h * h);
    old[i] = x[i];
    x[i] = next;
}
",
    backward: r"
before ??= new Vector3[x.Length];
var v = new Vector3[x.Length];
for (int i = 0; i < x.Length; i++)
{
    if (w[i] > 0) v[i] = (x[i] - old[i]) / h + before[i] * (0.5f * h);
}
",
    keep: "before = a;",
    rk4: r"
var (dx, dv) = (new Vector3[x.Length], new Vector3[x.Length]);
foreach (var (weight, next) in new[] { (1f, 0.5f), (2f, 0.5f), (2f, 1f), (1f, 0f) })
{
    var a = Springs.Accelerations(xs, vs, w, links, gravity);
    for (int i = 0; i < x.Length; i++)
    {
        if (w[i] == 0) continue;
        dx[i] += vs[i] * (weight / 6);
        dv[i] += a[i] * (weight / 6);
        (xs[i], vs[i]) = (x[i] + vs[i] * (next * h), v[i] + a[i] * (next * h));
    }
}
for (int i = 0; i < x.Length; i++)
{
    x[i] += dx[i] * h;
    v[i] += dv[i] * h;
}
",
    beeman: r"
before ??= (Vector3[])a.Clone();
var predicted = (Vector3[])v.Clone();
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    x[i] += v[i] * h + (4 * a[i] - before[i]) * (h * h / 6);
    predicted[i] += (3 * a[i] - before[i]) * (0.5f * h);
}
var next = Springs.Accelerations(x, predicted, w, links, gravity);
for (int i = 0; i < x.Length; i++)
{
    if (w[i] > 0) v[i] += (2 * next[i] + 5 * a[i] - before[i]) * (h / 6);
}
before = a;
",
    memory: ["ref Vector3[] before, ", "null"],
    comment: "\n    // ",
    solvers: &[RELAXATION, XPBD, SOFT_STEP, DIRECT],
    tethers: r"
foreach (var tether in tethers)
{
    var way = x[tether.particle] - x[tether.pin];
    if (way.magnitude > tether.longest)
        x[tether.particle] = x[tether.pin] + way * (tether.longest / way.magnitude);
}
",
    tether: [
        "Tether[] tethers, ",
        r"

// A free particle, its nearest pin along the links, and the longest distance between them in m:
// {multiplier} of the path along the links at rest.
public struct Tether { public int particle, pin; public float longest; }",
    ],
    free: "var free = (Vector3[])x.Clone();",
    velocities: r"
for (int i = 0; i < x.Length; i++)
{
    v[i] += (x[i] - free[i]) / h;
}
",
};

const RELAXATION: SolverTemplate = SolverTemplate {
    name: "relaxation",
    text: r"
for (int sweep = 0; sweep < {iterations}; sweep++)
{
    foreach (var link in links)
    {
        var (i, j) = (link.a, link.b);
        var d = x[j] - x[i];
        {correction}
        x[i] += d * (part * w[i]);
        x[j] -= d * (part * w[j]);
    }
}
",
    forms: &[(
        "{correction}",
        [
            r"var l = d.magnitude;
        if (l == 0 || w[i] + w[j] == 0) continue;
        var part = {share}f * (l - link.rest) / (l * (w[i] + w[j]));",
            r"var (l2, rest2) = (d.sqrMagnitude, link.rest * link.rest);
        if (w[i] + w[j] == 0) continue;
        var part = {share}f * (l2 - rest2) / ((l2 + rest2) * (w[i] + w[j]));",
        ],
    )],
    memory: ["", ""],
};

const XPBD: SolverTemplate = SolverTemplate {
    name: "xpbd",
    text: r"
var pulls = new float[links.Length];
for (int sweep = 0; sweep < {iterations}; sweep++)
{
    for (int k = 0; k < links.Length; k++)
    {
        var link = links[k];
        var (i, j) = (link.a, link.b);
        var d = x[j] - x[i];
        var l = d.magnitude;
        if (l == 0 || w[i] + w[j] == 0) continue;
        var compliance = 1 / (link.stiffness * h * h);
        var more = (l - link.rest - compliance * pulls[k]) / (w[i] + w[j] + compliance);
        pulls[k] += more;
        x[i] += d * (more * w[i] / l);
        x[j] -= d * (more * w[j] / l);
    }
}
",
    forms: &[],
    memory: ["", ""],
};

const SOFT_STEP: SolverTemplate = SolverTemplate {
    name: "soft-step",
    text: r"
// Each link's direction, excess length, effective mass and softness at the start of the substep.
// The impulses of the previous substep are applied first: a warm start.
var rows = new (Vector3 n, float excess, float mass, float rate, float soft)[links.Length];
for (int k = 0; k < links.Length; k++)
{
    var link = links[k];
    var (i, j) = (link.a, link.b);
    var d = x[j] - x[i];
    var l = d.magnitude;
    rows[k].soft = 1;
    if (l == 0 || w[i] + w[j] == 0) continue;
    var mass = 1 / (w[i] + w[j]);
    {softness}
    var a1 = 2 * zeta + h * omega;
    rows[k] = (d / l, l - link.rest, mass, omega / a1, 1 / (1 + h * omega * a1));
    v[i] -= d * (impulses[k] * w[i] / l);
    v[j] += d * (impulses[k] * w[j] / l);
}
for (int sweep = 0; sweep < {iterations}; sweep++)
{
    for (int k = 0; k < links.Length; k++)
    {
        var (i, j) = (links[k].a, links[k].b);
        var row = rows[k];
        var speed = Vector3.Dot(v[j] - v[i], row.n) + row.rate * row.excess;
        var more = (row.soft - 1) * row.mass * speed - row.soft * impulses[k];
        impulses[k] += more;
        v[i] -= row.n * (more * w[i]);
        v[j] += row.n * (more * w[j]);
    }
}
for (int i = 0; i < x.Length; i++)
{
    if (w[i] > 0) x[i] += v[i] * h;
}
// The relax pass removes velocities that only served to correct positions.
for (int sweep = 0; sweep < {relax}; sweep++)
{
    for (int k = 0; k < links.Length; k++)
    {
        var (i, j) = (links[k].a, links[k].b);
        if (w[i] + w[j] == 0{unrelaxed}) continue;
        var n = (x[j] - x[i]).normalized;
        var more = -Vector3.Dot(v[j] - v[i], n) / (w[i] + w[j]);
        impulses[k] += more;
        v[i] -= n * (more * w[i]);
        v[j] += n * (more * w[j]);
    }
}
",
    forms: &[
        (
            "{softness}",
            [
                "var omega = Mathf.Min(2 * Mathf.PI * {hertz}f, Mathf.PI / (2 * h));\n    var zeta = {zeta}f;",
                r"var omega = Mathf.Min(Mathf.Sqrt(link.stiffness / mass), Mathf.PI / (2 * h));
    var zeta = float.IsInfinity(link.stiffness) ? {zeta}f : link.damping / (2 * mass * omega);",
            ],
        ),
        ("{unrelaxed}", ["", " || !float.IsInfinity(links[k].stiffness)"]),
    ],
    memory: [
        "float[] impulses, ",
        "\n    // impulses: one per link in N s, kept from step to step; 0 at first.",
    ],
};

const DIRECT: SolverTemplate = SolverTemplate {
    name: "direct",
    text: r"
// Solves all links of the rope at once. Link k + 1 begins where link k ends.
var pulls = new float[links.Length];
for (int solve = 0; solve < {iterations}; solve++)
{
    var rows = new (Vector3 n, float pivot, float right, float beside)[links.Length];
    for (int k = 0; k < links.Length; k++)
    {
        var link = links[k];
        var (i, j) = (link.a, link.b);
        var d = x[j] - x[i];
        var l = d.magnitude;
        var compliance = 1 / (link.stiffness * h * h);
        rows[k] = (d / l, w[i] + w[j] + compliance, l - link.rest - compliance * pulls[k], 0);
        if (k == 0) continue;
        var before = rows[k - 1];
        var beside = -w[i] * Vector3.Dot(before.n, d / l);
        rows[k].beside = beside;
        rows[k].pivot -= beside * beside / before.pivot;
        rows[k].right -= beside / before.pivot * before.right;
    }
    float known = 0;
    for (int k = links.Length - 1; k >= 0; k--)
    {
        var (i, j) = (links[k].a, links[k].b);
        var beside = k + 1 < links.Length ? rows[k + 1].beside : 0;
        known = (rows[k].right - beside * known) / rows[k].pivot;
        pulls[k] += known;
        x[i] += rows[k].n * (known * w[i]);
        x[j] -= rows[k].n * (known * w[j]);
    }
}
",
    forms: &[],
    memory: ["", ""],
};
