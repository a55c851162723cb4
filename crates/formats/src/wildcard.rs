//! Patterns in which `*` stands for any number of characters.

/// Does `pattern` match all of `text`? Runs in O(len(text) × number of stars) at worst, without recursion.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    // Where to go on if the present attempt fails: after the last star, one byte further in the text.
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            p += 1;
            retry = Some((p, t));
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else if let Some((after_star, from)) = retry {
            p = after_star;
            t = from + 1;
            retry = Some((after_star, t));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|it| *it == b'*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_matches_nothing_or_anything() {
        assert!(matches("*", ""));
        assert!(matches("a*c*e", "abcde"));
        assert!(matches("*a*a", "aaXa"));
        assert!(!matches("a*b", "acbc"));
        assert!(!matches("", "a"));
    }
}
