//! Finding macro-like tokens in a text: where they begin and end, and their parts.
//!
//! A brace that begins no token is plain text. Nothing is resolved here.

use std::ops::Range;

/// Steps that one search may take: a hostile text of nested braces ends the search instead of the shard.
const STEPS_MAX: usize = 1_000_000;
/// The longest expression macro, and the longest parameters of a macro function: bounds the cost of one
/// brace; a longer one is plain text.
const SPAN_BYTES_MAX: usize = 8_192;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// `{123}`: a function of a stored expression.
    ObjectId,
    /// `{HOST.NAME}`, `{ITEM.VALUE2}`, `{EVENT.TAGS."x y"}`.
    Macro,
    /// `{$NAME}`, `{$NAME:context}`.
    UserMacro,
    /// `{#NAME}`.
    LldMacro,
    /// `{{HOST.NAME}.func(params)}`.
    FuncMacro,
    /// `{{$NAME}.func(params)}`.
    UserFuncMacro,
    /// `{{#NAME}.func(params)}`.
    LldFuncMacro,
    /// `{?expression}`.
    Expression,
    /// `{{?expression}.func(params)}`.
    ExpressionFunc,
    /// `$1`..`$9`.
    Reference,
    /// `{anything}`: a variable of the caller's own.
    Variable,
    /// `{{anything}.func(params)}`.
    VariableFunc,
}

/// Which tokens a search looks for; user and LLD macros, macros and their functions always.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Search {
    /// `$1`..`$9`.
    pub references: bool,
    /// `{?…}`.
    pub expressions: bool,
    /// `{123}`.
    pub object_ids: bool,
    /// `{anything}` that is no user or LLD macro.
    pub variables: bool,
}

impl Search {
    /// Everything but references and object ids.
    pub const TEXT: Self = Self { expressions: true, ..Self::BASIC };
    /// Macros only: no expressions, references or object ids.
    pub const BASIC: Self =
        Self { references: false, expressions: false, object_ids: false, variables: false };
}

/// A token of a text; all ranges are bytes of that text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroToken {
    /// Kind of the token.
    pub kind: TokenKind,
    /// The whole token with its braces.
    pub span: Range<usize>,
    /// The macro with its braces (of a function macro: the inner one); of an expression macro: with `{?` and `}`.
    pub macro_span: Range<usize>,
    /// The text inside the macro: the name of a macro, user macro or LLD macro (without `$`, `#` and
    /// context), the expression, the digit of a reference.
    pub name: Range<usize>,
    /// Context of a user macro as written, with its quotes.
    pub context: Option<Range<usize>>,
    /// Function macros: name of the function.
    pub func: Option<Range<usize>>,
    /// Function macros: the text between the parentheses.
    pub params: Option<Range<usize>>,
}

impl MacroToken {
    fn plain(kind: TokenKind, span: Range<usize>, name: Range<usize>) -> Self {
        Self { kind, macro_span: span.clone(), span, name, context: None, func: None, params: None }
    }
}

/// The first token that begins at or after byte `from`.
#[must_use]
pub fn find(text: &str, from: usize, search: Search) -> Option<MacroToken> {
    Tokens::new(text, from, search).next()
}

/// All tokens of `text` from left to right, not overlapping.
#[must_use]
pub fn tokens(text: &str, search: Search) -> Tokens<'_> {
    Tokens::new(text, 0, search)
}

/// Iterator of [`tokens`].
#[derive(Debug)]
pub struct Tokens<'t> {
    text: &'t [u8],
    position: usize,
    search: Search,
    steps: usize,
}

impl<'t> Tokens<'t> {
    fn new(text: &'t str, from: usize, search: Search) -> Self {
        Self { text: text.as_bytes(), position: from, search, steps: 0 }
    }
}

