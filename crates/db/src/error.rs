//! Errors for two readers: the operator ([`DbError`]) and the client of the API ([`ConfigError`]),
//! which never sees SQL.

use std::fmt;

use model::field_path::FieldPath;
use thiserror::Error;

/// The store failed or cannot be used.
#[derive(Debug, Error)]
pub enum DbError {
    #[error("database {location}: cannot be opened: {cause}")]
    Open { location: String, cause: SqlError },
    /// `places`: the pages that do not fit together, as far as they can be found.
    #[error("database {location} is damaged{places}: {cause}")]
    DamagedFile { location: String, places: String, cause: Box<DbError> },
    /// At the start, for whatever reason that does not name the database itself.
    #[error("database {location}: {cause}")]
    Unusable { location: String, cause: Box<DbError> },
    #[error("database: {what}: {cause}")]
    Sql { what: &'static str, cause: SqlError },
    #[error("database: its thread has stopped")]
    Stopped,
    #[error("database: {what}: no answer within {seconds} s; nothing was done")]
    TimedOut { what: &'static str, seconds: u64 },
    /// It was done, or it was not: the database has to be asked.
    #[error("database: {what}: whether it was done is not known: {cause}")]
    Unknown { what: &'static str, cause: String },
    #[error("database: {what}: not done: {cause}")]
    NotDone { what: &'static str, cause: String },
    /// A bug.
    #[error("database: {what}: it panicked: {message}")]
    Panicked { what: &'static str, message: String },
    #[error("other changes of the configuration have gone on for {seconds} s; nothing was done")]
    Busy { seconds: u64 },
    /// It did not answer lately, and callers do not wait for it until it does.
    #[error("database: {what}: not done, it does not answer: {reason}")]
    Absent { what: &'static str, reason: String },
    #[error("database is away, {waiting} events wait for it")]
    Away { waiting: usize },
    #[error("database is of version {found}, this program knows versions up to {known}")]
    FromTheFuture { found: i64, known: i64 },
    #[error("database was changed by another server (epoch {found}, expected {expected})")]
    ForeignWrite { found: i64, expected: i64 },
    #[error("database: {table}: row {id} is damaged: {what}")]
    Damaged { table: &'static str, id: u64, what: String },
    #[error("no randomness from the system: {0}")]
    Randomness(String),
    #[error("password cannot be hashed: {0}")]
    Password(String),
}

impl DbError {
    /// Whether the same call may succeed later without anybody changing the program or its data.
    #[must_use]
    pub fn retry(&self) -> bool {
        match self {
            Self::Open { .. }
            | Self::TimedOut { .. }
            | Self::Unknown { .. }
            | Self::NotDone { .. }
            | Self::Busy { .. }
            | Self::Absent { .. }
            | Self::Away { .. }
            // The other server's changes are then read.
            | Self::ForeignWrite { .. }
            | Self::Randomness(_) => true,
            Self::Sql { cause, .. } => cause.retry(),
            Self::Unusable { cause, .. } => cause.retry(),
            Self::Stopped
            | Self::DamagedFile { .. }
            | Self::Panicked { .. }
            | Self::FromTheFuture { .. }
            | Self::Damaged { .. }
            | Self::Password(_) => false,
        }
    }

    /// The lack of the database, if that is the cause.
    pub(crate) fn lack(&self) -> Option<Lack> {
        match self {
            // A server that refuses connections is away, for any reason.
            Self::Open { cause, .. } => Some(cause.lack().unwrap_or(Lack::Answers)),
            Self::Sql { cause, .. } => cause.lack(),
            _ => None,
        }
    }

    /// Whether stored data is inconsistent, so that an operator has to inspect the file.
    #[must_use]
    pub(crate) fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode;
        match self {
            Self::Damaged { .. } => true,
            Self::Open { cause: SqlError::Sqlite(error), .. }
            | Self::Sql { cause: SqlError::Sqlite(error), .. } => matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            ),
            Self::Sql { cause: SqlError::Type(_), .. } => true,
            _ => false,
        }
    }

    /// The same for an error while the tables are read at the start. Every statement is then one of this program's:
    /// where SQLite does not understand it (no such column), finds another type or a broken rule, the file holds
    /// something else than was written.
    #[must_use]
    pub(crate) fn is_damage_at_start(&self) -> bool {
        use rusqlite::ErrorCode;
        let Self::Sql { cause: SqlError::Sqlite(error), .. } = self else {
            return self.is_damage();
        };
        match error.sqlite_error_code() {
            // `Unknown` is what SQLite calls SQLITE_ERROR.
            Some(
                ErrorCode::Unknown
                | ErrorCode::ConstraintViolation
                | ErrorCode::TypeMismatch
                | ErrorCode::TooBig,
            )
            // Found by the driver: a column that is missing, or of another type.
            | None => true,
            Some(_) => self.is_damage(),
        }
    }

    /// Whether the text says which database it is about.
    #[must_use]
    pub(crate) fn names_database(&self) -> bool {
        matches!(self, Self::Open { .. } | Self::DamagedFile { .. } | Self::Unusable { .. })
    }

    /// Of a transaction that, as was found out, was not done.
    #[must_use]
    pub(crate) fn not_done(self) -> Self {
        match self {
            Self::Unknown { what, cause } => Self::NotDone { what, cause },
            other => other,
        }
    }

    /// The error of a query about a transaction without an answer.
    #[must_use]
    pub(crate) fn left_open(self) -> Self {
        Self::Unknown { what: "edit", cause: self.to_string() }
    }

    /// Whether a transaction that ended with this may have been done.
    #[must_use]
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown { .. } | Self::Panicked { .. })
    }
}

/// An error of a driver; the text is for the log.
#[derive(Debug, Error)]
pub enum SqlError {
    #[error("sqlite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("postgresql: {}", postgres_text(.0))]
    Postgres(#[from] postgres::Error),
    #[error("postgresql: {0}")]
    Connector(#[from] postgres_tls::Error),
    #[error("postgresql: no answer within {seconds} s")]
    Silent { seconds: u64 },
    #[error("postgresql: the server does not answer")]
    Gone,
    #[error("postgresql: no runtime for a connection: {0}")]
    Runtime(std::io::Error),
    #[error("column {0} has another type than expected")]
    Type(usize),
}

impl SqlError {
    /// False where the database refuses the data themselves: a value that it cannot hold, a rule
    /// that it breaks. Anything else (away, full, read-only, locked) may pass.
    fn retry(&self) -> bool {
        use rusqlite::ErrorCode;
        match self {
            Self::Sqlite(error) => !matches!(
                error.sqlite_error_code(),
                Some(
                    ErrorCode::ConstraintViolation
                        | ErrorCode::TypeMismatch
                        | ErrorCode::TooBig
                        | ErrorCode::ParameterOutOfRange
                )
            ),
            // Classes 22 (data), 23 (constraints) and 54 (limits of the program).
            Self::Postgres(error) => !error.code().is_some_and(|it| {
                ["22", "23", "54"].iter().any(|class| it.code().starts_with(class))
            }),
            Self::Silent { .. } | Self::Gone | Self::Runtime(_) => true,
            Self::Connector(_) | Self::Type(_) => false,
        }
    }

    /// The lack of the database, if that is the cause: other callers need not wait for it as well.
    pub(crate) fn lack(&self) -> Option<Lack> {
        use rusqlite::ErrorCode;
        match self {
            Self::Sqlite(error) => match error.sqlite_error_code()? {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(Lack::Answers),
                ErrorCode::DiskFull
                | ErrorCode::ReadOnly
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen => Some(Lack::Room),
                _ => None,
            },
            Self::Postgres(error) => match error.code() {
                // Connections, shutdown and start, and a lock that is held.
                Some(it) if it.code().starts_with("08") || it.code().starts_with("57P") => {
                    Some(Lack::Answers)
                }
                Some(it) if it.code() == "55P03" => Some(Lack::Answers),
                // Resources, the system below, and a server that only reads.
                Some(it)
                    if it.code().starts_with("53")
                        || it.code().starts_with("58")
                        || it.code() == "25006" =>
                {
                    Some(Lack::Room)
                }
                Some(_) => None,
                None => (error.is_closed() || is_io(error)).then_some(Lack::Answers),
            },
            Self::Gone => Some(Lack::Answers),
            Self::Silent { .. } | Self::Connector(_) | Self::Runtime(_) | Self::Type(_) => None,
        }
    }
}

/// The lack of a database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Lack {
    /// Room on its disk, or the right to write: it answers at once.
    Room,
    /// Answers: each call would wait for seconds.
    Answers,
}

fn is_io(error: &postgres::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if cause.is::<std::io::Error>() {
            return true;
        }
        source = cause.source();
    }
    false
}

/// The driver's own text hides the server's message.
fn postgres_text(error: &postgres::Error) -> String {
    match error.as_db_error() {
        Some(it) => format!("{} ({})", it.message(), it.code().code()),
        None => postgres_tls::with_causes(error),
    }
}

/// The class of an error as JSON-RPC has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorCode {
    /// -32602 "Invalid params."
    Parameters,
    /// -32500 "Application error.": permissions, missing objects, objects in use.
    Application,
    /// -32400 "System error.": the store is away or broken.
    System,
}

impl ErrorCode {
    #[must_use]
    pub fn code(self) -> i32 {
        match self {
            Self::Parameters => -32_602,
            Self::Application => -32_500,
            Self::System => -32_400,
        }
    }

    /// The `message` that goes with the code; the text of the error itself is the `data`.
    #[must_use]
    pub fn message(self) -> &'static str {
        match self {
            Self::Parameters => "Invalid params.",
            Self::Application => "Application error.",
            Self::System => "System error.",
        }
    }
}

/// A field of the object that is edited: an editor sees one at a time, and calls it the first of its request.
pub(crate) fn edited(name: &str) -> FieldPath {
    FieldPath::object(0).member(name)
}

/// Why a change of the configuration was refused. Its text is what Zabbix says: clients match it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct ConfigError {
    pub code: ErrorCode,
    /// The field that is wrong, if it is one: a sentence about it is written when the error is.
    path: Option<FieldPath>,
    /// The subject with which the sentence begins, in lower case.
    subject: Option<&'static str>,
    what: String,
    /// Where in a file it is.
    place: Option<String>,
    retry: bool,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, true)
    }
}

