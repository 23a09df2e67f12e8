//! Pieces of loops in C#, with Unity's vectors.

use super::Pieces;

pub(super) const PIECES: Pieces = Pieces {
    frame: r"
using UnityEngine;

// Two ends, rest length in m, stiffness in N/m (infinite: rigid), damping in N s/m.
public struct Link { public int a, b; public float rest, stiffness, damping; }

public static class Rope
{
    // {title}: one step of {dt} s, from FixedUpdate with that fixed time step.
    // x: positions, {state}: {states}, w: 1 / mass, 0 where pinned.{memory_says}
    public static void Step(Vector3[] x, Vector3[] {state}, {memory}float[] w, Link[] links, Vector3 gravity)
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
    explicit_euler: r"
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    x[i] += v[i] * h;
    v[i] += a[i] * h;
}
",
    symplectic_euler: r"
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    v[i] += a[i] * h;
    x[i] += v[i] * h;
}
",
    velocity_verlet: [
        r"
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    v[i] += a[i] * (0.5f * h);
    x[i] += v[i] * h;
}
a = Springs.Accelerations(x, v, w, links, gravity);
for (int i = 0; i < x.Length; i++)
{
    if (w[i] > 0) v[i] += a[i] * (0.5f * h);
}
",
        r"
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    x[i] += v[i] * h + a[i] * (0.5f * h * h);
    v[i] += a[i] * h;
}
",
    ],
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
var v = new Vector3[x.Length];
for (int i = 0; i < x.Length; i++) v[i] = (x[i] - old[i]) / h;
",
    rk4: r"
var (xs, vs) = ((Vector3[])x.Clone(), (Vector3[])v.Clone());
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
    midpoint: r"
var (xs, vs) = ((Vector3[])x.Clone(), (Vector3[])v.Clone());
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    xs[i] += v[i] * (0.5f * h);
    vs[i] += a[i] * (0.5f * h);
}
a = Springs.Accelerations(xs, vs, w, links, gravity);
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    x[i] += vs[i] * h;
    v[i] += a[i] * h;
}
",
    heun: r"
var (xs, vs) = ((Vector3[])x.Clone(), (Vector3[])v.Clone());
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    xs[i] += v[i] * h;
    vs[i] += a[i] * h;
}
var next = Springs.Accelerations(xs, vs, w, links, gravity);
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    x[i] += (v[i] + vs[i]) * (0.5f * h);
    v[i] += (a[i] + next[i]) * (0.5f * h);
}
",
    leapfrog: r"
var predicted = (Vector3[])v.Clone();
for (int i = 0; i < x.Length; i++)
{
    if (w[i] == 0) continue;
    predicted[i] += a[i] * h;
    v[i] += a[i] * (0.5f * h);
    x[i] += v[i] * h;
}
a = Springs.Accelerations(x, predicted, w, links, gravity);
for (int i = 0; i < x.Length; i++)
{
    if (w[i] > 0) v[i] += a[i] * (0.5f * h);
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
    memory: [
        "ref Vector3[] before, ",
        "\n    // before: accelerations of the substep before; null at first.",
    ],
    relaxation: r"
for (int sweep = 0; sweep < {iterations}; sweep++)
{
    foreach (var link in links)
    {
        var (i, j) = (link.a, link.b);
        var d = x[j] - x[i];
        var l = d.magnitude;
        if (l == 0 || w[i] + w[j] == 0) continue;
        var part = {share}f * (l - link.rest) / (l * (w[i] + w[j]));
        x[i] += d * (part * w[i]);
        x[j] -= d * (part * w[j]);
    }
}
",
    xpbd: r"
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
    free: "var free = (Vector3[])x.Clone();",
    velocities: r"
for (int i = 0; i < x.Length; i++)
{
    v[i] += (x[i] - free[i]) / h;
}
",
};
