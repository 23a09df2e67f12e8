//! Allocator that aligns large blocks of memory to cache lines.

use std::alloc::{GlobalAlloc, Layout, System};

/// Smallest size in bytes at which a block is aligned. Smaller blocks gain nothing.
const LEAST: usize = 4096;

/// Global allocator: the system's allocator, with large blocks aligned to cache lines (64 bytes).
/// In an unaligned column each load and store of an AVX-512 vector touches two cache lines.
///
/// A program uses it as its `#[global_allocator]`.
#[derive(Clone, Copy, Debug)]
pub struct CacheLineAllocator;

fn aligned(layout: Layout) -> Layout {
    if layout.size() < LEAST {
        return layout;
    }
    // `align_to` fails only if the size is close to the whole address space. The system then
    // reports the failure.
    layout.align_to(64).unwrap_or(layout)
}

// SAFETY: the system's allocator does all the work. `aligned` depends only on the layout, so each
// block is freed with its layout at allocation.
unsafe impl GlobalAlloc for CacheLineAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees that the size is not zero.
        unsafe { System.alloc(aligned(layout)) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees that the size is not zero.
        unsafe { System.alloc_zeroed(aligned(layout)) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory was allocated by the system with this layout.
        unsafe { System.dealloc(memory, aligned(layout)) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees that a layout of this size is valid.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        if aligned(new).align() == aligned(layout).align() {
            // SAFETY: the memory was allocated by the system with this layout, and the alignment
            // does not change.
            return unsafe { System.realloc(memory, aligned(layout), size) };
        }
        // SAFETY: both blocks are at least as long as the copied range. The old block is freed only
        // if the new block was allocated.
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
