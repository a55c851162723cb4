//! Patterns whose meaning is the same for an engine that takes time in proportion to the text.
//!
//! PCRE2 searches by trying: a pattern with two `.*` may take the square of the text's length, and no
//! limit of steps says how long that is. For most patterns an automaton finds the same match in one pass
//! (`regex-automata`, leftmost-first as PCRE2). This module reads a pattern strictly, and writes it for that
//! engine if each part of it has the same meaning there; everything it does not know, it refuses:
//!
//! - Classes, `.` and `\b` are written out as PCRE2 reads them in UTF mode without Unicode properties.
//! - `^` at lines does not match after a line end that is the last of the text, other than in that engine. So either something
//!   that takes a character follows it, or all matches begin with it and one that begins at the end is none.
//! - `$` of whole texts also matches before a last line end: allowed at the end of the pattern only.
//! - Loops over what may be empty, references, assertions and possessive loops are refused.
//! - Without regard of case, texts and classes are ASCII: both engines fold these alike.

use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use super::class::{self, Class};

/// Characters and classes of a pattern whose counted loops are written out: the time for a byte of text grows with it.
const SIZE_MAX: usize = 500;
/// The most memory of the cache of states for each thread that matches. A full cache is emptied.
const CACHE_BYTES: usize = 256 * 1024;
/// The deepest nesting of groups; deeper patterns are not matched linearly.
const DEPTH_MAX: usize = 50;
/// The largest number of a counted loop; patterns with larger ones are not matched linearly.
const COUNT_MAX: u32 = 1_000;

/// How a pattern is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags {
    /// Case does not matter.
    pub(super) caseless: bool,
    /// Lines do not matter to `^` and `$`.
    pub(super) whole: bool,
}

/// A pattern for the engine that does not try.
#[derive(Debug)]
pub(super) struct Linear {
    regex: Regex,
    form: Form,
}

/// How the engine's match maps to the pattern's.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Form {
    /// Group 1 is the whole match: text that the pattern reads after it is in the engine's match.
    is_wrapped: bool,
    /// A match that begins at the end of the text, unless that is its beginning, is none.
    is_before_end: bool,
}

/// Where groups lie; the whole match is the first.
pub(super) type Spans = Vec<Option<(usize, usize)>>;

impl Linear {
    /// `None`: the pattern is not known to have the same meaning.
    pub(super) fn new(pattern: &str, flags: Flags) -> Option<Self> {
        let (written, form) = translate(pattern, flags)?;
        let config = Regex::config().hybrid_cache_capacity(CACHE_BYTES);
        let syntax = syntax::Config::new().case_insensitive(false);
        let regex = Regex::builder().configure(config).syntax(syntax).build(&written).ok()?;
        Some(Self { regex, form })
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        if self.form.is_before_end {
            return self.regex.find(text).is_some_and(|it| self.is_taken(it.start(), text));
        }
        self.regex.is_match(text)
    }

    fn is_taken(&self, start: usize, text: &str) -> bool {
        !self.form.is_before_end || start < text.len() || text.is_empty()
    }

    /// The first match that begins at or after byte `start`.
    pub(super) fn spans_at(&self, text: &str, start: usize) -> Option<Spans> {
        let mut captures = self.regex.create_captures();
        if start > text.len() {
            return None;
        }
        self.regex.search_captures(
            &regex_automata::Input::new(text).span(start..text.len()),
            &mut captures,
        );
        captures.get_match().filter(|it| self.is_taken(it.start(), text))?;
        let first = usize::from(self.form.is_wrapped);
        let span = |idx| captures.get_group(idx).map(|it| (it.start, it.end));
        Some((first..captures.group_len()).map(span).collect())
    }
}

/// The pattern as the other engine reads it, and what its matches say.
pub(super) fn translate(pattern: &str, flags: Flags) -> Option<(String, Form)> {
    let mut parser = Parser { rest: pattern, flags, dot_all: false, depth: 0 };
    parser.options()?;
    let mut node = parser.alternatives()?;
    if !parser.rest.is_empty() {
        return None;
    }
    let is_wrapped = parser.flags.whole && take_end(&mut node);
    let is_before_end = !node.is_same(false, parser.flags.whole);
    if is_before_end && !node.leads(parser.flags.whole) || SIZE_MAX < node.size() {
        return None;
    }
    let mut out = String::from(if parser.flags.caseless { "(?i)" } else { "" });
    if is_wrapped {
        out.push('(');
    }
    node.write(&mut out, parser.flags.whole);
    if is_wrapped {
        out.push_str(r")(?:\x{A}?\z)");
    }
    Some((out, Form { is_wrapped, is_before_end }))
}

/// Takes the `$` at the end of a pattern without alternatives.
fn take_end(node: &mut Node) -> bool {
    let Node::Sequence(parts) = node else { return false };
    let is_last = matches!(parts.last(), Some(Node::LineEnd));
    if is_last {
        parts.pop();
    }
    is_last
}

