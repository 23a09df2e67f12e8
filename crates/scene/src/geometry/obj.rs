//! Triangles from a Wavefront OBJ file: its points (`v`) and polygons (`f`). All other lines, e.g.
//! normals, textures, groups and materials, are ignored.

use glam::DVec3;
use ropelab_core::names::visible_text::shortened;
use ropelab_core::quantity::magnitude::{GREATEST, is_moderate};

/// Greatest length of a file, in bytes.
pub const LONGEST: u64 = 16 << 20;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Positions of the points in metres.
    pub points: Vec<DVec3>,
    /// Indices in `points` of the corners of each triangle. A polygon becomes a fan of triangles
    /// around its first corner.
    pub triangles: Vec<[u32; 3]>,
}

impl Triangles {
    /// Reads the text of an OBJ file. The error names the first line with a bad point or polygon.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut read = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let content = line.split('#').next().unwrap_or_default();
            let mut words = content.split_whitespace();
            let done = match words.next() {
                Some("v") => read.add_point(words),
                Some("f") => read.add_polygon(words),
                _ => Ok(()),
            };
            done.map_err(|problem| format!("line {number}: {problem}"))?;
        }
        let missing = match (read.points.is_empty(), read.triangles.is_empty()) {
            (true, _) => "points",
            (_, true) => "polygons",
            _ => return Ok(read),
        };
        Err(format!(
            "found no {missing}, expected a Wavefront OBJ file with points (`v x y z`) and polygons \
             (`f a b c`)"
        ))
    }

    fn add_point<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let mut place = [0.0; 3];
        // A weight or a colour may follow the coordinates; both are ignored.
        let words: Vec<&str> = words.take(3).collect();
        if words.len() < 3 {
            return Err(format!("found {} coordinates, expected three", words.len()));
        }
        for (number, word) in place.iter_mut().zip(words) {
            let read = word.parse().ok().filter(|number| is_moderate(*number));
            *number = read.ok_or_else(|| {
                let shown = shortened(word, 40);
                format!("found \"{shown}\", expected a finite number of at most {GREATEST:e}")
            })?;
        }
        self.points.push(place.into());
        Ok(())
    }

    fn add_polygon<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let corners = words.map(|word| self.corner(word)).collect::<Result<Vec<_>, _>>()?;
        let [first, rest @ ..] = &corners[..] else { return Err(too_few(0)) };
        if rest.len() < 2 {
            return Err(too_few(corners.len()));
        }
        self.triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
        Ok(())
    }

    /// Returns the index of the point that a corner such as `7`, `7/1`, `7//3` or `-1` names. A
    /// negative number counts backwards from the last point read.
    fn corner(&self, word: &str) -> Result<u32, String> {
        let written = word.split('/').next().unwrap_or_default();
        let count = self.points.len() as i64;
        let number = written.parse::<i64>().ok().map(|n| if n < 0 { count + n } else { n - 1 });
        match number.filter(|number| (0..count).contains(number)) {
            Some(number) => Ok(number as u32),
            None => Err(format!(
                "corner \"{}\" names no point; expected 1 to {count}, the points above this line",
                shortened(word, 40)
            )),
        }
    }
}

fn too_few(found: usize) -> String {
    format!("found a polygon of {found} corners, expected three or more")
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn points_and_polygons_are_read_and_all_else_is_passed_over() {
        let text = "# a square\nmtllib x.mtl\no square\nv 0 0 0\nv 1.5 0 0 # right\nv 1.5 2e0 0 1\r\n\
            v 0 2 0\nvn 0 0 1\nvt 0 0\nf 1//1 2/1 3/1/1 -1\ns off\n";
        let read = Triangles::parse(text).expect("a square");
        assert_eq!(read.points[2], dvec3(1.5, 2.0, 0.0));
        assert_eq!(read.triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn what_is_no_mesh_is_refused_by_its_line() {
        let refused = |text: &str| Triangles::parse(text).expect_err("refused");
        for text in ["", "hello", "\0\0", "(version: 1)"] {
            assert!(
                refused(text).starts_with("found no points, expected a Wavefront OBJ"),
                "{text}"
            );
        }
        assert!(refused("v 0 0 0\n").starts_with("found no polygons"));
        assert_eq!(refused("v 0 0\n"), "line 1: found 2 coordinates, expected three");
        assert_eq!(
            refused("v 0 0 0\nv 0 NaN 0\n"),
            "line 2: found \"NaN\", expected a finite number of at most 1e15"
        );
        for corner in ["0", "2", "-2", "a", "1e0", "9999999999999999999999"] {
            assert_eq!(
                refused(&format!("v 0 0 0\nf 1 1 {corner}")),
                format!(
                    "line 2: corner \"{corner}\" names no point; expected 1 to 1, the points above \
                     this line"
                )
            );
        }
        assert_eq!(
            refused("v 0 0 0\nf 1 1"),
            "line 2: found a polygon of 2 corners, expected three or more"
        );
    }
}
