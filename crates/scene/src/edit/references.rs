//! References in a scene file to particles, bodies and obstacles, updated after bodies were added
//! or removed.

use super::super::typed::annotation::AnnotationsFile;
use super::super::typed::file::{DrawnCloth, SceneFile};
use super::super::typed::located::Located;
use super::super::typed::particles::Particles;
use super::super::typed::rope_file::Via;
use std::collections::BTreeSet;

/// New indices of particles, and the name of the removed body.
pub(super) struct Renaming<'a> {
    /// New index of each old particle; `None` = removed.
    pub numbers: &'a [Option<u32>],
    /// Name of the removed body; `None` if none was removed or it had no name.
    pub gone: Option<&'a str>,
}

impl Renaming<'_> {
    fn number(&self, old: u32) -> Option<u32> {
        self.numbers.get(old as usize).copied().flatten()
    }

    /// Replaces the old indices in a selection by the new ones. Returns false if no particle is
    /// left.
    fn rename(&self, which: &mut Particles) -> bool {
        match which {
            Particles::All => true,
            Particles::Particle(number) => {
                let new = self.number(*number);
                *number = new.unwrap_or_default();
                new.is_some()
            }
            Particles::Numbers(numbers) => {
                *numbers = numbers.iter().filter_map(|number| self.number(*number)).collect();
                !numbers.is_empty()
            }
            Particles::Any(list) => {
                list.retain_mut(|which| self.rename(which));
                !list.is_empty()
            }
            one => one.body() != self.gone,
        }
    }

    fn keeps(&self, which: &mut Located<Particles>) -> bool {
        let mut renamed = (**which).clone();
        let is_left = self.rename(&mut renamed);
        which.replace(renamed);
        is_left
    }

    /// Returns the new indices of several particles; `None` if one of them was removed.
    fn all<const N: usize>(&self, old: [u32; N]) -> Option<[u32; N]> {
        let mut new = old;
        for number in &mut new {
            *number = self.number(*number)?;
        }
        Some(new)
    }

    /// Updates the whole file. Entries that refer only to removed bodies are removed.
    pub fn apply(&self, file: &mut SceneFile) {
        for rope in &mut file.ropes {
            let mut tied = (**rope).clone();
            for tie in [&mut tied.tie_from, &mut tied.tie_to] {
                tie.take_if(|tie| !self.keeps(tie));
            }
            rope.replace(tied);
        }
        file.links.retain_mut(|link| self.keeps(&mut link.a) && self.keeps(&mut link.b));
        file.bends.retain_mut(|bend| {
            let left = [&mut bend.a, &mut bend.b, &mut bend.c].map(|end| self.keeps(end));
            left == [true; 3]
        });
        file.masses.retain_mut(|mass| self.keeps(&mut mass.of));
        file.velocities.retain_mut(|velocity| self.keeps(&mut velocity.of));
        file.pins.retain_mut(|pin| self.keeps(&mut pin.of));
        file.forces.retain_mut(|force| self.keeps(&mut force.on));
        file.surfaces.retain_mut(|surface| self.keeps(&mut surface.of));
        self.rename_pairs(&mut file.cuts);
        self.rename_pairs(&mut file.faces);
        file.drawn_ropes.retain_mut(|rope| {
            let new: Option<Vec<u32>> = rope.particles.iter().map(|i| self.number(*i)).collect();
            let is_left = new.is_some();
            rope.particles.replace(new.unwrap_or_default());
            is_left
        });
        file.drawn_cloths.retain_mut(|cloth| self.moved_cloth(cloth));
        self.rename_annotations(&mut file.annotations);
        drop_lost_layers(file);
    }

    fn rename_pairs<const N: usize>(&self, list: &mut Vec<Located<[u32; N]>>) {
        list.retain_mut(|those| {
            let new = self.all(**those);
            new.into_iter().for_each(|new| those.replace(new));
            new.is_some()
        });
    }

    /// Updates a drawn cloth. Returns false if its particles are no longer consecutive, so that it
    /// must be removed.
    fn moved_cloth(&self, cloth: &mut Located<DrawnCloth>) -> bool {
        let DrawnCloth { first, columns, rows } = **cloth;
        let count = columns.saturating_mul(rows).max(1);
        let Some([new, last]) = self.all([first, first.saturating_add(count - 1)]) else {
            return false;
        };
        cloth.replace(DrawnCloth { first: new, columns, rows });
        last.checked_sub(new) == Some(count - 1)
    }

    fn rename_annotations(&self, annotations: &mut AnnotationsFile) {
        let AnnotationsFile { labels, trails, periods, phases, readings, patterns, .. } =
            annotations;
        labels.retain_mut(|label| self.keeps(&mut label.of));
        trails.retain_mut(|trail| self.keeps(&mut trail.of));
        periods.retain_mut(|period| self.keeps(&mut period.of));
        phases.retain_mut(|phases| self.keeps(&mut phases.of));
        readings.retain_mut(|reading| self.keeps(&mut reading.of));
        patterns.retain_mut(|pattern| self.keeps(&mut pattern.of));
    }
}

/// Removes pairs of layers if one of the layers has become empty.
fn drop_lost_layers(file: &mut SceneFile) {
    let sheets = file.nets.iter().chain(&file.cloths).map(|sheet| &sheet.layer);
    let layers = file.particles.iter().map(|particle| &particle.layer);
    let layers = layers.chain(file.balls.iter().map(|balls| &balls.layer)).chain(sheets);
    let layers = layers.chain(file.ropes.iter().map(|rope| &rope.layer));
    let layers = layers.chain(file.colliders.iter().map(|collider| &collider.layer));
    let left: BTreeSet<String> = layers.flatten().map(|name| (**name).clone()).collect();
    file.no_contact.retain(|(a, b)| left.contains(&**a) && left.contains(&**b));
}

/// Updates the indices of obstacles in ropes' routes for the removal of an obstacle.
///
/// # Errors
/// A sentence where a rope goes round it.
pub(super) fn forget_collider(file: &mut SceneFile, gone: u32) -> Result<(), String> {
    for rope in &mut file.ropes {
        let mut changed = (**rope).clone();
        for via in &mut changed.through {
            let Via::Round { collider, about, turns, gap } = **via else { continue };
            if collider == gone {
                return Err("a rope is wound round this obstacle: delete the rope first".to_owned());
            }
            let collider = if collider > gone { collider - 1 } else { collider };
            via.replace(Via::Round { collider, about, turns, gap });
        }
        rope.replace(changed);
    }
    Ok(())
}
