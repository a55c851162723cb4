//! Objects of the API, described once: see [`model::describe`].

pub use model::describe::*;

/// Two lists of fields as one.
pub(crate) const fn joined<const A: usize, const B: usize, const N: usize>(
    one: &[Field; A],
    two: &[Field; B],
) -> [Field; N] {
    assert!(N == A + B, "the list has room for both");
    let mut all = [one[0]; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < A { one[at] } else { two[at - A] };
        at += 1;
    }
    all
}
