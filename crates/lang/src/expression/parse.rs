//! Text to nodes: an operator-precedence parser with explicit stacks, linear in the text, without
//! recursion.

use std::ops::Range;

use super::ast::{Ast, HistoryCall, Node, NodeKind, Op, Rules};
use super::query::query_at;
use crate::error::ParseError;
use crate::macros::{Search, TokenKind, split_index, token_at};
use formats::number;

/// Parentheses, calls and prefix operators that may be open at one point of a text.
const NESTING_MAX: usize = 1_000;
/// Longest text; Zabbix's fields hold 64 KiB.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// Parses a trigger expression or formula as users write it.
///
/// # Errors
/// With the position of the first byte that does not fit.
pub fn parse(text: &str) -> Result<Ast, ParseError> {
    parse_with(text, Rules::TRIGGER)
}

/// Parses the syntax of `rules`.
///
/// # Errors
/// With the position of the first byte that does not fit.
pub fn parse_with(text: &str, rules: Rules) -> Result<Ast, ParseError> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(ParseError::TooLong { bytes_max: TEXT_BYTES_MAX });
    }
    let mut parser = Parser::new(text, rules);
    parser.run()?;
    Ok(Ast { text: text.into(), nodes: parser.nodes, history_calls: parser.history_calls })
}

/// Length of the expression at the start of `text` that ends before a brace which closes nothing of it, or
/// with the text; white space after it included.
///
/// # Errors
/// With the position of the first part of the expression that does not fit; a function call is one part.
pub(super) fn braced_len(text: &str, rules: Rules) -> Result<usize, usize> {
    let mut parser = Parser::new(text, rules);
    parser.ends_at_brace = true;
    match parser.run() {
        Ok(()) => Ok(parser.at),
        Err(_) => Err(parser.outermost_call().unwrap_or(parser.at)),
    }
}

/// An open bracket or operator that waits for its end.
#[derive(Debug)]
enum Open {
    Op { op: Op, at: usize },
    Group { at: usize },
    Call(Call),
}

#[derive(Debug)]
struct Call {
    name: Range<usize>,
    n_args: u32,
    query: Option<Range<usize>>,
    args: Vec<Range<usize>>,
    /// Where the argument being read begins.
    arg_start: usize,
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    rules: Rules,
    ends_at_brace: bool,
    at: usize,
    nodes: Vec<Node>,
    /// Node that is the root of each value made so far.
    values: Vec<usize>,
    open: Vec<Open>,
    history_calls: Vec<HistoryCall>,
}

type Step = Result<(), ParseError>;

