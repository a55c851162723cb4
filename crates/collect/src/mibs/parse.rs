//! Reads names and OIDs of a MIB file, and nothing else.
//!
//! From SMI (v1 and v2) only the names of objects are read: `name OBJECT IDENTIFIER ::= { … }`, the
//! macros that end with `::= { … }` as well, `TRAP-TYPE`, and `IMPORTS`. Everything between is
//! skipped, so that mistakes in types and texts have no effect.

/// Macros whose value is an OID.
const KINDS: [&str; 9] = [
    "OBJECT-TYPE",
    "OBJECT-IDENTITY",
    "MODULE-IDENTITY",
    "NOTIFICATION-TYPE",
    "OBJECT-GROUP",
    "NOTIFICATION-GROUP",
    "MODULE-COMPLIANCE",
    "AGENT-CAPABILITIES",
    "TRAP-TYPE",
];
/// Numbers in an OID, by RFC 3416.
const PARTS_MAX: usize = 128;

/// The content of a file.
#[derive(Debug, Default)]
pub(super) struct Parsed<'a> {
    pub(super) modules: Vec<Module<'a>>,
    /// The unreadable parts.
    pub(super) faults: Vec<Fault>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Module<'a> {
    pub(super) name: &'a str,
    /// Symbols with the modules that they are imported from.
    pub(super) imports: Vec<(&'a str, &'a str)>,
    pub(super) names: Vec<Definition<'a>>,
}

/// A name, and its parent.
#[derive(Debug, PartialEq)]
pub(super) struct Definition<'a> {
    pub(super) name: &'a str,
    /// `None`: the numbers are a whole OID.
    pub(super) parent: Option<&'a str>,
    pub(super) arcs: Vec<u32>,
    pub(super) line: u32,
}

/// A mistake at a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    pub(super) line: u32,
    pub(super) what: String,
}

/// See the module.
pub(super) fn parse(text: &str) -> Parsed<'_> {
    let mut tokens = Tokens { rest: text, line: 1 };
    let mut all = Vec::new();
    let mut parsed = Parsed::default();
    loop {
        match tokens.next() {
            Ok(Some(token)) => all.push(token),
            Ok(None) => break,
            Err(fault) => {
                // The part before is still read.
                parsed.faults.push(fault);
                break;
            }
        }
    }
    let mut at = 0;
    while let Some(begin) = find(&all, at, &["DEFINITIONS"]) {
        // An OID in braces may follow the name.
        let before = all.get(..begin).unwrap_or_default();
        let name = match before {
            [.., last] if last.text != "}" => Some(last),
            _ => {
                let open = before.iter().rposition(|it| it.text == "{");
                open.and_then(|it| before.get(it.checked_sub(1)?))
            }
        };
        let name = name.filter(|it| is_name(it.text));
        let Some(name) = name else {
            parsed.faults.push(fault(&all[begin], "a module without a name"));
            return parsed;
        };
        let body = begin + 1;
        let next = find(&all, body, &["DEFINITIONS"]).unwrap_or(all.len());
        let part = all.get(body..next).unwrap_or_default();
        parsed.modules.push(module(name.text, part, &mut parsed.faults));
        at = next;
    }
    if parsed.modules.is_empty() && parsed.faults.is_empty() {
        let what = "no MIB: there is no module in it".to_owned();
        parsed.faults.push(Fault { line: 1, what });
    }
    parsed
}

fn module<'a>(name: &'a str, tokens: &[Token<'a>], faults: &mut Vec<Fault>) -> Module<'a> {
    let mut module = Module { name, imports: Vec::new(), names: Vec::new() };
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let text = |n: usize| tokens.get(at + n).map_or("", |it| it.text);
        match text(0) {
            "IMPORTS" => {
                let end = find(tokens, at, &[";"]).unwrap_or(tokens.len());
                imports(&tokens[at + 1..end], &mut module.imports);
                at = end;
            }
            // The macros themselves, in the modules that define them.
            _ if text(1) == "MACRO" => at = find(tokens, at, &["END"]).unwrap_or(tokens.len()),
            name if is_name(name) => {
                let is_plain = (text(1), text(2), text(3)) == ("OBJECT", "IDENTIFIER", "::=");
                let is_macro = KINDS.contains(&text(1)) && name.starts_with(char::is_lowercase);
                if is_plain || is_macro {
                    let Some(assigned) = find(tokens, at + 1, &["::="]) else {
                        faults.push(fault(token, &format!("{name} has no value")));
                        break;
                    };
                    let head = (token, tokens.get(at + 1..assigned).unwrap_or_default());
                    match definition(head, tokens.get(assigned + 1..).unwrap_or_default()) {
                        Ok(it) => module.names.push(it),
                        Err(what) => faults.push(fault(token, &format!("{name}: {what}"))),
                    }
                    at = assigned;
                }
            }
            _ => {}
        }
        at += 1;
    }
    module
}

