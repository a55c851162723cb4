//! CSV to JSON: an array of objects, one a line, all values texts.
//!
//! A first line `sep=` with one character names the delimiter, unless it is given. A quoted field
//! begins with the quote and may hold delimiters, line breaks and doubled quotes. An empty text has no
//! lines; a line break at the end begins a last, empty line.

use thiserror::Error;

use crate::json;
use model::map::Set;

/// The longest result. A longer one is an error.
const JSON_BYTES_MAX: usize = 64 << 20;
/// The characters that an error shows of an unclosed field.
const SHOWN_CHARS_MAX: usize = 2_048;

/// Why a text can't be converted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CsvError {
    /// A quoted field without an end.
    #[error("unclosed quoted field \"{0}\"")]
    NotClosed(String),
    /// Something follows a quoted field that is neither delimiter nor line break.
    #[error("delimiter character or end of line are not detected after quoted field \"{0}\"")]
    AfterQuote(String),
    /// Two columns of one name.
    #[error("duplicated column name \"{0}\"")]
    Duplicate(String),
    /// A carriage return that is not part of a line break.
    #[error("unsupported line break")]
    LineBreak,
    /// A line with more fields than the header has names.
    #[error("data row contains more fields than header row")]
    TooManyFields,
    /// The result is longer than any that the product accepts.
    #[error("input data is too large")]
    TooLarge,
}

/// How a text is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// Between fields; by default what the text itself says, or a comma.
    pub delimiter: Option<char>,
    /// Around fields; by default there are no quotes.
    pub quote: Option<char>,
    /// Is the first line names of columns? Otherwise they are called 1, 2, 3…
    pub has_header: bool,
}

/// The lines of a text as a JSON array of objects.
///
/// # Errors
/// If a quoted field is malformed, a line has more fields than the header, or names recur.
pub fn to_json(text: &str, format: &Format) -> Result<String, CsvError> {
    let (named, text) = separator(text);
    let delimiter = format.delimiter.or(named).unwrap_or(',');
    let quote = format.quote.filter(|it| *it != delimiter);
    // A carriage return ends the last line, too.
    let text = if delimiter == '\r' { text } else { text.strip_suffix('\r').unwrap_or(text) };
    let mut out = String::with_capacity(text.len() * 2 + 2);
    out.push('[');
    if !text.is_empty() {
        let reader = Reader { text, at: 0, delimiter, quote };
        rows(reader, format.has_header, &mut out)?;
    }
    out.push(']');
    Ok(out)
}

/// The delimiter that the first line names, and the text after that line.
fn separator(text: &str) -> (Option<char>, &str) {
    let none = (None, text);
    let Some(rest) = text.get(..4).filter(|it| it.eq_ignore_ascii_case("sep=")) else {
        return none;
    };
    let behind = text.get(rest.len()..).unwrap_or("");
    let mut chars = behind.chars();
    let Some(char) = chars.next().filter(|it| !matches!(it, '\n' | '\r')) else { return none };
    let behind = chars.as_str();
    if behind.is_empty() {
        return (Some(char), "");
    }
    match behind.strip_prefix('\n').or_else(|| behind.strip_prefix("\r\n")) {
        Some(behind) => (Some(char), behind),
        None => none,
    }
}

fn rows(mut reader: Reader<'_>, has_header: bool, out: &mut String) -> Result<(), CsvError> {
    let mut names = Names::default();
    let mut n_rows = 0_usize;
    if has_header {
        names.read(&mut reader)?;
        if reader.is_done() {
            return Ok(());
        }
    }
    loop {
        if n_rows > 0 {
            out.push(',');
        }
        n_rows += 1;
        out.push('{');
        let mut n_fields = 0;
        // Without a header an empty line has no fields; with one it has all, empty.
        if has_header || !reader.is_line_empty() {
            loop {
                let (field, last) = reader.field()?;
                if has_header && n_fields >= names.quoted.len() {
                    return Err(CsvError::TooManyFields);
                }
                put_field(out, names.get(n_fields), &json::quote(&field), n_fields);
                n_fields += 1;
                if last {
                    break;
                }
            }
        }
        while has_header && n_fields < names.quoted.len() {
            put_field(out, names.get(n_fields), "\"\"", n_fields);
            n_fields += 1;
        }
        out.push('}');
        if out.len() > JSON_BYTES_MAX {
            return Err(CsvError::TooLarge);
        }
        if !reader.next_line() {
            return Ok(());
        }
    }
}

fn put_field(out: &mut String, name: &str, value: &str, idx: usize) {
    if idx > 0 {
        out.push(',');
    }
    out.push_str(name);
    out.push(':');
    out.push_str(value);
}

/// Names of columns as JSON strings; those of columns without a header are made as needed.
#[derive(Default)]
struct Names {
    quoted: Vec<String>,
}

