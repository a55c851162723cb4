//! How the first match is found, so that it takes bounded work and ends the same on every machine.
//!
//! | Pattern | Text | Engine |
//! |---|---|---|
//! | known to be linear ([`Linear`]) | short | PCRE2 with JIT and a small limit, which most matches end below |
//! | known to be linear | else, or the limit was hit | [`Linear`] |
//! | other | any | PCRE2 without JIT, with a budget of steps over all places where a match may begin |
//!
//! For linear patterns both engines give the same match, so it does not matter which one answers. For the others
//! the answer depends on the count of steps alone; the JIT counts otherwise than the interpreter and is not on
//! every machine, so it takes no part.
//!
//! PCRE2's own limit begins again with each place. So its first search has a limit that most texts meet at none of
//! their places. If one does, places are tried one by one, each with growing limits, and each attempt is
//! charged to the budget.
//!
//! Where one value causes many searches, they share a budget as well ([`turn`]). The steps of a
//! first search are not known, so it is charged by its limit.

use std::sync::OnceLock;

use pcre2::bytes::{CaptureLocations, Regex, RegexBuilder};

use super::error::{RegexpError, compile_error, match_error};
use super::linear::{Flags, Linear, Spans, translate};
use super::turn;

/// The longest text for which PCRE2 tries a linear pattern: steps that its limit does not count are
/// at most the square.
const SHORT_BYTES_MAX: usize = 256;
/// The steps granted for each place of a short text.
const SHORT_STEPS: u32 = 1_000;
/// Steps for each place in the first search with other patterns, and what a byte of the text takes from the turn.
const QUICK_STEPS: (u32, u64) = (32, 2);
/// The same for the second search, after a place took more. A byte adds as many steps to the text's own budget.
const FIRST_STEPS: (u32, u64) = (256, 8);
/// Limits for a place that takes more.
const STEPS: [u32; 4] = [256, 4_096, 65_536, 1_000_000];
/// Steps for all places together; those of [`FIRST_STEPS`] for each byte come on top. About 50 ms.
const BUDGET: u64 = 5_000_000;
/// PCRE2 looks at this much text for what a step costs when it begins.
const BYTES_PER_STEP: usize = 64;
/// Backtracking memory of the interpreter, in KiB; the JIT has a stack of its own.
const HEAP_LIMIT_KIB: u32 = 20_000;
/// PCRE2's code for a limit of steps that was hit.
const LIMIT_HIT: i32 = -47;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Search {
    first: Regex,
    /// With the larger limit, for other patterns.
    second: OnceLock<Option<Regex>>,
    flags: Flags,
    /// Built for the first long text; `None`: the pattern is not linear.
    linear: Option<OnceLock<Option<Linear>>>,
    /// The pattern at one place, by limits.
    anchored: [OnceLock<Option<Regex>>; STEPS.len()],
}

impl Search {
    pub(super) fn new(pattern: &str, flags: Flags) -> Result<Self, RegexpError> {
        let is_linear = translate(pattern, flags).is_some();
        let steps = if is_linear { SHORT_STEPS } else { QUICK_STEPS.0 };
        let first = build(pattern, flags, (steps, is_linear))?;
        let linear = is_linear.then(OnceLock::new);
        Ok(Self { first, second: OnceLock::new(), flags, linear, anchored: Default::default() })
    }

    pub(super) fn is_linear(&self) -> bool {
        self.linear.is_some()
    }

    fn linear(&self, pattern: &str) -> Option<&Linear> {
        self.linear.as_ref()?.get_or_init(|| Linear::new(pattern, self.flags)).as_ref()
    }

    pub(super) fn is_match(&self, pattern: &str, text: &str) -> Result<bool, RegexpError> {
        let search = |regex: &Regex| regex.is_match(text.as_bytes());
        if let Some(found) = self.at_once(pattern, text, search)? {
            return Ok(found);
        }
        match self.linear(pattern) {
            Some(linear) => Ok(linear.is_match(text)),
            None => Ok(self.by_places(pattern, text, 0)?.is_some()),
        }
    }

    /// The first match that begins at or after byte `start`.
    pub(super) fn spans_at(
        &self,
        pattern: &str,
        text: &str,
        start: usize,
    ) -> Result<Option<Spans>, RegexpError> {
        let search = |regex: &Regex| {
            let mut found = regex.capture_locations();
            let it = regex.captures_read_at(&mut found, text.as_bytes(), start)?;
            Ok(it.map(|_| spans(&found)))
        };
        if let Some(found) = self.at_once(pattern, text, search)? {
            return Ok(found);
        }
        match self.linear(pattern) {
            Some(linear) => Ok(linear.spans_at(text, start)),
            None => self.by_places(pattern, text, start),
        }
    }