/// `a, b FROM M c FROM N`.
fn imports<'a>(tokens: &[Token<'a>], out: &mut Vec<(&'a str, &'a str)>) {
    let mut symbols = Vec::new();
    let mut tokens = tokens.iter();
    while let Some(token) = tokens.next() {
        match token.text {
            "," => {}
            "FROM" => {
                let from = tokens.next().map_or("", |it| it.text);
                out.extend(symbols.drain(..).map(|it| (it, from)));
            }
            symbol => symbols.push(symbol),
        }
    }
}

/// `head` is the name with the text before `::=`, `value` the text after it.
fn definition<'a>(
    (name, clauses): (&Token<'a>, &[Token<'a>]),
    value: &[Token<'a>],
) -> Result<Definition<'a>, String> {
    let mut it = Definition { name: name.text, parent: None, arcs: Vec::new(), line: name.line };
    if let Some(number) = value.first().and_then(|it| it.text.parse().ok()) {
        // A trap of SMIv1 is below its enterprise and a zero (RFC 3584).
        let of = clauses.iter().position(|it| it.text == "ENTERPRISE");
        let of = of.and_then(|at| clauses.get(at + 1)).ok_or("a trap without an enterprise")?;
        (it.parent, it.arcs) = (Some(of.text), vec![0, number]);
        return Ok(it);
    }
    let [open, parts @ ..] = value else { return Err("no value".to_owned()) };
    let n_parts = parts.iter().take(PARTS_MAX * 4).position(|it| it.text == "}");
    let (Some(n_parts), "{") = (n_parts, open.text) else {
        return Err("its value is no OID in braces".to_owned());
    };
    let mut parts = parts[..n_parts].iter().peekable();
    while let Some(part) = parts.next() {
        if let Ok(number) = part.text.parse() {
            it.arcs.push(number);
        } else if parts.next_if(|it| it.text == "(").is_some() {
            let number = parts.next().and_then(|it| it.text.parse().ok());
            it.arcs.push(number.ok_or("a name without a number in brackets")?);
            parts.next_if(|it| it.text == ")").ok_or("a bracket that is not closed")?;
        } else if it.arcs.is_empty() && it.parent.is_none() && is_name(part.text) {
            it.parent = Some(part.text);
        } else {
            return Err(format!("cannot read \"{}\" in its OID", part.text));
        }
    }
    if PARTS_MAX < it.arcs.len() || (it.arcs.is_empty() && it.parent.is_none()) {
        return Err("its OID is empty or too long".to_owned());
    }
    Ok(it)
}

fn find(tokens: &[Token<'_>], from: usize, texts: &[&str]) -> Option<usize> {
    let found = tokens.get(from..)?.iter().position(|it| texts.contains(&it.text));
    found.map(|it| from + it)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic())
}

fn fault(at: &Token<'_>, what: &str) -> Fault {
    Fault { line: at.line, what: what.to_owned() }
}

/// A word or a sign; texts in quotes are left out.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    line: u32,
}

struct Tokens<'a> {
    rest: &'a str,
    line: u32,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Result<Option<Token<'a>>, Fault> {
        loop {
            let rest = self.rest.trim_start_matches([' ', '\t', '\r', '\u{c}', '\u{1a}']);
            self.rest = rest;
            let Some(first) = rest.chars().next() else { return Ok(None) };
            let n = match first {
                '\n' => 1,
                '-' if rest.starts_with("--") => comment_len(rest),
                '"' | '\'' => {
                    let inner = rest.get(1..).unwrap_or_default();
                    let Some(len) = inner.find(first) else {
                        let what = "a quotation that is not closed".to_owned();
                        return Err(Fault { line: self.line, what });
                    };
                    len + 2
                }
                _ => {
                    let n = token_len(rest, first);
                    return Ok(Some(Token { text: self.take(n), line: self.line }));
                }
            };
            let passed = self.take(n);
            let n_lines = passed.bytes().filter(|it| *it == b'\n').count();
            self.line = self.line.saturating_add(u32::try_from(n_lines).unwrap_or(u32::MAX));
        }
    }

    fn take(&mut self, n: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(n).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}

