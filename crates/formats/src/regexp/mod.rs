//! Regular expressions as users write them: PCRE2's, compiled once, with bounded work for each text.
//!
//! A pattern can't hang a shard. Most patterns are matched in one pass over the text ([`linear`]); the rest
//! has a budget of steps for the whole text ([`search`]), and a match that exceeds it is an error, never "no
//! match". Steps are counted, not timed: the same text gives the same answer on every machine under
//! every load. `^` and `$` match at lines, as in Zabbix, but for the step that extracts by a pattern.

mod class;
mod error;
mod linear;
mod search;
mod turn;

use std::sync::Arc;

pub use error::RegexpError;
use linear::{Flags, Spans};
use model::map::Map;
use search::Search;
pub use turn::MatchTurn;

/// The longest pattern that PCRE2 is asked to compile.
const PATTERN_BYTES_MAX: usize = 65_535;
/// The most compiled patterns of one [`Cache`]. When it is reached, all are dropped.
const CACHE_LEN_MAX: usize = 10_000;

/// A compiled pattern; cheap to share.
#[derive(Debug, Clone)]
pub struct Regexp {
    search: Arc<Search>,
    pattern: Arc<str>,
}

/// Positions of the groups of one match in its text.
#[derive(Debug, Clone)]
pub struct Groups<'t> {
    text: &'t str,
    spans: Spans,
}

impl<'t> Groups<'t> {
    /// Text of group `idx` (0 is the whole match); empty if the group took no part.
    #[must_use]
    pub fn get(&self, idx: usize) -> &'t str {
        self.spans
            .get(idx)
            .copied()
            .flatten()
            .and_then(|(start, end)| self.text.get(start..end))
            .unwrap_or("")
    }

    /// Number of groups, the whole match included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Never true: the whole match is a group.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the whole match covers.
    #[must_use]
    pub fn span(&self) -> (usize, usize) {
        self.spans.first().copied().flatten().unwrap_or((0, 0))
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
        let search = Arc::new(Search::new(pattern, flags)?);
        Ok(Self { search, pattern: pattern.into() })
    }

    /// Whether a match takes time in proportion to the text. The work for other patterns is bounded as well,
    /// but grows faster: long texts are not for threads that others wait for.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        self.search.is_linear()
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
        self.search.is_match(&self.pattern, text)
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
        let found = self.search.spans_at(&self.pattern, text, start)?;
        Ok(found.map(|spans| Groups { text, spans }))
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

/// `template` with `\0`..`\9` replaced by groups and `\\` by one backslash. A digit above the
/// number of groups gives nothing.
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
mod tests;
