//! Writer of animations: encodes their frames into a file on a separate thread.

use super::plan::{FilmFormat, FilmPlan};
use crate::app::disk::saving;
use crate::export::animation::{AnimationFormat, AnimationSpec, AnimationWriter};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

const MOST_WAITING: usize = 4;

/// Frame of the whole window, with the position of its filmed area.
pub struct ScreenPicture {
    width: usize,
    /// RGBA values, lowest row first.
    rgba: Vec<u8>,
    /// Left, top, right and bottom edge of the filmed area, in pixels from the upper left corner.
    area: [usize; 4],
}

impl ScreenPicture {
    pub fn of_screen(area: [usize; 4]) -> Self {
        let image = macroquad::texture::get_screen_data();
        let (width, height) = (usize::from(image.width), usize::from(image.height));
        let [left, top, right, bottom] = area;
        Self {
            width,
            rgba: image.bytes,
            area: [left.min(width), top.min(height), right.min(width), bottom.min(height)],
        }
    }

    /// Scales the filmed area to a width of at most `most` pixels. Returns red, green and blue as
    /// bytes, top row first, with width and height.
    fn scaled_area(&self, most: usize) -> (Vec<u8>, [usize; 2]) {
        let [left, top, right, bottom] = self.area;
        let (w, h) = (right.saturating_sub(left).max(1), bottom.saturating_sub(top).max(1));
        let width = w.min(most.max(1));
        let height = (h * width).div_ceil(w);
        let height_of_screen = self.rgba.len() / (4 * self.width.max(1));
        let mut rgb = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            let rows = top + y * h / height..top + ((y + 1) * h / height).max(y * h / height + 1);
            for x in 0..width {
                let columns =
                    left + x * w / width..left + ((x + 1) * w / width).max(x * w / width + 1);
                let mut sum = [0usize; 4];
                for row in rows.clone() {
                    for column in columns.clone() {
                        let from_below = height_of_screen.saturating_sub(row + 1);
                        let at = 4 * (from_below * self.width + column);
                        let Some(pixel) = self.rgba.get(at..at + 3) else { continue };
                        sum.iter_mut()
                            .zip(pixel)
                            .for_each(|(sum, part)| *sum += usize::from(*part));
                        sum[3] += 1;
                    }
                }
                rgb.extend(sum[..3].iter().map(|part| (part / sum[3].max(1)) as u8));
            }
        }
        (rgb, [width, height])
    }
}

#[derive(Debug)]
pub struct FilmWriter {
    pictures: Option<Sender<ScreenPicture>>,
    /// Number of frames that wait for the writing thread. The thread has a weak reference to this
    /// counter, so dropping the counter cancels the animation.
    waiting: Arc<AtomicUsize>,
    file: SharedFile,
    done: Receiver<Result<PathBuf, String>>,
}

/// File in memory whose size other threads can read.
#[derive(Clone, Debug, Default)]
struct SharedFile(Arc<Mutex<Vec<u8>>>);

impl SharedFile {
    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FilmWriter {
    /// Starts the thread that writes an animation of `frames` frames of the scene named `scene`.
    pub fn open(plan: FilmPlan, scene: String, frames: u32) -> Self {
        let (pictures, incoming) = channel();
        let (result_sender, done) = channel();
        let (waiting, file) = (Arc::default(), SharedFile::default());
        let (out, number) = (file.clone(), Arc::downgrade(&waiting));
        let work = Work { plan, frames, incoming, waiting: number, out };
        std::thread::spawn(move || {
            let result = match plan.format {
                FilmFormat::Gif => work.animate(AnimationFormat::Gif, &scene, "gif"),
                FilmFormat::Apng => work.animate(AnimationFormat::Apng, &scene, "png"),
                // Formats of positions never reach this code, because they record no frames.
                FilmFormat::Pictures | FilmFormat::Csv | FilmFormat::Npy | FilmFormat::Pc2 => {
                    work.write_pictures(&scene)
                }
            };
            // Sending fails if the film was cancelled and the receiver dropped.
            let _ = result_sender.send(result.map_err(|e| e.to_string()));
        });
        Self { pictures: Some(pictures), waiting, file, done }
    }

    pub fn has_room(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) < MOST_WAITING
    }

    pub fn bytes(&self) -> u64 {
        self.file.lock().len() as u64
    }

    pub fn add_picture(&self, picture: ScreenPicture) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // Sending fails if the thread has ended; `finished` then returns the reason.
        let _ = self.pictures.as_ref().map(|pictures| pictures.send(picture));
    }

    /// Tells the thread that no more frames follow.
    pub fn end_pictures(&mut self) {
        self.pictures = None;
    }

    /// Returns the path of the finished file or the reason why it failed; `None` while the file is
    /// being written.
    pub fn finished(&self) -> Option<Result<PathBuf, String>> {
        self.done.try_recv().ok()
    }
}

