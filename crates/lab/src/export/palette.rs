//! Colour palette of one frame of a GIF.

/// Largest number of colours in a palette. Of the 256 indices of a GIF, one marks unchanged pixels.
const MOST_COLOURS: usize = 255;
/// Number of leading bits of each colour component. Colours that agree in these bits form a group.
const COLOUR_BITS: u32 = 5;

/// Palette of a frame, by median cut (Heckbert 1982).
#[derive(Debug)]
pub(super) struct Palette {
    colors: Vec<[u8; 3]>,
    /// Index of the nearest palette colour for each group of similar colours; `None` until it is
    /// needed.
    nearest: Vec<Option<u8>>,
}

/// Group of similar colours: the sum of the colours of its pixels, and the number of pixels.
#[derive(Clone, Copy)]
struct Group {
    sum: [u64; 3],
    count: u64,
}

impl Group {
    fn mean(&self) -> [u8; 3] {
        self.sum.map(|sum| (sum / self.count.max(1)) as u8)
    }
}

fn group_of(color: [u8; 3]) -> usize {
    color
        .iter()
        .fold(0, |group_of, part| (group_of << COLOUR_BITS) | (part >> (8 - COLOUR_BITS)) as usize)
}

impl Palette {
    pub fn of(pixels: impl Iterator<Item = [u8; 3]>) -> Self {
        let mut groups = vec![Group { sum: [0; 3], count: 0 }; 1 << (3 * COLOUR_BITS)];
        for color in pixels {
            let group = &mut groups[group_of(color)];
            group.count += 1;
            group.sum.iter_mut().zip(color).for_each(|(sum, part)| *sum += u64::from(part));
        }
        groups.retain(|group| group.count > 0);
        let mut boxes = vec![groups];
        while boxes.len() < MOST_COLOURS {
            let worth = |group: &Vec<Group>| {
                let (_, span) = widest_component(group);
                span * group.iter().map(|it| it.count).sum::<u64>()
            };
            let splittable = (0..boxes.len()).filter(|place| boxes[*place].len() > 1);
            let Some(place) = splittable.max_by_key(|place| worth(&boxes[*place])) else { break };
            let upper = split_off_upper_half(&mut boxes[place]);
            boxes.push(upper);
        }
        let all = |group: &Vec<Group>| {
            let sum = [0, 1, 2].map(|part| group.iter().map(|it| it.sum[part]).sum());
            Group { sum, count: group.iter().map(|it| it.count).sum() }.mean()
        };
        let colors = boxes.iter().filter(|group| !group.is_empty()).map(all).collect();
        Self { colors, nearest: vec![None; 1 << (3 * COLOUR_BITS)] }
    }

    pub fn unused_index(&self) -> u8 {
        self.colors.len() as u8
    }

    /// Returns the index of the palette colour nearest to `color`.
    pub fn index(&mut self, color: [u8; 3]) -> u8 {
        let colors = &self.colors;
        *self.nearest[group_of(color)].get_or_insert_with(|| {
            let distance = |known: &[u8; 3]| {
                let parts = known.iter().zip(color);
                parts.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum::<u32>()
            };
            let nearest = (0..colors.len()).min_by_key(|index| distance(&colors[*index]));
            nearest.unwrap_or(0) as u8
        })
    }

    /// Returns red, green and blue of each colour, and black for the index without a colour.
    pub fn bytes(&self) -> Vec<u8> {
        self.colors.iter().chain(&[[0; 3]]).flatten().copied().collect()
    }
}

/// Returns the colour component in which the groups differ most, and the difference.
fn widest_component(groups: &[Group]) -> (usize, u64) {
    let span = |part: usize| {
        let means = || groups.iter().map(|group| group.mean()[part]);
        u64::from(means().max().unwrap_or(0) - means().min().unwrap_or(0))
    };
    [0, 1, 2]
        .map(|part| (part, span(part)))
        .into_iter()
        .max_by_key(|(_, span)| *span)
        .unwrap_or((0, 0))
}

/// Splits off and returns the half of the pixels with the larger values in the widest component.
fn split_off_upper_half(groups: &mut Vec<Group>) -> Vec<Group> {
    let (part, _) = widest_component(groups);
    groups.sort_by_key(|group| group.mean()[part]);
    let half = groups.iter().map(|group| group.count).sum::<u64>() / 2;
    let mut seen = 0;
    let middle = groups.iter().position(|group| {
        seen += group.count;
        seen > half
    });
    groups.split_off(middle.unwrap_or(0).clamp(1, groups.len() - 1))
}
