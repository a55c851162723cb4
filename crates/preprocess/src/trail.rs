//! The results of steps, for the text of the item's error when a step fails:
//!
//! ```text
//! Preprocessing failed for: {"a":"y5"}
//! 1. Result: y5
//! 2. Failed: cannot …
//! ```
//!
//! The trail keeps values only as far as a message shows them, so that a long document costs no
//! more than a short one; numbers and borrowed texts cost nothing.

use std::borrow::Cow;

use super::data::Data;
use super::error::{ERROR_CHARS_MAX, head};

/// Characters of a value that an error shows.
const VALUE_CHARS_MAX: usize = 100;
/// Results that are kept in place: most lists of steps are not longer.
const IN_PLACE: usize = 3;
/// At the end of a cut text, and in place of lines that are left out.
const DOTS: &str = "...";

/// The source of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Step,
    SetValue,
    SetError,
}

impl By {
    fn text(self) -> &'static str {
        match self {
            Self::Step => "",
            Self::SetValue => " (set value)",
            Self::SetError => " (set error)",
        }
    }
}

/// A value or an error, as far as it is shown.
#[derive(Debug, Clone, PartialEq)]
enum Shown<'a> {
    Value(Data<'a>),
    Error(String),
}

impl<'a> Shown<'a> {
    fn of(input: Result<&Data<'a>, &str>) -> Self {
        // One more than is shown, so that a cut is noticed.
        let n = VALUE_CHARS_MAX + 1;
        match input {
            Ok(Data::Text(Cow::Borrowed(it))) => Self::Value(Data::text(head(it, n))),
            Ok(Data::Text(Cow::Owned(it))) => Self::Value(Data::text(head(it, n).to_owned())),
            Ok(number) => Self::Value(number.clone()),
            Err(it) => Self::Error(head(it, ERROR_CHARS_MAX).to_owned()),
        }
    }

    fn into_owned(self) -> Shown<'static> {
        match self {
            Self::Value(it) => Shown::Value(it.into_owned()),
            Self::Error(it) => Shown::Error(it),
        }
    }

    fn n_bytes(&self) -> usize {
        match self {
            Self::Value(it) => it.len(),
            Self::Error(it) => it.len(),
        }
    }

    fn line(&self, number: usize, by: By) -> String {
        let by = by.text();
        match self {
            Self::Value(it) => format!("{number}. Result{by}: {}\n", preview(&it.as_text())),
            Self::Error(it) => format!("{number}. Failed{by}: {it}\n"),
        }
    }
}