struct Work {
    plan: FilmPlan,
    frames: u32,
    incoming: Receiver<ScreenPicture>,
    /// Number of waiting frames. The counter is dropped when the animation is cancelled.
    waiting: Weak<AtomicUsize>,
    out: SharedFile,
}

impl Work {
    /// Calls `add` with each scaled frame. All frames must be as large as the first one.
    fn for_each_picture(
        &self,
        mut add: impl FnMut(&[u8], [usize; 2]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut frames = 0;
        let mut first = None;
        for picture in &self.incoming {
            let (rgb, size) = picture.scaled_area(self.plan.width as usize);
            if let Some(waiting) = self.waiting.upgrade() {
                waiting.fetch_sub(1, Ordering::Relaxed);
            }
            if *first.get_or_insert(size) != size {
                return Err(io::Error::other("the window changed its size; save the film again"));
            }
            add(&rgb, size)?;
            frames += 1;
        }
        if frames < self.frames { Err(cancelled_error()) } else { self.check_not_cancelled() }
    }

    /// Returns an error if the animation was cancelled before its last frame was written.
    fn check_not_cancelled(&self) -> io::Result<()> {
        if self.waiting.strong_count() == 0 { Err(cancelled_error()) } else { Ok(()) }
    }

    fn animate(&self, format: AnimationFormat, scene: &str, ending: &str) -> io::Result<PathBuf> {
        let mut writer = None;
        self.for_each_picture(|rgb, size| {
            if writer.is_none() {
                let spec = AnimationSpec {
                    size: size.map(|side| side as u32),
                    frames: self.frames,
                    rate: f64::from(self.plan.rate),
                };
                writer = Some(AnimationWriter::new(format, spec, self.out.clone())?);
            }
            writer.as_mut().map_or(Ok(()), |writer| writer.add(rgb))
        })?;
        writer.map_or(Ok(()), AnimationWriter::finish)?;
        self.check_not_cancelled()?;
        let file = std::mem::take(&mut *self.out.lock());
        saving::save(scene, ending, &file)
    }

    fn write_pictures(&self, scene: &str) -> io::Result<PathBuf> {
        let folder = saving::new_folder(scene)?;
        let mut number = 0;
        let written = self.for_each_picture(|rgb, size| {
            number += 1;
            let spec = AnimationSpec { size: size.map(|side| side as u32), frames: 1, rate: 1.0 };
            let mut file = Vec::new();
            let mut writer = AnimationWriter::new(AnimationFormat::Apng, spec, &mut file)?;
            writer.add(rgb)?;
            writer.finish()?;
            self.out.clone().write_all(&file)?;
            std::fs::write(folder.join(format!("{number:04}.png")), file)
        });
        if written.is_err() {
            // The incomplete folder is removed. If this fails, the folder stays.
            let _ = std::fs::remove_dir_all(&folder);
        }
        written.map(|()| folder)
    }
}

fn cancelled_error() -> io::Error {
    io::Error::other("the film was cancelled")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a writer with a single frame, which is already waiting.
    fn work(waiting: Weak<AtomicUsize>) -> Work {
        let (pictures, incoming) = channel();
        let picture = ScreenPicture { width: 1, rgba: vec![9, 9, 9, 255], area: [0, 0, 1, 1] };
        pictures.send(picture).expect("somebody listens");
        let plan = FilmPlan { format: FilmFormat::Gif, ..FilmPlan::default() };
        Work { plan, frames: 1, incoming, waiting, out: SharedFile::default() }
    }

    #[test]
    fn a_film_that_is_given_up_after_its_last_picture_leaves_no_file() {
        let waiting = Arc::new(AtomicUsize::new(1));
        let mut pictures = 0;
        let mut count = |work: Work| {
            work.for_each_picture(|_, _| {
                pictures += 1;
                Ok(())
            })
        };
        assert!(count(work(Arc::downgrade(&waiting))).is_ok());
        let cancelled_error = count(work(Weak::new())).expect_err("nobody wants it");
        assert_eq!(cancelled_error.to_string(), "the film was cancelled");
        assert_eq!(pictures, 2);
    }

    #[test]
    fn a_print_is_the_wanted_part_upright_and_no_wider_than_asked() {
        // The frame has two rows, red above blue, and four columns, of which the leftmost is grey.
        let row = |color: [u8; 4]| [[9, 9, 9, 255], color, color, color].concat();
        let rgba = [row([0, 0, 200, 255]), row([200, 0, 0, 255])].concat();
        let picture = ScreenPicture { width: 4, rgba, area: [2, 0, 4, 2] };
        let (rgb, size) = picture.scaled_area(10);
        assert_eq!((size, &rgb[..3], &rgb[6..9]), ([2, 2], &[200, 0, 0][..], &[0, 0, 200][..]));
        let (rgb, size) = picture.scaled_area(1);
        assert_eq!((size, rgb), ([1, 1], vec![100, 0, 100]));
    }
}