impl Names {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), CsvError> {
        let mut seen: Set<String> = Set::default();
        loop {
            let (field, last) = reader.field()?;
            self.quoted.push(json::quote(&field));
            if seen.contains(&field) {
                return Err(CsvError::Duplicate(field));
            }
            seen.insert(field);
            if last {
                reader.next_line();
                return Ok(());
            }
        }
    }

    fn get(&mut self, idx: usize) -> &str {
        while self.quoted.len() <= idx {
            self.quoted.push(format!("\"{}\"", self.quoted.len() + 1));
        }
        &self.quoted[idx]
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    delimiter: char,
    quote: Option<char>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Has the line break that just ended a line nothing after it, and was there none at all?
    fn is_done(&self) -> bool {
        self.at > self.text.len()
    }

    fn is_line_empty(&self) -> bool {
        let rest = self.rest();
        rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n")
    }

    /// Goes after the line break; false at the end of the text, where it steps over the end.
    fn next_line(&mut self) -> bool {
        let rest = self.rest();
        if rest.is_empty() {
            self.at = self.text.len() + 1;
            return false;
        }
        self.at += if rest.starts_with("\r\n") { 2 } else { 1 };
        true
    }

    /// The next field, and whether it is the last of its line.
    fn field(&mut self) -> Result<(String, bool), CsvError> {
        let field = match self.quote {
            Some(quote) if self.rest().starts_with(quote) => self.quoted(quote)?,
            _ => self.plain()?,
        };
        if self.is_line_empty() {
            return Ok((field, true));
        }
        if !self.rest().starts_with(self.delimiter) {
            return Err(CsvError::AfterQuote(field));
        }
        self.at += self.delimiter.len_utf8();
        Ok((field, false))
    }

    fn plain(&mut self) -> Result<String, CsvError> {
        let rest = self.rest();
        let mut len = rest.find([self.delimiter, '\n']).unwrap_or(rest.len());
        let is_line_end = rest.get(len..).is_some_and(|it| it.starts_with('\n'));
        if is_line_end
            && self.delimiter != '\r'
            && rest.get(..len).is_some_and(|it| it.ends_with('\r'))
        {
            len -= 1;
        }
        let field = rest.get(..len).unwrap_or("");
        if self.delimiter != '\r' && field.contains('\r') {
            return Err(CsvError::LineBreak);
        }
        let field = field.to_owned();
        self.at += len;
        Ok(field)
    }

    fn quoted(&mut self, quote: char) -> Result<String, CsvError> {
        let mut field = String::new();
        self.at += quote.len_utf8();
        loop {
            let rest = self.rest();
            let Some(len) = rest.find(quote) else {
                // The fault shows at the beginning.
                field.extend(rest.chars().take(SHOWN_CHARS_MAX));
                return Err(CsvError::NotClosed(field));
            };
            let piece = rest.get(..len).unwrap_or("");
            let behind = rest.get(len + quote.len_utf8()..).unwrap_or("");
            let is_doubled = behind.starts_with(quote);
            field.push_str(piece);
            self.at += len + quote.len_utf8();
            if !is_doubled {
                return Ok(field);
            }
            field.push(quote);
            self.at += quote.len_utf8();
        }
    }
}

/// Reads the parameters of a step: delimiter, quote, 1 with a header, a line each.
///
/// # Errors
/// What is wrong, for the user.
pub fn parse_format(params: &str) -> Result<Format, String> {
    let mut parts = params.split('\n');
    let delimiter = parts.next().unwrap_or("");
    let mut part = |what: &str| parts.next().ok_or_else(|| format!("cannot find {what} parameter"));
    let quote = part("second")?;
    let header = part("third")?;
    let one = |text: &str, what: &str| {
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (first, None) => Ok(first),
            _ => Err(format!("invalid {what} parameter")),
        }
    };
    Ok(Format {
        delimiter: one(delimiter, "first")?,
        quote: one(quote, "second")?,
        has_header: header.starts_with('1'),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(text: &str, params: &str) -> String {
        let format = parse_format(params).unwrap();
        to_json(text, &format).unwrap_or_else(|error| format!("error: {error}"))
    }

    #[test]
    fn quotes_hold_anything() {
        assert_eq!(convert("\"a\"\"\n,\",b", "\n\"\n0"), r#"[{"1":"a\"\n,","2":"b"}]"#);
        assert_eq!(
            convert("a\n\"x\"y", "\n\"\n1"),
            "error: delimiter character or end of line are not detected after quoted field \"x\""
        );
        assert_eq!(convert("\"x", "\n\"\n1"), "error: unclosed quoted field \"x\"");
        let quotes = "\"".repeat(1_000_001);
        assert!(convert(&quotes, "\n\"\n0").starts_with("error: unclosed quoted field"));
    }

    #[test]
    fn line_ends_are_those_of_both_worlds() {
        assert_eq!(convert("a,b\r\n1,2\r\n", "\n\n1"), r#"[{"a":"1","b":"2"},{"a":"","b":""}]"#);
        assert_eq!(convert("a\r\nb\r", "\n\n0"), r#"[{"1":"a"},{"1":"b"}]"#);
        assert_eq!(convert("a\nb\rc", "\n\n0"), "error: unsupported line break");
        assert_eq!(convert("\"a\rb\"", "\n\"\n0"), r#"[{"1":"a\rb"}]"#);
    }

    #[test]
    fn results_are_bounded() {
        let text = format!("{}{}", "x".repeat(1_000_000), "\n".repeat(1_000));
        assert_eq!(convert(&text, "\n\n1"), "error: input data is too large");
    }
}
