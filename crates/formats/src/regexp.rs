//! Regular expressions as users write them: PCRE2 with JIT, bounded, compiled once.
//!
//! A pattern can't hang a shard: the number of match steps is limited inside the pattern itself
//! (`(*LIMIT_MATCH=…)`), which the JIT obeys as well. A match that hits a limit is an error, never
//! "no match". `^` and `$` match at lines, as in Zabbix, but for the step that extracts by a pattern.

use std::sync::Arc;

use model::map::Map;
use pcre2::bytes::{CaptureLocations, Regex, RegexBuilder};
use thiserror::Error;

/// About 50 ms at the JIT's speed; ordinary patterns need a few hundred steps.
const MATCH_LIMIT: u32 = 1_000_000;
/// Backtracking memory of the interpreter, in KiB; the JIT has a stack of its own.
const HEAP_LIMIT_KIB: u32 = 20_000;
/// The longest pattern that PCRE2 is asked to compile.
const PATTERN_BYTES_MAX: usize = 65_535;
/// Compiled patterns that one [`Cache`] keeps.
const CACHE_LEN_MAX: usize = 10_000;

/// Why a regular expression gives no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RegexpError {
    /// The pattern does not compile.
    #[error("{0}")]
    Compile(String),
    /// The pattern was too expensive for this text.
    #[error("error occurred during regular expression matching: {0}")]
    Match(String),
}

/// A compiled pattern; cheap to share.
#[derive(Debug, Clone)]
pub struct Regexp {
    regex: Arc<Regex>,
    pattern: Arc<str>,
}

/// How a pattern is read.
#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    /// Case does not matter.
    caseless: bool,
    /// Lines do not matter to `^` and `$`.
    whole: bool,
}

/// Positions of the groups of one match in its text.
#[derive(Debug, Clone)]
pub struct Groups<'t> {
    text: &'t str,
    locations: CaptureLocations,
}

impl<'t> Groups<'t> {
    /// Text of group `idx` (0 is the whole match); empty if the group took no part.
    #[must_use]
    pub fn get(&self, idx: usize) -> &'t str {
        self.locations.get(idx).and_then(|(start, end)| self.text.get(start..end)).unwrap_or("")
    }

    /// Number of groups, the whole match included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.locations.len()
    }

    /// Never true: the whole match is a group.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the whole match covers.
    #[must_use]
    pub fn span(&self) -> (usize, usize) {
        self.locations.get(0).unwrap_or((0, 0))
    }
}

impl Regexp {
    /// Compiles `pattern`.
    ///
    /// # Errors
    /// [`RegexpError::Compile`] with PCRE2's text.
    pub fn new(pattern: &str) -> Result<Self, RegexpError> {
        Self::build(pattern, Flags::default())
    }

    /// Compiles `pattern` so that `^` and `$` match at the ends of the whole text only.
    ///
    /// # Errors
    /// [`RegexpError::Compile`] with PCRE2's text.
    pub fn new_whole(pattern: &str) -> Result<Self, RegexpError> {
        Self::build(pattern, Flags { whole: true, ..Flags::default() })
    }

    /// Compiles `pattern` so that case does not matter.
    ///
    /// # Errors
    /// [`RegexpError::Compile`] with PCRE2's text.
    pub fn new_caseless(pattern: &str) -> Result<Self, RegexpError> {
        Self::build(pattern, Flags { caseless: true, ..Flags::default() })
    }

    /// As [`Self::new_whole`]; case does not matter.
    ///
    /// # Errors
    /// [`RegexpError::Compile`] with PCRE2's text.
    pub fn new_whole_caseless(pattern: &str) -> Result<Self, RegexpError> {
        Self::build(pattern, Flags { whole: true, caseless: true })
    }

    fn build(pattern: &str, flags: Flags) -> Result<Self, RegexpError> {
        if pattern.len() > PATTERN_BYTES_MAX {
            return Err(RegexpError::Compile("regular expression is too large".to_owned()));
        }
        let limited =
            format!("(*LIMIT_MATCH={MATCH_LIMIT})(*LIMIT_HEAP={HEAP_LIMIT_KIB}){pattern}");
        let regex = RegexBuilder::new()
            .caseless(flags.caseless)
            .multi_line(!flags.whole)
            .utf(true)
            .jit_if_available(true)
            .build(&limited)
            .map_err(|it| compile_error(&it, limited.len() - pattern.len()))?;
        Ok(Self { regex: Arc::new(regex), pattern: pattern.into() })
    }

    /// The pattern as the user wrote it.
    #[must_use]
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Does the pattern match anywhere in `text`?
    ///
    /// # Errors
    /// [`RegexpError::Match`] if a limit was hit.
    pub fn is_match(&self, text: &str) -> Result<bool, RegexpError> {
        self.regex.is_match(text.as_bytes()).map_err(|it| match_error(&it))
    }

