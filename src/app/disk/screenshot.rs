//! Screenshots of the window as PNG files.

use super::saving;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

type Saved = Result<PathBuf, String>;

/// Screenshots of the window, encoded and written by a background thread.
#[derive(Debug)]
pub struct Screenshots {
    requested: bool,
    done: (Sender<Saved>, Receiver<Saved>),
}

impl Screenshots {
    pub fn new() -> Self {
        Self { requested: false, done: channel() }
    }

    pub fn request(&mut self) {
        self.requested = true;
    }

    /// Takes the requested screenshot. Must be called after everything has been drawn.
    pub fn take(&mut self, scene: &str) {
        if !std::mem::take(&mut self.requested) {
            return;
        }
        let image = macroquad::texture::get_screen_data();
        let (scene, done) = (scene.to_owned(), self.done.0.clone());
        std::thread::spawn(move || {
            let (width, height) = (u32::from(image.width), u32::from(image.height));
            let saved = encode(width, height, &image.bytes)
                .map_err(|e| e.to_string())
                .and_then(|png| saving::save(&scene, "png", &png).map_err(|e| e.to_string()));
            // Sending fails if the window has been closed meanwhile and the receiver was dropped.
            let _ = done.send(saved);
        });
    }

    /// Returns the path of a screenshot written since the last call, or the error.
    pub fn finished(&self) -> Option<Saved> {
        self.done.1.try_recv().ok()
    }
}

/// Encodes RGBA pixels, lowest row first as in OpenGL, as PNG without transparency.
fn encode(width: u32, height: u32, rgba: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let rows = rgba.chunks_exact(4 * width as usize).rev();
    let pixels = rows.flat_map(|row| row.chunks_exact(4));
    let rgb: Vec<u8> = pixels.flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&rgb)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_stands_upright() {
        let (red, blue) = ([255, 0, 0, 0], [0, 0, 255, 0]);
        let bottom_up = [blue, red].concat();
        let file = encode(1, 2, &bottom_up).unwrap();
        let mut reader = png::Decoder::new(&file[..]).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size()];
        reader.next_frame(&mut rgb).unwrap();
        assert_eq!(rgb, [255, 0, 0, 0, 0, 255]);
    }
}
