//! Chapters of `docs/scene-format.md`, in the order in which a scene is written.

/// A chapter: fields of the scene with the types that they use.
pub struct Chapter {
    pub title: &'static str,
    pub intro: &'static str,
    /// Fields of `SceneFile`.
    pub fields: &'static [&'static str],
    /// Names of types. A type that a scene can contain and that no chapter lists fails the test.
    pub types: &'static [&'static str],
}

pub const CHAPTERS: &[Chapter] = &[
    Chapter {
        title: "Name",
        intro: "A scene begins with its version and name.",
        fields: &["version", "name", "look_for", "group"],
        types: &["Group"],
    },
    Chapter {
        title: "Materials",
        intro: "A material is named once and used by many ropes, cloths and nets. `ropelab list \
                materials` lists real ones that need no entry here.",
        fields: &["materials"],
        types: &["Material", "RopeMaterialFile", "ClothMaterialFile"],
    },
    Chapter {
        title: "Bodies",
        intro: "Particles are numbered from 0: first those under `particles`, then balls, nets, \
                cloths and ropes, each in the order of its list.",
        fields: &["ropes", "cloths", "nets", "particles", "links", "bends", "cuts"],
        types: &[
            "RopeFile",
            "Via",
            "SheetFile",
            "ParticleFile",
            "LinkFile",
            "LinkKind",
            "BendFile",
        ],
    },
    Chapter {
        title: "Pins, masses, velocities and the start",
        intro: "Each entry selects particles with `of` and gives them a property.",
        fields: &["pins", "masses", "velocities", "start"],
        types: &[
            "PinFile",
            "MassFile",
            "VelocityFile",
            "StartFile",
            "Particles",
            "Corner",
            "Edge",
            "Trajectory",
        ],
    },
    Chapter {
        title: "Forces",
        intro: "Without this field, gravity acts on everything.",
        fields: &["forces"],
        types: &["ForceFile", "Force", "Gust"],
    },
    Chapter {
        title: "Colliders and balls",
        intro: "Colliders are rigid obstacles. Balls are particles that collide and roll.",
        fields: &["colliders", "surfaces", "balls", "thrown", "no_contact"],
        types: &[
            "ColliderFile",
            "ShapeFile",
            "SurfaceFile",
            "ParticleSurfaceFile",
            "BallsFile",
            "BallFile",
            "ThrownFile",
        ],
    },
    Chapter {
        title: "Lanes and their settings",
        intro: "Lanes simulate the same bodies with different settings.",
        fields: &["settings", "lanes"],
        types: &["SettingsFile", "LaneFile", "LinkMode", "Tear"],
    },
    Chapter {
        title: "Integrators",
        intro: "Values of `settings: (integrator: …)`. [The catalogue](catalogue.md#integrators) \
                compares them.",
        fields: &[],
        types: &["Method", "VerletStart", "DampingStart"],
    },
    Chapter {
        title: "Constraint solvers",
        intro: "Values of `settings: (constraints: …)`. [The \
                catalogue](catalogue.md#constraint-solvers) compares them.",
        fields: &[],
        types: &["ConstraintSolver", "SweepOrder", "Root"],
    },
    Chapter {
        title: "Contact methods",
        intro: "Values of `settings: (contact: …)`. [The catalogue](catalogue.md#contact) compares \
                them.",
        fields: &[],
        types: &["ContactMethod", "PairSearch", "BallPath", "SelfContact"],
    },
    Chapter {
        title: "Frames and steps",
        intro: "Values of `settings: (stepping: …, guards: …)` and of a lane's `frames`.",
        fields: &[],
        types: &["Stepping", "GuardsFile", "FrameSource"],
    },
    Chapter {
        title: "Camera and annotations",
        intro: "The simulation ignores these fields; they are for the eye.",
        fields: &["floor", "camera", "annotations"],
        types: &[
            "CameraSetup",
            "AnnotationsFile",
            "LabelFile",
            "PhasesFile",
            "TrailFile",
            "ReadingFile",
            "Measure",
            "ClosedForm",
            "PatternFile",
            "Pattern",
            "LessonStepFile",
            "Goal",
        ],
    },
    Chapter {
        title: "Drawing",
        intro: "Ropes, nets and cloths bring their own drawing. These fields are for bodies out of \
                single particles and links.",
        fields: &["faces", "drawn_ropes", "drawn_cloths"],
        types: &["DrawnRope", "DrawnCloth"],
    },
];