    /// The first match with its groups.
    ///
    /// # Errors
    /// [`RegexpError::Match`] if a limit was hit.
    pub fn groups<'t>(&self, text: &'t str) -> Result<Option<Groups<'t>>, RegexpError> {
        self.groups_at(text, 0)
    }

    /// The first match that begins at or after byte `start`.
    ///
    /// # Errors
    /// [`RegexpError::Match`] if a limit was hit.
    pub fn groups_at<'t>(
        &self,
        text: &'t str,
        start: usize,
    ) -> Result<Option<Groups<'t>>, RegexpError> {
        let mut locations = self.regex.capture_locations();
        let found = self
            .regex
            .captures_read_at(&mut locations, text.as_bytes(), start)
            .map_err(|it| match_error(&it))?;
        Ok(found.map(|_| Groups { text, locations }))
    }

    /// The first match rewritten by `template` (`\0`..`\9` stand for groups); `None` without a match.
    /// With an empty template the whole text stays as it is.
    ///
    /// # Errors
    /// [`RegexpError::Match`] if a limit was hit.
    pub fn extract(&self, text: &str, template: &str) -> Result<Option<String>, RegexpError> {
        let Some(groups) = self.groups(text)? else { return Ok(None) };
        Ok(Some(if template.is_empty() { text.to_owned() } else { expand(template, &groups) }))
    }
}

impl PartialEq for Regexp {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }
}

/// `template` with `\0`..`\9` replaced by groups and `\\` by one backslash. A digit above the number of groups gives nothing.
#[must_use]
pub fn expand(template: &str, groups: &Groups<'_>) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(pos) = rest.find('\\') {
        let (before, after) = rest.split_at(pos);
        out.push_str(before);
        match after.as_bytes().get(1) {
            Some(digit) if digit.is_ascii_digit() => {
                out.push_str(groups.get(usize::from(digit - b'0')));
                rest = after.get(2..).unwrap_or("");
            }
            Some(b'\\') => {
                out.push('\\');
                rest = after.get(2..).unwrap_or("");
            }
            _ => {
                out.push('\\');
                rest = after.get(1..).unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    out
}

fn compile_error(error: &pcre2::Error, prefix_len: usize) -> RegexpError {
    let text = error.to_string();
    let offset = error.offset().map_or(0, |it| it.saturating_sub(prefix_len));
    let reason = text.rsplit(": ").next().unwrap_or(&text).to_owned();
    RegexpError::Compile(format!("{reason} (position {offset})"))
}

fn match_error(error: &pcre2::Error) -> RegexpError {
    RegexpError::Match(error.to_string().trim_start_matches("PCRE2: ").to_owned())
}

/// Compiled patterns by text, bounded: a full cache is emptied, since patterns recur at once.
#[derive(Debug, Default)]
pub struct Cache {
    plain: Map<String, Result<Regexp, RegexpError>>,
    caseless: Map<String, Result<Regexp, RegexpError>>,
}

impl Cache {
    /// An empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The compiled pattern; failures are remembered as well.
    ///
    /// # Errors
    /// [`RegexpError::Compile`].
    pub fn get(&mut self, pattern: &str) -> Result<Regexp, RegexpError> {
        cached(&mut self.plain, pattern, false)
    }

    /// As [`Cache::get`], ignoring case when matching.
    ///
    /// # Errors
    /// [`RegexpError::Compile`].
    pub fn get_caseless(&mut self, pattern: &str) -> Result<Regexp, RegexpError> {
        cached(&mut self.caseless, pattern, true)
    }
}

fn cached(
    map: &mut Map<String, Result<Regexp, RegexpError>>,
    pattern: &str,
    caseless: bool,
) -> Result<Regexp, RegexpError> {
    if let Some(known) = map.get(pattern) {
        return known.clone();
    }
    if map.len() >= CACHE_LEN_MAX {
        map.clear();
    }
    let made = Regexp::build(pattern, Flags { caseless, ..Flags::default() });
    map.insert(pattern.to_owned(), made.clone());
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_fill_the_template() {
        let regexp = Regexp::new("([a-z]+)=([0-9]+)").unwrap();
        assert_eq!(regexp.extract("x=12", r"\2-\1-\3").unwrap().unwrap(), "12-x-");
        assert_eq!(regexp.extract("(x=12)", "").unwrap().unwrap(), "(x=12)");
        assert_eq!(regexp.extract("none", "").unwrap(), None);
    }

    #[test]
    fn an_explosive_pattern_ends_in_an_error() {
        let regexp = Regexp::new("^(a+)+$").unwrap();
        let text = format!("{}!", "a".repeat(200));
        assert!(matches!(regexp.is_match(&text), Err(RegexpError::Match(_))));
    }

    #[test]
    fn anchors_match_at_lines() {
        assert!(Regexp::new("^b$").unwrap().is_match("a\nb\nc").unwrap());
        let whole = Regexp::new_whole("^b$").unwrap();
        assert!(!whole.is_match("a\nb\nc").unwrap() && whole.is_match("b\n").unwrap());
    }

    #[test]
    fn a_bad_pattern_says_where() {
        let Err(RegexpError::Compile(text)) = Regexp::new("([0-9+)") else { panic!("compiled") };
        assert!(text.contains("position"), "{text}");
    }
}
