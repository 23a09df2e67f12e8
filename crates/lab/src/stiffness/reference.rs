//! Sources of the formulas.

pub(super) const HOOKE: &str = "Hooke's law";
pub(super) const MATERIAL: &str = "E A/L of a bar of length L";
pub(super) const UNITY: &str = "Unity manual, SpringJoint: spring in N/m, damper in N·s/m";
pub(super) const XPBD: &str = "Macklin, Müller and Chentanez 2016, XPBD, α = 1/k";
pub(super) const JOLT: &str = "Jolt, SoftBodySharedSettings::Edge::mCompliance, inverse of k";
pub(super) const OBI: &str = "Obi manual, distance constraints: compliance in m/N";
pub(super) const BOX2D: &str =
    "Box2D, b2MakeSoft in src/solver.h; joints at most 0.25/h in src/joint.c";
pub(super) const RAPIER: &str = "Rapier, SpringCoefficients, normalised by the effective mass";
pub(super) const GODOT: &str =
    "Godot 4.6, modules/jolt_physics/objects/jolt_soft_body_3d.cpp: α = h²(1/κ − 1)(w₁ + w₂)";
pub(super) const PBD: &str = "Müller et al. 2007, Position Based Dynamics, 3.3: 1 − (1 − κ)ⁿ";
pub(super) const UNREAL: &str = "Unreal, Chaos/PBDStiffness.h: ParameterFrequency = 120 Hz";
pub(super) const MUJOCO: &str =
    "MuJoCo, Modeling, Solver parameters: solref; refsafe keeps timeconst ≥ 2 dt";
