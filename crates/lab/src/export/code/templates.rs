//! Templates of source code.

/// Templates of source code in one language. Placeholders such as `{dt}` are replaced by numbers.
pub(super) struct LoopTemplates {
    /// Code around the body of the substep. Placeholders: `{title}`, `{dt}`, `{substeps}`,
    /// `{body}`, `{state}`.
    pub frame: &'static str,
    pub indent: &'static str,
    /// Function that computes the accelerations by gravity and springs.
    pub springs: &'static str,
    /// Expressions for the damping of a link in N·s/m: [its own damping, its own damping plus
    /// `{beta}` times its stiffness]. `{beta}` is the stiffness damping in seconds.
    pub damping: [&'static str; 2],
    /// Statement that computes the accelerations `a`: [from springs and gravity, only from
    /// gravity].
    pub accelerations: [&'static str; 2],
    /// Loop over the free particles: [with several statements, with one statement]. The line with
    /// `{statement}` is repeated for each statement.
    pub free_particles: [&'static str; 2],
    /// Text of the number 0.5, which replaces `{half}` in statements.
    pub half: &'static str,
    /// Statement that computes the accelerations `a` from springs a second time.
    pub again: &'static str,
    /// Statement that copies positions and velocities to `xs` and `vs`.
    pub stages: &'static str,
    /// Statement that computes accelerations at the copies: [as `a`, as `next`].
    pub of_stages: [&'static str; 2],
    /// Statement that copies the velocities to `predicted`.
    pub predicted: &'static str,
    /// Statement that computes the accelerations `a` at the positions and the predicted velocities.
    pub of_predicted: &'static str,
    /// Free motion by position Verlet.
    pub position_verlet: &'static str,
    /// Statements that compute velocities from the positions of two substeps and the previous
    /// accelerations, for springs under position Verlet.
    pub backward: &'static str,
    /// Statement that stores the accelerations for the next substep.
    pub keep: &'static str,
    /// Free motion by RK4, after `stages`.
    pub rk4: &'static str,
    pub beeman: &'static str,
    /// Accelerations of the previous substep, which Beeman and position Verlet need: [parameter of
    /// the function, word for an empty memory].
    pub memory: [&'static str; 2],
    /// Start of an additional line in the comment on the function.
    pub comment: &'static str,
    /// Solvers that fit into a loop.
    pub solvers: &'static [SolverTemplate],
    /// Tethers. They limit distances to pins after the sweeps of a substep.
    pub tethers: &'static str,
    /// Tethers: [parameter of the function, type of a tether]. Placeholder: `{multiplier}`.
    pub tether: [&'static str; 2],
    /// Statement that copies the positions before the projection.
    pub free: &'static str,
    pub velocities: &'static str,
}

pub(super) struct SolverTemplate {
    /// Name of the solver.
    pub name: &'static str,
    /// Code after the free motion. Its placeholders are those of `forms` and of
    /// [`PlainLoop::numbers`](crate::constraint::PlainLoop::numbers).
    pub text: &'static str,
    /// Placeholders, each with its code in the two forms of the solver; see
    /// [`PlainLoop::form`](crate::constraint::PlainLoop::form).
    pub forms: &'static [(&'static str, [&'static str; 2])],
    /// Memory of the solver between substeps: [parameter of the function, comment on it].
    pub memory: [&'static str; 2],
}
