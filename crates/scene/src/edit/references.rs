//! References to particles, bodies and obstacles in a scene file, which are updated when bodies are
//! added or removed.

use super::super::typed::annotation::AnnotationsFile;
use super::super::typed::file::{CutFile, DrawnCloth, SceneFile};
use super::super::typed::located::Located;
use super::super::typed::particles::Particles;
use super::super::typed::rope_file::Via;
use std::collections::BTreeSet;

/// New indices of particles after an edit, and the name of the removed body.
pub(super) struct Renumbering<'a> {
    /// New index of each old particle; `None` if the particle was removed.
    pub numbers: &'a [Option<u32>],
    pub removed_name: Option<&'a str>,
}

impl Renumbering<'_> {
    fn new_index(&self, old: u32) -> Option<u32> {
        self.numbers.get(old as usize).copied().flatten()
    }

    /// Replaces the old indices in a selection by the new ones. Returns false if all selected
    /// particles were removed.
    fn renumber(&self, which: &mut Particles) -> bool {
        match which {
            Particles::All => true,
            Particles::Particle(number) => {
                let new = self.new_index(*number);
                *number = new.unwrap_or_default();
                new.is_some()
            }
            Particles::Numbers(numbers) => {
                *numbers = numbers.iter().filter_map(|number| self.new_index(*number)).collect();
                !numbers.is_empty()
            }
            Particles::Any(list) => {
                list.retain_mut(|which| self.renumber(which));
                !list.is_empty()
            }
            one => one.body() != self.removed_name,
        }
    }

    fn renumber_or_drop(&self, which: &mut Located<Particles>) -> bool {
        let mut renamed = (**which).clone();
        let is_left = self.renumber(&mut renamed);
        which.replace(renamed);
        is_left
    }

    /// Returns the new indices of several particles; `None` if one of them was removed.
    fn new_indices<const N: usize>(&self, old: [u32; N]) -> Option<[u32; N]> {
        let mut new = old;
        for number in &mut new {
            *number = self.new_index(*number)?;
        }
        Some(new)
    }

    /// Updates all references in the file. Entries that refer only to removed particles are
    /// deleted.
    pub fn apply(&self, file: &mut SceneFile) {
        for rope in &mut file.ropes {
            let mut tied = (**rope).clone();
            for tie in [&mut tied.tie_from, &mut tied.tie_to] {
                tie.take_if(|tie| !self.renumber_or_drop(tie));
            }
            rope.replace(tied);
        }
        file.links.retain_mut(|link| {
            self.renumber_or_drop(&mut link.a) && self.renumber_or_drop(&mut link.b)
        });
        file.bends.retain_mut(|bend| {
            let left =
                [&mut bend.a, &mut bend.b, &mut bend.c].map(|end| self.renumber_or_drop(end));
            left == [true; 3]
        });
        file.masses.retain_mut(|mass| self.renumber_or_drop(&mut mass.of));
        file.velocities.retain_mut(|velocity| self.renumber_or_drop(&mut velocity.of));
        file.pins.retain_mut(|pin| self.renumber_or_drop(&mut pin.of));
        file.forces.retain_mut(|force| self.renumber_or_drop(&mut force.on));
        file.surfaces.retain_mut(|surface| self.renumber_or_drop(&mut surface.of));
        file.cuts.retain_mut(|cut| {
            let CutFile(a, b, number) = **cut;
            let new = self.new_indices([a, b]);
            new.into_iter().for_each(|[a, b]| cut.replace(CutFile(a, b, number)));
            new.is_some()
        });
        file.faces.retain_mut(|face| {
            let new = self.new_indices(**face);
            new.into_iter().for_each(|new| face.replace(new));
            new.is_some()
        });
        file.drawn_ropes.retain_mut(|rope| {
            let new: Option<Vec<u32>> = rope.particles.iter().map(|i| self.new_index(*i)).collect();
            let is_left = new.is_some();
            rope.particles.replace(new.unwrap_or_default());
            is_left
        });
        file.drawn_cloths.retain_mut(|cloth| self.renumber_cloth(cloth));
        self.renumber_annotations(&mut file.annotations);
        drop_empty_layers(file);
    }

    /// Updates a drawn cloth. Returns false if the cloth must be deleted because the indices of its
    /// particles are no longer consecutive.
    fn renumber_cloth(&self, cloth: &mut Located<DrawnCloth>) -> bool {
        let DrawnCloth { first, columns, rows } = **cloth;
        let count = columns.saturating_mul(rows).max(1);
        let Some([new, last]) = self.new_indices([first, first.saturating_add(count - 1)]) else {
            return false;
        };
        cloth.replace(DrawnCloth { first: new, columns, rows });
        last.checked_sub(new) == Some(count - 1)
    }

    fn renumber_annotations(&self, annotations: &mut AnnotationsFile) {
        let AnnotationsFile { labels, trails, periods, phases, readings, patterns, .. } =
            annotations;
        labels.retain_mut(|label| self.renumber_or_drop(&mut label.of));
        trails.retain_mut(|trail| self.renumber_or_drop(&mut trail.of));
        periods.retain_mut(|period| self.renumber_or_drop(&mut period.of));
        phases.retain_mut(|phases| self.renumber_or_drop(&mut phases.of));
        readings.retain_mut(|reading| self.renumber_or_drop(&mut reading.of));
        patterns.retain_mut(|pattern| self.renumber_or_drop(&mut pattern.of));
    }
}

/// Removes the pairs of layers that contain a layer without bodies.
fn drop_empty_layers(file: &mut SceneFile) {
    let sheets = file.nets.iter().chain(&file.cloths).map(|sheet| &sheet.layer);
    let layers = file.particles.iter().map(|particle| &particle.layer);
    let layers = layers.chain(file.balls.iter().map(|balls| &balls.layer)).chain(sheets);
    let layers = layers.chain(file.ropes.iter().map(|rope| &rope.layer));
    let layers = layers.chain(file.colliders.iter().map(|collider| &collider.layer));
    let left: BTreeSet<String> = layers.flatten().map(|name| (**name).clone()).collect();
    file.no_contact.retain(|(a, b)| left.contains(&**a) && left.contains(&**b));
}

/// Updates the indices of obstacles in the routes of ropes, before the obstacle `removed` is
/// deleted. If a rope goes around this obstacle, returns a sentence as an error.
pub(super) fn remove_collider_references(file: &mut SceneFile, removed: u32) -> Result<(), String> {
    for rope in &mut file.ropes {
        let mut changed = (**rope).clone();
        for via in &mut changed.through {
            let Via::Round { collider, about, turns, gap } = **via else { continue };
            if collider == removed {
                return Err("a rope is wound round this obstacle: delete the rope first".to_owned());
            }
            let collider = if collider > removed { collider - 1 } else { collider };
            via.replace(Via::Round { collider, about, turns, gap });
        }
        rope.replace(changed);
    }
    Ok(())
}