impl<'t> Parser<'t> {
    fn new(text: &'t str, rules: Rules) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            rules,
            ends_at_brace: false,
            at: 0,
            nodes: Vec::new(),
            values: Vec::new(),
            open: Vec::new(),
            history_calls: Vec::new(),
        }
    }

    fn run(&mut self) -> Step {
        let mut wants_value = true;
        loop {
            self.skip_space();
            if self.open.len() > NESTING_MAX {
                return Err(ParseError::too_deep(self.text, self.at));
            }
            let Some(&byte) = self.bytes.get(self.at) else { break };
            if byte == b'}' && self.ends_at_brace && !wants_value && self.is_whole() {
                break;
            }
            wants_value = if wants_value { self.value(byte)? } else { self.after_value(byte)? };
        }
        if wants_value {
            return Err(self.error());
        }
        while let Some(open) = self.open.pop() {
            let Open::Op { op, at } = open else { return Err(self.error()) };
            self.apply(op, at)?;
        }
        self.check_root()
    }

    /// Is no group or call open?
    fn is_whole(&self) -> bool {
        self.open.iter().all(|it| matches!(it, Open::Op { .. }))
    }

    /// Where the call begins that everything being read is in.
    fn outermost_call(&self) -> Option<usize> {
        self.open.iter().find_map(|it| match it {
            Open::Call(call) => Some(call.name.start),
            _ => None,
        })
    }

    /// Reads a value, or what may come before one; returns whether a value is still due.
    fn value(&mut self, byte: u8) -> Result<bool, ParseError> {
        match byte {
            b'-' => self.minus(),
            b'(' if self.rules.has(Rules::GROUP) => {
                self.open.push(Open::Group { at: self.at });
                self.at += 1;
                Ok(true)
            }
            b'"' if self.rules.has(Rules::STRING) => {
                let len = self.string_len()?;
                self.push(NodeKind::String, len)
            }
            b'0'..=b'9' | b'.' => {
                let len = self.number_len(self.at)?;
                self.push(NodeKind::Number, len)
            }
            b'{' => self.braces(),
            b'/' if self.rules.has(Rules::QUERY) => self.query(),
            b',' | b')' => self.null_argument(byte),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            _ => Err(self.error()),
        }
    }

    /// Reads what may follow a value; returns whether a value is due next.
    fn after_value(&mut self, byte: u8) -> Result<bool, ParseError> {
        let (op, len) = match byte {
            b')' => return self.close().map(|()| false),
            b',' => return self.next_argument().map(|()| true),
            b'+' => (Op::Add, 1),
            b'-' => (Op::Sub, 1),
            b'*' => (Op::Mul, 1),
            b'/' => (Op::Div, 1),
            b'=' => (Op::Eq, 1),
            b'<' if self.bytes.get(self.at + 1) == Some(&b'>') => (Op::Ne, 2),
            b'<' if self.bytes.get(self.at + 1) == Some(&b'=') => (Op::Le, 2),
            b'>' if self.bytes.get(self.at + 1) == Some(&b'=') => (Op::Ge, 2),
            b'<' => (Op::Lt, 1),
            b'>' => (Op::Gt, 1),
            b'a' if self.is_keyword(b"and") && self.is_free_before() => (Op::And, 3),
            b'o' if self.is_keyword(b"or") && self.is_free_before() => (Op::Or, 2),
            _ => {
                self.at += self.torn_operator_len();
                return Err(self.error());
            }
        };
        let needs = match op {
            Op::Add | Op::Sub | Op::Mul | Op::Div => Rules::MATH,
            Op::Eq | Op::Ne => Rules::EQUAL,
            Op::And | Op::Or => Rules::LOGIC,
            _ => Rules::ORDER,
        };
        if !self.rules.has(needs) {
            return Err(self.error());
        }
        self.reduce(op)?;
        self.open.push(Open::Op { op, at: self.at });
        self.at += len;
        Ok(true)
    }

    fn minus(&mut self) -> Result<bool, ParseError> {
        if matches!(self.bytes.get(self.at + 1), Some(b'0'..=b'9' | b'.')) {
            let len = self.number_len(self.at + 1)? + 1;
            return self.push(NodeKind::Number, len);
        }
        if !self.rules.has(Rules::MATH) {
            return Err(self.error());
        }
        self.open.push(Open::Op { op: Op::Neg, at: self.at });
        self.at += 1;
        Ok(true)
    }

    fn word(&mut self) -> Result<bool, ParseError> {
        if self.rules.has(Rules::LOGIC) && self.is_keyword(b"not") {
            // It must be separated from the text before it: `1 +not 2` is none.
            let before = self.at.checked_sub(1).and_then(|it| self.bytes.get(it));
            if before.is_some_and(|it| !it.is_ascii_whitespace() && !matches!(it, b'(' | b',')) {
                return Err(self.error());
            }
            self.open.push(Open::Op { op: Op::Not, at: self.at });
            self.at += 3;
            return Ok(true);
        }
        let len = self.bytes[self.at..]
            .iter()
            .take_while(|it| it.is_ascii_alphanumeric() || **it == b'_')
            .count();
        let word = &self.bytes[self.at..self.at + len];
        if self.rules.has(Rules::PROPERTY) && matches!(word, b"tag" | b"group") {
            let kind = if word == b"tag" { NodeKind::Tag } else { NodeKind::Group };
            return self.push(kind, len);
        }
        if !self.rules.has(Rules::FUNCTION) || self.bytes.get(self.at + len) != Some(&b'(') {
            return Err(self.error());
        }
        self.open.push(Open::Call(Call {
            name: self.at..self.at + len,
            n_args: 0,
            query: None,
            args: Vec::new(),
            arg_start: self.at + len + 1,
        }));
        self.at += len + 1;
        Ok(true)
    }

    fn braces(&mut self) -> Result<bool, ParseError> {
        let (kind, len) = self.brace_token().ok_or_else(|| self.error())?;
        let rest = self.bytes.get(self.at + len..).unwrap_or(&[]);
        let is_const = matches!(kind, NodeKind::UserMacro | NodeKind::LldMacro);
        if is_const && self.rules.has(Rules::COMPOUND) && rest.first().is_some_and(is_number_byte) {
            let len = self.number_len(self.at)?;
            return self.push(NodeKind::Number, len);
        }
        self.push(kind, len)
    }

    /// The macro at the present position, if the rules allow it.
    fn brace_token(&self) -> Option<(NodeKind, usize)> {
        let rest = self.text.get(self.at..)?;
        let search = Search { object_ids: self.rules.has(Rules::FUNCTION_ID), ..Search::BASIC };
        let Some(token) = token_at(rest, search) else {
            // Without function ids `{1}` is read as any macro.
            let len = self.plain_macro_len(rest.as_bytes())?;
            return Some((NodeKind::Macro, len));
        };
        let (kind, needs) = match token.kind {
            TokenKind::ObjectId => (NodeKind::FunctionId, Rules::FUNCTION_ID),
            TokenKind::Macro
                if self.rules.has(Rules::VALUE_MACRO)
                    && is_value_macro(rest.get(token.name.clone())?) =>
            {
                (NodeKind::Macro, Rules::VALUE_MACRO)
            }
            TokenKind::Macro | TokenKind::FuncMacro => (NodeKind::Macro, Rules::MACRO),
            TokenKind::UserMacro | TokenKind::UserFuncMacro => {
                (NodeKind::UserMacro, Rules::USER_MACRO)
            }
            TokenKind::LldMacro | TokenKind::LldFuncMacro => (NodeKind::LldMacro, Rules::LLD_MACRO),
            _ => return None,
        };
        self.rules.has(needs).then_some((kind, token.span.end))
    }

    fn plain_macro_len(&self, rest: &[u8]) -> Option<usize> {
        if !self.rules.has(Rules::MACRO) {
            return None;
        }
        let digits = rest.get(1..)?.iter().take_while(|it| it.is_ascii_digit()).count();
        (digits > 0 && rest.get(digits + 1) == Some(&b'}')).then_some(digits + 2)
    }

    /// Length from the present position of the number whose digits begin at `from` (after a sign).
    fn number_len(&self, from: usize) -> Result<usize, ParseError> {
        if !self.rules.has(Rules::NUMBER) {
            return Err(self.error());
        }
        let plain = number::decimal_len(&self.bytes[from..]);
        let mut end = from + plain;
        if plain > 0 && self.bytes.get(end).is_some_and(|it| number::suffix_factor(*it).is_some()) {
            end += 1;
        }
        let ends = |end: usize| {
            !self.bytes.get(end).is_some_and(|it| is_number_byte(it) || matches!(it, b'_' | b'"'))
        };
        if plain > 0 && ends(end) {
            let written = self.text.get(self.at..end).unwrap_or("");
            return match number::parse_suffixed(written) {
                Some(_) => Ok(end - from),
                None => Err(ParseError::number(self.text, self.at)),
            };
        }
        if !self.rules.has(Rules::COMPOUND) {
            return Err(self.error());
        }
        self.compound_len(from).filter(|it| ends(from + it)).ok_or_else(|| self.error())
    }

    /// Digits and macros side by side, `1{$M}`, `{#A}.{#B}e3`, with one suffix at the end.
    fn compound_len(&self, from: usize) -> Option<usize> {
        let mut end = from;
        loop {
            match *self.bytes.get(end).unwrap_or(&b' ') {
                b'0'..=b'9' | b'.' => end += 1,
                b'e' | b'E' if end > from => {
                    end += 1;
                    if matches!(self.bytes.get(end), Some(b'+' | b'-')) {
                        end += 1;
                    }
                }
                b'{' => {
                    let token = token_at(self.text.get(end..)?, Search::BASIC)?;
                    let allowed = match token.kind {
                        TokenKind::UserMacro | TokenKind::UserFuncMacro => Rules::USER_MACRO,
                        TokenKind::LldMacro | TokenKind::LldFuncMacro => Rules::LLD_MACRO,
                        _ => return None,
                    };
                    if !self.rules.has(allowed) {
                        return None;
                    }
                    end += token.span.end;
                }
                byte if number::suffix_factor(byte).is_some() => return Some(end + 1 - from),
                _ => return Some(end - from),
            }
        }
    }

    /// Do strings here follow the rule of old versions?
    fn has_old_strings(&self) -> bool {
        let calls = self.open.iter().rev();
        let call = calls.filter_map(|it| if let Open::Call(it) = it { Some(it) } else { None });
        self.rules.has(Rules::OLD_STRINGS) && call.take(1).any(|it| it.query.is_some())
    }

    fn string_len(&self) -> Result<usize, ParseError> {
        let is_old = self.has_old_strings();
        let mut at = self.at + 1;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => return Ok(at + 1 - self.at),
                Some(b'\\') if is_old => {
                    at += 1 + usize::from(self.bytes.get(at + 1) == Some(&b'"'));
                }
                Some(b'\\') if matches!(self.bytes.get(at + 1), Some(b'\\' | b'"')) => at += 2,
                Some(b'\\') => return Err(ParseError::syntax(self.text, at)),
                Some(_) => at += 1,
                None => return Err(self.error()),
            }
        }
    }

    /// `/host/key`: only as first argument of a call; the argument after it is a period, as written.
    fn query(&mut self) -> Result<bool, ParseError> {
        let (at, bytes, text) = (self.at, self.bytes, self.text);
        let Some(Open::Call(call)) = self.open.last_mut() else { return Err(self.error()) };
        let is_first = text.get(call.arg_start..at).is_some_and(|it| it.trim().is_empty());
        if call.n_args > 0 || call.query.is_some() || !is_first {
            return Err(self.error());
        }
        let Some((query, len)) = text.get(at..).and_then(query_at) else {
            return Err(self.error());
        };
        let is_one = query.host != "*" && query.key != "*" && query.filter.is_empty();
        if self.rules.has(Rules::ONE_ITEM) && !is_one {
            return Err(self.error());
        }
        call.query = Some(at..at + len);
        self.push(NodeKind::Query, len)?;
        self.skip_space();
        match bytes.get(self.at) {
            Some(b')') => return Ok(false),
            Some(b',') => self.next_argument()?,
            // An item is no value that could be compared or calculated with.
            _ => return Err(self.error()),
        }
        if matches!(bytes.get(self.at), Some(b',' | b')')) {
            return Ok(true);
        }
        self.period()?;
        Ok(false)
    }

    fn period(&mut self) -> Step {
        let start = self.at;
        let mut end = start;
        loop {
            match self.bytes.get(end) {
                Some(b',' | b')') => break,
                Some(b'"' | b'(') | None => return Err(ParseError::syntax(self.text, end)),
                Some(b'{') => {
                    let rest = self.text.get(end..).unwrap_or("");
                    end += token_at(rest, Search::BASIC).map_or(1, |it| it.span.end);
                }
                Some(_) => end += 1,
            }
        }
        let len = self.text.get(start..end).unwrap_or("").trim_end().len();
        self.push(NodeKind::Period, len)?;
        Ok(())
    }

    fn null_argument(&mut self, byte: u8) -> Result<bool, ParseError> {
        let at = self.at;
        match self.open.last() {
            Some(Open::Call(call)) if byte == b')' && call.n_args == 0 && call.query.is_none() => {
                self.open.pop().map_or(Ok(()), |it| self.finish(it)).map(|()| {
                    self.at = at + 1;
                    false
                })
            }
            Some(Open::Call(_)) => self.push(NodeKind::Null, 0),
            _ => Err(self.error()),
        }
    }

    fn next_argument(&mut self) -> Step {
        self.reduce_all()?;
        let at = self.at;
        let Some(Open::Call(call)) = self.open.last_mut() else { return Err(self.error()) };
        call.n_args += 1;
        call.args.push(call.arg_start..at);
        self.at += 1;
        self.skip_space();
        let start = self.at;
        if let Some(Open::Call(call)) = self.open.last_mut() {
            call.arg_start = start;
        }
        Ok(())
    }

    fn close(&mut self) -> Step {
        self.reduce_all()?;
        let at = self.at;
        let Some(mut open) = self.open.pop() else { return Err(self.error()) };
        if let Open::Call(call) = &mut open {
            call.n_args += 1;
            call.args.push(call.arg_start..at);
        }
        self.finish(open)?;
        self.at += 1;
        Ok(())
    }

    /// Ends a group or call whose arguments are complete.
    fn finish(&mut self, open: Open) -> Step {
        let call = match open {
            Open::Op { .. } => return Err(self.error()),
            Open::Group { at } => {
                let Some(&root) = self.values.last() else {
                    return Err(ParseError::syntax(self.text, at));
                };
                // A query is a value only as an argument.
                if self.nodes[root].kind == NodeKind::Query {
                    return Err(ParseError::syntax(self.text, at));
                }
                return Ok(());
            }
            Open::Call(call) => call,
        };
        let n_values = usize::try_from(call.n_args).unwrap_or(usize::MAX);
        let Some(left) = self.values.len().checked_sub(n_values) else { return Err(self.error()) };
        self.values.truncate(left);
        let node = self.nodes.len();
        if let Some(query) = call.query {
            let args = call.args.iter().skip(1).map(|it| self.trimmed(it)).collect();
            let span = call.name.start..self.at + 1;
            self.history_calls.push(HistoryCall {
                node,
                span,
                name: call.name.clone(),
                query,
                args,
            });
            self.node(NodeKind::HistoryCall, call.name, call.n_args);
        } else {
            self.node(NodeKind::Call, call.name, call.n_args);
        }
        Ok(())
    }

    fn trimmed(&self, range: &Range<usize>) -> Range<usize> {
        let text = self.text.get(range.clone()).unwrap_or("");
        let start = range.start + (text.len() - text.trim_start().len());
        start..start + text.trim().len()
    }

    fn reduce_all(&mut self) -> Step {
        while let Some(&Open::Op { op, at }) = self.open.last() {
            self.open.pop();
            self.apply(op, at)?;
        }
        Ok(())
    }

    /// Applies waiting operators that bind at least as tightly as `op`.
    fn reduce(&mut self, op: Op) -> Step {
        while let Some(&Open::Op { op: waiting, at }) = self.open.last() {
            if waiting.priority() > op.priority() {
                break;
            }
            self.open.pop();
            self.apply(waiting, at)?;
        }
        Ok(())
    }

    fn apply(&mut self, op: Op, at: usize) -> Step {
        let syntax = || ParseError::syntax(self.text, at);
        let right = self.values.pop().ok_or_else(syntax)?;
        let left = if op.is_unary() { right } else { self.values.pop().ok_or_else(syntax)? };
        let (left, right) = (self.nodes[left].kind, self.nodes[right].kind);
        let is_property = |it| matches!(it, NodeKind::Tag | NodeKind::Group);
        let is_text = |it| {
            matches!(
                it,
                NodeKind::String | NodeKind::UserMacro | NodeKind::LldMacro | NodeKind::Macro
            )
        };
        if is_property(left) || is_property(right) {
            let other = if is_property(left) { right } else { left };
            if !matches!(op, Op::Eq | Op::Ne) || !is_text(other) {
                return Err(ParseError::syntax(self.text, at));
            }
        }
        let len = match op {
            Op::Not | Op::And => 3,
            Op::Ne | Op::Le | Op::Ge | Op::Or => 2,
            _ => 1,
        };
        self.node(NodeKind::Op(op), at..at + len, 0);
        Ok(())
    }

    fn check_root(&self) -> Step {
        let kind = self.values.last().map(|it| self.nodes[*it].kind);
        match kind {
            None | Some(NodeKind::Tag | NodeKind::Group | NodeKind::Query) => {
                Err(ParseError::syntax(self.text, 0))
            }
            Some(_) => Ok(()),
        }
    }

    /// Adds a value of `len` bytes at the present position. A value is no longer due.
    fn push(&mut self, kind: NodeKind, len: usize) -> Result<bool, ParseError> {
        self.node(kind, self.at..self.at + len, 0);
        self.at += len;
        Ok(false)
    }

    fn node(&mut self, kind: NodeKind, range: Range<usize>, n_args: u32) {
        self.values.push(self.nodes.len());
        // Texts are shorter than 4 GiB: see TEXT_BYTES_MAX.
        let position = |it| u32::try_from(it).unwrap_or(u32::MAX);
        self.nodes.push(Node {
            kind,
            start: position(range.start),
            end: position(range.end),
            n_args,
        });
    }

    /// Whether `word` is here, followed by the end of a logical operator.
    fn is_keyword(&self, word: &[u8]) -> bool {
        let rest = &self.bytes[self.at..];
        rest.starts_with(word)
            && rest.get(word.len()).is_none_or(|it| *it == b'(' || it.is_ascii_whitespace())
    }

    /// Length of an `and` or `or` that is not separated from the following text: that is the error.
    fn torn_operator_len(&self) -> usize {
        let rest = &self.bytes[self.at..];
        let found = [&b"and"[..], b"or"].into_iter().find(|it| rest.starts_with(it));
        found
            .filter(|_| self.rules.has(Rules::LOGIC) && self.is_free_before())
            .map_or(0, <[u8]>::len)
    }

    /// Logical operators are separated from the value before them, unless it was a call: `)`, or in the
    /// stored form `}`.
    fn is_free_before(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|it| self.bytes.get(it));
        let is_function = || self.nodes.last().is_some_and(|it| it.kind == NodeKind::FunctionId);
        before.is_some_and(|it| match it {
            b')' => true,
            b'}' => is_function(),
            other => other.is_ascii_whitespace(),
        })
    }

    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn error(&self) -> ParseError {
        ParseError::syntax(self.text, self.at)
    }
}