/// An error after a colon.
struct Clause<'a>(&'a ConfigError);

impl fmt::Display for Clause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, false)
    }
}

impl ConfigError {
    #[must_use]
    pub fn parameters(text: impl fmt::Display) -> Self {
        Self::new(ErrorCode::Parameters, text)
    }

    #[must_use]
    pub fn application(text: impl fmt::Display) -> Self {
        Self::new(ErrorCode::Application, text)
    }

    fn new(code: ErrorCode, what: impl fmt::Display) -> Self {
        Self { code, path: None, subject: None, what: what.to_string(), place: None, retry: false }
    }

    /// A sentence about an object: `Host with the same name "a" already exists.` The subject is in lower case.
    #[must_use]
    pub(crate) fn about(subject: &'static str, rest: impl fmt::Display) -> Self {
        Self { subject: Some(subject), ..Self::new(ErrorCode::Parameters, rest) }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, begins: bool) -> fmt::Result {
        match (&self.path, self.subject) {
            (Some(path), _) => write!(f, "Invalid parameter \"{path}\": {}.", self.what)?,
            (None, Some(subject)) if begins => {
                let mut letters = subject.chars();
                let first = letters.next().map(|it| it.to_ascii_uppercase());
                write!(f, "{}{} {}", first.unwrap_or_default(), letters.as_str(), self.what)?;
            }
            (None, Some(subject)) => write!(f, "{subject} {}", self.what)?,
            (None, None) => f.write_str(&self.what)?,
        }
        self.place.iter().try_for_each(|it| write!(f, " ({it})"))
    }

