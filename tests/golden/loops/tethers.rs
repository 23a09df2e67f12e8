use glam::DVec3;
pub struct Link { pub a: usize, pub b: usize, pub rest: f64, pub stiffness: f64, pub damping: f64 }
pub struct Tether { pub particle: usize, pub pin: usize, pub longest: f64 }
pub fn step(_: &mut [DVec3], _: &mut [DVec3], _: &[f64], _: &[Link], _: &[Tether], _: DVec3) {}