/// A part of a pattern.
enum Node {
    /// One character, as the other engine writes it.
    One(String),
    LineStart,
    LineEnd,
    /// Looks at nothing but its place, as the other engine writes it.
    Place(&'static str),
    Group {
        is_captured: bool,
        of: Box<Self>,
    },
    Either(Vec<Self>),
    Sequence(Vec<Self>),
    Loop {
        of: Box<Self>,
        min: u32,
        /// How often it is written out.
        n: u32,
        written: String,
    },
}

impl Node {
    /// Whether each match of it takes a character.
    fn takes(&self) -> bool {
        match self {
            Self::One(_) => true,
            Self::LineStart | Self::LineEnd | Self::Place(_) => false,
            Self::Group { of, .. } => of.takes(),
            Self::Either(ways) => ways.iter().all(Self::takes),
            Self::Sequence(parts) => parts.iter().any(Self::takes),
            Self::Loop { of, min, .. } => *min > 0 && of.takes(),
        }
    }

    /// Whether each match of it begins with a `^` at lines or takes a character, and it means the same otherwise.
    fn leads(&self, whole: bool) -> bool {
        match self {
            Self::LineStart => true,
            Self::Group { of, .. } => of.leads(whole),
            Self::Either(ways) => ways.iter().all(|it| it.leads(whole)),
            Self::Sequence(parts) if self.is_same(false, whole) && self.takes() => {
                !parts.is_empty()
            }
            Self::Sequence(parts) => parts.split_first().is_some_and(|(first, others)| {
                let mut others = others.iter();
                first.leads(whole) && others.all(|it| it.is_same(false, whole))
            }),
            other => other.takes() && other.is_same(false, whole),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::One(_) | Self::LineStart | Self::LineEnd | Self::Place(_) => 1,
            Self::Group { of, .. } => of.size().saturating_add(1),
            Self::Either(of) | Self::Sequence(of) => {
                of.iter().fold(0, |sum, it| it.size().saturating_add(sum))
            }
            Self::Loop { of, n, .. } => of.size().saturating_mul(*n as usize),
        }
    }

    /// Whether it means the same; `is_followed`: something after it takes a character.
    fn is_same(&self, is_followed: bool, whole: bool) -> bool {
        match self {
            Self::One(_) | Self::Place(_) => true,
            Self::LineStart => whole || is_followed,
            Self::LineEnd => !whole,
            Self::Group { of, .. } => of.is_same(is_followed, whole),
            Self::Either(ways) => ways.iter().all(|it| it.is_same(is_followed, whole)),
            Self::Sequence(parts) => {
                let mut follows = is_followed;
                parts.iter().rev().all(|it| {
                    let is_same = it.is_same(follows, whole);
                    follows |= it.takes();
                    is_same
                })
            }
            Self::Loop { of, .. } => of.takes() && of.is_same(false, whole),
        }
    }

    fn write(&self, out: &mut String, whole: bool) {
        match self {
            Self::One(it) => out.push_str(it),
            Self::LineStart => out.push_str(if whole { r"\A" } else { "(?m:^)" }),
            Self::LineEnd => out.push_str("(?m:$)"),
            Self::Place(it) => out.push_str(it),
            Self::Group { is_captured, of } => {
                out.push_str(if *is_captured { "(" } else { "(?:" });
                of.write(out, whole);
                out.push(')');
            }
            Self::Either(ways) => {
                for (n, way) in ways.iter().enumerate() {
                    if n > 0 {
                        out.push('|');
                    }
                    way.write(out, whole);
                }
            }
            Self::Sequence(parts) => parts.iter().for_each(|it| it.write(out, whole)),
            Self::Loop { of, written, .. } => {
                of.write(out, whole);
                out.push_str(written);
            }
        }
    }
}

struct Parser<'p> {
    rest: &'p str,
    flags: Flags,
    dot_all: bool,
    depth: usize,
}

