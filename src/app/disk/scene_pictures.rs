//! Small pictures of the scenes, which travel inside the binary.

use egui_macroquad::egui::{self, ColorImage, TextureHandle, TextureOptions};

/// File names and PNG files.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/scene_pictures.rs"));

/// The pictures, once they were asked for.
#[derive(Default)]
pub struct ScenePictures(Option<Vec<(&'static str, TextureHandle)>>);

impl ScenePictures {
    /// The picture of the scene of that name, if there is one.
    pub fn get(&mut self, ctx: &egui::Context, name: &str) -> Option<&TextureHandle> {
        let pictures = self.0.get_or_insert_with(|| {
            let load = |&(file, bytes): &(&'static str, &[u8])| {
                let name = file.trim_end_matches(".png");
                let image = decode(bytes)?;
                Some((name, ctx.load_texture(file, image, TextureOptions::LINEAR)))
            };
            FILES.iter().filter_map(load).collect()
        });
        pictures.iter().find(|(known, _)| *known == name).map(|(_, picture)| picture)
    }
}

/// RGB of 8 bits, also from a palette.
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
    fn every_scene_has_a_picture_that_can_be_read() {
        for entry in library::list() {
            let file = format!("{}.png", entry.name);
            let found = FILES.iter().find(|(name, _)| *name == file);
            let (_, bytes) = found.unwrap_or_else(|| panic!("assets/scenes has no {file}"));
            assert_eq!(decode(bytes).map(|image| image.size), Some([432, 252]), "{file}");
        }
    }
}
