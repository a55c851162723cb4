//! Output of SNMP walks (`.1.3.6.1 = TYPE: value`, object identifiers as numbers): picking values,
//! tables as JSON, and readable forms of octets.
//!
//! Object identifiers are numbers: no MIB files are read.

use std::borrow::Cow;

use model::map::LookupMap;
use thiserror::Error;

use crate::json;

/// Why a walk gives nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WalkError {
    /// The object identifier has other parts than numbers.
    #[error("invalid OID \"{0}\": numbers separated by dots are expected")]
    Oid(String),
    /// Nothing of the walk lies there.
    #[error("no data was found")]
    NoData,
    /// A line that does not look like a line of a walk.
    #[error("cannot parse line {line}: {what}: \"{near}\"")]
    Line {
        /// The fault.
        what: &'static str,
        /// Line of the text, from 1.
        line: usize,
        /// The beginning of the rest.
        near: String,
    },
    /// The value is not made of octets as two hexadecimal digits each.
    #[error("cannot convert \"{0}\": octets as hexadecimal digits are expected")]
    Octets(String),
    /// The result is longer than any that the product accepts.
    #[error("the result is too large")]
    TooLarge,
}

/// The longest result. A longer one is an error.
const JSON_BYTES_MAX: usize = 64 << 20;
/// Characters of a text that an error shows.
const NEAR_CHARS: usize = 128;
/// Slots of Zabbix's table of rows at first: decides the order of rows.
const ROW_SLOTS: usize = 101;

/// How octets become readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OctetFormat {
    /// As they are.
    Unchanged,
    /// Text in UTF-8; invalid bytes become `?`.
    Utf8,
    /// `00:11:22:33:44:55`
    Mac,
    /// The first eight octets as a number, the least first.
    Bits,
}

impl OctetFormat {
    /// The form with this code in a step's parameters.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        match code {
            "0" => Some(Self::Unchanged),
            "1" => Some(Self::Utf8),
            "2" => Some(Self::Mac),
            "3" => Some(Self::Bits),
            _ => None,
        }
    }

    /// Octets in this form.
    ///
    /// # Errors
    /// [`WalkError::Octets`].
    pub fn apply(self, text: &str) -> Result<Cow<'_, str>, WalkError> {
        let octets = || octets(text).ok_or_else(|| WalkError::Octets(near(text)));
        Ok(match self {
            Self::Unchanged => Cow::Borrowed(text),
            Self::Utf8 => Cow::Owned(to_utf8(&octets()?)),
            Self::Mac => {
                octets()?;
                Cow::Owned(text.split_ascii_whitespace().collect::<Vec<_>>().join(":"))
            }
            Self::Bits => {
                let octets = octets()?;
                let number = octets
                    .iter()
                    .take(8)
                    .rev()
                    .fold(0_u64, |it, octet| it << 8 | u64::from(*octet));
                Cow::Owned(number.to_string())
            }
        })
    }
}

fn octets(text: &str) -> Option<Vec<u8>> {
    let octet = |it: &str| {
        let is_hex = it.len() == 2 && it.bytes().all(|it| it.is_ascii_hexdigit());
        if is_hex { u8::from_str_radix(it, 16).ok() } else { None }
    };
    text.split_ascii_whitespace().map(octet).collect()
}

/// Octets up to the first zero as text.
fn to_utf8(octets: &[u8]) -> String {
    let end = memchr::memchr(0, octets).unwrap_or(octets.len());
    let mut out = String::with_capacity(end);
    for chunk in octets[..end].utf8_chunks() {
        out.push_str(chunk.valid());
        for _ in chunk.invalid() {
            out.push('?');
        }
    }
    out
}

fn near(text: &str) -> String {
    text.chars().take(NEAR_CHARS).collect()
}

/// An object identifier: a dot before each number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkOid(String);

