//! Labels, units and tooltips of the dials. A dial is a value of the scene that has a slider.

use super::fields::FieldHelp;
use crate::scene::dials::DialKind;

pub(super) fn help_of(kind: DialKind) -> FieldHelp {
    const RESET: &str = "The mark is the scene's own value; a double click restores it.";
    let (label, unit, text) = match kind {
        DialKind::Gravity => (
            "gravity",
            "m/s²",
            "Acceleration of every body by gravity. On the Moon a rope hangs in the same curve as \
            on Earth, but swings 2.5 times as slowly.",
        ),
        DialKind::Wind => (
            "wind",
            "m/s",
            "Mean speed of the wind, in the direction that the scene sets, or else along x. Raise \
            it and watch a flag begin to flutter.",
        ),
        DialKind::Friction => (
            "friction",
            "×",
            "Factor on the coefficients of friction of obstacles and balls: at 0 everything slides.",
        ),
        DialKind::SurfaceFriction => (
            "friction",
            "",
            "Coefficient of friction of this material's surface. Two surfaces in contact use the \
            geometric mean of their coefficients, so at 0 the material slides over everything.",
        ),
        DialKind::MassPerMetre => (
            "mass",
            "g/m",
            "Mass of a metre of rope. A quarter of the mass doubles the frequencies of vibration \
            and halves the longest stable step.",
        ),
        DialKind::ArealDensity => (
            "mass",
            "g/m²",
            "Mass of a square metre of cloth. A quarter of the mass doubles the frequencies of \
            vibration and halves the longest stable step.",
        ),
        DialKind::AxialStiffness => (
            "stiffness EA",
            "N",
            "Axial stiffness: force per unit strain. Four times the stiffness halves the longest \
            stable step of springs.",
        ),
        DialKind::StretchStiffness => (
            "stretch",
            "N/m",
            "Stiffness of the links along rows and columns. Four times the stiffness halves the \
            longest stable step of springs.",
        ),
        DialKind::ShearStiffness => (
            "shear",
            "N/m",
            "Stiffness of both diagonals of a cell: soft diagonals let a cloth \
                drape.",
        ),
        DialKind::RopeBendStiffness => (
            "bend springs",
            "N",
            "Axial stiffness of springs between second neighbours: raise it and watch the rope \
             become a rod.",
        ),
        DialKind::ClothBendStiffness => (
            "bend springs",
            "N/m",
            "Stiffness of springs between second neighbours: raise it and watch folds become wide.",
        ),
        DialKind::RopeRigidity => (
            "bending EI",
            "N·m²",
            "Flexural rigidity: resistance to bending that does not depend on the number of \
            segments. Raise it and watch the rope become a rod.",
        ),
        DialKind::ClothRigidity => (
            "bending EI",
            "N·m",
            "Flexural rigidity per width: resistance to bending that does not depend on the \
            number of cells. Raise it and watch folds become wide.",
        ),
        DialKind::AxialDamping => (
            "damping",
            "N·s",
            "Axial damping D: a link of length l has the damping D/l. Raise it and watch \
            vibrations die out sooner; too much damping shortens the stable step.",
        ),
        DialKind::LinkDamping => (
            "damping",
            "N·s/m",
            "Damping of every link along its length. Raise it and watch vibrations die out \
            sooner; too much damping shortens the stable step.",
        ),
        DialKind::Segments => (
            "segments",
            "",
            "Number of links of the rope. More links are shorter, lighter and stiffer, so the \
            stable step falls. A change restarts the scene.",
        ),
        DialKind::Cells => (
            "cells across",
            "",
            "Number of cells across the cloth or net; the number down it changes in proportion. \
            Finer cells make finer folds and a shorter stable step. A change restarts the scene.",
        ),
    };
    FieldHelp { label, unit, text, source: RESET }
}
