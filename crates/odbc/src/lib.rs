//! Queries to databases by ODBC, through unixODBC.
//!
//! The driver manager is loaded when the first query is made: a machine without it can do
//! everything else. It and the drivers run in this process, which cannot end a hanging driver or
//! survive a crashing one. A server therefore has a process of its own for them: [`serve`], which
//! reads a question and writes an answer, a line of JSON each, until its input ends.
//!
//! Not here: the number of queries at once, time-outs, items.

#[expect(unsafe_code, reason = "ODBC is an interface of C")]
mod manager;
mod question;
mod texts;

use std::io::{self, BufRead, Write};

use manager::{Connection, DriverManager};
pub use question::{QueryAnswer, QueryReply, Question, RESULT_BYTES_MAX, Seen, Shape};

/// Asks a database.
///
/// # Errors
/// Why there is no value, for the user; in Zabbix's words where it has some.
pub fn ask(question: &Question) -> Result<String, String> {
    ask_with_rows(question, None)
}

fn ask_with_rows(question: &Question, seen: Option<&mut Seen>) -> Result<String, String> {
    if question.query.is_empty() {
        return Err("SQL query cannot be empty.".to_owned());
    }
    let manager = DriverManager::get()?;
    let connection = Connection::open(manager, question)?;
    let mut rows = connection.query(&question.query, question.timeout_s)?;
    if seen.is_some() {
        rows.show();
    }
    let value = match question.shape {
        Shape::First => texts::first(&mut rows),
        Shape::Rows => texts::rows(&mut rows),
        Shape::Discovery => texts::discovery(&mut rows),
    };
    if let Some(seen) = seen {
        if question.shape == Shape::First && value.is_ok() {
            // A failure after the value does not count against it.
            drop(texts::read_on(&mut rows));
        }
        *seen = rows.take_seen();
    }
    value
}

fn reply(question: &Question) -> QueryReply {
    let mut seen = question.with_rows.then(Seen::default);
    let value = ask_with_rows(question, seen.as_mut());
    QueryReply { answer: value.map_or_else(QueryAnswer::Error, QueryAnswer::Value), seen }
}

/// Answers questions until there are no more.
///
/// # Errors
/// If input or output fail, or a line is no question: the start of the next one is then unknown.
pub fn serve(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    for line in input.lines() {
        let question: Question = serde_json::from_str(&line?)?;
        serde_json::to_writer(&mut output, &reply(&question))?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}