/// The trail of a value through the steps so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trail<'a> {
    input: Option<Shown<'a>>,
    /// Steps before the first of `results`, whose results are not known.
    n_unknown: usize,
    first: [Option<(Shown<'a>, By)>; IN_PLACE],
    rest: Vec<(Shown<'a>, By)>,
}

impl<'a> Trail<'a> {
    /// The trail of a value before step `at`: the results of the steps before are not known.
    pub(super) fn before(at: usize, input: Result<&Data<'a>, &str>) -> Self {
        Self { input: Some(Shown::of(input)), n_unknown: at, ..Self::default() }
    }

    /// The trail of a value at step `at` whose earlier trail is lost.
    #[must_use]
    pub fn of(at: usize, value: &Data<'a>) -> Self {
        Self::before(at, Ok(value))
    }

    /// A step is done.
    pub(super) fn push(&mut self, result: Result<&Data<'a>, &str>, by: By) {
        let entry = (Shown::of(result), by);
        match self.first.iter_mut().find(|it| it.is_none()) {
            Some(free) => *free = Some(entry),
            None => self.rest.push(entry),
        }
    }

    /// Whether only the value itself is known.
    pub(super) fn is_fresh(&self) -> bool {
        self.n_unknown == 0 && self.first[0].is_none()
    }

    /// The trail for later.
    #[must_use]
    pub fn into_owned(self) -> Trail<'static> {
        let owned = |(shown, by): (Shown<'a>, By)| (shown.into_owned(), by);
        Trail {
            input: self.input.map(Shown::into_owned),
            n_unknown: self.n_unknown,
            first: self.first.map(|it| it.map(owned)),
            rest: self.rest.into_iter().map(owned).collect(),
        }
    }

    /// Memory in addition to the trail's own.
    #[must_use]
    pub fn n_bytes(&self) -> usize {
        let input = self.input.as_ref().map_or(0, Shown::n_bytes);
        let results = self.results().map(|(it, _)| it.n_bytes() + size_of::<(Shown<'_>, By)>());
        input + results.sum::<usize>()
    }

    fn results(&self) -> impl DoubleEndedIterator<Item = &(Shown<'a>, By)> {
        self.first.iter().flatten().chain(&self.rest)
    }

    /// The text of the item's error, if the step at `at` fails with `error`.
    ///
    /// If not all fits, the text has the failed step and as many of the last steps before it as
    /// fit.
    pub(super) fn report(&self, at: usize, error: &str) -> String {
        let input = match &self.input {
            Some(Shown::Value(it)) => preview(&it.as_text()),
            Some(Shown::Error(it)) => preview(it),
            None => String::new(),
        };
        let mut text = format!("Preprocessing failed for: {input}\n");
        let failed = Shown::of(Err(error)).line(at + 1, By::Step);
        let taken = n_chars(&text) + DOTS.len() + 1 + n_chars(&failed);
        let mut room = ERROR_CHARS_MAX.checked_sub(taken);
        let mut lines = vec![failed];
        for (number, (result, by)) in (1..=at).rev().zip(self.results().rev()) {
            let line = result.line(number, *by);
            let Some(left) = room.and_then(|it| it.checked_sub(n_chars(&line))) else { break };
            room = Some(left);
            lines.push(line);
        }
        if lines.len() <= at {
            text.push_str(DOTS);
            text.push('\n');
        }
        text.extend(lines.into_iter().rev());
        text.truncate(text.trim_ascii_end().len());
        cut(&mut text, ERROR_CHARS_MAX);
        text
    }
}

/// A value for messages: cut, and without control characters.
fn preview(value: &str) -> String {
    let mut text = head(value, VALUE_CHARS_MAX + 1).to_owned();
    cut(&mut text, VALUE_CHARS_MAX);
    text.replace(|it: char| it.is_ascii_control(), ".")
}

fn n_chars(text: &str) -> usize {
    text.chars().count()
}

/// Cuts to this many characters, the last three being dots.
fn cut(text: &mut String, chars_max: usize) {
    if head(text, chars_max).len() < text.len() {
        text.truncate(head(text, chars_max - DOTS.len()).len());
        text.push_str(DOTS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number<'a>(value: f64) -> Data<'a> {
        Data::Float(value)
    }

    #[test]
    fn each_step_has_its_numbered_line() {
        let mut trail = Trail::before(0, Ok(&Data::text("a\n\tb")));
        assert!(trail.is_fresh());
        trail.push(Ok(&Data::text("b")), By::Step);
        trail.push(Err("no"), By::Step);
        trail.push(Ok(&Data::text("7".to_owned())), By::SetValue);
        trail.push(Ok(&number(7.5)), By::Step);
        assert_eq!(
            trail.report(4, "cannot"),
            "Preprocessing failed for: a..b\n1. Result: b\n2. Failed: no\n\
             3. Result (set value): 7\n4. Result: 7.5\n5. Failed: cannot"
        );
    }

    #[test]
    fn steps_of_which_nothing_is_known_are_dots() {
        let mut trail = Trail::before(2, Ok(&Data::text("x")));
        trail.push(Ok(&number(1.0)), By::Step);
        assert_eq!(
            trail.report(3, "no"),
            "Preprocessing failed for: x\n...\n3. Result: 1\n4. Failed: no"
        );
    }

    #[test]
    fn values_and_the_whole_are_cut() {
        let value = "ä".repeat(300);
        let mut trail = Trail::before(0, Ok(&Data::text(value.as_str())));
        for _ in 0..30 {
            trail.push(Ok(&Data::text(value.clone())), By::Step);
        }
        let text = trail.report(30, "no");
        let shown = format!("{}...", "ä".repeat(97));
        assert!(text.starts_with(&format!("Preprocessing failed for: {shown}\n...\n")), "{text}");
        assert!(text.ends_with(&format!("30. Result: {shown}\n31. Failed: no")), "{text}");
        // 127 of the value, 4 of dots, 14 of the failure leave room for 16 lines of 112 or 113.
        assert_eq!(text.lines().count(), 2 + 16 + 1);
        assert!(n_chars(&text) <= ERROR_CHARS_MAX);

        let long = trail.report(1, &"x".repeat(5_000));
        assert_eq!(n_chars(&long), ERROR_CHARS_MAX);
        assert!(
            long.starts_with(&format!("Preprocessing failed for: {shown}\n...\n2. Failed: xxx"))
        );
        assert!(long.ends_with("xxx..."));
    }
}