    pub(super) fn begins_with_pcre(&self, text: &str) -> bool {
        !self.is_linear() || text.len() <= SHORT_BYTES_MAX
    }

    /// The answer of PCRE2 for all places in one call; `None`: a place takes more, or the text is
    /// not for it.
    fn at_once<T>(
        &self,
        pattern: &str,
        text: &str,
        search: impl Fn(&Regex) -> Result<T, pcre2::Error>,
    ) -> Result<Option<T>, RegexpError> {
        if !self.begins_with_pcre(text) {
            return Ok(None);
        }
        if self.is_linear() {
            // If PCRE2 has no answer for any reason, the other engine has one.
            return Ok(search(&self.first).ok());
        }
        let search = |price: u64, regex: &Regex| {
            turn::take((1 + text.len() as u64).saturating_mul(price)).ok_or_else(gives_up)?;
            match search(regex) {
                Ok(found) => Ok(Some(found)),
                Err(error) if error.code() == LIMIT_HIT => Ok(None),
                Err(error) => Err(match_error(&error)),
            }
        };
        if let Some(found) = search(QUICK_STEPS.1, &self.first)? {
            return Ok(Some(found));
        }
        let made = || build(pattern, self.flags, (FIRST_STEPS.0, false)).ok();
        let second = self.second.get_or_init(made).as_ref();
        search(FIRST_STEPS.1, second.ok_or_else(gives_up)?)
    }

    pub(super) fn by_places(
        &self,
        pattern: &str,
        text: &str,
        start: usize,
    ) -> Result<Option<Spans>, RegexpError> {
        let mut left = BUDGET.saturating_add(text.len() as u64 * u64::from(FIRST_STEPS.0));
        let mut take = |steps: u64| {
            left = left.checked_sub(steps)?;
            turn::take(steps)
        };
        let places = (start..=text.len()).filter(|it| text.is_char_boundary(*it));
        for place in places {
            let mut is_answered = false;
            for (n, steps) in STEPS.into_iter().enumerate() {
                let price = 1 + ((text.len() - place) / BYTES_PER_STEP) as u64;
                take(price).ok_or_else(gives_up)?;
                let regex = self.anchored(pattern, n).ok_or_else(gives_up)?;
                let mut found = regex.capture_locations();
                match regex.captures_read_at(&mut found, text.as_bytes(), place) {
                    Ok(Some(_)) => return Ok(Some(spans(&found))),
                    Ok(None) => is_answered = true,
                    Err(error) if error.code() == LIMIT_HIT => {
                        take(u64::from(steps)).ok_or_else(gives_up)?;
                    }
                    Err(error) => return Err(match_error(&error)),
                }
                if is_answered {
                    break;
                }
            }
            if !is_answered {
                return Err(gives_up());
            }
        }
        Ok(None)
    }

    /// The pattern at the place where the search begins. `None`: it would mean something else there.
    fn anchored(&self, pattern: &str, n: usize) -> Option<&Regex> {
        let made = self.anchored.get(n)?.get_or_init(|| {
            // Verbs may end the search for all places, and what is called whole would have the anchor too.
            let means_other = ["(*", "(?R", "(?0", r"\g<0", r"\g'0"];
            if means_other.iter().any(|it| pattern.contains(it)) {
                return None;
            }
            let steps = STEPS.get(n).copied()?;
            build(&format!(r"\G(?:{pattern})"), self.flags, (steps, false)).ok()
        });
        made.as_ref()
    }
}

fn gives_up() -> RegexpError {
    RegexpError::Match("match limit exceeded".to_owned())
}

fn spans(found: &CaptureLocations) -> Spans {
    (0..found.len()).map(|it| found.get(it)).collect()
}

fn build(pattern: &str, flags: Flags, (steps, jit): (u32, bool)) -> Result<Regex, RegexpError> {
    // Loops that never give back go through the text without a step: those that nobody wrote so are counted.
    let counted = if jit { "" } else { "(*NO_AUTO_POSSESS)" };
    let limited = format!("(*LIMIT_MATCH={steps})(*LIMIT_HEAP={HEAP_LIMIT_KIB}){counted}{pattern}");
    RegexBuilder::new()
        .caseless(flags.caseless)
        .multi_line(!flags.whole)
        .utf(true)
        .jit_if_available(jit)
        .build(&limited)
        .map_err(|it| compile_error(&it, limited.len() - pattern.len()))
}
