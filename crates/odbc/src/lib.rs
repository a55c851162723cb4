//! Queries to databases by ODBC, through unixODBC.
//!
//! The driver manager is loaded when the first query is made: a machine without it can do all else.
//! It and the drivers run in this process, where nobody can end one that hangs or help one that
//! crashes, so that a server has a process of its own for them: [`serve`], which reads a question
//! and writes an answer, a line of JSON each, until its input ends.
//!
//! Not here: how many ask at once, when a question is late, what an item is.

#[expect(unsafe_code, reason = "ODBC is an interface of C")]
mod manager;
mod texts;

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use manager::{Connection, DriverManager};

/// Bytes of a result.
pub const RESULT_BYTES_MAX: usize = 16 << 20;

/// What is made of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// The first column of the first row.
    First,
    /// All rows as JSON, by the names of columns.
    Rows,
    /// As [`Shape::Rows`], by macros of low-level discovery.
    Discovery,
}

/// A query, and where it is made.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub shape: Shape,
    /// Name of a data source of the machine's own settings.
    pub dsn: String,
    /// If it is not empty, it is used instead of the data source, with user and password in it.
    pub connection: String,
    /// Empty: that of the data source.
    pub user: String,
    pub password: String,
    pub query: String,
    /// What drivers are told; most obey.
    pub timeout_s: u32,
}

impl std::fmt::Debug for Question {
    /// The connection string may have a password too.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").field("dsn", &self.dsn).finish_non_exhaustive()
    }
}

/// What is said to a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Value(String),
    /// In words for the user.
    Error(String),
}

/// Asks a database.
///
/// # Errors
/// Why there is no value, in words for the user; those of Zabbix, where it has any.
pub fn ask(question: &Question) -> Result<String, String> {
    if question.query.is_empty() {
        return Err("SQL query cannot be empty.".to_owned());
    }
    let manager = DriverManager::get()?;
    let connection = Connection::open(manager, question)?;
    let mut rows = connection.query(&question.query, question.timeout_s)?;
    match question.shape {
        Shape::First => texts::first(&mut rows),
        Shape::Rows => texts::rows(&mut rows),
        Shape::Discovery => texts::discovery(&mut rows),
    }
}

/// Answers questions until there are no more.
///
/// # Errors
/// If input or output fail, or a line is no question: then nobody knows what the next one is.
pub fn serve(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    for line in input.lines() {
        let question: Question = serde_json::from_str(&line?)?;
        let answer = ask(&question).map_or_else(Answer::Error, Answer::Value);
        serde_json::to_writer(&mut output, &answer)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}
