//! Room for the numbers of a chunk on the stack.

/// The most samples of a chunk: positions of exceptions fit a byte.
pub(crate) const CHUNK_MAX: usize = 256;

/// Samples of a block in the head.
const BLOCK: usize = 8;

/// Gives `work` room for `n` numbers, [`CHUNK_MAX`] at most. Blocks are most of what is written and read, and to
/// clear a chunk's room for one of them takes as long as its compression.
#[inline]
pub(super) fn with_scratch<T: Copy + Default, R>(n: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
    debug_assert!(n <= CHUNK_MAX);
    if n <= BLOCK {
        let mut room = [T::default(); BLOCK];
        work(room.get_mut(..n).unwrap_or_default())
    } else {
        let mut room = [T::default(); CHUNK_MAX];
        work(room.get_mut(..n).unwrap_or_default())
    }
}
