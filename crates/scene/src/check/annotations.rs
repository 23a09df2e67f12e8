//! Checks of annotations: the particles, colliders and lanes that they name must exist. A *lane* is
//! one of several simulations of the same scene.

use super::bodies::CheckedBodies;
use crate::error::unknown_name;
use crate::scene::LaneSetup;
use crate::typed::annotation::{
    Annotations, AnnotationsFile, LabelFile, MOST_ANNOTATIONS, Pattern, PatternFile, PhasesFile,
    TimedPhases,
};
use crate::typed::lesson::{LessonStep, LessonStepFile, MOST_LESSON_STEPS};
use crate::typed::located::{Fault, Located};
use crate::typed::number::Positive;
use crate::typed::particles::Particles;
use crate::typed::reading::{Reading, ReadingFile};
use ropelab_core::names::visible_text::visible;

impl CheckedBodies {
    pub(super) fn check_annotations(
        &self,
        file: &AnnotationsFile,
        lanes: &[LaneSetup],
    ) -> Result<Annotations, Fault> {
        let mut remaining = MOST_ANNOTATIONS;
        let labels = self.check_labels(&file.labels, &mut remaining)?;
        let periods = self.check_labels(&file.periods, &mut remaining)?;
        let phases = file.phases.iter().map(|phases| self.check_phases(phases, &mut remaining));
        let phases = phases.collect::<Result<_, _>>()?;
        let readings =
            file.readings.iter().map(|reading| self.check_reading(reading, lanes, &mut remaining));
        let readings = readings.collect::<Result<_, _>>()?;
        let mut trails = Vec::new();
        for trail in &file.trails {
            let particles = self.find_particles(&trail.of)?;
            reserve(&mut remaining, particles.len(), &trail.of)?;
            trails.extend(particles.into_iter().map(|i| (i, trail.seconds.into())));
        }
        let patterns = file.patterns.iter().map(|pattern| self.check_pattern(pattern));
        let patterns = patterns.collect::<Result<_, _>>()?;
        let (height_scale, clock, microscope) = (file.height_scale, file.clock, file.microscope);
        let restart = file.restart.map(f64::from);
        let speed = file.speed.as_ref().map(check_speed).transpose()?;
        let lesson = check_lesson(&file.lesson)?;
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

    fn check_reading(
        &self,
        file: &ReadingFile,
        lanes: &[LaneSetup],
        remaining: &mut usize,
    ) -> Result<Reading, Fault> {
        reserve(remaining, 1, &file.of)?;
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
            return Err(lane.fault(unknown_name("lane", lane, names())));
        }
        Ok(Reading {
            of: self.find_particle(&file.of)?,
            name: visible(&file.name),
            measure: *file.measure,
            unit: visible(&file.unit),
            formula: visible(&file.formula),
            value: file.value.as_ref().map(|value| **value),
            lane: file.lane.as_ref().map(|lane| (**lane).clone()),
        })
    }

    fn check_pattern(&self, file: &PatternFile) -> Result<(u32, Pattern), Fault> {
        let particles = self.find_particles(&file.of)?;
        let cloth = (0..).zip(&self.mesh.cloths).find(|(_, grid)| {
            let count = (grid.columns * grid.rows) as usize;
            particles.len() == count && particles.first() == Some(&grid.first)
        });
        let (number, _) = cloth.ok_or_else(|| {
            let count = particles.len();
            let found = format!("found {count} particles that are not exactly one cloth");
            file.of.fault(found + ", expected one cloth")
        })?;
        Ok((number, file.pattern))
    }

    fn check_labels(
        &self,
        files: &[LabelFile],
        remaining: &mut usize,
    ) -> Result<Vec<(u32, String)>, Fault> {
        let label = |label: &LabelFile| {
            reserve(remaining, 1, &label.of)?;
            Ok((self.find_particle(&label.of)?, visible(&label.text)))
        };
        files.iter().map(label).collect()
    }

    fn check_phases(&self, file: &PhasesFile, remaining: &mut usize) -> Result<TimedPhases, Fault> {
        reserve(remaining, 2, &file.of)?;
        let words = [&file.kept, &file.between].map(|words| visible(words));
        Ok(TimedPhases { of: self.find_particle(&file.of)?, velocity: file.velocity.into(), words })
    }
}

/// Checks the ratio of simulated to real time, which must be 0.001 to 10.
fn check_speed(file: &Located<Positive>) -> Result<f64, Fault> {
    let speed = f64::from(**file);
    if (1e-3..=10.0).contains(&speed) {
        return Ok(speed);
    }
    Err(file.fault(format!("found a speed of {speed}, expected 0.001 to 10")))
}

fn check_lesson(files: &[Located<LessonStepFile>]) -> Result<Vec<LessonStep>, Fault> {
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

/// Subtracts `wanted` from the number of annotations that are still allowed. Returns an error if it
/// is larger than this number.
fn reserve(remaining: &mut usize, wanted: usize, place: &Located<Particles>) -> Result<(), Fault> {
    *remaining = remaining.checked_sub(wanted).ok_or_else(|| {
        place.fault(format!(
            "found too many labels, trails, periods, phases and readings, expected at most \
             {MOST_ANNOTATIONS}"
        ))
    })?;
    Ok(())
}