impl WalkOid {
    /// Reads an object identifier; the first dot may be missing, and one may follow.
    ///
    /// # Errors
    /// [`WalkError::Oid`].
    pub fn parse(text: &str) -> Result<Self, WalkError> {
        let oid = text.trim();
        let numbers = oid.strip_prefix('.').unwrap_or(oid);
        let numbers = numbers.strip_suffix('.').unwrap_or(numbers);
        let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
        if !numbers.split('.').all(is_number) {
            return Err(WalkError::Oid(near(oid)));
        }
        Ok(Self(format!(".{numbers}")))
    }
}

/// A value of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Variable<'t> {
    oid: &'t str,
    kind: &'t str,
    value: Cow<'t, str>,
}

impl Variable<'_> {
    /// The value in a form, where its type has it: octets as text or address, bits as a number.
    fn text(&self, form: OctetFormat) -> Result<Cow<'_, str>, WalkError> {
        if self.is_missing() {
            return Err(WalkError::NoData);
        }
        match (self.kind, form) {
            ("Hex-STRING", OctetFormat::Utf8 | OctetFormat::Mac) | ("BITS", OctetFormat::Bits) => {
                form.apply(&self.value)
            }
            _ => Ok(Cow::Borrowed(&self.value)),
        }
    }

    /// The agent says that there is nothing.
    fn is_missing(&self) -> bool {
        const MISSING: [&str; 3] = ["No Such Instance", "No Such Object", "No more variables left"];
        self.kind.is_empty() && MISSING.iter().any(|it| self.value.starts_with(it))
    }

    fn is_null(&self) -> bool {
        self.kind.is_empty() && self.value == "NULL"
    }
}

/// The lines of a walk, one after the other.
struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lines<'t> {
    fn error(&self, what: &'static str) -> WalkError {
        let before = self.text.as_bytes().get(..self.at).unwrap_or(&[]);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        WalkError::Line { what, line, near: near(self.rest()) }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Length of the object identifier and ` = ` at the start of a text; 0 if there are none.
    fn head_len(text: &str) -> usize {
        let digits = |it: &u8| it.is_ascii_digit() || *it == b'.';
        if !text.starts_with('.') {
            return 0;
        }
        let len = text.as_bytes().iter().take_while(|it| digits(it)).count();
        match text.get(len..) {
            Some(rest) if rest.starts_with(" = ") => len + 3,
            // An empty value at the end of a line whose last space was trimmed.
            Some(rest) if rest.starts_with(" =\n") || rest == " =" => len + 2,
            _ => 0,
        }
    }

    fn next(&mut self) -> Result<Option<Variable<'t>>, WalkError> {
        while self.rest().starts_with(['\n', '\r']) {
            self.at += 1;
        }
        let rest = self.rest();
        if rest.trim().is_empty() {
            return Ok(None);
        }
        let head = Self::head_len(rest);
        if head == 0 {
            return Err(self.error("OID expected"));
        }
        let oid = rest.get(..head).unwrap_or("").trim_end_matches([' ', '=']);
        self.at += head;
        self.value(oid, "").map(Some)
    }

    /// The value after the object identifier or an outer type.
    fn value(&mut self, oid: &'t str, outer: &'t str) -> Result<Variable<'t>, WalkError> {
        let mut kind = outer;
        let rest = self.rest();
        if let Some(reason) = rest.strip_prefix("Wrong Type (should be ") {
            // The agent gave another type than its MIB promises; the value is good all the same.
            let Some(len) = reason.find("): ") else { return Err(self.error("invalid type")) };
            self.at += rest.len() - reason.len() + len + 3;
            if kind_len(self.rest()) == 0 {
                return Err(self.error("type expected"));
            }
            return self.value(oid, outer);
        }
        let len = kind_len(rest);
        if len > 0 {
            kind = rest.get(..len).unwrap_or("");
            self.at += len + 1;
            if self.rest().starts_with(' ') {
                self.at += 1;
            }
            if kind == "Opaque" && outer.is_empty() && kind_len(self.rest()) > 0 {
                return self.value(oid, kind);
            }
        }
        let has_quotes = len == 0 || matches!(kind, "STRING" | "Hex-STRING");
        if has_quotes && self.rest().starts_with('"') {
            let value = self.quoted()?;
            return Ok(Variable { oid, kind, value: Cow::Owned(value) });
        }
        let value = self.plain();
        let value = if matches!(kind, "Hex-STRING" | "BITS") {
            Cow::Owned(value.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
        } else {
            Cow::Borrowed(value)
        };
        Ok(Variable { oid, kind, value })
    }

    /// Up to the closing quote; backslashes escape.
    fn quoted(&mut self) -> Result<String, WalkError> {
        let rest = self.rest();
        let mut out = String::new();
        let mut chars = rest.char_indices().skip(1);
        while let Some((pos, char)) = chars.next() {
            match char {
                '"' => {
                    self.at += pos + 1;
                    self.end_line()?;
                    return Ok(out);
                }
                '\\' => match chars.next() {
                    Some((_, it)) => out.push(it),
                    None => break,
                },
                it => out.push(it),
            }
        }
        Err(self.error("closing quote expected"))
    }

    /// Behind a quoted value the line ends.
    fn end_line(&mut self) -> Result<(), WalkError> {
        let rest = self.rest();
        let spaces = rest.len() - rest.trim_start_matches([' ', '\r']).len();
        match rest.as_bytes().get(spaces) {
            None => self.at = self.text.len(),
            Some(b'\n') => self.at += spaces + 1,
            Some(_) => return Err(self.error("line break expected behind the closing quote")),
        }
        Ok(())
    }

    /// Up to the line that begins with the next object identifier.
    fn plain(&mut self) -> &'t str {
        let rest = self.rest();
        let ends = memchr::memchr_iter(b'\n', rest.as_bytes());
        for end in ends {
            let behind = rest.get(end + 1..).unwrap_or("");
            if behind.is_empty() || Self::head_len(behind) > 0 {
                self.at += end + 1;
                return rest.get(..end).unwrap_or("").trim_end_matches('\r');
            }
        }
        self.at = self.text.len();
        rest
    }
}

