//! Database monitor items: queries by ODBC.
//!
//! Drivers are foreign code that may hang and crash, so that they run in processes of their own
//! (this program, started as another role, see crate `odbc`), which are kept and asked one question
//! at a time. A process whose time is over is killed. A failure does not count against the host's
//! interfaces: the item is not supported, with the reason.

mod transcript;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use lang::lld::EscapeTarget;
use lang::text::with_odbc_password;
use model::batch::OwnedRaw;
use model::content::{ItemContent, ItemType};
use model::key::ItemKey;
use odbc::{QueryReply, Question, RESULT_BYTES_MAX, Shape};
use rt::clock::nanos;
use rt::queue::Receiver;
use rt::reading::Reading;
use tokio::time::timeout;

use super::collector::{Collector, Grouping, JobLimits};
use super::context::{CollectorContext, OdbcWorkers};
use super::host_item::HostItem;
use super::request::{CheckResult, Finished};
use crate::ports::{CheckAnswer, not_supported};
use crate::process::{Kept, Program, ProgramError};

/// The role of a process that queries databases.
pub const ODBC_WORKER_ROLE: &str = "odbc-worker";
/// A letter of a text may need six as JSON. A trial adds five rows of twenty columns. A longer line
/// ends the process, and its query fails.
const LINE_BYTES_MAX: usize = 6 * RESULT_BYTES_MAX + (1 << 20);
/// Drivers have the time-out too: one that obeys it has this long to report it before its process
/// is killed.
const GRACE: Duration = Duration::from_millis(500);
/// A process that is unused for this long is ended.
const IDLE_MAX: Duration = Duration::from_secs(300);
const SWEEP_EACH: Duration = Duration::from_secs(60);
/// After this many queries the process is ended, with the memory that its drivers have leaked.
const QUESTIONS_MAX: u32 = 1_000;
/// Variables passed on from the server's environment: they locate drivers and their settings.
const VARIABLES: [&str; 16] = [
    "ODBCINI",
    "ODBCSYSINI",
    "ODBCINSTINI",
    "LD_LIBRARY_PATH",
    "LC_CTYPE",
    "ORACLE_HOME",
    "TNS_ADMIN",
    "NLS_LANG",
    "FREETDSCONF",
    "TDSVER",
    "DB2INSTANCE",
    "PGSERVICEFILE",
    "PGSYSCONFDIR",
    "KRB5CCNAME",
    "KRB5_CONFIG",
    "KRB5_KTNAME",
];

rt::section! {
    /// Database monitor items, by ODBC.
    pub struct Settings in "collectors.odbc" {
        /// Most queries at once, each in a process of its own.
        pub queries_max: NonZeroUsize = "5",
        /// Whether items may contain a connection string (the third parameter of their keys), and not only
        /// name a data source of `odbc.ini`. Users who may edit items can then load any library of this
        /// machine as a driver, and read and write any file as a database, as the user of the server
        /// process.
        pub connection_strings: bool = "false",
    }
}

pub(super) struct Odbc;

type Check = super::request::Check<Question>;
type Request = super::request::Request<Question>;

