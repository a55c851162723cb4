//! Queries and their results as text for the transcript of an item test. Logins are left out.

use std::fmt::Write;

use lang::macros::SECRET;
use odbc::{QueryAnswer, QueryReply, Question, Seen, Shape};

use crate::process::ProgramError;
use crate::transcript::{LineKind, Transcript};

/// Parts of the names of secret parameters in connection strings.
const SECRET_WORDS: [&str; 8] =
    ["pwd", "passw", "passphrase", "uid", "user", "secret", "token", "key"];

pub(super) fn question(transcript: &Transcript, question: &Question) {
    transcript.hide(&question.password);
    // As written within braces.
    transcript.hide(&question.password.replace('}', "}}"));
    let wanted = match question.shape {
        Shape::First => "the first value",
        Shape::Rows => "all rows",
        Shape::Discovery => "all rows, for discovery",
    };
    let source = if question.connection.is_empty() {
        format!("data source {}", question.dsn)
    } else {
        format!("connection string {}", without_login(&question.connection))
    };
    let asked = format!("{wanted} of {source}\n{}", question.query);
    transcript.push(LineKind::Sent, &asked, b"");
}

pub(super) fn reply(transcript: &Transcript, reply: &QueryReply) {
    let text = match (&reply.answer, &reply.seen) {
        (QueryAnswer::Error(reason), None) => reason.clone(),
        // The database refused the connection or the query.
        (QueryAnswer::Error(reason), Some(seen)) if seen.n_columns == 0 => reason.clone(),
        (QueryAnswer::Error(reason), Some(seen)) => format!("{}\n{reason}", rows(seen)),
        (QueryAnswer::Value(_), Some(seen)) => rows(seen),
        (QueryAnswer::Value(value), None) => value.clone(),
    };
    transcript.push(LineKind::Received, &text, b"");
}

pub(super) fn failure(transcript: &Transcript, error: &ProgramError) {
    transcript.push(LineKind::Note, &format!("no answer: {error}"), b"");
}

/// The number of rows, and the first ones with tabs between their values.
fn rows(seen: &Seen) -> String {
    let more = if seen.has_more { "or more " } else { "" };
    let plural = |n: u32| if n == 1 { "" } else { "s" };
    let n_columns = u32::from(seen.n_columns);
    let mut text = format!(
        "{} {more}row{} of {n_columns} column{}\n{}",
        seen.n_rows,
        plural(seen.n_rows),
        plural(n_columns),
        seen.columns.join("\t")
    );
    for row in &seen.rows {
        let values: Vec<&str> = row.iter().map(|it| it.as_deref().unwrap_or("NULL")).collect();
        write!(text, "\n{}", values.join("\t")).expect("to memory");
    }
    text
}

/// The string with asterisks in place of user and password.
fn without_login(connection: &str) -> String {
    let (mut out, mut rest) = (String::new(), connection);
    while !rest.is_empty() {
        let (part, behind) = rest.split_at(part_len(rest));
        let name = part.split_once('=').map_or("", |it| it.0);
        let is_secret = SECRET_WORDS.iter().any(|it| name.to_ascii_lowercase().contains(it));
        if is_secret {
            out.push_str(name);
            out.push('=');
            out.push_str(SECRET);
        } else {
            out.push_str(part);
        }
        rest = match behind.strip_prefix(';') {
            Some(behind) => {
                out.push(';');
                behind
            }
            None => behind,
        };
    }
    out
}

/// Bytes up to the semicolon after the first part; a value within braces may contain one.
fn part_len(text: &str) -> usize {
    let until_semicolon = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.find(';').map_or(text.len(), |it| from + it)
    };
    let plain = until_semicolon(0);
    let Some(value) = text.find('=').filter(|it| *it < plain).map(|it| it + 1) else {
        return plain;
    };
    let rest = text.get(value..).unwrap_or_default();
    let n_blanks = rest.len() - rest.trim_start().len();
    if !rest.trim_start().starts_with('{') {
        return plain;
    }
    let mut at = value + n_blanks + 1;
    while let Some(found) = text.get(at..).and_then(|it| it.find('}')) {
        at += found + 1;
        // Two of them stand for the character itself.
        if text.get(at..).is_some_and(|it| it.starts_with('}')) {
            at += 1;
        } else {
            return until_semicolon(at);
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_string_is_shown_without_the_login() {
        for (connection, expected) in [
            ("", ""),
            ("Driver=x;Database=/a b", "Driver=x;Database=/a b"),
            ("Driver=x;UID=me;PWD=it;Port=1", "Driver=x;UID=******;PWD=******;Port=1"),
            ("Driver={a;b}}=c};Pwd = {x;Port=}};y} ;Port=1", "Driver={a;b}}=c};Pwd =******;Port=1"),
            ("PASSWORD={never ends;Port=1", "PASSWORD=******"),
            ("User ID=me;;odd;AccessToken=t;", "User ID=******;;odd;AccessToken=******;"),
            ("Driver=x;PWD=a{b;Port=1", "Driver=x;PWD=******;Port=1"),
        ] {
            assert_eq!(without_login(connection), expected, "{connection}");
        }
    }

    #[test]
    fn rows_are_counted_and_the_first_are_shown() {
        let row = |it: &[Option<&str>]| it.iter().map(|it| it.map(str::to_owned)).collect();
        let mut seen = Seen {
            n_columns: 2,
            columns: vec!["name".to_owned(), "size".to_owned()],
            n_rows: 1,
            has_more: false,
            rows: vec![row(&[Some("sda"), None])],
        };
        assert_eq!(rows(&seen), "1 row of 2 columns\nname\tsize\nsda\tNULL");
        (seen.n_rows, seen.has_more) = (100, true);
        assert!(rows(&seen).starts_with("100 or more rows of 2 columns\n"));
    }
}
