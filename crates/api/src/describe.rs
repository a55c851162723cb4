//! Objects of the API, described once: see [`model::describe`].

pub use model::describe::*;

/// Two lists, of fields or of columns, as one.
pub(crate) const fn joined<T: Copy, const N: usize>(one: &[T], two: &[T]) -> [T; N] {
    assert!(N == one.len() + two.len(), "the list has room for both");
    let mut all = [one[0]; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < one.len() { one[at] } else { two[at - one.len()] };
        at += 1;
    }
    all
}
