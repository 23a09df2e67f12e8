//! Checks of annotations: the particles and lanes to which they refer must exist.

use super::bodies::CheckedBodies;
use super::unknown;
use crate::LaneSetup;
use crate::names::visible_text::visible;
use crate::typed::annotation::{
    Annotations, AnnotationsFile, LabelFile, MOST_ANNOTATIONS, Pattern, PatternFile, PhasesFile,
    TimedPhases,
};
use crate::typed::lesson::{LessonStep, LessonStepFile, MOST_LESSON_STEPS};
use crate::typed::located::{Fault, Located};
use crate::typed::number::Positive;
use crate::typed::particles::Particles;
use crate::typed::reading::{Reading, ReadingFile};

impl CheckedBodies {
    /// Checks the annotations of a scene. `lanes` are the lanes of the scene.
    pub(super) fn annotations(
        &self,
        file: &AnnotationsFile,
        lanes: &[LaneSetup],
    ) -> Result<Annotations, Fault> {
        let mut room = MOST_ANNOTATIONS;
        let labels = self.labels(&file.labels, &mut room)?;
        let periods = self.labels(&file.periods, &mut room)?;
        let phases = file.phases.iter().map(|phases| self.phases(phases, &mut room));
        let phases = phases.collect::<Result<_, _>>()?;
        let readings = file.readings.iter().map(|reading| self.reading(reading, lanes, &mut room));
        let readings = readings.collect::<Result<_, _>>()?;
        let mut trails = Vec::new();
        for trail in &file.trails {
            let particles = self.find(&trail.of)?;
            take(&mut room, particles.len(), &trail.of)?;
            trails.extend(particles.into_iter().map(|i| (i, trail.seconds.into())));
        }
        let patterns = file.patterns.iter().map(|pattern| self.pattern(pattern));
        let patterns = patterns.collect::<Result<_, _>>()?;
        let (height_scale, clock, microscope) = (file.height_scale, file.clock, file.microscope);
        let restart = file.restart.map(f64::from);
        let speed = file.speed.as_ref().map(speed).transpose()?;
        let lesson = lesson(&file.lesson)?;
        Ok(Annotations {
            labels,
            trails,
            periods,
            phases,
            readings,
            patterns,
            height_scale,
            clock,
            restart,
            speed,
            microscope,
            lesson,
        })
    }

    fn reading(
        &self,
        file: &ReadingFile,
        lanes: &[LaneSetup],
        room: &mut usize,
    ) -> Result<Reading, Fault> {
        take(room, 1, &file.of)?;
        let known = |collider: Option<u32>| match (collider, self.contact.colliders.len()) {
            (Some(number), count) if number as usize >= count => Err(format!(
                "found collider {number}, but the scene has {count}, which are numbered from 0"
            )),
            _ => Ok(()),
        };
        file.measure.blame(known(file.measure.collider()))?;
        if let Some(value) = &file.value {
            value.blame(known(value.collider()))?;
        }
        let names = || lanes.iter().map(|lane| lane.name.as_str());
        if let Some(lane) =
            file.lane.as_ref().filter(|lane| !names().any(|name| name == lane.as_str()))
        {
            return Err(lane.fault(unknown("lane", lane, names())));
        }
        Ok(Reading {
            of: self.find_one(&file.of)?,
            name: visible(&file.name),
            measure: *file.measure,
            unit: visible(&file.unit),
            formula: visible(&file.formula),
            value: file.value.as_ref().map(|value| **value),
            lane: file.lane.as_ref().map(|lane| (**lane).clone()),
        })
    }

    fn pattern(&self, file: &PatternFile) -> Result<(u32, Pattern), Fault> {
        let particles = self.find(&file.of)?;
        let cloth = (0..).zip(&self.mesh.cloths).find(|(_, grid)| {
            let count = (grid.columns * grid.rows) as usize;
            particles.len() == count && particles.first() == Some(&grid.first)
        });
        let (number, _) = cloth.ok_or_else(|| {
            let count = particles.len();
            file.of.fault(format!("found {count} particles that are no cloth, expected one cloth"))
        })?;
        Ok((number, file.pattern))
    }

    fn labels(&self, files: &[LabelFile], room: &mut usize) -> Result<Vec<(u32, String)>, Fault> {
        let label = |label: &LabelFile| {
            take(room, 1, &label.of)?;
            Ok((self.find_one(&label.of)?, visible(&label.text)))
        };
        files.iter().map(label).collect()
    }

    fn phases(&self, file: &PhasesFile, room: &mut usize) -> Result<TimedPhases, Fault> {
        take(room, 2, &file.of)?;
        let words = [&file.kept, &file.between].map(|words| visible(words));
        Ok(TimedPhases { of: self.find_one(&file.of)?, velocity: file.velocity.into(), words })
    }
}

/// Checks the speed of simulated time, which must be 0.001 to 10.
fn speed(file: &Located<Positive>) -> Result<f64, Fault> {
    let speed = f64::from(**file);
    if (1e-3..=10.0).contains(&speed) {
        return Ok(speed);
    }
    Err(file.fault(format!("found a speed of {speed}, expected 0.001 to 10")))
}

fn lesson(files: &[Located<LessonStepFile>]) -> Result<Vec<LessonStep>, Fault> {
    if let Some(extra) = files.get(MOST_LESSON_STEPS) {
        return Err(extra.fault(format!(
            "found a lesson of {} steps, expected at most {MOST_LESSON_STEPS}",
            files.len()
        )));
    }
    let step = |file: &Located<LessonStepFile>| match visible(&file.say) {
        say if say.trim().is_empty() => Err(file.fault("found no text, expected an instruction")),
        say => Ok(LessonStep { say, done: file.done }),
    };
    files.iter().map(step).collect()
}

/// Subtracts objects that are drawn in every frame from the remaining number; returns an error if
/// there are too many.
fn take(room: &mut usize, wanted: usize, place: &Located<Particles>) -> Result<(), Fault> {
    *room = room.checked_sub(wanted).ok_or_else(|| {
        place.fault(format!(
            "found more than {MOST_ANNOTATIONS} labels, trails, periods, phases and readings, expected at most that"
        ))
    })?;
    Ok(())
}
