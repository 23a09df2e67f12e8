//! Chapters of `docs/scene-format.md`, in the order in which an author writes a scene.

/// Chapter with fields of a scene and the types that they use.
pub struct Chapter {
    pub title: &'static str,
    pub intro: &'static str,
    /// Fields of `SceneFile`.
    pub fields: &'static [&'static str],
    /// Names of types that have a section of their own. Other types are listed below the first
    /// field that contains them.
    pub types: &'static [&'static str],
}

pub const CHAPTERS: &[Chapter] = &[
    Chapter {
        title: "Name",
        intro: "",
        fields: &["version", "name", "look_for", "group"],
        types: &[],
    },
    Chapter {
        title: "Materials",
        intro: "`ropelab list materials` lists real materials, which need no entry here.",
        fields: &["materials"],
        types: &["RopeMaterialFile", "ClothMaterialFile"],
    },
    Chapter {
        title: "Bodies",
        intro: "Particles are numbered from 0 in this order: `particles`, balls, nets, cloths, ropes.",
        fields: &["ropes", "cloths", "nets", "particles", "links", "bends", "cuts"],
        types: &["RopeFile", "SheetFile"],
    },
    Chapter {
        title: "Pins, masses, velocities and the start",
        intro: "",
        fields: &["pins", "masses", "velocities", "start"],
        types: &["Particles", "Trajectory"],
    },
    Chapter { title: "Forces", intro: "", fields: &["forces"], types: &["Force"] },
    Chapter {
        title: "Colliders and balls",
        intro: "",
        fields: &["colliders", "surfaces", "balls", "thrown", "no_contact"],
        types: &["ShapeFile", "SurfaceFile"],
    },
    Chapter {
        title: "Lanes and their settings",
        intro: "",
        fields: &["settings", "lanes"],
        types: &["SettingsFile"],
    },
    Chapter {
        title: "Integrators",
        intro: "[The catalogue](catalogue.md#integrators) compares them.",
        fields: &[],
        types: &["Method"],
    },
    Chapter {
        title: "Constraint solvers",
        intro: "[The catalogue](catalogue.md#constraint-solvers) compares them.",
        fields: &[],
        types: &["ConstraintSolver"],
    },
    Chapter {
        title: "Contact methods",
        intro: "[The catalogue](catalogue.md#contact) compares them.",
        fields: &[],
        types: &["ContactMethod"],
    },
    Chapter {
        title: "Frames and steps",
        intro: "[The catalogue](catalogue.md#stepping-schemes) describes stepping schemes.",
        fields: &[],
        types: &["Stepping", "GuardsFile", "FrameSource"],
    },
    Chapter {
        title: "Camera and annotations",
        intro: "These fields do not affect the simulation.",
        fields: &["floor", "camera", "annotations"],
        types: &["Measure", "ClosedForm", "Goal"],
    },
    Chapter {
        title: "Drawing",
        intro: "Fields for bodies out of single particles and links.",
        fields: &["faces", "drawn_ropes", "drawn_cloths"],
        types: &[],
    },
];