impl Iterator for Tokens<'_> {
    type Item = MacroToken;

    fn next(&mut self) -> Option<MacroToken> {
        loop {
            let rest = self.text.get(self.position..)?;
            let at = if self.search.references {
                memchr::memchr2(b'{', b'$', rest)?
            } else {
                memchr::memchr(b'{', rest)?
            } + self.position;
            let mut scan = Scan { text: self.text, steps: self.steps };
            let token = if self.text[at] == b'$' {
                scan.reference(at)
            } else {
                scan.token(at, self.search)
            };
            self.steps = scan.steps;
            self.position = token.as_ref().map_or(at + 1, |it| it.span.end);
            if token.is_some() {
                return token;
            }
            if self.steps > STEPS_MAX {
                self.position = self.text.len();
                return None;
            }
        }
    }
}

/// A user macro at the start of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMacroSpans {
    /// Bytes of the whole macro.
    pub len: usize,
    /// Bytes of the name.
    pub name: Range<usize>,
    /// Bytes of the context, quotes included; of a regular expression context: of the expression.
    pub context: Option<Range<usize>>,
    /// The context is a regular expression.
    pub is_regex: bool,
}

/// The user macro that begins at the start of `text`. `regex_contexts`: read `regex:` as the mark of a
/// regular expression (where macros are defined) instead of as part of the context (where they are used).
#[must_use]
pub fn user_macro_at(text: &[u8], regex_contexts: bool) -> Option<UserMacroSpans> {
    if !text.starts_with(b"{$") {
        return None;
    }
    let name_len = text[2..].iter().take_while(|it| is_name_char(**it)).count();
    if name_len == 0 {
        return None;
    }
    let name = 2..2 + name_len;
    match text.get(name.end)? {
        b'}' => {
            return Some(UserMacroSpans {
                len: name.end + 1,
                name,
                context: None,
                is_regex: false,
            });
        }
        b':' => {}
        _ => return None,
    }
    let mut at = name.end + 1;
    let is_regex = regex_contexts && text[at..].starts_with(b"regex:");
    if is_regex {
        at += b"regex:".len();
    }
    at += spaces_len(&text[at..]);
    let (context, mut end) = if text.get(at) == Some(&b'"') {
        let len = quoted_len(&text[at..])?;
        (at..at + len, at + len)
    } else {
        let len = memchr::memchr(b'}', text.get(at..)?)?;
        (at..at + len, at + len)
    };
    end += spaces_len(&text[end..]);
    (text.get(end) == Some(&b'}')).then(|| UserMacroSpans {
        len: end + 1,
        name,
        context: Some(context),
        is_regex,
    })
}

/// Length of the LLD macro `{#NAME}` at the start of `text`.
#[must_use]
pub fn lld_macro_len(text: &[u8]) -> Option<usize> {
    if !text.starts_with(b"{#") {
        return None;
    }
    let name_len = text[2..].iter().take_while(|it| is_name_char(**it)).count();
    (name_len > 0 && text.get(2 + name_len) == Some(&b'}')).then_some(name_len + 3)
}

/// Is the whole of `text` one LLD macro?
#[must_use]
pub fn is_lld_macro(text: &str) -> bool {
    lld_macro_len(text.as_bytes()) == Some(text.len())
}

/// Does `text` name an LLD macro anywhere, also in a macro function or a context?
#[must_use]
pub fn has_lld_macro(text: &str) -> bool {
    let mut starts = memchr::memmem::find_iter(text.as_bytes(), b"{#");
    starts.any(|at| lld_macro_len(&text.as_bytes()[at..]).is_some())
}

/// Any token (with functions, without expressions and references) that begins at the start of `text`.
#[must_use]
pub(crate) fn token_at(text: &str, search: Search) -> Option<MacroToken> {
    let mut scan = Scan { text: text.as_bytes(), steps: 0 };
    scan.token(0, search)
}

fn is_name_char(char: u8) -> bool {
    matches!(char, b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.')
}

fn spaces_len(text: &[u8]) -> usize {
    text.iter().take_while(|it| **it == b' ').count()
}

/// Length of the quoted string at the start of `text`, in which a backslash hides a quote only.
fn quoted_len(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr(b'"', text.get(at..)?)?;
        if text[at - 1] != b'\\' {
            return Some(at + 1);
        }
        at += 1;
    }
}