/// A comment ends with its line. By the standard also with the next two dashes, but authors who
/// draw lines of dashes do not mean that.
fn comment_len(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

fn token_len(rest: &str, first: char) -> usize {
    if first.is_ascii_alphanumeric() {
        let is_word = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
        let word = rest.find(|it| !is_word(it)).unwrap_or(rest.len());
        // A comment may follow directly.
        return rest.get(..word).and_then(|it| it.find("--")).unwrap_or(word);
    }
    if rest.starts_with("::=") { 3 } else { first.len_utf8() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named<'a>(module: &'a Module<'_>) -> Vec<(&'a str, Option<&'a str>, &'a [u32], u32)> {
        module.names.iter().map(|it| (it.name, it.parent, it.arcs.as_slice(), it.line)).collect()
    }

    #[test]
    fn names_and_where_they_hang() {
        let text = r#"
ACME-MIB { iso org(3) 99 } DEFINITIONS ::= BEGIN -- a comment "with a quotation
IMPORTS
    MODULE-IDENTITY, OBJECT-TYPE, enterprises FROM SNMPv2-SMI
    DisplayString FROM SNMPv2-TC;
acme MODULE-IDENTITY
    DESCRIPTION "two lines,
        shown OBJECT IDENTIFIER ::= { a 1 }"
    ::= { enterprises 99999 }
racks OBJECT IDENTIFIER ::= { acme 1 }--right behind
Row ::= SEQUENCE { rack OBJECT IDENTIFIER, other INTEGER }
rack OBJECT-TYPE
    SYNTAX BITS { one(0) } DEFVAL { {} }
    ::= { racks table(2) 1 }
whole OBJECT IDENTIFIER ::= { iso(1) org(3) dod(6) }
burning TRAP-TYPE ENTERPRISE acme VARIABLES { rack } ::= 7
END
OTHER-MIB DEFINITIONS ::= BEGIN
it OBJECT IDENTIFIER ::= { 1 3 6 }
END
"#;
        let parsed = parse(text);
        assert_eq!(parsed.faults, []);
        let [acme, other] = parsed.modules.as_slice() else { panic!("{parsed:?}") };
        assert_eq!((acme.name, other.name), ("ACME-MIB", "OTHER-MIB"));
        assert_eq!(acme.imports[2], ("enterprises", "SNMPv2-SMI"));
        assert_eq!(acme.imports[3], ("DisplayString", "SNMPv2-TC"));
        let expected: [(_, _, &[u32], _); 5] = [
            ("acme", Some("enterprises"), &[99_999], 6),
            ("racks", Some("acme"), &[1], 10),
            ("rack", Some("racks"), &[2, 1], 12),
            ("whole", None, &[1, 3, 6], 15),
            ("burning", Some("acme"), &[0, 7], 16),
        ];
        assert_eq!(named(acme), expected);
        assert_eq!(named(other), [("it", None, [1, 3, 6].as_slice(), 19)]);
    }

    #[test]
    fn mistake_is_reported_with_its_line_and_the_rest_is_read() {
        let text = "A DEFINITIONS ::= BEGIN\na OBJECT IDENTIFIER ::= { 1 3 }\n\
                    b OBJECT IDENTIFIER ::= { a ? }\nc OBJECT-TYPE ::= { a 99999999999 }\n\
                    d TRAP-TYPE ::= 3\ne OBJECT IDENTIFIER ::= { a 1 }\nf OBJECT-TYPE \"";
        let parsed = parse(text);
        assert_eq!(
            parsed.modules[0].names.iter().map(|it| it.name).collect::<Vec<_>>(),
            ["a", "e"]
        );
        let faults: Vec<_> = parsed.faults.iter().map(|it| (it.line, it.what.as_str())).collect();
        assert_eq!(
            faults,
            [
                (7, "a quotation that is not closed"),
                (3, "b: cannot read \"?\" in its OID"),
                (4, "c: cannot read \"99999999999\" in its OID"),
                (5, "d: a trap without an enterprise"),
                (7, "f has no value"),
            ]
        );
        for text in
            ["", "hello", "DEFINITIONS", "{ } DEFINITIONS", "A DEFINITIONS a OBJECT-TYPE ::= {"]
        {
            assert_ne!(parse(text).faults, [], "{text}");
        }
    }
}
