//! Labels, units and tooltips of the numbers of the scene.

use super::fields::FieldHelp;
use crate::scene::dials::DialKind;

/// Label, unit and tooltip of a dial.
pub(super) fn help_of(kind: DialKind) -> FieldHelp {
    const RESET: &str = "The mark is the scene's own number; a double click restores it.";
    let (label, unit, text) = match kind {
        DialKind::Gravity => (
            "gravity",
            "m/s²",
            "Acceleration that pulls on everything: on the Moon the same rope hangs as it does here, \
             and swings 2.5 times as slowly.",
        ),
        DialKind::Wind => (
            "wind",
            "m/s",
            "Mean speed of the air, in the direction that the scene has, else along x: push a flag \
             until it flutters.",
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
             geometric mean of theirs, so at 0 it slides over everything.",
        ),
        DialKind::MassPerMetre => (
            "mass",
            "g/m",
            "Mass of a metre of rope: a quarter of it doubles the frequencies, and halves the \
             longest stable step.",
        ),
        DialKind::ArealDensity => (
            "mass",
            "g/m²",
            "Mass of a square metre of cloth: a quarter of it doubles the frequencies, and halves \
             the longest stable step.",
        ),
        DialKind::AxialStiffness => (
            "stiffness EA",
            "N",
            "Force per unit strain: four times as much halves the longest stable step of springs.",
        ),
        DialKind::StretchStiffness => (
            "stretch",
            "N/m",
            "Stiffness of links along rows and columns: four times as much halves the longest stable \
             step of springs.",
        ),
        DialKind::ShearStiffness => {
            ("shear", "N/m", "Stiffness of both diagonals of a cell: soft ones let a cloth drape.")
        }
        DialKind::RopeBendStiffness => {
            ("bend springs", "N", "Axial stiffness of springs between second neighbours.")
        }
        DialKind::ClothBendStiffness => {
            ("bend springs", "N/m", "Stiffness of springs between second neighbours.")
        }
        DialKind::RopeRigidity => (
            "bending EI",
            "N·m²",
            "Flexural rigidity: resistance to bending however finely the rope is divided.",
        ),
        DialKind::ClothRigidity => (
            "bending EI",
            "N·m",
            "Flexural rigidity per width: resistance to bending however finely the cloth is divided.",
        ),
        DialKind::AxialDamping => (
            "damping",
            "N·s",
            "Axial damping: a link of length l has damping/l. Too much of it shortens the stable \
             step.",
        ),
        DialKind::LinkDamping => (
            "damping",
            "N·s/m",
            "Damping of every link along itself. Too much of it shortens the stable step.",
        ),
        DialKind::Segments => (
            "segments",
            "",
            "Links of the rope. More of them are shorter and lighter, and so stiffer: the stable step \
             falls. The scene restarts.",
        ),
        DialKind::Cells => (
            "cells across",
            "",
            "Cells of the cloth or net across; their number down changes in proportion. The scene restarts.",
        ),
    };
    FieldHelp { label, unit, text, source: RESET }
}
