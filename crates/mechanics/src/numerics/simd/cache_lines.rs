//! Memory that begins where a cache line begins.

use std::alloc::{GlobalAlloc, Layout, System};

/// Bytes from which on memory begins at a cache line: smaller ones do not pay for being aligned.
const LEAST: usize = 4096;

/// The system's allocator, with large blocks aligned to cache lines: in unaligned columns each load
/// and store of a whole vector would touch two lines.
///
/// For a program's `#[global_allocator]`.
#[derive(Clone, Copy, Debug)]
pub struct CacheLines;

fn aligned(layout: Layout) -> Layout {
    if layout.size() < LEAST {
        return layout;
    }
    // The error, for a size of almost all addresses, is the system's to find.
    layout.align_to(64).unwrap_or(layout)
}

// SAFETY: the system does all the work. `aligned` depends on the layout alone, so memory is freed
// with the layout of its allocation.
unsafe impl GlobalAlloc for CacheLines {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the size is the caller's, who promises that it is not zero.
        unsafe { System.alloc(aligned(layout)) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(aligned(layout)) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: it came from the system with this layout.
        unsafe { System.dealloc(memory, aligned(layout)) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that a layout of this size is valid.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        if aligned(new).align() == aligned(layout).align() {
            // SAFETY: it came from the system with this layout, whose alignment stays.
            return unsafe { System.realloc(memory, aligned(layout), size) };
        }
        // SAFETY: both are at least as long as the copied range, and the old one is freed once,
        // unless there is no new one.
        unsafe {
            let moved = self.alloc(new);
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(memory, size.min(layout.size()));
                self.dealloc(memory, layout);
            }
            moved
        }
    }
}