/// Length of the parameters of a macro function at the start of `text`, up to its closing parenthesis.
/// Quoted parameters may hold anything, unquoted ones anything but comma and closing parenthesis.
#[must_use]
pub(crate) fn params_len(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += spaces_len(&text[at..]);
        if text.get(at) == Some(&b'"') {
            at += 1;
            loop {
                match text.get(at)? {
                    b'"' => break,
                    b'\\' if text.get(at + 1) == Some(&b'"') => at += 2,
                    _ => at += 1,
                }
            }
            at += 1;
            at += spaces_len(&text[at..]);
            if !matches!(text.get(at)?, b',' | b')') {
                return None;
            }
        } else {
            at += text[at..].iter().position(|it| matches!(it, b',' | b')'))?;
        }
        if text[at] == b')' {
            return Some(at);
        }
        at += 1;
    }
}

struct Scan<'t> {
    text: &'t [u8],
    steps: usize,
}

impl Scan<'_> {
    fn reference(&mut self, at: usize) -> Option<MacroToken> {
        self.steps += 1;
        let digit = self.text.get(at + 1)?;
        matches!(digit, b'1'..=b'9')
            .then(|| MacroToken::plain(TokenKind::Reference, at..at + 2, at + 1..at + 2))
    }

    /// The token whose opening brace is at `at`.
    fn token(&mut self, at: usize, search: Search) -> Option<MacroToken> {
        self.steps += 1;
        match self.text.get(at + 1)? {
            b'$' => self.user_macro(at),
            b'#' => {
                let len = lld_macro_len(&self.text[at..])?;
                Some(MacroToken::plain(TokenKind::LldMacro, at..at + len, at + 2..at + len - 1))
            }
            b'{' => self.func_macro(at, search),
            _ if search.variables => self.variable(at),
            b'?' if search.expressions => self.expression(at),
            b'?' => None,
            _ => self.object_id(at, search).or_else(|| self.built_in(at)),
        }
    }

    fn user_macro(&mut self, at: usize) -> Option<MacroToken> {
        let spans = user_macro_at(&self.text[at..], false)?;
        self.steps += spans.len;
        let name = at + spans.name.start..at + spans.name.end;
        let mut token = MacroToken::plain(TokenKind::UserMacro, at..at + spans.len, name);
        token.context = spans.context.map(|it| at + it.start..at + it.end);
        Some(token)
    }

    fn object_id(&mut self, at: usize, search: Search) -> Option<MacroToken> {
        if !search.object_ids {
            return None;
        }
        let len = self.text[at + 1..].iter().take_while(|it| it.is_ascii_digit()).count();
        let end = at + 1 + len;
        (len > 0 && self.text.get(end) == Some(&b'}'))
            .then(|| MacroToken::plain(TokenKind::ObjectId, at..end + 1, at + 1..end))
    }

    /// `{NAME.NAME."quoted"}`.
    fn built_in(&mut self, at: usize) -> Option<MacroToken> {
        let mut end = at + 1;
        loop {
            let is_quoted = self.text.get(end) == Some(&b'"');
            end += segment_len(&self.text[end..], end == at + 1)?;
            match self.text.get(end)? {
                b'.' if !is_quoted => end += 1,
                b'}' => break,
                _ => return None,
            }
        }
        self.steps += end - at;
        // A number alone is an object id, not a macro.
        let name = &self.text[at + 1..end];
        (!name.iter().all(u8::is_ascii_digit))
            .then(|| MacroToken::plain(TokenKind::Macro, at..end + 1, at + 1..end))
    }

    fn func_macro(&mut self, at: usize, search: Search) -> Option<MacroToken> {
        if self.text.get(at + 2) == Some(&b'{') {
            return None;
        }
        let inner = self.token(at + 1, search)?;
        let kind = match inner.kind {
            TokenKind::Macro => TokenKind::FuncMacro,
            TokenKind::UserMacro => TokenKind::UserFuncMacro,
            TokenKind::LldMacro => TokenKind::LldFuncMacro,
            TokenKind::Expression => TokenKind::ExpressionFunc,
            TokenKind::Variable => TokenKind::VariableFunc,
            _ => return None,
        };
        let func_start = inner.span.end + 1;
        if self.text.get(inner.span.end) != Some(&b'.') {
            return None;
        }
        let is_func_char = |it: &&u8| matches!(it, b'a'..=b'z' | b'0'..=b'9' | b'_');
        let func_end = func_start + self.text[func_start..].iter().take_while(is_func_char).count();
        if func_end == func_start || self.text.get(func_end) != Some(&b'(') {
            return None;
        }
        let params = &self.text[func_end + 1..];
        let params = &params[..params.len().min(SPAN_BYTES_MAX)];
        let params_end = func_end + 1 + params_len(params)?;
        self.steps += params_end - at;
        (self.text.get(params_end + 1) == Some(&b'}')).then(|| MacroToken {
            kind,
            span: at..params_end + 2,
            func: Some(func_start..func_end),
            params: Some(func_end + 1..params_end),
            ..inner
        })
    }

    /// `{anything}`.
    fn variable(&mut self, at: usize) -> Option<MacroToken> {
        let limit = self.text.len().min(at + SPAN_BYTES_MAX);
        let len = memchr::memchr(b'}', self.text.get(at + 1..limit)?)?;
        self.steps += len;
        let end = at + 1 + len;
        (len > 0).then(|| MacroToken::plain(TokenKind::Variable, at..end + 1, at + 1..end))
    }

    /// `{?…}` up to the brace that closes it; strings and macros inside may hold braces.
    fn expression(&mut self, at: usize) -> Option<MacroToken> {
        let limit = self.text.len().min(at + SPAN_BYTES_MAX);
        let mut end = at + 2;
        let mut n_open = 0;
        loop {
            self.steps += 1;
            if end >= limit {
                return None;
            }
            match self.text[end] {
                b'}' if n_open == 0 => break,
                b'}' => {
                    n_open -= 1;
                    end += 1;
                }
                b'"' => end += string_len(&self.text[end..limit])?,
                // An expression in an expression, unless it is empty and so none.
                b'{' if self.text[end + 1..].first() == Some(&b'?')
                    && self.text.get(end + 2) != Some(&b'}') =>
                {
                    n_open += 1;
                    end += 2;
                }
                b'{' => end = self.nested(end).unwrap_or(end + 1),
                _ => end += 1,
            }
        }
        (end > at + 2).then(|| MacroToken::plain(TokenKind::Expression, at..end + 1, at + 2..end))
    }

    /// The end of a macro inside an expression.
    fn nested(&mut self, at: usize) -> Option<usize> {
        let search = Search { object_ids: true, ..Search::BASIC };
        if let Some(token) = self.token(at, search) {
            return Some(token.span.end);
        }
        // `{host:key.func()}`: no token of ours, yet its braces belong together.
        let close = memchr::memchr2(b'{', b'}', self.text.get(at + 1..)?)? + at + 1;
        let is_simple = self.text[close] == b'}' && self.text[at..close].contains(&b':');
        is_simple.then_some(close + 1)
    }
}

/// Length of the string at the start of `text`: backslash escapes anything.
fn string_len(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Length of one part of a macro's name. The first is in capitals and never quoted.
fn segment_len(text: &[u8], is_first: bool) -> Option<usize> {
    if text.first() == Some(&b'"') && !is_first {
        let mut at = 1;
        loop {
            match text.get(at)? {
                b'"' => return (at > 1).then_some(at + 1),
                b'\\' if matches!(text.get(at + 1), Some(b'\\' | b'"')) => at += 2,
                b'\\' => return None,
                _ => at += 1,
            }
        }
    }
    let is_part = |it: &&u8| {
        matches!(it, b'A'..=b'Z' | b'0'..=b'9' | b'_') || (!is_first && it.is_ascii_lowercase())
    };
    let len = text.iter().take_while(is_part).count();
    (len > 0).then_some(len)
}