    /// The sentence as it goes on after a colon.
    pub(crate) fn clause(&self) -> impl fmt::Display {
        Clause(self)
    }

    /// `Invalid parameter "/1/key_": …`
    #[must_use]
    pub fn invalid(path: impl Into<FieldPath>, what: impl fmt::Display) -> Self {
        Self { path: Some(path.into()), ..Self::new(ErrorCode::Parameters, what) }
    }

    /// A field that has to be given in what stands there.
    #[must_use]
    pub(crate) fn missing(path: impl Into<FieldPath>, name: &str) -> Self {
        Self::invalid(path, format_args!("the parameter \"{name}\" is missing"))
    }

    /// A field that does not belong to what stands there.
    #[must_use]
    pub(crate) fn unexpected(path: impl Into<FieldPath>, name: &str) -> Self {
        Self::invalid(path, format_args!("unexpected parameter \"{name}\""))
    }

    /// The field that is wrong and why, if there is nothing else to say.
    #[must_use]
    pub fn field(&self) -> Option<(&FieldPath, &str)> {
        let path = self.path.as_ref().filter(|_| self.place.is_none())?;
        Some((path, &self.what))
    }

    /// The sentence that clients get.
    #[must_use]
    pub fn text(&self) -> String {
        self.to_string()
    }

    /// The same error of another object of a request: the editor sees one, and calls it the first.
    #[must_use]
    pub fn in_object(mut self, position: usize) -> Self {
        self.path = self.path.map(|it| it.in_object(position));
        self
    }

    /// The same error for a caller that sees more of the request: `outer` is where its path begins
    /// there.
    #[must_use]
    pub(crate) fn below(mut self, outer: &FieldPath) -> Self {
        self.path = self.path.map(|it| it.below(outer));
        self
    }

    /// The same error, with the place in a file that it is about.
    #[must_use]
    pub(crate) fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = Some(match self.place {
            Some(inner) => format!("{inner}) ({place}"),
            None => place.to_string(),
        });
        self
    }

    /// Whether the same change may succeed later: the store was away.
    #[must_use]
    pub fn retry(&self) -> bool {
        self.retry
    }

    /// The object does not exist, or the user may not see it: the two are not distinguished.
    #[must_use]
    pub fn no_permissions() -> Self {
        Self::application("No permissions to referred object or it does not exist!")
    }
}

/// The log has the details; a client learns only that the store is to blame.
impl From<DbError> for ConfigError {
    fn from(error: DbError) -> Self {
        tracing::error!(%error, "a change of the configuration failed");
        let text = match error {
            DbError::ForeignWrite { .. } => {
                "The database was changed by another server. Nothing was changed; try again."
            }
            DbError::Unknown { .. } => {
                "The database did not answer: whether the change was saved shows when it is back."
            }
            DbError::Busy { .. } => {
                "Other changes of the configuration take too long. Nothing was changed; try again."
            }
            _ => "The database is not available, nothing was changed.",
        };
        Self { retry: error.retry(), ..Self::new(ErrorCode::System, text) }
    }
}