/// Length of the type at the start of a text, which a colon follows; 0 if there is none.
fn kind_len(text: &str) -> usize {
    const KINDS: &[&str] = &[
        "STRING",
        "Hex-STRING",
        "INTEGER",
        "Counter32",
        "Counter64",
        "Gauge32",
        "Unsigned32",
        "UInteger32",
        "Integer32",
        "Timeticks",
        "IpAddress",
        "Network Address",
        "OID",
        "BITS",
        "Opaque",
        "Float",
        "Double",
        "Int64",
        "UInt64",
        "NsapAddress",
        "NULL",
    ];
    let is_here = |it: &&&str| text.strip_prefix(**it).is_some_and(|it| it.starts_with(':'));
    KINDS.iter().find(is_here).map_or(0, |it| it.len())
}

/// The value at one object identifier, reading no further than there.
///
/// # Errors
/// If there is none, or a line up to there is malformed.
pub fn value(text: &str, oid: &WalkOid, form: OctetFormat) -> Result<String, WalkError> {
    let mut lines = Lines { text, at: 0 };
    while let Some(it) = lines.next()? {
        if it.oid == oid.0 {
            return it.text(form).map(Cow::into_owned);
        }
    }
    Err(WalkError::NoData)
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name of the member in the result.
    pub name: String,
    /// Object identifier of the column.
    pub oid: WalkOid,
    /// How octets become readable.
    pub form: OctetFormat,
}

/// A walk whose lines are read, with an index: for many questions about one walk.
#[derive(Debug)]
pub struct Walk<'t> {
    variables: Vec<Variable<'t>>,
    /// The first of each object identifier.
    by_oid: LookupMap<&'t str, usize>,
    /// The fault of the line after those.
    wrong: Option<WalkError>,
}

