//! Memory that is aligned to cache lines.

use std::alloc::{GlobalAlloc, Layout, System};

/// Size in bytes from which memory is aligned to cache lines. Alignment does not pay for smaller
/// blocks.
const LEAST: usize = 4096;

/// The system's allocator, with large blocks aligned to cache lines: in unaligned columns each load
/// and store of a whole vector would touch two lines.
///
/// For a program's `#[global_allocator]`.
#[derive(Clone, Copy, Debug)]
pub struct CacheLineAllocator;

fn aligned(layout: Layout) -> Layout {
    if layout.size() < LEAST {
        return layout;
    }
    // `align_to` fails only for a size of almost all addresses. The system then reports the error.
    layout.align_to(64).unwrap_or(layout)
}

// SAFETY: the system does all the work. `aligned` depends on the layout alone, so memory is freed
// with the layout of its allocation.
unsafe impl GlobalAlloc for CacheLineAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller promises that the size is not zero.
        unsafe { System.alloc(aligned(layout)) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(aligned(layout)) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory came from the system with this layout.
        unsafe { System.dealloc(memory, aligned(layout)) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that a layout of this size is valid.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        if aligned(new).align() == aligned(layout).align() {
            // SAFETY: the memory came from the system with this layout, whose alignment stays.
            return unsafe { System.realloc(memory, aligned(layout), size) };
        }
        // SAFETY: both blocks are at least as long as the copied range. The old block is freed
        // once, and only if there is a new block.
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