impl Parser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest;
        true
    }

    fn next(&mut self) -> Option<char> {
        let found = self.rest.chars().next()?;
        self.rest = self.rest.get(found.len_utf8()..)?;
        Some(found)
    }

    /// Options that the pattern begins with.
    fn options(&mut self) -> Option<()> {
        while let Some(after) = self.rest.strip_prefix("(?") {
            let Some((letters, rest)) = after.split_once(')') else { return Some(()) };
            if letters.is_empty() || !letters.bytes().all(|it| it.is_ascii_alphabetic()) {
                return Some(());
            }
            for letter in letters.chars() {
                match letter {
                    'i' => self.flags.caseless = true,
                    's' => self.dot_all = true,
                    'm' => self.flags.whole = false,
                    _ => return None,
                }
            }
            self.rest = rest;
        }
        Some(())
    }

    fn alternatives(&mut self) -> Option<Node> {
        self.depth += 1;
        if DEPTH_MAX < self.depth {
            return None;
        }
        let mut ways = vec![self.sequence()?];
        while self.eat("|") {
            ways.push(self.sequence()?);
        }
        self.depth -= 1;
        if ways.len() == 1 { ways.pop() } else { Some(Node::Either(ways)) }
    }

    fn sequence(&mut self) -> Option<Node> {
        let mut parts = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let part = self.part()?;
            parts.push(self.looped(part)?);
        }
        Some(Node::Sequence(parts))
    }

    fn part(&mut self) -> Option<Node> {
        match self.next()? {
            '(' => self.group(),
            '[' => self.class(),
            '\\' => self.escape(),
            '^' => Some(Node::LineStart),
            '$' => Some(Node::LineEnd),
            '.' if self.dot_all => Some(Node::One("(?s:.)".to_owned())),
            '.' => Some(Node::One(r"[^\x{A}]".to_owned())),
            '*' | '+' | '?' => None,
            // Text that might be a loop, or become one in a newer PCRE2.
            '{' if self.rest.starts_with([',', ' ', '\t']) => None,
            '{' if self.rest.starts_with(|it: char| it.is_ascii_digit()) => None,
            other => self.literal(other),
        }
    }

    fn literal(&self, text: char) -> Option<Node> {
        if text == '\0' || self.flags.caseless && !text.is_ascii() {
            return None;
        }
        Some(Node::One(class::written(text)))
    }

    fn group(&mut self) -> Option<Node> {
        if self.rest.starts_with('*') {
            return None;
        }
        let is_captured = if self.eat("?:") {
            false
        } else if self.eat("?<") || self.eat("?P<") {
            let (name, rest) = self.rest.split_once('>')?;
            let is_name = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
            if name.is_empty() || !name.bytes().all(is_name) {
                return None;
            }
            self.rest = rest;
            true
        } else {
            !self.rest.starts_with('?')
        };
        if !is_captured && self.rest.starts_with('?') {
            return None;
        }
        let of = Box::new(self.alternatives()?);
        self.eat(")").then_some(Node::Group { is_captured, of })
    }

    fn escape(&mut self) -> Option<Node> {
        let letter = self.next()?;
        match letter {
            'b' => Some(Node::Place(r"(?-u:\b)")),
            'A' => Some(Node::Place(r"\A")),
            'z' => Some(Node::Place(r"\z")),
            _ => match class::escape(letter, &mut self.rest)? {
                class::Escape::One(it) => self.literal(it),
                class::Escape::Many(it) => Some(Node::One(it.write(false))),
            },
        }
    }

    fn class(&mut self) -> Option<Node> {
        let class = Class::parse(&mut self.rest)?;
        class.written(self.flags.caseless).map(Node::One)
    }

    /// The part with the loop that follows it.
    fn looped(&mut self, of: Node) -> Option<Node> {
        let (min, n, mut written) = if self.eat("*") {
            (0, 1, "*".to_owned())
        } else if self.eat("+") {
            (1, 1, "+".to_owned())
        } else if self.eat("?") {
            (0, 1, "?".to_owned())
        } else if let Some(found) = self.count()? {
            found
        } else {
            return Some(of);
        };
        if self.eat("?") {
            written.push('?');
        }
        // A second loop, or a possessive one.
        if self.rest.starts_with(['*', '+', '?']) || self.count()?.is_some() {
            return None;
        }
        Some(Node::Loop { of: Box::new(of), min, n, written })
    }

    /// A counted loop. Outside: it is refused.
    #[expect(clippy::option_option, reason = "refused, absent and found are three cases")]
    fn count(&mut self) -> Option<Option<(u32, u32, String)>> {
        let Some(after) = self.rest.strip_prefix('{') else { return Some(None) };
        let Some((inside, rest)) = after.split_once('}') else {
            return if after.starts_with(|it: char| it.is_ascii_digit() || it == ',') {
                None
            } else {
                Some(None)
            };
        };
        if inside.is_empty() || !inside.bytes().all(|it| it.is_ascii_digit() || it == b',') {
            // A brace for itself, unless a newer PCRE2 could see numbers in it.
            return if inside.starts_with([' ', ',', '\t'])
                || inside.starts_with(|it: char| it.is_ascii_digit())
            {
                None
            } else {
                Some(None)
            };
        }
        let (min, max) = match inside.split_once(',') {
            None => (inside.parse().ok()?, Some(inside.parse::<u32>().ok()?)),
            Some((min, "")) => (min.parse().ok()?, None),
            Some((min, max)) => (min.parse().ok()?, Some(max.parse::<u32>().ok()?)),
        };
        if COUNT_MAX < min || max.is_some_and(|it| it < min || it == 0 || COUNT_MAX < it) {
            return None;
        }
        self.rest = rest;
        Some(Some((min, max.unwrap_or(min).max(1), format!("{{{inside}}}"))))
    }
}
