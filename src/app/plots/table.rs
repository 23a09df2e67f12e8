//! Table of the samples of all lanes.

use crate::measure::Sample;
use crate::session::Lane;
use itertools::Itertools;

/// Returns all samples of all lanes as CSV: one row per sample, in SI units.
pub fn csv(lanes: &[Lane]) -> String {
    let mut table = String::from(
        "lane,name,wall,t,frame,steps,blend,owed,dropped,kinetic,potential,elastic,total,drift,made,\
         stretch_max,stretch_min,stretch_mean\n",
    );
    for (index, lane) in lanes.iter().enumerate() {
        let name = lane.name.replace('"', "\"\"");
        for sample in lane.simulation.record().iter() {
            let Sample { energy, stretch, .. } = sample;
            let s = sample;
            let time = [s.wall, s.t, s.frame, s.steps.into(), s.blend, s.owed, s.dropped];
            let energy = [energy.kinetic, energy.potential, energy.elastic, energy.total()];
            let rest = [s.drift, s.made, stretch.max, stretch.min, stretch.mean];
            let numbers = time.iter().chain(&energy).chain(&rest).join(",");
            table.push_str(&format!("{},\"{name}\",{numbers}\n", index + 1));
        }
    }
    table
}
