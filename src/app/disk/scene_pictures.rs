//! Small pictures of the scenes, built into the binary.

use crate::app::theme::is_light;
use egui_macroquad::egui::{self, Color32, ColorImage, TextureHandle, TextureOptions};

const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/scene_pictures.rs"));

/// Pictures of the scenes, decoded when the first one is requested.
#[derive(Default)]
pub struct ScenePictures {
    /// True if the loaded pictures have a light background.
    light: bool,
    loaded: Option<Vec<(&'static str, TextureHandle)>>,
}

impl ScenePictures {
    /// Returns the picture of the scene with this name for the current theme.
    pub fn get(&mut self, ctx: &egui::Context, name: &str) -> Option<&TextureHandle> {
        let light = is_light();
        if self.light != light {
            *self = Self { light, loaded: None };
        }
        let pictures = self.loaded.get_or_insert_with(|| {
            let load = |&(file, bytes): &(&'static str, &[u8])| {
                let name = file.trim_end_matches(".png");
                let mut image = decode(bytes)?;
                if light {
                    image.pixels.iter_mut().for_each(|pixel| *pixel = on_light_ground(*pixel));
                }
                Some((name, ctx.load_texture(file, image, TextureOptions::LINEAR)))
            };
            FILES.iter().filter_map(load).collect()
        });
        pictures.iter().find(|(known, _)| *known == name).map(|(_, picture)| picture)
    }
}

/// Converts a colour on a dark background to a colour on a light one with the same hue and chroma
/// and the opposite lightness. Lightness in HSL is (max + min)/2 of the channels, so each channel c
/// becomes c + 255 − max − min.
fn on_light_ground(color: Color32) -> Color32 {
    let [r, g, b, _] = color.to_array();
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    // The result is between 0 and 255, because c is between min and max.
    let turned = |c: u8| (255 - most) + (c - least);
    Color32::from_rgb(turned(r), turned(g), turned(b))
}

/// Decodes a PNG file, with or without a palette, to RGB with 8 bits per channel.
fn decode(file: &[u8]) -> Option<ColorImage> {
    let mut decoder = png::Decoder::new(file);
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().ok()?;
    let mut rgb = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut rgb).ok()?;
    let size = [info.width as usize, info.height as usize];
    let fits = info.color_type == png::ColorType::Rgb && rgb.len() == 3 * size[0] * size[1];
    fits.then(|| ColorImage::from_rgb(size, &rgb))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::library;

    #[test]
    fn a_light_picture_has_the_hues_of_the_dark_one() {
        let turned = |r, g, b| on_light_ground(Color32::from_rgb(r, g, b)).to_array();
        assert_eq!(turned(0x15, 0x17, 0x1c), [0xe3, 0xe5, 0xea, 0xff], "the ground");
        assert_eq!(turned(255, 255, 255), [0, 0, 0, 255]);
        assert_eq!(turned(255, 0, 0), [255, 0, 0, 255], "as light as dark");
        for color in [[230, 159, 0], [86, 180, 233], [1, 2, 3]].map(|[r, g, b]| (r, g, b)) {
            let (r, g, b) = color;
            let [x, y, z, _] = turned(r, g, b);
            let differences = [i32::from(r) - i32::from(g), i32::from(g) - i32::from(b)];
            assert_eq!(differences, [i32::from(x) - i32::from(y), i32::from(y) - i32::from(z)]);
            let [back_r, back_g, back_b, _] = turned(x, y, z);
            assert_eq!((back_r, back_g, back_b), color, "there and back");
        }
    }

    #[test]
    fn every_scene_has_a_picture_that_can_be_read() {
        for entry in library::list() {
            let file = format!("{}.png", entry.name);
            let found = FILES.iter().find(|(name, _)| *name == file);
            let (_, bytes) = found.unwrap_or_else(|| panic!("assets/scenes has no {file}"));
            assert_eq!(decode(bytes).map(|image| image.size), Some([432, 252]), "{file}");
        }
    }
}
