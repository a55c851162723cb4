//! The rest of rows that expire.

use std::fmt::Debug;

/// Asserts that all rows are left that are kept, and no others; returns how many have expired.
pub(super) fn check_kept<T: PartialEq + Debug>(
    left: &[T],
    known: &[T],
    is_kept: impl Fn(&T) -> bool,
) -> usize {
    let (mut left, mut n_gone) = (left.iter().peekable(), 0);
    for it in known {
        if left.next_if_eq(&it).is_none() {
            assert!(!is_kept(it), "it is gone: {it:?}");
            n_gone += 1;
        }
    }
    assert_eq!(left.next(), None, "nobody knows of it");
    n_gone
}