impl<'t> Walk<'t> {
    /// Reads a walk. Faults are reported to the queries that they concern.
    #[must_use]
    pub fn parse(text: &'t str) -> Self {
        let mut lines = Lines { text, at: 0 };
        let mut walk = Self { variables: Vec::new(), by_oid: LookupMap::default(), wrong: None };
        loop {
            match lines.next() {
                Ok(Some(it)) => {
                    walk.by_oid.entry(it.oid).or_insert(walk.variables.len());
                    walk.variables.push(it);
                }
                Ok(None) => return walk,
                Err(error) => {
                    walk.wrong = Some(error);
                    return walk;
                }
            }
        }
    }

    /// The value at one object identifier.
    ///
    /// # Errors
    /// If there is none, or a line up to there is malformed.
    pub fn value(&self, oid: &WalkOid, form: OctetFormat) -> Result<String, WalkError> {
        match self.by_oid.get(oid.0.as_str()).and_then(|it| self.variables.get(*it)) {
            Some(it) => it.text(form).map(Cow::into_owned),
            None => Err(self.wrong.clone().unwrap_or(WalkError::NoData)),
        }
    }

    /// Columns as a JSON array of rows: the part after a column's object identifier is the row's
    /// `{#SNMPINDEX}`.
    ///
    /// # Errors
    /// If no line belongs to a column, a line is malformed or a value can't be made readable.
    pub fn to_json(&self, columns: &[Column]) -> Result<String, WalkError> {
        if let Some(error) = &self.wrong {
            return Err(error.clone());
        }
        let (rows, order) = self.rows(columns)?;
        if order.is_empty() {
            return Err(WalkError::NoData);
        }
        let mut out = String::from("[");
        for (n, index) in json::table_order(ROW_SLOTS, order).into_iter().enumerate() {
            out.push_str(if n == 0 { "{\"{#SNMPINDEX}\":" } else { ",{\"{#SNMPINDEX}\":" });
            out.push_str(&json::quote(index));
            for (column, value) in columns.iter().zip(rows.get(index).into_iter().flatten()) {
                if let Some(value) = value {
                    out.push(',');
                    out.push_str(&json::quote(&column.name));
                    out.push(':');
                    out.push_str(value);
                }
            }
            out.push('}');
        }
        out.push(']');
        Ok(out)
    }

    /// Rows by their index, their values as JSON, and the indexes as they came.
    fn rows(&self, columns: &[Column]) -> Result<(Rows<'t>, Vec<&'t str>), WalkError> {
        let mut rows = Rows::default();
        let mut order = Vec::new();
        let mut size = 0_usize;
        for variable in self.variables.iter().filter(|it| !it.is_missing()) {
            for (idx, column) in columns.iter().enumerate() {
                let behind = variable.oid.strip_prefix(&*column.oid.0);
                let index = behind.and_then(|it| it.strip_prefix('.'));
                let Some(index) = index.filter(|it| !it.is_empty()) else { continue };
                let row = rows.entry(index).or_insert_with(|| {
                    order.push(index);
                    vec![None; columns.len()]
                });
                if row[idx].is_some() {
                    continue;
                }
                let value = if variable.is_null() {
                    "null".to_owned()
                } else {
                    json::quote(&variable.text(column.form)?)
                };
                size += value.len() + index.len() + column.name.len() + columns.len() * 24;
                if size > JSON_BYTES_MAX {
                    return Err(WalkError::TooLarge);
                }
                row[idx] = Some(value);
            }
        }
        Ok((rows, order))
    }
}

