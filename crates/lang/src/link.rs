//! Links as browsers understand them, so that links refused here are those that browsers would run.

/// The scheme of a link, in lower case; `None`: it is relative. As in browsers, blanks and
/// control characters before it are skipped, and so are tabs and line ends within.
#[must_use]
pub fn scheme(link: &str) -> Option<String> {
    let start = link.trim_start_matches(|it: char| it <= ' ');
    let mut scheme = String::new();
    for it in start.chars().filter(|it| !matches!(it, '\t' | '\n' | '\r')) {
        match it {
            ':' => return Some(scheme).filter(|it| !it.is_empty()),
            'a'..='z' | 'A'..='Z' => scheme.push(it.to_ascii_lowercase()),
            '0'..='9' | '+' | '-' | '.' if !scheme.is_empty() => scheme.push(it),
            _ => return None,
        }
    }
    None
}

/// Whether a link has no scheme, or an admitted one; if none are named, any is.
#[must_use]
pub fn is_admitted<S: AsRef<str>>(link: &str, schemes: Option<&[S]>) -> bool {
    let Some(found) = scheme(link) else { return true };
    schemes.is_none_or(|it| it.iter().any(|known| known.as_ref().eq_ignore_ascii_case(&found)))
}

/// Whether a link may be stored as it is written: without control characters, of an admitted scheme. Macros
/// in it are not resolved yet: the result is checked by [`is_admitted`] when it is shown.
#[must_use]
pub fn is_acceptable<S: AsRef<str>>(link: &str, schemes: Option<&[S]>) -> bool {
    !link.chars().any(char::is_control) && is_admitted(link, schemes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_is_what_a_browser_finds() {
        for (link, expected) in [
            ("https://x", Some("https")),
            ("HTTP:x", Some("http")),
            ("javascript:alert(1)", Some("javascript")),
            (" javascript:alert(1)", Some("javascript")),
            ("\tjavascript:alert(1)", Some("javascript")),
            ("\u{1}javascript:alert(1)", Some("javascript")),
            ("java\tscr\nipt\r:alert(1)", Some("javascript")),
            ("/a:b", None),
            ("a/b:c", None),
            ("?x=a:b", None),
            ("host.php?x=1", None),
            (":x", None),
            ("1a:x", None),
            ("{$X}javascript:x", None),
            ("", None),
        ] {
            assert_eq!(scheme(link).as_deref(), expected, "{link:?}");
        }
    }

    #[test]
    fn links_are_of_admitted_schemes_and_hold_no_control_characters() {
        let schemes = Some(&["http", "HTTPS"][..]);
        for (link, is_kept, is_shown) in [
            ("https://x", true, true),
            ("tr_events.php?a=b:c", true, true),
            (" https://x", true, true),
            ("ftp://x", false, false),
            ("data:text/html,x", false, false),
            ("https://x\u{7f}", false, true),
            ("java\tscript:x", false, false),
            ("javascript:{$X}", false, false),
        ] {
            assert_eq!(is_acceptable(link, schemes), is_kept, "{link:?}");
            assert_eq!(is_admitted(link, schemes), is_shown, "{link:?}");
        }
        assert!(is_admitted("anything:x", None::<&[&str]>));
    }
}