impl Collector for Odbc {
    type Settings = Settings;
    type Payload = Question;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        (content.kind == ItemType::Odbc).then_some(Grouping::Single)
    }

    fn limits(settings: &Settings) -> JobLimits {
        JobLimits { jobs_max: settings.queries_max.get(), device_jobs_max: 4, job_checks_max: 1 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<Question, CheckResult> {
        let refused = |why: &str| CheckResult::Refused(why.to_owned());
        let key = ItemKey::parse(&item.key()?);
        let key = key.map_err(|_position| refused("Invalid item key format."))?;
        let shape = match &*key.name {
            "db.odbc.select" => Shape::First,
            "db.odbc.get" => Shape::Rows,
            "db.odbc.discovery" => Shape::Discovery,
            _ => return Err(refused("Unsupported item key for this item type.")),
        };
        if !(2..=3).contains(&key.params.len()) {
            return Err(refused("Invalid number of parameters."));
        }
        let (dsn, connection) = (key.param(1).to_owned(), key.param(2).to_owned());
        if dsn.is_empty() && connection.is_empty() {
            return Err(refused("Invalid database connection settings."));
        }
        let content = item.content();
        let text = |it: &str| item.text(it, EscapeTarget::Text);
        let (user, password) = (text(&content.username), text(&content.password));
        let connection = with_login(connection, &user, &password);
        let query = text(&content.params);
        let (timeout_s, with_rows) = (0, false);
        Ok(Question { shape, dsn, connection, user, password, query, timeout_s, with_rows })
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request>) {
        let workers = Workers { shared: &shared, idle: Mutex::default() };
        let mut under_way = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = under_way.next() => {}
                () = shared.clock.sleep(SWEEP_EACH) => workers.sweep(),
                request = requests.receive() => match request {
                    Some(request) => under_way.push({
                        let converse = |it| workers.converse(it);
                        shared.contained("ODBC check", request, converse)
                    }),
                    None => break,
                },
            }
        }
        while under_way.next().await.is_some() {}
    }
}

/// A connection string with user and password, if there is one.
fn with_login(mut connection: String, user: &str, password: &str) -> String {
    if connection.is_empty() {
        return connection;
    }
    if !user.is_empty() {
        let separator = if connection.ends_with(';') { "" } else { ";" };
        connection.push_str(&format!("{separator}UID={user}"));
    }
    if password.is_empty() { connection } else { with_odbc_password(&connection, password) }
}

struct Workers<'a> {
    shared: &'a CollectorContext,
    idle: Mutex<Vec<Idle>>,
}

/// An idle process.
struct Idle {
    worker: Kept,
    n_asked: u32,
    since_ns: u64,
}

