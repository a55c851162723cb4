//! The known name that somebody probably meant.

/// The member of `known` with the smallest edit distance to `name`; the first of equals.
///
/// A name that is right but for its section (`listen` for `http.listen`) counts as near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().min_by_key(|candidate| {
        let whole = distance(name, candidate);
        let last = candidate.rsplit('.').next().unwrap_or(candidate);
        // One more than an edit, so that the same section wins over the same last name.
        whole.min(distance(name.rsplit('.').next().unwrap_or(name), last).saturating_add(2))
    })
}

/// Levenshtein's distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a_char) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b_char) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(a_char != *b_char);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{distance, nearest};

    #[test]
    fn distances() {
        for (a, b, expected) in [
            ("", "", 0),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("hä", "ha", 1),
            ("ab", "ba", 2),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn meant_names() {
        let known = ["data", "http.listen", "trapper.listen", "journal.sync_ms", "log.level"];
        for (name, expected) in [
            ("http.lisen", "http.listen"),
            ("trapper.listn", "trapper.listen"),
            ("sync_ms", "journal.sync_ms"),
            ("jurnal.sync_ms", "journal.sync_ms"),
            ("log.levle", "log.level"),
            ("dat", "data"),
        ] {
            assert_eq!(nearest(name, known), Some(expected), "{name}");
        }
        assert_eq!(nearest("x", []), None);
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_zero_only_for_equals(a in ".{0,12}", b in ".{0,12}") {
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
            prop_assert_eq!(distance(&a, &b) == 0, a == b);
        }
    }
}