type Rows<'t> = LookupMap<&'t str, Vec<Option<String>>>;

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str, oid: &str) -> Result<String, WalkError> {
        let oid = WalkOid::parse(oid)?;
        let found = value(text, &oid, OctetFormat::Unchanged);
        assert_eq!(found, Walk::parse(text).value(&oid, OctetFormat::Unchanged), "both ways");
        found
    }

    #[test]
    fn values_are_found_among_lines() {
        let text = ".1.3.6.1 = STRING: a = b\n.x\n.1.3.6.2 = \"q \\\"\"\n.1.3.6.3 = OID: .1.3.6.4\n\
            .1.3.6.4 = INTEGER: up(1)\n.1.3.6.5 = Timeticks: (100) 0:00:01.00\n.1.3.6.6 = STRING: 10:20\n";
        for (oid, expected) in [
            ("1.3.6.1", "a = b\n.x"),
            (".1.3.6.2", "q \""),
            (".1.3.6.3", ".1.3.6.4"),
            (".1.3.6.4", "up(1)"),
            (".1.3.6.5", "(100) 0:00:01.00"),
            (".1.3.6.6", "10:20"),
        ] {
            assert_eq!(ask(text, oid).unwrap(), expected, "{oid}");
        }
        assert_eq!(ask(text, ".1.3.6"), Err(WalkError::NoData));
        assert!(matches!(ask(text, "a.b"), Err(WalkError::Oid(_))));
        assert!(ask("x", ".1").is_err());
    }

    #[test]
    fn a_wrong_type_is_no_reason_to_lose_a_value() {
        let text = ".1.2 = Wrong Type (should be Gauge32 or Unsigned32): Counter32: 123\n";
        assert_eq!(ask(text, ".1.2").unwrap(), "123");
    }

    #[test]
    fn forms_are_for_types_that_have_them() {
        let text = ".1.1 = Hex-STRING: 00 16 3E\n.1.2 = BITS: 41 42\n.1.3 = INTEGER: 5\n";
        let shown = |oid: &str, form: OctetFormat| {
            value(text, &WalkOid::parse(oid).unwrap(), form).unwrap()
        };
        for (form, expected) in [
            (OctetFormat::Unchanged, ["00 16 3E", "41 42", "5"]),
            (OctetFormat::Utf8, ["", "41 42", "5"]),
            (OctetFormat::Mac, ["00:16:3E", "41 42", "5"]),
            (OctetFormat::Bits, ["00 16 3E", "16961", "5"]),
        ] {
            assert_eq!([".1.1", ".1.2", ".1.3"].map(|it| shown(it, form)), expected, "{form:?}");
        }
    }

    #[test]
    fn values_missing_at_the_agent_make_no_cell() {
        let text = ".1.1.1 = INTEGER: 1\n.1.1.2 = No Such Instance currently exists at this OID\n\
            .1.2.1 = No Such Object available on this agent at this OID\n.1.2.2 = INTEGER: 4\n\
            .1.2.3 = No more variables left in this MIB View (It is past the end of the MIB tree)\n";
        let column = |name: &str, oid: &str| Column {
            name: name.to_owned(),
            oid: WalkOid::parse(oid).unwrap(),
            form: OctetFormat::Unchanged,
        };
        let json = Walk::parse(text).to_json(&[column("A", ".1.1"), column("B", ".1.2")]).unwrap();
        let mut rows: Vec<&str> = json.trim_matches(['[', ']']).split("},").collect();
        rows.sort_unstable();
        assert_eq!(rows.concat().matches("SNMPINDEX").count(), 2);
        assert!(json.contains(r#""1","A":"1"}"#) && json.contains(r#""2","B":"4"}"#), "{json}");
        for oid in [".1.1.2", ".1.2.1", ".1.2.3"] {
            assert_eq!(ask(text, oid), Err(WalkError::NoData), "{oid}");
        }
        // A text that says so is one.
        let text = ".1.1 = STRING: \"No Such Instance\"\n";
        assert_eq!(ask(text, ".1.1").unwrap(), "No Such Instance");
    }

    #[test]
    fn endless_walks_cost_what_they_are_long() {
        let text = format!(".1.2 = STRING: {}", "\n.1".repeat(300_000));
        assert_eq!(ask(&text, ".1.2").unwrap().len(), 900_000);
        assert!(ask(&format!(".1.2 = \"{}", "\\\"".repeat(300_000)), ".1.2").is_err());
    }
}