impl Workers<'_> {
    async fn converse(&self, request: Request) {
        let mut readings = request.done;
        for check in &request.checks {
            let result = match self.ask(check).await {
                Ok(answer) => CheckResult::Answer(answer),
                Err(error) if error.is_shortage() => CheckResult::NotMade,
                Err(ProgramError::Late) => {
                    CheckResult::Answer(not_supported("Timeout while executing an SQL query."))
                }
                Err(ProgramError::Ended) => CheckResult::Answer(not_supported(
                    "The ODBC driver has crashed: its process ended without an answer.",
                )),
                Err(error) => CheckResult::Answer(not_supported(error.to_string())),
            };
            readings.push(check.reading(self.shared.clock.wall(), result));
        }
        self.shared.finish(Finished { job: request.job, readings }).await;
    }

    async fn ask(&self, check: &Check) -> Result<CheckAnswer, ProgramError> {
        let OdbcWorkers { program, takes_connection_strings } = &self.shared.odbc;
        if !check.payload.connection.is_empty() && !takes_connection_strings {
            return Ok(not_supported(
                "Connection strings are not allowed: the setting collectors.odbc.connection_strings is off.",
            ));
        }
        let Some(program) = program else {
            return Ok(not_supported("This process does not query databases."));
        };
        let transcript = self.shared.transcript.as_ref();
        let question = Question {
            timeout_s: whole_seconds(check.timeout),
            with_rows: transcript.is_some(),
            ..check.payload.clone()
        };
        let Ok(line) = serde_json::to_string(&question) else {
            return Ok(not_supported("The query cannot be sent."));
        };
        if let Some(it) = transcript {
            transcript::question(it, &question);
        }
        let mut reading = self.shared.readings.begin((&question.dsn, &question.connection));
        let asked = self.ask_in_time(program, &line, check.timeout, &mut reading).await;
        if let Some(it) = transcript {
            match &asked {
                Ok(reply) => transcript::reply(it, reply),
                Err(error) => transcript::failure(it, error),
            }
        }
        Ok(match asked?.answer {
            odbc::QueryAnswer::Value(text) => OwnedRaw::Text(text),
            odbc::QueryAnswer::Error(reason) => not_supported(reason),
        })
    }

    async fn ask_in_time(
        &self,
        program: &std::path::Path,
        line: &str,
        time: Duration,
        reading: &mut Reading,
    ) -> Result<QueryReply, ProgramError> {
        let asked = timeout(time.saturating_add(GRACE), self.ask_any(program, line, reading)).await;
        let (worker, n_asked, line) = asked.map_err(|_elapsed| ProgramError::Late)??;
        // A process out of step is ended: it is unknown which query its next line answers.
        let reply = read(&line, self.shared.transcript.is_some()).ok_or(ProgramError::Ended)?;
        if n_asked < QUESTIONS_MAX {
            let since_ns = self.shared.clock.mono_ns();
            self.lock().push(Idle { worker, n_asked, since_ns });
        }
        Ok(reply)
    }

    /// Asks an idle process, or a new one; returns how often it was asked, and its answer.
    async fn ask_any(
        &self,
        program: &std::path::Path,
        line: &str,
        reading: &mut Reading,
    ) -> Result<(Kept, u32, Vec<u8>), ProgramError> {
        let waiting = self.lock().pop();
        if let Some(Idle { mut worker, n_asked, .. }) = waiting {
            match worker.ask(line, LINE_BYTES_MAX, reading).await {
                // The process may have died while idle, which is not the fault of this query.
                Err(ProgramError::Ended) => {}
                answer => return answer.map(|it| (worker, n_asked + 1, it)),
            }
        }
        let set =
            VARIABLES.iter().filter_map(|it| Some(((*it).to_owned(), std::env::var(it).ok()?)));
        let mut variables: Vec<(String, String)> = set.collect();
        let has_language = ["LANG", "LC_ALL", "LC_CTYPE"].map(std::env::var_os);
        if has_language.iter().all(Option::is_none) {
            // Otherwise drivers write texts in ASCII.
            variables.push(("LC_CTYPE".to_owned(), "C.UTF-8".to_owned()));
        }
        let program = Program {
            path: program.to_owned(),
            arguments: vec![ODBC_WORKER_ROLE.to_owned()],
            variables,
            folder: None,
        };
        let mut worker = Kept::start(&self.shared.tasks, program).await?;
        let answer = worker.ask(line, LINE_BYTES_MAX, reading).await?;
        Ok((worker, 1, answer))
    }

    /// Ends processes that are unused for long.
    fn sweep(&self) {
        let now_ns = self.shared.clock.mono_ns();
        self.lock().retain(|it| now_ns.saturating_sub(it.since_ns) < nanos(IDLE_MAX));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker's line. Rows are included only on request.
fn read(line: &[u8], with_rows: bool) -> Option<QueryReply> {
    if with_rows {
        return serde_json::from_slice(line).ok();
    }
    Some(QueryReply { answer: serde_json::from_slice(line).ok()?, seen: None })
}

fn whole_seconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis().div_ceil(1_000)).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_are_added_to_connection_strings() {
        for (connection, user, password, expected) in [
            ("", "u", "p", ""),
            ("Driver=x", "", "", "Driver=x"),
            ("Driver=x;", "u", "", "Driver=x;UID=u"),
            ("Driver=x", "u", "p", "Driver=x;UID=u;PWD=p"),
            ("Driver=x", "", "a;b}", "Driver=x;PWD={a;b}}};"),
        ] {
            assert_eq!(with_login(connection.to_owned(), user, password), expected);
        }
    }

    #[test]
    fn drivers_get_whole_seconds() {
        let seconds = [1, 1_000, 1_001].map(Duration::from_millis).map(whole_seconds);
        assert_eq!(seconds, [1, 1, 2]);
    }
}