/// Whether `name` is a macro whose value an expression may calculate with.
fn is_value_macro(name: &str) -> bool {
    let (base, index) = split_index(name);
    match base {
        "TRIGGER.VALUE" => index == 1 && base == name,
        "FUNCTION.VALUE" => true,
        _ => false,
    }
}

fn is_number_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_a_whole_argument() {
        for (text, expected) in [
            ("count(//key=1,\"text\")=1", Err(11)),
            ("last(/h/k )=1", Ok(())),
            ("last( /h/k , #1 )=1", Ok(())),
            ("last(/h/k+1)=1", Err(9)),
            ("last(/h/k or 1)", Err(10)),
            ("last(-/h/k)", Err(6)),
            ("last((/h/k))", Err(6)),
            ("last(/h/k", Err(9)),
            ("max(1,/h/k)", Err(6)),
        ] {
            let found = parse(text).map(|_ast| ());
            let expected = expected.map_err(|at| ParseError::syntax(text, at));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn strings_of_old_versions_are_read_in_history_calls_alone() {
        let old = Rules::TRIGGER | Rules::OLD_STRINGS;
        for (text, is_new, is_old) in [
            (r#"count(/h/k,#5,"str\arg",0)"#, false, true),
            (r#"count(/h/k,#5,"str\"arg",0)"#, true, true),
            (r#"count(/h/k,#5,"str\\",0)"#, true, false),
            (r#"length("str\arg")"#, false, false),
            (r#"length("\\")=count( /h/k,#5,"\d")"#, false, true),
        ] {
            assert_eq!(parse(text).is_ok(), is_new, "{text}");
            assert_eq!(parse_with(text, old).is_ok(), is_old, "{text}");
        }
    }
}
