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

/// The total number of members of lists.
pub(crate) const fn count<T>(lists: &[&[T]]) -> usize {
    let (mut n, mut at) = (0, 0);
    while at < lists.len() {
        n += lists[at].len();
        at += 1;
    }
    n
}

/// The members of lists, one list after the other.
pub(crate) const fn flattened<T: Copy, const N: usize>(lists: &[&[T]]) -> [T; N] {
    assert!(N == count(lists), "a place for each member");
    let mut of = 0;
    while lists[of].is_empty() {
        of += 1;
    }
    let mut all = [lists[of][0]; N];
    let (mut n, mut list) = (0, 0);
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            all[n] = lists[list][at];
            (n, at) = (n + 1, at + 1);
        }
        list += 1;
    }
    all
}
