//! Labels, units and tooltips of the dials: numbers of the scene that have a slider.

use super::fields::FieldHelp;
use crate::scene::dials::DialKind;

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
            "Mean speed of the wind, in the scene's own direction or else along x: raise it and \
             watch a flag begin to flutter.",
        ),
        DialKind::Friction => (
            "friction",
            "×",
            "Factor on the coefficients of friction of obstacles and balls: at 0 everything slides.",
        ),
        DialKind::SurfaceFriction => (
            "friction",
            "",
            "Coefficient of friction of this material's surface: two surfaces in contact use the \
             geometric mean of theirs, so at 0 watch it slide over everything.",
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
            "Flexural rigidity: resistance to bending however finely the rope is divided, so \
             raise it and watch the rope become a rod.",
        ),
        DialKind::ClothRigidity => (
            "bending EI",
            "N·m",
            "Flexural rigidity per width: resistance to bending however finely the cloth is divided, \
             so raise it and watch folds become wide.",
        ),
        DialKind::AxialDamping => (
            "damping",
            "N·s",
            "Axial damping, of which a link of length l has damping/l: watch vibrations die sooner, \
             and the stable step shrink where it is too much.",
        ),
        DialKind::LinkDamping => (
            "damping",
            "N·s/m",
            "Damping of every link along itself: watch vibrations die sooner, and the stable step \
             shrink where it is too much.",
        ),
        DialKind::Segments => (
            "segments",
            "",
            "Links of the rope: more of them are shorter and lighter, and so stiffer. The scene \
             restarts: watch the stable step fall.",
        ),
        DialKind::Cells => (
            "cells across",
            "",
            "Cells across the cloth or net; the number of cells down it changes in proportion. The \
             scene restarts: finer cells make finer folds and a shorter stable step.",
        ),
    };
    FieldHelp { label, unit, text, source: RESET }
}
